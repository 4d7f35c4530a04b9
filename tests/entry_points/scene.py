"""A store with two people in it, the writes that it must refuse, and what of them is in force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memfort import BoundMemory, Item, Memory
from memfort.engine.engine import ALL_STATES
from memfort.model.item import is_live
from memfort.model.people.actor import ActorKind
from memfort.policy.sight import maintenance_sight

OWN, BOBS, PROJECT = {"user": "alice"}, {"user": "bob"}, {"project": "apollo"}
TOKEN = "gh" + "p_" + "a1B2" * 9  # made when the test runs, so that no scanner takes this file for a leak

# An earlier policy, under which everything was admitted; and the one in force when the entry points are tried.
_WAYS = [{"from_level": level, "to_level": "project", "authority": "ai_inferred"} for level in ("user", "chat")]
LOOSE = {
    "spaces": {"promotions": _WAYS},
    "secrets": {"allow": [{"detector": "github_pat"}]},
    "privacy": {"personal_private": "allow", "personal_shared": "allow"},
}
STRICT = {"spaces": {"promotions": _WAYS}, "privacy": {"sensitive_words": ["nightshade"]}}


class Write(NamedTuple):
    """A statement, where it is to go, who tries, and why it has to be refused."""

    name: str
    text: str
    words: str  # what to look for
    reasons: tuple[str, ...] = ()  # of which the refusal has one; none: it is admitted
    space: dict[str, str] = OWN
    by_agent: bool = False  # an agent tries that acts for alice, otherwise she herself

    @property
    def is_wrong(self) -> bool:
        return bool(self.reasons)

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is for a space where the caller may not write."""
        return self.space == BOBS


NOT_THERE = ("border_write", "promotion_disallowed", "NotFound", "not_found", "belongs to another user")
WRONG = {
    one.name: one
    for one in (
        Write("secret", f"the sign at the gate reads {TOKEN}", TOKEN, ("secret",)),
        Write("border", "the cellar of the mill is damp", "cellar of the mill", NOT_THERE, BOBS),
        Write("governance", "the herb by the wall is nightshade", "nightshade", ("privacy_deny_sensitive",)),
        Write("rejected", "the well by the barn is haunted", "is haunted", ("rejected_before",), by_agent=True),
        Write("personal", "the miller answers at miller@example.org", "miller@", ("personal_shared",), PROJECT),
    )
}
RIGHT = {
    one.name: one
    for one in (
        Write("own", "the gate of the yard is painted green", "painted green"),
        Write("by an agent", "the gate of the yard is painted green", "painted green", by_agent=True),
        Write("shared", "the gate of the yard is painted green", "painted green", space=PROJECT),
    )
}


class Scene:
    """Alice, her agents and bob, on a store whose policy was a loose one so far."""

    def __init__(self, memory: Memory, path: Path) -> None:
        self.memory, self.path = memory, path  # there is a file only if the store is one of SQLite
        memory.member.add(PROJECT, user="alice", trust="owner")
        for agent, owner in {
            "bot": "alice",
            "scribe": "alice",
            "editor": "alice",
            "bobs": "bob",
            "bobs2": "bob",
        }.items():
            memory.agent.register(agent, owner=owner)
        memory.policy.use(LOOSE)

    @property
    def alice(self) -> BoundMemory:
        return self.memory.as_user("alice", **PROJECT)

    @property
    def bob(self) -> BoundMemory:
        return self.memory.as_user("bob")

    def caller(self, write: Write) -> BoundMemory:
        """Who tries."""
        return self.agent("bot") if write.by_agent else self.alice

    def owner(self, write: Write) -> BoundMemory:
        """Who could write it there: what was there before is theirs."""
        return self.bob if write.is_elsewhere else self.caller(write)

    def agents(self, write: Write) -> tuple[BoundMemory, BoundMemory]:
        """Two agents of the owner."""
        return (
            (self.agent("bobs"), self.agent("bobs2"))
            if write.is_elsewhere
            else (self.agent("scribe"), self.agent("editor"))
        )

    def agent(self, name: str) -> BoundMemory:
        if name.startswith("bobs"):
            return self.memory.as_agent(name, acting_for="bob")
        return self.memory.as_agent(name, acting_for="alice", **PROJECT)

    def tighten(self, write: Write, space: dict[str, str] | None = None) -> None:
        """From now on the write is wrong: the strict policy is in use, or alice has rejected the value there. She
        rejects it in other characters, so that the rejected memory is not the one that is tried."""
        if write.name == "rejected":
            disguised = write.text.replace("haunted", "haun\u200bted")
            told = self.alice.remember(disguised, space=space or write.space, confidence=0.1)
            self.alice.review.reject(told.id)
        self.memory.policy.use(STRICT)

    # -- what is there -----------------------------------------------------------------------------------------------

    def items(self) -> Iterator[Item]:
        """Every memory of the store, in any state."""
        store = self.memory.store_in_use
        yield from self.memory._engine.all_items(maintenance_sight(store.spaces()), ALL_STATES)

    def in_force(self, write: Write) -> set[tuple[str, str]]:
        """The memories in force that say it, and their spaces: those that the write is wrong in."""
        return {
            (str(item.space.to_dict()), item.id)
            for item in self.items()
            if is_live(item, self.memory._engine.clock.now()) and says(item, write) and self._is_wrong_in(item, write)
        }

    def mentions(self, write: Write) -> int:
        """How many memories in any state say it."""
        return sum(says(item, write) for item in self.items())

    def _is_wrong_in(self, item: Item, write: Write) -> bool:
        if write.name == "border":
            return item.space.to_dict() == BOBS and item.author.kind is not ActorKind.SYSTEM
        return write.name != "personal" or not item.space.is_private


def says(item: Any, write: Write) -> bool:
    return write.words in item.text
