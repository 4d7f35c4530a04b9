"""Policies: shown, checked, compared, simulated and put to use.

`given` is how requests take a policy. `simulate` compares two replays of a `history`; a `replay` runs recorded actions
through the operations themselves, on a memory store of its own. A simulation writes nothing to the store whose history
is replayed, and nothing here decides by rules of its own.
"""
