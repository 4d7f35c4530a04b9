"""The benchmark of imports measures a real import, and the page tells what was measured."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.importing.__main__ import BEGIN, LIMIT_MB, render, run
from benchmarks.importing.archive import MESSAGES
from benchmarks.speed.report import placed

PAGE = Path(__file__).parents[2] / "benchmarks" / "README.md"


def test_the_page_is_that_of_the_published_run():
    published, page = PAGE.parent / "results" / "published-importing.json", PAGE.read_text()
    found = json.loads(published.read_text()) if published.exists() else None
    assert placed(page, "" if found is None else render(found), BEGIN) == page
    assert found is None or found["import"]["peak_mb"] < LIMIT_MB


def test_a_small_archive_is_imported_in_a_process_of_its_own():
    found = run(megabytes=0)
    assert found["archive"]["messages"] == found["import"]["counts"]["turns"] == MESSAGES
    assert found["import"]["share_read"] == 1
    assert found["import"]["peak_mb"] >= found["import"]["peak_mb_before"] > 0
