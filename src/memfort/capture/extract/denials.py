"""Denials: "I do not have a sister" ends what was said of one, now or long before."""

from __future__ import annotations

from memfort.capture.extract.context import Context, Said
from memfort.capture.extract.keep import content_words
from memfort.capture.extract.rules import Conversation, group_span, rules_for
from memfort.capture.extract.sentences import Sentence
from memfort.capture.extraction import Target
from memfort.language.people_words import folded_relation_words

_SUPPOSED = ("hypotheticals", "hypotheticals_anywhere", "role_play")
_MOST_WORDS = 4  # of what is denied: more than that says something else


def read_denial(rules: Conversation, sentence: Sentence, context: Context) -> Said | None:
    """The last statement of this conversation that a sentence denies: one that speaks of what there is none of."""
    found = rules.denied.search(sentence.folded)
    if found is None or sentence.is_question:
        return None
    start, end = group_span(found, "what")
    denied = content_words(rules, sentence.folded[start:end])
    if not denied or len(denied) > _MOST_WORDS:
        return None
    return next((one for one in reversed(context.said) if _says(rules, one, sentence.folded[start:end].strip())), None)


def read_denied_person(rules: Conversation, sentence: Sentence) -> Target | None:
    """Somebody of whom the speaker says that there is no such person: "I do not have a sister", and no more."""
    found = rules.denied.search(sentence.folded)
    if found is None or sentence.is_question or not rules.find(sentence.folded).sections.isdisjoint(_SUPPOSED):
        return None
    start, end = group_span(found, "what")
    what = sentence.folded[start:end].strip()
    return Target(query=what, is_denied=True) if what in folded_relation_words() else None


def is_about_own(statement: str, relation: str) -> bool:
    """Whether a statement is about somebody who is this to the speaker: "my sister's a vet", not "Ana's sister"."""
    rules = rules_for(statement)
    found = rules.own_person.search(rules.fold(statement))
    return found is not None and relation in str(found.group("relation"))


def _says(rules: Conversation, said: Said, what: str) -> bool:
    """Whether a statement says that there is one: "I have a sister", "my sister lives in Porto"."""
    folded = rules.fold(said.text)
    if rules.denied.search(folded) or not rules.speaker.search(folded):
        return False
    if not rules.is_spaced:
        return what in folded
    words = content_words(rules, folded)
    return all(word in words for word in content_words(rules, what))
