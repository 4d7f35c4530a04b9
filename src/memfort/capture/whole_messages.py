"""The simplest extractor: each message of the user is one statement, with the profile facts in it, and each tool result
is one. Which of them are kept, the policy decides by their event types."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from memfort.capture.extraction import Extraction, Proposal, SpokenTurn
from memfort.capture.promotion_hints import read_hint
from memfort.language.profile_facts import FACT_KEYS, find_facts
from memfort.language.types import infer_event_type
from memfort.model.item import EventType, Kind, Origin


def extract_messages(
    turns: Sequence[SpokenTurn],
    before: Sequence[SpokenTurn] = (),  # noqa: ARG001  # of an `Extractor`; a message is read by itself here
    *,
    keys: Collection[str] = FACT_KEYS,
) -> Extraction:
    """What the turns leave: statements first, then the profile facts of each. `keys` are the facts to look for."""
    return Extraction(tuple(one for place, turn in enumerate(turns) for one in _read(place, turn, keys)))


def _read(place: int, turn: SpokenTurn, keys: Collection[str]) -> Iterator[Proposal]:
    if turn.origin is Origin.TOOL:
        yield Proposal(turn=place, text=turn.text, quote=turn.text, event_type=EventType.EXECUTION)
    if turn.origin is not Origin.USER:
        return
    said = read_hint(turn.text).text
    event_type = infer_event_type(said, Origin.USER, keys)
    yield Proposal(turn=place, text=said, quote=said, event_type=event_type)
    of_fact = EventType.CORRECTION if event_type is EventType.CORRECTION else EventType.FACT
    for fact in find_facts(said, keys):
        yield Proposal(turn=place, text=fact.value, quote=said, kind=Kind.PROFILE, key=fact.key, event_type=of_fact)
