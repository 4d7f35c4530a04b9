"""Upkeep of a store: facts about it, garbage collection, its index and vectors, the doctor's checks and repairs, a key.

Verbs here work on the whole store or on a standpoint's own spaces, and never show contents. `rekey` is not a verb: a
store without its key cannot be opened, so there is no memory to call it on.
"""
