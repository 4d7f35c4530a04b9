"""Explain: why a memory is or is not shown, and why it came or did not come in a recall.

It renders the decisions of policy and recall. It must never become a second engine, and imports no operation that
writes.
"""
