"""What a message says is over, by the words for it: "so much for welding", "judo's no more", "the barn flooded".

It may have been said long before and in other words, so only those words are kept here; the statement that has them is
looked for among the speaker's own.
"""

from __future__ import annotations

from typing import Any

import re2
from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.extract.rules import Conversation
from memfort.capture.extract.sentences import split_sentences
from memfort.capture.extract.updates import updates_of
from memfort.capture.extraction import Action, Proposal, Target
from memfort.language.words import is_content_word
from memfort.model.item import EventType

_LONGEST = 300  # characters; a longer message tells a story
_MOST = 2
_LIKELY = 0.75
_STATES = (Action.ADD, Action.UPDATE)
_SUPPOSED = (
    "hypotheticals",
    "hypotheticals_anywhere",
    "question_beginnings",
    "role_play",
    "instructions",
    "small_talk",
    "jokes",
    "quotations",
)


class Topic(Struct, frozen=True):
    words: str  # for what is over, or who has left
    is_person: bool
    clause: str  # that says so, verbatim
    sentence: str


def read_topics(rules: Conversation, text: str) -> list[Topic]:
    """What a message says is over, in its order."""
    updates = updates_of(rules)
    if len(text) > _LONGEST:
        return []
    found: list[Topic] = []
    for sentence in split_sentences(text):
        if sentence.is_question or sentence.kind or not rules.find(sentence.folded).sections.isdisjoint(_SUPPOSED):
            continue
        for start, end in _clauses(rules, sentence.folded):
            shown, seen = sentence.text[start:end], sentence.folded[start:end]
            for cue, is_person in ((updates.left, True), (updates.over, False)):
                if words := _words(rules, shown, seen, cue.search(seen)):
                    found.append(Topic(words, is_person, shown.strip(), sentence.text))
                    break
    return found[:_MOST]


def with_ends(rules: Conversation, text: str, turn: int, proposals: list[Proposal]) -> list[Proposal]:
    """The proposals of a message, each thing that is over with the one that stands in its place: that of the same
    clause, or else the next. Where the message leaves none, the sentence itself is one, if something is found that it
    ends."""
    if updates_of(rules).ends.search(rules.fold(text)) is None:  # as of most
        return proposals
    found = list(proposals)
    for topic in read_topics(rules, text):
        place = _place_of(topic, text, found)
        if place is None:
            if not found and not topic.is_person:
                found.append(_only_an_end(topic, turn))
        elif (target := found[place].target or Target()).words is None:
            target = replace(target, topic=topic.words, has_left=topic.is_person)
            found[place] = replace(found[place], action=Action.UPDATE, target=target)
    return found


def _place_of(topic: Topic, text: str, proposals: list[Proposal]) -> int | None:
    said = text.find(topic.clause)
    usable = [(place, text.find(one.quote)) for place, one in enumerate(proposals) if one.action in _STATES]
    same = [
        place for place, _ in usable if topic.clause in proposals[place].quote or proposals[place].quote in topic.clause
    ]
    later = [place for place, start in usable if start > said]
    return next(iter((*same, *later, *(place for place, _ in usable))), None)


def _only_an_end(topic: Topic, turn: int) -> Proposal:
    """The sentence, which names nothing but what is over."""
    words = topic.sentence.strip(" \t\n,;:-–—~*•·，；：、").rstrip(" .!。！…")
    return Proposal(
        turn=turn,
        text=words[:1].upper() + words[1:],
        quote=topic.sentence,
        event_type=EventType.CORRECTION,
        action=Action.UPDATE,
        target=Target(topic=topic.words, is_only_an_end=True),
        confidence=_LIKELY,
        reason="over",
    )


def _clauses(rules: Conversation, folded: str) -> list[tuple[int, int]]:
    updates = updates_of(rules)
    cues = [(found.start(), found.end()) for found in updates.ends.finditer(folded)]  # "so much for" gives no reason
    ends = [
        (found.start(), found.end())
        for found in updates.clause_end.finditer(folded)
        if not any(start < found.start() < end for start, end in cues)
    ]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(folded)]
    return [(start, stop) for start, stop in zip(starts, stops, strict=True) if start < stop]


def _words(rules: Conversation, text: str, folded: str, cue: Any) -> str:
    """The words for what is over; none where the clause denies that it is."""
    updates = updates_of(rules)
    if cue is None or rules.denial_at_end.search(folded[: cue.start()]) or _NOT.search(folded[: cue.start()]):
        return ""
    plain = str(updates.any_cue.sub(_blank, rules.without_values(folded)))
    if not rules.is_spaced:
        runs = _HAN.findall(str(_FUNCTION_SIGNS.sub(" ", plain)))
        return " ".join(run for run in runs if len(run) > 1 and run not in updates.no_topics)
    words = [(text[one.start() : one.end()], one.group()) for one in _WORD.finditer(plain)]
    name = rules.language.name
    kept = [shown for shown, seen in words if len(seen) > 2 and seen not in updates.no_topics]
    return " ".join(shown for shown in kept if is_content_word(rules.fold(shown), (name,)))


def _blank(found: Any) -> str:
    return " " * int(found.end() - found.start())


_NOT: Any = re2.compile(r"n't\s+(\w+\s+)?$")
_WORD: Any = re2.compile(r"[\pL\pN]+(?:-[\pL\pN]+)*")
_HAN: Any = re2.compile(r"\p{Han}+")
_FUNCTION_SIGNS: Any = re2.compile(r"[我你他她它们的了着过是在有不没也就都很把被给和跟与]")
