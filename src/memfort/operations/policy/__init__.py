"""Verbs on policies: show, check, compare, simulate and put to use.

`given` is how requests take a policy. `simulate` compares two replays of a `history`; a `replay` runs recorded actions
through the operations themselves, on a memory store of its own. A simulation writes nothing to the store whose history
is replayed. Rules of its own never come in: policy decides.
"""
