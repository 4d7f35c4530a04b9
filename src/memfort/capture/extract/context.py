"""What a conversation has said so far: the statements a correction may mean, and the people "she" may be."""

from __future__ import annotations

import re
from typing import Any

import re2
from msgspec import Struct, field
from msgspec.structs import replace

from memfort.capture.extract.rules import Conversation, group_span

_MOST_SAID = 60  # statements that are looked back on
_MOST_PEOPLE = 12


class Said(Struct, frozen=True):
    """A statement that was made."""

    words: str  # the sentence, verbatim
    text: str  # the statement as it was understood
    turn: int  # the place of its turn among the new ones; negative for those before
    speaker: str | None = None


class Somebody(Struct, frozen=True):
    """A person that was spoken of."""

    label: str  # "my sister Ana"
    gender: str  # `she`, `he` or empty


class Context(Struct):
    said: list[Said] = field(default_factory=list)
    people: list[Somebody] = field(default_factory=list)
    thing: str = ""  # what the last statement was about: "My dentist appointment"
    answer: str = ""  # what the assistant said last
    names: set[str] = field(default_factory=set)  # that were said, folded
    texts: list[str] = field(default_factory=list)  # of the turns before, the last first
    values: dict[str, Any] = field(default_factory=dict)  # of each statement, as corrections read them

    def add(self, rules: Conversation, words: str, text: str, turn: int, speaker: str | None = None) -> None:
        self.said.append(Said(words, text, turn, speaker))
        del self.said[:-_MOST_SAID]
        self.add_people(rules, text)

    def of(self, speaker: str | None) -> Context:
        """The same with what one speaker said, as far as it is known who spoke: nobody corrects for another."""
        mine = [one for one in self.said if speaker is None or one.speaker in (None, speaker)]
        return self if len(mine) == len(self.said) else replace(self, said=mine)

    def mention(self, rules: Conversation, text: str) -> bool:
        """Note the person of the speaker's that a text speaks of, whatever becomes of it: "she" may be her."""
        folded = rules.fold(text)
        found = rules.own_person.search(folded)
        if found is None:
            return False
        name = rules.own_name(folded, text)
        relation = text[slice(*group_span(found, "whole"))]
        relation = relation[:1].lower() + relation[1:]
        gender = rules.gender(found.group("relation"))
        self.people.append(Somebody(rules.join(relation, name) if name else relation, gender))
        return True

    def add_people(self, rules: Conversation, text: str) -> None:
        """Note whom and what a statement is about."""
        folded = rules.fold(text)
        names = _ASCII_NAMES_INSIDE if text.isascii() else _NAMES_INSIDE
        self.names.update(map(rules.fold, names.findall(text)))
        if not self.mention(rules, text):
            first = _NAME_FIRST.match(text)
            is_name = first is not None and first.group(1).lower() not in rules.not_names
            if name := rules.named(folded, text) or (first.group(1) if is_name else None):
                self.people.append(Somebody(name, ""))
        del self.people[:-_MOST_PEOPLE]
        if (found := rules.own_thing.match(folded)) and rules.own_person.match(folded) is None:
            self.thing = text[: group_span(found, "subject")[1]]


_NAMES_INSIDE: Any = re2.compile(r"[\pL\d,] (\p{Lu}[\pL-]+)")
_ASCII_NAMES_INSIDE = re.compile(r"[A-Za-z0-9,] ([A-Z][A-Za-z-]+)")  # the same for ASCII, and ten times as fast
_NAME_FIRST: Any = re2.compile(r"(\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)(?:['’]s)? \p{Ll}")
