"""Verbs that read: look up, list, show history, follow links, and show spaces.

Every read goes through the sight of one view. Operations that write are never imported: shared code lives in `engine`,
`model` or `policy`.
"""
