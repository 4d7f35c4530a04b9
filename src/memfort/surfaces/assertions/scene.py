"""The setup of an assertion: a memory on its own store, with the people, chats and memories that a file gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import fields, replace

from memfort.client.bound import BoundMemory
from memfort.client.memory import Memory
from memfort.clock import FixedClock
from memfort.errors import InvalidInput, did_you_mean
from memfort.model.moment import to_moment
from memfort.model.people.directory import ChatKind
from memfort.model.serialize.decoding import check_fields
from memfort.model.space import Level
from memfort.policy.settings.policy import Policy
from memfort.policy.standing import Memberships
from memfort.store.memory import MemoryStore


class Statement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of `remember`, with the speaker and the place."""

    acting_for: str | None = None
    at: Mapping[str, str] = {}
    text: str | None = None
    space: Mapping[str, str] | None = None
    visibility: str | None = None
    type: str | None = None
    kind: str | None = None
    key: str | None = None
    tags: tuple[str, ...] | None = None
    origin: str | None = None
    source: str | None = None
    sensitivity: str | None = None
    access: Mapping[str, tuple[str, ...]] | None = None
    subjects: tuple[str, ...] | None = None
    event_type: str | None = None
    is_correction: bool | None = None
    captured: bool | None = None
    confidence: float | None = None
    importance: float | None = None
    status: str | None = None
    ttl_seconds: float | None = None
    ttl_ticks: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def given(self) -> dict[str, object]:
        """The fields that belong to the memory."""
        names = [one.name for one in fields(Statement) if one.name not in {"acting_for", "at"}]
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class GivenMemory(Statement, frozen=True, kw_only=True):
    """A memory that exists before the assertions run. Assertions refer to it by its name."""

    name: str
    by: str


class GivenChat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: ChatKind
    participants: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


class Given(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The people, chats and memories that assertions are made about."""

    now: str = "2026-01-01T00:00:00Z"
    memberships: Memberships = Memberships.TRUSTED
    agents: Mapping[str, str] = {}  # with the owner of each
    chats: Mapping[str, GivenChat] = {}
    members: Mapping[Level, Mapping[str, tuple[str, ...]]] = {}
    memories: tuple[GivenMemory, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


class Known(Struct, frozen=True):
    """A given memory, as it was kept."""

    id: str
    text: str
    author: BoundMemory


class Scene(Struct, frozen=True):
    """A memory as `given` describes it, with its clock and its named memories."""

    memory: Memory
    clock: FixedClock
    known: Mapping[str, Known]

    def named(self, name: str | None) -> Known:
        if name is None:
            raise InvalidInput("memory", "it is missing", "name one of the memories in `given`")
        if name not in self.known:
            hint = did_you_mean(name, self.known) if self.known else "add it to `given.memories`"
            raise InvalidInput("memory", f"there is no memory `{name}` in `given`", hint)
        return self.known[name]

    def stand(self, actor: str, acting_for: str | None, at: Mapping[str, str], key: str = "actor") -> BoundMemory:
        """The memory bound to an actor, written as on the command line."""
        kind, name = kind_and_name(actor, key)
        if kind == "agent":
            return self.memory.as_agent(name, acting_for=acting_for, **at)
        if acting_for is not None:
            raise InvalidInput("acting_for", "only an agent acts for a user", "leave it out, or write `agent:NAME`")
        return self.memory.as_system() if kind == "system" else self.memory.as_user(name, **at)


@contextmanager
def open_scene(policy: Policy, given: Given) -> Iterator[Scene]:
    """A fresh memory as `given` describes it, under a policy. The policy must admit every given memory."""
    clock = FixedClock(to_moment(given.now, "given.now"))
    memory = Memory(MemoryStore(), policy=policy, clock=clock, memberships=given.memberships, surface="assertions")
    with memory:
        _register(memory, given)
        scene = Scene(memory, clock, {})
        for number, one in enumerate(given.memories):
            scene = _with_memory(scene, one, f"given.memories[{number}]")
        yield scene


def _register(memory: Memory, given: Given) -> None:
    for agent, owner in given.agents.items():
        memory.agent.register(agent, owner=owner)
    for id, chat in given.chats.items():
        memory.chat.register(id, kind=chat.kind, participants=chat.participants, agents=chat.agents)
    for level, groups in given.members.items():
        for id, members in groups.items():
            for member in members:
                kind, name = kind_and_name(member, f"given.members.{level}.{id}")
                is_user = kind == "user"
                memory.member.add({level: id}, user=name if is_user else None, agent=None if is_user else name)


def _with_memory(scene: Scene, one: GivenMemory, key: str) -> Scene:
    if one.name in scene.known:
        raise InvalidInput(f"{key}.name", f"there is a memory `{one.name}` already", "give it another name")
    author = scene.stand(one.by, one.acting_for, one.at, f"{key}.by")
    outcome = author.remember_many([one.given])[0]
    if outcome.id is None:
        remedy = "give a memory that the policy admits, or assert that it is denied"
        raise InvalidInput(key, f"it is not kept: {outcome.decision.explanation} ({outcome.reason})", remedy)
    scene.clock.advance(1)  # so that memories are as old as their order in the file says
    return replace(scene, known={**scene.known, one.name: Known(outcome.id, str(one.text), author)})


def kind_and_name(actor: str, key: str) -> tuple[str, str]:
    """The kind and the name in `alice`, `user:alice`, `agent:helper` and `system`."""
    if actor == "system":
        return "system", ""
    kind, colon, name = actor.partition(":")
    if not colon:
        return "user", actor
    if kind not in {"user", "agent"}:
        raise InvalidInput(key, f"`{kind}` is not a kind of actor", "write `alice`, `user:alice` or `agent:helper`")
    return kind, name
