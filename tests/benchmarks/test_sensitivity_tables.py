"""The tables of the sensitivity benchmark are those of the published run, and its arithmetic is right."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from benchmarks.sensitivity.__main__ import render, run
from benchmarks.sensitivity.measure import Judged, by_language, interval

PAGE = Path(__file__).parents[2] / "benchmarks" / "README.md"
PUBLISHED = PAGE.parent / "results" / "published-sensitivity.json"


def test_the_page_is_that_of_the_published_run() -> None:
    published = json.loads(PUBLISHED.read_text())
    assert render(published) in PAGE.read_text()
    other = copy.deepcopy(published)
    other["judged"]["with the encoder"]["languages"]["en"]["recall"]["rate"] /= 2
    assert render(other) not in PAGE.read_text()


def test_an_interval_is_wilsons() -> None:
    assert interval(20, 20) == pytest.approx((0.8389, 1.0), abs=1e-3)
    assert interval(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-3)
    assert interval(0, 0) == (0.0, 1.0)


def test_rates_count_what_they_say() -> None:
    judged = [
        Judged("en", "sensitive", "sensitive"),
        Judged("en", "sensitive", "personal"),
        Judged("en", "personal", "public"),
        Judged("en", "public", "public"),
        Judged("de", "public", "sensitive"),
        Judged("fr", "public", "personal"),
    ]
    found = by_language(judged)
    assert (found["en"]["recall"]["hits"], found["en"]["recall"]["of"]) == (2, 3)
    assert (found["en"]["level"]["hits"], found["en"]["level"]["of"]) == (1, 2)
    assert (found["en"]["withheld"]["hits"], found["en"]["withheld"]["of"]) == (0, 1)
    assert (found["others"]["withheld"]["hits"], found["others"]["as_sensitive"]["hits"]) == (2, 1)
    assert found["de"]["recall"]["rate"] is None


def test_a_run_keeps_totals_and_no_statement() -> None:
    labelled = [
        {"lang": "en", "level": "sensitive", "text": "Bob has cancer"},
        {"lang": "en", "level": "public", "text": "Alice loves pizza"},
    ]
    found = run(labelled, with_conversations=False)
    words = found["judged"]["words alone"]["languages"]["en"]
    assert (words["recall"]["rate"], words["withheld"]["rate"], words["level"]["rate"]) == (1.0, 0.0, 1.0)
    assert "cancer" not in json.dumps(found)
