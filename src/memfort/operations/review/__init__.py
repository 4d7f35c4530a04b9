"""Memories that wait for a reviewer: list, approve, reject, edit. The rules that make a memory wait are in `policy` and
never come in."""
