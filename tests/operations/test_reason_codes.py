"""Every reason code of seed 004: reached by a call, or explained in `docs/coverage.md`, which this reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from trace_events import trace_events

from memfort import Conversation, Denied, Policy
from memfort.model.item import EventType
from memfort.model.reason import Reason
from memfort.policy.settings.document import preset
from memfort.policy.settings.policy import default_spaces
from memfort.policy.settings.sections import Budget, Keep, KindPromotion, Phases, Privacy, Promotion, Retention, Spaces

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
SESSION = {"session": "s1"}
PROJECT = {"project": "apollo"}

# What the system behind the seed can say, kind by kind.
CODES = [
    "policy_deny_event_type", "policy_low_signal", "policy_deny_promotion", "privacy_deny_profile_key",
    "privacy_deny_pattern", "privacy_deny_sensitive", "write_policy_none", "write_policy_minimal",
    "write_policy_context", "allowed", "space_disabled", "write_space_disallowed", "promotion_event_type",
    "promotion_authority", "promotion_disallowed", "phase_disabled", "phase_diff_disabled", "ttl_expired", "decay",
    "superseded", "expired", "promoted", "conflict_loser", "replaced", "compacted", "low_value", "auto", "manual",
    "hint:remember_for_me", "hint:remember_about_me", "hint:save_for_me", "hint:remember_for_project",
    "hint:project_memory", "hint:remember_for_everyone", "hint:remember_for_system", "hint:system_memory",
    "meta:promotion_target", "allowed_by:privacy", "allowed_by:write_policy:<p>", "allowed_by:policy_event_types",
    "allowed_by:promotion_rule", "kept_by:retention_rule", "lane_space_disallowed", "lane_team_disabled",
    "lane_system_disabled", "lane_agent_disabled", "lane_write_disallowed", "lane_event_type",
    "lane_system_read_only", "level_too_low", "owner_override", "rule_level_required", "rule_approval_count",
    "rule_denied_event_type", "short_term_limit", "semantic_limit", "profile_limit", "team_limit", "agent_limit",
    "phase_limit",
]  # fmt: skip


def rows() -> dict[str, tuple[str, str]]:
    """The table of the page: of each code, what stands for it here, and why."""
    part = PAGE.read_text().split("## Document 004: every reason code")[1].split("\n## ")[0]
    lines = re.findall(r"^\| `([^`]+)` \| (.+?) \| ?(.*?) ?\|$", part, re.MULTILINE)
    return {code: (here, why) for code, here, why in lines}


def said(actor, *results):
    """Every word that a call said: in its events, and in the decisions it answered with."""
    events = json.dumps(trace_events(actor)) if actor.last_trace else ""
    decisions = [[one.reason, dict(one.decision.detail)] for one in results]
    return set(re.findall(r'"([^"]*)"', events + json.dumps(decisions)))


def remembered(**more):
    return lambda alice: said(alice, alice.remember(**{"text": "the river rises", "space": SESSION, **more}))


def observed(text):
    def call(alice):
        seen = alice.observe(text, space=SESSION)
        return said(alice, *seen.outcomes, *seen.promotions)

    return call


def promoted(text="likes tea", to=PROJECT, **more):
    def call(alice):
        source = alice.remember(text, **{"space": SESSION, **more})
        return said(alice, alice.promote(source.id, to))

    return call


def refused(act):
    def call(alice):
        with pytest.raises(Denied) as error:
            act(alice)
        return {error.value.reason, *said(alice)}

    return call


def conflict(alice):
    alice.remember("vim", kind="profile", key="editor")
    alice.remember("emacs", kind="profile", key="editor")
    return said(alice)


def due_by_tick(alice):
    alice.remember("likes tea", ttl_ticks=1)
    alice.remember("likes jam")
    return said(alice)


def phased(alice):
    alice.phase.start("next sprint")
    return alice.phase.diff("phase-1")


AGREED = Spaces(promotions=(Promotion("session", "project", approvals=1),))
BY_MESSAGE = Policy(conversation=Conversation(turns="window", statements="messages"))
FADING = Policy(retention=Retention(semantic={EventType.FACT: Keep("decay", ticks=1)}))

# How each code is reached: the policy, and a call that says it.
REACHED = {
    "policy_deny_event_type": (Policy(deny_event_types=("fact",)), remembered()),
    "policy_low_signal": (replace(BY_MESSAGE, write_policy="aggressive"), observed("ok")),
    "policy_deny_promotion": (Policy(promotion=KindPromotion(semantic=("decision",))), remembered()),
    "privacy_deny_profile_key": (preset("deterministic"), remembered(kind="profile", key="shoe size")),
    "privacy_deny_pattern": (
        Policy(privacy=Privacy(deny_patterns={"badge": "BADGE-[0-9]{6}"})), remembered(text="my badge is BADGE-123456"),
    ),
    "privacy_deny_sensitive": (preset("deterministic"), remembered(text="the token ring is old")),
    "write_policy_none": (Policy(write_policy="none"), remembered()),
    "write_policy_minimal": (Policy(write_policy="minimal"), remembered(type="execution")),
    "write_policy_context": (Policy(), remembered(type="talk")),
    "allowed": (Policy(), remembered()),
    "space_disabled": (preset("agents"), remembered()),
    "write_space_disallowed": (preset("deterministic"), remembered(space=PROJECT)),
    "promotion_event_type": (Policy(), promoted(type="execution")),
    "promotion_authority": (Policy(), promoted(type="preference")),
    "promotion_disallowed": (Policy(), promoted(space=PROJECT, to=SESSION)),
    "phase_disabled": (Policy(phase=Phases(enabled=False)), refused(lambda alice: alice.phase.start("next"))),
    "phase_diff_disabled": (Policy(phase=Phases(diff_enabled=False)), refused(phased)),
    "ttl_expired": (Policy(), due_by_tick),
    "decay": (
        replace(BY_MESSAGE, budget=Budget(short_term=1)),
        lambda alice: observed("one")(alice) | observed("two")(alice),
    ),
    "superseded": (Policy(), conflict),
    "expired": (Policy(), due_by_tick),
    "promoted": (Policy(), promoted(type="decision")),
    "auto": (Policy(), remembered()),
    "manual": (Policy(), promoted(type="decision")),
    "hint:remember_for_me": (Policy(), observed("Remember this for me: I prefer tea")),
    "hint:remember_about_me": (Policy(), observed("Remember this about me: I prefer tea")),
    "hint:save_for_me": (Policy(), observed("Save this for me: I prefer tea")),
    "hint:remember_for_project": (Policy(), observed("Remember this for the project: we decided on tea")),
    "hint:project_memory": (Policy(), observed("Project memory: we decided on tea")),
    "hint:remember_for_everyone": (Policy(), observed("Remember this for everyone: we decided on tea")),
    "hint:remember_for_system": (Policy(), observed("Remember this for the system: we decided on tea")),
    "hint:system_memory": (Policy(), observed("System memory: we decided on tea")),
    "allowed_by:privacy": (Policy(), remembered()),
    "allowed_by:write_policy:<p>": (Policy(), remembered()),
    "allowed_by:policy_event_types": (Policy(deny_event_types=("context",)), remembered()),
    "allowed_by:promotion_rule": (Policy(promotion=KindPromotion(semantic=("fact",))), remembered()),
    "kept_by:retention_rule": (FADING, remembered()),
    "level_too_low": (Policy(spaces=AGREED), promoted(type="decision")),
}  # fmt: skip


def test_the_page_has_a_row_for_every_code_and_no_other():
    assert list(rows()) == CODES


def test_every_code_that_is_said_as_it_is_has_a_call_here():
    assert {code for code, (here, _) in rows().items() if here == "as it is"} == set(REACHED)


@pytest.mark.parametrize("code", REACHED)
def test_a_call_says_it(open_memory, code):
    policy, call = REACHED[code]
    memory = open_memory(policy=policy)
    trust = "viewer" if code == "level_too_low" else "contributor"
    memory.member.add({"project": "apollo"}, user="alice", trust=trust)
    words = call(memory.as_user("alice", session="s1", project="apollo"))
    assert code.replace("<p>", policy.write_policy) in words


@pytest.mark.parametrize("code", [code for code in CODES if code not in REACHED])
def test_an_unused_original_code_has_a_replacement_or_a_reason(code):
    here, why = rows()[code]
    others = re.findall(r"`([^`]+)`", here)
    assert others or here == "none"
    assert set(others) <= set(Reason)
    assert len(why.split()) > 3 or why.startswith("the same")
    assert code not in set(Reason)


def test_the_ways_of_the_default_leave_the_system_alone():
    """So the hints for everyone are said in a refusal, as the page has it."""
    assert "system" not in {way.to_level for way in default_spaces().promotions}
