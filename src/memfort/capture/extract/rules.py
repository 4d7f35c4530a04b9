"""The forms of `conversation.txt` of one language, made ready for searching."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.data import NEVER
from memfort.language.files import ConversationFile
from memfort.language.fold import fold, fold_pattern
from memfort.language.language import ENGLISH, Language, english, language, shared
from memfort.language.normalise import compile_set
from memfort.language.vote import language_of

_END = r"[\s.!,;:~)('\"*-]*$"
# Sections by where their forms stand.
_WHOLE = ("small_talk", "jokes", "yes")
_BEGIN = (
    "question_beginnings",
    "hypotheticals",
    "not_hypotheticals",
    "role_play",
    "quotations",
    "quoted_speech",
    "fictions",
    "instructions",
    "not_instructions",
    "standing_wishes",
    "orders",
    "not_orders",
    "not_standing_wishes",
    "passing_states",
    "talk",
    "passing_subjects",
    "empty_objects",
    "no_remember_requests",
    "no_forget_requests",
    "forget_requests",
    "denials",
)
_ANYWHERE = ("cancelled", "happenings", "hypotheticals_anywhere", "jokes_anywhere", "endings", "changes")


class Found(Struct, frozen=True):
    """Which sections have a form that fits a clause."""

    sections: frozenset[str]
    types: tuple[str, ...]  # of the rules that keep it, in their order


_NOTHING = Found(frozenset(), ())


class Conversation:
    """The rules of one language."""

    def __init__(self, spoken: Language) -> None:
        self.language = spoken
        self.file: ConversationFile = spoken.conversation
        self.is_spaced = not spoken.scripts
        self._border = r"\b" if self.is_spaced else ""
        self._names, self._set = self._compile()
        file, border = self.file, self._border
        self.fillers = self._made(
            rf"(?:\s|{file.fillers}(?:[\s,.:;!~-]+|$)|{file.fillers_with_comma}\s*[,.:;!~-]+\s*)+"
            if self.is_spaced
            else rf"(?:[\s,.:;!~-]|{file.fillers}|{file.fillers_with_comma}\s*[,.:;!~-]+)+"
        )
        self.trailing = self._made(rf"(?:[\s,]+{file.trailing_fillers})+(?P<end>[\s.!~]*)$")
        spaces = r"\s+" if self.is_spaced else ""
        joints = rf"\s*[,;]\s*(?:{file.joints}{spaces})?|\s+-+\s+(?:{file.joints}{spaces})?|:\s+|\s*[()]\s*"
        inner = rf"|\s+{file.joints}\s+" if self.is_spaced else rf"|{file.joints}"
        self.joint = self._made(joints + inner)
        reasons = rf"|\s*,?\s*{border}{file.reasons}{border}\s*"
        self.joint_or_reason = self._made(joints + inner + reasons)
        self.reason = self._made(rf"\s*{file.reasons}{border},?\s*")
        self._compile_clauses()
        self._compile_corrections()
        self._compile_people()

    def _compile_clauses(self) -> None:
        file = self.file
        self.clause_beginning = self._made(file.clause_beginnings)
        self._open_question = self._made(rf"{file.open_questions}{self._border}")
        self.relative = self._made(rf"{file.relative_pronouns}{self._border}")
        self.constraint = self._made(rf"{file.constraints}")
        self.order_lead = self._made(file.order_leads)
        self.copula = self._made(rf"({file.copulas}){self._border}\s*")
        self.predicate = self._made(rf"({file.predicates})")
        self.own_predicate = self._made(file.own_predicates)
        self.own_shared_verb = self._made(file.shared_verbs)
        self.shared_verb_of_others = self._made(file.shared_verbs_of_others)

    def _compile_corrections(self) -> None:
        file, border = self.file, self._border
        self.correction = self._made(rf"\s*{file.corrections}(?:{border}[\s,.:;!~-]+|[\s.!]*$)")
        self.inner_correction = self._made(rf"[,;.-]\s*(?P<opening>{file.inner_corrections}){border}[\s,.:;!-]")
        self.sure_correction = self._made(rf"{border}{file.inner_corrections}{border}")
        self._leaves_out = [
            (self._made(rf"{form}{border}"), words.replace("_", " "))
            for form, words in zip((file.leaves_out_i, file.leaves_out_i_am), file.left_out, strict=False)
        ]
        self.correction_request = self._made(rf"\s*{file.correction_requests}{border}\s*")
        self.change_words = self._made(rf"{border}(?:{file.short_endings}|{file.changes}){border}")
        self.changed = self._made(file.changed)
        self.cancelled = self._made(rf"{border}{file.cancelled}{border}|'s (?:off|cancell?ed)\b")
        self.denied = self._made(file.denied)
        self.denial_at_end = self._made(rf"{border}{file.not_word}[\s]*$")
        self.gone = self._made(rf"\s*(?:{file.gone}){_END}")
        self.come = self._made(rf"{border}{file.come}{border}")
        self.vague = frozenset(map(fold, file.vague))
        self.wrong = self._made(rf"{border}{file.wrong}")
        self.retraction = self._made(rf"\s*{file.retractions}{border}[\s,.:;!-]*")
        self.contrast = Forms(
            (rule.name, self._made(rf"\s*(?:{form}){_END}")) for rule in file.contrast for form in rule.forms
        )
        self.lead = _any_form(self.retraction, self.correction, self.fillers)
        self.before_value = self._made(rf"(?:\s*{file.before_values}{border}[\s,:]*)+")
        self.after_value = self._made(
            rf"[\s,]*(?:[\s,]+{file.after_values})*{_END}"
            if self.is_spaced
            else rf"(?:[\s,]*{file.after_values})*{_END}"
        )
        self.values = [
            (rule.name, self._made(rf"{border}(?:{'|'.join(rule.forms)}){'(?:' + border + '|$)' if border else ''}"))
            for rule in file.value
        ]
        self._any_value = re2.compile("|".join(form.pattern for _, form in self.values) or NEVER)
        days = [form.pattern for name, form in self.values if name != "number"]
        bare_year = self._made(r"\b(?:19|20)[0-9]{2}").pattern
        dates = [form.pattern for name, form in self.values if name in ("weekday", "day")]
        self._date = re2.compile("|".join(dates) or NEVER)
        self._since = re2.compile(rf"{self._made(file.since).pattern}|{bare_year}")
        self._any_day = re2.compile("|".join(days) or NEVER)
        self._holds_since = self._made(file.since)
        self.remember = self._made(rf"\s*{file.remember_requests}\s*")
        self.remember_behind = self._made(rf"{file.remember_requests_behind}{_END}")
        self.what_was_said = self._made(rf"\s*{file.what_was_said}{_END}")
        self.negation = self._made(rf"{border}{file.negations}{border}")
        self.negation_at_end = self._made(rf"{border}{file.negations}{border}\s*$")
        self.beside_negation = self._made(rf"{border}{file.beside_negations}{border}")
        self.writing_task = self._made(rf"\s*{file.writing_tasks}")
        self.sarcasm = self._made(rf"{border}{file.sarcasm}{border}")
        self.companion = self._made(rf"{border}{file.companions}{border}")
        self.speaker = self._made(rf"{border}(?:{'|'.join(sorted(file.speaker))}){border}" if file.speaker else NEVER)

    def _compile_people(self) -> None:
        file, border = self.file, self._border
        self.first_person = self._made(
            rf"(?:{'|'.join(sorted(file.first_person, key=len, reverse=True))}){border}" if file.first_person else NEVER
        )
        self.subject = self._together(file.subject)
        self.own_person = self._made(file.own_person)
        self._named = self._made(file.named)
        self._introduction = self._made(file.introductions)
        self.pronoun = self._one_of({*file.she, *file.he, *file.it, *file.they, *file.theirs})
        self._it = self._one_of(file.it)
        subjects = {*file.first_person, *file.she, *file.he, *file.it, *file.they}
        self.subject_word = self._made(
            rf"{border}(?:{'|'.join(sorted(subjects, key=len, reverse=True)) or NEVER}){border}"
        )
        self.person_verb = self._made(rf"\s*(?:{file.person_verbs}){border}")
        yours = "|".join(sorted(file.addressing)) or NEVER
        self.addressing = self._made(rf"{border}(?:{yours}){border}")
        mine = sorted(set(file.speaker) - set(file.first_person))  # "my", which is no subject
        self.own = self._made(rf"{border}(?:{'|'.join(mine)}){border}" if mine else NEVER)
        self._own_verb = re2.compile(rf"(?:{with_any_spaces(file.own_verbs)})(?:[\s,.!]|$)")
        self._is = self._made(rf"\s*(?:{file.being}){border}")
        self.being = self._made(rf"{border}(?:{file.being}){border}")
        names = (self.language.names, english().names, shared().names)
        self._first_names = frozenset(fold(name) for one in names for name in one.first_names)
        self.same_time = [
            (unit, self._made(rf"{border}(?:{form}){border}"))
            for unit, form in (("day", file.that_day), ("week", file.that_week), ("month", file.that_month))
        ]
        self._habit = self._made(rf"{border}{file.habits}{border}")
        self.verb = self._made(rf"{border}{file.verbs}{border}")
        self.definite = self._made(rf"{file.definite}")
        self.asks_about_user = self._made(rf"^(?:.*[,:;] )?{file.asks_about_user}$")
        self.asks_about_task = self._made(file.asks_about_task)
        self.only_denied = self._made(
            rf"\s*(?:{file.corrections}[\s,]*|{file.retractions}[\s,]*)*{file.not_word} [^,;]{{1,30}}[.!]$"
        )
        self.about = self._made(file.about)
        self._question_tail = self._made(rf"{border}{file.question_tails}\s*\?*$")
        self._turned = [self._replacement(one) for one in file.turned]
        self.request_words = frozenset(part for word in file.request_words for part in fold(word).split("'"))
        self.not_names = frozenset(map(fold, file.not_names))

    def fold(self, text: str) -> str:
        return fold(text)

    def without_values(self, folded: str) -> str:
        """The text with spaces in the place of its times, days and numbers; as long as before."""
        return str(self._any_value.sub(lambda found: " " * (found.end() - found.start()), folded))

    def without_days(self, folded: str) -> str:
        """The same for times and days alone."""
        return str(self._any_day.sub(lambda found: " " * (found.end() - found.start()), folded))

    def without_since(self, folded: str) -> str:
        """The same for the times since which something holds."""
        return str(self._holds_since.sub(lambda found: " " * (found.end() - found.start()), folded))

    def find_value(self, folded: str) -> bool:
        """Whether a clause names a time, a day or a number."""
        return self._any_value.search(folded) is not None

    def names_a_day(self, folded: str) -> bool:
        return self._any_day.search(folded) is not None

    def is_dated(self, folded: str) -> bool:
        """Whether it names the day of something that happens once; not "since 2018", nor "a 2014 Honda"."""
        return self._date.search(self._since.sub(" ", folded)) is not None

    def lacks_person(self, folded: str) -> bool:
        """Whether only the words before a clause say whom or what it is about: "she lives in Porto". "It's my mother's
        birthday on Friday" says it itself."""
        has_none = (
            self.is_spaced and self.shared_verb_of_others.match(folded) and not self.own_shared_verb.match(folded)
        )
        if self.pronoun.match(folded) is None and not has_none:
            return False
        is_of_a_day = self.own.search(folded) is not None and self.names_a_day(folded)
        return not (is_of_a_day and (has_none or self._it.match(folded)))

    def is_habit(self, folded: str) -> bool:
        """Whether something is done again and again: "on Fridays", "every week"."""
        return self._habit.search(folded) is not None

    def own_name(self, folded: str, text: str) -> str | None:
        """The name of somebody who is somebody to the speaker: "Ana" in "my sister Ana"."""
        found = self.own_person.search(folded)
        if found is None:
            return None
        start, end = group_span(found, "name")
        is_name = start >= 0 and (not self.is_spaced or text[start].isupper())
        return text[start:end] if is_name else None

    def named(self, folded: str, text: str) -> str | None:
        """The name of somebody who is somebody's or something's: "Farida" in "my tech lead is Farida"."""
        found = self._named.search(folded)
        start, end = group_span(found, "name") if found else (-1, -1)
        return text[start:end] if start >= 0 and (text[start].isupper() or not self.is_spaced) else None

    def says_named(self, folded: str, name: str) -> bool:
        """Whether a text says that somebody of this name is somebody's or something's, however it is written."""
        found = self._named.search(folded)
        return found is not None and fold(name).endswith(str(found.group("name")))

    def introduces(self, folded: str, text: str) -> bool:
        """Whether the speaker says their name: "I'm Marcus"."""
        found = self._introduction.match(folded)
        return found is not None and _ONLY_A_NAME.match(text, found.end()) is not None

    def left_out(self, folded: str) -> str:
        """The subject that a clause of the speaker's leaves out: "I " of "joined a choir"; else nothing."""
        return next((words for form, words in self._leaves_out if form.match(folded)), "")

    def join(self, *words: str) -> str:
        return (" " if self.is_spaced else "").join(words)

    def question_tail(self, folded: str) -> bool:
        return self._question_tail.search(folded) is not None

    def named_subject(self, text: str, known: Collection[str] = ()) -> bool:
        """Whether a text begins with a name and what people are or do. That something *is* something may be said of
        anything, so there the name must be `known`, or a first name."""
        if (handle := _HANDLE_FIRST.match(text)) is not None:  # "@bob loves pizza"; "@bob please check" speaks to him
            folded, end = fold(text), handle.end() - 1
            is_said_of = self.person_verb.match(folded, end) or self._is.match(folded, end)
            return is_said_of is not None and not self.speaker.search(folded) and not self.addressing.search(folded)
        found = _NAME_FIRST.match(text)
        first = "" if found is None else fold(found.group(1)).split()[0].split("'")[0]
        if found is None or first in self.not_names or first in self.language.stop_words:
            return False
        folded = fold(text)
        if first in known or first in self._first_names:
            return self.verb.search(folded, found.end(1)) is not None
        if self._is.match(folded, found.end(1)) is not None and not self.speaker.search(folded):
            return False
        return self.person_verb.match(folded, found.end(1)) is not None

    def asks_openly(self, folded: str) -> bool:
        """Whether a sentence of which nothing else is known asks: "whats for dinner", "who ate my hummus"."""
        return self._open_question.match(folded) is not None

    def leaves_out_speaker(self, text: str) -> bool:
        """Whether a clause begins with a verb whose subject is the speaker, who is not named: "Tocamos el sábado"."""
        found = self._own_verb.match(text.lower())
        return found is not None and found.group().strip(" ,.!").rsplit(None, 1)[-1] not in self.file.not_own_verbs

    def only_looks_asked(self, text: str) -> bool:
        """Whether a text begins with a word that asks with an accent and has none: "que me caso en junio"."""
        return text.partition(" ")[0].lower() in self.file.not_question_words

    def turn_to_speaker(self, question: str) -> str | None:
        """A question about "you" as a statement of the speaker; None if it is about something else."""
        turned = question
        for form, instead in self._turned:
            turned = form.sub(instead, turned).strip(" ,") if form.search(turned) else turned
        return turned[:1].upper() + turned[1:] if turned != question and turned else None

    def _together(self, pattern: str) -> Any:
        return _FirstOf([self._made(form) for form in _alternatives(pattern)])

    def _one_of(self, words: Collection[str]) -> Any:
        """Any of these words, in front of a clause."""
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        return self._made(rf"(?:{'|'.join(longest_first)}){self._border}" if words else NEVER)

    def _replacement(self, written: str) -> tuple[Any, str]:
        form, _, instead = written.partition("=>")
        bordered = rf"{form.strip()}\b" if self.is_spaced else form.strip()
        return re2.compile(
            rf"(?i)\b{bordered}" if self.is_spaced and form[0] != "^" else rf"(?i){bordered}"
        ), instead.strip()

    def __repr__(self) -> str:
        return f"Conversation({self.language.code})"

    def find(self, clause: str) -> Found:
        """What fits a clause, which is folded."""
        fitting = sorted(self._set.Match(clause.strip()) or ())
        if not fitting:
            return _NOTHING
        sections = frozenset(self._names[place][0] for place in fitting)
        if "not_hypotheticals" in sections:
            sections -= {"hypotheticals"}
        if "not_instructions" in sections:
            sections -= {"instructions"}
        if "not_orders" in sections:
            sections -= {"orders"}
        if "not_standing_wishes" in sections:
            sections -= {"orders", "standing_wishes"}
        if "orders" in sections:
            sections |= {"standing_wishes"}
        types = tuple(dict.fromkeys(self._names[place][1] for place in fitting if self._names[place][1]))
        return Found(sections, types)

    def _made(self, pattern: str) -> Any:
        return re2.compile(fold_pattern(with_any_spaces(pattern)))

    def _compile(self) -> tuple[list[tuple[str, str]], Any]:
        file, names, patterns = self.file, list[tuple[str, str]](), list[str]()
        for section in (*_WHOLE, *_BEGIN, *_ANYWHERE):
            form: str = getattr(file, section)
            names.append((section, ""))
            if section in _WHOLE:
                patterns.append(rf"^{form}{_END}")
            else:
                patterns.append(rf"^{form}" if section in _BEGIN else rf"{self._border}{form}{self._border}")
        for rule in file.keep:
            names.append(("keep", rule.name))
            patterns.append(rf"^(?:{'|'.join(rule.forms)})")
        return names, compile_set([fold_pattern(with_any_spaces(pattern)) for pattern in patterns])


def group_span(found: Any, name: str) -> tuple[int, int]:
    """Where a named group of a match begins and ends; (-1, -1) if it took no part."""
    start, end = found.span(found.re.groupindex[name])
    return int(start), int(end)


def with_any_spaces(pattern: str) -> str:
    """A pattern in which a space stands for any run of spaces."""
    return pattern.replace(" ?", r"\s*").replace(" ", r"\s+")


def _alternatives(pattern: str) -> list[str]:
    """The phrases of a pattern, apart: RE2 allows a group's name once in each."""
    return _split_top(pattern[3:-1]) if pattern.startswith("(?:") else [pattern]


def _split_top(pattern: str) -> list[str]:
    depth, start, found = 0, 0, []
    for place, character in enumerate(pattern):
        if character == "|" and depth == 0:
            found.append(pattern[start:place])
            start = place + 1
        depth += (character == "(") - (character == ")")
    return [*found, pattern[start:]]


def _any_form(*forms: Any) -> Any:
    """A pattern that fits where one of these does."""
    return re2.compile("|".join(f"(?:{form.pattern})" for form in forms))


class Forms:
    """Patterns by the names of their rules, searched for together: of most texts a set says at once that none is in
    them."""

    def __init__(self, forms: Iterable[tuple[str, Any]]) -> None:
        self._forms = list(forms)
        self._together = compile_set(["", *(form.pattern for _, form in self._forms)])

    def found_in(self, text: str) -> list[tuple[str, Any]]:
        """Those that fit somewhere in a text, in their order."""
        found = self._together.Match(text) or ()
        if 0 not in found:  # the empty pattern fits every text; without it RE2 gave up
            return self._forms
        return [self._forms[place - 1] for place in sorted(found) if place] if len(found) > 1 else []


class _FirstOf:
    """Patterns that are tried one after the other: RE2 allows the name of a group once in each."""

    def __init__(self, patterns: list[Any]) -> None:
        self._patterns = patterns

    def match(self, text: str) -> Any:
        return next((found for one in self._patterns if (found := one.match(text))), None)


_ONLY_A_NAME: Any = re2.compile(r"\s*(?:\p{Lu}[\pL'-]+ ?){1,3}[.!]?$")
_HANDLE_FIRST: Any = re2.compile(r"@[\pL\d_]+(?:[.-][\pL\d_]+)*\s")
_NAME_FIRST: Any = re2.compile(r"(\p{Lu}[\pL'-]*\p{Ll}(?: \p{Lu}[\pL'-]+)?)\s+\pL")


@cache
def conversation(code_name: str) -> Conversation:
    return Conversation(language(code_name))


_SHORT_CHARS, _SHORT_WORDS = 40, 4


def rules_for(text: str, before: Iterable[str] = ()) -> Conversation:
    """The rules of the language that a text is in. A few words show little, unless by their script: they are in that of
    the texts before."""
    own = language_of(text)
    is_short = len(text) < _SHORT_CHARS and len(text.split()) < _SHORT_WORDS
    if own is not None and not (is_short and conversation(own).is_spaced):
        return conversation(own)
    others = (found for one in before if (found := language_of(one)) is not None)
    return conversation(next(others, own or ENGLISH))
