"""Forget a person: memories about them, their statements, or both, as far as the asker may end them.

The asker reaches its own spaces and the spaces where it stands, and there the memories that it may end; the system
reaches everything. In a chat the asker ends only memories it may see there. An asker who is that person also ends
memories about them that the chat may not see: being forgotten does not require seeing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.lifecycle.sweep import BATCH
from memfort.engine.redact import redact_unheard
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.item import Item, Kind
from memfort.model.people.actor import ActorKind
from memfort.model.people.person import Person, Relation, person_of_user, user_of_person
from memfort.model.reason import Reason
from memfort.model.results import Namesake, PersonForgotten, PersonLink
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.ending.forget import filter_live, listed_here, retire_all
from memfort.operations.ending.lineage import find_derived
from memfort.operations.ending.removal import NO_PEOPLE, PeopleRemoval, Selection, end_marker, erase_selection
from memfort.operations.ending.said import find_said, rewrite
from memfort.operations.ending.selection import IN_A_CHAT
from memfort.operations.people.edits import PeopleEdits
from memfort.operations.people.person_ids import ids_of_person, resolve_person
from memfort.operations.people.resolve.said_names import SaidNames, is_only_said, names_of
from memfort.operations.requests import Request
from memfort.policy.people import ALLOWED, may_change
from memfort.policy.rejected_form import END_OF_SPACE, end_of_person
from memfort.policy.sight import join_sights, maintenance_sight, own_spaces_sight, subject_sight
from memfort.store.port import LIVE, RejectedValue

Place = tuple[Space, str]  # a memory's space and its id there


class ForgetPersonRequest(Request, frozen=True):
    """The person to forget, and which memories."""

    person: Annotated[str, Meta(description="The person: `@bob`, an id, a name, or `my wife`.")]
    which: Annotated[
        PersonLink, Meta(description="What is known about them (about), what they said (stated_by), or both.")
    ] = PersonLink.ABOUT
    erase: Annotated[
        bool, Meta(description="Remove the memories physically, and what you added about them, with a receipt.")
    ] = False
    dry_run: Annotated[bool, Meta(description="Show what would happen, and do nothing.")] = False


def handle(session: Session, request: ForgetPersonRequest) -> PersonForgotten:
    """End the memories of a person that the asker may end. A forgotten memory leaves a tombstone; an erased one leaves
    nothing, and the names and relations that the asker added are erased too."""
    with session.view() as view:
        task = person_task(view, request.person, request.which)
        if request.dry_run and not request.erase:
            found = list(task.items(view, ended=False))
            derived = filter_live(find_derived(view.store, found, task.reaches), view.now)
            return task.result(view, found, derived, dry_run=True)
    return erase_person(session, task, dry_run=request.dry_run) if request.erase else _forget_in_batches(session, task)


class PersonTask(Struct, frozen=True):
    """The person to forget, the asker, and the spaces."""

    person: Person
    names: frozenset[str]  # the person's id, and the ids of who turned out to be that person
    which: PersonLink
    sights: tuple[Sight, ...]  # one for each space
    said: SaidNames  # the names under which memories are looked for that are not linked
    user: str | None = None  # whose own writes and spaces count too

    def matches(self, item: Item) -> bool:
        return bool(self.reasons(item)) or self._is_own(item)

    def turns(self, view: View) -> list[Item]:
        """The turns of the asker that say the name: their sentences with it go, and their rest stays."""
        return [] if self.said.user is None else self._that(view, self._is_turn)

    def _is_turn(self, here: View, item: Item) -> bool:
        is_turn = item.kind is Kind.SHORT_TERM and self.said.are_said_in(item)
        return is_turn and here.may_end(item) and not self.matches(item)

    def namesakes(self, view: View) -> list[Item]:
        """What the asker may end, says one of the names, and is not linked: nobody knows whom it means. In a chat only
        what may be heard there."""
        found = self._that(view, self._is_namesake)
        return [item for item in found if view.actor.kind is ActorKind.SYSTEM or view.sight.admits(item)]

    def _is_namesake(self, here: View, item: Item) -> bool:
        if self.matches(item) or self.said.are_said_in(item) or not here.may_end(item):
            return False
        return self.said.search.is_in(item.text)

    def _that(self, view: View, is_wanted: Callable[[View, Item], bool]) -> list[Item]:
        """The memories in force within reach that are so, if what is known of the person is asked for."""
        if self.which is PersonLink.STATED_BY or not self.said.search:
            return []
        found: list[Item] = []
        for sight in self.sights:
            wanted = replace(LIVE, and_only=partial(is_wanted, view.with_sight(sight)))
            found += view.engine.all_items(sight, wanted)
        return found

    def _is_own(self, item: Item) -> bool:
        return self.user is not None and self.user in {item.author.user, item.space.get(Level.USER)}

    def reasons(self, item: Item) -> list[PersonLink]:
        is_about = not self.names.isdisjoint(item.subjects) or self.said.mean(item)
        about = self.which is not PersonLink.STATED_BY and is_about
        stated = self.which is not PersonLink.ABOUT and item.stated_by in self.names
        return [*([PersonLink.ABOUT] if about else []), *([PersonLink.STATED_BY] if stated else [])]

    def items(self, view: View, *, ended: bool) -> Iterator[Item]:
        """The selected memories; tombstones too, if those are to be erased."""
        wanted = replace(ALL_STATES, deleted=ended, expired=ended)
        for sight in self.sights:
            here = view.with_sight(sight)
            yield from view.engine.all_items(sight, replace(wanted, and_only=partial(self.is_chosen, here)))

    def is_chosen(self, here: View, item: Item) -> bool:
        return self.matches(item) and here.may_end(item)

    def reaches(self, item: Item) -> bool:
        return any(sight.seen(item.space) is not None and sight.admits(item) for sight in self.sights)

    def result(
        self, view: View, found: Sequence[Item], derived: Sequence[Item], *, dry_run: bool = False
    ) -> PersonForgotten:
        """What is told of it: in a chat only what may be said there."""
        made = listed_here(view, derived)
        listed = [*listed_here(view, found), *made]
        places = tuple((item.space, item.id) for item in listed)
        return PersonForgotten(self.person.id, self.which, places, self.counts(listed, len(made)), dry_run=dry_run)

    def counts(self, listed: Sequence[Item], derived: int) -> Mapping[str, int]:
        reasons = [reason for item in listed for reason in self.reasons(item)]
        links = (PersonLink.ABOUT, PersonLink.STATED_BY)
        return {one.value: reasons.count(one) for one in links} | {"derived": derived}


def person_task(view: View, reference: str, which: PersonLink, *, with_own: bool = False) -> PersonTask:
    """What an ending of a person is for. `with_own`: also everything the person wrote, and all of their own spaces."""
    person = resolve_person(view, reference, or_said=True)
    user = user_of_person(person.id) if with_own else None
    names = frozenset({person.id}) if is_only_said(person) else ids_of_person(view, person)
    task = PersonTask(person, names, which, tuple(_sights(view, person)), names_of(view, person), user)
    if is_only_said(person) and not _is_said(view, task):
        raise NotFound("person", reference)
    return task


def _is_said(view: View, task: PersonTask) -> bool:
    """Whether anything within reach says the name."""
    return next(task.items(view, ended=False), None) is not None or bool(task.turns(view) or task.namesakes(view))


def _sights(view: View, person: Person) -> Iterator[Sight]:
    """The spaces where the asker may end memories, one by one."""
    actor, spaces = view.actor, list(view.store.spaces())
    if actor.kind is ActorKind.SYSTEM:
        yield from (maintenance_sight([space]) for space in spaces)
        return
    is_self = actor.user is not None and person.id == person_of_user(actor.user)
    own = own_spaces_sight(actor, spaces, whole=True)
    for space in spaces:
        if own.seen(space) is not None:
            yield own.narrowed([space])
        elif (here := view.sight.writable.narrowed([space])).spaces:
            chat = space.get(Level.CHAT)
            yield subject_sight(here, chat) if is_self and chat is not None else here


# -- forgetting ------------------------------------------------------------------------------------------------------


def _forget_in_batches(session: Session, task: PersonTask) -> PersonForgotten:
    """Forget in small transactions; each batch is checked again under the lock."""
    with session.view() as view:
        names = [(item.space, item.id) for item in task.items(view, ended=False)]
    gone: list[Item] = []
    derived: list[Item] = []
    for start in range(0, len(names), BATCH):
        some = names[start : start + BATCH]
        chosen, made = session.write([space for space, _ in some], partial(_forget, task=task, names=some))
        gone, derived = [*gone, *chosen], [*derived, *made]
        session.progress(min(start + BATCH, len(names)), len(names))
    with session.view() as view:
        return task.result(view, gone, derived)


def _forget(tx: Transaction, task: PersonTask, names: Sequence[Place]) -> tuple[list[Item], list[Item]]:
    """Forget what is named, and what was made from it; gives both."""
    chosen = _select_again(tx, task, names)
    made = filter_live(find_derived(tx.store, chosen, task.reaches), tx.now)
    unseen = find_derived(tx.store, [*chosen, *made], lambda item: not task.reaches(item))
    said = find_said(tx, join_sights(tx.sight, task.sights), [*chosen, *made])
    retire_all(tx, [*chosen, *made], unseen)
    tx.apply(*rewrite(tx.engine, tx.recorder, said, Reason.FORGOTTEN))
    return chosen, made


def _select_again(tx: Transaction, task: PersonTask, names: Sequence[Place]) -> list[Item]:
    """Those of the listed memories that still exist, still match and are still within reach."""
    by_space: dict[Space, list[str]] = {}
    for space, id in names:
        by_space.setdefault(space, []).append(id)
    found: list[Item] = []
    for sight in task.sights:
        for space in [seen.space for seen in sight.spaces if seen.space in by_space]:
            here = tx.with_sight(sight)
            found += [one for one in here.items(by_space[space]) if task.is_chosen(here, one)]
    return filter_live(found, tx.now)


# -- erasing ---------------------------------------------------------------------------------------------------------


def erase_person(
    session: Session, task: PersonTask, *, dry_run: bool, namesakes: Sequence[str] = ()
) -> PersonForgotten:
    """Erase memories with older versions and everything derived; and the person, if memories about them are erased.
    `namesakes` says what becomes of those that only say the name: all are kept or erased, or some by id."""
    with session.view() as view:
        found = list(task.items(view, ended=True))
        decided = _Namesakes(view, task.namesakes(view), namesakes)
        found += decided.erased
        is_named = is_only_said(task.person)
        selection = Selection(
            {"person": "…" if is_named else task.person.id, "which": task.which.value},  # a receipt holds no contents
            _erasable_sight(view, task),
            found,
            people=_people_removal(view, task),
            markers=_markers(view, task, found),
            turns=task.turns(view),
            words=f'"{task.person.name}"',
            notes=(IN_A_CHAT,) if view.sight.is_in_chat else (),
        )
        listed, found = decided.listed, listed_here(view, found)
    receipt = erase_selection(session, selection, dry_run=dry_run)
    if listed:
        receipt = replace(
            receipt,
            counts={**receipt.counts, "namesakes": len(listed)},
            namesakes=listed,
            is_undecided=not namesakes,
            notes=(*receipt.notes, *(() if namesakes else (_undecided(len(listed)),))),
        )
    derived = receipt.counts["older_versions"] + receipt.counts["derived"]
    counts = task.counts(found, derived)
    return PersonForgotten(task.person.id, task.which, receipt.items, counts, receipt, dry_run)


def _undecided(count: int) -> str:
    more = "1 more memory names" if count == 1 else f"{count} more memories name"
    return (
        f"{more} somebody called so and is not linked to this person; read them, and say `namesakes`: "
        "`keep`, `erase`, or the ids of those to erase"
    )


class _Namesakes:
    """What was decided about memories that only say a name."""

    def __init__(self, view: View, found: Sequence[Item], decision: Sequence[str]) -> None:
        words, ids = set(decision) & {KEEP, ERASE}, set(decision) - {KEEP, ERASE}
        if len(words) > 1 or (words and ids):
            raise InvalidInput("namesakes", "it says several things", f"give `{KEEP}`, `{ERASE}`, or ids")
        if unknown := sorted(ids - {item.id for item in found}):
            raise InvalidInput("namesakes", f"`{unknown[0]}` is none of them", "a dry run lists them")
        self.erased = [item for item in found if ERASE in words or item.id in ids]
        gone = {(item.space.id, item.id) for item in self.erased}
        self.listed = tuple(namesake(view, item) for item in found if (item.space.id, item.id) not in gone)


def namesake(view: View, item: Item) -> Namesake:
    return Namesake(item.space, item.id, item.kind, redact_unheard(view.sight, item).text)


KEEP, ERASE = "keep", "erase"


def _erasable_sight(view: View, task: PersonTask) -> Sight:
    if view.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(view.store.spaces())
    return join_sights(view.sight, task.sights)


def _markers(view: View, task: PersonTask, found: Sequence[Item]) -> list[RejectedValue]:
    """That all about the person has ended, for each space where nobody else could learn of it by that."""
    about = [item for item in found if not task.names.isdisjoint(item.subjects)]
    if task.which is PersonLink.STATED_BY or is_only_said(task.person):
        return []
    is_system = view.actor.kind is ActorKind.SYSTEM
    spaces = dict.fromkeys(item.space for item in about if is_system or item.space.is_private)
    own = dict.fromkeys(item.space for item in found if task.user and item.space.get(Level.USER) == task.user)
    markers = [end_marker(view, space, end_of_person(name)) for space in spaces for name in sorted(task.names)]
    return [*markers, *(end_marker(view, space, END_OF_SPACE) for space in own)]


def _people_removal(view: View, task: PersonTask) -> PeopleRemoval:
    """The person, if the asker may say who they are, and what the asker said that they are to others."""
    if task.which is PersonLink.STATED_BY:
        return NO_PEOPLE
    edits = PeopleEdits(view)
    found = _people_in_reach(view, task)
    relations = [one for one in found if isinstance(one, Relation) and _may_take_back(view, one)]
    people = [one for one in found if isinstance(one, Person) and may_change(view.actor, one) in ALLOWED]
    for relation in relations:
        edits.drop(relation, "unrelate", Reason.ERASED)
    for person in people:
        edits.drop(person, "drop_person", Reason.ERASED)
    return PeopleRemoval(edits.changes, edits.events, {"people": len(people), "relations": len(relations)})


def _people_in_reach(view: View, task: PersonTask) -> list[Person | Relation]:
    """The person under every id, and their relations: in spaces where the asker may end memories, and in the directory.
    An asker without memories still knows the people in the directory."""
    names, reach = sorted(task.names), _erasable_sight(view, task)
    found: dict[str, Person | Relation] = {}
    for sight in (reach, view.sight):
        found |= {one.id: one for one in view.store.relations(sight, names)}
        found |= {one.id: one for one in view.store.people(sight, names)}
    return [one for _, one in sorted(found.items()) if one.home is None or reach.seen(one.home) is not None]


def _may_take_back(view: View, relation: Relation) -> bool:
    """Whether the asker stated it, or is the system."""
    actor = view.actor
    if actor.kind is ActorKind.SYSTEM:
        return True
    said = actor.user is not None and relation.stated_by == person_of_user(actor.user)
    return said or relation.created_by.key == actor.key
