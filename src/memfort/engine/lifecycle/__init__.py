"""How memories end: retirement, the sweep of expired ones, and promoted copies whose source has ended.

It ends memories that a verb or a rule has decided to end. It decides nothing, and it removes no bytes: erasing is
in `operations.ending`.
"""
