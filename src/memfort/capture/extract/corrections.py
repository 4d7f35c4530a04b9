"""Corrections of what was said before, whole ("actually I moved to Hamburg") and elliptic ("no wait, Thursday").

An elliptic correction gives only the value. The statement is then the last earlier one that has a value of the same
kind, with the new value in the place of the old.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.clauses import Clause, cut_fillers, first_clause
from memfort.capture.extract.context import Context, Said
from memfort.capture.extract.keep import decide
from memfort.capture.extract.rules import Conversation, group_span, rules_for
from memfort.capture.extract.sentences import Sentence
from memfort.capture.extract.updates import updates_of
from memfort.capture.extraction import Action, Target
from memfort.language.slots import find_slot
from memfort.language.words import is_content_word, split_words

_MOST_WORDS_OF_A_VALUE = 6
_SOMETHING_ELSE = ("small_talk", "instructions", "talk", "passing_states", "forget_requests")
_SUPPOSED = ("hypotheticals", "hypotheticals_anywhere", "question_beginnings", "role_play", "instructions")
_NEAR = 2  # statements back to which a value of an unknown kind may belong
_LONGEST_NAME = 24  # characters
_SMALL_PART = 0.25  # of what a statement says
_MARKS = " .!,。！，"


class Correction(Struct, frozen=True):
    action: Action
    text: str
    target: Target
    said: Said | None = None
    rest: str = ""  # what the sentence says besides, verbatim


def read_correction(rules: Conversation, sentence: Sentence, context: Context) -> Correction | None:
    """The correction that a sentence makes, if it makes one."""
    if sentence.is_question:
        return None
    start, marked, retracts = _lead(rules, sentence.folded)
    is_sure = retracts or rules.sure_correction.search(sentence.folded[:start]) is not None
    text, folded = sentence.text[start:], sentence.folded[start:]
    denial = rules.denial_at_end.search(sentence.folded[:start])  # "no", which may also begin "not X but Y"
    whole = start if denial is None else int(denial.start())
    if not context.said:
        return (
            _at_a_distance(rules, sentence, whole, context, marked)
            or (_change(rules, text, folded, context.names) if marked else None)
            or _called_off(rules, text, folded)
        )
    if not folded.strip(_MARKS):
        return _retraction(context.said[-1]) if retracts else None
    if retracts and (about := rules.about.match(folded)):
        said = similar(rules, text[slice(*group_span(about, "about"))], context, ())
        return _retraction(said) if said else None
    correction = _contrast(rules, text, folded, context)
    if correction is None and denial is not None:
        correction = _contrast(rules, sentence.text[whole:], sentence.folded[whole:], context)
    if correction is None and (request := rules.correction_request.match(folded)):
        correction = _elliptic(rules, text[request.end() :], folded[request.end() :], context)
    if correction is None:
        named = _contrast_of_names(rules, sentence.text[whole:], sentence.folded[whole:], context, marked)
        correction = named if named is not None and named.said is not None else None
    if correction is None:
        correction = (
            _marked(rules, text, folded, context, is_sure) if marked else _unmarked(rules, text, folded, context)
        )
    if correction is None or correction.said is None:
        correction = _at_a_distance(rules, sentence, whole, context, marked) or correction
    return correction or _called_off(rules, text, folded)


def read_change(rules: Conversation, text: str, context: Context) -> Target | None:
    """What a statement replaces if its own words say that something has changed: "The delivery got pushed to July"."""
    folded = rules.fold(text)
    sections = rules.find(folded).sections
    is_change = not sections.isdisjoint(("changes", "endings"))
    if not is_change and not (context.said and updates_of(rules).instead.search(folded)):
        off = _called_off(rules, text, rules.fold(text))
        return None if off is None else off.target
    said = same_thing(rules, text, context, sections)
    if said is None and not is_change:
        return None
    query, new = _query(rules, text, sections), _changed_to(rules, text)
    if said is None:
        return Target(query=query, new=new)
    return Target(words=said.words, query=query if new else said.text, new=new)


def _changed_to(rules: Conversation, text: str) -> str:
    """The value in "the target was changed to 7 million"; nothing if it says more, or no value."""
    folded = rules.fold(text)
    found = rules.changed.search(folded)
    start = len(folded) if found is None else found.end()
    tail = rules.after_value.search(folded, start)
    end = tail.start() if tail is not None else len(folded)
    seen = folded[start:end].strip(_MARKS)
    is_value = any(form.fullmatch(seen) for _, form in rules.values)
    return text[start:end].strip(_MARKS) if seen and is_value else ""


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
            marked = True
        elif not (found := rules.fillers.match(folded, start)) or found.end() == start:
            break
        start = found.end()
    return start, marked, retracts


def _change(rules: Conversation, text: str, folded: str, names: Collection[str]) -> Correction | None:
    """A change of what nobody said in these turns: it has to be looked for."""
    clause = Clause(text.rstrip(_MARKS), folded.rstrip(_MARKS))
    found = rules.find(clause.folded)
    is_change = bool(found.sections & {"changes", "endings"}) and decide(rules, clause, found, names).keeps
    if "cancelled" in found.sections and rules.definite.match(clause.folded):
        return _retraction_of(rules, clause.text)
    query = _query(rules, clause.text, found.sections)
    return Correction(Action.UPDATE, clause.text, Target(query=query)) if is_change else None


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


def _marked(rules: Conversation, text: str, folded: str, context: Context, is_sure: bool) -> Correction | None:
    names = context.names
    end = first_clause(rules, folded)
    words, seen = cut_fillers(rules, text[:end], folded[:end])
    clause = Clause(words.rstrip(_MARKS), seen.rstrip(_MARKS))
    found = rules.find(clause.folded)
    found_by = similar if is_sure else same_thing
    said = found_by(rules, clause.text, context, found.sections)
    if said is not None and found.sections & {"denials", "cancelled"}:
        return _retraction(said, text[end:])
    if not rules.before_value.match(clause.folded) and decide(rules, clause, found, names).keeps:
        if said is not None:
            return Correction(Action.UPDATE, clause.text, Target(words=said.words, query=said.text), said, text[end:])
        return _change(rules, clause.text, clause.folded, names)
    correction = _elliptic(rules, text, folded, context)
    if correction is None and "cancelled" in found.sections:
        is_about_it = rules.pronoun.match(clause.folded) or not rules.definite.match(clause.folded)
        correction = _retraction(context.said[-1]) if is_about_it else _retraction_of(rules, clause.text)
    return correction or (_of_unknown_kind(rules, clause, context) if is_sure else None)


def _unmarked(rules: Conversation, text: str, folded: str, context: Context) -> Correction | None:
    """ "She left, it's Daniel now": a value with the word that says it is another one."""
    for start in (0, *(found.end() for found in rules.joint.finditer(folded))):
        rest = folded[start:]
        if request := rules.correction_request.match(rest):
            place = start + request.end()
            if correction := _elliptic(rules, text[place:], folded[place:], context, text[:start]):
                return correction
        lead = rules.before_value.match(rest)
        value_start = lead.end() if lead else 0
        tail = rules.change_tail.search(rest, value_start)
        if tail is None and (name := _name_behind(rules, text[:start], text[start:], rest)):  # "jetzt ist es Daniel"
            return _elliptic(rules, name, rules.fold(name), context, text[:start])
        if tail is None:
            continue
        value = rest[value_start : tail.start()].strip(_MARKS)
        is_value = any(form.fullmatch(value) for kind, form in rules.values if value_start or kind != "number")
        is_name = bool(value_start) and len(value.split()) <= _MOST_WORDS_OF_A_VALUE // 2
        if value and (is_value or is_name):
            end = start + tail.start()
            if correction := _elliptic(rules, text[start:end], folded[start:end], context, text[:start]):
                return correction
    return None


def _retraction(said: Said, rest: str = "") -> Correction:
    return Correction(Action.RETRACT, said.text, Target(words=said.words, query=said.text), said, rest)


def _retraction_of(rules: Conversation, text: str) -> Correction:
    """Of what nobody said in these turns: it has to be looked for, by the words that say what does not take place."""
    found = rules.cancelled.search(rules.fold(text))
    words = _query_of(rules, text[: found.start()]).split() if found else []
    query = " ".join(word for word in words if rules.fold(word) not in rules.vague)
    return Correction(Action.RETRACT, text, Target(query=query or text))


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


def _contrast(rules: Conversation, text: str, folded: str, context: Context) -> Correction | None:
    """ "Not X but Y"."""
    for _, form in rules.contrast.found_in(folded):
        found = form.match(folded)
        if found is None:
            continue
        old, new = (text[slice(*group_span(found, name))].strip(_MARKS) for name in ("old", "new"))
        old, new = _bare(rules, old), _bare(rules, _first_part(new))
        if "cancelled" in rules.find(rules.fold(new)).sections:
            said = similar(rules, old, context, ())
            return _retraction(said) if said else None
        for said in reversed(context.said) if content_words_of(rules, old) or rules.find_value(rules.fold(old)) else ():
            place = _find_word(rules, rules.fold(said.text), rules.fold(old))
            if place >= 0:
                corrected = said.text[:place] + new + said.text[place + len(old) :]
                return Correction(Action.UPDATE, corrected, Target(words=said.words, query=said.text), said)
    return None


def _first_part(value: str) -> str:
    """A value without what is said behind it: "the ABC, I was miles away"."""
    found = _CLAUSE_END.search(value)
    return value if found is None else value[: found.start()]


def _find_word(rules: Conversation, folded: str, word: str) -> int:
    """Where a word stands in a text, and not inside another; -1 if it does not."""
    border = r"\b" if rules.is_spaced else ""
    found = re2.search(f"{border}{re2.escape(word)}{border}", folded)
    return -1 if found is None else int(found.start())


def _at_a_distance(
    rules: Conversation, sentence: Sentence, start: int, context: Context, marked: bool
) -> Correction | None:
    """A correction that itself names the old value, or what it is of: that may have been said in these turns, or long
    before."""
    text, folded = sentence.text[start:], sentence.folded[start:]
    return (
        _succession(rules, text, folded)
        or _contrast_of_names(rules, text, folded, context, marked)
        or _wrong_amount(rules, text, folded)
    )


def _succession(rules: Conversation, text: str, folded: str) -> Correction | None:
    """ "Helen left, it's Marcus now": whoever is named in a clause that says who has gone, and in one that says who has
    come."""
    for joint in rules.joint.finditer(folded):
        gone, come = folded[: joint.start()], folded[joint.end() :]
        left = rules.gone.match(gone)
        if left is None or rules.come.search(come) is None:
            continue
        start, end = group_span(left, "name")
        old = text[start:end].strip(_MARKS)
        if not _is_name(rules, old):
            continue
        new = _name_alone(rules, text[joint.end() :], come)
        return Correction(Action.UPDATE, text.strip(_MARKS), Target(query=old, old=old, new=new, is_person=True))
    return None


def _name_alone(rules: Conversation, text: str, folded: str) -> str:
    """The name in "it's Marcus now", if it says no more than that; else nothing."""
    lead, tail = rules.before_value.match(folded), rules.change_tail.search(folded)
    if lead is None or tail is None or tail.start() <= lead.end():
        return ""
    name = text[lead.end() : tail.start()].strip(_MARKS)
    return name if _is_name(rules, name) and len(name.split()) <= _MOST_WORDS_OF_A_VALUE // 2 else ""


def _name_behind(rules: Conversation, before: str, text: str, folded: str) -> str:
    """The name that a clause gives behind the word for who has come, after one that says that somebody has gone."""
    if rules.come.match(folded) is None or updates_of(rules).left.search(rules.fold(before)) is None:
        return ""
    start, lead = 0, rules.came_in_front.match(folded)
    if lead is not None:
        start = lead.end()
    name = text[start:].strip(_MARKS)
    if len(name) > _LONGEST_NAME or not _is_name(rules, name):
        return ""
    return name


def name_in_front(rules: Conversation, text: str) -> str:
    """The name that a clause gives first: "it's Professor Adeyemi looking after me"; nothing if it gives none."""
    lead = rules.before_value.match(rules.fold(text))
    found = None if lead is None else _NAME.match(text, lead.end())
    return str(found.group()) if found is not None and _is_name(rules, found.group()) else ""


def _is_name(rules: Conversation, text: str) -> bool:
    if not text or rules.pronoun.fullmatch(rules.fold(text)) or rules.find_value(rules.fold(text)):
        return False
    return not rules.is_spaced or _NAME.fullmatch(text) is not None


def _contrast_of_names(
    rules: Conversation, text: str, folded: str, context: Context, marked: bool
) -> Correction | None:
    """ "Klara no longer studies in Vienna, but in Graz": the old name, the new one, and what else it says."""
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
        if not rules.is_spaced and updates_of(rules).wrong.search(folded):  # "听错了，专业是自动化，不是焊接"
            kept = text[slice(*old)]
        shown = text[slice(*new)]
        query = _query_of(rules, kept.replace(shown, " "))
        words = content_words_of(rules, query)
        if not words:
            continue
        target = Target(query=query, old=text[slice(*old)], new=shown)
        for said in reversed(context.said):
            corrected = with_new_value(said.text, target) if words <= content_words_of(rules, said.text) else None
            if corrected is not None:
                return Correction(Action.UPDATE, corrected, Target(words=said.words, query=said.text), said)
        clause = Clause(text.strip(_MARKS), folded.strip(_MARKS))
        says_more = query != target.old and decide(rules, clause, rules.find(clause.folded), context.names).keeps
        if marked or says_more:
            return Correction(Action.UPDATE, clause.text, target)
    return None


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


def _wrong_amount(rules: Conversation, text: str, folded: str) -> Correction | None:
    """ "What I said about the rent was wrong, it's 950 euros": what it is of, and an amount."""
    for joint in rules.joint.finditer(folded):
        wrong, value = folded[: joint.start()], folded[joint.end() :]
        about = rules.wrong.search(wrong)
        lead = rules.before_value.match(value)
        if about is None or lead is None:
            continue
        new, seen = text[joint.end() + lead.end() :].strip(_MARKS), value[lead.end() :].strip(_MARKS)
        if any(form.fullmatch(seen) for _, form in rules.values):
            thing = text[slice(*group_span(about, "about"))].strip(_MARKS)
            return Correction(Action.UPDATE, text.strip(_MARKS), Target(query=_query_of(rules, thing), new=new))
    return None


def with_new_value(statement: str, target: Target) -> str | None:
    """A statement with the new value of a correction in the place of the old one; None if it has no such value, or the
    correction gives no new one."""
    if not target.new:
        return None
    rules = rules_for(statement)
    if not target.old:  # in the clause that says what it is of
        start, end = _clause_with(statement, target.query)
        clause = _with_values_inside(rules, statement[start:end], target.new, rules.fold(target.new))
        return None if clause is None else statement[:start] + clause + statement[end:]
    border = r"\b" if rules.is_spaced else ""
    title = _TITLE if target.has_left else ""
    found = _last(re2.compile(f"(?i){border}{title}{re2.escape(target.old)}{border}").finditer(statement))
    return None if found is None else statement[: found.start()] + target.new + statement[found.end() :]


def says_who(statement: str, name: str) -> bool:
    """Whether a statement says who somebody is to the speaker: "My manager is Helen", not "I met Helen"."""
    rules = rules_for(statement)
    return bool(name) and rules.says_named(rules.fold(statement), name)


def _clause_with(statement: str, query: str) -> tuple[int, int]:
    """Where the clause of a statement begins and ends that has the first word of a query; else the whole."""
    word, start = (query.split() or [""])[0].casefold(), 0
    for found in _CLAUSE_END.finditer(statement):
        if word in statement[start : found.start()].casefold():
            return start, found.start()
        start = found.end()
    return (start, len(statement)) if word in statement[start:].casefold() else (0, len(statement))


def _bare(rules: Conversation, text: str) -> str:
    found = rules.before_value.match(rules.fold(text))
    return text[found.end() :] if found and found.end() < len(text) else text


def _elliptic(rules: Conversation, text: str, folded: str, context: Context, before: str = "") -> Correction | None:
    """The statement that has a value of this kind, with this value instead: one that shares a word with the
    sentence, or else the last."""
    lead = rules.before_value.match(folded)
    start = lead.end() if lead is not None and lead.end() < len(folded.rstrip(_MARKS)) else 0
    tail = rules.after_value.search(folded, start)
    end = tail.start() if tail is not None and tail.start() > start else len(folded)
    comma = folded.find(",", start, end)
    candidates = _by_nearness(rules, before + text, context)
    leads = (0, *(place + 1 for place in range(start) if folded[place] == " "))  # "c'est le 24", "le 24", "24"
    for first, stop in (*((lead, stop) for stop in (end, comma) for lead in leads), (start, end), (start, comma)):
        value, seen = text[first:stop].strip(_MARKS), folded[first:stop].strip(_MARKS)
        size = len(seen.split()) if rules.is_spaced else len(seen) / 2
        if stop < 0 or not value or size > _MOST_WORDS_OF_A_VALUE:
            continue
        if first < start and not any(form.fullmatch(seen) for _, form in rules.values):
            continue  # with the words in front of it only where they belong to it: "the 24th", "le 24"
        for said in candidates:
            corrected = _with_value(rules, said.text, value, seen, before)
            if corrected is not None and corrected != said.text:
                return Correction(Action.UPDATE, corrected, Target(words=said.words, query=said.text), said)
    return None


def _by_nearness(rules: Conversation, text: str, context: Context) -> list[Said]:
    """The statements, those first that share the most content words with the text, then the last ones."""
    words = content_words_of(rules, text)
    said = context.said[::-1]
    said.sort(key=lambda one: -len(words & content_words_of(rules, one.text)))
    return said


def _with_value(rules: Conversation, statement: str, value: str, seen: str, before: str) -> str | None:
    if any(form.fullmatch(seen) for _, form in rules.values) or not _NAME.fullmatch(value):
        named = rules.named(rules.fold(statement), statement) if before and not rules.is_spaced else None
        return statement.replace(named, value, 1) if named else _with_values_inside(rules, statement, value, seen)
    names = [name.group() for name in _NAME.finditer(before) if _is_name(rules, name.group())]
    if names:  # "Dr Patel has retired, it's Dr Singh now"
        folded = rules.fold(statement)  # "my sister Helen" cannot be Marcus, "my manager is Helen" can
        known = rules.own_name(folded, statement) if rules.named(folded, statement) is None else None
        old = next((name for name in names if statement.find(name) > 0 and name != known), None)
        return None if old is None else statement.replace(old, value, 1)
    if before:  # "she left, it's Daniel now": only of somebody who is named as what they are
        named = rules.named(rules.fold(statement), statement)
        return statement.replace(named, value, 1) if named and _is_name(rules, named) else None
    others = [one for one in _NAME.finditer(statement) if one.start() > 0 and _is_name(rules, one.group())]
    return statement[: others[-1].start()] + value + statement[others[-1].end() :] if others else None


def _with_values_inside(rules: Conversation, statement: str, value: str, seen: str) -> str | None:
    """Each value of the new words in the place of the last one of its kind."""
    if not _is_about(rules, statement, seen):
        return None
    corrected = None
    whole = [kind for kind, form in rules.values if form.fullmatch(seen)]
    found = [(kind, new) for kind, form in rules.values if (new := _last(form.finditer(seen)))]
    found.sort(key=lambda one: one[0] != "number" or not seen.isdigit())  # 2050 is an amount before it is a year
    for kind, new in found:
        if (whole and kind not in whole) or any(_is_inside(new, other) for _, other in found):
            continue
        now = corrected or statement
        folded = rules.fold(now) if kind != "number" else rules.without_days(rules.fold(now))
        others = (one for name, other in rules.values if name in _alike(kind) for one in other.finditer(folded))
        old = _last(one for one in others if not is_article(rules, one.group()))
        if old is None or (kind == "number" and not same_unit(new.group(), old.group())):
            continue
        words = value[new.start() : new.end()]
        if kind == "day":
            words = in_month_of(words, now[old.start() : old.end()])
        corrected = now[: old.start()] + words + now[old.end() :]
        if whole:
            break
    return corrected


def in_month_of(day: str, date: str) -> str:
    """A day without its month in the month of the date in whose place it stands: "the 21st" of "14 March". One that
    lies far before the old day is of the month after, and stays as it is."""
    new, old = (_MARKED_DAY.search(text) or _DAY_IN_DATE.search(text) for text in (day, date))
    if new is None or old is None or not _ONLY_A_DAY.fullmatch(day) or _ONLY_A_DAY.fullmatch(date) or "/" in date:
        return day
    if int(_DIGITS.search(new.group()).group()) <= int(_DIGITS.search(old.group()).group()) - _HALF_A_MONTH:
        return day
    return str(date[: old.start()] + new.group() + date[old.end() :])


def is_article(rules: Conversation, seen: str) -> bool:
    """Whether a number is none: "una" in "en una heladería"."""
    return seen in rules.language.stop_words


def _is_inside(one: Any, other: Any) -> bool:
    """Whether a value is part of a longer one: "next week" in "Tuesday next week"."""
    return bool(other.start() <= one.start() and one.end() <= other.end() and other.span() != one.span())


def _is_about(rules: Conversation, statement: str, seen: str) -> bool:
    """Whether new words say nothing beside their values that the statement does not: "the report is due on the 12th"
    corrects no statement about a party."""
    words = content_words_of(rules, rules.without_values(seen))
    return not rules.is_spaced or words <= content_words_of(rules, statement)


def same_unit(new: str, old: str) -> bool:
    """Whether one amount can take the place of another: not euros of kilometres, nor "61st" of "14"."""
    if not (_is_amount(new) and _is_amount(old)):
        return True
    first, second = (_UNIT.sub("", text) for text in (new, old))
    if first in _ORDINALS or second in _ORDINALS:
        return first in _ORDINALS and second in _ORDINALS
    return first == second or not first or not second


def _is_amount(text: str) -> bool:
    return any(map(str.isdigit, text))


_UNIT: Any = re2.compile(r"[^a-z%€$£]+")
_ORDINALS = ("st", "nd", "rd", "th")


def _last(found: Iterable[Any]) -> Any:
    """The match that ends last, of those the longest."""
    return max(found, key=lambda one: (one.end(), -one.start()), default=None)


def _of_unknown_kind(rules: Conversation, clause: Clause, context: Context) -> Correction | None:
    """ "We changed our minds, bowling": what the last statement was about, and the value."""
    size = len(clause.folded.split()) if rules.is_spaced else len(clause.folded) / 2
    if not context.thing or not 0 < size <= _MOST_WORDS_OF_A_VALUE or _says_something(rules, clause):
        return None
    for said in context.said[: -_NEAR - 1 : -1]:
        if said.text.startswith(context.thing):
            text = f"{context.thing}: {_bare(rules, clause.text)}"
            return Correction(Action.UPDATE, text, Target(words=said.words, query=said.text), said)
    return None


def _says_something(rules: Conversation, clause: Clause) -> bool:
    return not rules.find(clause.folded).sections.isdisjoint(_SOMETHING_ELSE)


def _alike(kind: str) -> tuple[str, ...]:
    """The kinds of values of which one may take the other's place: a day may be named in several ways."""
    return ("weekday", "day") if kind in ("weekday", "day") else (kind,)


def similar(rules: Conversation, text: str, context: Context, sections: Collection[str]) -> Said | None:
    """The statement that a sure correction means: about the same thing, or with the most words in common."""
    if said := same_thing(rules, text, context, sections):
        return said
    nearest = _by_nearness(rules, text, context)
    return nearest[0] if nearest and content_words_of(rules, text) & content_words_of(rules, nearest[0].text) else None


def same_thing(rules: Conversation, text: str, context: Context, sections: Collection[str]) -> Said | None:
    """The last statement that is about the same as a new one: it fills the same slot, or says all that the new one does
    beside its value. "Ana now has a dog" does not end "Ana lives in Porto"."""
    slot = find_slot(text.rstrip(".!")) if rules.language.code == "en" else None
    for said in reversed(context.said) if slot else ():
        other = find_slot(said.text.rstrip(".!"))
        if slot and other and slot.attribute == other.attribute and slot.subject == other.subject:
            return said
    words = content_words_of(rules, _query(rules, text, sections))
    return next((said for said in reversed(context.said) if words and _is_said_in(rules, words, said.text)), None)


def _is_said_in(rules: Conversation, words: frozenset[str], statement: str) -> bool:
    """Whether a statement says these words, and not much more in other clauses, which would end too."""
    known = content_words_of(rules, statement)
    return words <= known and (len(words) >= _SMALL_PART * len(known) or rules.joint.search(statement) is None)


def content_words_of(rules: Conversation, text: str) -> frozenset[str]:
    """What a text says, by its content words; in a script without spaces, by pairs of characters."""
    name = rules.language.name
    if not rules.is_spaced:
        seen = [character for character in text if character.isalpha() and character not in rules.language.stop_words]
        return frozenset(one + other for one, other in pairwise(seen))
    return frozenset(word for word in split_words(text) if len(word) > 2 and is_content_word(word, (name,)))


_TITLE = r"(?:(?:dr|mr|mrs|ms|prof|professor|herr|frau|mme|sra?)\.? )?"
_HALF_A_MONTH = 15
_DIGITS: Any = re2.compile(r"[0-9]+")
_ONLY_A_DAY: Any = re2.compile(r"(?:\pL+ ){0,2}[0-9]{1,2}(?:st|nd|rd|th|er|[.]|[号日])?")
_DAY_IN_DATE: Any = re2.compile(r"\b[0-9]{1,2}(?:st|nd|rd|th)\b|\b[0-9]{1,2}\b")
_MARKED_DAY: Any = re2.compile(r"[0-9]{1,2}[号日]")
_CLAUSE_END: Any = re2.compile(r"[,;] |[，；。]|\. ")
_WORD: Any = re2.compile(r"[\pL\pN]+(?:-[\pL\pN]+)*")
_NAME: Any = re2.compile(r"\p{Lu}[\pL'’-]+\.?(?: \p{Lu}[\pL'’-]+)*")
