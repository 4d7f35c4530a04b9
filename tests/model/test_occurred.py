"""The time of an event is read from what callers have at hand, and nothing unreadable passes."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from memfort.client import Memory
from memfort.errors import Denied, InvalidInput
from memfort.model.occurred import Occurred, Precision, to_occurred


def _at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]  # whole numbers, as the type wants


@pytest.mark.parametrize(
    ("given", "start", "end", "precision"),
    [
        ("2026", _at(2026, 1, 1), _at(2027, 1, 1), Precision.YEAR),
        ("2026-12", _at(2026, 12, 1), _at(2027, 1, 1), Precision.MONTH),
        ("2028-02-29", _at(2028, 2, 29), _at(2028, 3, 1), Precision.DAY),
        (date(2026, 11, 20), _at(2026, 11, 20), _at(2026, 11, 21), Precision.DAY),
        ("2026-11-20T15:30:12+01:00", _at(2026, 11, 20, 14, 30), _at(2026, 11, 20, 14, 31), Precision.MINUTE),
        ("2026-11-03/2026-11-05", _at(2026, 11, 3), _at(2026, 11, 6), Precision.SPAN),
        ({"start": "2026-11-03"}, _at(2026, 11, 3), _at(2026, 11, 4), Precision.DAY),
        (
            {"start": "2026-11-03", "end": _at(2026, 11, 9), "precision": "span"},
            _at(2026, 11, 3),
            _at(2026, 11, 9),
            Precision.SPAN,
        ),
    ],
)
def test_a_time_of_an_event_is_read(given: object, start: datetime, end: datetime, precision: Precision) -> None:
    occurred = to_occurred(given)
    assert (occurred.start, occurred.end, occurred.precision) == (start, end, precision)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("2026-02-30", "no such day"),
        ("soon", "cannot be read"),
        ("2026-11-20T10:00", "no zone"),
        ("2026-11-05/2026-11-03", "ends before it begins"),
        ({"end": "2026-11-05"}, "occurred.start"),
        ("9999", "occurred"),
        ("9999-12", "occurred"),
        ("9999-12-31", "occurred"),
        ("2026/9999-12-31", "occurred"),
        ("9999-12-31T23:59:30Z", "occurred"),
        (date(9999, 12, 31), "occurred"),
        ({"start": "2026", "until": "2027"}, "occurred.until"),
        ({"start": "2026", "precision": "week"}, "occurred.precision"),
        (True, "boolean"),
        (1.5, "float"),
    ],
)
def test_an_unreadable_time_of_an_event_is_an_error(given: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        to_occurred(given)


def test_a_caller_gives_the_time_of_an_event_and_the_conversation(memory: Memory) -> None:
    alice = memory.as_user("alice")
    kept = alice.remember("The dentist moved the visit", occurred="2026-11-20", conversation="c-1").item
    assert kept is not None
    found = alice.get(kept.id)
    assert found is not None
    assert found.occurred == to_occurred("2026-11-20")
    assert found.conversation == "c-1"
    assert found.to_dict()["occurred"]["precision"] == "day"
    assert alice.remember_many([{"text": "Kim sails", "occurred": "2026-10"}])[0].kept
    refused = alice.remember_many([{"text": "Kim rows", "occurred": "10/2026"}])[0]
    assert not refused.kept
    assert refused.decision.detail["problem"].startswith("occurred: ")
    with pytest.raises(InvalidInput, match="occurred"):
        alice.remember("Kim walks", occurred="yesterday")


def test_a_secret_in_the_name_of_a_conversation_is_refused(memory: Memory) -> None:
    alice = memory.as_user("alice")
    with pytest.raises(Denied, match=r"^conversation: it looks like a credential") as refused:
        alice.remember("Kim sails", conversation="password=hunter2-Kx9!qLw7")
    assert "hunter2" not in str(refused.value)
    assert not alice.list().items
    assert alice.remember("Kim sails", conversation="c-1").kept


def test_an_export_keeps_the_time_of_an_event_and_the_conversation(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.remember("Kim sails", occurred="2026-10", conversation="c-1")
    lines = "\n".join(map(json.dumps, alice.export())).encode()
    with Memory.open(":memory:") as other:
        other.as_user("alice").import_(lines)
        [found] = other.as_user("alice").list()
    assert (found.occurred, found.conversation) == (to_occurred("2026-10"), "c-1")
    assert isinstance(found.occurred, Occurred)
