"""What a chat may hear: partitions by audience, disclosure about people from out of sight, and `about`."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from memfort.model.audience import PLAIN, UNKNOWN_SPEAKER, Audience, audience_of
from memfort.model.item import EVERYONE, Item, Kind, Readers, Sensitivity, Status
from memfort.model.learned import SEVERAL, UNKNOWN, Learned, LearnedKind
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import Entry, Erase, Filter, Insert, Reindex, Store, position_of
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import counted, found, handles, listed, partitions, statistics, texts
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    EVERYTHING,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    PLENTY,
    ChatDisclosure,
    disclosed_entry_of,
    entry_of,
    put,
    sight_in,
    sight_on,
    updated,
    value_of,
    with_audience,
)

IN_TEAM = Learned("team", LearnedKind.GROUP, ("@alice", "@bob"))
ABOUT_ALICE = {
    "subjects": ("@alice",),
    "stated_by": "@carol",
    "learned_in": "team",
    "learned_kind": LearnedKind.GROUP,
    "learned_with": ("@alice", "@bob"),
}
AUDIENCE_OF_ALICE = Audience(subjects=("@alice",), stated_by="@carol", learned=IN_TEAM)
AUDIENCES = (
    PLAIN,
    Audience(learned=IN_TEAM),
    Audience(learned=Learned("team", LearnedKind.PRIVATE, ("@alice", "@bob"))),
    Audience(learned=Learned("team", LearnedKind.GROUP, ("@bob",))),
    Audience(learned=UNKNOWN),
    Audience(learned=SEVERAL),
    Audience(stated_by="@bob"),
    Audience(stated_by=UNKNOWN_SPEAKER),
    Audience(subjects=("@bob",)),
    Audience(subjects=("@bob",), portable=False),
    Audience(subjects=("@alice", "@bob")),
    Audience(subjects=("@bob",), stated_by="@carol"),
    Audience(Sensitivity.PERSONAL, subjects=("@bob",)),
    Audience(Sensitivity.SENSITIVE, subjects=("@bob",)),
    Audience(Sensitivity.PERSONAL),
    AUDIENCE_OF_ALICE,
)
OTHER_AUDIENCES = [audience for audience in AUDIENCES if audience != AUDIENCE_OF_ALICE]
FOR_BOB = Readers.of(users=["bob"])
NOTHING: tuple[int, list[str], dict[Kind, int], list[str]] = (0, [], {}, [])
REINDEX = Reindex(entry_of, disclosed_entry_of=disclosed_entry_of)
IN_CHAT = sight_in(HOME, heard=AUDIENCES, disclosed=[AUDIENCE_OF_ALICE], about=["@alice"])


def memory_for(audience: Audience, text: str = "tea", **fields: Any) -> Item:
    """A memory with this audience."""
    made = with_audience(
        text=text,
        sensitivity=audience.sensitivity,
        learned_in=audience.learned.chat,
        learned_kind=audience.learned.kind,
        learned_with=audience.learned.listeners,
        subjects=audience.subjects,
        stated_by={None: "@alice", UNKNOWN_SPEAKER: None}.get(audience.stated_by, audience.stated_by),
        portable=audience.portable,
        **fields,
    )
    assert audience_of(made) == audience
    return made


def disclosed(text: str = "tea", space: Space = NEXT_DOOR, **fields: Any) -> Item:
    """A memory about alice that bob stated in a group, in a space out of her sight."""
    return with_audience(space, text, **{"author": BOB, **ABOUT_ALICE, **fields})


def known(store: Store, sight: Sight, *persons: str, limit: int = PLENTY, filter: Filter = EVERYTHING) -> list[str]:
    return [item.text for item in store.about(sight, persons or ("@alice",), filter, limit, NOW)]


class Audiences(Claims):
    """A store separates memories by audience, and discloses about people what may be disclosed and nothing else."""

    # -- partitions by audience

    def test_every_audience_is_a_partition_of_its_own(self, store: Store) -> None:
        for number, audience in enumerate(AUDIENCES, start=1):
            text = f"tea {number}"
            put(store, memory_for(audience, text, number=number, created_tick=number, expires_tick=number + 1))
        for number, audience in enumerate(AUDIENCES, start=1):
            text, sight = f"tea {number}", sight_on(HOME)
            assert counted(store, sight, HOME, audience=audience) == (number, [text], {Kind.SEMANTIC: 1}, [text])
            assert store.next_number(sight, HOME, EVERYONE, ALICE.key, Kind.SEMANTIC, audience) == number + 1
        unused = Audience(learned=Learned("nowhere"))
        assert counted(store, sight_on(HOME), HOME, audience=unused) == NOTHING
        assert store.next_number(sight_on(HOME), HOME, EVERYONE, ALICE.key, Kind.SEMANTIC, unused) == 1

    @pytest.mark.parametrize("refused", AUDIENCES, ids=str)
    def test_memories_closed_to_a_chat_appear_in_no_read(self, store: Store, refused: Audience) -> None:
        item = memory_for(refused, id="mem_refused", expires_at_us=LATER, created_tick=1, expires_tick=2)
        child = memory_for(refused, "child", number=2, derived_from=("mem_refused",))
        put(store, item, child)
        words = handles(store, sight_on(HOME), "tea")
        others = [audience for audience in AUDIENCES if audience != refused]
        closed, open_chat = sight_in(HOME, heard=others), sight_in(HOME, heard=[refused])
        assert set(self._reads(store, closed, refused, words).values()) == {False}
        assert set(self._reads(store, open_chat, refused, words).values()) == {True}
        assert set(self._reads(store, sight_on(HOME), refused, words).values()) == {True}  # outside any chat

    def _reads(self, store: Store, sight: Sight, audience: Audience, known: list[int]) -> dict[str, bool]:
        subjects = audience.subjects or ("@nobody",)
        seen = {
            "columns": partitions(store, sight, ["tea"], NOW),
            "positions": store.positions(sight, known),
            "items_by_handle": store.items_by_handle(sight, known),
            "items": store.items(sight, ["mem_refused"]),
            "page": listed(store, sight),
            "rivals": store.rivals(sight, HOME, EVERYONE, value_of("tea")),
            "derived": store.derived(sight, ["mem_refused"]),
            "tick": store.tick(sight, HOME, EVERYONE, audience),
            "due_by_tick": store.due_by_tick(sight, HOME, EVERYONE, 2, audience),
            "count_by_kind": store.count_by_kind(sight, HOME, EVERYONE, ALICE.key, audience),
            "least_important": store.least_important(
                sight, HOME, EVERYONE, ALICE.key, list(Kind), 9, audience=audience
            ),
            "eviction_candidates": list(store.eviction_candidates(sight, ALICE)),
            "overdue": store.overdue(sight, LATER),
            "about": store.about(sight, subjects, EVERYTHING, 9, NOW) if audience.subjects else listed(store, sight),
        }
        return {method: bool(answer) for method, answer in seen.items()}

    def test_refused_memories_change_no_statistics(self, store: Store) -> None:
        heard, refused = AUDIENCES[:4], AUDIENCES[4:]
        sight = sight_in(HOME, heard=heard)
        put(store, *(memory_for(audience, f"tea milk {n}", number=n) for n, audience in enumerate(heard, start=1)))
        before = partitions(store, sight, ["tea", "milk"], NOW)
        assert (sum(partition.count for partition in before), sum(partition.length for partition in before)) == (4, 12)
        put(
            store,
            *(memory_for(audience, f"tea tea tea milk {n}", number=n) for n, audience in enumerate(refused, start=1)),
        )
        put(store, memory_for(refused[0], "milk", number=9, expires_at_us=NOW))
        assert partitions(store, sight, ["tea", "milk"], NOW) == before
        assert sum(partition.count for partition in partitions(store, sight_on(HOME), ["tea"], NOW)) == len(AUDIENCES)

    def test_emptying_one_partition_leaves_the_others_readable_in_a_chat(self, store: Store) -> None:
        heard, refused = memory_for(AUDIENCES[1]), memory_for(AUDIENCES[2], "tea too")
        put(store, refused, heard)
        store.apply([Erase(HOME, refused.id)], [])
        for sight in (sight_in(HOME, heard=[AUDIENCES[1]]), sight_in(HOME, heard=AUDIENCES), sight_on(HOME)):
            assert statistics(partitions(store, sight, ["tea"], NOW)) == [(0, 1, 1)]
            assert found(store, sight, "tea") == ["tea"]
        assert partitions(store, sight_in(HOME, heard=[AUDIENCES[2]]), ["tea"], NOW) == []

    def test_changing_the_audience_moves_a_memory_to_another_partition(self, store: Store) -> None:
        item = memory_for(PLAIN, created_tick=1, expires_tick=2)
        put(store, item)
        changed = replace(item, subjects=("@bob",), sensitivity=Sensitivity.PERSONAL, version=2)
        store.apply([updated(changed)], [])
        audience = audience_of(changed)
        assert counted(store, sight_on(HOME), HOME) == (1, [], {}, [])
        assert counted(store, sight_on(HOME), HOME, audience=audience) == (1, ["tea"], {Kind.SEMANTIC: 1}, ["tea"])
        assert found(store, sight_in(HOME, heard=[PLAIN]), "tea") == []
        assert found(store, sight_in(HOME, heard=[audience]), "tea") == ["tea"]

    def test_both_the_reader_list_and_the_audience_must_admit(self, store: Store) -> None:
        put(store, memory_for(AUDIENCE_OF_ALICE, readers=FOR_BOB))
        assert found(store, sight_in(HOME, heard=[AUDIENCE_OF_ALICE]), "tea") == []
        assert found(store, sight_in(HOME, heard=[AUDIENCE_OF_ALICE], actor=BOB), "tea") == ["tea"]
        assert found(store, sight_in(HOME, heard=[PLAIN], actor=BOB), "tea") == []

    # -- disclosure about people

    def test_disclosed_memories_are_found_outside_the_spaces_in_sight(self, store: Store) -> None:
        item = disclosed()
        put(store, item)
        (partition,) = partitions(store, IN_CHAT, ["tea"], NOW)
        assert (partition.layer, partition.count, partition.length) == (IN_CHAT.last_layer, 1, 1)
        handle = partition.postings["tea"][0][0]
        assert store.items_by_handle(IN_CHAT, [handle]) == {handle: item}
        assert store.positions(IN_CHAT, [handle]) == {handle: position_of(item)}
        assert store.items(IN_CHAT, [item.id]) == [item]
        assert store.about(IN_CHAT, ["@alice"], EVERYTHING, 9, NOW) == [item]
        assert (
            listed(store, IN_CHAT),
            list(store.eviction_candidates(IN_CHAT, BOB)),
            store.derived(IN_CHAT, [item.id]),
        ) == (
            [],
            [],
            [],
        )

    @pytest.mark.parametrize(
        "asking",
        [
            sight_on(HOME),
            sight_in(HOME, heard=AUDIENCES, disclosed=[AUDIENCE_OF_ALICE]),
            sight_in(HOME, heard=AUDIENCES, disclosed=[AUDIENCE_OF_ALICE], about=["@bob"]),
            sight_in(HOME, heard=AUDIENCES, disclosed=[AUDIENCE_OF_ALICE], about=["@Alice", "alice", "@alic", "@"]),
            sight_in(HOME, heard=AUDIENCES, disclosed=OTHER_AUDIENCES, about=["@alice"]),
            sight_in(HOME, heard=AUDIENCES, disclosed=AUDIENCES, about=["@alice"]).narrowed([HOME]),
            replace(sight_on(HOME), about=frozenset({"@alice"})),  # outside any chat nothing is disclosed
        ],
        ids=["no chat", "no one", "another", "names like it", "another audience", "narrowed", "about, but no chat"],
    )
    def test_nothing_is_disclosed_to_a_sight_that_does_not_ask_or_may_not_hear(
        self, store: Store, asking: Sight
    ) -> None:
        put(store, disclosed())
        assert self._disclosed_texts(store, asking) == []
        assert self._disclosed_texts(store, IN_CHAT) == ["tea"]

    @pytest.mark.parametrize(
        "undisclosable",
        [
            {"portable": False},
            {"readers": FOR_BOB},
            {"status": Status.PENDING},
            {"status": Status.SUPERSEDED},
            {"deleted_at_us": NOW},
            {"subjects": ("@bob",)},
            {"subjects": ()},
            {"learned_in": ""},
            {"learned_in": None},
            {"learned_in": "elsewhere"},
            {"sensitivity": Sensitivity.PERSONAL},
        ],
        ids=str,
    )
    def test_undisclosable_memories_are_not_returned_and_change_no_statistics(
        self, store: Store, undisclosable: dict[str, Any]
    ) -> None:
        first, other = disclosed("tea one"), disclosed("tea tea two", number=2)
        put(store, first)
        before = partitions(store, IN_CHAT, ["tea", "two"], NOW)
        put(store, replace(other, **undisclosable))
        assert (partitions(store, IN_CHAT, ["tea", "two"], NOW), self._disclosed_texts(store, IN_CHAT)) == (
            before,
            ["tea one"],
        )
        assert store.items(IN_CHAT, [other.id]) == []
        store.apply([updated(replace(other, version=2))], [])
        assert self._disclosed_texts(store, IN_CHAT) == ["tea one", "tea tea two"]
        assert statistics(partitions(store, IN_CHAT, ["tea"], NOW)) == [(IN_CHAT.last_layer, 2, 5)]
        for change in (updated(replace(other, **undisclosable, version=3)), REINDEX):
            store.apply([change], [])
            assert (partitions(store, IN_CHAT, ["tea", "two"], NOW), self._disclosed_texts(store, IN_CHAT)) == (
                before,
                ["tea one"],
            )
            assert store.items(IN_CHAT, [other.id]) == []

    @pytest.mark.parametrize(
        "other",
        [{"subjects": ("@alice", "@bob")}, {"stated_by": "@carl"}, {"sensitivity": Sensitivity.PERSONAL}],
        ids=["about two", "said by another", "less sensitive"],
    )
    def test_non_public_disclosure_depends_on_the_speaker_and_the_other_subjects(
        self, store: Store, other: dict[str, Any]
    ) -> None:
        first = disclosed("tea one", sensitivity=Sensitivity.SENSITIVE)
        second = disclosed("tea tea two", number=2, **{"sensitivity": Sensitivity.SENSITIVE, **other})
        put(store, first)
        asking = sight_in(HOME, disclosed=[audience_of(first)], about=["@alice"])
        before = partitions(store, asking, ["tea", "two"], NOW)
        put(store, second)
        assert (partitions(store, asking, ["tea", "two"], NOW), self._disclosed_texts(store, asking)) == (
            before,
            ["tea one"],
        )
        assert store.items(asking, [second.id]) == []
        both = sight_in(HOME, disclosed=[audience_of(first), audience_of(second)], about=["@alice"])
        assert self._disclosed_texts(store, both) == ["tea one", "tea tea two"]

    def test_disclosure_depends_on_the_owner_of_the_space(self, store: Store) -> None:
        put(store, disclosed("tea one"), disclosed("tea two", Space.of({"chat": "team"})))
        asking = sight_in(HOME, disclosed=[AUDIENCE_OF_ALICE], about=["@alice"])
        of_bob = replace(asking, disclosure=ChatDisclosure(disclosed=frozenset({AUDIENCE_OF_ALICE}), owner="@bob"))
        assert (self._disclosed_texts(store, asking), self._disclosed_texts(store, of_bob)) == (
            ["tea one", "tea two"],
            ["tea one"],
        )

    def test_erased_memories_are_not_disclosed(self, store: Store) -> None:
        item = disclosed()
        put(store, item)
        store.apply([Erase(NEXT_DOOR, item.id)], [])
        assert (
            partitions(store, IN_CHAT, ["tea"], NOW),
            self._disclosed_texts(store, IN_CHAT),
            store.items(IN_CHAT, [item.id]),
        ) == (
            [],
            [],
            [],
        )

    def test_expired_memories_are_not_disclosed(self, store: Store) -> None:
        put(store, disclosed("tea stays"), disclosed("tea ends", number=2, expires_at_us=LATER))
        assert statistics(partitions(store, IN_CHAT, ["tea"], NOW)) == [(IN_CHAT.last_layer, 2, 4)]
        assert statistics(partitions(store, IN_CHAT, ["tea"], LATER)) == [(IN_CHAT.last_layer, 1, 2)]
        assert found(store, IN_CHAT, "ends", LATER) == []
        assert [item.text for item in store.about(IN_CHAT, ["@alice"], Filter(), 9, LATER)] == ["tea stays"]

    def test_changing_the_subject_discloses_to_the_new_subject_only(self, store: Store) -> None:
        item = disclosed()
        put(store, item)
        moved = replace(item, subjects=("@carol",), version=2)
        store.apply([updated(moved)], [])
        sight_of_carol = sight_in(HOME, disclosed=[audience_of(moved)], about=["@carol"])
        assert (self._disclosed_texts(store, IN_CHAT), self._disclosed_texts(store, sight_of_carol, "@carol")) == (
            [],
            ["tea"],
        )
        assert statistics(partitions(store, sight_of_carol, ["tea"], NOW)) == [(sight_of_carol.last_layer, 1, 1)]

    def test_changing_where_it_was_learned_changes_who_it_is_disclosed_to(self, store: Store) -> None:
        item = disclosed()
        put(store, item)
        store.apply([updated(replace(item, learned_in="crowd", version=2))], [])
        audience = replace(AUDIENCE_OF_ALICE, learned=replace(IN_TEAM, chat="crowd"))
        there = sight_in(HOME, disclosed=[audience], about=["@alice"])
        assert (self._disclosed_texts(store, IN_CHAT), self._disclosed_texts(store, there)) == ([], ["tea"])

    def test_memories_in_sight_are_not_disclosed_a_second_time(self, store: Store) -> None:
        item = disclosed()
        put(store, item)
        both = sight_in(HOME, NEXT_DOOR, heard=AUDIENCES, disclosed=AUDIENCES, about=["@alice"])
        assert statistics(partitions(store, both, ["tea"], NOW)) == [(1, 1, 1)]
        assert len(handles(store, both, "tea")) == len(store.items(both, [item.id])) == 1
        assert known(store, both) == ["tea"]

    def test_memories_in_sight_that_the_chat_may_not_hear_are_not_disclosed_instead(self, store: Store) -> None:
        item = disclosed()
        put(store, item)
        refused = sight_in(HOME, NEXT_DOOR, heard=[PLAIN], disclosed=AUDIENCES, about=["@alice"])
        assert (partitions(store, refused, ["tea"], NOW), store.items(refused, [item.id]), known(store, refused)) == (
            [],
            [],
            [],
        )

    def test_disclosed_memories_match_only_the_words_of_their_own_text(self, store: Store) -> None:
        item = disclosed(tags=("secret",))
        own, alone = Entry({"tea": 1, "secret": 1}), Entry({"tea": 1})
        store.apply([Insert(item, value_of("tea"), own, alone)], [])
        assert (found(store, IN_CHAT, "tea"), found(store, IN_CHAT, "secret")) == (["tea"], [])
        assert statistics(partitions(store, IN_CHAT, ["tea"], NOW)) == [(IN_CHAT.last_layer, 1, 1)]
        assert found(store, sight_on(NEXT_DOOR, actor=BOB), "secret") == ["tea"]

    def test_a_memory_about_two_people_is_disclosed_once(self, store: Store) -> None:
        item = disclosed(subjects=("@alice", "@bob"))
        put(store, item)
        asking = sight_in(HOME, disclosed=[audience_of(item)], about=["@alice", "@bob"])
        assert (known(store, asking, "@alice", "@bob"), store.items(asking, [item.id])) == (["tea"], [item])
        one = replace(asking, about=frozenset({"@bob"}))
        assert (self._disclosed_texts(store, one, "@bob"), self._disclosed_texts(store, one, "@alice")) == (
            ["tea"],
            ["tea"],
        )

    def test_memories_about_people_are_disclosed_from_users_and_chats_only(self, store: Store) -> None:
        places = [{"user": "bob"}, {"chat": "team"}, {"project": "apollo"}, {"user": "bob", "project": "apollo"}]
        spaces = [Space.of(place) for place in places]
        put(store, *(disclosed(f"tea {n}", space) for n, space in enumerate(spaces)), disclosed("tea at home", HOME))
        assert found(store, IN_CHAT, "tea") == ["tea 0", "tea 1", "tea at home"]
        assert statistics(partitions(store, IN_CHAT, ["tea"], NOW)) == [(0, 1, 3), (IN_CHAT.last_layer, 2, 4)]

    def _disclosed_texts(self, store: Store, sight: Sight, *persons: str) -> list[str]:
        """The disclosed texts by every read path; all paths must agree."""
        by_word = found(store, sight, "tea")
        assert texts(store.about(sight, persons or ("@alice",), Filter(), PLENTY, NOW)) == by_word
        return by_word

    # -- about

    def test_about_lists_newest_first_across_spaces(self, store: Store) -> None:
        ages = [3, 1, 2, 2, 5, 4]
        items = [disclosed(f"tea {n}", (HOME, NEXT_DOOR)[n % 2], number=n, at=NOW + age) for n, age in enumerate(ages)]
        put(store, *items)
        expected = sorted(items, key=lambda item: (-item.created_at_us, item.id, item.space.id))
        for limit in (0, 1, 2, 5, 6, 99):
            assert store.about(IN_CHAT, ["@alice"], EVERYTHING, limit, NOW) == expected[:limit]

    def test_about_filters_before_the_limit(self, store: Store) -> None:
        put(store, *(disclosed(f"tea {n}", HOME, number=n, at=NOW + n, type=("fact", "task")[n % 2]) for n in range(6)))
        assert known(store, IN_CHAT, limit=2, filter=Filter(types=frozenset({"task"}))) == ["tea 5", "tea 3"]

    def test_about_lists_only_the_people_asked_for(self, store: Store) -> None:
        put(
            store,
            *(
                with_audience(text=name, number=n, subjects=subjects)
                for n, (name, subjects) in enumerate(_PEOPLE.items(), start=1)
            ),
        )
        sight = sight_on(HOME)
        assert sorted(known(store, sight, "@bob")) == ["bob", "both"]
        assert sorted(known(store, sight, "@bob", "@carol")) == ["bob", "both", "carol"]
        assert (known(store, sight, "@bo"), known(store, sight, "%"), known(store, sight, "@BOB")) == ([], [], [])
        assert store.about(sight, [], EVERYTHING, 9, NOW) == []
        assert known(store, sight_on(NEXT_DOOR), "@bob", "@carol") == []

    @pytest.mark.parametrize("end", [{"deleted_at_us": NOW}, {"status": Status.SUPERSEDED}, {"status": Status.PENDING}])
    def test_about_lists_only_memories_in_force(self, store: Store, end: dict[str, Any]) -> None:
        item = disclosed("tea", HOME)
        put(store, item)
        seen = [known(store, IN_CHAT)]
        for change in (updated(replace(item, version=2, **end)), REINDEX, updated(replace(item, version=3)), REINDEX):
            store.apply([change], [])
            seen.append(known(store, IN_CHAT))
        assert seen == [["tea"], [], [], ["tea"], ["tea"]]

    def test_reindexing_changes_nothing(self, store: Store) -> None:
        put(store, *(memory_for(audience, f"tea {n}", number=n, at=NOW + n) for n, audience in enumerate(AUDIENCES)))
        put(
            store,
            *(disclosed(f"tea disclosed {n}", number=n, at=NOW + n) for n in range(3)),
            disclosed("tea kept", portable=False, number=7),
        )
        store.apply(
            [
                updated(disclosed("milk disclosed 1", number=1, at=NOW + 1, version=2)),
                Erase(NEXT_DOOR, disclosed(number=2).id),
            ],
            [],
        )
        before = self._everything(store)
        assert found(store, IN_CHAT, "disclosed") == ["milk disclosed 1", "tea disclosed 0"]
        store.apply([REINDEX], [])
        assert self._everything(store) == before
        assert store.checkup() == []

    def _everything(self, store: Store) -> list[Any]:
        words = ["tea", "milk", "explanation", "kept"]
        sights = [IN_CHAT, sight_on(HOME), sight_on(HOME, NEXT_DOOR), sight_in(HOME, heard=AUDIENCES[:3])]
        return [
            [partitions(store, sight, words, Moment(NOW)) for sight in sights],
            [known(store, sight, "@alice", "@bob") for sight in sights],
            [counted(store, sights[1], HOME, audience=audience) for audience in AUDIENCES],
        ]


_PEOPLE: dict[str, tuple[str, ...]] = {
    "bob": ("@bob",),
    "carol": ("@carol",),
    "both": ("@carol", "@bob"),
    "bobby": ("@bobby",),
    "no one": (),
}
