"""The audit trail: events, the hash chains they are kept in, checkpoints and keys; the public trace and exporters.

Stores and policy never come in, and a stored event never contains the text of a memory.
"""
