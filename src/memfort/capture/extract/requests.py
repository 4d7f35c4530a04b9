"""Requests to remember and requests to forget."""

from __future__ import annotations

from typing import Any

import re2
from msgspec import Struct

from memfort.capture.extract.clauses import split_clauses
from memfort.capture.extract.context import Context
from memfort.capture.extract.keep import decide
from memfort.capture.extract.rules import Conversation, Found, rules_for
from memfort.capture.extract.sentences import Sentence, split_sentences
from memfort.capture.extraction import Target


class RememberRequest(Struct, frozen=True):
    text: str  # what is to be remembered, verbatim; empty if it is what was said before
    folded: str


def read_remember_request(rules: Conversation, sentence: Sentence, found: Found) -> RememberRequest | None:
    folded = sentence.folded
    if sentence.is_question or "no_remember_requests" in found.sections:
        return None
    if lead := rules.remember.match(folded):
        return RememberRequest(sentence.text[lead.end() :], folded[lead.end() :])
    if tail := rules.remember_behind.search(folded):
        return RememberRequest(sentence.text[: tail.start()], folded[: tail.start()])
    return None


def read_order(rules: Conversation, sentence: Sentence) -> str | None:
    """An order in passing that holds for later too, without the words that only ask for it: "can you call me Mia from
    now on?" leaves "call me Mia from now on"."""
    words, folded = sentence.text.rstrip(_ENDS).lstrip(_OPENINGS), sentence.folded
    start = folded.find(rules.fold(words))
    folded = folded[start : start + len(words)]
    if "orders" not in rules.find(folded + sentence.folded[start + len(words) :]).sections:
        return None
    if rules.writing_task.match(folded):
        return None
    lead = rules.order_lead.match(folded)
    return words if lead is None else words[lead.end() :]


def read_forget_request(rules: Conversation, sentence: Sentence, context: Context, found: Found) -> Target | None:
    """What is to be forgotten, if the sentence asks for that."""
    if not _asks_to_forget(found.sections):
        return None
    query = _query(rules, sentence.text)
    if not query and context.said:
        return Target(words=context.said[-1].words, query=context.said[-1].text)
    return Target(query=query)


def only_asks_to_forget(text: str) -> bool:
    """Whether a message says nothing but what is to be forgotten."""
    rules = rules_for(text)
    sentences = [one for one in split_sentences(text) if one.folded.strip(" .!,")]
    return bool(sentences) and all(
        _asks_to_forget(rules.find(one.folded).sections) and not _states_something(rules, one) for one in sentences
    )


def _states_something(rules: Conversation, sentence: Sentence) -> bool:
    """Whether a sentence goes on after what it asks for: "scratch that, Carmen has paid it"."""
    clauses = split_clauses(rules, sentence)[1:]
    return any(decide(rules, clause, rules.find(clause.folded), ()).keeps for clause in clauses)


def _asks_to_forget(sections: frozenset[str]) -> bool:
    return "forget_requests" in sections and "no_forget_requests" not in sections


def _query(rules: Conversation, text: str) -> str:
    """The words that say what is to be forgotten."""
    if rules.is_spaced:
        return " ".join(word for word in _WORD.findall(text) if not rules.request_words.issuperset(_parts(rules, word)))
    rest = text
    for word in sorted(rules.request_words, key=lambda one: (-len(one), one)):
        rest = rest.replace(word, " ")
    return " ".join(rest.split()).strip(" ，。！,.!")


def _parts(rules: Conversation, word: str) -> list[str]:
    return rules.fold(word).split("'")


_ENDS = " .!?。！？"
_OPENINGS = "¿¡ "
_WORD: Any = re2.compile(r"[\pL\pN]+(?:['’-][\pL\pN]+)*")
