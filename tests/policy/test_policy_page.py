"""docs/reference/policy.md has every key of every section, every difference of a preset, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from memfort.policy.settings.document import preset, preset_names, read_policy
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import (
    Audit,
    Budget,
    Conflict,
    Disclosure,
    Extraction,
    Keep,
    KindPromotion,
    Origins,
    Phases,
    Privacy,
    Promotion,
    Recalling,
    Retention,
    Rule,
    SecretAllowance,
    SecretRules,
    SensitivityRules,
    Spaces,
    SpaceSensitivity,
    TypeRule,
)
from memfort.surfaces.assertions.file import read_assertions

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "policy.md").read_text(encoding="utf-8")
SECTIONS: dict[str, Any] = {
    "The policy itself": Policy, "`[[governance]]`": Rule, "`[types.NAME]`": TypeRule, "`[retention]`": Retention,
    "How long: `{ mode, ticks, seconds }`": Keep, "`[promotion]`": KindPromotion, "`[origins]`": Origins,
    "`[spaces]`": Spaces,
    "`[[spaces.promotions]]`": Promotion, "`[phase]`": Phases, "`[privacy]`": Privacy,
    "`[secrets]`": SecretRules, "`[[secrets.allow]]`": SecretAllowance, "`[conflict]`": Conflict,
    "`[disclosure]`": Disclosure, "`[sensitivity]`": SensitivityRules,
    "`[[sensitivity.spaces]]`": SpaceSensitivity, "`[budget]`": Budget, "`[recall]`": Recalling,
    "`[extraction]`": Extraction, "`[audit]`": Audit,
}  # fmt: skip


def part(heading: str) -> str:
    """What stands under a heading, as far as the next."""
    return re.split(r"^#+ ", PAGE.split(f"# {heading}\n", 1)[1], flags=re.MULTILINE)[0]


def first_cells(text: str) -> list[str]:
    """The names in the first cells of the first table."""
    table = text[text.index("| Key |") :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return [name for row in table for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_key_of_a_section_is_documented_and_nothing_else(heading: str) -> None:
    documented = first_cells(part(heading))
    assert sorted(documented) == sorted(field.name for field in fields(SECTIONS[heading]))


def test_every_type_has_its_lifetime_event_type_and_aliases() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (?:(\d+) days)? ?\| (\w+) \| (.*)\|$", part("`[types.NAME]`"), re.MULTILINE)
    documented = {name: (days, event, re.findall(r"`(\w+)`", also)) for name, days, event, also in rows}
    assert documented == {
        name: (f"{rule.lifetime_seconds / 86400:g}" if rule.lifetime_seconds else "", rule.event_type, [*rule.aliases])
        for name, rule in Policy().types.items()
    }


@pytest.mark.parametrize("name", [name for name in preset_names() if name != "default"])
def test_every_difference_of_a_preset_is_listed_and_nothing_else(name: str) -> None:
    heading = next(line for line in PAGE.splitlines() if line.startswith(f"### `{name}`")).removeprefix("### ")
    assert first_cells(part(heading)) == _differing(preset(name).to_dict())


def _differing(policy: dict[str, Any]) -> list[str]:
    """The keys, `section.key` in sections, that the default says otherwise."""
    found = []
    for name, value in Policy().to_dict().items():
        if isinstance(value, dict) and name != "types":
            found += [f"{name}.{key}" for key, inner in value.items() if policy[name][key] != inner]
        elif policy[name] != value:
            found.append(name)
    return found


def test_the_example_is_a_policy() -> None:
    policy = read_policy(PAGE.split("```toml\n")[1].split("```")[0], "docs/reference/policy.md")
    assert [rule.name for rule in policy.governance] == ["no gossip from tools", "members may write"]
    assert policy.resolve_type("daily") == "standup"


def test_the_example_with_unset_keys_is_a_policy() -> None:
    policy = read_policy(PAGE.split("```toml\n")[2].split("```")[0], "docs/reference/policy.md")
    assert (policy.budget.short_term, "talk" in policy.types) == (None, False)


def test_the_example_of_assertions_holds() -> None:
    text = PAGE.split("```yaml\n")[1].split("```")[0]
    findings = list(read_assertions(text, "docs/reference/policy.md", Path(), Policy()).run())
    assert [one.problems for one in findings] == [()] * 7
