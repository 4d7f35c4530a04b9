"""Read the turns of a conversation one after the other, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import re2
from msgspec.structs import replace

from memfort.capture.extract.clauses import Clause, cut_fillers, split_clauses
from memfort.capture.extract.confirmations import confirmed, open_question
from memfort.capture.extract.context import Context
from memfort.capture.extract.corrections import Correction, read_change, read_correction, takes_back
from memfort.capture.extract.inside import facts_inside
from memfort.capture.extract.keep import Verdict, decide
from memfort.capture.extract.pronouns import resolve
from memfort.capture.extract.requests import read_forget_request, read_remember_request
from memfort.capture.extract.rules import group_span, rules_for
from memfort.capture.extract.sentences import Sentence, join_sentences, split_sentence, split_sentences
from memfort.capture.extract.slips import read_slip, sentences_beside
from memfort.capture.extract.statement_type import type_of
from memfort.capture.extract.topics import with_ends
from memfort.capture.extraction import Action, Demoted, Extraction, Proposal, SpokenTurn, Target
from memfort.capture.promotion_hints import read_hint
from memfort.language.dates.event import event_time
from memfort.language.slots import fills_slot
from memfort.language.types import infer_event_type
from memfort.model.item import EventType, Origin

_ASKED_FOR = 1.0  # the user said "remember"
_REQUESTED, _CORRECTED, _INSIDE, _CONFIRMED = 0.9, 0.85, 0.7, 0.6
_MOST_STATEMENTS = 40  # of one message; what has more is a document that was pasted
_LONGEST_OPENING = 80  # characters of a correction that the next sentence goes on with
_LONGEST_SENTENCE = 1_000  # characters; the rules read a sentence several times
_PEOPLE = ("relation_aged", "relation_named", "relative", "several", "condition")
_OPEN = ("nothing_lasting", "instruction", "small_talk", "about_something")  # while nobody knows who "she" is
_SUPPOSING = ("hypotheticals", "hypotheticals_anywhere", "role_play")
_TEXTS_BEFORE = 3  # whose language counts for a turn that shows none


def extract(turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn] = ()) -> Extraction:
    """What the new turns leave. `before` are the turns before them: context, never a source."""
    context = Context()
    for place, turn in enumerate(before, start=-len(before)):
        _Turn(place, turn, context).read()
    proposals, demoted = list[Proposal](), list[Demoted]()
    for place, turn in enumerate(turns):
        read = _Turn(place, turn, context)
        read.read()
        proposals += read.proposals
        demoted += read.demoted
    return Extraction(tuple(proposals), tuple(demoted))


class _Turn:
    """One turn while it is read."""

    def __init__(self, place: int, turn: SpokenTurn, context: Context) -> None:
        self.place, self.turn, self.context = place, turn, context
        self.rules = rules_for(turn.text, context.texts)
        self.proposals: list[Proposal] = []
        self.demoted: list[Demoted] = []

    def read(self) -> None:
        if self.turn.origin is Origin.USER:
            self._read_user()
        else:
            self._demote(self.turn.text, "tool_output" if self.turn.origin is Origin.TOOL else "not_the_user")
        if self.turn.origin is Origin.AI:
            self.context.answer = self.turn.text
        elif self.turn.origin is Origin.USER:
            self.context.answer = ""
        self.context.texts.insert(0, self.turn.text[:500])
        del self.context.texts[_TEXTS_BEFORE:]

    def _read_user(self) -> None:
        hinted = read_hint(self.turn.text)
        if hinted.hint is not None and hinted.text != self.turn.text:
            self._keep(hinted.text, hinted.text, _ASKED_FOR, hinted.hint.reason)
            return
        if (slip := self._slip()) is not None:
            self._correct(Sentence(self.turn.text, self.rules.fold(self.turn.text)), slip)
            for rest in sentences_beside(self.turn.text, self.rules):
                self._read_plain(Sentence(rest, self.rules.fold(rest)))
            return
        is_pasted = False
        for sentence in self._sentences():
            is_pasted |= len(self.proposals) >= _MOST_STATEMENTS
            if is_pasted or sentence.kind or len(sentence.text) > _LONGEST_SENTENCE:
                self._demote(sentence.text, sentence.kind or "quotation")
                continue
            self._read_sentence(sentence)
            is_pasted |= self._introduces_pasted_text(sentence)
        if self.place >= 0:
            own = self.context.of(self.turn.speaker)
            self.proposals = with_ends(self.rules, self.turn.text, self.place, own, self.proposals)

    def _slip(self) -> Correction | None:
        """The correction that the whole message makes, if no sentence of it makes one."""
        rules, context = self.rules, self.context.of(self.turn.speaker)
        slip = read_slip(rules, self.turn.text, context)
        if slip is None or any(read_correction(rules, one, context) for one in self._sentences() if not one.kind):
            return None
        return slip

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

    def _introduces_pasted_text(self, sentence: Sentence) -> bool:
        """ "Summarise this: …", and what follows is not the speaker's."""
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
        if (correction := read_correction(rules, sentence, context.of(self.turn.speaker))) is not None:
            self._correct(sentence, correction)
            return
        is_yes = bool(context.answer) and "yes" in found.sections
        if is_yes and (statement := confirmed(rules, context.answer)):
            self._keep(statement, sentence.text, _CONFIRMED, "confirmed")
            return
        if "small_talk" in found.sections:
            self._demote(sentence.text, "small_talk")
            return
        self._read_plain(sentence)

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
        said = correction.said
        own = next((one for one in self.proposals if said is not None and one.text == said.text), None)
        if own is not None:  # corrected before the message was over: only the correction was ever meant
            self.proposals.remove(own)
            self._demote(own.quote, "corrected")
            if said in self.context.said:
                self.context.said.remove(said)
            if correction.action is Action.UPDATE and own.action is Action.ADD:
                self._keep(correction.text, sentence.text, _CORRECTED, "corrected_in_turn")
                return
            if own.action is Action.ADD:
                return
        if said is not None and correction.action is Action.RETRACT and said in self.context.said:
            self.context.said.remove(said)
        if correction.action is Action.UPDATE:
            self.context.add(self.rules, sentence.text, correction.text, self.place, self.turn.speaker)
        self._propose(
            Proposal(
                turn=self.place,
                text=_finished(correction.text),
                quote=sentence.text,
                type=type_of(self.rules, correction.text),
                event_type=EventType.CORRECTION,
                occurred=event_time(correction.text, self.turn.at) if correction.action is Action.UPDATE else None,
                action=correction.action,
                target=correction.target,
                confidence=_CORRECTED,
                reason="correction",
            )
        )
        if rest := correction.rest.strip(" ,.;!"):
            self._read_plain(Sentence(rest, self.rules.fold(rest)))

    def _read_plain(self, sentence: Sentence) -> None:
        rules = self.rules
        whole, folded = cut_fillers(rules, sentence.text, sentence.folded)
        found = rules.find(folded)
        if "jokes" in found.sections:
            self._take_back_joke()
        asks = sentence.is_question or "question_beginnings" in found.sections
        supposes = not asks and not found.sections.isdisjoint(_SUPPOSING)
        instructs = "instructions" in found.sections and not found.types and "standing_wishes" not in found.sections
        if (asks or instructs) and not supposes:
            self._read_request(sentence, "question" if asks else "instruction")
            return
        clauses = split_clauses(rules, sentence)
        if supposes:
            clauses = [Clause(whole, folded)]
        for clause in clauses:
            self._read_clause(clause)

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
        seen = " ".join(one.quote for one in self.proposals)
        for fact in facts_inside(rules, sentence):
            if fact.quote not in seen:
                self._keep(fact.text, fact.quote, _INSIDE, f"inside_{reason}")
                kept = True
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
        if found.sections & {"question_beginnings", "instructions"} and not found.types:
            return False
        if not (self.rules.speaker.match(stated.whole_folded) or self.rules.pronoun.match(stated.whole_folded)):
            return False
        if is_last and sentence.is_question and not clause.subject and self.rules.question_tail(sentence.folded):
            return False
        verdict = decide(self.rules, stated, found, self.context.names)
        if verdict.keeps:
            return self._keep_clause(stated, verdict)
        return False

    def _read_clause(self, clause: Clause) -> None:
        if not clause.subject:
            clause = replace(clause, subject=self.rules.left_out(clause.folded))
        found = self.rules.find(clause.whole_folded)
        verdict = decide(self.rules, clause, found, self.context.names)
        if not clause.subject and self.rules.pronoun.match(clause.folded) and verdict.reason in _OPEN:
            resolved = resolve(self.rules, clause.text, self.context)
            seen = Clause(resolved or "", self.rules.fold(resolved or ""))
            verdict = decide(self.rules, seen, self.rules.find(seen.folded), self.context.names)
            if verdict.keeps:
                self._keep(seen.text, clause.text, verdict.confidence, verdict.reason)
                return
        if not verdict.keeps and (answer := self._answer(clause, verdict)):
            self._keep(answer, clause.text, _CONFIRMED, "answer")
        elif verdict.keeps:
            self._keep_clause(clause, verdict)
        elif verdict.reason == "nothing_lasting" and fills_slot(clause.whole):
            self._keep(clause.whole, clause.text, _CONFIRMED, "fills_slot")
        elif not self._keep_inside(clause):
            self._demote(clause.text, verdict.reason)

    def _keep_inside(self, clause: Clause) -> bool:
        """Keep who somebody is that a clause names in passing: "my granddaughter Beatrix set you up"."""
        found = [one for one in facts_inside(self.rules, Sentence(clause.text, clause.folded)) if one.rule in _PEOPLE]
        for fact in found:
            self._keep(fact.text, fact.quote, _INSIDE, "inside_talk")
        return bool(found)

    def _answer(self, clause: Clause, verdict: Verdict) -> str | None:
        """A few words that answer what the assistant asked about the user, with the question beside them."""
        if verdict.reason != "nothing_lasting" or not self.context.answer:
            return None
        question = open_question(self.rules, self.context.answer)
        return f"{clause.text} ({question})" if question else None

    def _keep_clause(self, clause: Clause, verdict: Verdict) -> bool:
        text = clause.whole
        resolved = resolve(self.rules, text, self.context)
        return self._keep(resolved or text, clause.text, verdict.confidence, verdict.reason)

    def _keep(self, text: str, quote: str, confidence: float, reason: str) -> bool:
        statement = _finished(text)
        if self.place < 0:  # a turn before: what it says is context, and its type and time are not asked for
            self._propose(Proposal(turn=self.place, text=statement, quote=quote))
            self.context.add(self.rules, quote, statement, self.place, self.turn.speaker)
            return True
        change = read_change(self.rules, statement, self.context.of(self.turn.speaker))
        self._propose(
            Proposal(
                turn=self.place,
                text=statement,
                quote=quote,
                type=type_of(self.rules, statement),
                occurred=event_time(statement, self.turn.at),
                event_type=infer_event_type(statement, Origin.USER),
                action=Action.ADD if change is None else Action.UPDATE,
                target=change,
                confidence=confidence,
                reason=reason,
            )
        )
        self.context.add(self.rules, quote, statement, self.place, self.turn.speaker)
        return True

    def _take_back_joke(self) -> None:
        while self.proposals:
            taken = self.proposals.pop()
            self._demote(taken.quote, "joke")

    def _propose(self, proposal: Proposal) -> None:
        self.proposals.append(proposal)

    def _demote(self, quote: str, reason: str) -> None:
        self.demoted.append(Demoted(self.place, quote, reason))


_COLON: Any = re2.compile(r"：|:(?:\s|$)")


def _finished(text: str) -> str:
    """A statement without the marks at its end, beginning with a capital."""
    words = text.strip(" \t\n,;:-–—~*•·，；：、").rstrip(" .!。！…")
    return words[:1].upper() + words[1:]
