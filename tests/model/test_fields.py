"""One table knows every field of a memory; nothing else knows a field that it does not, and it invents none."""

from __future__ import annotations

import json

import click
import pytest

from memfort.client import Memory
from memfort.model.item import Candidate, Item
from memfort.model.reason import Reason
from memfort.model.serialize.fields import FIELDS, GIVEN, PROPOSED, REQUIRED_IN_EXPORTS, STORED
from memfort.model.serialize.record import item_from_dict, item_record, item_to_dict
from memfort.operations.table import TABLE
from memfort.surfaces.cli.verbs import command_of
from memfort.testing.conformance.samples import memory as some_memory


def test_every_field_is_in_the_table_once_and_says_something() -> None:
    names = [one.name for one in FIELDS]
    assert len(names) == len(set(names)) > 50
    assert all(one.description for one in FIELDS)


def test_candidate_and_item_have_the_fields_of_the_table_and_no_others() -> None:
    assert set(Item.__struct_encode_fields__) == STORED
    assert set(Candidate.__struct_fields__) == PROPOSED


def test_a_record_and_json_have_the_fields_of_the_table_and_no_others() -> None:
    assert set(item_to_dict(some_memory())) == STORED
    assert set(json.loads(item_record(some_memory()))) <= STORED
    assert "text" in json.loads(item_record(some_memory()))


@pytest.mark.parametrize("name", sorted(REQUIRED_IN_EXPORTS))
def test_an_export_must_contain_every_required_field(name: str) -> None:
    plain = item_to_dict(some_memory())
    assert item_from_dict(plain) == some_memory()
    with pytest.raises(ValueError, match=name):
        item_from_dict({key: value for key, value in plain.items() if key != name})


def test_a_caller_may_set_only_the_fields_the_table_allows(memory: Memory) -> None:
    alice = memory.as_user("alice")
    set_by_the_engine = {one.name for one in FIELDS} - GIVEN
    assert {"id", "author", "stated_by", "learned_in", "readers"} <= set_by_the_engine
    for name in set_by_the_engine:
        refused = alice.remember_many([{"text": "Alice likes tea", name: "x"}])[0]
        assert (refused.kept, refused.reason) == (False, Reason.INVALID)
        assert refused.decision.detail["problem"].startswith(f"{name}: a memory has no such field")
    assert alice.remember_many([{"text": "Alice likes tea", "tags": ["drink"]}])[0].kept


def options(verb: str) -> set[str]:
    command = command_of(TABLE[verb])
    given = command.get_params(click.Context(command, help_option_names=["-h", "--help"]))
    own = [one for one in given if isinstance(one, click.Option)]
    return {name for one in own for name in (*one.opts, *one.secondary_opts)}


def test_the_options_of_remember_are_those_of_the_table() -> None:
    known = {option for one in FIELDS for option in one.options}
    of_every_command = options("get")
    assert known <= options("remember")
    assert options("remember") - of_every_command - known == {"--file"}
