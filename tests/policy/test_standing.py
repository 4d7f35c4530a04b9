"""Who may take a coordinate: the table of the design, cell by cell, with the reason for each answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memfort import Denied, FixedClock, Memory, NotFound
from memfort.client import BoundMemory
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import Agent, Chat, ChatKind, Facts, Principal, Trust
from memfort.model.reason import Reason
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, Space
from memfort.policy.standing import Memberships, Reach, may_read, may_write, standing
from memfort.store.memory import MemoryStore
from memfort.store.port import Change, PutAgent, PutChat, PutMember, Store
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import NOW

# Alice owns the agent `helper`, Bob owns the agent `other`. Alice alone is in the chat and in every group.
ACTORS = {
    "alice": Actor(ActorKind.USER, "alice"),
    "bob": Actor(ActorKind.USER, "bob"),
    "helper": Actor(ActorKind.AGENT, "helper", None, "alice"),
    "helper for alice": Actor(ActorKind.AGENT, "helper", "alice", "alice"),
    "helper for bob": Actor(ActorKind.AGENT, "helper", "bob", "alice"),
    "other": Actor(ActorKind.AGENT, "other", None, "bob"),
    "other for alice": Actor(ActorKind.AGENT, "other", "alice", "bob"),
    "a user called helper": Actor(ActorKind.USER, "helper"),
    "an agent called alice": Actor(ActorKind.AGENT, "alice", None, "bob"),
    "system": SYSTEM,
}
NO, PUBLIC, SHARED, READ, WRITE, REVIEW, FULL = Reach
Answer = tuple[Reach, Reason]
Row = tuple[Answer, dict[str, Answer]]  # the default answer, and the exceptions by actor

NOT_IN_CHAT, NOT_IN_GROUP = (NO, Reason.NOT_A_PARTICIPANT), (NO, Reason.NOT_A_MEMBER)
ALICES = ("alice", "helper for alice", "other for alice")
OWN_PLACE: Row = ((FULL, Reason.OWN_PLACE), {"system": (NO, Reason.NO_OWNER_HERE)})
IN_GROUP: Row = (NOT_IN_GROUP, dict.fromkeys(ALICES, (FULL, Reason.MEMBER)))

REGISTERED: dict[str, Row] = {
    "user=alice": (
        (NO, Reason.NOT_YOUR_IDENTITY),
        {
            "alice": (FULL, Reason.OWN_IDENTITY),
            "helper": (SHARED, Reason.SHARED_BY_OWNER),
            "helper for alice": (FULL, Reason.ACTING_FOR),
            "other for alice": (FULL, Reason.ACTING_FOR),
        },
    ),
    "user=helper": ((NO, Reason.NOT_YOUR_IDENTITY), {"a user called helper": (FULL, Reason.OWN_IDENTITY)}),
    "chat=c1": (NOT_IN_CHAT, dict.fromkeys(ALICES, (FULL, Reason.PARTICIPANT))),
    "chat=unknown": (NOT_IN_CHAT, {}),
    "session=s": OWN_PLACE,
    "paper=p": OWN_PLACE,
    "track=t": OWN_PLACE,
    "workspace=w": IN_GROUP,
    "project=w": IN_GROUP,
    "role=w": IN_GROUP,
    "team=w": IN_GROUP,
    "org=w": IN_GROUP,
    "org=W": (NOT_IN_GROUP, {}),
    "org=unknown": (NOT_IN_GROUP, {}),
    "agent=helper": (
        (PUBLIC, Reason.PUBLIC_READ_ONLY),
        {
            "alice": (FULL, Reason.OWNER_OF_AGENT),
            "helper": (FULL, Reason.AGENT_ITSELF),
            "helper for alice": (FULL, Reason.AGENT_ITSELF),
        },
    ),
    "agent=unknown": ((PUBLIC, Reason.PUBLIC_READ_ONLY), {}),  # like one of somebody else's
    "system=": ((READ, Reason.SYSTEM_READABLE), {"system": (FULL, Reason.SYSTEM_ACTOR)}),
    "visibility=public": ((NO, Reason.NOT_WHERE_YOU_STAND), {}),
}
# The host program is believed about groups that the directory does not know, and only about those.
VOUCHED: Answer = (FULL, Reason.HOST_VOUCHED)
TRUSTED: dict[str, Row] = REGISTERED | {
    "chat=unknown": (VOUCHED, {"system": NOT_IN_CHAT}),
    "org=unknown": (VOUCHED, {"system": NOT_IN_GROUP}),
    "org=W": (VOUCHED, {"system": NOT_IN_GROUP}),
}
CELLS = [
    pytest.param(mode, place, who, row[1].get(who, row[0]), id=f"{mode}-{place}-{who}")
    for mode, table in ((Memberships.REGISTERED, REGISTERED), (Memberships.TRUSTED, TRUSTED))
    for place, row in table.items()
    for who in ACTORS
]


@pytest.fixture(scope="module")
def directory() -> Store:
    store = MemoryStore()
    alice = Principal(ActorKind.USER, "alice")
    changes: list[Change] = [
        PutAgent(Agent("helper", "alice")),
        PutAgent(Agent("other", "bob")),
        PutAgent(Agent("alice", "bob")),
        PutChat(Chat("c1", ChatKind.GROUP, frozenset({alice}))),
        *(PutMember(Coordinate(level, "w"), alice, Trust.OWNER) for level in sorted(GROUP_LEVELS)),
    ]
    store.apply(changes, [])
    return store


@pytest.mark.parametrize(("mode", "place", "who", "expected"), CELLS)
def test_standing(directory: Store, mode: Memberships, place: str, who: str, expected: Answer) -> None:
    level, _, id = place.partition("=")
    actor, coordinate = ACTORS[who], Coordinate(Level(level), id)
    own = () if actor.agent is None else (Coordinate(Level.AGENT, actor.agent),)
    answer = standing(actor, coordinate, directory.facts(Standpoint(actor, (coordinate, *own))), mode)
    assert (answer.reach, answer.reason) == expected
    assert answer.coordinate == coordinate


def test_every_level_and_every_kind_of_actor_is_in_the_table() -> None:
    assert {place.partition("=")[0] for place in REGISTERED} == {level.value for level in Level}
    assert {actor.kind for actor in ACTORS.values()} == set(ActorKind)


def test_a_space_can_be_read_when_every_coordinate_can(directory: Store) -> None:
    bob, space = ACTORS["bob"], Space.of({"agent": "helper", "visibility": "public", "org": "w"})
    held = {}
    for coordinate in (Coordinate(Level.AGENT, "helper"), Coordinate(Level.ORG, "w")):
        facts = directory.facts(Standpoint(bob, (coordinate,)))
        held[coordinate] = standing(bob, coordinate, facts, Memberships.REGISTERED)
    assert not may_read(space, held)
    assert may_read(Space.of({"agent": "helper", "visibility": "public"}), held)
    assert not may_read(Space.of({"agent": "helper", "visibility": "private"}), held)
    assert not may_write(Space.of({"agent": "helper", "visibility": "public"}), held)
    assert not may_read(space, {})


# -- the agent table of seed 003, through the facade ------------------------------------------------------------------


@pytest.fixture(params=["dict", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    store = MemoryStore() if request.param == "dict" else SqliteStore(tmp_path / "memories.db", ballast_bytes=0)
    with Memory(store, clock=FixedClock(NOW)) as made:
        made.agent.register("helper", owner="alice")
        made.agent.register("other", owner="bob")
        yield made


def another_agent(memory: Memory, acting_for: str | None = None) -> BoundMemory:
    """The agent `other` at the agent `helper`: agent to agent."""
    return memory.as_agent("other", acting_for=acting_for, agent="helper")


REQUESTERS: dict[str, Callable[[Memory], BoundMemory]] = {
    "owner": lambda memory: memory.as_user("alice", agent="helper"),
    "other user": lambda memory: memory.as_user("bob", agent="helper"),
    "other agent": another_agent,
    # The agent itself has its owner's rights when it acts for its owner or for no one, and never for another user.
    "agent itself": lambda memory: memory.as_agent("helper"),
    "agent for owner": lambda memory: memory.as_agent("helper", acting_for="alice"),
    "agent for other user": lambda memory: memory.as_agent("helper", acting_for="bob"),
    "other agent for owner": lambda memory: another_agent(memory, acting_for="alice"),
}
ALL = {"read", "write", "delete"}
SEED_003 = {
    ("owner", "private"): ALL,
    ("owner", "public"): ALL,
    ("other user", "private"): set(),
    ("other user", "public"): {"read"},
    ("other agent", "private"): set(),
    ("other agent", "public"): {"read"},
    ("agent itself", "private"): ALL,
    ("agent itself", "public"): ALL,
    ("agent for owner", "private"): ALL,
    ("agent for owner", "public"): ALL,
    ("agent for other user", "private"): set(),
    ("agent for other user", "public"): {"read"},
    ("other agent for owner", "private"): set(),
    ("other agent for owner", "public"): {"read"},
}


@pytest.mark.parametrize("verb", sorted(ALL))
@pytest.mark.parametrize(("requester", "visibility"), SEED_003)
def test_an_agents_spaces_are_its_owners_and_the_public_one_is_read_by_all(
    memory: Memory, requester: str, visibility: str, verb: str
) -> None:
    space = {"agent": "helper", "visibility": visibility}
    kept = memory.as_agent("helper").remember("the tea is green", space=space)
    assert kept.id is not None
    asking = REQUESTERS[requester](memory)
    allowed = {
        "read": lambda: can_read(asking, kept.id),
        "write": lambda: asking.remember("the milk is white", space=space).kept,
        "delete": lambda: can_delete(asking, kept.id),
    }[verb]()
    assert allowed is (verb in SEED_003[requester, visibility])
    mine = memory.as_user("alice", agent="helper").get(kept.id)
    assert (mine is None) is (verb == "delete" and allowed)


def can_read(asking: BoundMemory, id: str) -> bool:
    answers = {
        bool(asking.recall("green tea").hits),
        asking.get(id) is not None,
        bool(asking.list().items),
        asking.explain(id).reason is Reason.VISIBLE,
        asking.check("get", id=id).verdict == "allowed",
    }
    (answer,) = answers  # every way of asking gives the same answer
    return answer


def can_delete(asking: BoundMemory, id: str) -> bool:
    for verb in (asking.erase, asking.forget):
        try:
            verb(id)
        except (Denied, NotFound):
            continue
        return True
    return False


@pytest.mark.parametrize("level", sorted(GROUP_LEVELS))
@pytest.mark.parametrize(
    ("trust", "reach"),
    [("viewer", Reach.READ), ("contributor", Reach.WRITE), ("approver", Reach.REVIEW), ("owner", Reach.FULL)],
)
def test_a_member_reaches_as_far_as_it_is_trusted(level: Level, trust: str, reach: Reach) -> None:
    group = Coordinate(level, "w")
    facts = Facts({}, frozenset({group}), {group: Trust(trust)}, ())
    found = standing(ACTORS["alice"], group, facts, Memberships.REGISTERED)
    assert (found.reach, found.reason) == (reach, Reason.MEMBER)


@pytest.mark.parametrize("trust", list(Trust))
def test_participants_of_a_chat_are_equals(trust: Trust) -> None:
    chat = Coordinate(Level.CHAT, "c")
    facts = Facts({}, frozenset({chat}), {chat: trust}, ())
    assert standing(ACTORS["alice"], chat, facts, Memberships.REGISTERED).reach is Reach.FULL
