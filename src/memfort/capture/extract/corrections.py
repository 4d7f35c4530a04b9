"""Corrections of what was said before, by the words that mark them: "actually I moved to Hamburg", "scratch that".

What a message corrects is looked for later, among all that its speaker has said; here are the words to look for. Only a
value alone ("no wait, Thursday") is put into the statement that it corrects (`composed.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.clauses import Clause, cut_fillers, first_clause
from memfort.capture.extract.composed import only_value, with_value
from memfort.capture.extract.context import Context, Said
from memfort.capture.extract.ends import says_otherwise
from memfort.capture.extract.keep import decide
from memfort.capture.extract.rules import Conversation, group_span, rules_for
from memfort.capture.extract.sentences import Sentence
from memfort.capture.extract.updates import updates_of
from memfort.capture.extraction import Action, Target
from memfort.language.words import is_content_word, split_words

_SUPPOSED = ("hypotheticals", "hypotheticals_anywhere", "question_beginnings", "role_play", "instructions")
_MARKS = " .!,。！，"


class Correction(Struct, frozen=True):
    action: Action
    text: str
    target: Target
    said: Said | None = None
    rest: str = ""  # what the sentence says besides, verbatim
    is_composed: bool = False  # of the sentence, and the statement that was said


def read_correction(
    rules: Conversation, sentence: Sentence, context: Context, speaker: str | None = None
) -> Correction | None:
    """The correction that a sentence makes, if it makes one."""
    if sentence.is_question:
        return None
    start, marked, retracts = _lead(rules, sentence.folded)
    is_sure = retracts or rules.sure_correction.search(sentence.folded[:start]) is not None
    text, folded = sentence.text[start:], sentence.folded[start:]
    if (request := rules.correction_request.match(folded)) and rules.sure_correction.search(request.group()):
        is_sure, text, folded = True, text[request.end() :], folded[request.end() :]  # "make that 3 pm"
    denial = rules.denial_at_end.search(sentence.folded[:start])  # "no", which may also begin "not X but Y"
    whole = start if denial is None else int(denial.start())
    said = context.said_by(speaker)
    if retracts and not folded.strip(_MARKS):
        return _retraction(said[-1]) if said else None
    if retracts and (about := rules.about.match(folded)):
        return Correction(Action.RETRACT, text, Target(query=text[slice(*group_span(about, "about"))]))
    return (
        (_with_value(rules, text, context, speaker) if is_sure else None)
        or _succession(rules, sentence.text[whole:], sentence.folded[whole:])
        or _contrast_of_names(rules, sentence.text[whole:], sentence.folded[whole:], context.names, marked)
        or (_marked(rules, text, folded, said, context.names) if marked else None)
        or _called_off(rules, text, folded)
    )


def gives_only_a_value(rules: Conversation, sentence: Sentence) -> bool:
    """Whether a sentence is a correction that leaves out what it is of: "no wait, it's Thursday"."""
    start, marked, _ = _lead(rules, sentence.folded)
    return marked and only_value(rules, sentence.text[start:]) is not None


def _with_value(rules: Conversation, text: str, context: Context, speaker: str | None) -> Correction | None:
    heard = context.last_heard(speaker)
    found = None if heard is None else with_value(rules, text, context.said_by(speaker), heard)
    if found is None:
        return None
    corrected, said = found
    return Correction(Action.UPDATE, corrected, Target(words=said.words, query=said.text), said, is_composed=True)


def read_change(rules: Conversation, text: str) -> Target | None:
    """What a statement may replace if its own words deny something, or say that it has changed: "The delivery got
    pushed to July"."""
    folded = rules.fold(text)
    sections = rules.find(folded).sections
    if sections.isdisjoint(("changes", "endings")) and not updates_of(rules).instead.search(folded):
        off = _called_off(rules, text, folded)
        if off is not None:
            return off.target
        return Target(query=_query_of(rules, text)) if rules.negation.search(folded) else None
    return Target(query=_query(rules, text, sections))


def takes_back(rules: Conversation, sentence: Sentence) -> bool:
    """Whether a sentence is nothing but the beginning of a correction: "No wait." """
    start, marked, _ = _lead(rules, sentence.folded)
    return marked and not sentence.folded[start:].strip(_MARKS)


def _lead(rules: Conversation, folded: str) -> tuple[int, bool, bool]:
    """Where the words begin that hold instead; whether a correction is marked; whether something is taken back."""
    start, marked, retracts = 0, False, False
    while rules.lead.match(folded, start):
        if (found := rules.retraction.match(folded, start)) and found.end() > start:
            marked = retracts = True
        elif (found := rules.correction.match(folded, start)) and found.end() > start:
            if rules.negation_at_end.search(found.group()):  # "no sugar in my coffee" denies, and corrects nothing
                break
            marked = True
        elif not (found := rules.fillers.match(folded, start)) or found.end() == start:
            break
        start = found.end()
    return start, marked, retracts


def _query(rules: Conversation, text: str, sections: Collection[str]) -> str:
    """The words that an earlier statement must have too: not those of the change, and not the new value. What has
    ended is named by its old value, which stays."""
    folded = rules.fold(text)
    if "endings" not in sections:
        folded = rules.without_values(folded)
    if (changed := rules.changed.search(folded)) is not None:  # "the doctor changed the metformin to once a day"
        start, end = group_span(changed, "thing")
        text, folded = text[start:end], folded[start:end]
    for words in (rules.change_words, updates_of(rules).instead):
        folded = str(words.sub(lambda found: " " * (found.end() - found.start()), folded))
    if not rules.is_spaced:
        return " ".join(folded.split()).strip(_MARKS)
    words = []
    for found in _WORD.finditer(folded):
        shown = text[found.start() : found.end()]
        is_new = found.start() > 0 and shown[0].isupper() and "endings" not in sections and rules.language.code != "de"
        if not is_new and is_content_word(found.group(), (rules.language.name,)):
            words.append(shown)
    return " ".join(words)


def _marked(rules: Conversation, text: str, folded: str, said: list[Said], names: Collection[str]) -> Correction | None:
    """A correction that is a statement itself: "actually I moved to Hamburg"."""
    end = first_clause(rules, folded)
    words, seen = cut_fillers(rules, text[:end], folded[:end])
    clause = Clause(words.rstrip(_MARKS), seen.rstrip(_MARKS))
    found = rules.find(clause.folded)
    if "cancelled" in found.sections:
        return _retraction_of(rules, clause.text)
    if rules.lacks_person(clause.folded) or rules.before_value.match(clause.folded):
        return None
    if not decide(rules, clause, found, names).keeps:
        return None
    meant = next((one for one in reversed(said) if says_otherwise(clause.text, one.text, is_sure=True)), None)
    target = Target(query=_query(rules, clause.text, found.sections))
    return Correction(Action.UPDATE, clause.text, target, meant, text[end:])


def _retraction(said: Said) -> Correction:
    return Correction(Action.RETRACT, said.text, Target(words=said.words, query=said.text), said)


def _retraction_of(rules: Conversation, text: str) -> Correction:
    """Of a plan that has to be looked for, by the words that say what does not take place."""
    found = rules.cancelled.search(rules.fold(text))
    words = _query_of(rules, text[: found.start()]).split() if found else []
    query = " ".join(word for word in words if rules.fold(word) not in rules.vague)
    return Correction(Action.RETRACT, text, Target(query=query or text, is_plan=True))


def _called_off(rules: Conversation, text: str, folded: str) -> Correction | None:
    """ "I've pulled out of Lisbon": a plan that does not take place, by the names or else the words for it."""
    found = rules.find(folded)
    if not rules.is_spaced or "cancelled" not in found.sections or not found.sections.isdisjoint(_SUPPOSED):
        return None
    cue = rules.cancelled.search(folded)
    if cue is None:
        return None
    beside = f"{text[: cue.start()]} {text[cue.end() :]}"
    words = [word for word in _query_of(rules, beside).split() if rules.fold(word) not in rules.vague]
    has_names = rules.language.code != "de"  # where every noun has a capital
    words = [word for word in words if not rules.find_value(rules.fold(word))]
    names = [word for word in words if has_names and word[0].isupper() and text.lstrip().find(word) > 0]
    query = names[0] if names else words[0] if words else ""
    return Correction(Action.UPDATE, text.strip(_MARKS), Target(query=query, is_plan=True)) if query else None


def _succession(rules: Conversation, text: str, folded: str) -> Correction | None:
    """ "Helen left, it's Marcus now": whoever is named in a clause that says who has gone, before one that says that
    somebody has come."""
    for joint in rules.joint.finditer(folded):
        gone, come = folded[: joint.start()], folded[joint.end() :]
        left = rules.gone.match(gone)
        if left is None or rules.come.search(come) is None:
            continue
        start, end = group_span(left, "name")
        old = text[start:end].strip(_MARKS)
        if _is_name(rules, old):
            return Correction(Action.UPDATE, text.strip(_MARKS), Target(query=old, old=old, is_person=True))
    return None


def _is_name(rules: Conversation, text: str) -> bool:
    if not text or rules.pronoun.fullmatch(rules.fold(text)) or rules.find_value(rules.fold(text)):
        return False
    return not rules.is_spaced or _NAME.fullmatch(text) is not None


def _contrast_of_names(
    rules: Conversation, text: str, folded: str, names: Collection[str], marked: bool
) -> Correction | None:
    """ "Klara no longer studies in Vienna, but in Graz": what else it says, and the old name."""
    for _, form in rules.contrast.found_in(folded):
        found = form.search(folded)
        if found is None:
            continue
        old_span, (new_start, new_end) = group_span(found, "old"), group_span(found, "new")
        spans = [old_span, (new_start, new_start + len(_first_part(text[new_start:new_end])))]
        old, new = (_last_name(rules, text, *span) for span in spans)
        if old is None or new is None or text[slice(*old)] == text[slice(*new)]:
            continue
        kept = " ".join([text[: found.start()], *(text[slice(*span)] for span in sorted(spans))])
        query = _query_of(rules, kept.replace(text[slice(*new)], " "))
        if not content_words_of(rules, query):
            continue
        clause = Clause(text.strip(_MARKS), folded.strip(_MARKS))
        if rules.lacks_person(clause.folded):
            continue
        says_more = query != text[slice(*old)] and decide(rules, clause, rules.find(clause.folded), names).keeps
        if says_more or (marked and rules.verb.search(clause.folded)):
            return Correction(Action.UPDATE, clause.text, Target(query=query, old=text[slice(*old)]))
    return None


def _first_part(value: str) -> str:
    """A value without what is said behind it: "the ABC, I was miles away"."""
    found = _CLAUSE_END.search(value)
    return value if found is None else value[: found.start()]


def _last_name(rules: Conversation, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the last name stands in a part of a text; in a script without capitals, the part itself."""
    if not rules.is_spaced:
        start = max(start, text.rfind("是", start, end) + 1)  # "专业是自动化"
        return (start, end) if text[start:end].strip(_MARKS) else None
    found = _last(_NAME.finditer(text[start:end]))
    if (
        found is None
        or rules.find_value(rules.fold(found.group()))
        or found.end() < len(text[start:end].rstrip(_MARKS))
    ):
        return None
    return start + found.start(), start + found.end()


def _query_of(rules: Conversation, text: str) -> str:
    """The content words of a text, without those that say that something has changed."""
    if not rules.is_spaced:
        return text.strip(_MARKS)
    change = {word for found in rules.change_words.finditer(rules.fold(text)) for word in found.group().split()}
    name = rules.language.name
    words = ((word, rules.fold(word)) for word in _WORD.findall(text))
    return " ".join(word for word, seen in words if seen not in change and is_content_word(seen, (name,)))


def says_who(statement: str, name: str) -> bool:
    """Whether a statement says who somebody is to the speaker: "My manager is Helen", not "I met Helen"."""
    rules = rules_for(statement)
    return bool(name) and rules.says_named(rules.fold(statement), name)


def _last(found: Iterable[Any]) -> Any:
    """The match that ends last, of those the longest."""
    return max(found, key=lambda one: (one.end(), -one.start()), default=None)


def content_words_of(rules: Conversation, text: str) -> frozenset[str]:
    """What a text says, by its content words; in a script without spaces, by pairs of characters."""
    name = rules.language.name
    if not rules.is_spaced:
        seen = [character for character in text if character.isalpha() and character not in rules.language.stop_words]
        return frozenset(one + other for one, other in pairwise(seen))
    return frozenset(word for word in split_words(text) if len(word) > 2 and is_content_word(word, (name,)))


_CLAUSE_END: Any = re2.compile(r"[,;] |[，；。]|\. ")
_WORD: Any = re2.compile(r"[\pL\pN]+(?:-[\pL\pN]+)*")
_NAME: Any = re2.compile(r"\p{Lu}[\pL'’-]+\.?(?: \p{Lu}[\pL'’-]+)*")
