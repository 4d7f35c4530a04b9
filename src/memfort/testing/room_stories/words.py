"""What is said in room stories, and whom it names. Bea and those apart use the same words, word for word."""

from __future__ import annotations

APART, OBSERVER, BETWEEN = "apart", "bea", "between"
APOLLO = {"project": "apollo"}

# Statements that bea and those apart make, word for word the same; and others out of the same words.
IMPLIED = "Sarah prefers tea at the harbor"  # about somebody, if there is anybody called so
COMMON = (
    "coffee at the harbor",
    "the budget on friday",
    "tea for the launch",
    "coffee coffee tea",
    "the merger",
    IMPLIED,
)
BETWEEN_THEM = ("coffee with the budget", "the harbor launch on friday", "tea, not coffee", "a merger for tea")
ALONE_THEIRS = ("coffee in the harbor, number", "tea budget number", "the launch coffee number", "friday merger number")
FIRST_PERSON = ("I prefer coffee", "I like tea at the harbor")
IN_FIRST_PERSON = ("I ", "we ")  # how such a statement begins
GRAVE = "dora has diabetes and drinks coffee"  # sensitive by its words
EVERYBODYS = frozenset((*COMMON, *FIRST_PERSON, GRAVE))
QUERIES = ("coffee", "the harbor launch", "budget friday", "merger tea", "dora coffee", "number harbor", "number")
WAITS = (1, 31, 3_600)

# Names that bea and those apart use, as others do in the directory; names that are used only between; and names for
# whom bea knows from other rooms.
NAMES, NAMES_BETWEEN, OWN_NAMES = ("Sarah", "Tom", "my wife"), ("Nina", "my sister"), ("Zoe", "Zack")
LISTED_NAMES = ("Sarah", "Tom", "Nina", "Sarah Smith")
TERMS = {"my wife": "wife", "my sister": "sister"}
REFERENCES = ("Sarah", "Tom", "Zoe", "Vera", "sal", "my wife", "me", "@bea", "@cleo")
