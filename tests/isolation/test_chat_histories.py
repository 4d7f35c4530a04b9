"""Nothing hidden from the chat bea is in changes a byte of her answers there, and both stores answer the same."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from tests.generated import Seeds, half_fresh

from memfort.testing.chat_histories import (
    HIDDEN,
    OBSERVER,
    compare_in_chat,
    difference_in_chat,
    generate_chat_history,
    without_tags_out_of_sight,
)
from memfort.testing.histories import History, OpenMemory, Transcript
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts, shrink

EXPECTED_ERRORS = {"NotFound", "InvalidInput", "Denied"}
_ERRORS = re.compile(rb'(?:^|^\{"answer": )\{"error": "(\w+)", "message": ')
_FIGURES = re.compile(rb', "(?:log_bytes_left|unused_bytes_left|unused_bytes_overwritten)": \d+')

ENOUGH = 50  # histories, to say how often something happens
# How often each happens to bea in her chat, at least, for every hundred histories.
OFTEN = {
    "recall finds": 150,
    "about finds": 150,
    "is disclosed": 30,
    "get finds": 50,
    "history finds": 2,
    "explain finds": 4,
    "a place in a ranking": 50,
    "withheld": 70,
    "list finds": 150,
    "forget works": 10,
    "erase works": 10,
    "correct works": 3,
    "promote works": 2,
    "a window": 5,
    "NotFound": 60,
    "duplicate": 10,
    "elsewhere finds": 60,
    "people.find finds": 80,
    "people.relations finds": 8,
    "a listing of people": 100,
    "a person is made": 30,
    "a merge works": 10,
    "an export of people": 30,
    "people.forget works": 10,
    "doctor works": 10,
}


@pytest.mark.parametrize("seeds", half_fresh(100, 1_200))
def test_a_chat_cannot_detect_memories_closed_to_it_on_dicts(seeds: Seeds, on_dict: OpenMemory) -> None:
    _assert_no_difference(seeds, on_dict)


@pytest.mark.parametrize("seeds", half_fresh(40, 300, first=1_000_000))
def test_a_chat_cannot_detect_memories_closed_to_it_on_sqlite(seeds: Seeds, on_sqlite: OpenMemory) -> None:
    _assert_no_difference(seeds, on_sqlite)


@pytest.mark.parametrize("seeds", half_fresh(24, 200, first=2_000_000))
def test_disclosed_statements_come_without_their_metadata(seeds: Seeds, on_dict: OpenMemory) -> None:
    disclosed = 0
    for seed in seeds:
        history = generate_chat_history(seed)
        answers = play(history, on_dict)
        found = compare_in_chat(history, answers, play(without_tags_out_of_sight(history), on_dict))
        assert found is None, f"bea is shown undisclosed tags\n{history}\n\n{found}"
        disclosed += sum(b'"about_me"' in answer for _, answer in answers[OBSERVER])
    assert disclosed or not seeds.show_everything


@pytest.mark.parametrize("seeds", half_fresh(24, 200, first=3_000_000))
def test_dicts_and_sqlite_answer_every_chat_the_same(seeds: Seeds, on_dict: OpenMemory, on_sqlite: OpenMemory) -> None:
    for seed in seeds:
        history = generate_chat_history(seed)
        if _between_stores(history, on_dict, on_sqlite) is not None:
            small = shrink(history, lambda one: _between_stores(one, on_dict, on_sqlite) is not None)
            pytest.fail(f"the stores differ\n{small}\n\n{_between_stores(small, on_dict, on_sqlite)}")


def _between_stores(history: History, on_dict: OpenMemory, on_sqlite: OpenMemory) -> str | None:
    left, right = _without_figures(play(history, on_dict)), _without_figures(play(history, on_sqlite))
    found = (compare_transcripts(left, right, party) for party in left)
    return next((str(one) for one in found if one is not None), None)


def _without_figures(transcripts: dict[str, Transcript]) -> dict[str, Transcript]:
    return {party: [(step, _FIGURES.sub(b"", answer)) for step, answer in said] for party, said in transcripts.items()}


def _assert_no_difference(seeds: Seeds, open_memory: OpenMemory) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds:
        history = generate_chat_history(seed)
        transcripts = play(history, open_memory)
        if compare_in_chat(history, transcripts, play(history.without(HIDDEN), open_memory)) is not None:
            small = shrink(history, lambda one: difference_in_chat(one, open_memory) is not None)
            pytest.fail(f"the chat can tell\n{small}\n\n{difference_in_chat(small, open_memory)}")
        _assert_no_fault(history, transcripts)
        seen.update(_controls(transcripts))
    if seeds.show_everything and len(seeds) >= ENOUGH:
        share = len(seeds) / 100
        rare = {name: (seen[name], least * share) for name, least in OFTEN.items() if seen[name] < least * share}
        assert not rare, f"too rare in {len(seeds)} histories (seen, wanted): {rare}"


def _assert_no_fault(history: History, transcripts: dict[str, Transcript]) -> None:
    for transcript in transcripts.values():
        for step, answer in transcript:
            for name in _ERRORS.findall(answer):
                assert name.decode() in EXPECTED_ERRORS, f"history {history.seed}: {step}\n{answer.decode()}"


def _controls(transcripts: dict[str, Transcript]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for step, answer in transcripts.get(OBSERVER, []):
        refused = bool(_ERRORS.match(answer))
        if step.verb in {"about", "get", "history", "explain"}:
            seen[f"{step.verb} finds"] += b'"author"' in answer or b"written by" in answer or b"said by" in answer
        if step.verb in {"forget", "erase", "correct", "promote"} and not refused:
            seen[f"{step.verb} works"] += 1
        seen[f"{step.verb} finds"] += step.verb in {"people.find", "people.relations"} and b'"created_by"' in answer
        seen["a listing of people"] += step.verb == "people.list" and b'"merged_into"' in answer
        seen["a person is made"] += step.verb in {"people.add", "remember"} and b'"per_' in answer and not refused
        seen["a merge works"] += step.verb in {"people.merge", "people.link"} and not refused
        seen["an export of people"] += step.verb == "export" and b'{"person": {' in answer
        seen[f"{step.verb} works"] += step.verb in {"people.forget", "doctor"} and not refused
        seen["a place in a ranking"] += b'"ranking": {' in answer
        seen["withheld"] += b'"withheld": {"' in answer
        seen["recall finds"] += b'"hits": [{' in answer
        seen["list finds"] += b'"items": [{' in answer
        seen["is disclosed"] += b'"level": "about_me"' in answer
        seen["a window"] += step.verb == "window" and b'"author"' in answer
        seen["NotFound"] += b'"error": "NotFound"' in answer
        seen["duplicate"] += b'"reason": "duplicate"' in answer
    seen["elsewhere finds"] = sum(b'"hits": [{' in answer for _, answer in transcripts.get(HIDDEN, []))
    return seen
