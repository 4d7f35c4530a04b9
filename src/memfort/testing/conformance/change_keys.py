"""How a statement finds the memories that it updates."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.model.item import EVERYONE, ChangeKeys, Readers
from memfort.store.port import Erase, Insert, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import texts
from memfort.testing.conformance.samples import HOME, NEXT_DOOR, PLENTY, entry_of, inserted, memory, sight_on


class ChangeKeyLookup(Claims):
    """A store finds memories with the same words in any order, or all but one, about the same people."""

    def test_the_same_words_match_in_any_order(self, store: Store) -> None:
        store.apply([_insert("anna swims"), _insert("anna sings", number=2)], [])
        assert _texts_found(store, ChangeKeys(("swims", "anna"))) == ["anna swims"]
        assert _texts_found(store, ChangeKeys(("swims", "swims", "anna"))) == []

    def test_a_query_with_one_word_less_finds_statements_that_update_the_shorter_one(self, store: Store) -> None:
        said = ["anna swims", "anna swims anna", "anna", "anna swims daily late"]
        store.apply([_insert(text, number=number) for number, text in enumerate(said, start=1)], [])
        more = ChangeKeys(("anna", "swims", "daily"))
        assert _texts_found(store, more) == []
        assert _texts_found(store, _as_update_of_less(more)) == ["anna swims"]
        assert _texts_found(store, _as_update_of_less(ChangeKeys(("anna", "swims", "anna")))) == [
            "anna swims",
            "anna swims anna",
        ]

    def test_another_value_of_an_attribute_is_found(self, store: Store) -> None:
        store.apply(
            [_insert("lives in rome", attributes=("works_at", "lives_in")), _insert("rome lives in", number=2)], []
        )
        assert _texts_found(store, ChangeKeys(("lives", "oslo"), ("lives_in",))) == ["lives in rome"]
        assert _texts_found(store, ChangeKeys(("lives", "oslo"), ("works_in",))) == []
        assert _texts_found(store, ChangeKeys(("lives_in",))) == []

    def test_change_keys_of_different_people_do_not_match(self, store: Store) -> None:
        store.apply([_insert("swims", persons=("@anna", "@bo")), _insert("swims", number=2, persons=("@cem",))], [])
        store.apply([_insert("swims", number=3)], [])
        assert _numbers_found(store, ChangeKeys(("swims",), persons=("@bo",))) == [1]
        assert _numbers_found(store, ChangeKeys(("swims",), persons=("@cem", "@dana"))) == [2]
        assert _numbers_found(store, ChangeKeys(("swims",))) == [3]

    def test_a_limit_keeps_the_latest(self, store: Store) -> None:
        store.apply([_insert("swims", number=number) for number in range(1, 6)], [])
        assert _numbers_found(store, ChangeKeys(("swims",)), limit=2) == [4, 5]

    def test_erased_and_unseen_memories_are_not_found(self, store: Store) -> None:
        own, other = _insert("swims"), _insert("swims", number=2)
        store.apply([own, other], [])
        store.apply([Erase(HOME, own.item.id)], [])
        assert _numbers_found(store, ChangeKeys(("swims",))) == [2]
        assert store.with_change_keys(sight_on(NEXT_DOOR), HOME, EVERYONE, ChangeKeys(("swims",)), PLENTY) == []
        assert store.with_change_keys(sight_on(HOME), HOME, Readers.of(["alice"]), ChangeKeys(("swims",)), PLENTY) == []


def _insert(text: str, number: int = 1, attributes: tuple[str, ...] = (), persons: tuple[str, ...] = ()) -> Insert:
    item = memory(text=text, number=number)
    change_keys = ChangeKeys(tuple(text.split()), attributes, persons)
    return replace(inserted(item), entry=replace(entry_of(item), change_keys=change_keys))


def _as_update_of_less(change_keys: ChangeKeys) -> ChangeKeys:
    return ChangeKeys(change_keys.words, change_keys.attributes, change_keys.persons, is_news_of_less=True)


def _texts_found(store: Store, change_keys: ChangeKeys) -> list[str]:
    return texts(store.with_change_keys(sight_on(HOME), HOME, EVERYONE, change_keys, PLENTY))


def _numbers_found(store: Store, change_keys: ChangeKeys, limit: int = PLENTY) -> list[int]:
    return sorted(item.number for item in store.with_change_keys(sight_on(HOME), HOME, EVERYONE, change_keys, limit))
