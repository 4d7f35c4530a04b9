"""Whether a newer statement ends an older one, by their words alone. In doubt it does not: both stay.

Only a statement that claims one thing can end. It ends where the newer one denies just that ("I'm vegetarian", "I'm not
vegetarian anymore"), or says the same with another value.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import re2

from memfort.capture.extract.rules import Conversation, rules_for
from memfort.capture.extract.sentences import split_sentences
from memfort.capture.extract.updates import updates_of
from memfort.capture.extract.values import find_values
from memfort.language.detect import stem
from memfort.language.slots import find_clauses
from memfort.language.words import is_content_word, split_words


def is_compound(statement: str) -> bool:
    """Whether a statement may claim more than one thing: it has several clauses, a list, or somebody beside whom it is
    about: "I live in Hamburg with my wife Anna"."""
    rules = rules_for(statement)
    text = statement.strip(_MARKS)
    folded = rules.fold(text)
    if len(split_sentences(text)) > 1 or _BREAK.search(text):
        return True
    if rules.companion.search(folded) or rules.joint.search(folded):
        return True
    person = rules.own_person.search(folded)
    return person is not None and person.start() > 0 and rules.first_person.match(folded) is not None


def is_denial(statement: str) -> bool:
    rules = rules_for(statement)
    return rules.negation.search(rules.fold(statement)) is not None


def denies(newer: str, older: str) -> bool:
    """Whether a statement denies all that an older one says, and nothing else: "I'm not allergic to nuts" of "I am
    allergic to nuts"."""
    rules = rules_for(newer)
    said = rules.fold(newer)
    known = rules.fold(older)
    if rules_for(older, (newer,)) is not rules or rules.negation.search(known) or not rules.negation.search(said):
        return False
    plain = str(rules.beside_negation.sub(" ", str(rules.negation.sub(" ", said))))
    words = _words(rules, known)
    return bool(words) and words == _words(rules, plain) and _is_own(rules, plain) == _is_own(rules, known)


def says_otherwise(newer: str, older: str, *, is_sure: bool) -> bool:
    """Whether a statement says the same as an older one with another value. `is_sure`: it was said to put something
    right, so that a name alone may be the value."""
    if _of_slots(newer, older):
        return True
    rules = rules_for(newer)
    said, known = rules.fold(newer), rules.fold(older)
    if rules_for(older, (newer,)) is not rules or updates_of(rules).adding.search(said):
        return False
    before, now = find_values(rules, known), find_values(rules, said)
    gone = [one for one in before if all(one.seen != other.seen for other in now)]
    come = [one for one in now if all(one.seen != other.seen for other in before)]
    if len(gone) == len(come) == 1 and come[0].is_like(gone[0]):
        return _same_words(rules, rules.without_values(said), rules.without_values(known))
    return is_sure and not gone and not come and _with_another_name(rules, newer, older)


def says_no_more(statement: str, words: str) -> bool:
    """Whether a statement says no more than these words."""
    rules = rules_for(statement)
    said = _words(rules, rules.fold(statement))
    return bool(said) and said <= _words(rules, rules.fold(words))


def _of_slots(newer: str, older: str) -> bool:
    """Whether both fill the same attribute that has one value at a time, and the newer one says that it has changed."""
    known = find_clauses(older.rstrip(" .!"))
    if len(known) != 1 or (old := known[0].slot) is None:
        return False
    stated = (one.slot for one in find_clauses(newer.rstrip(" .!")))
    return any(new is not None and new.replaces(old) for new in stated)


def _with_another_name(rules: Conversation, newer: str, older: str) -> bool:
    """Whether one name is another. In German every noun has a capital."""
    if not rules.is_spaced or rules.language.code == "de":
        return False
    before, now = _NAME.findall(older), _NAME.findall(newer)
    gone, come = [one for one in before if one not in now], [one for one in now if one not in before]
    if len(gone) != 1 or len(come) != 1:
        return False
    rest = [text.replace(name, " ") for text, name in ((newer, come[0]), (older, gone[0]))]
    return _same_words(rules, *map(rules.fold, rest))


def _same_words(rules: Conversation, newer: str, older: str) -> bool:
    """Whether two texts have the same words, but for those that say that something has changed."""
    plain = str(updates_of(rules).any_cue.sub(" ", str(rules.change_words.sub(" ", newer))))
    known = _words(rules, older)
    return bool(known) and known == _words(rules, plain) and _is_own(rules, newer) == _is_own(rules, older)


def _is_own(rules: Conversation, folded: str) -> bool:
    return rules.speaker.search(folded) is not None


def _words(rules: Conversation, folded: str) -> frozenset[str]:
    """The stems of all words but stop words; in a script without spaces, the pairs of signs."""
    if not rules.is_spaced:
        signs = [sign for sign in folded if sign.isalnum() and sign not in rules.language.stop_words]
        return frozenset(one + other for one, other in pairwise(signs))
    name = rules.language.name
    words = split_words(str(rules.being.sub(" ", folded)))
    return frozenset(stem(word, name) for word in words if is_content_word(word, (name,)))


_MARKS = " .!,;:。！，；"
_BREAK: Any = re2.compile(r"[,;，；、：()&/]|: | - |[–—]")
_NAME: Any = re2.compile(r"[\pL\d,] (\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+)*)")
