"""Every function that reads a text by itself: each is put every text, and may raise nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from memfort import Kind, Origin
from memfort.capture.extract import extract
from memfort.capture.extract.requests import only_asks_to_forget
from memfort.capture.extract.sentences import split_sentences
from memfort.capture.extraction import SpokenTurn
from memfort.capture.promotion_hints import read_hint
from memfort.capture.turns import find_traits, parse_turn, says_nothing
from memfort.capture.whole_messages import extract_messages
from memfort.language import (
    attributes,
    concepts,
    mentions,
    normal_form,
    normalise,
    profile_facts,
    sensitivity,
    sharing,
    slots,
    types,
    words,
)
from memfort.language.dates.asked_days import AskedDays
from memfort.language.dates.ends import find_end
from memfort.language.dates.event import event_time
from memfort.language.dates.event_references import find_event_reference
from memfort.language.dates.parse import day_phrases, find_day, find_days
from memfort.model.moment import Moment
from memfort.policy.gates.instruction_like import find_instructions
from memfort.policy.gates.personal_data import find_personal
from memfort.policy.gates.supersession import Claims, change_keys_of, supersedes
from memfort.policy.rejected_form import rejected_form
from memfort.policy.secrets.detect import find_secrets
from memfort.recall.overview import find_overview
from memfort.recall.parse_query import parse_query
from memfort.recall.question_phrases import strip_question_phrase
from memfort.recall.render import count_tokens
from memfort.recall.values import find_values

NOW = Moment(1_767_225_600_000_000)  # 2026-01-01T00:00:00Z
TODAY = date(2026, 1, 1)
BEFORE = (
    SpokenTurn("My sister Ana visits me on Saturday. I live in Hamburg.", Origin.USER, NOW),
    SpokenTurn("So you live in Hamburg with Ana?", Origin.AI, NOW),
)


def _extract(text: str) -> Any:
    return extract([SpokenTurn(text, Origin.USER, NOW), SpokenTurn("No wait, Thursday.", Origin.USER, NOW)], BEFORE)


READERS: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {
        "attributes": attributes.name_attribute,
        "change keys": lambda text: change_keys_of(Claims(text)),
        "concepts": concepts.concept_terms,
        "concepts of a query": concepts.concepts_by_word,
        "dates": lambda text: find_days(text, (2025, 2026), TODAY),
        "dates of a question": lambda text: AskedDays(text).days((1, 2025, 9999), TODAY),
        "dates, first": find_day,
        "dates, words": day_phrases,
        "end of validity": lambda text: find_end(text, TODAY),
        "event reference": find_event_reference,
        "event time": lambda text: event_time(text, NOW),
        "extract": _extract,
        "extract messages": lambda text: extract_messages([SpokenTurn(text, Origin.USER, NOW)]),
        "forget request": only_asks_to_forget,
        "group words": sharing.is_about_the_group,
        "instructions": find_instructions,
        "names": mentions.mentions,
        "normal form": normal_form.normal_text,
        "overview": find_overview,
        "parse_query": parse_query,
        "personal data": find_personal,
        "portable": sharing.is_portable,
        "profile facts": profile_facts.find_facts,
        "promotion hint": read_hint,
        "question phrase": strip_question_phrase,
        "reading": normalise.read,
        "rejected form": lambda text: rejected_form(Kind.SEMANTIC, None, text),
        "secrets": find_secrets,
        "sensitivity": sensitivity.judge_words,
        "sensitivity, category": sensitivity.classify,
        "sentences": split_sentences,
        "sentences that state": sensitivity.statements,
        "sharing": lambda text: sharing.is_for_anybody(text, "ada"),
        "slots": slots.find_clauses,
        "small talk": says_nothing,
        "supersession": lambda text: supersedes(text, "My sister Ana visits me on Saturday"),
        "supersession, reversed": lambda text: supersedes("My sister Ana visits me on Sunday", text),
        "terms": words.text_terms,
        "terms of a query": words.query_terms,
        "tokens": count_tokens,
        "traits": find_traits,
        "turn": parse_turn,
        "type": types.infer_type,
        "values": find_values,
    }
)
