"""Recall: what answers a query, for people and for prompts.

It goes through the sight of one view, like every read, and imports no operation that writes.
"""
