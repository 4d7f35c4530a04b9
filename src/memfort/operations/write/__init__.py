"""Verbs that keep statements: remember, remember_many, correct, restore, promote, used. The chain of gates that every
statement passes is in `operations.admit` and never comes in."""
