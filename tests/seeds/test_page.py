"""`docs/coverage.md` names a test for each rule; every one of them is there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "coverage.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there():
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    known = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    named = set(re.findall(r"`(?:[\w/.]+::)?(test_\w+)`", PAGE))
    assert len(named) > 80
    assert named - known == set()


def test_every_file_that_the_page_names_is_there():
    named = set(re.findall(r"`(tests/[\w/.]+\.py)(?:::\w+)?`", PAGE))
    assert {path for path in named if not (TESTS.parent / path).exists()} == set()
