"""How memories end: retirement, the sweep of expired ones, and promoted copies whose source has ended.

It ends memories that a verb or a rule has decided to end. Decisions and the removal of bytes never come in: erasing is
in `operations.ending`.
"""
