"""docs/reference/observe.md says what the code does: its tables name every code, key and limit."""

from __future__ import annotations

from pathlib import Path

from memfort.capture import messages, promotion_hints, window
from memfort.capture.importance import BASE_IMPORTANCE
from memfort.language.profile_facts import FACT_KEYS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "observe.md"
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text().splitlines() if "|" in line]


def test_every_base_importance_is_in_the_table():
    documented = {(row[0], row[-1]) for row in ROWS}
    assert {(f"`{event_type}`", f"{base:g}") for event_type, base in BASE_IMPORTANCE.items()} <= documented


def test_every_key_is_in_the_table():
    assert {f"`{key}`" for key in FACT_KEYS} <= {row[0] for row in ROWS}


def test_every_hint_is_documented_and_its_quoted_phrases_match():
    hints = {row[2]: row for row in ROWS if row[-1].startswith("`hint:")}
    assert set(hints) == {f"`{phrase.hint.reason}`" for phrase in promotion_hints._phrases()}
    for said, level, reason in hints.values():
        for quoted in said.split('"')[1::2]:
            hint = promotion_hints.read_hint(quoted.replace(" (my, our)", "")).hint
            assert hint is not None
            assert (f"`{hint.level}`", f"`{hint.reason}`") == (level, reason)


def test_every_limit_is_documented():
    limits = {row[0]: row[1].split(",")[0] for row in ROWS if len(row) == 2}
    assert limits["segments"] == str(window.MAX_SEGMENTS)
    assert limits["characters in a segment"] == str(window.MAX_SEGMENT_CHARS)
    assert limits["characters in all"] == str(window.MAX_SUMMARY_CHARS)
    assert limits["messages in a call"] == f"{messages.MAX_MESSAGES:,}".replace(",", " ")


def test_every_reason_for_leaving_a_message_out_is_documented():
    assert {f"`{one.value}`" for one in messages.Skipped} <= {row[0] for row in ROWS}
