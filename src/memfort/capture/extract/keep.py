"""Decide whether a clause is worth keeping, and of which type it is, or why it is not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.clauses import Clause
from memfort.capture.extract.rules import Conversation, Found

# Why a clause leaves no statement, by the section whose form fits it; the first decides.
_NO_STATEMENT = (
    ("small_talk", "small_talk"),
    ("jokes", "joke"),
    ("jokes_anywhere", "joke"),
    ("role_play", "role_play"),
    ("hypotheticals_anywhere", "hypothetical"),
)
_STRONGER_THAN_KEEPING = (
    ("hypotheticals", "hypothetical"),
    ("quotations", "quotation"),
    ("question_beginnings", "question"),
    ("empty_objects", "small_talk"),
    ("talk", "small_talk"),
    ("passing_states", "passing_state"),
    ("passing_subjects", "small_talk"),
)
_SURE, _LIKELY, _PERHAPS = 0.9, 0.75, 0.6
_FEWEST_LETTERS = 4
_FEWEST_WORDS = 3
_FEWEST_NOTED = 2  # content words of a note beside its day
_WORDS_THAT_SAY_ENOUGH = 6


class Verdict(Struct, frozen=True):
    keeps: bool
    reason: str
    confidence: float = 0.0


def decide(rules: Conversation, clause: Clause, found: Found, names: Collection[str]) -> Verdict:
    """Whether a clause that neither asks nor instructs is worth keeping. `found` is what fits it, `names` were
    said before."""
    no_statement = next((reason for section, reason in _NO_STATEMENT if section in found.sections), None)
    if no_statement or sum(map(str.isalnum, clause.folded)) < (_FEWEST_LETTERS if rules.is_spaced else 2):
        return Verdict(False, no_statement or "small_talk")
    if "standing_wishes" in found.sections:
        return Verdict(True, "standing_wish", _LIKELY)
    demoted = next((reason for section, reason in _STRONGER_THAN_KEEPING if section in found.sections), None)
    if demoted and not _is_kept_anyway(rules, clause, found, demoted):
        return Verdict(False, demoted)
    if found.types:
        return Verdict(True, f"says_{found.types[0]}", _SURE)
    if "instructions" in found.sections:
        return Verdict(False, "instruction")
    return _by_evidence(rules, clause, found, names)


def _is_kept_anyway(rules: Conversation, clause: Clause, found: Found, demoted: str) -> bool:
    """ "I'm looking for a new job" is no passing state, "I think the party is on Friday" more than talk, and "my
    favourite author" no author of a text at hand."""
    if "passing_subjects" in found.sections and "preference" in found.types:
        return True
    if demoted == "passing_state":
        return "context" in found.types
    return "talk" in found.sections and rules.names_a_day(clause.folded) and "passing_states" not in found.sections


def _by_evidence(rules: Conversation, clause: Clause, found: Found, names: Collection[str]) -> Verdict:
    """A clause whose verb no rule knows: what names a person or a day is worth keeping."""
    if rules.introduces(clause.whole_folded, clause.whole):
        return Verdict(True, "introduction", _LIKELY)
    folded = clause.whole_folded
    reason = ""
    if _size(rules, folded) >= _FEWEST_WORDS:
        if rules.names_a_day(folded) and _says_what(rules, folded, found):
            reason = "names_a_day"
        elif rules.first_person.match(folded) and _says_enough(rules, clause):
            reason = "about_the_speaker"
    if not reason and "changes" in found.sections and rules.changed.search(folded) and rules.find_value(folded):
        reason = "changed"
    if not reason and rules.addressing.search(folded):
        return Verdict(False, "small_talk")
    reason = reason or _about(rules, clause, names)
    return Verdict(True, reason, _PERHAPS) if reason else Verdict(False, "nothing_lasting")


def _says_what(rules: Conversation, folded: str, found: Found) -> bool:
    """Whether a clause that names a day says what there is then; in notes without a verb: "van due MOT 19 Oct"."""
    if rules.verb.search(folded) or "happenings" in found.sections:
        return True
    words = [word for word in rules.without_values(folded).split() if word not in rules.language.stop_words]
    return rules.is_dated(folded) and len(words) >= _FEWEST_NOTED and not rules.addressing.search(folded)


def _about(rules: Conversation, clause: Clause, names: Collection[str]) -> str:
    """Whether a clause is about somebody by name or something in particular; empty if about neither."""
    folded = clause.whole_folded
    if rules.named_subject(clause.whole, names):
        return "about_somebody"
    is_long = _size(rules, folded) > _FEWEST_WORDS and rules.verb.search(folded) is not None
    return "about_something" if is_long and (rules.definite.match(folded) or _has_name(clause.text)) else ""


def _says_enough(rules: Conversation, clause: Clause) -> bool:
    """Whether a clause of the speaker's names something, or is long enough to: not "I had pizza for lunch"."""
    size = _size(rules, clause.whole_folded)
    if size >= _WORDS_THAT_SAY_ENOUGH:
        return True
    is_specific = _has_name(clause.text) or rules.find_value(clause.folded) or rules.own.search(clause.folded)
    return size > _FEWEST_WORDS and bool(is_specific)


def _size(rules: Conversation, folded: str) -> float:
    """How many words a clause has; in a script without spaces, about so many."""
    return len(folded.split()) if rules.is_spaced else len(folded) / 2


def _has_name(text: str) -> bool:
    return _NAME_INSIDE.search(text) is not None


_NAME_INSIDE: Any = re2.compile(r"[\pL\d,] \p{Lu}\p{Ll}+")
