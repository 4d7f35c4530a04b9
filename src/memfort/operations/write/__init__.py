"""Verbs that keep statements: remember, remember_many, correct, restore, promote, used. The chain of gates that they
put a statement through is in `operations.admit`."""
