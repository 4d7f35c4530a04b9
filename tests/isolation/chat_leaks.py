"""Deliberate leaks between chats: small patches of the rules, the sight, the store and the facade, each of which
lets bea notice in one chat what is hidden from it. The chat histories must catch every one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from leaks import burden
from msgspec import Struct, structs
from msgspec.structs import replace

from memfort.engine import engine as engines
from memfort.engine import redact
from memfort.engine.engine import Engine
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.model import audience as audiences
from memfort.model.audience import Audience, Listeners, ListenersKind
from memfort.model.item import EVERYONE, Item, Kind, Sensitivity, Status, is_live
from memfort.model.learned import Learned
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
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
from memfort.policy.disclosure import TABLE as DISCLOSURE_TABLE
from memfort.policy.disclosure import Column, ListenerDisclosure
from memfort.policy.settings.sections import Disclosure, DisclosureRule
from memfort.policy.sight import decision_sight, maintenance_sight
from memfort.store.memory import MemoryStore
from memfort.store.memory import people as memory_people
from memfort.store.port import Filter
from memfort.store.port.values.columns import Columns
from memfort.store.sql import people as sql_people
from memfort.store.sqlite import SqliteStore

Patch = pytest.MonkeyPatch
PURGE, TAGS = "purge", "tags"  # what shows it: leaving out the hidden party, or the tags out of sight


class ChatLeak(Struct, frozen=True):
    name: str
    says: str
    apply: Callable[[Patch], None]
    on: str
    shown_by: str


CHAT_LEAKS: list[ChatLeak] = []


def leak(
    says: str, *, on: str = "dict", shown_by: str = PURGE
) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def enter(apply: Callable[[Patch], None]) -> Callable[[Patch], None]:
        CHAT_LEAKS.append(ChatLeak(apply.__name__, says, apply, on, shown_by))
        return apply

    return enter


# -- the rules --------------------------------------------------------------------------------------------------------


@leak("where something was learned does not matter")
def learned_anywhere(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_closed_by_origin", lambda self, memory: None)


@leak("what was learned in a chat of unknown kind is taken to be from a group")
def unknown_origin_is_a_group(patch: Patch) -> None:
    original = Learned.is_group
    patch.setattr(
        Learned, "is_group", property(lambda self: bool(self.chat and self.kind is None) or original.fget(self))
    )


@leak("memories out of sight are disclosed wherever they were learned")
def disclosed_from_anywhere(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_not_from_group", lambda self, memory, *, is_named: None)
    patch.setattr(engines, "can_be_disclosed", lambda item, rules: bool(item.subjects))


@leak("the looser rule for groups is in force, whatever the policy says")
def participants_always(patch: Patch) -> None:
    change_rules(patch, lambda rules: replace(rules, rule=DisclosureRule.PARTICIPANTS))


def change_rules(patch: Patch, change: Callable[[Disclosure], Disclosure]) -> None:
    original = Engine.disclosure_for

    def disclosure_for(self: Engine, standpoint: Any) -> ListenerDisclosure:
        made = original(self, standpoint)
        return structs.replace(made, rules=change(made.rules), _answers={}, _disclosed={})

    patch.setattr(Engine, "disclosure_for", disclosure_for)


def patch_listeners(patch: Patch, change: Callable[[Listeners], Listeners]) -> None:
    original = disclosure.listeners_at
    patch.setattr(engines, "listeners_at", lambda *given: change(original(*given)))


@leak("a group is treated as a private chat")
def group_is_private(patch: Patch) -> None:
    _as(patch, ListenersKind.GROUP, ListenersKind.PRIVATE)


@leak("a private chat is treated as a group")
def private_is_a_group(patch: Patch) -> None:
    _as(patch, ListenersKind.PRIVATE, ListenersKind.GROUP)


@leak("an unregistered chat is treated as a group")
def unknown_is_a_group(patch: Patch) -> None:
    _as(patch, ListenersKind.UNKNOWN, ListenersKind.GROUP)


@leak("the asker counts as alone in every chat")
def always_alone(patch: Patch) -> None:
    patch_listeners(patch, lambda listeners: replace(listeners, kind=ListenersKind.ALONE))


def _as(patch: Patch, kind: ListenersKind, other: ListenersKind) -> None:
    patch_listeners(patch, lambda listeners: replace(listeners, kind=other) if listeners.kind is kind else listeners)


@leak("under the looser rule for groups, every subject of a memory counts as present")
def subjects_are_always_present(patch: Patch) -> None:
    patch.setattr(ListenerDisclosure, "_by_participants", lambda self, memory: Reason.VISIBLE)


@leak("alone, one hears also what is about oneself and others")
def alone_hears_all(patch: Patch) -> None:
    original = ListenerDisclosure.verdict_about

    def verdict_about(
        self: ListenerDisclosure, audience: Audience, person: str, owner: str | None, *, is_named: bool = True
    ) -> Reason:
        is_alone = self.listeners.kind is ListenersKind.ALONE
        about_one = replace(audience, subjects=(person,))
        return original(self, about_one if is_alone else audience, person, owner, is_named=is_named)

    patch.setattr(ListenerDisclosure, "verdict_about", verdict_about)


@leak("shared memories are shown as if they were one's own")
def shared_is_own(patch: Patch) -> None:
    original = ListenerDisclosure.verdict

    def verdict(self: ListenerDisclosure, seen: Any, audience: Audience) -> Reason:
        return original(self, replace(seen, is_leaving=False), audience)

    patch.setattr(ListenerDisclosure, "verdict", verdict)


@leak("the owner of a memory hears it in whatever company")
def owner_hears_anyway(patch: Patch) -> None:
    original = ListenerDisclosure.verdict

    def verdict(self: ListenerDisclosure, seen: Any, audience: Audience) -> Reason:
        is_owner = self.listeners.asker is not None and seen.owner == self.listeners.asker
        return Reason.OWNED_BY_LISTENER if is_owner else original(self, seen, audience)

    patch.setattr(ListenerDisclosure, "verdict", verdict)


@leak("public means public, whoever is in a private chat")
def public_needs_no_reason(patch: Patch) -> None:
    patch.setitem(DISCLOSURE_TABLE[Sensitivity.PUBLIC], Column.TWO, None)  # type: ignore[arg-type]


@leak("chats are resolved once and not again when a participant joins or leaves")
def chats_are_cached(patch: Patch) -> None:
    original, known = Engine.disclosure_for, dict[Any, ListenerDisclosure]()

    def disclosure_for(self: Engine, standpoint: Any) -> ListenerDisclosure:
        key = (id(self), standpoint.coordinates)
        return known.setdefault(key, original(self, standpoint))

    patch.setattr(Engine, "disclosure_for", disclosure_for)


# -- disclosure -------------------------------------------------------------------------------------------------------


@leak("disclosed memories need not be portable")
def disclosed_though_not_portable(patch: Patch) -> None:
    original = ListenerDisclosure.verdict_about

    def verdict_about(
        self: ListenerDisclosure, audience: Audience, person: str, owner: str | None, *, is_named: bool = True
    ) -> Reason:
        return original(self, replace(audience, portable=True), person, owner, is_named=is_named)

    patch.setattr(ListenerDisclosure, "verdict_about", verdict_about)


@leak("disclosure is checked and the reader list is not")
def disclosed_to_any_reader(patch: Patch) -> None:
    original = Sight.is_disclosed
    patch.setattr(Sight, "is_disclosed", lambda self, item: original(self, replace(item, readers=EVERYONE)))


@leak("a reader list is checked for the asker, and not for the participants")
def readers_are_asked_of_the_asker(patch: Patch) -> None:
    patch.setattr(Listeners, "is_among", lambda self, readers: True)


@leak("in sight too, disclosure is checked and the reader list is not")
def heard_by_any_reader(patch: Patch) -> None:
    original = Sight.admits
    patch.setattr(Sight, "admits", lambda self, item: original(self, replace(item, readers=EVERYONE)))


@leak("memories about absent people are disclosed to any asker")
def disclosed_about_absent_people(patch: Patch) -> None:
    def with_subjects(sight: Sight, persons: Any) -> Sight:
        return replace(sight, about=frozenset(persons), named=frozenset(persons))

    def verdict_about(
        self: ListenerDisclosure, audience: Audience, person: str, owner: str | None, *, is_named: bool = True
    ) -> Reason:
        present = replace(self.listeners, present=self.listeners.present | {person})
        asked = structs.replace(self, listeners=present, _answers={}, _disclosed={})
        return original(asked, audience, person, owner, is_named=is_named)

    original = ListenerDisclosure.verdict_about
    patch.setattr(about_people, "with_subjects", with_subjects)
    patch.setattr(ListenerDisclosure, "verdict_about", verdict_about)


@leak("in a group memories are disclosed at any sensitivity")
def disclosed_in_groups_at_any_sensitivity(patch: Patch) -> None:
    original = ListenerDisclosure.verdict_about

    def verdict_about(
        self: ListenerDisclosure, audience: Audience, person: str, owner: str | None, *, is_named: bool = True
    ) -> Reason:
        is_group = self.listeners.kind is ListenersKind.GROUP
        public = replace(audience, sensitivity=Sensitivity.PUBLIC)
        return original(self, public if is_group else audience, person, owner, is_named=is_named)

    patch.setattr(ListenerDisclosure, "verdict_about", verdict_about)


@leak("disclosed memories are found by their tags", shown_by=TAGS)
def disclosed_memories_found_by_tags(patch: Patch) -> None:
    def disclosed_entry_of(self: Embedding, item: Item, *vector: Any) -> Any:
        return self.entry_of(item) if original(self, item, *vector) else None

    original = Embedding.disclosed_entry_of
    patch.setattr(Embedding, "disclosed_entry_of", disclosed_entry_of)


@leak("disclosed memories come with their tags", shown_by=TAGS)
def disclosed_with_tags(patch: Patch) -> None:
    original = disclosure.redact_for_disclosure
    patch.setattr(redact, "redact_for_disclosure", lambda item: replace(original(item), tags=item.tags))


@leak("disclosed memories name people only their speaker knows")
def disclosed_with_private_people(patch: Patch) -> None:
    original = disclosure.redact_for_disclosure
    patch.setattr(redact, "redact_for_disclosure", lambda item: replace(original(item), subjects=item.subjects))
    _ignore_private_people(patch)


def _ignore_private_people(patch: Patch) -> None:
    """Disclose memories although not everyone they are about is present."""
    original = ListenerDisclosure.verdict_about

    def verdict_about(
        self: ListenerDisclosure, audience: Audience, person: str, owner: str | None, *, is_named: bool = True
    ) -> Reason:
        users = tuple(one for one in audience.subjects if one.startswith("@"))
        return original(self, replace(audience, subjects=users), person, owner, is_named=is_named)

    patch.setattr(ListenerDisclosure, "verdict_about", verdict_about)


@leak("the id of a disclosed memory depends on people only its speaker knows")
def ids_depend_on_private_people(patch: Patch) -> None:
    def with_private_people(
        space: Space, sensitivity: Any, learned: Any, subjects: Any, stated_by: Any, portable: bool, **more: bool
    ) -> Audience:
        made = original(space, sensitivity, learned, subjects, stated_by, portable, **more)
        return replace(made, subjects=subjects) if audiences.OTHER_PERSON in made.subjects else made

    original = audiences.audience
    for module in (audiences, enrich):
        patch.setattr(module, "audience", with_private_people)
    _ignore_private_people(patch)


@leak("promoted copies name people only their speaker knows")
def promoted_with_private_people(patch: Patch) -> None:
    patch.setattr(promote, "_known_there", lambda tx, copy, *_: copy.subjects)


# -- partitions -------------------------------------------------------------------------------------------------------


def _all(store: MemoryStore) -> list[Any]:
    return list(store._state.memories.values())


@leak("word statistics count a whole space, for every audience")
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


@leak("statistics of disclosed memories count everything about the person")
def statistics_of_undisclosed_memories(patch: Patch) -> None:
    original = MemoryStore.columns

    def columns(self: MemoryStore, sight: Sight, now: int, *embedder: Any) -> list[Columns]:
        about = [kept for kept in _all(self) if sight.about & set(kept.item.subjects) and is_live(kept.item, now)]
        return [*original(self, sight, now, *embedder), burden(sum(not sight.admits(kept.item) for kept in about))]

    patch.setattr(MemoryStore, "columns", columns)


@leak("ids come from one sequence per author and space, for every audience")
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


@leak("a tick counts memories for every chat")
def tick_across_audiences(patch: Patch) -> None:
    def tick(self: MemoryStore, sight: Sight, space: Space, readers: Any = EVERYONE, audience: Any = None) -> int:
        return sum(kept.item.space == space and kept.item.in_force_at_us is not None for kept in _all(self))

    patch.setattr(MemoryStore, "tick", tick)


@leak("a memory is aged by writes for other chats")
def aged_across_audiences(patch: Patch) -> None:
    def due_by_tick(
        self: MemoryStore, sight: Sight, space: Space, readers: Any, tick: int, audience: Any = None
    ) -> list[Item]:
        found = _of_space(self, space, readers)
        return [one for one in found if one.expires_tick is not None and one.expires_tick <= tick]

    patch.setattr(MemoryStore, "due_by_tick", due_by_tick)


@leak("a budget counts an author's memories for other chats")
def budget_across_audiences(patch: Patch) -> None:
    def population(
        self: MemoryStore, sight: Sight, space: Space, readers: Any, author: bytes, audience: Any = None
    ) -> Any:
        return Counter(item.kind for item in _of_space(self, space, readers))

    patch.setattr(MemoryStore, "count_by_kind", population)


# -- read paths -------------------------------------------------------------------------------------------------------


def _ignore_chat(patch: Patch, *methods: str, store: type = MemoryStore) -> None:
    """Ignore the chat in some methods of the store."""
    for method in methods:
        original = getattr(store, method)

        def through(self: Any, sight: Sight, *rest: Any, original: Any = original) -> Any:
            return original(self, replace(sight, disclosure=None), *rest)

        patch.setattr(store, method, through)


@leak("listings ignore the chat")
def chat_ignored_in_listings(patch: Patch) -> None:
    _ignore_chat(patch, "page")


@leak("looking up by id ignores the chat")
def chat_ignored_by_id(patch: Patch) -> None:
    _ignore_chat(patch, "items")


@leak("looking up by id ignores the chat", on="sqlite")
def chat_ignored_by_id_on_sqlite(patch: Patch) -> None:
    _ignore_chat(patch, "items", store=SqliteStore)


@leak("recall ignores the chat")
def chat_ignored_in_recall(patch: Patch) -> None:
    _ignore_chat(patch, "columns", "positions", "items_by_handle")


@leak("recall ignores the chat", on="sqlite")
def chat_ignored_in_recall_on_sqlite(patch: Patch) -> None:
    _ignore_chat(patch, "columns", "positions", "items_by_handle", store=SqliteStore)


@leak("about ignores the chat")
def chat_ignored_in_about(patch: Patch) -> None:
    _ignore_chat(patch, "about")


@leak("about applies the limit before the chat is checked")
def about_filters_after_limit(patch: Patch) -> None:
    original = MemoryStore.about

    def about(self: MemoryStore, sight: Sight, persons: Any, filter: Filter, limit: int, now: int) -> list[Item]:
        found = original(self, replace(sight, disclosure=None), persons, filter, limit, now)
        return [item for item in found if sight.admits(item)]

    patch.setattr(MemoryStore, "about", about)


@leak("anyone in a private chat promotes what another said there")
def promotion_by_anybody(patch: Patch) -> None:
    patch.setattr(promote, "may_release", lambda actor, source: True)
    patch.setattr(promote, "may_propose", lambda view, source: False)


@leak("correct, promote and forget find memories closed to the chat")
def change_memories_closed_to_the_chat(patch: Patch) -> None:
    original = View.find
    patch.setattr(View, "find", lambda self, name: original(self.decision_view, name))


@leak("history passes memories closed to the chat")
def history_ignores_the_chat(patch: Patch) -> None:
    original = history.find_readable
    patch.setattr(history, "find_readable", lambda view, name: original(view.decision_view, name))


@leak("explain says why a memory is closed to the chat")
def explain_says_why_not(patch: Patch) -> None:
    original = explain.find_explainable
    patch.setattr(explain, "find_explainable", lambda view, name: original(view.decision_view, name))


@leak("withheld counts memories closed to the chat")
def withheld_count_ignores_the_chat(patch: Patch) -> None:
    original = accounting.withheld
    patch.setattr(accounting, "withheld", lambda view, *rest: original(view.decision_view, *rest))


@leak("a rank counts memories closed to the chat")
def ranking_ignores_the_chat(patch: Patch) -> None:
    original = accounting.recall_without_limit
    patch.setattr(accounting, "recall_without_limit", lambda view, question: original(view.decision_view, question))


@leak("disclosed memories are found by an undisclosed tag", shown_by=TAGS)
def found_by_an_undisclosed_tag(patch: Patch) -> None:
    def is_wanted(view: View, filter: Filter, item: Item) -> bool:
        return view.is_shown(item) and filter.admits(item, view.now)

    patch.setattr(search, "is_wanted", is_wanted)


@leak("check ignores the chat")
def check_ignores_the_chat(patch: Patch) -> None:
    original = check._find_for
    patch.setattr(check, "_find_for", lambda view, verb, name: original(view.decision_view, verb, name))


@leak("an export includes memories closed to the chat")
def export_ignores_the_chat(patch: Patch) -> None:
    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        return sights.own_spaces_sight(actor, spaces, **{**rest, "disclosure": None})

    patch.setattr(export, "own_spaces_sight", own)


@leak("an export includes people the chat may not know")
def export_ignores_the_chat_for_people(patch: Patch) -> None:
    patch.setattr(export_people, "is_shown", lambda *_: True)


@leak("an export includes people known anywhere")
def export_of_all_people(patch: Patch) -> None:
    patch.setattr(export_people, "_everybody", lambda store, _: iter(_all_people(store)))
    patch.setattr(export_people, "_is_carried", lambda *_: True)
    patch.setattr(export_people, "_with_redirects", lambda _, known: set(known))


@leak("the inbox ignores the chat")
def inbox_ignores_the_chat(patch: Patch) -> None:
    original = View.reviewable
    patch.setattr(View, "reviewable", property(lambda view: original.fget(view).decision_view))


@leak("the window of a conversation has the turns of every chat")
def window_of_every_chat(patch: Patch) -> None:
    def conversation(view: View, place: conversations.Place) -> Any:
        here = view.decision_view.within(place.space).sight
        turns = view.store.page(here, Filter(kinds=frozenset({Kind.SHORT_TERM})), None, 99, view.now)
        return conversations.Conversation(None, [turn for turn in turns if turn.author.key == view.actor.key])

    for module in (conversations, windows):
        patch.setattr(module, "conversation", conversation)


def _turns_of_all_chats(view: View) -> list[Item]:
    chats = [space for space in view.store.spaces() if space.get(Level.CHAT)]
    return list(
        view.store.page(maintenance_sight(chats), Filter(kinds=frozenset({Kind.SHORT_TERM})), None, 99, view.now)
    )


@leak("the window of a chat has the turns of the private chats and groups of others")
def turns_of_other_chats_in_the_window(patch: Patch) -> None:
    original = conversations.conversation

    def conversation(view: View, place: conversations.Place) -> Any:
        known = original(view, place)
        return conversations.Conversation(known.summary, [*known.turns, *_turns_of_all_chats(view)])

    patch.setattr(windows, "conversation", conversation)


@leak("the window of a chat is shorter when others talk in other chats")
def window_slides_by_turns_of_other_chats(patch: Patch) -> None:
    original = conversations.conversation

    def conversation(view: View, place: conversations.Place) -> Any:
        known = original(view, place)
        elsewhere = any(turn.space != place.space for turn in _turns_of_all_chats(view))
        return conversations.Conversation(known.summary, known.turns[1 if elsewhere else 0 :])

    patch.setattr(windows, "conversation", conversation)


@leak("an erase counts memories derived for other chats")
def receipt_counts_other_chats(patch: Patch) -> None:
    original = lineage.is_within
    patch.setattr(lineage, "is_within", lambda sight, item: original(decision_sight(sight), item))


@leak("forget names memories derived for other chats")
def forgets_by_name(patch: Patch) -> None:
    original = Sight.admits

    def admits(self: Sight, item: Item) -> bool:
        return original(self if item.derived_from == () else decision_sight(self), item)

    patch.setattr(Sight, "admits", admits)


# -- people -----------------------------------------------------------------------------------------------------------


def _all_people(store: MemoryStore) -> list[Any]:
    return sorted(store._state.people.values(), key=lambda one: one.id)


@leak("people are found in every space")
def people_of_every_home(patch: Patch) -> None:
    patch.setattr(MemoryStore, "_known_people", lambda self, sight: _all_people(self))


@leak("people are found in every space", on="sqlite")
def people_of_every_home_on_sqlite(patch: Patch) -> None:
    def homes(sight: Sight, numbered: Any) -> str:
        return original(sight, range(1, 1_000))

    original = sql_people.homes
    patch.setattr(sql_people, "homes", homes)


@leak("people are found by id in every space")
def persons_by_id_anywhere(patch: Patch) -> None:
    patch.setattr(MemoryStore, "people", lambda self, sight, ids: [one for one in _all_people(self) if one.id in ids])


@leak("names used in private by others count as taken")
def names_are_taken(patch: Patch) -> None:
    def named(self: MemoryStore, sight: Sight, *names: str) -> list[Any]:
        return [one for one in _all_people(self) if not memory_people.lookup_names(one).isdisjoint(names)]

    patch.setattr(MemoryStore, "people_named", named)
    patch.setattr(resolve, "is_known_in", lambda *_: True)


@leak("a page of people is cut before it is filtered")
def people_filtered_after_limit(patch: Patch) -> None:
    def all_people(self: MemoryStore, sight: Sight, after: str | None, limit: int) -> list[Any]:
        page = [one for one in _all_people(self) if one.id > (after or "")][:3]
        return [one for one in page if memory_people.is_known(sight, one)]

    patch.setattr(MemoryStore, "all_people", all_people)


@leak("people are numbered across the whole store")
def person_numbers_of_the_store(patch: Patch) -> None:
    def next_person(self: MemoryStore, *_: Any) -> int:
        return 1 + sum(next - 1 for next in self._state.person_numbers.values())

    patch.setattr(MemoryStore, "next_person_number", next_person)


@leak("people are numbered per creator across spaces")
def person_numbers_of_the_creator(patch: Patch) -> None:
    def next_person(self: MemoryStore, sight: Sight, home: Any, readers: Any, creator: bytes) -> int:
        numbers = self._state.person_numbers.items()
        return 1 + sum(next - 1 for key, next in numbers if key[2] == creator)

    patch.setattr(MemoryStore, "next_person_number", next_person)


@leak("the reader list of a person is ignored")
def readers_of_persons_ignored(patch: Patch) -> None:
    original = memory_people.is_known

    def is_known(sight: Sight, made: Any) -> bool:
        return original(sight, replace(made, readers=EVERYONE))

    patch.setattr(memory_people, "is_known", is_known)


@leak("mentioned people are added to the directory")
def mentioned_are_listed(patch: Patch) -> None:
    def new_person(edits: Any, known_to: KnownTo, *rest: Any) -> Any:
        return original(edits, KnownTo(None), *rest)

    original = resolve.new_person
    patch.setattr(resolve, "new_person", new_person)


@leak("relations are shown in every space")
def relations_of_every_home(patch: Patch) -> None:
    def all_relations(self: MemoryStore, sight: Sight) -> list[Any]:
        return sorted(self._state.relations.values(), key=lambda one: one.id)

    patch.setattr(MemoryStore, "all_relations", all_relations)


SHOWING_PEOPLE = (drop_person, list_people, look_up, relations, resolve)


@leak("the chat is shown all people the asker knows")
def chat_ignored_for_people(patch: Patch) -> None:
    for module in SHOWING_PEOPLE:
        patch.setattr(module, "is_shown", lambda *_: True)


@leak("lists of people check readers for the asker, and not for the participants")
def people_of_the_asker_only(patch: Patch) -> None:
    original = look_up.is_shown
    for module in SHOWING_PEOPLE:
        patch.setattr(module, "is_shown", lambda sight, known: original(sight, replace(known, readers=EVERYONE)))


@leak("a query resolves all people the asker knows, whoever is present")
def query_names_ignore_the_chat(patch: Patch) -> None:
    patch.setattr(query_people, "is_shown", lambda *_: True)


@leak("a name in a chat resolves to all people the asker knows, whoever is present")
def references_ignore_the_chat(patch: Patch) -> None:
    patch.setattr(resolve, "may_be_meant", lambda *_: True)


@leak("drop distinguishes people of others from missing ones")
def drop_reveals_people(patch: Patch) -> None:
    def drop(session: Session, request: drop_person.DropPersonRequest) -> Any:
        found = [one for one in _all_people(session.store) if one.id == request.id and one.home is not None]  # type: ignore[arg-type]
        for one in found:
            drop_person.check_allowed(drop_person.may_change(session.actor, one))
        return original(session, request)

    original = drop_person.handle
    patch.setitem(vars(TABLE["people.drop"]), "handler", drop)


@leak("drop finds people the chat may not know")
def drop_ignores_the_chat(patch: Patch) -> None:
    patch.setattr(drop_person, "is_shown", lambda *_: True)


@leak("a merge carries the names over for all readers")
def merged_names_for_all(patch: Patch) -> None:
    patch.setattr(merge, "_is_known_to_all", lambda *_: True)


@leak("a merge changes all users' memories")
def merge_remaps_others(patch: Patch) -> None:
    patch.setattr(merge, "_is_theirs", lambda *_: True)
    patch.setattr(merge, "_may_still_write", lambda *_: True)


@leak("a merge counts for all users' statements")
def redirects_for_all(patch: Patch) -> None:
    patch.setattr(look_up, "is_merge_trusted", lambda *_: True)


@leak("forgetting a person counts memories in the spaces of others")
def forgetting_counts_others(patch: Patch) -> None:
    def own(actor: Any, spaces: Any, **rest: Any) -> Sight:
        return sights.maintenance_sight(spaces)

    patch.setattr(forget_person, "own_spaces_sight", own)


@leak("the doctor looks at the memories of others")
def doctor_of_all_users(patch: Patch) -> None:
    patch.setattr(diagnose.Scope, "is_whole", property(lambda _: True))
