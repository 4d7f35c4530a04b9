"""What a conversation has said so far: the statements that a correction may mean, and the messages they stand in."""

from __future__ import annotations

import re
from typing import Any

import re2
from msgspec import Struct, field

from memfort.capture.extract.rules import Conversation

_MOST_SAID = 60  # statements that are looked back on
_MOST_MESSAGES = 3  # of a user, that a value alone may correct


class Said(Struct, frozen=True):
    """A statement that was made."""

    words: str  # the sentence, verbatim
    text: str  # the statement
    turn: int  # the place of its turn among the new ones; negative for those before
    speaker: str | None = None


class Heard(Struct, frozen=True):
    """A message of a user."""

    text: str
    turn: int
    speaker: str | None = None


class Context(Struct):
    said: list[Said] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    is_whole: bool = True  # nothing was said before what was read
    answer: str = ""  # what the assistant said last, if the user has not answered yet
    answer_turn: int = 0
    names: set[str] = field(default_factory=set)  # that were said, folded
    texts: list[str] = field(default_factory=list)  # of the turns before, the last first

    def add(self, rules: Conversation, words: str, text: str, turn: int, speaker: str | None = None) -> None:
        self.said.append(Said(words, text, turn, speaker))
        del self.said[:-_MOST_SAID]
        self.add_names(rules, text)

    def said_by(self, speaker: str | None) -> list[Said]:
        """What one speaker said, as far as it is known who spoke: nobody corrects for another."""
        return [one for one in self.said if speaker is None or one.speaker in (None, speaker)]

    def last_heard(self, speaker: str | None) -> list[Heard] | None:
        """The last three messages of a speaker. None: some of them may not have been read."""
        mine = [one for one in self.heard if speaker is None or one.speaker in (None, speaker)]
        return mine[-_MOST_MESSAGES:] if self.is_whole or len(mine) >= _MOST_MESSAGES else None

    def hear(self, text: str, turn: int, speaker: str | None = None) -> None:
        """Note what was said of a message so far."""
        if self.heard and self.heard[-1].turn == turn:
            self.heard.pop()
        if text.strip():
            self.heard.append(Heard(text, turn, speaker))

    def add_names(self, rules: Conversation, text: str) -> None:
        names = _ASCII_NAMES_INSIDE if text.isascii() else _NAMES_INSIDE
        self.names.update(map(rules.fold, names.findall(text)))


_NAMES_INSIDE: Any = re2.compile(r"[\pL\d,] (\p{Lu}[\pL-]+)")
_ASCII_NAMES_INSIDE = re.compile(r"[A-Za-z0-9,] ([A-Z][A-Za-z-]+)")  # the same for ASCII, and ten times as fast
