"""Bulk questions: one call gives the same answers as the single questions one by one."""

from __future__ import annotations

from typing import Any

from memfort.model.audience import Audience
from memfort.model.item import EVERYONE, Authority, Kind, Origin, Readers, Sensitivity, Status
from memfort.model.sight import Sight
from memfort.store.port import (
    PutPerson,
    PutRejectedValue,
    RejectedValue,
    Statement,
    Store,
    contexts_by_parts,
    found_items_by_parts,
    read_context_by_parts,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import handles, texts
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    CONVERSATION,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    PLENTY,
    memory,
    person,
    put,
    sight_on,
    statement,
    value_of,
    with_audience,
)

FOR_ALICE, FOR_BOB = Readers.of(["alice"]), Readers.of(["bob"])
PERSONAL = Audience(sensitivity=Sensitivity.PERSONAL)
SIGHTS = (sight_on(HOME, NEXT_DOOR), sight_on(HOME), sight_on(HOME, actor=BOB), sight_on(HOME, whole=True), sight_on())


class BulkQuestions(Claims):
    """A store answers a list of questions as it answers each of them."""

    def test_the_contexts_of_statements_are_the_answers_to_each_question(self, store: Store) -> None:
        _fill_partitions(store)
        for sight in SIGHTS:
            assert store.write_contexts(sight, STATEMENTS) == contexts_by_parts(store, sight, STATEMENTS)
            with store.writing():
                assert store.write_contexts(sight, STATEMENTS) == contexts_by_parts(store, sight, STATEMENTS)

    def test_a_context_lists_the_rivals_and_limits_of_a_statement(self, store: Store) -> None:
        _fill_partitions(store)
        first, fresh = store.write_contexts(sight_on(HOME), [statement(), statement(text="new")])
        assert (texts(first.rivals), texts(first.alike), first.is_clear) == (["tea"], ["tea"], False)
        assert first.rejected
        assert (first.next_number, first.tick, texts(first.due_by_tick)) == (4, 3, ["short lived"])
        assert (dict(first.counts), first.authored_count) == ({Kind.SEMANTIC: 3}, 6)
        assert (fresh.rivals, fresh.alike, fresh.rejected) == ([], [], [])
        assert (fresh.next_number, fresh.tick) == (first.next_number, first.tick)

    def test_the_context_of_a_statement_in_an_empty_space_is_clear(self, store: Store) -> None:
        put(store, memory(NEXT_DOOR))
        (context,) = store.write_contexts(sight_on(HOME, NEXT_DOOR), [statement(HOME)])
        assert (context.is_clear, context.next_number, context.tick, dict(context.counts)) == (True, 1, 0, {})
        (control,) = store.write_contexts(sight_on(HOME, NEXT_DOOR), [statement(NEXT_DOOR)])
        assert (control.is_clear, control.next_number) == (False, 2)

    def test_a_context_looks_the_requested_ticks_ahead(self, store: Store) -> None:
        put(store, *(memory(text=str(n), number=n, created_tick=n, expires_tick=3 + n) for n in (1, 2, 3)))
        ahead = store.write_contexts(sight_on(HOME), [statement(text="new", ticks=ticks) for ticks in (1, 2, 3)])
        assert [(one.tick, texts(one.due_by_tick)) for one in ahead] == [
            (3, ["1"]),
            (3, ["1", "2"]),
            (3, ["1", "2", "3"]),
        ]

    def test_a_context_holds_only_what_is_requested(self, store: Store) -> None:
        _fill_partitions(store)
        asked = statement(value=None, change_keys=None, wants_counts=False)
        (context,) = store.write_contexts(sight_on(HOME), [asked])
        assert (context.rivals, context.alike, dict(context.counts), context.authored_count) == ([], [], {}, 0)
        assert context.rejected

    def test_no_statements_give_no_contexts(self, store: Store) -> None:
        put(store, memory())
        assert store.write_contexts(sight_on(HOME), []) == []

    def test_a_context_includes_earlier_changes_of_the_same_write(self, store: Store) -> None:
        sight = sight_on(HOME)
        with store.writing():
            before = store.write_contexts(sight, [statement()])[0]
            put(store, memory(created_tick=1))
            after = store.write_contexts(sight, [statement()])[0]
        assert (before.is_clear, before.next_number, before.tick) == (True, 1, 0)
        assert (texts(after.rivals), texts(after.alike), after.next_number, after.tick) == (["tea"], ["tea"], 2, 1)

    def test_the_context_of_a_read_is_the_answer_to_each_question(self, store: Store) -> None:
        put(store, memory(text="ends", expires_at_us=NOW), memory(text="stays", number=2))
        put(store, memory(text="ends too", number=3, expires_at_us=NOW), memory(NEXT_DOOR, "theirs", expires_at_us=NOW))
        for sight in SIGHTS:
            for limit in (None, 0, PLENTY):
                assert store.read_context(sight, LATER, limit) == read_context_by_parts(store, sight, LATER, limit)
        here = store.read_context(sight_on(HOME), LATER)
        assert (texts(here.overdue), here.quarantined, here.knows_people) == (["ends", "ends too"], [], False)
        assert len(store.read_context(sight_on(HOME), LATER, 1).overdue) == 1
        store.apply([_person(sight_on(HOME))], [])
        assert store.read_context(sight_on(HOME), LATER).knows_people
        assert not store.read_context(sight_on(NEXT_DOOR), LATER).knows_people

    def test_what_a_search_found_comes_with_what_became_of_its_turns(self, store: Store) -> None:
        _fill_conversation(store)
        known = [*handles(store, sight_on(HOME, whole=True), "tea"), *handles(store, sight_on(NEXT_DOOR), "tea")]
        for sight in SIGHTS:
            for beside in (0, 1, PLENTY):
                expected = found_items_by_parts(store, sight, known, beside)
                assert store.found_items(sight, known, beside) == expected
        found = store.found_items(sight_on(HOME), known, 0)
        assert texts(found.items.values()) == ["an answer about tea", "green tea", "tea at five"]
        assert {id: texts(before) for id, (before, _) in found.around.items()} == {"mem_answer": ["tea at five"]}
        assert texts(found.ended) == ["at five"]
        assert texts(found.made) == ["at five", "still holds"]
        assert texts(found.newer) == ["at six", "at ten"]
        everything = store.found_items(sight_on(HOME), known, PLENTY)
        assert sorted(everything.around) == ["mem_answer", "mem_asked"]
        hidden = store.found_items(sight_on(NEXT_DOOR), known, PLENTY)
        assert (texts(hidden.items.values()), hidden.ended, hidden.made, hidden.newer) == (["their tea"], [], [], [])


STATEMENTS: list[Statement] = [
    statement(space, text, readers=readers, audience=audience, author=author)
    for space in (HOME, NEXT_DOOR)
    for text in ("tea", "private", "milk", "new")
    for readers in (EVERYONE, FOR_ALICE, FOR_BOB)
    for audience in (statement().audience, PERSONAL)
    for author in (ALICE, BOB)
]


def _fill_partitions(store: Store) -> None:
    """Memories in several partitions of two spaces; in one of them a reviewer has rejected a value."""
    put(store, memory(created_tick=1), memory(text="short lived", number=2, created_tick=2, expires_tick=4))
    put(store, memory(text="milk", number=3, created_tick=3), memory(text="tea", readers=FOR_ALICE, created_tick=1))
    put(store, with_audience(text="private", sensitivity=Sensitivity.PERSONAL, created_tick=1))
    put(store, memory(text="coffee", author=BOB))
    put(store, memory(NEXT_DOOR, created_tick=1), memory(NEXT_DOOR, "milk", readers=FOR_BOB, author=BOB))
    store.apply([PutRejectedValue(RejectedValue(HOME, EVERYONE, value_of("tea"), Authority.USER_ASSERTED))], [])


def _person(sight: Sight) -> PutPerson:
    return PutPerson(person(sight.spaces[0].space))


def _fill_conversation(store: Store) -> None:
    """A turn and an answer to it; of the turn one statement holds and one was replaced, twice."""
    said: dict[str, Any] = {"kind": Kind.SHORT_TERM, "conversation": CONVERSATION}
    put(store, memory(text="tea at five", number=1, id="mem_asked", **said))
    put(store, memory(text="an answer about tea", number=2, id="mem_answer", origin=Origin.AI, **said))
    old: dict[str, Any] = {"derived_from": ("mem_asked",), "status": Status.SUPERSEDED, "superseded_by": "mem_six"}
    put(store, memory(text="at five", number=3, id="mem_five", **old))
    put(store, memory(text="at six", number=4, id="mem_six", status=Status.SUPERSEDED, superseded_by="mem_ten"))
    put(store, memory(text="at ten", number=5, id="mem_ten"))
    put(store, memory(text="still holds", number=6, id="mem_holds", derived_from=("mem_asked",)))
    put(store, memory(text="green tea", number=7, id="mem_green"), memory(NEXT_DOOR, "their tea", id="mem_theirs"))
