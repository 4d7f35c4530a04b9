"""Recall: find the memories that answer a query, for people and for prompts.

It goes through the sight of one view, like every read. Operations that write are never imported; scoring itself is in
`memfort.recall`.
"""
