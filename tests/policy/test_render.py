"""A policy shown is a policy file; a difference names every key that differs, and no other."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from memfort.model.item import EventType
from memfort.policy.settings.document import preset, preset_names, read_policy
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.render import PolicyChange, as_toml, difference
from memfort.policy.settings.sections import Effect, Keep, KeepMode, KindPromotion, Privacy, Retention, Rule, TypeRule

ODD = Policy(
    name='odd "name"\twith \\ and \x7f and é',
    governance=(Rule(Effect.DENY, "no ☕", tag="a.b = [c]"), Rule(Effect.ALLOW)),
    types={"knowledge": TypeRule(), "a type": TypeRule(0.5, 0.25, domain="é", aliases=("x y", "#z"))},
    retention=Retention(semantic={EventType.FACT: Keep(KeepMode.TTL, 3)}),
    privacy=Privacy(deny_patterns={"back slash": r"\bx\d\\"}, profile_keys=()),
)


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_shown_is_the_same_preset(name: str) -> None:
    assert read_policy(as_toml(preset(name)), "shown") == preset(name)
    assert preset(name).digest in as_toml(preset(name))


def test_odd_names_survive_being_shown() -> None:
    assert read_policy(as_toml(ODD), "shown") == ODD


@pytest.mark.parametrize("name", preset_names())
def test_unset_keys_survive_rendering(name: str) -> None:
    base = preset(name)
    policy = replace(base, budget=replace(base.budget, short_term=None), promotion=KindPromotion(profile=()))
    assert 'unset = ["budget.short_term"]' in as_toml(policy)
    again = read_policy(as_toml(policy), "shown")
    assert (again, again.digest) == (policy, policy.digest)
    assert "unset" not in as_toml(base)  # keys off by default are not listed


def test_a_policy_differs_from_itself_in_nothing() -> None:
    assert [difference(preset(name), preset(name)) for name in preset_names()] == [[] for _ in preset_names()]


def test_a_difference_names_the_key_with_before_and_after() -> None:
    policy = Policy(governance=(Rule(Effect.DENY, tag="a"),))
    stricter = replace(
        policy,
        approve_confidence=0.9,
        governance=(Rule(Effect.DENY, tag="b"), Rule(Effect.ALLOW)),
        types={**policy.types, "rumour": TypeRule(60)},
        privacy=Privacy(profile_keys=("name",)),
    )
    assert difference(policy, stricter) == [
        PolicyChange("governance[0].tag", "a", "b"),
        PolicyChange("governance[1]", None, stricter.to_dict()["governance"][1]),
        PolicyChange("approve_confidence", 0.6, 0.9),
        PolicyChange("types.rumour", None, stricter.to_dict()["types"]["rumour"]),
        PolicyChange("privacy.profile_keys", None, ["name"]),
    ]
    turned = [PolicyChange(one.key, one.after, one.before) for one in difference(policy, stricter)]
    assert difference(stricter, policy) == turned
