"""The engine and a naive model of it, written apart from each other, agree on random decisions.

`MEMFORT_TEST_DECISIONS=100000` makes it as many.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

import naive
import pytest

from memfort.model.item import EVERYONE, Authority, Candidate, EventType, Item, Kind, Origin, Sensitivity, Status
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import Space
from memfort.policy.admission import Admission, Placement, place, screen
from memfort.policy.gates.conflict import Claim, settle
from memfort.policy.settings.policy import Policy

DECISIONS = int(os.environ.get("MEMFORT_TEST_DECISIONS", "5000"))
CHUNK = 1000
NOW = Moment(1_767_225_600_000_000)

ALICE, BOB = Actor(ActorKind.USER, "alice"), Actor(ActorKind.USER, "bob")
HELPER = Actor(ActorKind.AGENT, "helper", owner="alice")
FOR_BOB = Actor(ActorKind.AGENT, "helper", acting_for="bob", owner="alice")
ACTORS = [ALICE, BOB, HELPER, FOR_BOB, SYSTEM]
SPACES = [
    Space.of(one)
    for one in ({"user": "alice"}, {"session": "s", "user": "alice"}, {"project": "p"}, {"chat": "c"}, {"org": "o"},
                {"agent": "helper", "visibility": "public"}, {"agent": "helper", "visibility": "private"},
                {"system": ""}, {"user": "alice", "project": "p"})
]  # fmt: skip
LEVELS = ["session", "chat", "user", "project", "agent", "org", "system"]
EVENTS = [one.value for one in EventType]
TYPES = ["knowledge", "fact", "task", "talk", "correction"]
ACTIONS = ["allow", "review", "redact", "deny"]
CREDENTIAL, BADGE, WORD, ADDRESS = "AKIAQ3EGRVFJ7WKPZT5M", "badge-123456", "merger", "carol@corp.test"


@dataclass(frozen=True)
class Question:
    """One decision, in the words of both."""

    said: naive.Said
    knobs: naive.Knobs
    rivals: list[naive.Claim]
    rejected_by: str | None
    actor: Actor
    space: Space
    candidate: Candidate
    policy: Policy


def question(random: Random) -> Question:
    actor, space, knobs = random.choice(ACTORS), random.choice(SPACES), some_knobs(random)
    said = something_said(random, actor, space, knobs)
    rivals = [some_claim(random, str(number), said.kind) for number in range(random.choice([0, 0, 1, 1, 2]))]
    rejected_by = random.choice(knobs.order) if random.random() < 0.15 else None
    return Question(said, knobs, rivals, rejected_by, actor, space, candidate_of(said, space), policy_of(knobs))


def some_knobs(random: Random) -> naive.Knobs:
    def some(names: list[str], chance: float) -> list[str]:
        return random.sample(names, random.randint(1, len(names))) if random.random() < chance else []

    order = random.sample([one.value for one in Authority], 4) if random.random() < 0.3 else None
    keep = {(kind.value, event): random.choice([("never", None, None), ("ttl", 5, None), ("decay", 5, 60.0),
                                                ("ttl", None, 90.0)])
            for kind in Kind for event in some(EVENTS, 0.3)}  # fmt: skip
    return naive.Knobs(
        read_order=random.sample(LEVELS, len(LEVELS) - random.choice([0, 0, 0, 1, 3])),
        write_levels=some(LEVELS, 0.1) or None,
        write_policy=random.choice(["none", "minimal", "normal", "normal", "aggressive", "aggressive"]),
        allow=some(EVENTS, 0.1),
        deny=some(EVENTS[:2], 0.1),
        become={kind.value: some(EVENTS, 0.1) or None for kind in Kind},
        profile_keys=["name"] if random.random() < 0.2 else None,
        rules=[some_rule(random) for _ in range(random.choice([0, 0, 1, 3]))],
        otherwise=random.choice(["allow", "allow", "allow", "deny"]),
        personal_private=random.choice(ACTIONS),
        personal_shared=random.choice(ACTIONS),
        approve=random.choice([0.0, 0.6, 1.0]),
        discard=random.choice([0.0, 0.0, 0.6]),
        **({} if order is None else {"order": order}),
        own_corrections_stand=random.random() < 0.3,
        type_seconds=dict.fromkeys(some(TYPES, 0.3), 3600.0),
        keep=keep,
        default_seconds=random.choice([None, None, 7200.0]),
    )


def some_rule(random: Random) -> dict[str, str]:
    fields = {"user": ["alice", "bob"], "agent": ["helper", "scout"], "source": ["user", "tool", "batch-1"],
              "type": TYPES, "tag": ["gossip", "work"], "level": LEVELS}  # fmt: skip
    chosen = random.sample(list(fields), random.choice([0, 1, 1, 2]))
    return {"effect": random.choice(["allow", "deny"]), **{name: random.choice(fields[name]) for name in chosen}}


def something_said(random: Random, actor: Actor, space: Space, knobs: naive.Knobs) -> naive.Said:
    kind, little = random.choice(list(Kind)).value, random.random() < 0.1
    flags = {name: not little and random.random() < 0.08 for name in ("credential", "pattern", "sensitive_word")}
    origins = ["user", "ai", "tool", *(["system"] * 3 if actor is SYSTEM else [])]
    return naive.Said(
        user=actor.user, agent=actor.agent, origin=random.choice(origins), kind=kind, type=random.choice(TYPES),
        event_type=random.choice(EVENTS), levels=[one.level.value for one in space.coordinates],
        private=space.is_private, writable=random.random() < 0.95,
        key=random.choice(["name", "shoe"]) if kind == "profile" else None,
        tags=random.choice([[], ["gossip"], ["work", "gossip"]]), batch=random.choice([None, None, "batch-1"]),
        about=random.choice([[], [], ["alice"], ["carol"], ["bob", "carol"]]), correction=random.random() < 0.3,
        confidence=random.choice([1.0, 1.0, 0.6, 0.59, 0.0]),
        asked=random.choice([None, None, None, "approved", "pending", "rejected"]), captured=random.random() < 0.5,
        little=little, personal=not little and random.random() < 0.2, **flags,
        seconds=random.choice([None, None, 30.0]), ticks=random.choice([None, None, 7]),
    )  # fmt: skip


def some_claim(random: Random, id: str, kind: str = "profile") -> naive.Claim:
    return naive.Claim(
        id=id, authority=random.choice(list(Authority)).value, author=random.choice(["alice", "bob"]),
        hearsay=random.random() < 0.3, correction=random.random() < 0.4, at=random.randint(0, 2),
        importance=random.choice([1.0, 2.0]), approved=random.random() < 0.8,
        same_words=kind != "profile" or random.random() < 0.5,
    )  # fmt: skip


def candidate_of(said: naive.Said, space: Space) -> Candidate:
    flags = [
        (said.credential, CREDENTIAL),
        (said.pattern, BADGE),
        (said.sensitive_word, WORD),
        (said.personal, ADDRESS),
    ]
    text = "Thank you!" if said.little else " ".join(["the river rises", *(word for is_so, word in flags if is_so)])
    return Candidate(
        text=text, kind=Kind(said.kind), type=said.type, key=said.key, tags=tuple(said.tags), source=said.batch,
        origin=Origin(said.origin), event_type=EventType(said.event_type),
        subjects=tuple(f"@{name}" for name in said.about), stated_by=None if said.user is None else f"@{said.user}",
        is_correction=said.correction, confidence=said.confidence, captured=said.captured,
        status=None if said.asked is None else Status(said.asked), ttl_seconds=said.seconds, ttl_ticks=said.ticks,
        space=space.to_dict(),
    )  # fmt: skip


def policy_of(knobs: naive.Knobs) -> Policy:
    keep: dict[str, dict[str, Any]] = {}
    for (kind, event), (mode, ticks, seconds) in knobs.keep.items():
        keep.setdefault(kind, {})[event] = {"mode": mode, "ticks": ticks, "seconds": seconds}
    return Policy.from_dict({
        "extends": "nothing", "write_policy": knobs.write_policy, "allow_event_types": knobs.allow,
        "deny_event_types": knobs.deny, "governance": knobs.rules, "governance_default": knobs.otherwise,
        "approve_confidence": knobs.approve, "discard_confidence": knobs.discard, "authority_order": knobs.order,
        "types": {name: {"lifetime_seconds": knobs.type_seconds.get(name)} for name in TYPES},
        "retention": {"default_seconds": knobs.default_seconds, **keep}, "promotion": knobs.become,
        "spaces": {"read_order": knobs.read_order, "write": knobs.write_levels},
        "privacy": {"deny_patterns": {"badge": "badge-[0-9]{6}"}, "sensitive_words": [WORD],
                    "profile_keys": knobs.profile_keys, "personal_private": knobs.personal_private,
                    "personal_shared": knobs.personal_shared},
        "conflict": {"own_corrections_stand": knobs.own_corrections_stand},
    })  # fmt: skip


def rival_item(claim: naive.Claim, screened: Admission, space: Space) -> Item:
    candidate, author = screened.candidate, Actor(ActorKind.USER, claim.author)
    at = Moment(NOW - 10 + claim.at)
    return Item(
        id=claim.id, number=1, space=space, kind=candidate.kind, type=screened.type, key=candidate.key,
        text=candidate.text if claim.same_words else "something else", tags=(), author=author, origin=Origin.USER,
        source=None, observed_at_us=None, sensitivity=Sensitivity.PUBLIC, readers=EVERYONE, confidence=1.0,
        authority=Authority(claim.authority), importance=claim.importance, pii_risk=0,
        status=Status.APPROVED if claim.approved else Status.PENDING, status_reason=Reason.CONFIDENT, created_at_us=at,
        updated_at_us=at, expires_at_us=None, supersedes=None, superseded_by=None, derived_from=(), deleted_at_us=None,
        deleted_reason=None, provenance={}, meta={}, policy="", version=1, is_correction=claim.correction,
        subjects=("@carol",) if claim.hearsay else (),
    )  # fmt: skip


def author_of(actor: Actor) -> str:
    return actor.id if actor.kind is ActorKind.USER else f"another actor: {actor}"


@pytest.mark.parametrize("chunk", range((DECISIONS + CHUNK - 1) // CHUNK))
def test_the_engine_decides_as_the_naive_model_does(chunk: int) -> None:
    random = Random(f"decisions {chunk}")
    reasons: Counter[str] = Counter()
    for number in range(CHUNK):
        asked = question(random)
        expected = naive.decide(asked.said, asked.knobs, asked.rivals, author_of(asked.actor), asked.rejected_by)
        reasons[expected.reason] += 1
        _check(asked, expected, f"decision {number} of chunk {chunk}: {asked.said} under {asked.knobs}")
    assert len(reasons) >= 20, reasons  # every gate has its turn
    assert reasons["discarded"] >= 5, reasons


def _check(asked: Question, expected: naive.Answer, name: str) -> None:
    seen = SeenSpace(asked.space, 0, asked.said.writable, Reason.VISIBLE)
    screened = screen(asked.actor, seen, Placement(asked.candidate, asked.space), asked.policy)
    if expected.verdict == "denied" and expected.gate != "tombstones":  # which asks for more than the statement
        assert _said(screened.decision) == (expected.verdict, expected.gate, expected.reason), name
        return
    rivals = [rival_item(claim, screened, asked.space) for claim in asked.rivals]
    barred = None if asked.rejected_by is None else Authority(asked.rejected_by)
    placed = place(screened, rivals, barred, asked.policy, NOW)
    assert _said(placed.decision) == (expected.verdict, expected.gate, expected.reason), name
    assert (placed.duplicate is not None) == bool(expected.duplicates), name
    assert placed.duplicate is None or placed.duplicate.id in expected.duplicates, name
    assert (placed.beaten_by is not None) == bool(expected.beaten_by), name
    assert placed.beaten_by is None or placed.beaten_by[0].id in expected.beaten_by, name
    assert {rival.id: rule.value for rival, rule in placed.replaced} == expected.replaces, name
    if expected.gate not in {"tombstones", "dedup"}:
        seconds, ticks = naive.lifetime(asked.said, asked.knobs)
        assert placed.expires_at == (None if seconds is None else NOW + round(seconds * 1_000_000)), name
        assert placed.ticks == ticks, name


def _said(decision: Any) -> tuple[str, str, str]:
    return decision.verdict.value, decision.gate, decision.reason.value


@pytest.mark.parametrize("chunk", range((DECISIONS + CHUNK - 1) // CHUNK))
def test_the_engine_settles_as_the_naive_model_does(chunk: int) -> None:
    random = Random(f"conflicts {chunk}")
    rules: Counter[str] = Counter()
    for _ in range(CHUNK):
        knobs = some_knobs(random)
        one, other = some_claim(random, "a"), some_claim(random, "b")
        winner, rule = naive.settle(one, other, knobs)
        rules[rule] += 1
        held, by = settle(engine_claim(one), engine_claim(other), policy_of(knobs))
        assert (held.id, by.value) == (winner.id, rule), (one, other, knobs)
    assert set(rules) == {"authority", "correction", "recency", "importance", "id"}


def engine_claim(claim: naive.Claim) -> Claim:
    return Claim(Authority(claim.authority), claim.hearsay, claim.correction, claim.author.encode(), (claim.at, 0),
                 claim.importance, claim.id)  # fmt: skip


def test_a_rejection_is_weighed_in_the_order_of_the_policy() -> None:
    """The policy puts tools last, so a tool cannot restate what a user rejected."""
    policy = Policy.from_dict({"authority_order": ["system_imposed", "user_asserted", "ai_inferred", "tool_verified"]})
    space = SPACES[0]
    candidate = Candidate(text="the river rises", origin=Origin.TOOL)
    screened = screen(ALICE, SeenSpace(space, 0, True, Reason.VISIBLE), Placement(candidate, space), policy)
    placed = place(screened, [], Authority.USER_ASSERTED, policy, NOW)
    assert placed.decision.reason is Reason.REJECTED_BEFORE


def test_personal_data_in_a_profile_fact_is_redacted_where_the_policy_says_so() -> None:
    policy = Policy.from_dict({"privacy": {"personal_private": "redact"}})
    candidate = Candidate(text=f"write to {ADDRESS}", kind=Kind.PROFILE, key="contact")
    screened = screen(ALICE, SeenSpace(SPACES[0], 0, True, Reason.VISIBLE), Placement(candidate, SPACES[0]), policy)
    assert screened.decision.reason is Reason.PERSONAL_REDACTED
    assert ADDRESS not in screened.candidate.text
