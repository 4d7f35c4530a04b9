"""Import batches, rejected values, erasures, phases and policies."""

from __future__ import annotations

from msgspec import structs
from msgspec.structs import replace

from memfort.model.audience import PLAIN, Audience
from memfort.model.item import (
    EVERYONE,
    Authority,
    Readers,
    Sensitivity,
)
from memfort.model.people.actor import Standpoint
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.space import Coordinate, Level, Space
from memfort.store.port import (
    DropPhases,
    DropRejectedValue,
    DropSource,
    Erase,
    Erasure,
    PutErasure,
    PutPhase,
    PutPolicy,
    PutRejectedValue,
    PutSource,
    RejectedValue,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    fill,
    memory,
    put,
    sight_in,
    sight_on,
    value_of,
)


class Records(Claims):
    """A store returns its records as they were last put."""

    def test_sources_come_back_as_they_were_put_oldest_first(self, store: Store) -> None:
        first = Source("src_b", HOME, "chatgpt", "a'b.json", "ab" * 32, NOW, {"kept": 2, "refused": 1})
        second = Source("src_a", HOME, "paper", None, "cd" * 32, LATER, {})
        store.apply([PutSource(second), PutSource(first), PutSource(replace(first, space=NEXT_DOOR))], [])
        assert store.sources(sight_on(HOME)) == [first, second]
        store.apply([PutSource(replace(first, counts={"kept": 3}))], [])
        assert store.sources(sight_on(HOME))[0].counts == {"kept": 3}
        store.apply([DropSource(first)], [])
        assert store.sources(sight_on(HOME)) == [second]
        assert store.sources(sight_on(NEXT_DOOR)) == [replace(first, space=NEXT_DOOR)]

    def test_a_rejected_value_holds_for_its_space_readers_and_value(self, store: Store) -> None:
        rejected_value = RejectedValue(HOME, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        sight = sight_on(HOME, NEXT_DOOR)
        store.apply([PutRejectedValue(rejected_value)], [])
        assert store.rejected_value(sight, HOME, EVERYONE, rejected_value.value) == rejected_value
        assert store.rejected_value(sight, NEXT_DOOR, EVERYONE, rejected_value.value) is None
        assert store.rejected_value(sight, HOME, Readers.of(["alice"]), rejected_value.value) is None
        assert store.rejected_value(sight, HOME, EVERYONE, value_of("milk")) is None
        narrower = structs.replace(rejected_value, readers=Readers.of(["alice"]))
        store.apply([PutRejectedValue(narrower)], [])
        asked = [value_of("milk"), rejected_value.value]
        only = narrower.readers
        assert {one.readers for one in store.rejected_values(sight, HOME, only, asked)} == {EVERYONE, only}
        assert store.rejected_values(sight, HOME, EVERYONE, asked) == [rejected_value]
        assert store.rejected_values(sight, HOME, Readers.of(["bob"]), asked) == [rejected_value]
        assert store.rejected_values(sight, NEXT_DOOR, only, asked) == []
        assert store.rejected_values(sight, HOME, only, asked[:1]) == []
        store.apply([DropRejectedValue(narrower)], [])
        stricter = structs.replace(rejected_value, authority=Authority.SYSTEM_IMPOSED)
        store.apply([PutRejectedValue(stricter)], [])
        assert store.rejected_value(sight, HOME, EVERYONE, rejected_value.value) == stricter
        store.apply([DropRejectedValue(rejected_value)], [])
        assert store.rejected_value(sight, HOME, EVERYONE, rejected_value.value) is None

    def test_an_ended_value_is_known_to_whoever_might_have_heard_the_memory(self, store: Store) -> None:
        named = (HOME, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        public, closed = RejectedValue(*named, NOW), RejectedValue(*named, LATER, Audience(Sensitivity.SENSITIVE))
        rejected = RejectedValue(HOME, EVERYONE, value_of("milk"), Authority.USER_ASSERTED)
        store.apply([PutRejectedValue(one) for one in (public, closed, rejected)], [])
        asked = [value_of("tea"), value_of("milk")]
        everything = {one.place: one for one in (public, closed, rejected)}
        assert {one.place: one for one in store.rejected_values(sight_on(HOME), HOME, EVERYONE, asked)} == everything
        heard = store.rejected_values(sight_in(HOME, heard=[PLAIN]), HOME, EVERYONE, asked)
        assert {one.place for one in heard} == {public.place, rejected.place}
        assert store.rejected_values(sight_on(NEXT_DOOR), HOME, EVERYONE, asked) == []
        later = structs.replace(public, ended_at=LATER)
        store.apply([PutRejectedValue(later), DropRejectedValue(closed)], [])
        assert store.rejected_values(sight_on(HOME), HOME, EVERYONE, asked[:1]) == [later]

    def test_erasures_come_back_as_they_were_put(self, store: Store) -> None:
        items = ((HOME.id, "mem_1"), (NEXT_DOOR.id, "mem_1"))
        first = Erasure("era_2", NOW, ALICE.key, items, {"memories": 2}, "not finished yet")
        second = Erasure("era_1", LATER, BOB.key, (), {}, None)
        store.apply([PutErasure(second), PutErasure(first)], [])
        assert list(store.erasures()) == [first, second]
        store.apply([PutErasure(structs.replace(first, pending=None))], [])
        assert list(store.erasures()) == [structs.replace(first, pending=None), second]

    def test_phases_come_by_space_oldest_first(self, store: Store) -> None:
        second, third = Phase(2, "new ways", 3), Phase(3, "a release", 9, name="beta", started_at_us=NOW)
        store.apply([PutPhase(HOME, second), PutPhase(NEXT_DOOR, third), PutPhase(HOME, third)], [])
        assert store.phases(sight_on(HOME)) == {HOME.id: (second, third)}
        assert store.phases(sight_on(HOME, NEXT_DOOR)) == {HOME.id: (second, third), NEXT_DOOR.id: (third,)}
        assert store.phases(sight_on(Space.of({"user": "carol"}))) == {}
        store.apply([PutPhase(HOME, replace(third, reason="another release"))], [])
        assert [phase.reason for phase in store.phases(sight_on(HOME))[HOME.id]] == ["new ways", "another release"]

    def test_dropping_phases_up_to_a_number_keeps_other_spaces(self, store: Store) -> None:
        phases = [Phase(index, "new ways", index) for index in (2, 3, 4)]
        store.apply([PutPhase(space, phase) for space in (HOME, NEXT_DOOR) for phase in phases], [])
        store.apply([DropPhases(HOME, 3), DropPhases(Space.of({"user": "carol"}), 9)], [])
        assert store.phases(sight_on(HOME, NEXT_DOOR)) == {HOME.id: (phases[2],), NEXT_DOOR.id: tuple(phases)}
        store.apply([DropPhases(HOME, 4)], [])
        assert store.phases(sight_on(HOME)) == {}

    def test_starting_a_phase_changes_the_facts(self, store: Store) -> None:
        asked = Standpoint(ALICE, (Coordinate(Level.USER, "alice"),))
        before = store.facts(asked)
        store.apply([PutPhase(HOME, Phase(2, "new ways", 0))], [])
        after = store.facts(asked)
        store.apply([PutPhase(HOME, Phase(3, "new ways", 0))], [])
        assert (before.phases, before == after, after == store.facts(asked)) == (0, False, False)

    def test_the_policy_in_use_is_the_one_put_last_and_the_earlier_stay(self, store: Store) -> None:
        assert (store.policy(), store.policy("p1")) == (None, None)
        store.apply([PutPolicy("p1", 'name = "one"')], [])
        store.apply([PutPolicy("p2", 'name = "two"')], [])
        assert (store.policy(), store.policy("p1"), store.policy("p2")) == (
            'name = "two"',
            'name = "one"',
            'name = "two"',
        )
        assert (store.policy("P1"), store.policy("")) == (None, None)
        store.apply([PutPolicy("p1", 'name = "one"')], [])
        assert store.policy() == 'name = "one"'

    def test_spaces_lists_every_space_with_contents(self, store: Store) -> None:
        third, fourth = Space.of({"project": "x"}), Space.of({"org": "x"})
        source = Source("src_1", NEXT_DOOR, "paper", None, "00", NOW, {})
        rejected_value = RejectedValue(third, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        put(store, memory(HOME))
        store.apply([PutSource(source), PutRejectedValue(rejected_value)], [])
        fifth = Space.of({"role": "x"})
        store.apply(
            [
                DropSource(replace(source, space=fourth)),
                DropRejectedValue(structs.replace(rejected_value, space=fourth)),
            ],
            [],
        )
        store.apply([PutPhase(fifth, Phase(2, "new ways", 0)), DropPhases(fourth, 2)], [])
        assert list(store.spaces()) == sorted([HOME, NEXT_DOOR, third, fifth], key=lambda space: space.id)

    def test_the_spaces_of_a_user_are_those_that_name_them(self, store: Store) -> None:
        for name in ("o'hara", "50%", '"quoted"', "@"):
            own = [Space.of({"user": name}), Space.of({"user": name, "project": "x"})]
            others = [Space.of({"user": name + "x"}), Space.of({"project": name})]
            put(store, *(memory(space) for space in (*own, *others)))
            assert list(store.spaces(name)) == sorted(own, key=lambda space: space.id)
        assert list(store.spaces("nobody")) == []

    def test_checking_a_sound_store_finds_no_problems(self, store: Store) -> None:
        fill(store, [HOME, NEXT_DOOR])
        store.apply([Erase(HOME, "mem_same")], [])
        assert store.checkup() == []
        assert store.damaged(sight_on(HOME, NEXT_DOOR, whole=True)) == []
        assert list(store.all_damaged()) == []
        assert store.scrub().pending is None
        assert dict(store.residue()) == {}
        assert store.info()["memories"] == 11
