"""docs/recall.md is real: its sessions are run in order on one store, and every line is compared."""

from __future__ import annotations

import re
from pathlib import Path

from memfort.model.reason import Reason
from memfort.policy.settings.policy import Policy

from .test_governance_page import play, sessions

PAGE = Path(__file__).parents[2] / "docs" / "recall.md"


def without_figures(said: str) -> str:
    """Without what changes from day to day, and whenever a weight is fitted anew."""
    return re.sub(r"\d+\.\d{3}\b", "N", re.sub(r"^(- |# )\d{4}-\d\d-\d\d", r"\1DAY", said, flags=re.MULTILINE))


def test_the_sessions_on_the_page_are_what_happens(cli) -> None:
    runs = sessions(PAGE)
    assert len(runs) >= 9
    play(cli, runs, without_figures)


def test_the_floor_on_the_page_is_that_of_the_default_policy() -> None:
    floor = Policy().recall
    needed = re.findall(r"(\w+) \d\.\d{3} \((?:more than )?(\d\.\d{3}) is needed\)", PAGE.read_text())
    assert {name for name, _ in needed} == {"words", "meaning", "evidence", "best"}
    assert [(name, figure) for name, figure in needed if f"{getattr(floor, f'least_{name}'):.3f}" != figure] == []


def test_every_reason_and_page_it_names_is_there() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    reasons = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert {"no_match", "below_limit", "tokens_full", "not_asked_for", "outside_asked_space"} <= set(reasons)
    assert set(reasons) <= {reason.value for reason in Reason}
    linked = [part.split(")")[0].split("#")[0] for part in PAGE.read_text().split("](")[1:]]
    assert linked
    assert [page for page in linked if not (PAGE.parent / page).exists()] == []
