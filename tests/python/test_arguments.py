"""What callers give: policies in any form, places, times, and names that are not there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memfort import AsyncMemory, Candidate, InvalidInput, Memory, Policy

TEXT = 'name = "mine"\napprove_confidence = 0.9\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "env=prod.toml"
    path.write_text(TEXT)
    return path


def test_a_policy_comes_from_a_text_a_path_or_a_dict(path: Path) -> None:
    wanted = Policy.from_toml(path)
    assert (wanted.name, wanted.approve_confidence) == ("mine", 0.9)
    assert Policy.from_toml("approve_confidence = 0.9").approve_confidence == 0.9
    forms: list[Any] = [wanted, path, str(path), TEXT, {"name": "mine", "approve_confidence": 0.9}]
    for given in forms:
        assert Policy.of(given) == wanted
        with Memory.open(":memory:", policy=given) as memory:
            assert memory.policy.show().policy == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("aprove_confidence = 0.9", "the policy line 1: aprove_confidence: there is no such setting; did you mean"),
        ({"approve_confidence": 7}, "approve_confidence: it is not between 0 and 1; give a number from 0 to 1"),
        ({"budget": {"when_full": "x"}}, "budget.when_full: it is not possible here; use one of"),
        ("no/such.toml", "no/such.toml: the policy file cannot be read; check that it is there"),
        (7, "policy: an int is no policy; give a `Policy`, a preset's name, a path or the text of a TOML"),
        ("name = [", "the policy: it is not valid TOML"),
        ("", "policy: it is empty; give a `Policy`, a preset's name"),
        ("defalt", "policy: `defalt` is neither a file nor a preset; did you mean `default`?"),
    ],
)
def test_invalid_arguments_are_named_with_a_remedy(given: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as error, Memory.open(":memory:", policy=given):
        pass
    assert str(error.value).startswith(said)


def test_verbs_take_a_policy_in_any_form_too(memory: Memory, path: Path) -> None:
    alice, wanted = memory.as_user("alice"), Policy.from_toml(path)
    forms: list[Any] = [wanted, path, str(path), TEXT, {"name": "mine", "approve_confidence": 0.9}]
    for given in forms:
        assert memory.policy.use(given, dry_run=True).digest == wanted.digest
        assert memory.policy.diff("default", given).after.digest == wanted.digest
        assert alice.policy.simulate(given).changes == ()
    assert memory.policy.show(preset="chat").policy == Policy.of("chat") != Policy()
    with pytest.raises(InvalidInput) as error:
        memory.policy.diff("default", "aprove_confidence = 0.9")
    assert str(error.value).startswith("after: the policy line 1: aprove_confidence: there is no such setting")
    with pytest.raises(TypeError, match="positional"):
        Policy(TEXT)  # type: ignore[misc]  # it would be the name


@pytest.mark.parametrize(
    "mistake",
    [
        {"policy": "no/such.toml"},
        {"memberships": "registred"},
        {"audit_reads": "buffered"},
        {"max_entries": 0},
        {"extraction_confidence_threshold": 7},
        {"embedder": "word"},
        {"reranker": "word"},
        {"reembed": "later"},
        {"auto_gc": "yes"},
        {"clock": 7},
    ],
)
def test_a_mistake_in_an_option_makes_no_store(mistake: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Memory.open(tmp_path / "new.db", **mistake)
    assert list(tmp_path.iterdir()) == []
    Memory.open(tmp_path / "new.db").close()
    assert (tmp_path / "new.db").exists()


def test_a_store_says_how_to_get_at_the_verbs_of_an_identity(memory: Memory) -> None:
    for one in (memory, AsyncMemory(memory)):
        with pytest.raises(AttributeError) as error:
            one.remember("I like tea")  # type: ignore[union-attr]
        assert 'no attribute `remember`; say who asks first: `memory.as_user("alice").remember`' in str(error.value)
        assert not hasattr(one, "nonsense")
        assert hasattr(one, "policy")


def test_a_store_is_called_after_its_file(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "notes.db") as memory:
        assert repr(memory) == f"<memory in {tmp_path / 'notes.db'}>"
        assert repr(AsyncMemory(memory)) == f"<async memory in {tmp_path / 'notes.db'}>"


def test_a_number_out_of_range_is_named_with_its_limit(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with pytest.raises(InvalidInput, match=r"^limit: `-1` is too small; give at least 1$"):
        alice.recall("tea", limit=-1)
    with pytest.raises(InvalidInput, match=r"^limit: `1001` is too large; give at most 1000$"):
        alice.recall("tea", limit=1001)
    with pytest.raises(InvalidInput, match=r"^limit: `x` is not a whole number"):
        alice.recall("tea", limit="x")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^text: `None` is not a text; give the statement to remember$"):
        alice.remember(None)  # type: ignore[arg-type]


def test_an_unknown_level_is_an_error_that_names_the_levels(memory: Memory) -> None:
    with pytest.raises(InvalidInput) as error:
        memory.as_user("alice", projct="apollo")  # type: ignore[call-arg]
    assert error.value.field == "projct"
    assert "did you mean `project`?" in error.value.remedy
    assert "session, paper, track, chat, workspace, project, role, agent, team, org" in error.value.remedy
    with pytest.raises(InvalidInput, match="bind the identity"):
        memory.as_agent("helper", owner="alice", user="bob")  # type: ignore[call-arg]
    assert memory.as_user("alice", project="apollo").standpoint.coordinates[1].id == "apollo"


def test_an_unknown_argument_is_a_type_error(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with pytest.raises(TypeError, match="sensitivty"):
        alice.remember("I like tea", sensitivty="personal")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="ttl"):
        Candidate(text="I like tea", ttl=5)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="text"):
        alice.remember(Candidate(text="I like tea"))  # type: ignore[arg-type]
    assert all(alice.remember_many([Candidate(text="I like tea"), "I like milk", {"text": "I like jam"}]))


def test_a_time_is_given_as_a_datetime_and_comes_back_as_one(memory: Memory) -> None:
    alice = memory.as_user("alice")
    ends = datetime(2027, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    [outcome] = alice.remember_many([Candidate(text="I like tea", expires_at=ends, observed_at="2025-12-31T00:00:00Z")])
    assert outcome.item is not None
    assert (outcome.item.expires_at, outcome.item.observed_at) == (ends, datetime(2025, 12, 31, tzinfo=UTC))
    assert Candidate(text="tea", expires_at=ends).expires_at == ends
    again = alice.remember("I like milk", expires_at=outcome.item.expires_at)
    assert again.item is not None
    assert again.item.expires_at == ends
    with pytest.raises(InvalidInput, match="no zone"):
        Candidate(text="tea", expires_at=ends.replace(tzinfo=None))
