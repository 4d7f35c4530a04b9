"""The audit trail: events, the hash chains they are kept in, checkpoints and keys; the public trace and exporters.

No store and no policy comes in here, and no text of a memory is in an event that is stored.
"""
