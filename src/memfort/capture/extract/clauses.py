"""Cut a sentence into clauses that can stand alone, and cut the fillers in front of them and behind."""

from __future__ import annotations

from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.rules import Conversation, group_span
from memfort.capture.extract.sentences import Sentence
from memfort.language.fold import fold

_EDGE = " \t\n,;:-–—~*•·\"'()，；：、¿¡"
_CAPITAL: Any = re2.compile(r"\p{Lu}")
_FEWEST_CHARS = 3
_NAME_CHARS = 60  # of a clause in which its name and its verb stand


class Clause(Struct, frozen=True):
    text: str  # verbatim, without fillers
    folded: str
    subject: str = ""  # that it shares with the clause before, with the space behind it: "I " in "… and work at Acme"
    begin: int = 0  # its place in the sentence
    end: int = 0

    @property
    def whole(self) -> str:
        return self.subject + self.text

    @property
    def whole_folded(self) -> str:
        return fold(self.subject) + self.folded


def cut_fillers(rules: Conversation, text: str, folded: str) -> tuple[str, str]:
    """A sentence without what only leads in to it or trails off."""
    start, end = 0, len(folded)
    if (found := rules.fillers.match(folded)) and found.end() < len(folded.rstrip(" .!?")):
        start = found.end()
    if (found := rules.trailing.search(folded[start:end])) and found.start() > _FEWEST_CHARS:
        end = start + found.start()
    start += len(folded[start:end]) - len(folded[start:end].lstrip(_EDGE))
    end = start + len(folded[start:end].rstrip(_EDGE))
    return text[start:end], folded[start:end]


def split_clauses(rules: Conversation, sentence: Sentence, *, at_reasons: bool = False) -> list[Clause]:
    """The clauses of a sentence. `at_reasons`: also before "because" and the like, where the rest is a question."""
    text, folded = sentence.text, sentence.folded
    pieces, start, subject = list[tuple[int, int, str]](), 0, ""
    joint: Any = rules.joint_or_reason if at_reasons else rules.joint
    place = 0
    while found := joint.search(folded, place):
        if found.end() == found.start():
            break
        place = found.end()
        goes_on = subject and rules.predicate.match(folded, place)  # "I'm divorced, vegan and diabetic"
        is_list = not goes_on and _is_list(rules, folded[start : found.start()], found.group())
        if found.start() - start < _FEWEST_CHARS or is_list:
            continue
        shared = ""
        if not (at_reasons or sentence.is_question) and rules.relative.match(folded, found.end()):
            continue
        if not _begins_clause(rules, text, folded, found.end()):
            shared = _shared_subject(rules, text[start : found.start()], subject, folded, found.end())
            if not shared:
                continue
        pieces.append((start, found.start(), subject))
        start, subject = found.end(), shared
    pieces.append((start, len(folded), subject))
    clauses = []
    for first, last, shared in pieces:
        words, seen = cut_fillers(rules, text[first:last], folded[first:last])
        if words:
            begin = first + text[first:last].index(words)
            clauses.append(Clause(words, seen, shared, begin, begin + len(words)))
    return clauses


def _begins_clause(rules: Conversation, text: str, folded: str, place: int) -> bool:
    """Whether a clause of its own begins here: with its own subject, or with a name and what people do. One that
    begins with a pronoun stays with the words that say whom it means."""
    if rules.pronoun.match(folded, place):
        return False
    if rules.clause_beginning.match(folded, place):
        return True
    return rules.is_spaced and rules.named_subject(text[place : place + _NAME_CHARS])


def _is_list(rules: Conversation, before: str, joint: str) -> bool:
    """ "Tom and I": one word and a conjunction do not end a clause."""
    return rules.is_spaced and " " not in before.strip() and not any(mark in joint for mark in ",;:-()")


def first_clause(rules: Conversation, folded: str) -> int:
    """Where the first clause of a folded text ends."""
    for found in rules.joint.finditer(folded):
        if found.start() >= _FEWEST_CHARS and rules.clause_beginning.match(folded, found.end()):
            return int(found.start())
    return len(folded)


def _shared_subject(rules: Conversation, clause: str, subject: str, folded: str, place: int) -> str:
    """The subject of a clause, if what stands at `place` goes on with it: "… and work at Acme". Never past somebody or
    something nearer that may be meant, nor where a subject follows: "… and now I report to Bram"."""
    if not rules.is_spaced:  # whose verb it is does not show in its form
        is_own = rules.own_predicate.fullmatch(fold(subject + clause.strip(_EDGE))) is not None
        return _subject(rules, clause, subject) if is_own and rules.own_shared_verb.match(folded, place) else ""
    if shared := _copula(rules, clause, subject, folded, place):
        return shared
    found = rules.own_shared_verb.match(folded, place) or rules.shared_verb_of_others.match(folded, place)
    if found is None or _has_subject(rules, folded[found.end() :]) or _names_another(rules, fold(clause)):
        return ""
    shared = _subject(rules, clause, subject)
    is_own = rules.first_person.match(fold(shared)) is not None
    verb = rules.own_shared_verb if is_own else rules.shared_verb_of_others
    return shared if verb.match(folded, place) else ""


def _copula(rules: Conversation, clause: str, subject: str, folded: str, place: int) -> str:
    """The subject and the verb of a clause that says what somebody is, if what stands at `place` says that too: "I'm "
    of "I'm vegan and allergic to nuts"."""
    if rules.predicate.match(folded, place) is None:
        return ""
    words, seen = cut_fillers(rules, clause, fold(clause))
    whole, seen = subject + words, fold(subject) + seen
    found = rules.copula.match(seen)
    if found is None or rules.predicate.match(seen, found.end()) is None:
        return ""
    names_more = rules.companion.search(seen, found.end()) or rules.own_person.search(seen, max(found.end(), 1))
    is_named = rules.language.code != "de" and _CAPITAL.search(whole[found.end() :]) is not None
    return "" if names_more or is_named else whole[: found.end()]


def _has_subject(rules: Conversation, behind: str) -> bool:
    """Whether a subject follows on the first words of a clause: "now I", "always they"."""
    rest = behind.lstrip()
    return rules.first_person.match(rest) is not None or rules.pronoun.match(rest) is not None


def _names_another(rules: Conversation, folded: str) -> bool:
    """Whether a clause names somebody behind its subject, who may be the one that the next clause is about."""
    start = 1
    if (own := rules.own_person.match(folded)) is not None:
        start = own.end()
    return rules.own_person.search(folded, start) is not None or rules.companion.search(folded, start) is not None


def _subject(rules: Conversation, clause: str, shared: str) -> str:
    """The words that name what a clause is about, if the next clause can go on with them."""
    if shared:
        return shared
    words, folded = cut_fillers(rules, clause, fold(clause))
    found = rules.subject.match(folded)
    return rules.join(words[: group_span(found, "subject")[1]], "") if found and found.group("subject") else ""
