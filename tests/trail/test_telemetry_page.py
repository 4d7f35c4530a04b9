"""The tables on the page on telemetry are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from memfort.operations.trail.activities import activities
from memfort.telemetry import OPERATIONS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "telemetry.md"


def table(first: str) -> dict[str, set[str]]:
    """The rows of the table with this first header: what is in the first cell, and the names in the second."""
    rows = PAGE.read_text().partition(f"| {first} |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [row.strip("| ").split(" | ") for row in rows]
    return {name.strip("`"): set(re.findall(r"`([\w.]+)`", verbs)) for name, verbs in cells}


def test_the_operations_on_the_page_are_those_of_the_code():
    assert {verb: operation for operation, verbs in table("Operation").items() for verb in verbs} == OPERATIONS


def test_the_activities_on_the_page_are_those_of_the_code():
    listed = {verb: activity for activity, verbs in table("Activity").items() for verb in verbs}
    assert listed == {verb: activity.name.capitalize() for verb, activity in activities().items()}
