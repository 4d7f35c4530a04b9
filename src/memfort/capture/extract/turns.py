"""Read the turns of a conversation one after the other, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import re2
from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.extract.clauses import Clause, cut_fillers, split_clauses
from memfort.capture.extract.composed import answered, confirmed, last_question
from memfort.capture.extract.context import Context
from memfort.capture.extract.corrections import Correction, gives_only_a_value, read_change, read_correction, takes_back
from memfort.capture.extract.denials import read_denied_person
from memfort.capture.extract.keep import Verdict, content_words, decide, judge_by_substance, says_whole
from memfort.capture.extract.requests import read_forget_request, read_order, read_remember_request
from memfort.capture.extract.rules import Conversation, Found, group_span, rules_for
from memfort.capture.extract.said import is_said
from memfort.capture.extract.sentences import Sentence, join_sentences, split_sentence, split_sentences
from memfort.capture.extract.statement_type import type_of
from memfort.capture.extract.topics import with_ends
from memfort.capture.extraction import (
    CONTEXT_TURNS,
    Action,
    Demoted,
    Extraction,
    OtherTurn,
    Proposal,
    SpokenTurn,
    Target,
)
from memfort.capture.promotion_hints import read_hint
from memfort.language.dates.event import event_time, widen
from memfort.language.slots import fills_slot
from memfort.language.types import infer_event_type
from memfort.model.item import EventType, Origin
from memfort.model.occurred import ComposedBy, Occurred

_ASKED_FOR = 1.0  # the user said "remember"
_REQUESTED, _CORRECTED, _INSIDE, _CONFIRMED = 0.9, 0.85, 0.7, 0.6
_LIKELY = 0.75  # of a wish
_CERTAIN = 0.9  # of a clause that a rule knows
_MOST_STATEMENTS = 40  # of one message; what has more is a document that was pasted
_MOST_CORRECTIONS = 12  # of one message; each looks back at all that was said
_LONGEST_OPENING = 80  # characters of a correction that the next sentence goes on with
_LONGEST_SENTENCE = 1_000  # characters; the rules read a sentence several times
_SUPPOSING = ("hypotheticals", "hypotheticals_anywhere", "role_play")
_MOST_IN_A_TAG = 2  # words of what only asks for agreement: "…, right?"
_FEWEST_TO_JOIN = 1  # content words of an open clause that says more about the one beside it
_TOO_FEW_ALONE = 1  # content words of a clause that is not understood alone: "um halb acht", "always"
_SAID_BEFORE = 6  # statements among which "that day" is looked for
_TEXTS_BEFORE = 3  # whose language counts for a turn that shows none


def extract(turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn] = ()) -> Extraction:
    """What the new turns leave. `before` are the turns before them: context, never a source."""
    context = Context(is_whole=len(before) < CONTEXT_TURNS)
    for place, turn in enumerate(before, start=-len(before)):
        _Turn(place, turn, context).read()
    proposals, demoted = list[Proposal](), list[Demoted]()
    for place, turn in enumerate(turns):
        read = _Turn(place, turn, context)
        read.read()
        for one in read.proposals:
            if is_said(one, turns, before):
                proposals.append(one)
            else:
                demoted.append(Demoted(place, one.quote, "not_said"))
        demoted += read.demoted
    return Extraction(tuple(proposals), tuple(demoted))


class Judged(Struct, frozen=True):
    """A clause, and whether it is worth keeping."""

    clause: Clause
    verdict: Verdict


def _with_open_beside(rules: Conversation, judged: Sequence[Judged]) -> Iterator[tuple[int, int]]:
    """The first and the last place of each clause that is kept with the open ones beside it; the others one by one. An
    open clause goes with the kept one before it, or else behind it, if it has words of its own."""

    def joins(place: int) -> bool:
        one = judged[place]
        if rules.fillers.fullmatch(one.clause.folded):
            return False
        words = len(content_words(rules, one.clause.folded))
        if one.verdict.is_open:
            return words >= _FEWEST_TO_JOIN
        return one.verdict.keeps and words <= _TOO_FEW_ALONE and not rules.first_person.match(one.clause.whole_folded)

    place = 0
    while place < len(judged):
        first = last = place
        while last < len(judged) and joins(last):
            last += 1
        if last < len(judged) and judged[last].verdict.keeps:
            while last + 1 < len(judged) and joins(last + 1):
                last += 1
            yield first, last
            place = last + 1
        else:
            yield first, first
            place = first + 1


class _Fiction:
    """Whether a message tells or supposes something: from "let's pretend …" to the question about it, or to the end of
    the paragraph."""

    def __init__(self, rules: Conversation, message: str) -> None:
        self._rules, self._message = rules, message
        self._is_open = False
        self._end = 0  # of the sentence before

    def goes_on_with(self, sentence: Sentence) -> bool:
        """Whether the next sentence belongs to it."""
        if _PARAGRAPH.search(self._message[self._end : sentence.start]):
            self._is_open = False
        self._end = sentence.start + len(sentence.text)
        is_part = self._is_open or "fictions" in self._rules.find(sentence.folded).sections
        self._is_open = is_part and not sentence.is_question
        return is_part


class _Turn:
    """One turn while it is read."""

    def __init__(self, place: int, turn: SpokenTurn, context: Context) -> None:
        self.place, self.turn, self.context = place, turn, context
        self.rules = rules_for(turn.text, context.texts)
        self.proposals: list[Proposal] = []
        self.demoted: list[Demoted] = []
        self._corrections = 0

    def read(self) -> None:
        if self.turn.origin is Origin.USER:
            self._read_user()
        else:
            self._demote(self.turn.text, "tool_output" if self.turn.origin is Origin.TOOL else "not_the_user")
        if self.turn.origin is Origin.AI:
            self.context.answer, self.context.answer_turn = self.turn.text, self.place
        elif self.turn.origin is Origin.USER:
            self.context.answer = ""
            self.context.hear(self.turn.text, self.place, self.turn.speaker)
        if self.turn.origin is not Origin.TOOL:
            self.context.texts.insert(0, self.turn.text[:500])
            del self.context.texts[_TEXTS_BEFORE:]

    def _read_user(self) -> None:
        hinted = read_hint(self.turn.text)
        if hinted.hint is not None and hinted.text != self.turn.text:
            self._keep(hinted.text, hinted.text, _ASKED_FOR, hinted.hint.reason)
            return
        is_pasted, fiction = False, _Fiction(self.rules, self.turn.text)
        for sentence in self._sentences():
            is_pasted |= len(self.proposals) >= _MOST_STATEMENTS
            if is_pasted or sentence.kind or len(sentence.text) > _LONGEST_SENTENCE:
                self._demote(sentence.text, sentence.kind or "quotation")
                continue
            if fiction.goes_on_with(sentence):
                self._demote(sentence.text, "hypothetical")
                continue
            self.context.hear(self.turn.text[: sentence.start], self.place, self.turn.speaker)
            self._read_sentence(sentence)
            is_pasted |= self._introduces_text(sentence)
        if not self.proposals:
            self._answer()
        if self.place >= 0:
            self.proposals = with_ends(self.rules, self.turn.text, self.place, self.proposals)

    def _sentences(self) -> list[Sentence]:
        """The sentences, those joined that make one correction: "Not Geneva. Annemasse." """
        joined = list[Sentence]()
        for one in split_sentences(self.turn.text):
            if joined and not one.kind and self._goes_on(joined[-1]):
                joined[-1] = join_sentences(self.turn.text, joined[-1], one)
            else:
                joined.extend(self._split_at_correction(one))
        return joined

    def _split_at_correction(self, sentence: Sentence) -> tuple[Sentence, ...]:
        """ "At two, no wait, at three" is a statement and its correction."""
        is_prose = not sentence.kind and len(sentence.text) <= _LONGEST_SENTENCE
        found = self.rules.inner_correction.search(sentence.folded) if is_prose else None
        return (sentence,) if found is None else split_sentence(sentence, group_span(found, "opening")[0])

    def _goes_on(self, sentence: Sentence) -> bool:
        if sentence.kind or len(sentence.text) > _LONGEST_OPENING:
            return False
        return takes_back(self.rules, sentence) or self.rules.only_denied.match(sentence.folded) is not None

    def _introduces_text(self, sentence: Sentence) -> bool:
        """ "Summarise this: …", "Write a cover letter for me.": what follows is for the text, and not the speaker's."""
        if self.rules.writing_task.match(sentence.folded):
            return True
        is_instruction = bool(self.demoted) and self.demoted[-1].reason == "instruction"
        return is_instruction and _COLON.search(sentence.text) is not None

    def _read_sentence(self, sentence: Sentence) -> None:
        rules, context = self.rules, self.context
        found = rules.find(sentence.folded)
        if (target := read_forget_request(rules, sentence, context, found)) is not None:
            self._forget(sentence, target)
            return
        if (asked := read_remember_request(rules, sentence, found)) is not None:
            self._remember(sentence, asked.text, asked.folded)
            return
        if (order := read_order(rules, sentence)) is not None:
            self._keep(order, order, _LIKELY, "standing_wish", type="preference")
            return
        if (nobody := read_denied_person(rules, sentence)) is not None:
            self._correct(sentence, Correction(Action.RETRACT, sentence.text, nobody))
        if (correction := self._read_correction(sentence)) is not None:
            self._correct(sentence, correction)
            return
        if context.answer and "yes" in found.sections and (statement := confirmed(rules, context.answer)):
            self._compose(statement, sentence.text, ComposedBy.YES)
        elif (reason := self._says_nothing(sentence, found)) is not None:
            self._demote(sentence.text, reason)
        else:
            self._read_plain(sentence)

    def _read_correction(self, sentence: Sentence) -> Correction | None:
        if self._corrections >= _MOST_CORRECTIONS:
            return None
        found = read_correction(self.rules, sentence, self.context, self.turn.speaker)
        self._corrections += found is not None or gives_only_a_value(self.rules, sentence)
        return found

    def _says_nothing(self, sentence: Sentence, found: Found) -> str | None:
        """Why a whole sentence leaves nothing, if it does."""
        if self.rules.sarcasm.search(sentence.folded):
            return "joke"
        if "quoted_speech" in found.sections:
            return "quotation"
        if gives_only_a_value(self.rules, sentence):
            return "no_predicate"
        return "small_talk" if "small_talk" in found.sections else None

    def _forget(self, sentence: Sentence, target: Target) -> None:
        self._propose(
            Proposal(
                turn=self.place,
                text=sentence.text,
                quote=sentence.text,
                action=Action.FORGET,
                target=target,
                confidence=_REQUESTED,
                reason="forget_request",
            )
        )

    def _remember(self, sentence: Sentence, text: str, folded: str) -> None:
        words, _ = cut_fillers(self.rules, text, folded)
        if len(words) > 2 and not self.rules.what_was_said.match(folded):
            self._keep(words, words, _ASKED_FOR, "remember_request")
            return
        own = [one for one, proposal in enumerate(self.proposals) if proposal.action is Action.ADD]
        if own:  # "… Remember that."
            self.proposals[own[-1]] = replace(self.proposals[own[-1]], confidence=_ASKED_FOR, reason="remember_request")
        else:
            self._demote(sentence.text, "instruction")

    def _correct(self, sentence: Sentence, correction: Correction) -> None:
        said, is_meant_again = correction.said, False
        own = next((one for one in self.proposals if said is not None and one.text == said.text), None)
        if own is not None and own.action is Action.ADD:
            # corrected before the message was over: only the correction was ever meant
            self.proposals.remove(own)
            self._demote(own.quote, "corrected")
            self._forget_said(correction)
            if correction.action is Action.RETRACT:
                return
            is_meant_again = True
        is_statement = correction.action is Action.UPDATE
        if is_statement and not correction.is_composed and not says_whole(self.rules, correction.text):
            self._demote(sentence.text, "no_predicate")
            return
        if correction.is_composed or not is_statement:
            self._forget_said(correction)
        if is_statement:
            self.context.add(self.rules, sentence.text, correction.text, self.place, self.turn.speaker)
        other = OtherTurn(ComposedBy.CORRECTION, said.turn, said.words) if correction.is_composed and said else None
        self._propose(
            Proposal(
                turn=self.place,
                text=_finished(correction.text),
                quote=sentence.text,
                type=type_of(self.rules, correction.text),
                event_type=EventType.CORRECTION,
                occurred=self._time(correction.text) if is_statement else None,
                action=Action.ADD if is_meant_again else correction.action,
                target=None if is_meant_again else correction.target,
                confidence=_CORRECTED,
                reason="correction",
                composed=other,
            )
        )
        if rest := correction.rest.strip(" ,.;!"):
            self._read_plain(Sentence(rest, self.rules.fold(rest)))

    def _forget_said(self, correction: Correction) -> None:
        if correction.said in self.context.said:
            self.context.said.remove(correction.said)

    def _read_plain(self, sentence: Sentence) -> None:
        rules = self.rules
        whole, folded = cut_fillers(rules, sentence.text, sentence.folded)
        found = rules.find(folded)
        if "jokes" in found.sections:
            self._take_back_joke()
        looks_asked = "question_beginnings" in found.sections and not rules.only_looks_asked(whole)
        asks = sentence.is_question or looks_asked
        supposes = not asks and not found.sections.isdisjoint(_SUPPOSING)
        instructs = "instructions" in found.sections and not found.types and "standing_wishes" not in found.sections
        if asks and not supposes and (stated := self._stated_before_question(sentence, looks_asked)):
            self._read_plain(stated)
            self._read_request(_rest_of(sentence, stated), "question")
            return
        if (asks or instructs) and not supposes:
            self._read_request(sentence, "question" if asks else "instruction")
            return
        clauses = split_clauses(rules, sentence)
        if supposes:
            clauses = [Clause(whole, folded, end=len(whole))]
        judged = list[Judged]()
        for clause in clauses:
            judged.append(self._judge(clause))
            if judged[-1].verdict.keeps:
                self.context.add_names(rules, clause.whole)
        self._read_clauses(sentence, judged)

    def _read_clauses(self, sentence: Sentence, judged: list[Judged]) -> None:
        """Keep the clauses that are worth it, each with the open ones beside it that say more about it. Where none is,
        the open ones together may say enough."""
        if not any(one.verdict.keeps for one in judged):
            self._read_open(sentence, judged)
            return
        for first, last in _with_open_beside(self.rules, judged):
            self._read_judged(sentence, judged, first, last)

    def _read_open(self, sentence: Sentence, judged: list[Judged]) -> None:
        for is_open, group in groupby(judged, key=lambda one: one.verdict.is_open):
            run = list(group)
            if len(run) > 1 and is_open:
                words = sentence.text[run[0].clause.begin : run[-1].clause.end]
                run = [self._judge(Clause(words, self.rules.fold(words), run[0].clause.subject))]
            for one in run:
                self._read_clause(one)

    def _read_judged(self, sentence: Sentence, judged: list[Judged], first: int, last: int) -> None:
        """Keep one clause, which may have open ones in front and behind."""
        kept = next((one for one in judged[first : last + 1] if one.verdict.keeps), None)
        if kept is None or last == first:
            self._read_clause(judged[first])
            return
        before = sentence.text[judged[first].clause.begin : kept.clause.begin]
        behind = sentence.text[kept.clause.end : judged[last].clause.end]
        self._keep_clause(kept, before, behind)

    def _stated_before_question(self, sentence: Sentence, looks_asked: bool) -> Sentence | None:
        """What a sentence states before it asks: "I take sertraline, does that matter?"; None if it asks at once."""
        if looks_asked or not sentence.is_question or "instructions" in self.rules.find(sentence.folded).sections:
            return None
        for found in _COMMA.finditer(sentence.folded):
            rest = sentence.folded[found.end() :]
            is_tag = len(rest.split()) <= _MOST_IN_A_TAG and self.rules.is_spaced
            if is_tag or self.rules.asks_openly(rest) or "question_beginnings" in self.rules.find(rest).sections:
                words = sentence.text[: found.start()]
                stated = Sentence(words, self.rules.fold(words), sentence.start)
                states = self.rules.find(stated.folded).sections.isdisjoint(_SUPPOSING)
                return stated if states and self.rules.verb.search(stated.folded) else None
        return None

    def _read_request(self, sentence: Sentence, reason: str) -> None:
        """A question or an instruction leaves nothing but what it says in passing."""
        rules, kept = self.rules, False
        if reason == "instruction" and (colon := _COLON.search(sentence.text)):  # what follows is not the speaker's
            before = sentence.text[: colon.start()]
            sentence = Sentence(before, rules.fold(before), sentence.start)
        clauses = split_clauses(rules, sentence, at_reasons=True)
        if len(clauses) > 1:
            for clause in clauses:
                kept |= self._read_stated(sentence, clause)
        if not kept:
            self._demote(sentence.text, reason)

    def _read_stated(self, sentence: Sentence, clause: Clause) -> bool:
        """Keep a clause of a question or an instruction that is itself stated."""
        words, folded = clause.text.rstrip(" ?!."), clause.folded.rstrip(" ?!.")
        if found := self.rules.reason.match(folded):
            words, folded = words[found.end() :], folded[found.end() :]
        is_last = sentence.text.rstrip().endswith(clause.text.rstrip())
        stated = Clause(words, folded, clause.subject)
        found = self.rules.find(stated.whole_folded)
        if self.rules.constraint.match(stated.folded) and "not_standing_wishes" not in found.sections:
            return self._keep(words, words, _INSIDE, "constraint")
        if found.sections & {"question_beginnings", "instructions"} and not found.types:
            return False
        if not (self.rules.speaker.match(stated.whole_folded) or self.rules.pronoun.match(stated.whole_folded)):
            return False
        if is_last and sentence.is_question and not clause.subject and self.rules.question_tail(sentence.folded):
            return False
        verdict = decide(self.rules, stated, found, self.context.names)
        if verdict.is_open and self.rules.verb.search(stated.folded):
            verdict = judge_by_substance(self.rules, stated.whole, self.context.names)
        return self._keep_clause(Judged(stated, verdict)) if verdict.keeps else False

    def _judge(self, clause: Clause) -> Judged:
        """Whether a clause is worth keeping."""
        rules, names = self.rules, self.context.names
        if not clause.subject and rules.lacks_person(clause.folded):
            return Judged(clause, Verdict(False, "pronoun"))
        seen = clause if clause.subject else replace(clause, subject=rules.left_out(clause.folded))
        verdict = decide(rules, seen, rules.find(seen.whole_folded), names)
        if verdict.is_open and not rules.asks_openly(seen.whole_folded):
            by_substance = judge_by_substance(rules, seen.whole, names)
            verdict = by_substance if by_substance.keeps else verdict
        return Judged(clause, verdict)

    def _read_clause(self, judged: Judged) -> None:
        clause, verdict = judged.clause, judged.verdict
        if verdict.keeps:
            self._keep_clause(judged)
        elif verdict.reason == "nothing_lasting" and fills_slot(clause.whole):
            self._keep(clause.whole, clause.text, _CONFIRMED, "fills_slot", subject=clause.subject)
        else:
            self._demote(clause.text, verdict.reason)

    def _answer(self) -> None:
        """A message of a few words that answers what the assistant asked about the user, behind the question."""
        context = self.context
        if context.answer and (statement := answered(self.rules, context.answer, self.turn.text)):
            self._compose(statement, self.turn.text.strip(), ComposedBy.ANSWER)

    def _compose(self, statement: str, quote: str, way: ComposedBy) -> None:
        question = last_question(self.context.answer)
        assert question is not None
        other = OtherTurn(way, self.context.answer_turn, question.text)
        self._keep(statement, quote, _CONFIRMED, way.value, composed=other)

    def _keep_clause(self, judged: Judged, before: str = "", behind: str = "") -> bool:
        clause, verdict = judged.clause, judged.verdict
        subject = "" if before else clause.subject
        return self._keep(
            f"{subject}{before}{clause.text}{behind}",
            f"{before}{clause.text}{behind}",
            verdict.confidence,
            verdict.reason,
            says=clause.whole,
            subject=subject,
        )

    def _keep(
        self,
        text: str,
        quote: str,
        confidence: float,
        reason: str,
        says: str = "",
        *,
        subject: str = "",
        composed: OtherTurn | None = None,
        type: str | None = None,
    ) -> bool:
        """Keep a statement. `says` is the clause of it that shows its type, if none is given, and its time best."""
        statement, says = _finished(text), says or text
        if composed is None and type is None and not says_whole(self.rules, statement):
            self._demote(quote, "no_predicate")
            return False
        if self.place < 0:  # a turn before: what it says is context, and its type and time are not asked for
            self._propose(Proposal(turn=self.place, text=statement, quote=quote, subject=subject, composed=composed))
            self.context.add(self.rules, quote, statement, self.place, self.turn.speaker)
            return True
        change = None if composed is not None else read_change(self.rules, statement)
        self._propose(
            Proposal(
                turn=self.place,
                text=statement,
                quote=quote,
                type=type or type_of(self.rules, _finished(says)),
                occurred=self._time(says) or self._time(text) or self._same_time(text, quote),
                event_type=infer_event_type(statement, Origin.USER),
                action=Action.ADD if change is None else Action.UPDATE,
                target=change,
                confidence=confidence,
                reason=reason,
                subject=subject,
                composed=composed,
            )
        )
        self.context.add(self.rules, quote, statement, self.place, self.turn.speaker)
        return True

    def _time(self, text: str) -> Occurred | None:
        return event_time(text, self.turn.at, language=self.rules.language.code)

    def _same_time(self, text: str, quote: str) -> Occurred | None:
        """The time that was spoken of before, if a statement is about "that day" or "that week"."""
        folded = self.rules.fold(text)
        unit = next((unit for unit, form in self.rules.same_time if form.search(folded)), None)
        if unit is None:
            return None
        before = self.turn.text.partition(quote)[0]
        said = (one.text for one in reversed(self.context.said[-_SAID_BEFORE:]))
        times = (self._time(one) for one in (before, *said) if one)
        return next((widen(one, unit) for one in times if one is not None), None)

    def _take_back_joke(self) -> None:
        while self.proposals:
            taken = self.proposals.pop()
            self._demote(taken.quote, "joke")

    def _propose(self, proposal: Proposal) -> None:
        self.proposals.append(proposal)

    def _demote(self, quote: str, reason: str) -> None:
        self.demoted.append(Demoted(self.place, quote, reason))


def _rest_of(sentence: Sentence, before: Sentence) -> Sentence:
    return split_sentence(sentence, len(before.text))[1]


_PARAGRAPH: Any = re2.compile(r"\n\s*\n")
_COMMA: Any = re2.compile(r"[,;，；-]\s*")
_COLON: Any = re2.compile(r"：|:(?:\s|$)")


def _finished(text: str) -> str:
    """A statement without the marks at its end, beginning with a capital."""
    words = text.strip(" \t\n,;:-–—~*•·，；：、").rstrip(" .!。！…")
    return words[:1].upper() + words[1:]
