"""What the demonstration leaves to look at in Studio: a team, a project, a few rooms, and something that waits.

Nothing is staged here either: every line goes through the verbs and their gates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memfort.client import Memory
from memfort.model.people.directory import Trust
from memfort.surfaces.cli.demo import story

LOOKS_AS, LOOKS_FROM = "alice", {"project": "apollo"}
_TEAM = (("alice", Trust.OWNER), ("bob", Trust.CONTRIBUTOR), ("carol", Trust.APPROVER))


def fill(path: Path) -> None:
    """Play the story of the demonstration, and go on with a launch that a team talks about."""
    for _ in story(path):
        pass
    with Memory.open(path, memberships="registered") as memory:
        add_launch(memory)


def add_launch(memory: Memory) -> None:
    """A team that plans a launch, in a project, in a group, in private and each alone."""
    for name, trust in _TEAM:
        memory.member.add({"project": "apollo"}, user=name, trust=trust)
    memory.chat.register("apollo-team", kind="group", participants=["alice", "bob", "carol"])
    memory.chat.register("alice-carol", kind="private", participants=["alice", "carol"])
    _what_the_project_knows(memory)
    _what_is_said_in_rooms(memory)
    _what_waits(memory)


def _what_the_project_knows(memory: Memory) -> None:
    apollo = {"project": "apollo"}
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    carol = memory.as_user("carol", project="apollo")
    public: dict[str, Any] = {"space": apollo, "sensitivity": "public"}
    moved = "The launch moved to 9 December, because the security review needs a week more."
    bob.remember(moved, type="decision", **public)
    alice.remember("Launch notes go to apollo-news the day before.", type="decision", **public)
    alice.remember("The budget for the launch is 18,000 euros.", access={"users": ["alice", "carol"]}, **public)
    bob.remember("For the spring launch we told the support desk three days ahead.", **public)
    carol.remember("The support desk opens at eight on launch day.", space=apollo)  # nobody says how private that is


def _what_is_said_in_rooms(memory: Memory) -> None:
    team = {name: memory.as_user(name, chat="apollo-team") for name, _ in _TEAM}
    team["bob"].observe(
        [
            {
                "role": "user",
                "content": "New date for the launch: 9 December. Carol has to know first, she books the rooms.",
            },
        ],
        space={"chat": "apollo-team"},
    )
    team["alice"].remember("Our launch standup is at 9 on Mondays.")
    team["alice"].remember("My train gets in at ten on launch day.")
    team["alice"].remember("The code name of the launch is Kestrel.", portable=False)
    private = memory.as_user("carol", chat="alice-carol")
    private.remember("I have a hospital appointment on 8 December, a day before the launch.")
    memory.as_user("alice", chat="alice-carol").remember(
        "@carol has a hospital appointment on 8 December and is not on call for the launch.", subjects=["@carol"]
    )


def _what_waits(memory: Memory) -> None:
    """Statements that somebody has to look at, and one that replaces what is in force."""
    bob = memory.as_user("bob", project="apollo")
    apollo = {"project": "apollo"}
    bob.remember("The launch standup may move to Tuesdays.", space=apollo, confidence=0.5)
    bob.remember("The press list for the launch is with Dora.", space=apollo, confidence=0.4)
    memory.as_user("alice").remember("My number for launch day is +49 170 5550199.")
