"""What speaks for a memory as an answer to a query. Each has a weight in the policy and a share in a score."""

from __future__ import annotations

from enum import StrEnum


class Feature(StrEnum):
    WORDS = "words"  # how much of what is asked it says, each word weighed by its rarity
    AROUND = "around"  # how much more of it is said just before or after, in the same conversation
    MEANING = "meaning"  # how near its meaning is to the query's
    MEANING_AROUND = "meaning_around"  # how near the meaning of what is said around it is
    WHO = "who"  # said by whom the query names, or by the asker if it says "I"
    ABOUT = "about"  # about whom the query names
    DATE = "date"  # said on or near a day that the query names
    ANSWERS = "answers"  # what comes before it asks for what the query asks for
    KIND = "kind"  # holds the kind of thing asked for: a time, a number, a name
    STANDING = "standing"  # an instruction or a preference, where help is asked for
    IMPORTANCE = "importance"  # how important it is
    USE = "use"  # how often it was said to have been of use
    TYPE = "type"  # the kind of statement asked for: a decision, a preference, a correction
    BARE_QUESTION = "bare_question"  # a short question and nothing else, which answers nothing
    HOP = "hop"  # shares rare words, such as names, with one of the first hits: a second step from there
    REPEATS = "repeats"  # says the same as one that comes before it
    CURRENT = "current"  # says what is, where a better one says what was
