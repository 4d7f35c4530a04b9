"""The demonstration tells the truth: what it prints is what happened."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from memfort.surfaces.cli.demo import Step, run, story


@pytest.fixture(scope="module")
def steps(tmp_path_factory) -> list[Step]:
    return list(story(Path(tmp_path_factory.mktemp("demo")) / "memory.db"))


def test_bob_sees_the_project_and_not_alice(steps: list[Step]) -> None:
    assert [step.result for step in steps if step.title.startswith("Bob is in the project")] == [
        "Apollo launches on Friday"
    ]


def test_an_outsider_of_the_chat_gets_nothing_and_the_reason_is_said(steps: list[Step]) -> None:
    inside = next(step for step in steps if step.title.startswith("A group chat"))
    outside = next(step for step in steps if step.title.startswith("Carol"))
    assert "noodle bar" in inside.result
    assert (outside.result, outside.why) == ("nothing", "chat=lunch: not_a_participant")


def test_the_agents_private_space_is_its_owners(steps: list[Step]) -> None:
    alice, bob = (step.result for step in steps if step.title.startswith("Alice's agent"))
    assert "reviews code at night" in alice
    assert bob == "Go vet finds copied locks"


def test_the_secret_is_refused_plain_and_disguised(steps: list[Step]) -> None:
    secrets = [step for step in steps if "secret" in step.why]
    assert len(secrets) == 2
    assert all(step.result == "refused" for step in secrets)


def test_the_correction_wins_and_the_erase_leaves_nothing(steps: list[Step]) -> None:
    results = {step.title: step.result for step in steps}
    assert results["The correction wins for everyone, and the history stays"] == "Apollo launches on Monday"
    assert results["Nothing of it is left in any file"] == "no residue"
    assert next(step.result for step in steps if "The trail records" in step.title).startswith("ok")


def test_the_demo_can_be_read_by_a_program() -> None:
    out = io.StringIO()
    run(Console(file=out), as_json=True)
    steps = json.loads(out.getvalue())["demo"]
    assert len(steps) >= 15
    assert all(step["call"] and step["result"] for step in steps)
