"""The phrases and names of chat histories. Bea and the hidden party use the same ones, word for word."""

from __future__ import annotations

HIDDEN, OBSERVER, OTHERS = "hidden", "bea", "others"
APOLLO = {"project": "apollo"}

# Statements that bea and the hidden party both make, and others made of the same words.
PHRASE_NAMING_SARAH = "Sarah prefers tea at the harbor"  # about Sarah, if a person of that name is known
COMMON_PHRASES = (
    "coffee at the harbor",
    "the budget on friday",
    "tea for the launch",
    "coffee coffee tea",
    "the merger",
    PHRASE_NAMING_SARAH,
)
OTHERS_PHRASES = ("coffee with the budget", "the harbor launch on friday", "tea, not coffee", "a merger for tea")
HIDDEN_PHRASES = (
    "coffee in the harbor, number",
    "tea budget number",
    "the launch coffee number",
    "friday merger number",
)
FIRST_PERSON_PHRASES = ("I prefer coffee", "I like tea at the harbor")
FIRST_PERSON_STARTS = ("I ", "we ")  # how first-person statements begin
SENSITIVE_PHRASE = "dora has diabetes and drinks coffee"  # classified as sensitive
PUBLICLY_USED_PHRASES = frozenset((*COMMON_PHRASES, *FIRST_PERSON_PHRASES, SENSITIVE_PHRASE))
QUERIES = ("coffee", "the harbor launch", "budget friday", "merger tea", "dora coffee", "number harbor", "number")
WAITS = (1, 31, 3_600)

# Names that bea and the hidden party use, and others use in the directory; names only others use; and names for people
# bea knows from other chats.
NAMES, OTHERS_NAMES, HIDDEN_NAMES = ("Sarah", "Tom", "my wife"), ("Nina", "my sister"), ("Zoe", "Zack")
LISTED_NAMES = ("Sarah", "Tom", "Nina", "Sarah Smith")
TERMS = {"my wife": "wife", "my sister": "sister"}
REFERENCES = ("Sarah", "Tom", "Zoe", "Vera", "sal", "my wife", "me", "@bea", "@cleo")
