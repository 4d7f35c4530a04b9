"""Errors of supersession: how often a new statement replaces a valid one, and how often it misses an outdated one."""
