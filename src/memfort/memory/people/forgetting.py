"""Forgetting a person: what is known about them, what they said, or both, as far as the asker may end it.

The asker reaches its own spaces, where it may write from where it stands, and every chat it takes part in; the system
everywhere. In a chat one ends what one may hear there. Who asks for themselves also ends what was said there about them
and the room would not be told: to be forgotten one need not listen first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from memfort.errors import InvalidInput, NotFound
from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.erasing import NOTHING_BESIDES, Besides, erase_chosen
from memfort.memory.forgetting import made_from
from memfort.memory.input import choice, id_of
from memfort.memory.lifetimes import BATCH, lapsed, retire, there
from memfort.memory.people.directory import Draft, look_up
from memfort.memory.people.meaning import find
from memfort.memory.results import Receipt
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.item import Item
from memfort.model.person import Person, Relation, person_of_user
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.people import ALLOWED, may_change
from memfort.policy.sight import as_subject, joined, maintenance_sight, own_spaces_sight

Progress = Callable[[int, int], None]
Place = tuple[Space, str]  # a memory's space and its name there
_PEOPLE_AT_ONCE = 1000


class Which(StrEnum):
    ABOUT = "about"  # what is known about the person
    STATED_BY = "stated_by"  # what the person said
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class PersonForgotten:
    """What of a person was forgotten, or would be. Of what was erased the receipt tells more."""

    person: str
    which: Which
    items: tuple[Place, ...]
    counts: Mapping[str, int] = field(default_factory=dict)  # about, stated_by, derived
    receipt: Receipt | None = None
    dry_run: bool = False


def forget_person(
    engine: Engine, standpoint: Standpoint, reference: str, which: str = Which.ABOUT, *, erase: bool = False,
    dry_run: bool = False, progress: Progress | None = None,
) -> PersonForgotten:  # fmt: skip
    """End what the asker may end of a person. Forgotten, a tombstone stays of each memory; erased, nothing does, and
    what the asker said of how they are called, and of whom they are to whom, goes too."""
    wanted = choice(Which, which, "which")
    with engine.store.reading():
        task = _task(engine, standpoint, reference, wanted)
    if erase:
        return _erased(task, dry_run=dry_run, progress=progress)
    return _rehearsed(task) if dry_run else _forgotten(task, progress)


@dataclass(frozen=True, slots=True)
class _Task:
    """Whom to forget, on whose word, and where."""

    engine: Engine
    standpoint: Standpoint
    person: Person
    names: frozenset[str]  # the person's id, and the ids of who turned out to be that person
    which: Which
    sights: tuple[Sight, ...]  # one for each space

    @property
    def actor(self) -> Actor:
        return self.standpoint.actor

    def is_meant(self, item: Item) -> bool:
        return bool(self.reasons(item))

    def reasons(self, item: Item) -> list[Which]:
        about = self.which is not Which.STATED_BY and not self.names.isdisjoint(item.subjects)
        stated = self.which is not Which.ABOUT and item.stated_by in self.names
        return [*([Which.ABOUT] if about else []), *([Which.STATED_BY] if stated else [])]

    def items(self, *, ended: bool) -> Iterator[Item]:
        """Everything that is meant; tombstones too, if those are to go."""
        wanted = replace(ALL_STATES, deleted=ended, expired=ended, and_only=self.is_meant)
        for sight in self.sights:
            yield from self.engine.everything(sight, wanted)

    def reaches(self, item: Item) -> bool:
        return any(sight.seen(item.space) is not None and sight.admits(item) for sight in self.sights)

    def result(self, found: Sequence[Item], derived: int, **more: object) -> PersonForgotten:
        reasons = [reason for item in found for reason in self.reasons(item)]
        counts = {one.value: reasons.count(one) for one in (Which.ABOUT, Which.STATED_BY)} | {"derived": derived}
        places = tuple((item.space, item.id) for item in found)
        return PersonForgotten(self.person.id, self.which, places, counts, **more)  # type: ignore[arg-type]


def _task(engine: Engine, standpoint: Standpoint, reference: str, which: Which) -> _Task:
    held = engine.sight(standpoint)
    person = _meant(engine, standpoint, held, id_of(reference, "person"))
    is_system = standpoint.actor.kind is ActorKind.SYSTEM
    sight = maintenance_sight(engine.store.spaces()) if is_system else held
    names = frozenset({person.id, *(one.id for one in _redirects(engine, sight, person))})
    return _Task(engine, standpoint, person, names, which, tuple(_sights(engine, standpoint, held, person)))


def _meant(engine: Engine, standpoint: Standpoint, held: Sight, reference: str) -> Person:
    """The one person that is meant. Nobody is guessed where something is to be ended."""
    if (found := look_up(engine, held, reference)) is not None:
        return found
    people = find(engine, standpoint, reference)
    if not people:
        raise NotFound("person", reference)
    if len(people) > 1:
        names = ", ".join(f"`{one.id}`" for one in people)
        raise InvalidInput("person", f"`{reference}` could be more than one", f"name one of {names}")
    return people[0]


def _redirects(engine: Engine, sight: Sight, person: Person) -> Iterator[Person]:
    """Everybody who turned out to be this person, as far as the sight may know."""
    wanted, after = {person.id}, None
    known: list[Person] = []
    while page := engine.store.all_people(sight, after, _PEOPLE_AT_ONCE):
        known += [one for one in page if one.merged_into is not None]
        after = page[-1].id
    while more := [one for one in known if one.merged_into in wanted and one.id not in wanted]:
        wanted |= {one.id for one in more}
        yield from more


def _sights(engine: Engine, standpoint: Standpoint, held: Sight, person: Person) -> Iterator[Sight]:
    """Where the asker may end something, space by space."""
    actor, spaces = standpoint.actor, engine.store.spaces()
    if actor.kind is ActorKind.SYSTEM:
        yield from (maintenance_sight([space]) for space in spaces)
        return
    is_self = actor.user is not None and person.id == person_of_user(actor.user)
    own = own_spaces_sight(actor, spaces, whole=True)
    for space in spaces:
        if own.seen(space) is not None:
            yield own.narrowed([space])
        elif (here := _here(engine, actor, held, space)).spaces:
            chat = space.get(Level.CHAT)
            yield as_subject(here, chat) if is_self and chat is not None else here


def _here(engine: Engine, actor: Actor, held: Sight, space: Space) -> Sight:
    """One space as the asker has it: from where it stands, or in a chat that it takes part in, wherever it stands."""
    chat = space.get(Level.CHAT)
    if (here := held.writable.narrowed([space])).spaces or chat is None:
        return here
    if not there(engine, actor, held, space).spaces:
        return here
    own = [Coordinate(Level.USER, actor.user)] if actor.user is not None else []
    places = [one for one in space.coordinates if one.level is not Level.VISIBILITY]
    return engine.sight(Standpoint(actor, tuple(dict.fromkeys((*own, *places))))).writable.narrowed([space])


# -- forgetting ------------------------------------------------------------------------------------------------------


def _rehearsed(task: _Task) -> PersonForgotten:
    with task.engine.store.reading():
        found = list(task.items(ended=False))
        derived = _still_there(task, made_from(task.engine, found, task.reaches))
    return task.result([*found, *derived], len(derived), dry_run=True)


def _forgotten(task: _Task, progress: Progress | None) -> PersonForgotten:
    """In small transactions: each batch is looked at once more under the lock."""
    names = [(item.space, item.id) for item in task.items(ended=False)]
    gone: list[Item] = []
    derived = 0
    for start in range(0, len(names), BATCH):
        with task.engine.writing():
            chosen = _again(task, names[start : start + BATCH])
            made = _forget(task, chosen)
        gone, derived = [*gone, *chosen, *made], derived + len(made)
        if progress is not None:
            progress(min(start + BATCH, len(names)), len(names))
    return task.result(gone, derived)


def _again(task: _Task, names: Sequence[Place]) -> list[Item]:
    """Those of the named ones that are still there, still meant and still within reach."""
    by_space: dict[Space, list[str]] = {}
    for space, id in names:
        by_space.setdefault(space, []).append(id)
    found: list[Item] = []
    for sight in task.sights:
        for space in [seen.space for seen in sight.spaces if seen.space in by_space]:
            found += [one for one in task.engine.store.items(sight, by_space[space]) if task.is_meant(one)]
    return _still_there(task, found)


def _forget(task: _Task, chosen: Sequence[Item]) -> list[Item]:
    """Take them out of every read, and what was made from them. What the asker cannot see goes without a word."""
    engine, now = task.engine, task.engine.clock.now()
    seen = _still_there(task, made_from(engine, chosen, task.reaches))
    unseen = made_from(engine, [*chosen, *seen], lambda item: not task.reaches(item))
    for item in _still_there(task, unseen):
        retire(engine, SYSTEM, item, "forget", Reason.FORGOTTEN, now, told=False)
    for item in (*chosen, *seen):
        retire(engine, task.actor, item, "forget", Reason.FORGOTTEN, now)
    return seen


def _still_there(task: _Task, items: Sequence[Item]) -> list[Item]:
    now = task.engine.clock.now()
    return [item for item in items if lapsed(item, now).deleted_at is None]


# -- erasing ---------------------------------------------------------------------------------------------------------


def _erased(task: _Task, *, dry_run: bool, progress: Progress | None) -> PersonForgotten:
    """Physically gone, with older versions and everything derived; and the person, if what is about them goes."""
    engine = task.engine
    with engine.store.reading():
        found = list(task.items(ended=True))
        besides = _besides(task)
    selector = {"person": task.person.id, "which": task.which.value}
    receipt = erase_chosen(
        engine, task.standpoint, selector, _reach(task), found, dry_run=dry_run, progress=progress, besides=besides
    )
    derived = receipt.counts["older_versions"] + receipt.counts["derived"]
    return replace(task.result(found, derived, receipt=receipt, dry_run=dry_run), items=receipt.items)


def _reach(task: _Task) -> Sight:
    if task.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(task.engine.store.spaces())
    return joined(task.engine.sight(task.standpoint), task.sights)


def _besides(task: _Task) -> Besides:
    """The person, if the asker may say who they are, and what the asker said that they are to others."""
    if task.which is Which.STATED_BY:
        return NOTHING_BESIDES
    draft = Draft(task.engine, task.actor, task.engine.clock.now())
    found = _within_reach(task)
    relations = [one for one in found if isinstance(one, Relation) and _may_take_back(task, one)]
    people = [one for one in found if isinstance(one, Person) and may_change(task.actor, one) in ALLOWED]
    for relation in relations:
        draft.drop(relation, "unrelate", Reason.ERASED)
    for person in people:
        draft.drop(person, "drop_person", Reason.ERASED)
    return Besides(draft.changes, draft.events, {"people": len(people), "relations": len(relations)})


def _within_reach(task: _Task) -> list[Person | Relation]:
    """The person, under every name, and what they are to others: where the asker may end something, and in the
    directory. Who has nothing of their own yet stands somewhere all the same, and so knows who is listed."""
    store, names, reach = task.engine.store, sorted(task.names), _reach(task)
    found: dict[str, Person | Relation] = {}
    for sight in (reach, task.engine.sight(task.standpoint)):
        found |= {one.id: one for one in store.relations(sight, names)}
        found |= {one.id: one for one in store.people(sight, names)}
    return [one for _, one in sorted(found.items()) if one.home is None or reach.seen(one.home) is not None]


def _may_take_back(task: _Task, relation: Relation) -> bool:
    """Whether the asker said it, or keeps the directory."""
    if task.actor.kind is ActorKind.SYSTEM:
        return True
    said = task.actor.user is not None and relation.stated_by == person_of_user(task.actor.user)
    return said or relation.created_by.key == task.actor.key
