"""The reference store: plain dicts, no cleverness. It is the oracle that real stores are compared with.

Every read walks everything there is and keeps what the sight admits. It is slow, obvious and right.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from memfort.model.actor import Actor, Standpoint
from memfort.model.directory import (
    Agent,
    Chat,
    ChatKind,
    DirectoryState,
    Facts,
    Principal,
    Share,
    Trust,
    owner_of,
    principal_of,
    share_to_dict,
)
from memfort.model.hearing import PLAIN, Label, label_of
from memfort.model.item import EVERYONE, Item, Kind, Readers, Status, is_expired, is_in_force, is_live
from memfort.model.marks import Marks
from memfort.model.moment import Moment
from memfort.model.person import Person, Relation, called
from memfort.model.phase import Phase
from memfort.model.record import item_record
from memfort.model.sight import Sight
from memfort.model.source import Source
from memfort.model.space import Coordinate, Level, Space
from memfort.store.columns import Columns, columns_of
from memfort.store.port import (
    Bar,
    Change,
    DropBar,
    DropMember,
    DropPerson,
    DropPhases,
    DropRelation,
    DropShare,
    DropSource,
    Entry,
    Erase,
    Erasure,
    Filter,
    Insert,
    Position,
    PutAgent,
    PutBar,
    PutChat,
    PutErasure,
    PutMember,
    PutPerson,
    PutPhase,
    PutPolicy,
    PutRelation,
    PutShare,
    PutSource,
    Quarantine,
    Reindex,
    Scrub,
    Sign,
    Update,
    position_of,
)
from memfort.trace.checkpoint import CHECKPOINT_EVERY, Checkpoint, sign_checkpoint
from memfort.trace.event import GENESIS, ChainId, Event, Link, link_event
from memfort.trace.keys import Keys

# Fixed, so that two dict stores with one history are equal to the byte. A reference store guards nothing.
REFERENCE_KEYS = Keys(secret=b"reference".ljust(32, b"\x00"), signing=b"reference".ljust(32, b"\x01"))


@dataclass(frozen=True)
class _Kept:
    handle: int
    item: Item
    value: bytes
    entry: Entry | None
    told: Entry | None = None


_Memories = dict[tuple[bytes, str], _Kept]  # by space and id


@dataclass
class _State:
    kept: _Memories = field(default_factory=dict)
    spaces: dict[bytes, Space] = field(default_factory=dict)
    numbers: dict[tuple[bytes, Readers, Label, bytes, Kind], int] = field(default_factory=dict)
    bars: dict[tuple[bytes, Readers, bytes], Bar] = field(default_factory=dict)
    agents: dict[str, Agent] = field(default_factory=dict)
    chats: dict[str, ChatKind] = field(default_factory=dict)
    members: dict[Coordinate, Mapping[Principal, Trust]] = field(default_factory=dict)
    shares: dict[str, Share] = field(default_factory=dict)
    sources: dict[tuple[bytes, str], Source] = field(default_factory=dict)
    erasures: dict[str, Erasure] = field(default_factory=dict)
    chains: dict[ChainId, tuple[Link, ...]] = field(default_factory=dict)
    checkpoints: dict[ChainId, tuple[Checkpoint, ...]] = field(default_factory=dict)
    origins: dict[tuple[bytes, str], tuple[Space, str]] = field(default_factory=dict)
    ticks: dict[tuple[bytes, Readers, Label], int] = field(default_factory=dict)
    phases: dict[bytes, tuple[Phase, ...]] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    person_numbers: dict[tuple[Space | None, Readers, bytes], int] = field(default_factory=dict)
    policy: str | None = None
    phases_begun: int = 0
    directory_version: int = 0
    handles: int = 0

    def copied(self) -> _State:
        """A copy that later changes do not reach. What is inside is put in place anew and never changed where it is, so
        one level is enough."""
        fields = vars(self).items()
        parts: dict[str, Any] = {name: value.copy() if type(value) is dict else value for name, value in fields}
        return _State(**parts)


class _Own(threading.local):
    """What one thread holds: the copy it writes in, and the state it reads from."""

    draft: _State | None = None
    snapshot: _State | None = None


class DictStore:
    """A store in memory, for tests and for telling what a store means."""

    def __init__(self, keys: Keys = REFERENCE_KEYS) -> None:
        self.keys = keys
        self._committed = _State()
        self._lock = threading.RLock()
        self._own = _Own()

    @property
    def _state(self) -> _State:
        """What this thread sees: its draft while it writes, its snapshot while it reads, else what is committed."""
        return self._own.draft or self._own.snapshot or self._committed

    @contextmanager
    def reading(self) -> Iterator[None]:
        before = self._own.snapshot
        self._own.snapshot = before or self._committed
        try:
            yield
        finally:
            self._own.snapshot = before

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Work on a copy, which takes the place of the original when it is left without an error."""
        with self._lock:
            outer = self._own.draft
            self._own.draft = (outer or self._committed).copied()
            try:
                yield
            except BaseException:
                self._own.draft = outer
                raise
            if outer is None:
                self._committed, self._own.draft = self._state, None

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        with self.writing():
            for event in events:
                self._append(event)
            for change in changes:
                self._change(change)

    # -- directory ---------------------------------------------------------------------------------------------------

    def facts(self, standpoint: Standpoint) -> Facts:
        state, principal = self._state, principal_of(standpoint.actor)
        named = {coordinate.id for coordinate in standpoint.coordinates if coordinate.level is Level.AGENT}
        groups = {coordinate: state.members.get(coordinate) for coordinate in standpoint.coordinates}
        owners = {id: state.agents[id].owner for id in named if id in state.agents}
        owner = owner_of(standpoint.actor, owners)
        return Facts(
            owners=owners,
            registered=frozenset(coordinate for coordinate, members in groups.items() if members is not None),
            joined=frozenset(coordinate for coordinate, members in groups.items() if members and principal in members),
            shared=tuple(
                share.space
                for _, share in sorted(state.shares.items())
                if share.reader == principal and self._still_stands(share)
            ),
            phases=state.phases_begun,
            policy=state.policy,
            version=state.directory_version,
            joined_by_owner=frozenset(coordinate for coordinate, members in groups.items() if owner in (members or ())),
        )

    def _still_stands(self, share: Share) -> bool:
        """A share counts only as long as whoever granted it is still in every registered group of the space."""
        groups = [self._state.members.get(coordinate) for coordinate in share.space.coordinates]
        return all(members is None or principal_of(share.granted_by) in members for members in groups)

    def agent(self, id: str) -> Agent | None:
        return self._state.agents.get(id)

    def chat(self, id: str) -> Chat | None:
        kind = self._state.chats.get(id)
        return None if kind is None else Chat(id, kind, frozenset(self.members(Coordinate(Level.CHAT, id))))

    def members(self, coordinate: Coordinate) -> list[Principal]:
        return sorted(self._state.members.get(coordinate, ()))

    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None:
        return self._state.members.get(coordinate, {}).get(member)

    def shares_of(self, spaces: Sequence[Space]) -> list[Share]:
        wanted = set(spaces)
        return sorted((s for s in self._state.shares.values() if s.space in wanted), key=lambda share: share.id)

    def policy(self, digest: str | None = None) -> str | None:
        wanted = self._state.policy if digest is None else digest
        return None if wanted is None else self._state.policies.get(wanted)

    def directory(self) -> DirectoryState:
        state = self._state
        groups = {(group.level.value, group.id): members for group, members in state.members.items()}
        return {
            **{("agent", agent.id): agent.owner for agent in state.agents.values()},
            **{("chat", id): kind.value for id, kind in state.chats.items()},
            **{("group", *group): True for group in groups},
            **{
                ("member", *group, one.kind.value, one.id): trust.value
                for group, inside in groups.items()
                for one, trust in inside.items()
            },
            **{("share", share.id): share_to_dict(share) for share in state.shares.values()},
        }

    # -- memories ----------------------------------------------------------------------------------------------------

    def columns(self, sight: Sight, now: Moment, mark: bytes = b"", length: int | None = None) -> list[Columns]:
        groups: dict[tuple[bytes, Readers], list[tuple[int, Entry]]] = defaultdict(list)
        for kept in self._in_sight(sight):
            if is_live(kept.item, now):
                groups[kept.item.space.id, kept.item.readers].append((kept.handle, kept.entry or Entry({})))
        found = [self._columns(sight.by_id[space].layer, group, mark, length) for (space, _), group in groups.items()]
        told = [(kept.handle, kept.told) for kept in self._told(sight) if kept.told and is_live(kept.item, now)]
        return [*found, self._columns(sight.last_layer, told, mark, length)] if told else found

    def _columns(self, layer: int, entries: Sequence[tuple[int, Entry]], mark: bytes, length: int | None) -> Columns:
        return columns_of(layer, sorted(entries, key=lambda one: one[0]), self.keys.term, mark, length)

    def unembedded(self, sight: Sight, mark: bytes, length: int | None = None) -> list[int]:
        in_force = [kept for kept in self._in_sight(sight) if is_in_force(kept.item)]
        vectors = {kept.handle: b"" if kept.entry is None else kept.entry.vector for kept in in_force}
        if not mark:
            return sorted(no for no, one in vectors.items() if one)
        sizes = None if length is None else {len(mark), len(mark) + length}
        own = {no for no, one in vectors.items() if one.startswith(mark) and (sizes is None or len(one) in sizes)}
        return sorted(vectors.keys() - own)

    def stamps(self, sight: Sight, handles: Sequence[int]) -> dict[int, Position]:
        return {handle: position_of(item) for handle, item in self.opened(sight, handles).items()}

    def opened(self, sight: Sight, handles: Sequence[int]) -> dict[int, Item]:
        wanted = set(handles)
        return {kept.handle: kept.item for kept in self._shown(sight, lambda kept: kept.handle in wanted)}

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        wanted = set(ids)
        found = [kept.item for kept in self._shown(sight, lambda kept: kept.item.id in wanted)]
        return sorted(found, key=lambda item: (item.id, _place(sight, item), item.space.id))

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        found = [kept.item for kept in self._in_sight(sight) if filter.admits(kept.item, now)]
        found.sort(key=lambda item: _newest_first(position_of(item)))
        if after is not None:
            found = [item for item in found if _newest_first(position_of(item)) > _newest_first(after)]
        return found[:limit]

    def about(self, sight: Sight, persons: Sequence[str], filter: Filter, limit: int, now: Moment) -> list[Item]:
        wanted = set(persons)
        shown = self._shown(sight, lambda kept: not wanted.isdisjoint(kept.item.subjects))
        found = [one.item for one in shown if is_in_force(one.item) and filter.admits(one.item, now)]
        return sorted(found, key=lambda item: _newest_first(position_of(item)))[:limit]

    def concerning(self, sight: Sight, persons: Sequence[str]) -> list[int]:
        wanted = set(persons)
        found = (kept for kept in self._in_sight(sight) if not wanted.isdisjoint(kept.item.subjects))
        return [kept.handle for kept in found if is_in_force(kept.item)]

    def starting(self, sight: Sight, beginning: str, limit: int) -> list[str]:
        found = {kept.item.id for kept in self._in_sight(sight) if kept.item.id.startswith(beginning)}
        return sorted(found)[:limit]

    def marked(self, sight: Sight, space: Space, readers: Readers, marks: Marks, limit: int) -> list[Item]:
        here = [one for one in self._in_sight(sight.narrowed([space])) if one.item.readers == readers]
        marked = ((one, one.entry.marks) for one in here if one.entry is not None and is_in_force(one.item))
        found = [one for one, known in marked if known is not None and _can_be_news(marks, known)]
        latest = sorted(found, key=lambda one: -one.handle)[:limit]
        return sorted((one.item for one in latest), key=lambda item: item.id)

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        found = [
            kept.item
            for kept in self._in_sight(sight.narrowed([space]))
            if kept.value == value
            and kept.item.readers == readers
            and kept.item.deleted_at is None
            and kept.item.status in {Status.APPROVED, Status.PENDING}
        ]
        return sorted(found, key=lambda item: item.id)

    def bar(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> Bar | None:
        if sight.seen(space) is None or not sight.admits_readers(readers):
            return None
        return self._state.bars.get((space.id, readers, value))

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, label: Label = PLAIN
    ) -> int:
        if sight.seen(space) is None:
            return 1
        return self._state.numbers.get((space.id, readers, label, author, kind), 1)

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        wanted = set(ids)
        made = [kept.item for kept in self._in_sight(sight) if wanted & set(kept.item.derived_from)]
        found = sorted(made, key=lambda item: (item.id, _place(sight, item)))
        return [*found, *self._promoted(sight, wanted)] if sight.whole else found

    def _promoted(self, sight: Sight, wanted: set[str]) -> list[Item]:
        copies = [
            self._state.kept[place].item
            for place, (space, id) in self._state.origins.items()
            if id in wanted and sight.seen(space) is not None
        ]
        return sorted(copies, key=lambda item: (item.id, item.space.id))

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        if not sight.whole or sight.seen(item.space) is None:
            return []
        origin = self._state.origins.get((item.space.id, item.id))
        return [] if origin is None else [origin]

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, label: Label = PLAIN) -> int:
        seen = sight.seen(space)
        if seen is None or not sight.admits_shelf(seen, readers, label):
            return 0
        return self._state.ticks.get((space.id, readers, label), 0)

    def faded(self, sight: Sight, space: Space, readers: Readers, tick: int, label: Label = PLAIN) -> list[Item]:
        found = self._in_force(sight, space, readers, label)
        return [item for item in found if item.expires_tick is not None and item.expires_tick <= tick]

    def population(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, label: Label = PLAIN
    ) -> Mapping[Kind, int]:
        return Counter(item.kind for item in self._in_force(sight, space, readers, label) if item.author.key == author)

    def authored(self, author: Actor) -> int:
        found = [kept.item for kept in self._state.kept.values() if kept.item.author.key == author.key]
        read = [item for item in found if item.readers.admits(author)]
        return sum(item.kind is not Kind.SHORT_TERM and is_in_force(item) for item in read)

    def places(self, author: Actor) -> list[Space]:
        found = [kept.item for kept in self._state.kept.values() if kept.item.author.key == author.key]
        read = [item for item in found if item.readers.admits(author) and is_in_force(item)]
        return sorted({item.space for item in read if item.kind is not Kind.SHORT_TERM}, key=lambda space: space.id)

    def least(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kinds: Sequence[Kind], count: int,
        *, oldest: bool = False, before: Moment | None = None, label: Label = PLAIN,
    ) -> list[Item]:  # fmt: skip
        found = [item for item in self._in_force(sight, space, readers, label) if item.author.key == author]
        return _first_to_go([item for item in found if item.kind in kinds], before, oldest=oldest)[:count]

    def spare(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        found = [kept.item for kept in self._in_sight(sight) if kept.item.author.key == author.key]
        lasting = [item for item in found if item.kind is not Kind.SHORT_TERM and is_in_force(item)]
        yield from _first_to_go(lasting, before, oldest=oldest)

    def _in_force(self, sight: Sight, space: Space, readers: Readers, label: Label) -> list[Item]:
        here = [kept.item for kept in self._in_sight(sight.narrowed([space])) if kept.item.readers == readers]
        shelf = [item for item in here if is_in_force(item) and label_of(item) == label]
        return sorted(shelf, key=lambda item: item.id)

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        return {space: phases for space, phases in self._state.phases.items() if phases and space in sight.by_id}

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:
        found = [
            kept.item for kept in self._in_sight(sight) if is_expired(kept.item, now) and kept.item.deleted_at is None
        ]
        return sorted(found, key=lambda item: (item.id, _place(sight, item)))[:limit]

    def sources(self, sight: Sight) -> list[Source]:
        found = [source for source in self._state.sources.values() if sight.seen(source.space) is not None]
        return sorted(found, key=lambda source: (source.imported_at, source.id))

    def records(self, sight: Sight) -> Iterator[tuple[str, bytes]]:
        kept = [one.item for one in self._in_sight(sight)] if sight.whole else []
        return iter([(item.id, item_record(item)) for item in kept])

    def damaged(self, sight: Sight) -> list[str]:
        return []

    def quarantined(self, sight: Sight) -> list[str]:
        return []

    def unsound(self) -> list[str]:
        return []

    def spaces(self, user: str | None = None) -> list[Space]:
        found = [one for one in self._state.spaces.values() if user is None or one.get(Level.USER) == user]
        return sorted(found, key=lambda space: space.id)

    # -- people ------------------------------------------------------------------------------------------------------

    def people(self, sight: Sight, ids: Sequence[str]) -> list[Person]:
        return [person for person in self._known_people(sight) if person.id in ids]

    def knows_people(self, sight: Sight) -> bool:
        return any(True for _ in self._known_people(sight))

    def named(self, sight: Sight, *names: str) -> list[Person]:
        return [person for person in self._known_people(sight) if not called(person).isdisjoint(names)]

    def all_people(self, sight: Sight, after: str | None, limit: int) -> list[Person]:
        return [person for person in self._known_people(sight) if person.id > (after or "")][:limit]

    def relations(self, sight: Sight, persons: Sequence[str]) -> list[Relation]:
        return [one for one in self.all_relations(sight) if one.from_person in persons or one.to_person in persons]

    def all_relations(self, sight: Sight) -> list[Relation]:
        found = [one for one in self._state.relations.values() if _is_known(sight, one)]
        return sorted(found, key=lambda one: one.id)

    def next_person(self, sight: Sight, home: Space | None, readers: Readers, creator: bytes) -> int:
        if not sight.spaces or (home is not None and sight.seen(home) is None):
            return 1
        return self._state.person_numbers.get((home, readers, creator), 1)

    def _known_people(self, sight: Sight) -> list[Person]:
        return sorted((one for one in self._state.people.values() if _is_known(sight, one)), key=lambda one: one.id)

    # -- trail -------------------------------------------------------------------------------------------------------

    def chains(self) -> list[tuple[ChainId, int, bytes]]:
        chains = sorted(self._state.chains.items(), key=lambda pair: (pair[0].kind, pair[0].key))
        return [(chain, len(links), links[-1].hash) for chain, links in chains]

    def links(self, chain: ChainId, after: int = 0) -> Iterator[Link]:
        yield from self._state.chains.get(chain, ())[after:]

    def checkpoints(self, chain: ChainId) -> list[Checkpoint]:
        return list(self._state.checkpoints.get(chain, ()))

    # -- erasing -----------------------------------------------------------------------------------------------------

    def erasures(self) -> list[Erasure]:
        return sorted(self._state.erasures.values(), key=lambda erasure: (erasure.at, erasure.id))

    def scrub(self) -> Scrub:
        return Scrub(pending=None)

    def residue(self) -> Mapping[str, int]:
        return {}

    def checkup(self) -> list[tuple[str, str]]:
        return []

    def info(self) -> Mapping[str, Any]:
        return {"engine": "dict", "memories": len(self._state.kept), "spaces": len(self._state.spaces)}

    def close(self) -> None:
        """Nothing to close: what was in memory goes with it."""

    # -- inside ------------------------------------------------------------------------------------------------------

    def _in_sight(self, sight: Sight, among: _Memories | None = None) -> list[_Kept]:
        spaces, memories = sight.by_id, self._state.kept if among is None else among
        return [kept for (space, _), kept in memories.items() if space in spaces and sight.admits(kept.item)]

    def _told(self, sight: Sight, among: _Memories | None = None) -> list[_Kept]:
        """What is out of sight and told of somebody all the same."""
        spaces, memories = sight.by_id, self._state.kept if among is None else among
        told = [kept for (space, _), kept in memories.items() if kept.told is not None and space not in spaces]
        return [kept for kept in told if sight.is_told(kept.item)]

    def _shown(self, sight: Sight, wanted: Callable[[_Kept], bool]) -> list[_Kept]:
        """Of what is wanted, what is in sight and what is told."""
        among = {key: kept for key, kept in self._state.kept.items() if wanted(kept)}
        return [*self._in_sight(sight, among), *self._told(sight, among)]

    def _change(self, change: Change) -> None:
        state = self._state
        state.directory_version += isinstance(change, _OF_THE_DIRECTORY)
        match change:
            case Insert(item, value, entry, told, origin):
                self._insert(item, value, entry, told)
                if origin is not None:
                    state.origins[item.space.id, item.id] = origin
            case Update(item, value, entry, told):
                known = self._known(item.space, item.id)
                made = _Kept(known.handle, item, value, entry, told)
                state.kept[item.space.id, item.id] = made
                self._move_on(item)
            case Erase(space, id):
                self._known(space, id)
                del state.kept[space.id, id]
                state.origins.pop((space.id, id), None)
            case PutAgent(agent):
                state.agents[agent.id] = agent
            case PutChat(chat):
                state.chats[chat.id] = chat.kind
                state.members[Coordinate(Level.CHAT, chat.id)] = dict.fromkeys(chat.participants, Trust.CONTRIBUTOR)
            case PutMember(coordinate, member, trust):
                state.members[coordinate] = {**state.members.get(coordinate, {}), member: trust}
            case DropMember(coordinate, member):
                if coordinate in state.members:
                    staying = {one: trust for one, trust in state.members[coordinate].items() if one != member}
                    state.members[coordinate] = staying
            case PutPhase(space, phase):
                state.spaces[space.id] = space
                others = (one for one in state.phases.get(space.id, ()) if one.index != phase.index)
                state.phases[space.id] = tuple(sorted((*others, phase), key=lambda one: one.index))
                state.phases_begun += 1
            case DropPhases(space, last):
                state.phases[space.id] = tuple(one for one in state.phases.get(space.id, ()) if one.index > last)
            case PutPolicy(digest, document):
                state.policies[digest] = document
                state.policy = digest
            case PutShare(share):
                state.shares[share.id] = share
            case DropShare(id):
                state.shares.pop(id, None)
            case PutSource(source):
                state.spaces[source.space.id] = source.space
                state.sources[source.space.id, source.id] = source
            case DropSource(source):
                state.sources.pop((source.space.id, source.id), None)
            case PutBar(bar):
                state.spaces[bar.space.id] = bar.space
                state.bars[bar.space.id, bar.readers, bar.value] = bar
            case DropBar(bar):
                state.bars.pop((bar.space.id, bar.readers, bar.value), None)
            case PutErasure(erasure):
                state.erasures[erasure.id] = erasure
            case PutPerson(person):
                state.people[person.id] = person
                self._settle(person)
            case DropPerson(id):
                state.people.pop(id, None)
            case PutRelation(relation):
                state.relations[relation.id] = relation
                self._settle(relation)
            case DropRelation(id):
                state.relations.pop(id, None)
            case Reindex():
                self._reindex(change)
            case Quarantine():
                pass  # nothing is ever damaged here
            case Sign(at):
                self._sign(at)

    def _settle(self, made: Person | Relation) -> None:
        """What comes with a person or a relation: its home, and the next number of its creator there."""
        if made.home is not None:
            self._state.spaces[made.home.id] = made.home
        numbers, sequence = self._state.person_numbers, (made.home, made.readers, made.created_by.key)
        numbers[sequence] = max(numbers.get(sequence, 1), made.number + 1)

    def _known(self, space: Space, id: str) -> _Kept:
        found = self._state.kept.get((space.id, id))
        if found is None:
            raise ValueError(f"`{id}` is not in its space")
        return found

    def _insert(self, item: Item, value: bytes, entry: Entry | None, told: Entry | None) -> None:
        state = self._state
        place = (item.space.id, item.id)
        if place in state.kept:
            raise ValueError(f"`{item.id}` is already in its space")
        state.handles += 1
        state.spaces[item.space.id] = item.space
        state.kept[place] = _Kept(state.handles, item, value, entry, told)
        self._move_on(item)

    def _move_on(self, item: Item) -> None:
        """Let the sequence and the tick of the item's shelf go on after it, which may be another shelf than before."""
        numbers, sequence = self._state.numbers, (*_shelf(item), item.author.key, item.kind)
        numbers[sequence] = max(numbers.get(sequence, 1), item.number + 1)
        ticks, shelf = self._state.ticks, _shelf(item)
        ticks[shelf] = max(ticks.get(shelf, 0), item.created_tick)

    def _reindex(self, change: Reindex) -> None:
        kept = self._state.kept
        for done, (place, one) in enumerate(list(kept.items()), start=1):
            kept[place] = replace(one, entry=change.entry_of(one.item), told=change.told_entry_of(one.item))
            if change.progress is not None:
                change.progress(done, len(kept))

    def _sign(self, at: Moment) -> None:
        for chain, number, head in self.chains():
            if not self._is_signed(chain, number):
                self._keep(sign_checkpoint(self.keys, chain, number, head, at))

    def _append(self, event: Event) -> None:
        before = self._state.chains.get(event.chain, ())
        number = len(before) + 1
        link = link_event(event, number, before[-1].hash if before else GENESIS)
        self._state.chains[event.chain] = (*before, link)
        if number % CHECKPOINT_EVERY == 0:
            self._keep(sign_checkpoint(self.keys, event.chain, number, link.hash, event.at))

    def _keep(self, signed: Checkpoint) -> None:
        known = self._state.checkpoints
        known[signed.chain] = (*known.get(signed.chain, ()), signed)

    def _is_signed(self, chain: ChainId, number: int) -> bool:
        return any(checkpoint.number == number for checkpoint in self._state.checkpoints.get(chain, ()))


_OF_THE_DIRECTORY = (PutAgent, PutChat, PutMember, DropMember, PutShare, DropShare, PutPhase, PutPolicy)


def _is_known(sight: Sight, made: Person | Relation) -> bool:
    """Whoever sees anything knows who is listed; anybody else is known where they live."""
    lives_here = bool(sight.spaces) if made.home is None else sight.seen(made.home) is not None
    return lives_here and sight.admits_readers(made.readers)


def _can_be_news(new: Marks, known: Marks) -> bool:
    """Whether a statement can be the news of another: of the same people, and of the same attribute or words, or, if it
    is the news of less, of all its words but one."""
    if (set(new.persons) or {""}).isdisjoint(known.persons or ("",)):
        return False
    if new.attribute is not None and new.attribute == known.attribute:
        return True
    said, before = Counter(new.words), Counter(known.words)
    return said == before or (new.is_news_of_less and before < said and (said - before).total() == 1)


def _shelf(item: Item) -> tuple[bytes, Readers, Label]:
    return item.space.id, item.readers, label_of(item)


def _first_to_go(items: Sequence[Item], before: Moment | None, *, oldest: bool) -> list[Item]:
    due = [item for item in items if before is None or item.created_at <= before]
    return sorted(due, key=lambda item: (0 if oldest else item.importance, item.created_at, item.id, item.space.id))


def _place(sight: Sight, item: Item) -> int:
    """Where the item's space stands in the order of recall; out of sight, after all."""
    places = (index for index, seen in enumerate(sight.spaces) if seen.space == item.space)
    return next(places, len(sight.spaces))


def _newest_first(position: Position) -> tuple[int, str, bytes]:
    return -position.created_at, position.id, position.space
