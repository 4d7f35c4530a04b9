"""docs/explanation/recall.md tells the floor of the default policy, and reasons that there are."""

from __future__ import annotations

import re
from pathlib import Path

from memfort.model.reason import Reason
from memfort.policy.settings.policy import Policy

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "recall.md"


def test_the_floor_on_the_page_is_that_of_the_default_policy() -> None:
    floor = Policy().recall
    needed = re.findall(r"(\w+) \d\.\d{3} \((?:more than )?(\d\.\d{3}) is needed\)", PAGE.read_text())
    assert {name for name, _ in needed} == {"words", "meaning", "evidence", "best"}
    assert [(name, figure) for name, figure in needed if f"{getattr(floor, f'least_{name}'):.3f}" != figure] == []


def test_every_reason_it_names_is_there() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    reasons = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert {"no_match", "below_limit", "tokens_full", "not_asked_for", "outside_asked_space"} <= set(reasons)
    assert set(reasons) <= {reason.value for reason in Reason}
