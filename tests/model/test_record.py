"""A memory as a record: what a store keeps is what comes back, and says the same as an export of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memfort.model.item import Candidate, Facts, Readers
from memfort.model.people.actor import Actor
from memfort.model.serialize.encoding import canonical_json
from memfort.model.serialize.record import item_from_dict, item_of_record, item_record, item_to_dict
from memfort.model.space import Space
from memfort.testing.conformance.samples import memory
from memfort.testing.strategies import actors, readers, spaces

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PLAIN = item_to_dict(memory()) | {"stated_by": None}  # of which nothing is said, so that a record has the rest
META = st.dictionaries(TEXT, VALUES, max_size=4)


@given(spaces(), readers(), actors(), META)
def test_a_memory_comes_back_from_its_record(space: Space, who: Readers, author: Actor, meta: dict[str, Any]) -> None:
    item = memory(space, "tea", readers=who, author=author, meta=Facts(meta), tags=("x",))
    assert item_of_record(item_record(item)) == item
    assert item_from_dict(item_to_dict(item)) == item
    kept, exported = json.loads(item_record(item)), json.loads(canonical_json(item_to_dict(item)))
    assert exported == PLAIN | kept | {"readers": PLAIN["readers"] | kept["readers"]}


@given(META)
def test_equal_memories_have_equal_records_however_they_were_made(meta: dict[str, Any]) -> None:
    turned = dict(reversed(list(meta.items())))
    one, other = (memory(meta=Facts(given), readers=Readers.of(names)) for given, names in (
        (meta, ["carol", "alice", "bob"]), (turned, ["bob", "carol", "alice"])))  # fmt: skip
    assert item_record(one) == item_record(other)
    assert item_record(memory(readers=Readers.of(["bob"]))) != item_record(memory(readers=Readers.of(["carol"])))


def test_a_memory_that_was_read_cannot_be_changed() -> None:
    item = item_of_record(item_record(memory(meta=Facts({"n": 1}))))
    with pytest.raises(AttributeError):
        item.text = "coffee"  # type: ignore[misc]
    with pytest.raises(TypeError):
        item.meta["n"] = 2  # type: ignore[index]
    with pytest.raises(TypeError):
        item_of_record(item_record(memory())).meta["n"] = 2  # type: ignore[index]
    assert replace(item, text="coffee").text == "coffee"
    assert item.text == "tea"


@pytest.mark.parametrize(
    "damage",
    [
        lambda plain: plain.pop("text"),
        lambda plain: plain.update(text=3),
        lambda plain: plain.update(kind="rumour"),
        lambda plain: plain.update(unheard_of=1),
        lambda plain: plain.update(space={}),
        lambda plain: plain.update(space={"galaxy": "x"}),
        lambda plain: plain.update(space=["user", "alice"]),
        lambda plain: plain.update(meta=[]),
        lambda plain: plain.update(author={"kind": "user"}),
        lambda plain: plain.update(readers={"users": "alice", "agents": None}),
    ],
)
def test_an_invalid_record_is_refused(damage: Any) -> None:
    plain = item_to_dict(memory())
    assert item_of_record(canonical_json(plain)) == memory()
    damage(plain)
    with pytest.raises(ValueError, match="not a record"):
        item_of_record(canonical_json(plain))


def test_the_values_of_a_statement_that_the_engine_made_are_not_checked_again() -> None:
    given = Candidate(text="tea", meta={"a": {"b": 1}})
    filled = given.filled(type="note")
    assert (filled.type, filled.text, filled.meta) == ("note", "tea", given.meta)
    assert given.type is None
