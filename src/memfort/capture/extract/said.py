"""The last check of the rules: what they propose was said. A statement is an unbroken stretch of one turn, with the
subject in front that it shares with the clause before it; or it is one of the three that rest on two turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfort.capture.extract.composed import confirmed
from memfort.capture.extract.rules import rules_for
from memfort.capture.extract.values import find_values
from memfort.capture.extraction import Action, OtherTurn, Proposal, SpokenTurn
from memfort.language.fold import fold
from memfort.model.occurred import ComposedBy

_STATES = (Action.ADD, Action.UPDATE)


def is_said(proposal: Proposal, turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn] = ()) -> bool:
    """Whether nothing in a proposed statement was invented."""
    if proposal.action not in _STATES:
        return True  # it is not kept
    text = _turn(proposal.turn, turns, before).text
    if proposal.composed is None:
        return _is_stretch(proposal.text, proposal.subject, text)
    other = _turn(proposal.composed.turn, turns, before).text
    return proposal.quote in text and _is_composed(proposal, proposal.composed, other)


def _turn(place: int, turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn]) -> SpokenTurn:
    return turns[place] if place >= 0 else before[place]


def _is_stretch(statement: str, subject: str, text: str) -> bool:
    seen, said = fold(text), fold(statement)
    shared = fold(subject)
    rest = said.removeprefix(shared) if shared else said
    place = seen.find(rest)
    if not rest or place < 0 or rules_for(text).negation_at_end.search(seen[:place]):
        return False  # "no sugar in my coffee" does not say "sugar in my coffee"
    return not shared or 0 <= seen.find(shared.strip()) < place


def _is_composed(proposal: Proposal, other: OtherTurn, text: str) -> bool:
    if other.words not in text:
        return False
    match other.way:
        case ComposedBy.ANSWER:
            return _same(proposal.text, f"{other.words} {proposal.quote}")
        case ComposedBy.YES:
            turned = confirmed(rules_for(other.words), other.words) or confirmed(rules_for(proposal.text), other.words)
            return turned is not None and _same(proposal.text, turned)
        case ComposedBy.CORRECTION:
            return _has_another_value(fold(proposal.text), fold(other.words), fold(proposal.quote))


def _same(one: str, other: str) -> bool:
    return fold(one).rstrip(_ENDS) == fold(other).rstrip(_ENDS)


def _has_another_value(statement: str, corrected: str, correction: str) -> bool:
    """Whether a statement has the words of the one that it corrects, but for one value, which the correction gives."""
    return any(
        statement[: one.start] in corrected
        and statement[one.end :] in corrected
        and one.seen.split()[0].rstrip(_LETTERS) in correction
        for one in find_values(rules_for(statement), statement)
    )


_ENDS = " .!。！…"
_LETTERS = "abcdefghijklmnopqrstuvwxyz%€$£"  # of a unit
