"""What a model is asked, and what of its reply is believed, without a store."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from completion_server import statement
from memfort.capture.model import (
    BadReply,
    RefusedReason,
    Sent,
    SentMemory,
    SentTurn,
    check_reply,
    messages_of,
    read_statements,
    reply_schema,
)
from memfort.capture.model.check import find_quote
from memfort.model.item import Origin, Sensitivity
from memfort.model.moment import Moment

NOON = Moment(1_767_225_600_000_000)
SENT = Sent(
    (
        SentTurn("I moved to Hamburg last week,\n and my sister Ana came along.", Origin.USER, NOON),
        SentTurn("Yes, exactly.", Origin.USER, NOON),
        SentTurn("我搬到了汉堡", Origin.USER, NOON),
    ),
    (SentTurn("So you work at Acme now?", Origin.AI, NOON),),
    (SentMemory("The user lives in Berlin."),),
    ("fact", "event"),
)
MOVED = statement(1, "The user lives in Hamburg.", "I moved to Hamburg")


def refusal(**fields: Any) -> str | None:
    checked, refused = check_reply([{**MOVED, **fields}], SENT)
    assert len(checked) + len(refused) == 1
    return refused[0].reason.value if refused else None


def test_the_instructions_come_first_and_never_change() -> None:
    one, other = messages_of(SENT), messages_of(Sent(()))
    assert one[0] == other[0]
    document = json.loads(one[1]["content"])
    assert [turn["number"] for turn in document["messages"]] == [1, 2, 3]
    assert document["memories"] == [{"number": 1, "text": "The user lives in Berlin."}]
    assert "number" not in document["context"][0]


def test_the_schema_is_strict_and_fits_a_good_reply() -> None:
    schema = reply_schema()
    jsonschema.validate({"statements": [MOVED]}, schema)
    for wrong in ({**MOVED, "space": "x"}, {key: MOVED[key] for key in MOVED if key != "target"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"statements": [wrong]}, schema)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, None),
        ({"evidence": "last week, and my sister"}, None),  # white space may differ
        ({"evidence": "I moved to Bremen"}, "quote_not_found"),
        ({"evidence": " ... "}, "quote_not_found"),
        ({"evidence": "So you work at Acme"}, "not_the_user"),
        ({"stated_by": "Assistant"}, "not_the_user"),
        ({"stated_by": "other"}, None),
        ({"message": 2, "evidence": "Yes, exactly", "statement": "The user works at Acme."}, None),  # confirmed
        ({"message": 2, "evidence": "Yes, exactly", "statement": "The user owes money."}, "not_in_the_words"),
        ({"message": 3, "evidence": "我搬到了汉堡", "statement": "用户住在汉堡。"}, None),
        ({"message": 9}, "no_such_message"),
        ({"statement": "The user's sister Ana moved to Hamburg.", "subjects": ["Ana"]}, None),
        ({"subjects": ["Mallory"]}, "unknown_person"),
        ({"action": "update", "target": 1}, None),
        ({"action": "update", "target": 2}, "no_such_target"),
        ({"action": "update"}, "no_such_target"),
        ({"target": 1}, "no_such_target"),
        ({"occurred": {"start": "2026-02-30", "end": None, "precision": "day"}}, "bad_date"),
        ({"occurred": {"start": "2026-03-05", "end": "2026-03-01", "precision": "span"}}, "bad_date"),
        ({"occurred": {"start": "2026-03-05T10:00:00Z", "end": None, "precision": "minute"}}, None),
        ({"confidence": "sure"}, "malformed"),
        ({"statement": "x" * 2000}, "malformed"),
        ({"sensitivity": "secret"}, "malformed"),
    ],
)
def test_each_statement_is_compared_with_what_was_sent(fields: dict[str, Any], reason: str | None) -> None:
    assert refusal(**fields) == reason


def test_levels_only_rise_and_portability_only_ends() -> None:
    (one,), _ = check_reply([MOVED], SENT)
    assert (one.sensitivity, one.portable) == (None, None)
    (one,), _ = check_reply([{**MOVED, "sensitivity": "sensitive", "portable": False}], SENT)
    assert (one.sensitivity, one.portable) == (Sensitivity.SENSITIVE, False)


def test_a_bad_statement_takes_no_good_one_with_it() -> None:
    checked, refused = check_reply([7, MOVED, {**MOVED, "evidence": "never said"}], SENT)
    assert [one.text for one in checked] == ["The user lives in Hamburg."]
    assert [one.reason for one in refused] == [RefusedReason.MALFORMED, RefusedReason.QUOTE_NOT_FOUND]


def test_a_quote_is_given_back_as_it_stands_there() -> None:
    assert find_quote("a  (b)\nc", "a (b) c") == "a  (b)\nc"
    assert find_quote("abc", ".*") is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"statements": [1]}',
        'Sure!\n```json\n{"statements": [1]}\n```',
        "[1]",
        [1],
        {"statements": [1]},
    ],
)
def test_json_is_found_in_whatever_surrounds_it(reply: Any) -> None:
    assert read_statements(reply) == [1]


@pytest.mark.parametrize(
    "reply", ["", "no", '{"statements": [1', '{"facts": []}', "7", 7, None, "[" * 99_999, [1] * 99]
)
def test_a_reply_without_statements_is_an_error_that_quotes_nothing(reply: Any) -> None:
    with pytest.raises(BadReply) as raised:
        read_statements(reply)
    assert "statements" not in str(reply) or str(reply) not in str(raised.value)
