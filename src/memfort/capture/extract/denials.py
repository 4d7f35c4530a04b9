"""Denials: "I do not have a sister" ends what was said of one, now or long before."""

from __future__ import annotations

from memfort.capture.extract.rules import Conversation, group_span, rules_for
from memfort.capture.extract.sentences import Sentence
from memfort.capture.extraction import Target
from memfort.language.fold import fold
from memfort.language.people_words import folded_relation_words

_SUPPOSED = ("hypotheticals", "hypotheticals_anywhere", "role_play")
_FIRST = 5  # words in which a statement says that there is somebody


def read_denied_person(rules: Conversation, sentence: Sentence) -> Target | None:
    """Somebody of whom the speaker says that there is no such person: "I do not have a sister", and no more."""
    found = rules.denied.search(sentence.folded)
    if found is None or sentence.is_question or not rules.find(sentence.folded).sections.isdisjoint(_SUPPOSED):
        return None
    start, end = group_span(found, "what")
    what = sentence.text[start:end].strip()
    is_relation = fold(what.replace("œ", "oe")) in folded_relation_words()
    return Target(query=what, is_denied=True) if is_relation else None


def is_about_own(statement: str, relation: str) -> bool:
    """Whether a statement is about somebody who is this to the speaker: "my sister's a vet", "I have a sister"; not
    "Ana's sister"."""
    rules = rules_for(statement)
    folded, relation = rules.fold(statement), rules.fold(relation)
    if rules.denied.search(folded):
        return False
    found = rules.own_person.search(folded)
    if found is not None and relation in str(found.group("relation")):
        return True
    has_somebody = rules.first_person.match(folded) is not None and "relationship" in rules.find(folded).types
    return has_somebody and relation in " ".join(folded.split()[:_FIRST])
