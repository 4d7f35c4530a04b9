"""Upkeep of a store: facts about it, garbage collection, its index and vectors, the doctor's checks and repairs, a key.

Verbs here work for the whole store or for a standpoint's own spaces, and show nobody any contents. `rekey` is no verb:
a store without its key cannot be opened, so there is no memory to call it on.
"""
