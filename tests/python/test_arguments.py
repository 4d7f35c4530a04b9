"""What callers give: policies in any form, places, times, and names that are not there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memfort import Candidate, InvalidInput, Memory, Policy

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
        (7, "policy: an int is no policy; give a `Policy`, a path or the text of a TOML file, or a dict"),
        ("name = [", "the policy: it is not valid TOML"),
    ],
)
def test_what_is_wrong_is_named_with_a_remedy(given: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as error, Memory.open(":memory:", policy=given):
        pass
    assert str(error.value).startswith(said)


def test_a_place_that_is_no_level_is_an_error_that_names_the_levels(memory: Memory) -> None:
    with pytest.raises(InvalidInput) as error:
        memory.as_user("alice", projct="apollo")  # type: ignore[call-arg]
    assert error.value.field == "projct"
    assert "did you mean `project`?" in error.value.remedy
    assert "session, paper, track, chat, workspace, project, role, agent, org" in error.value.remedy
    with pytest.raises(InvalidInput, match="bind the identity"):
        memory.as_agent("helper", owner="alice", user="bob")  # type: ignore[call-arg]
    assert memory.as_user("alice", project="apollo").standpoint.coordinates[1].id == "apollo"


def test_an_argument_that_is_not_there_is_a_type_error(memory: Memory) -> None:
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
