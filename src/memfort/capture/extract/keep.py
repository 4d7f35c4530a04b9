"""Decide whether a clause is worth keeping, and of which type it is, or why it is not."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.clauses import Clause
from memfort.capture.extract.rules import Conversation, Found
from memfort.language.sensitivity import judge_words

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
_ENOUGH_SUBSTANCE = 5
_FEWEST_WORDS_OF_A_STATEMENT = 2
_FEWEST_SIGNS = 2  # in a script without spaces
_MOST_CONTENT = 4  # content words that count
_PRIVATE = 2  # points for what is private


class Verdict(Struct, frozen=True):
    keeps: bool
    reason: str
    confidence: float = 0.0
    is_open: bool = False  # no rule speaks against it: what it is said with decides


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
    if "passing_subjects" in found.sections and ("preference" in found.types or rules.is_dated(clause.folded)):
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
        elif _is_own(rules, clause) and _says_enough(rules, clause):
            reason = "about_the_speaker"
    if not reason and "changes" in found.sections and rules.changed.search(folded) and rules.find_value(folded):
        reason = "changed"
    if not reason and rules.addressing.search(folded):
        return Verdict(False, "small_talk", is_open=True)
    reason = reason or _about(rules, clause, names)
    return Verdict(True, reason, _PERHAPS) if reason else Verdict(False, "nothing_lasting", is_open=True)


def _is_own(rules: Conversation, clause: Clause) -> bool:
    return bool(rules.first_person.match(clause.whole_folded)) or rules.leaves_out_speaker(clause.whole)


def says_whole(rules: Conversation, statement: str) -> bool:
    """Whether a statement has a predicate, or is a wish: "Always" and "two red apples" say nothing alone."""
    folded = rules.fold(statement)
    found = rules.find(folded)
    if not rules.is_spaced:
        return len(folded) > _FEWEST_SIGNS
    if len(folded.split()) < _FEWEST_WORDS_OF_A_STATEMENT:
        return False
    if found.types or "standing_wishes" in found.sections or rules.subject_word.search(folded):
        return True
    if rules.constraint.match(folded) or rules.leaves_out_speaker(statement) or rules.left_out(folded):
        return True
    verb = rules.verb.search(folded)
    while verb is not None and verb.end() >= len(folded.rstrip(" .!")) and verb.start() > 0:
        verb = rules.verb.search(folded, verb.end())  # "cricket and old films"
    return verb is not None


def judge_by_substance(rules: Conversation, text: str, names: Collection[str]) -> Verdict:
    """A stretch of words that neither asks nor instructs, and of whose verbs no rule knows one: what says much that can
    be looked up later is kept, whatever its verb."""
    points = _substance(rules, text, names)
    if points < _ENOUGH_SUBSTANCE <= points + _PRIVATE:  # only then it matters, and it costs most
        points += _PRIVATE * _is_private(text)
    if points >= _ENOUGH_SUBSTANCE:
        return Verdict(True, "substance", _PERHAPS)
    return Verdict(False, "nothing_lasting")


def _substance(rules: Conversation, text: str, names: Collection[str]) -> int:
    """How much a text says: a point each for its content words, a name, a number, a day, a person of the speaker's, the
    speaker, a verb; two for what looks like a code. Talk with the assistant counts less."""
    folded = rules.fold(text)
    content = content_words(rules, folded)
    points = min(len(content), _MOST_CONTENT)
    points += _is_named(rules, text, names) + bool(rules.find_value(folded)) + bool(rules.names_a_day(folded))
    points += bool(rules.own_person.search(folded))
    points += bool(rules.speaker.search(folded)) or rules.leaves_out_speaker(text)
    points += bool(rules.verb.search(folded)) + 2 * bool(_CODE.search(text))
    return points - 3 * bool(rules.addressing.search(folded))


def content_words(rules: Conversation, folded: str) -> list[str]:
    """The words of a text but stop words, days and numbers; in a script without spaces, stretches of two signs."""
    rest = rules.without_values(folded)
    if not rules.is_spaced:
        signs = "".join(sign for sign in rest if sign.isalnum() and sign not in rules.language.stop_words)
        return [signs[place : place + 2] for place in range(0, len(signs) - 1, 2)]
    return [word for word in _words(rest) if word not in rules.language.stop_words]


def _is_named(rules: Conversation, text: str, names: Collection[str]) -> bool:
    """Whether it has a name in it. In German every noun has a capital."""
    if rules.language.code != "de" and _has_name(text):
        return True
    return bool(names) and not set(_words(rules.fold(text))).isdisjoint(names)


def _is_private(text: str) -> bool:
    """Whether the lexicons know it for something private: an illness, a debt, a faith."""
    return judge_words(text).category is not None


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
# "B-17", "KX19", "07700 900461", "88213"
_CODE: Any = re2.compile(r"\b(?:\pL+[-.]?\d[\pL\d-]*|\d+[-.]?\p{Lu}[\pL\d-]*|\d[\d -]{5,}\d|[03-9]\d{3,}|\d{5,})\b")
_WORDS: Any = re2.compile(r"[\pL\d]{2,}(?:['-][\pL\d]+)*")
_ASCII_WORDS = re.compile(r"[A-Za-z0-9]{2,}(?:['-][A-Za-z0-9]+)*")


def _words(text: str) -> list[str]:
    """The words of a text. `re` finds them in a tenth of the time, but knows no class of letters beyond ASCII."""
    return (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)
