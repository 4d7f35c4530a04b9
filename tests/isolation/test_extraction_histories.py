"""Nothing that ada says to a model changes a byte of bea's answers: neither what is sent for bea, nor what is learned,
nor what her queue shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from tests.generated import Seeds, half_fresh

from memfort.client import Memory
from memfort.clock import FixedClock
from memfort.embed.extractor import Question
from memfort.model.item import Sensitivity, Status
from memfort.policy.settings.sections import Extraction
from memfort.testing.histories import UPKEEP, History, OpenMemory, Step, World
from memfort.testing.playback import play
from memfort.testing.purge import compare_transcripts
from memfort.testing.space_histories import generate_history

RULES = Extraction((Sensitivity.PUBLIC, Sensitivity.PERSONAL), debounce_seconds=1, attempts=2)


class Echo:
    """A model that repeats each message, updates the first memory that it is shown, and fails at some words."""

    name, endpoint = "echo", "echo here"

    def __init__(self) -> None:
        self.kept = 0

    def ask(self, question: Question, sending: Any) -> Any:
        document = json.loads(question.messages[-1]["content"])
        sending(json.dumps(document).encode())
        if "merger" in str(document["messages"]):
            return "no"
        found = [
            {"message": one["number"], "statement": f"Noted: {one['text']}", "evidence": one["text"]}
            for one in document["messages"]
        ]
        self.kept += len(found)
        if found and document["memories"]:
            found[0] |= {"action": "update", "target": 1}
        return {"statements": found}


def learning(history: History) -> History:
    """A history in which a worker runs in the middle and at the end, and bea then reads everything."""
    middle = len(history.steps) // 2
    work = (Step(UPKEEP, "wait", {"seconds": 600}), Step(UPKEEP, "store.extract", {}))
    voices = dict.fromkeys(step.voice for step in history.steps if step.voice.party == "bea")
    reads = [
        Step(voice, verb, given)
        for voice in voices
        for verb, given in (
            ("extraction.list", {}),
            ("pages", {"limit": 50, "deleted": True, "statuses": [status.value for status in Status]}),
            ("recall", {"query": "noted coffee harbor budget tea", "limit": 50}),
            ("review.list", {}),
            ("trail.export", {}),
            ("extraction.retry", {}),
            ("extraction.drop", {}),
        )
    ]
    steps = (*history.steps[:middle], *work, *history.steps[middle:], *work, *reads, *work)
    world = replace(history.world, policy=replace(history.world.policy, extraction=RULES))
    return replace(history, steps=steps, world=world)


@pytest.mark.parametrize("kind", ["dict", "sqlite"])
@pytest.mark.parametrize("seeds", half_fresh(12, 24))
def test_bea_cannot_detect_what_ada_lets_a_model_read(
    kind: str, seeds: Seeds, on_dict: OpenMemory, on_sqlite: OpenMemory
) -> None:
    echoes: list[Echo] = []

    def open_memory(world: World, clock: FixedClock) -> Memory:
        memory = (on_dict if kind == "dict" else on_sqlite)(world, clock)
        echoes.append(Echo())
        memory._engine.extractor = echoes[-1]
        return memory

    learned = 0
    for seed in seeds.numbers if kind == "dict" else seeds.numbers[::4]:
        history = learning(generate_history(seed))
        whole = play(history, open_memory)
        without = play(history.without("ada"), open_memory)
        assert compare_transcripts(whole, without, "bea") is None, f"history {seed}"
        learned += sum(b"Noted: " in answer for _, answer in whole["bea"])
        for transcript in whole.values():
            assert not [answer for _, answer in transcript if b'"error": "ExtractorFailed"' in answer]
    assert learned or not seeds.show_everything
    assert any(one.kept for one in echoes)
