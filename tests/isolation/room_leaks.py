"""Leaks between rooms, sown on purpose: small changes of the rules, the sight, the store and the facade, each of which
lets bea notice in one room what is not for it. The room stories must catch every one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from leaks import burden
from msgspec import structs
from msgspec.structs import replace

from memfort.engine import engine as engines
from memfort.engine import redact
from memfort.engine.engine import Engine
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.model import audience as audiences
from memfort.model.audience import Audience, Listeners, ListenersKind
from memfort.model.item import EVERYONE, Item, Kind, Status, is_live
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.admit import enrich
from memfort.operations.capture import conversation as conversations
from memfort.operations.capture import window as windows
from memfort.operations.ending import forget_person, lineage
from memfort.operations.explain import accounting, explain
from memfort.operations.people import drop as drop_person
from memfort.operations.people import list as list_people
from memfort.operations.people import merge
from memfort.operations.people.edits import KnownTo
from memfort.operations.people.relations import list as relations
from memfort.operations.people.resolve import look_up, query_people
from memfort.operations.people.resolve import names as resolve
from memfort.operations.read import about as about_people
from memfort.operations.read import history
from memfort.operations.recall import search
from memfort.operations.table import TABLE
from memfort.operations.transfer import export, export_people
from memfort.operations.upkeep.checks import diagnose
from memfort.operations.write import check, promote
from memfort.policy import disclosure
from memfort.policy import sight as sights
from memfort.policy.disclosure import ListenerDisclosure
from memfort.policy.settings.sections import Disclosure, DisclosureRule, Provenance
from memfort.policy.sight import decision_sight
from memfort.store.memory import MemoryStore
from memfort.store.memory import people as memory_people
from memfort.store.port import Filter
from memfort.store.port.values.columns import Columns
from memfort.store.sql import people as sql_people
from memfort.store.sqlite import SqliteStore

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
    patch.setattr(ListenerDisclosure, "_reason_to_stay_in_chat", lambda self, audience: None)


@leak("what was learned in a chat of unknown kind is taken to be from a group")
def unknown_origin_is_a_group(patch: Patch) -> None:
    original = ListenerDisclosure._reason_to_stay_in_chat

    def kept_there(self: ListenerDisclosure, audience: Audience) -> Reason | None:
        is_known = audience.learned_in is None or audience.learned_in in self.chats
        return original(self, audience) if is_known else None

    patch.setattr(ListenerDisclosure, "_reason_to_stay_in_chat", kept_there)


@leak("what others know is told wherever they learned it")
def told_from_anywhere(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_reason_not_to_disclose", lambda self, audience: None)


@leak("what nobody knows the origin of is open, whatever the policy says")
def missing_provenance_is_open(patch: Patch) -> None:
    _with_rules(patch, lambda rules: replace(rules, missing_provenance=Provenance.OPEN))


@leak("the looser rule for groups is in force, whatever the policy says")
def participants_always(patch: Patch) -> None:
    _with_rules(patch, lambda rules: replace(rules, rule=DisclosureRule.PARTICIPANTS))


def _with_rules(patch: Patch, change: Callable[[Disclosure], Disclosure]) -> None:
    original = Engine.disclosure_for

    def disclosure_for(self: Engine, standpoint: Any) -> ListenerDisclosure:
        made = original(self, standpoint)
        return structs.replace(made, rules=change(made.rules), _answers={}, _disclosed={})

    patch.setattr(Engine, "disclosure_for", disclosure_for)


def _in_a_room_of(patch: Patch, change: Callable[[Listeners], Listeners]) -> None:
    original = disclosure.listeners_at
    patch.setattr(engines, "listeners_at", lambda *given: change(original(*given)))


@leak("a group is treated as a private chat")
def group_is_private(patch: Patch) -> None:
    _as(patch, ListenersKind.GROUP, ListenersKind.PRIVATE)


@leak("a private chat is treated as a group")
def private_is_a_group(patch: Patch) -> None:
    _as(patch, ListenersKind.PRIVATE, ListenersKind.GROUP)


@leak("a chat that nobody has registered is treated as a group")
def unknown_is_a_group(patch: Patch) -> None:
    _as(patch, ListenersKind.UNKNOWN, ListenersKind.GROUP)


@leak("who asks is taken to be alone, whatever chat they are in")
def always_alone(patch: Patch) -> None:
    _in_a_room_of(patch, lambda listeners: replace(listeners, kind=ListenersKind.ALONE))


def _as(patch: Patch, kind: ListenersKind, other: ListenersKind) -> None:
    _in_a_room_of(patch, lambda listeners: replace(listeners, kind=other) if listeners.kind is kind else listeners)


@leak("everybody a memory is about counts as present")
def subjects_are_always_present(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_is_subject_present", lambda self, audience: bool(audience.subjects))


@leak("alone, one hears everything in the spaces one shares with others")
def alone_hears_all(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_verdict_alone", lambda self, seen, audience: Reason.VISIBLE)


@leak("what somebody shares is shown as if it were one's own")
def shared_is_own(patch: Patch) -> None:
    original = ListenerDisclosure._verdict_alone

    def alone(self: ListenerDisclosure, seen: Any, audience: Audience) -> Reason:
        return Reason.VISIBLE if seen.reason is Reason.SHARED_WITH_YOU else original(self, seen, audience)

    patch.setattr(ListenerDisclosure, "_verdict_alone", alone)


@leak("the owner of a memory hears it in whatever company")
def owner_hears_anyway(patch: Patch) -> None:
    original = ListenerDisclosure.verdict

    def verdict(self: ListenerDisclosure, seen: Any, audience: Audience) -> Reason:
        is_owner = self.listeners.asker is not None and disclosure._owner(seen.space, audience) == self.listeners.asker
        return Reason.OWNED_BY_LISTENER if is_owner else original(self, seen, audience)

    patch.setattr(ListenerDisclosure, "verdict", verdict)


@leak("public means public, whoever is in a private chat")
def public_needs_no_reason(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_public_verdict_in_private_chat", lambda *_: Reason.VISIBLE)


@leak("rooms are resolved once and not again when somebody comes or goes")
def rooms_are_kept(patch: Patch) -> None:
    original, known = Engine.disclosure_for, dict[Any, ListenerDisclosure]()

    def disclosure_for(self: Engine, standpoint: Any) -> ListenerDisclosure:
        key = (id(self), standpoint.coordinates)
        return known.setdefault(key, original(self, standpoint))

    patch.setattr(Engine, "disclosure_for", disclosure_for)


# -- what is told ----------------------------------------------------------------------------------------------------


@leak("what is told need not be an enduring fact")
def told_in_passing(patch: Patch) -> None:
    original, entry = Sight.is_disclosed, Embedding.disclosed_entry_of
    patch.setattr(Sight, "is_disclosed", lambda self, item: original(self, replace(item, portable=True)))
    patch.setattr(Embedding, "disclosed_entry_of", lambda self, item: entry(self, replace(item, portable=True)))


@leak("disclosure is asked and the reader list is not")
def told_to_any_reader(patch: Patch) -> None:
    original = Sight.is_disclosed
    patch.setattr(Sight, "is_disclosed", lambda self, item: original(self, replace(item, readers=EVERYONE)))


@leak("a reader list is asked of who asks, and not of who listens")
def readers_are_asked_of_the_asker(patch: Patch) -> None:
    patch.setattr(Listeners, "is_among", lambda self, readers: True)


@leak("in sight too, disclosure is asked and the reader list is not")
def heard_by_any_reader(patch: Patch) -> None:
    original = Sight.admits
    patch.setattr(Sight, "admits", lambda self, item: original(self, replace(item, readers=EVERYONE)))


@leak("what others know of somebody is told to anybody who asks")
def told_of_the_absent(patch: Patch) -> None:
    def with_subjects(sight: Sight, persons: Any) -> Sight:
        return replace(sight, about=frozenset(persons))

    def disclosure_verdict(self: ListenerDisclosure, audience: Audience, person: str, owner: str | None) -> Reason:
        present = replace(self.listeners, present=self.listeners.present | {person})
        return original(structs.replace(self, listeners=present, _answers={}, _disclosed={}), audience, person, owner)

    original = ListenerDisclosure.disclosure_verdict
    patch.setattr(about_people, "with_subjects", with_subjects)
    patch.setattr(ListenerDisclosure, "disclosure_verdict", disclosure_verdict)


@leak("what is told in a group is told of whomever it is about, however private")
def told_all_in_groups(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_verdict_in_group", lambda self, audience, *_: Reason.VISIBLE)


@leak("what is told is found by its tags", shown_by=FILE)
def told_by_its_tags(patch: Patch) -> None:
    def disclosed_entry_of(self: Embedding, item: Item) -> Any:
        return self.entry_of(item) if original(self, item) else None

    original = Embedding.disclosed_entry_of
    patch.setattr(Embedding, "disclosed_entry_of", disclosed_entry_of)


@leak("what is told comes with its tags", shown_by=FILE)
def told_with_its_tags(patch: Patch) -> None:
    original = disclosure.redact_for_disclosure
    patch.setattr(redact, "redact_for_disclosure", lambda item: replace(original(item), tags=item.tags))


@leak("what is told names the people whom its speaker knows in private")
def told_with_private_people(patch: Patch) -> None:
    original = disclosure.redact_for_disclosure
    patch.setattr(redact, "redact_for_disclosure", lambda item: replace(original(item), subjects=item.subjects))


@leak("the name of what is told goes by whom its speaker knows in private")
def named_by_private_people(patch: Patch) -> None:
    def with_private_people(
        sensitivity: Any, learned_in: Any, subjects: Any, stated_by: Any, portable: bool
    ) -> Audience:
        made = original(sensitivity, learned_in, subjects, stated_by, portable)
        return replace(made, subjects=subjects) if audiences.SOMEBODY in made.subjects else made

    original = audiences.audience
    for module in (audiences, enrich):
        patch.setattr(module, "audience", with_private_people)


@leak("what is promoted names the people whom its speaker knows in private")
def promoted_with_private_people(patch: Patch) -> None:
    patch.setattr(promote, "_known_there", lambda tx, copy, *_: copy.subjects)


# -- partitions -------------------------------------------------------------------------------------------------------


def _all(store: MemoryStore) -> list[Any]:
    return list(store._state.memories.values())


@leak("word statistics are of a space, whoever may hear what of it")
def statistics_of_all_audiences(patch: Patch) -> None:
    original = MemoryStore.columns

    def columns(self: MemoryStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        whole = decision_sight(sight)
        hidden = [kept for kept in _all(self) if whole.admits(kept.item) and not sight.admits(kept.item)]
        return [*original(self, sight, now, *embedder), burden(sum(is_live(one.item, now) for one in hidden))]

    patch.setattr(MemoryStore, "columns", columns)


@leak("the statistics of a partition group are those of all its partitions", on="sqlite")
def statistics_of_the_partition_group(patch: Patch) -> None:
    original = SqliteStore.columns

    def columns(self: SqliteStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        found, whole = original(self, sight, now, *embedder), original(self, decision_sight(sight), now, *embedder)
        return [*found, burden(sum(one.count for one in whole) - sum(one.count for one in found))]

    patch.setattr(SqliteStore, "columns", columns)


@leak("statistics of what may be told count everything about the person")
def statistics_of_the_untold(patch: Patch) -> None:
    original = MemoryStore.columns

    def columns(self: MemoryStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        about = [kept for kept in _all(self) if sight.about & set(kept.item.subjects) and is_live(kept.item, now)]
        return [*original(self, sight, now, *embedder), burden(sum(not sight.admits(kept.item) for kept in about))]

    patch.setattr(MemoryStore, "columns", columns)


@leak("ids come from one sequence of an author in a space, whoever may hear what")
def ids_across_audiences(patch: Patch) -> None:
    def next_number(
        self: MemoryStore, sight: Sight, space: Space, readers: Any, author: bytes, kind: Kind, audience: Any = None
    ) -> int:
        numbers = self._state.numbers.items()
        return max((next for key, next in numbers if (key[0], *key[3:]) == (space.id, author, kind)), default=1)

    patch.setattr(MemoryStore, "next_number", next_number)


def _of_space(store: MemoryStore, space: Space, readers: Any) -> list[Item]:
    here = [kept.item for kept in _all(store) if kept.item.space == space and kept.item.readers == readers]
    return [item for item in here if item.status is Status.APPROVED and item.deleted_at_us is None]


@leak("a tick counts what comes into force for any room")
def tick_across_audiences(patch: Patch) -> None:
    def tick(self: MemoryStore, sight: Sight, space: Space, readers: Any = EVERYONE, audience: Any = None) -> int:
        return sum(kept.item.space == space and kept.item.in_force_at_us is not None for kept in _all(self))

    patch.setattr(MemoryStore, "tick", tick)


@leak("a memory is aged by what is said for other rooms")
def aged_across_audiences(patch: Patch) -> None:
    def due_by_tick(
        self: MemoryStore, sight: Sight, space: Space, readers: Any, tick: int, audience: Any = None
    ) -> list[Item]:
        found = _of_space(self, space, readers)
        return [one for one in found if one.expires_tick is not None and one.expires_tick <= tick]

    patch.setattr(MemoryStore, "due_by_tick", due_by_tick)


@leak("a budget counts what an author said for other rooms")
def budget_across_audiences(patch: Patch) -> None:
    def population(
        self: MemoryStore, sight: Sight, space: Space, readers: Any, author: bytes, audience: Any = None
    ) -> Any:
        return Counter(item.kind for item in _of_space(self, space, readers))

    patch.setattr(MemoryStore, "count_by_kind", population)


@leak("in a shared space, what the room may not hear meets rivals and rejected values in what it says")
def rivals_across_audiences(patch: Patch) -> None:
    patch.setattr(engines, "_separate_by_audience", lambda said, space, audience: said)


# -- doors -----------------------------------------------------------------------------------------------------------


def _unheard(patch: Patch, *doors: str, store: type = MemoryStore) -> None:
    """Rooms that are forgotten at some of the store's doors."""
    for door in doors:
        original = getattr(store, door)

        def through(self: Any, sight: Sight, *rest: Any, original: Any = original) -> Any:
            return original(self, replace(sight, disclosure=None), *rest)

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
    _unheard(patch, "columns", "positions", "items_by_handle")


@leak("recall forgets the room", on="sqlite")
def room_forgotten_in_recall_on_sqlite(patch: Patch) -> None:
    _unheard(patch, "columns", "positions", "items_by_handle", store=SqliteStore)


@leak("what is known about somebody forgets the room")
def room_forgotten_about_people(patch: Patch) -> None:
    _unheard(patch, "about")


@leak("what is known about somebody is cut to the limit before the room is asked")
def about_filters_after_limit(patch: Patch) -> None:
    original = MemoryStore.about

    def about(self: MemoryStore, sight: Sight, persons: Any, filter: Filter, limit: int, now: int) -> list[Item]:
        found = original(self, replace(sight, disclosure=None), persons, filter, limit, now)
        return [item for item in found if sight.admits(item)]

    patch.setattr(MemoryStore, "about", about)


@leak("a correction, a promotion or a forgetting finds what the room may not hear")
def change_what_is_not_heard(patch: Patch) -> None:
    original = View.find
    patch.setattr(View, "find", lambda self, name: original(self.decision_view, name))


@leak("a history is walked past what the room may not hear")
def history_forgets_the_room(patch: Patch) -> None:
    original = history.find_readable
    patch.setattr(history, "find_readable", lambda view, name: original(view.decision_view, name))


@leak("explain says why a room may not hear of something")
def explain_says_why_not(patch: Patch) -> None:
    original = explain.find_explainable
    patch.setattr(explain, "find_explainable", lambda view, name: original(view.decision_view, name))


@leak("what is withheld is counted past the room")
def withheld_past_the_room(patch: Patch) -> None:
    original = accounting.withheld
    patch.setattr(accounting, "withheld", lambda view, *rest: original(view.decision_view, *rest))


@leak("a place in the ranking counts what the room may not hear")
def ranked_past_the_room(patch: Patch) -> None:
    original = accounting.recall_without_limit
    patch.setattr(accounting, "recall_without_limit", lambda view, question: original(view.decision_view, question))


@leak("what is told is found by a tag that is not told", shown_by=FILE)
def found_by_an_untold_tag(patch: Patch) -> None:
    def is_wanted(view: View, filter: Filter, item: Item) -> bool:
        return view.is_shown(item) and filter.admits(item, view.now)

    patch.setattr(search, "is_wanted", is_wanted)


@leak("check looks past the room")
def check_forgets_the_room(patch: Patch) -> None:
    original = check._find_for
    patch.setattr(check, "_find_for", lambda view, verb, name: original(view.decision_view, verb, name))


@leak("an export takes along what the room may not hear")
def export_forgets_the_room(patch: Patch) -> None:
    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        return sights.own_spaces_sight(actor, spaces, **{**rest, "disclosure": None})

    patch.setattr(export, "own_spaces_sight", own)


@leak("an export takes along whom the room may not hear of")
def export_forgets_the_room_for_people(patch: Patch) -> None:
    patch.setattr(export_people, "is_shown", lambda *_: True)


@leak("an export takes along whoever is known anywhere")
def export_of_everybody(patch: Patch) -> None:
    patch.setattr(export_people, "_everybody", lambda store, _: iter(_everybody(store)))
    patch.setattr(export_people, "_is_carried", lambda *_: True)
    patch.setattr(export_people, "_with_redirects", lambda _, known: set(known))


@leak("the inbox shows what waits, whatever the room")
def inbox_forgets_the_room(patch: Patch) -> None:
    original = View.reviewable
    patch.setattr(View, "reviewable", property(lambda view: original.fget(view).decision_view))


@leak("the window of a conversation has the turns of every room")
def window_of_every_room(patch: Patch) -> None:
    def conversation(view: View, space: Space) -> Any:
        here = view.decision_view.within(space).sight
        turns = view.store.page(here, Filter(kinds=frozenset({Kind.SHORT_TERM})), None, 99, view.now)
        return conversations.Conversation(None, [turn for turn in turns if turn.author.key == view.actor.key])

    for module in (conversations, windows):
        patch.setattr(module, "conversation", conversation)


@leak("an erase counts what was made of a memory for other rooms")
def receipt_counts_other_rooms(patch: Patch) -> None:
    original = lineage.is_within
    patch.setattr(lineage, "is_within", lambda sight, item: original(decision_sight(sight), item))


@leak("what was made of a memory for other rooms is forgotten by name")
def forgets_by_name(patch: Patch) -> None:
    original = Sight.admits

    def admits(self: Sight, item: Item) -> bool:
        return original(self if item.derived_from == () else decision_sight(self), item)

    patch.setattr(Sight, "admits", admits)


# -- people ----------------------------------------------------------------------------------------------------------


def _everybody(store: MemoryStore) -> list[Any]:
    return sorted(store._state.people.values(), key=lambda one: one.id)


@leak("people are found in whatever space they are known")
def people_of_every_home(patch: Patch) -> None:
    patch.setattr(MemoryStore, "_known_people", lambda self, sight: _everybody(self))


@leak("people are found in whatever space they are known", on="sqlite")
def people_of_every_home_on_sqlite(patch: Patch) -> None:
    def homes(sight: Sight, numbered: Any) -> str:
        return original(sight, range(1, 1_000))

    original = sql_people.homes
    patch.setattr(sql_people, "homes", homes)


@leak("an id is somebody's, wherever they are known")
def persons_by_id_anywhere(patch: Patch) -> None:
    patch.setattr(MemoryStore, "people", lambda self, sight, ids: [one for one in _everybody(self) if one.id in ids])


@leak("a name that somebody else uses in private is taken")
def names_are_taken(patch: Patch) -> None:
    def named(self: MemoryStore, sight: Sight, *names: str) -> list[Any]:
        return [one for one in _everybody(self) if not memory_people.lookup_names(one).isdisjoint(names)]

    patch.setattr(MemoryStore, "people_named", named)
    patch.setattr(resolve, "is_known_in", lambda *_: True)


@leak("a page of people is cut before it is asked who may be known")
def people_filtered_after_limit(patch: Patch) -> None:
    def all_people(self: MemoryStore, sight: Sight, after: str | None, limit: int) -> list[Any]:
        page = [one for one in _everybody(self) if one.id > (after or "")][:3]
        return [one for one in page if memory_people.is_known(sight, one)]

    patch.setattr(MemoryStore, "all_people", all_people)


@leak("persons have numbers of the whole store")
def person_numbers_of_the_store(patch: Patch) -> None:
    def next_person(self: MemoryStore, *_: Any) -> int:
        return 1 + sum(next - 1 for next in self._state.person_numbers.values())

    patch.setattr(MemoryStore, "next_person_number", next_person)


@leak("persons have numbers of their creator, wherever they are known")
def person_numbers_of_the_creator(patch: Patch) -> None:
    def next_person(self: MemoryStore, sight: Sight, home: Any, readers: Any, creator: bytes) -> int:
        numbers = self._state.person_numbers.items()
        return 1 + sum(next - 1 for key, next in numbers if key[2] == creator)

    patch.setattr(MemoryStore, "next_person_number", next_person)


@leak("the reader list of a person is not asked")
def readers_of_persons_ignored(patch: Patch) -> None:
    original = memory_people.is_known

    def is_known(sight: Sight, made: Any) -> bool:
        return original(sight, replace(made, readers=EVERYONE))

    patch.setattr(memory_people, "is_known", is_known)


@leak("who is mentioned is listed for all to see")
def mentioned_are_listed(patch: Patch) -> None:
    def new_person(edits: Any, known_to: KnownTo, *rest: Any) -> Any:
        return original(edits, KnownTo(None), *rest)

    original = resolve.new_person
    patch.setattr(resolve, "new_person", new_person)


@leak("what people are to each other is seen by whoever sees them")
def relations_of_every_home(patch: Patch) -> None:
    def all_relations(self: MemoryStore, sight: Sight) -> list[Any]:
        return sorted(self._state.relations.values(), key=lambda one: one.id)

    patch.setattr(MemoryStore, "all_relations", all_relations)


SHOWING_PEOPLE = (drop_person, list_people, look_up, relations, resolve)


@leak("a room hears of whomever the asker knows")
def room_forgotten_for_people(patch: Patch) -> None:
    for module in SHOWING_PEOPLE:
        patch.setattr(module, "is_shown", lambda *_: True)


@leak("lists of people ask the readers of a person for who asks, and not for who listens")
def people_of_who_asks(patch: Patch) -> None:
    original = look_up.is_shown
    for module in SHOWING_PEOPLE:
        patch.setattr(module, "is_shown", lambda sight, known: original(sight, replace(known, readers=EVERYONE)))


@leak("a query names whomever the asker knows, whoever listens")
def named_past_the_room(patch: Patch) -> None:
    patch.setattr(query_people, "is_shown", lambda *_: True)


@leak("a name in a room means whomever the asker knows, whoever listens")
def meant_past_the_room(patch: Patch) -> None:
    patch.setattr(resolve, "may_be_meant", lambda *_: True)


@leak("a drop tells who is somebody else's from who is not there")
def drop_tells(patch: Patch) -> None:
    def drop(session: Session, request: drop_person.DropPersonRequest) -> Any:
        found = [one for one in _everybody(session.store) if one.id == request.id and one.home is not None]  # type: ignore[arg-type]
        for one in found:
            drop_person.check_allowed(drop_person.may_change(session.actor, one))
        return original(session, request)

    original = drop_person.handle
    patch.setitem(vars(TABLE["people.drop"]), "handler", drop)


@leak("a drop finds whom the room may not hear of")
def drop_forgets_the_room(patch: Patch) -> None:
    patch.setattr(drop_person, "is_shown", lambda *_: True)


@leak("a merge takes the names along, whoever may know them")
def merged_names_for_all(patch: Patch) -> None:
    patch.setattr(merge, "_is_known_to_all", lambda *_: True)


@leak("a merge changes what everybody said")
def merge_remaps_others(patch: Patch) -> None:
    patch.setattr(merge, "_is_theirs", lambda *_: True)
    patch.setattr(merge, "_may_still_write", lambda *_: True)


@leak("who somebody turned out to be counts for what everybody says")
def redirects_for_all(patch: Patch) -> None:
    patch.setattr(look_up, "is_merge_trusted", lambda *_: True)


@leak("forgetting a person counts what lies in the spaces of others")
def forgetting_counts_others(patch: Patch) -> None:
    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        return sights.maintenance_sight(spaces)

    patch.setattr(forget_person, "own_spaces_sight", own)


@leak("the doctor looks at the memories of others")
def doctor_of_everybody(patch: Patch) -> None:
    patch.setattr(diagnose.Scope, "is_whole", property(lambda _: True))
