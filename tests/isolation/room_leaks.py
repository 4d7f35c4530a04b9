"""Leaks between rooms, sown on purpose: small changes of the rules, the sight, the store and the facade, each of which
lets bea notice in one room what is not for it. The room stories must catch every one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from leaks import burden

from memfort.memory import (
    accounting,
    describing,
    explaining,
    kin,
    observing,
    promoting,
    reading,
    recalling,
    reviewing,
    showing,
    writing,
)
from memfort.memory import engine as engines
from memfort.memory.engine import Engine
from memfort.memory.meaning import Meaning
from memfort.memory.people import directory, forgetting, meaning, merging, whom
from memfort.memory.transfer import exporting, people_out
from memfort.memory.upkeep import doctoring
from memfort.model import hearing
from memfort.model.hearing import Label, Room, RoomKind
from memfort.model.item import EVERYONE, Item, Kind, Status, is_live
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy import disclosure
from memfort.policy import sight as sights
from memfort.policy.disclosure import Disclosing
from memfort.policy.sections import Disclosure, DisclosureRule, Provenance
from memfort.policy.sight import unheard
from memfort.store.columns import Columns
from memfort.store.port import Filter
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite import people as sqlite_people
from memfort.testing import DictStore, dict_store

Patch = pytest.MonkeyPatch
PURGE, FILE = "purge", "file"  # what shows it: leaving out what was done apart, or the labels of what is told


@dataclass(frozen=True)
class RoomLeak:
    name: str
    says: str
    sow: Callable[[Patch], None]
    on: str
    shown_by: str


ROOM_LEAKS: list[RoomLeak] = []


def leak(
    says: str, *, on: str = "dict", shown_by: str = PURGE
) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def enter(sow: Callable[[Patch], None]) -> Callable[[Patch], None]:
        ROOM_LEAKS.append(RoomLeak(sow.__name__, says, sow, on, shown_by))
        return sow

    return enter


# -- the rules -------------------------------------------------------------------------------------------------------


@leak("where something was learned does not matter")
def learned_anywhere(patch: Patch) -> None:
    patch.setattr(Disclosing, "_kept_there", lambda self, label: None)


@leak("what was learned in a chat of unknown kind is taken to be from a group")
def unknown_origin_is_a_group(patch: Patch) -> None:
    original = Disclosing._kept_there

    def kept_there(self: Disclosing, label: Label) -> Reason | None:
        is_known = label.learned_in is None or label.learned_in in self.chats
        return original(self, label) if is_known else None

    patch.setattr(Disclosing, "_kept_there", kept_there)


@leak("what others know is told wherever they learned it")
def told_from_anywhere(patch: Patch) -> None:
    patch.setattr(Disclosing, "_not_from_there", lambda self, label: None)


@leak("what nobody knows the origin of is open, whatever the policy says")
def missing_provenance_is_open(patch: Patch) -> None:
    _with_rules(patch, lambda rules: replace(rules, missing_provenance=Provenance.OPEN))


@leak("the looser rule for groups is in force, whatever the policy says")
def participants_always(patch: Patch) -> None:
    _with_rules(patch, lambda rules: replace(rules, rule=DisclosureRule.PARTICIPANTS))


def _with_rules(patch: Patch, change: Callable[[Disclosure], Disclosure]) -> None:
    original = Engine.disclosing

    def disclosing(self: Engine, standpoint: Any) -> Disclosing:
        made = original(self, standpoint)
        return replace(made, rules=change(made.rules), _answers={}, _told={})

    patch.setattr(Engine, "disclosing", disclosing)


def _in_a_room_of(patch: Patch, change: Callable[[Room], Room]) -> None:
    original = disclosure.room_of
    patch.setattr(engines, "room_of", lambda *given: change(original(*given)))


@leak("a group is treated as a private chat")
def group_is_private(patch: Patch) -> None:
    _as(patch, RoomKind.GROUP, RoomKind.PRIVATE)


@leak("a private chat is treated as a group")
def private_is_a_group(patch: Patch) -> None:
    _as(patch, RoomKind.PRIVATE, RoomKind.GROUP)


@leak("a chat that nobody has registered is treated as a group")
def unknown_is_a_group(patch: Patch) -> None:
    _as(patch, RoomKind.UNKNOWN, RoomKind.GROUP)


@leak("who asks is taken to be alone, whatever chat they are in")
def always_alone(patch: Patch) -> None:
    _in_a_room_of(patch, lambda room: replace(room, kind=RoomKind.ALONE))


def _as(patch: Patch, kind: RoomKind, other: RoomKind) -> None:
    _in_a_room_of(patch, lambda room: replace(room, kind=other) if room.kind is kind else room)


@leak("everybody a memory is about counts as present")
def subjects_are_always_present(patch: Patch) -> None:
    patch.setattr(Disclosing, "_with_subject", lambda self, label: bool(label.subjects))


@leak("alone, one hears everything in the spaces one shares with others")
def alone_hears_all(patch: Patch) -> None:
    patch.setattr(Disclosing, "_alone", lambda self, seen, label: Reason.VISIBLE)


@leak("what somebody shares is shown as if it were one's own")
def shared_is_own(patch: Patch) -> None:
    original = Disclosing._alone

    def alone(self: Disclosing, seen: Any, label: Label) -> Reason:
        return Reason.VISIBLE if seen.reason is Reason.SHARED_WITH_YOU else original(self, seen, label)

    patch.setattr(Disclosing, "_alone", alone)


@leak("the owner of a memory hears it in whatever company")
def owner_hears_anyway(patch: Patch) -> None:
    original = Disclosing.verdict

    def verdict(self: Disclosing, seen: Any, label: Label) -> Reason:
        is_owner = self.room.asker is not None and disclosure._owner(seen.space, label) == self.room.asker
        return Reason.OWNER_IS_LISTENING if is_owner else original(self, seen, label)

    patch.setattr(Disclosing, "verdict", verdict)


@leak("public means public, whoever is in a private chat")
def public_needs_no_reason(patch: Patch) -> None:
    patch.setattr(Disclosing, "_public_in_private", lambda *_: Reason.VISIBLE)


@leak("rooms are resolved once and not again when somebody comes or goes")
def rooms_are_kept(patch: Patch) -> None:
    original, known = Engine.disclosing, dict[Any, Disclosing]()

    def disclosing(self: Engine, standpoint: Any) -> Disclosing:
        key = (id(self), standpoint.coordinates)
        return known.setdefault(key, original(self, standpoint))

    patch.setattr(Engine, "disclosing", disclosing)


# -- what is told ----------------------------------------------------------------------------------------------------


@leak("what is told need not be an enduring fact")
def told_in_passing(patch: Patch) -> None:
    original, entry = Sight.is_told, Meaning.told_entry_of
    patch.setattr(Sight, "is_told", lambda self, item: original(self, item.but(portable=True)))
    patch.setattr(Meaning, "told_entry_of", lambda self, item: entry(self, item.but(portable=True)))


@leak("disclosure is asked and the reader list is not")
def told_to_any_reader(patch: Patch) -> None:
    original = Sight.is_told
    patch.setattr(Sight, "is_told", lambda self, item: original(self, item.but(readers=EVERYONE)))


@leak("a reader list is asked of who asks, and not of who listens")
def readers_are_asked_of_the_asker(patch: Patch) -> None:
    patch.setattr(Room, "is_among", lambda self, readers: True)


@leak("in sight too, disclosure is asked and the reader list is not")
def heard_by_any_reader(patch: Patch) -> None:
    original = Sight.admits
    patch.setattr(Sight, "admits", lambda self, item: original(self, item.but(readers=EVERYONE)))


@leak("what others know of somebody is told to anybody who asks")
def told_of_the_absent(patch: Patch) -> None:
    def asking_about(sight: Sight, persons: Any) -> Sight:
        return replace(sight, about=frozenset(persons))

    def told_verdict(self: Disclosing, label: Label, person: str, owner: str | None) -> Reason:
        present = replace(self.room, present=self.room.present | {person})
        return original(replace(self, room=present, _answers={}, _told={}), label, person, owner)

    original = Disclosing.told_verdict
    patch.setattr(reading, "asking_about", asking_about)
    patch.setattr(Disclosing, "told_verdict", told_verdict)


@leak("what is told in a group is told of whomever it is about, however private")
def told_all_in_groups(patch: Patch) -> None:
    patch.setattr(Disclosing, "_in_group", lambda self, label, *_: Reason.VISIBLE)


@leak("what is told is found by its tags", shown_by=FILE)
def told_by_its_tags(patch: Patch) -> None:
    def told_entry_of(self: Meaning, item: Item) -> Any:
        return self.entry_of(item) if original(self, item) else None

    original = Meaning.told_entry_of
    patch.setattr(Meaning, "told_entry_of", told_entry_of)


@leak("what is told comes with its tags", shown_by=FILE)
def told_with_its_tags(patch: Patch) -> None:
    original = disclosure.as_told
    patch.setattr(showing, "as_told", lambda item: original(item).but(tags=item.tags))


@leak("what is told names the people whom its speaker knows in private")
def told_with_private_people(patch: Patch) -> None:
    original = disclosure.as_told
    patch.setattr(showing, "as_told", lambda item: original(item).but(subjects=item.subjects))


@leak("the name of what is told goes by whom its speaker knows in private")
def named_by_private_people(patch: Patch) -> None:
    def label(sensitivity: Any, learned_in: Any, subjects: Any, stated_by: Any, portable: bool) -> Label:
        made = original(sensitivity, learned_in, subjects, stated_by, portable)
        return replace(made, subjects=subjects) if hearing.SOMEBODY in made.subjects else made

    original = hearing.label
    for module in (hearing, describing):
        patch.setattr(module, "label", label)


@leak("what is promoted names the people whom its speaker knows in private")
def promoted_with_private_people(patch: Patch) -> None:
    patch.setattr(promoting, "_known_there", lambda engine, actor, sight, copy, *_: copy.subjects)


# -- shelves ---------------------------------------------------------------------------------------------------------


def _all(store: DictStore) -> list[Any]:
    return list(store._state.kept.values())


@leak("word statistics are of a space, whoever may hear what of it")
def statistics_of_all_labels(patch: Patch) -> None:
    original = DictStore.columns

    def columns(self: DictStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        whole = unheard(sight)
        hidden = [kept for kept in _all(self) if whole.admits(kept.item) and not sight.admits(kept.item)]
        return [*original(self, sight, now, *embedder), burden(sum(is_live(one.item, now) for one in hidden))]

    patch.setattr(DictStore, "columns", columns)


@leak("the statistics of a rack are those of all its shelves", on="sqlite")
def statistics_of_the_rack(patch: Patch) -> None:
    original = SqliteStore.columns

    def columns(self: SqliteStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        found, whole = original(self, sight, now, *embedder), original(self, unheard(sight), now, *embedder)
        return [*found, burden(sum(one.count for one in whole) - sum(one.count for one in found))]

    patch.setattr(SqliteStore, "columns", columns)


@leak("statistics of what may be told count everything about the person")
def statistics_of_the_untold(patch: Patch) -> None:
    original = DictStore.columns

    def columns(self: DictStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        about = [kept for kept in _all(self) if sight.about & set(kept.item.subjects) and is_live(kept.item, now)]
        return [*original(self, sight, now, *embedder), burden(sum(not sight.admits(kept.item) for kept in about))]

    patch.setattr(DictStore, "columns", columns)


@leak("ids come from one sequence of an author in a space, whoever may hear what")
def ids_across_labels(patch: Patch) -> None:
    def next_number(
        self: DictStore, sight: Sight, space: Space, readers: Any, author: bytes, kind: Kind, label: Any = None
    ) -> int:
        numbers = self._state.numbers.items()
        return max((next for key, next in numbers if (key[0], *key[3:]) == (space.id, author, kind)), default=1)

    patch.setattr(DictStore, "next_number", next_number)


def _of_space(store: DictStore, space: Space, readers: Any) -> list[Item]:
    here = [kept.item for kept in _all(store) if kept.item.space == space and kept.item.readers == readers]
    return [item for item in here if item.status is Status.APPROVED and item.deleted_at is None]


@leak("a tick counts what comes into force for any room")
def tick_across_labels(patch: Patch) -> None:
    def tick(self: DictStore, sight: Sight, space: Space, readers: Any = EVERYONE, label: Any = None) -> int:
        return sum(kept.item.space == space and kept.item.in_force_at is not None for kept in _all(self))

    patch.setattr(DictStore, "tick", tick)


@leak("a memory is aged by what is said for other rooms")
def aged_across_labels(patch: Patch) -> None:
    def faded(self: DictStore, sight: Sight, space: Space, readers: Any, tick: int, label: Any = None) -> list[Item]:
        found = _of_space(self, space, readers)
        return [one for one in found if one.expires_tick is not None and one.expires_tick <= tick]

    patch.setattr(DictStore, "faded", faded)


@leak("a budget counts what an author said for other rooms")
def budget_across_labels(patch: Patch) -> None:
    def population(self: DictStore, sight: Sight, space: Space, readers: Any, author: bytes, label: Any = None) -> Any:
        return Counter(item.kind for item in _of_space(self, space, readers))

    patch.setattr(DictStore, "population", population)


@leak("in a shared space, what the room may not hear has rivals and bars in what it says")
def rivals_across_labels(patch: Patch) -> None:
    patch.setattr(engines, "_apart", lambda said, space, label: said)


# -- doors -----------------------------------------------------------------------------------------------------------


def _unheard(patch: Patch, *doors: str, store: type = DictStore) -> None:
    """Rooms that are forgotten at some of the store's doors."""
    for door in doors:
        original = getattr(store, door)

        def through(self: Any, sight: Sight, *rest: Any, original: Any = original) -> Any:
            return original(self, replace(sight, hearing=None), *rest)

        patch.setattr(store, door, through)


@leak("listings forget the room")
def room_forgotten_in_listings(patch: Patch) -> None:
    _unheard(patch, "page")


@leak("looking up by id forgets the room")
def room_forgotten_by_id(patch: Patch) -> None:
    _unheard(patch, "items")


@leak("looking up by id forgets the room", on="sqlite")
def room_forgotten_by_id_on_sqlite(patch: Patch) -> None:
    _unheard(patch, "items", store=SqliteStore)


@leak("recall forgets the room")
def room_forgotten_in_recall(patch: Patch) -> None:
    _unheard(patch, "columns", "stamps", "opened")


@leak("recall forgets the room", on="sqlite")
def room_forgotten_in_recall_on_sqlite(patch: Patch) -> None:
    _unheard(patch, "columns", "stamps", "opened", store=SqliteStore)


@leak("what is known about somebody forgets the room")
def room_forgotten_about_people(patch: Patch) -> None:
    _unheard(patch, "about")


@leak("what is known about somebody is cut to the limit before the room is asked")
def about_filters_after_limit(patch: Patch) -> None:
    original = DictStore.about

    def about(self: DictStore, sight: Sight, persons: Any, filter: Filter, limit: int, now: int) -> list[Item]:
        found = original(self, replace(sight, hearing=None), persons, filter, limit, now)
        return [item for item in found if sight.admits(item)]

    patch.setattr(DictStore, "about", about)


@leak("a correction, a promotion or a forgetting finds what the room may not hear")
def change_what_is_not_heard(patch: Patch) -> None:
    original = writing.find
    patch.setattr(writing, "find", lambda engine, sight, name: original(engine, unheard(sight), name))


@leak("a history is walked past what the room may not hear")
def history_forgets_the_room(patch: Patch) -> None:
    original = reading.find
    patch.setattr(reading, "find", lambda engine, sight, name: original(engine, unheard(sight), name))


@leak("explain says why a room may not hear of something")
def explain_says_why_not(patch: Patch) -> None:
    original = explaining._spoken_of
    patch.setattr(explaining, "_spoken_of", lambda engine, held, *rest: original(engine, unheard(held), *rest))


@leak("what is withheld is counted past the room")
def withheld_past_the_room(patch: Patch) -> None:
    original = accounting.withheld
    patch.setattr(accounting, "withheld", lambda engine, sight, *rest: original(engine, unheard(sight), *rest))


@leak("a place in the ranking counts what the room may not hear")
def ranked_past_the_room(patch: Patch) -> None:
    original = accounting._race

    def race(engine: Engine, standpoint: Any, sight: Sight, *rest: Any) -> Any:
        return original(engine, standpoint, unheard(sight), *rest)

    patch.setattr(accounting, "_race", race)


@leak("what is told is found by a tag that is not told", shown_by=FILE)
def found_by_an_untold_tag(patch: Patch) -> None:
    def is_wanted(engine: Engine, sight: Sight, filter: Filter, item: Item, now: Any) -> bool:
        return writing.is_shown(engine, sight, item, now) and filter.admits(item, now)

    patch.setattr(recalling, "is_wanted", is_wanted)


@leak("check looks past the room")
def check_forgets_the_room(patch: Patch) -> None:
    original = explaining._find_for

    def find_for(verb: str, engine: Engine, sight: Sight, id: str, now: Any) -> None:
        original(verb, engine, unheard(sight), id, now)

    patch.setattr(explaining, "_find_for", find_for)


@leak("an export takes along what the room may not hear")
def export_forgets_the_room(patch: Patch) -> None:
    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        return sights.own_spaces_sight(actor, spaces, **{**rest, "hearing": None})

    patch.setattr(exporting, "own_spaces_sight", own)


@leak("an export takes along whom the room may not hear of")
def export_forgets_the_room_for_people(patch: Patch) -> None:
    patch.setattr(people_out, "is_shown", lambda *_: True)


@leak("an export takes along whoever is known anywhere")
def export_of_everybody(patch: Patch) -> None:
    patch.setattr(people_out, "_everybody", lambda engine, _: iter(_everybody(engine.store)))
    patch.setattr(people_out, "_is_carried", lambda *_: True)
    patch.setattr(people_out, "_with_redirects", lambda _, known: set(known))


@leak("the inbox shows what waits, whatever the room")
def inbox_forgets_the_room(patch: Patch) -> None:
    original = reviewing.reviewable
    patch.setattr(reviewing, "reviewable", lambda engine, held: unheard(original(engine, held)))


@leak("the window of a conversation has the turns of every room")
def window_of_every_room(patch: Patch) -> None:
    def conversation(engine: Engine, actor: Any, sight: Sight, space: Space, now: Any) -> Any:
        here = unheard(sight).narrowed([space])
        turns = engine.store.page(here, observing._TURNS, None, 99, now)
        return None, [turn for turn in turns if turn.author.key == actor.key]

    patch.setattr(observing, "_conversation", conversation)


@leak("an erase counts what was made of a memory for other rooms")
def receipt_counts_other_rooms(patch: Patch) -> None:
    original = kin.is_within
    patch.setattr(kin, "is_within", lambda sight, item: original(unheard(sight), item))


@leak("what was made of a memory for other rooms is forgotten by name")
def forgets_by_name(patch: Patch) -> None:
    original = Sight.admits

    def admits(self: Sight, item: Item) -> bool:
        return original(self if item.derived_from == () else unheard(self), item)

    patch.setattr(Sight, "admits", admits)


# -- people ----------------------------------------------------------------------------------------------------------


def _everybody(store: DictStore) -> list[Any]:
    return sorted(store._state.people.values(), key=lambda one: one.id)


@leak("people are found in whatever space they are known")
def people_of_every_home(patch: Patch) -> None:
    patch.setattr(DictStore, "_known_people", lambda self, sight: _everybody(self))


@leak("people are found in whatever space they are known", on="sqlite")
def people_of_every_home_on_sqlite(patch: Patch) -> None:
    def homes(sight: Sight, numbered: Any) -> str:
        return original(sight, range(1, 1_000))

    original = sqlite_people.homes
    patch.setattr(sqlite_people, "homes", homes)


@leak("an id is somebody's, wherever they are known")
def persons_by_id_anywhere(patch: Patch) -> None:
    patch.setattr(DictStore, "people", lambda self, sight, ids: [one for one in _everybody(self) if one.id in ids])


@leak("a name that somebody else uses in private is taken")
def names_are_taken(patch: Patch) -> None:
    def named(self: DictStore, sight: Sight, *names: str) -> list[Any]:
        return [one for one in _everybody(self) if not dict_store.called(one).isdisjoint(names)]

    patch.setattr(DictStore, "named", named)
    patch.setattr(meaning, "is_known_in", lambda *_: True)


@leak("a page of people is cut before it is asked who may be known")
def people_filtered_after_limit(patch: Patch) -> None:
    def all_people(self: DictStore, sight: Sight, after: str | None, limit: int) -> list[Any]:
        page = [one for one in _everybody(self) if one.id > (after or "")][:3]
        return [one for one in page if dict_store._is_known(sight, one)]

    patch.setattr(DictStore, "all_people", all_people)


@leak("persons have numbers of the whole store")
def person_numbers_of_the_store(patch: Patch) -> None:
    def next_person(self: DictStore, *_: Any) -> int:
        return 1 + sum(next - 1 for next in self._state.person_numbers.values())

    patch.setattr(DictStore, "next_person", next_person)


@leak("persons have numbers of their creator, wherever they are known")
def person_numbers_of_the_creator(patch: Patch) -> None:
    def next_person(self: DictStore, sight: Sight, home: Any, readers: Any, creator: bytes) -> int:
        numbers = self._state.person_numbers.items()
        return 1 + sum(next - 1 for key, next in numbers if key[2] == creator)

    patch.setattr(DictStore, "next_person", next_person)


@leak("the reader list of a person is not asked")
def readers_of_persons_ignored(patch: Patch) -> None:
    original = dict_store._is_known

    def is_known(sight: Sight, made: Any) -> bool:
        return original(sight, replace(made, readers=EVERYONE))

    patch.setattr(dict_store, "_is_known", is_known)


@leak("who is mentioned is listed for all to see")
def mentioned_are_listed(patch: Patch) -> None:
    def new_person(draft: Any, sight: Sight, home: Any, readers: Any, *rest: Any) -> Any:
        return original(draft, sight, None, EVERYONE, *rest)

    original = meaning.new_person
    patch.setattr(meaning, "new_person", new_person)


@leak("what people are to each other is seen by whoever sees them")
def relations_of_every_home(patch: Patch) -> None:
    def all_relations(self: DictStore, sight: Sight) -> list[Any]:
        return sorted(self._state.relations.values(), key=lambda one: one.id)

    patch.setattr(DictStore, "all_relations", all_relations)


@leak("a room hears of whomever the asker knows")
def room_forgotten_for_people(patch: Patch) -> None:
    patch.setattr(directory, "is_shown", lambda *_: True)
    patch.setattr(meaning, "is_shown", lambda *_: True)


@leak("lists of people ask the readers of a person for who asks, and not for who listens")
def people_of_who_asks(patch: Patch) -> None:
    original = directory.is_shown
    for module in (directory, meaning):
        patch.setattr(module, "is_shown", lambda sight, known: original(sight, replace(known, readers=EVERYONE)))


@leak("a query names whomever the asker knows, whoever listens")
def named_past_the_room(patch: Patch) -> None:
    patch.setattr(whom, "is_shown", lambda *_: True)


@leak("a name in a room means whomever the asker knows, whoever listens")
def meant_past_the_room(patch: Patch) -> None:
    patch.setattr(meaning, "may_be_meant", lambda *_: True)


@leak("a drop tells who is somebody else's from who is not there")
def drop_tells(patch: Patch) -> None:
    def drop(engine: Engine, standpoint: Any, id: str) -> None:
        if any(one.id == id and one.home is not None for one in _everybody(engine.store)):  # type: ignore[arg-type]
            directory.allowed(directory.may_change(standpoint.actor, engine.store._state.people[id]))  # type: ignore[attr-defined]
        original(engine, standpoint, id)

    original = directory.drop
    patch.setattr(directory, "drop", drop)


@leak("a drop finds whom the room may not hear of")
def drop_forgets_the_room(patch: Patch) -> None:
    def drop(*given: Any) -> None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(directory, "is_shown", lambda *_: True)
            original(*given)

    original = directory.drop
    patch.setattr(directory, "drop", drop)


@leak("a merge takes the names along, whoever may know them")
def merged_names_for_all(patch: Patch) -> None:
    patch.setattr(merging, "_is_known_to_all", lambda *_: True)


@leak("a merge changes what everybody said")
def merge_remaps_others(patch: Patch) -> None:
    patch.setattr(merging, "_is_theirs", lambda *_: True)
    patch.setattr(merging, "_still_writes", lambda *_: True)


@leak("who somebody turned out to be counts for what everybody says")
def redirects_for_all(patch: Patch) -> None:
    patch.setattr(directory, "follows", lambda *_: True)


@leak("forgetting a person counts what lies in the spaces of others")
def forgetting_counts_others(patch: Patch) -> None:
    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        return sights.maintenance_sight(spaces)

    patch.setattr(forgetting, "own_spaces_sight", own)


@leak("the doctor looks at the memories of others")
def doctor_of_everybody(patch: Patch) -> None:
    patch.setattr(doctoring.Ward, "is_whole", property(lambda _: True))
