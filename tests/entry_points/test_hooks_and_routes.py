"""The entry points that are no verb of the table: a hook and a route. And what a verb brings into force on the side."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.entry_points.scene import OWN, RIGHT, STRICT, WRONG, Scene, Write
from tests.entry_points.surfaces import ask_http, in_a_file, open_scene, run_command

from memfort import Denied, FixedClock


@pytest.fixture
def scenes(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., Scene]]:
    made: list[Scene] = []

    def make(surface: str = "python on the memory store") -> Scene:
        made.append(open_scene(surface, tmp_path / str(len(made)) / "memory.db", clock))
        return made[-1]

    yield make
    for scene in made:
        scene.memory.close()


IN_ONES_OWN = [one for one in (*WRONG.values(), *RIGHT.values()) if one.space == OWN]
writes = pytest.mark.parametrize("write", IN_ONES_OWN, ids=lambda write: write.name)


def check(scene: Scene, write: Write, answer: str) -> None:
    assert bool(scene.in_force(write)) is not write.is_wrong, f"{write.name}: {answer}"
    assert write.name != "secret" or scene.mentions(write) == 0


@writes
def test_the_hook_at_the_end_of_a_session(scenes: Callable[..., Scene], write: Write) -> None:
    scene = scenes("command line")
    scene.tighten(write)
    role = "assistant" if write.by_agent else "user"
    entry = {"type": role, "uuid": "1", "message": {"role": role, "content": write.text}}
    transcript = in_a_file(scene.path.parent, json.dumps(entry).encode())
    given = json.dumps({"transcript_path": transcript, "session_id": "s1"})
    check(scene, write, run_command(scene, write, "hooks", "session-end", stdin=given))


@writes
@pytest.mark.parametrize("as_messages", [False, True], ids=["text", "messages"])
def test_the_route_of_memories(scenes: Callable[..., Scene], write: Write, as_messages: bool) -> None:
    scene = scenes("http")
    scene.tighten(write)
    role = "assistant" if write.by_agent else "user"
    body: Any = [{"role": role, "content": write.text}] if as_messages else write.text
    check(scene, write, ask_http(scene, write, "/v1/memories", {"messages": body}))


@pytest.mark.parametrize("write", [WRONG["secret"], WRONG["governance"], RIGHT["own"]], ids=lambda write: write.name)
def test_the_summary_of_turns_that_leave_the_window(scenes: Callable[..., Scene], write: Write) -> None:
    scene = scenes()
    window = {"conversation": {"turns": "window"}, "budget": {"short_term": 2}}
    scene.memory.policy.use({**scene.memory.policy.show().policy.to_dict(), **window})
    scene.alice.observe(write.text, conversation="c", space=OWN)
    turns = scene.in_force(write)
    assert turns
    scene.memory.policy.use({**STRICT, **window})
    for text in ("the road to the mill is long", "the bridge over the brook is old", "the barn is empty"):
        seen = scene.alice.observe(text, conversation="c", space=OWN)
    summaries = scene.in_force(write) - turns
    assert bool(summaries) is not write.is_wrong, seen


@pytest.mark.parametrize("write", [WRONG["secret"], WRONG["governance"], RIGHT["own"]], ids=lambda write: write.name)
def test_a_proposal_to_promote_it(scenes: Callable[..., Scene], write: Write) -> None:
    """Alice said it to bob alone. Bob may only propose to promote it, and the proposal is a copy in her own space."""
    scene = scenes()
    scene.memory.chat.register("quiet", kind="private", participants=["alice", "bob"])
    scene.memory.member.add({"project": "apollo"}, user="bob", trust="owner")
    said = scene.memory.as_user("alice", chat="quiet").remember(
        write.text, space={"chat": "quiet"}, sensitivity="public"
    )
    assert scene.mentions(write) == 1
    scene.tighten(write)
    outcome = scene.memory.as_user("bob", chat="quiet", project="apollo").promote(said.id, to={"project": "apollo"})
    assert (outcome.reason == "release_waits") is not write.is_wrong, outcome
    assert scene.mentions(write) == (1 if write.is_wrong else 2)


def test_a_proposal_that_was_made_before_is_not_released(scenes: Callable[..., Scene]) -> None:
    scene, write = scenes(), WRONG["governance"]
    scene.memory.chat.register("quiet", kind="private", participants=["alice", "bob"])
    scene.memory.member.add({"project": "apollo"}, user="bob", trust="owner")
    said = scene.memory.as_user("alice", chat="quiet").remember(
        write.text, space={"chat": "quiet"}, sensitivity="public"
    )
    scene.memory.as_user("bob", chat="quiet", project="apollo").promote(said.id, to={"project": "apollo"})
    before = scene.in_force(write)
    scene.tighten(write)
    [waits] = scene.alice.review.list()
    with pytest.raises(Denied, match="privacy_deny_sensitive"):
        scene.alice.review.approve(waits.item.id)
    assert scene.in_force(write) == before
