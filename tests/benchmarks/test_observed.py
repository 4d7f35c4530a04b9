"""The benchmark of whole conversations through `observe`: a small run comes to an end and measures what it says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from benchmarks.quality import observed
from benchmarks.quality.corpora import Conversation, Question, Said
from click.testing import CliRunner

START = datetime(2023, 5, 8, 12, tzinfo=UTC)
SPOKEN = (
    ("Ann", "I went to the harbour with my sister."),
    ("Bo", "How was the weather there?"),
    ("Ann", "Sunny, and we ate herring."),
    ("Bo", "My new bicycle costs 900 francs."),
)
TALK = Conversation(
    "one",
    tuple(f"[8 May, 2023] {speaker}: {text}" for speaker, text in SPOKEN),
    (
        Question("Where did Ann go with her sister?", "single-hop", frozenset({0})),
        Question("What does Bo's bicycle cost?", "single-hop", frozenset({3})),
    ),
    said=tuple(
        Said("user", text, START + timedelta(seconds=place), speaker) for place, (speaker, text) in enumerate(SPOKEN)
    ),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(observed, "SETS", {"small": lambda: [TALK]})
    monkeypatch.setattr(observed, "BENCHMARKS", tmp_path)
    (tmp_path / "README.md").write_text(f"# Benchmarks\n\n{observed.BEGIN}<!-- to here -->\n")
    return tmp_path


def test_a_small_run_asks_at_every_age_and_is_published(small: Path) -> None:
    result = CliRunner().invoke(observed.main, ["--publish"])
    assert result.exit_code == 0, result.output
    found = json.loads((small / "results" / "published-observed.json").read_text())
    ways = found["sets"]["small"]["ways"]
    assert {way: list(ages) for way, ages in ways.items()} == {
        way: list(observed.AGES) for way in ("remember", "observe")
    }
    assert ways["observe"]["the same day"]["figures"]["R@10"] == 100.0
    assert ways["observe"]["the same day"]["over"] == {"gain": 0.0, "low": 0.0, "high": 0.0}
    assert observed.render(found) in (small / "README.md").read_text()
