"""Assertion files: YAML that says what a policy must allow and deny, tested on a real memory.

A surface like the others: it parses, drives a client as a host program would, and compares the answers. It decides
nothing, and it never opens the store of the person who runs it.
"""
