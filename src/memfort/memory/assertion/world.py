"""The world that assertions are made about: a memory on the reference store, furnished as a file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace

from memfort.clock import FixedClock
from memfort.errors import InvalidInput, did_you_mean
from memfort.memory.bound import BoundMemory
from memfort.memory.root import Memory
from memfort.model.directory import ChatKind
from memfort.model.moment import to_moment
from memfort.model.space import Level
from memfort.policy.fitting import conform
from memfort.policy.settings import Policy
from memfort.policy.standing import Memberships


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What `remember` takes, and who says it from where."""

    acting_for: str | None = None
    at: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    space: Mapping[str, str] | None = None
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
        conform(self)

    @property
    def given(self) -> dict[str, object]:
        """What of it is the memory's."""
        names = [one.name for one in fields(Statement) if one.name not in {"acting_for", "at"}]
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenMemory(Statement):
    """A memory that is there before anything is asked. Assertions call it by its name."""

    name: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenChat:
    kind: ChatKind
    participants: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The world that assertions are made about."""

    now: str = "2026-01-01T00:00:00Z"
    memberships: Memberships = Memberships.TRUSTED
    agents: Mapping[str, str] = field(default_factory=dict)  # with the owner of each
    chats: Mapping[str, GivenChat] = field(default_factory=dict)
    members: Mapping[Level, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    memories: tuple[GivenMemory, ...] = ()

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class Known:
    """A given memory, as it was kept."""

    id: str
    text: str
    author: BoundMemory


@dataclass(frozen=True, slots=True)
class World:
    """A memory as `given` describes it, with its clock, and what is known by name."""

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
        """The memory as an actor has it, written as on the command line."""
        kind, name = kind_and_name(actor, key)
        if kind == "agent":
            return self.memory.as_agent(name, acting_for=acting_for, **at)
        if acting_for is not None:
            raise InvalidInput("acting_for", "only an agent acts for somebody", "leave it out, or write `agent:NAME`")
        return self.memory.as_system() if kind == "system" else self.memory.as_user(name, **at)


@contextmanager
def world(policy: Policy, given: Given) -> Iterator[World]:
    """Make the world of `given` under a policy. What policy does not let in cannot be given."""
    from memfort.testing.dict_store import DictStore

    clock = FixedClock(to_moment(given.now, "given.now"))
    memory = Memory(DictStore(), policy=policy, clock=clock, memberships=given.memberships, surface="assertions")
    with memory:
        _register(memory, given)
        made = World(memory, clock, {})
        for number, one in enumerate(given.memories):
            made = _with_memory(made, one, f"given.memories[{number}]")
        yield made


def _register(memory: Memory, given: Given) -> None:
    for agent, owner in given.agents.items():
        memory.directory.register_agent(agent, owner=owner)
    for id, chat in given.chats.items():
        memory.directory.register_chat(id, kind=chat.kind, participants=chat.participants, agents=chat.agents)
    for level, groups in given.members.items():
        for id, members in groups.items():
            for member in members:
                kind, name = kind_and_name(member, f"given.members.{level}.{id}")
                memory.directory.add_member(level, id, **{kind: name})


def _with_memory(there: World, one: GivenMemory, key: str) -> World:
    if one.name in there.known:
        raise InvalidInput(f"{key}.name", f"there is a memory `{one.name}` already", "give it another name")
    author = there.stand(one.by, one.acting_for, one.at, f"{key}.by")
    outcome = author.remember_many([one.given])[0]
    if outcome.id is None:
        remedy = "give what the policy lets in, or assert that it is denied"
        raise InvalidInput(key, f"it is not kept: {outcome.decision.explanation} ({outcome.reason})", remedy)
    there.clock.advance(1)  # so that the order of what was said is the order of the file
    return replace(there, known={**there.known, one.name: Known(outcome.id, str(one.text), author)})


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
