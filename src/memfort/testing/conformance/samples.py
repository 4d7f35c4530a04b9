"""The samples that the suite puts into a store, and the sights it reads with."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.model.audience import PLAIN, Audience, Listeners, ListenersKind, audience_of, may_disclose_from
from memfort.model.item import (
    EVERYONE,
    NOTHING,
    Authority,
    ChangeKeys,
    Item,
    Kind,
    Origin,
    Readers,
    Sensitivity,
    Status,
    memory_id,
)
from memfort.model.judgement import NOT_CLASSIFIED
from memfort.model.learned import OUTSIDE
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.person import Person, Relation, person_id, relation_id
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.results import Source
from memfort.model.sight import SeenSpace, Sight
from memfort.model.space import Level, Space
from memfort.store.port import (
    Change,
    Entry,
    Filter,
    Insert,
    PutPerson,
    PutPhase,
    PutQueuedTurn,
    PutRejectedValue,
    PutRelation,
    PutSource,
    QueuedTurn,
    RejectedValue,
    Statement,
    Store,
    Update,
)
from memfort.testing.strategies import HOSTILE_NAMES
from memfort.trail.event import Event, chain_of_space

NOW = Moment(1_700_000_000_000_000)
LATER = Moment(NOW + 1_000_000)
ALICE = Actor(ActorKind.USER, "alice")
BOB = Actor(ActorKind.USER, "bob")
HOME = Space.of({"user": "alice"})
NEXT_DOOR = Space.of({"user": "bob"})
EVERYTHING = Filter(statuses=frozenset(Status), deleted=True, expired=True)
CONVERSATION = "talk"
NO_SPACE = Sight(ALICE, ())
PLENTY = 10_000
FAR_AWAY = (Space.of({"org": "far away"}), "mem_far")
HOSTILE_SPACES = tuple(
    dict.fromkeys(
        Space.of(coordinates)
        for name in HOSTILE_NAMES
        for coordinates in (
            {"user": name},
            {"project": name},
            {"user": name, "project": name},
            {"user": name, "session": name},
        )
    )
)


def memory(
    space: Space = HOME,
    text: str = "tea",
    *,
    number: int = 1,
    author: Actor = ALICE,
    readers: Readers = EVERYONE,
    at: int = NOW,
    **fields: Any,
) -> Item:
    """An approved memory of the plain audience; `fields` override its defaults."""
    user = space.get(Level.USER)
    made = Item(
        id=memory_id(space, readers, author, Kind.SEMANTIC, number),
        number=number,
        space=space,
        kind=Kind.SEMANTIC,
        type="knowledge",
        text=text,
        key=None,
        tags=(),
        author=author,
        origin=Origin.USER,
        source=None,
        observed_at_us=None,
        sensitivity=Sensitivity.PUBLIC,
        readers=readers,
        confidence=1.0,
        authority=Authority.USER_ASSERTED,
        importance=1.0,
        pii_risk=0,
        status=Status.APPROVED,
        status_reason=Reason.CONFIDENT.value,
        created_at_us=Moment(at),
        updated_at_us=Moment(at),
        expires_at_us=None,
        supersedes=None,
        superseded_by=None,
        derived_from=(),
        deleted_at_us=None,
        deleted_reason=None,
        provenance=NOTHING,
        meta=NOTHING,
        policy="conformance",
        version=1,
        stated_by=None if user is None else f"@{user}",
        learned_in=OUTSIDE,
    )
    return replace(made, **fields)


def with_audience(space: Space = HOME, text: str = "tea", *, number: int = 1, **fields: Any) -> Item:
    """The same, with the id that follows from its audience: its subjects, speaker and chat."""
    made = memory(space, text, number=number, **fields)
    if "id" in fields:
        return made
    return replace(made, id=memory_id(space, made.readers, made.author, made.kind, number, audience_of(made).text))


def value_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def inserted(item: Item, origin: tuple[Space, str] | None = None) -> Insert:
    return Insert(item, value_of(item.text), entry_of(item), disclosed_entry_of(item), origin)


def updated(item: Item) -> Update:
    return Update(item, value_of(item.text), entry_of(item), disclosed_entry_of(item))


def entry_of(item: Item) -> Entry:
    """The index entry of a memory: its words, and change keys of all of them."""
    return Entry(Counter(item.text.split()), ChangeKeys(tuple(item.text.split())))


def disclosed_entry_of(item: Item) -> Entry | None:
    is_disclosed = item.subjects and item.learned_in != OUTSIDE and may_disclose_from(item.space)
    return Entry(Counter(item.text.split())) if is_disclosed else None


def statement(space: Space = HOME, text: str = "tea", **fields: Any) -> Statement:
    """A statement to be decided upon, like `memory`; `fields` override its defaults."""
    made = Statement(
        space=space,
        readers=EVERYONE,
        audience=PLAIN,
        author=ALICE,
        kind=Kind.SEMANTIC,
        value=value_of(text),
        wordings=(value_of(text),),
        change_keys=ChangeKeys(tuple(text.split())),
        wants_counts=True,
    )
    return replace(made, **fields)


def put(store: Store, *items: Item) -> None:
    store.apply([inserted(item) for item in items], [event_of(item) for item in items])


def event_of(item: Item, action: str = "remember") -> Event:
    return Event(
        chain=chain_of_space(item.space),
        at=item.updated_at_us,
        action=action,
        actor=item.author,
        surface="test",
        decision="allowed",
        reason=Reason.ALLOWED.value,
        policy="conformance",
        space=item.space,
        item=item.id,
    )


def sight_on(*seen: Space, actor: Actor = ALICE, whole: bool = False) -> Sight:
    """A sight of exactly these spaces, each a layer of its own."""
    return Sight(actor, tuple(SeenSpace(space, layer, True, Reason.VISIBLE) for layer, space in enumerate(seen)), whole)


class ChatDisclosure(Struct, frozen=True):
    """A chat that may hear these audiences in sight, and to which those from out of sight are disclosed."""

    heard: frozenset[Audience] = frozenset()
    disclosed: frozenset[Audience] = frozenset()
    owner: str | None = None  # discloses only from spaces of this owner; `None`: all
    listeners: Listeners = Listeners(ListenersKind.GROUP, "team", "@alice", frozenset({"@alice", "@bob"}))

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        return audience in self.heard

    def is_disclosed(
        self, readers: Readers, audience: Audience, person: str, owner: str | None, *, is_named: bool
    ) -> bool:
        return self.owner in {None, owner} and audience in self.disclosed


def sight_in(
    *seen: Space,
    heard: Iterable[Audience] = (),
    disclosed: Iterable[Audience] = (),
    about: Iterable[str] = (),
    actor: Actor = ALICE,
) -> Sight:
    """A sight of these spaces from a chat that may hear these audiences only."""
    disclosure = ChatDisclosure(frozenset(heard), frozenset(disclosed))
    return replace(sight_on(*seen, actor=actor), disclosure=disclosure, about=frozenset(about))


def promoted(store: Store, source: Item, copy: Item) -> None:
    """Put a copy of a memory into another space."""
    store.apply([inserted(copy, (source.space, source.id))], [event_of(copy, "promote")])


def person(home: Space | None = None, name: str = "Sarah Smith", *, number: int = 1, **fields: Any) -> Person:
    """A person; `fields` override their defaults."""
    creator: Actor = fields.pop("created_by", ALICE)
    readers: Readers = fields.get("readers", EVERYONE)
    id = person_id(home, readers, creator, number)
    made = Person(id=id, name=name, home=home, created_by=creator, created_at_us=NOW, number=number)
    return replace(made, **fields)


def relation(home: Space | None = None, *, number: int = 2, **fields: Any) -> Relation:
    """A relation to alice of the person with the number before."""
    creator: Actor = fields.pop("created_by", ALICE)
    readers: Readers = fields.get("readers", EVERYONE)
    id = relation_id(home, readers, creator, number)
    made = Relation(
        id=id,
        from_person="@alice",
        term="wife",
        to_person="per_sarah",
        home=home,
        created_by=creator,
        at_us=NOW,
        number=number,
    )
    return replace(made, **fields)


def fill(store: Store, filled: Sequence[Space]) -> None:
    """Put the same records, under the same ids, into every space."""
    changes: list[Change] = []
    for space in filled:
        first = memory(space, "tea", id="mem_same", created_tick=1, expires_tick=2)
        named = memory(space, "about alice", number=3, id="mem_named", subjects=("@alice",), judgement=NOT_CLASSIFIED)
        late = memory(space, "late tea", number=2, id="mem_late", expires_at_us=NOW, derived_from=("mem_same",))
        gone = memory(space, "gone", number=4, id="mem_gone", status=Status.SUPERSEDED, derived_from=("mem_turn",))
        turn = memory(space, "a turn", id="mem_turn", kind=Kind.SHORT_TERM, conversation=CONVERSATION)
        source = Source("src_same", space, "paper", None, "00", NOW, {"kept": 1})
        rejected_value = RejectedValue(space, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        phase = Phase(2, "new ways", 1)
        changes += [PutPerson(person(space)), PutRelation(relation(space))]
        changes += [
            inserted(first),
            inserted(named),
            inserted(turn),
            inserted(second_turn(space)),
            inserted(late, FAR_AWAY),
            inserted(gone),
            PutQueuedTurn(QueuedTurn(space, turn.id, Standpoint(ALICE, ()), False, False, NOW, NOW)),
            PutSource(source),
            PutRejectedValue(rejected_value),
            PutPhase(space, phase),
        ]
        changes += _people_of(space)
    store.apply(changes, [])


def second_turn(space: Space) -> Item:
    """The second of the two turns of a space that is filled."""
    return memory(space, "the next turn", number=2, id="mem_next_turn", kind=Kind.SHORT_TERM, conversation=CONVERSATION)


def _people_of(home: Space) -> list[Change]:
    sarah = Person(
        id=person_id(home, EVERYONE, ALICE, 1), name="Sarah", home=home, created_by=ALICE, created_at_us=NOW, number=1
    )
    wife = Relation(
        id=relation_id(home, EVERYONE, ALICE, 2),
        from_person="@alice",
        term="wife",
        to_person=sarah.id,
        home=home,
        created_by=ALICE,
        at_us=NOW,
        number=2,
    )
    return [PutPerson(sarah), PutRelation(wife)]
