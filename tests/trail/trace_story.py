"""One example at least of every public event, built as the facade would build it, with the finder that policy gives."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from memfort.model.item import Authority, Candidate, EventType, Item, Kind, Origin
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.space import Level, Space
from memfort.policy.gates.personal_data import find_personal
from memfort.policy.secrets import find_secrets
from memfort.testing.conformance import memory
from memfort.trail.public import builders
from memfort.trail.public.builders import Change
from memfort.trail.public.view import Call, Caller, PolicyInForce, dedup_key, gone_view, item_view

SECRET = "AKIAQ3EGRVFJ7WKPZT5M"  # shaped like an AWS key id, but made up
MAIL = "bob@example.com"
DIGEST = bytes(range(16))
HOME = Space.of({"user": "alice"})
SESSION = Space.of({"user": "alice", "session": "s1"})
TEAM = Space.of({"project": "apollo"})
SNAPSHOT = {"write_policy": "normal", "authority_order": ["system_imposed", "tool_verified"], "note": f"ask {MAIL}"}
PHASE = Phase(2, "manual", 7, "second draft")


def find(text: str) -> list[tuple[int, int, str]]:
    """Personal data where it stands; a text with a secret in it as a whole."""
    personal = [(finding.start, finding.end, finding.type) for finding in find_personal(text)]
    return personal + ([(0, len(text), "secret")] if find_secrets(text) else [])


def call() -> Call:
    return Call(Caller("helper", "s1"), PolicyInForce("default", "3f5a1c9e", SNAPSHOT), find)


def kept(text: str = "alice prefers tea", space: Space = SESSION, **fields: Any) -> Item:
    plain: dict[str, Any] = {
        "event_type": EventType.PREFERENCE,
        "importance": 4.0,
        "importance_reasons": ("event:preference", "source:user"),
        "authority_reason": "origin:user",
        "policy_tags": ("allowed_by:write_policy:normal",),
        "created_tick": 8,
        "phase": "phase-2",
    }
    return memory(space, text, **(plain | fields))


TEA = kept()
CITY = kept(
    "alice lives in Lisbon", HOME, number=2, kind=Kind.PROFILE, key="city", event_type=EventType.FACT,
    derived_from=(TEA.id,), expires_tick=60, is_correction=True,
)  # fmt: skip
NOTES = kept("tea, then Lisbon", number=3, tags=("summary",), derived_from=(TEA.id, CITY.id), origin=Origin.SYSTEM)
COPY = replace(kept("alice prefers tea", TEAM, number=4), promoted_from=TEA.id, promotion_reason="hint:save_for_me")


def examples(of: Call) -> dict[str, list[dict[str, Any]]]:
    """Events by type."""
    return {
        "memory_recall": [recall_of(of), recall_of(of, expanded=True), nothing_of(of)],
        "memory_write": [
            builders.memory_write(of, written=[item_view(of, CITY), item_view(of, COPY), gone_view("mem_x")])
        ],
        "memory_denied": list(denials_of(of)),
        "memory_conflict": [
            builders.memory_conflict(
                of, winner_id=CITY.id, loser_id=TEA.id, rule="correction", dedup_key=dedup_key(of, CITY, CITY.text)
            ),
            builders.memory_conflict(
                of, winner_id=TEA.id, loser_id=None, rule="authority", dedup_key=dedup_key(of, TEA, TEA.text)
            ),
        ],
        "memory_forget": [
            builders.memory_forget(of, memory_id=TEA.id, reason=Reason.TTL_EXPIRED),
            builders.memory_forget(of, memory_id=TEA.id, reason=Reason.DECAY),
        ],
        "memory_border_check": [
            builders.memory_border_check(of, action="read", from_space=TEAM, allowed=True, reason=Reason.MEMBER),
            builders.memory_border_check(
                of, action="write", from_space=SESSION, to_space=TEAM, allowed=False, reason=Reason.BORDER_WRITE,
                subject_id=TEA.id,
            ),
        ],
        "memory_promoted": [
            builders.memory_promoted(
                of, from_space=SESSION, to_space=TEAM, from_id=TEA.id, to_id=COPY.id,
                authority_used=Authority.USER_ASSERTED, reason="hint:save_for_me",
            )
        ],
        "memory_promotion_denied": [
            builders.memory_promotion_denied(
                of, from_space=SESSION, to_space=TEAM, memory_id=TEA.id, reason=Reason.PROMOTION_AUTHORITY,
            )
        ],
        "memory_phase_started": [
            builders.memory_phase_started(of, space=SESSION, phase=PHASE),
            builders.memory_phase_started(of, space=HOME, phase=Phase(1, "auto", 0)),
        ],
        "memory_deleted": [deletion_of(of), deletion_of(of, replaced_by=CITY.id)],
        "memory_phase_diff": [
            builders.memory_phase_diff(
                of, space=SESSION, from_phase_id="phase-1", to_phase_id="phase-2",
                changes=[Change("deleted", "mem_old"), Change("replaced", CITY.id, replaces=TEA.id, item=CITY)],
            )
        ],
    }  # fmt: skip


def recall_of(of: Call, *, expanded: bool = False) -> dict[str, Any]:
    return builders.memory_recall(
        of,
        query=f"what does {MAIL} drink?",
        recalled=[
            item_view(of, TEA, words=TEA.text, recall_reason=["matches_query"], score=1.25, phase=PHASE),
            item_view(of, NOTES, recall_reason=["active_rule"]),
            gone_view("mem_gone", space="user"),
        ],
        hash=builders.deterministic_hash([TEA, NOTES]),
        consulted=[Level.SESSION, Level.USER, Level.WORKSPACE, Level.PROJECT],
        phase=PHASE,
        query_digest=DIGEST.hex(),
        expanded=expanded,
    )


def nothing_of(of: Call) -> dict[str, Any]:
    empty = builders.deterministic_hash([])
    return builders.memory_recall(of, query="tea", recalled=[], hash=empty, consulted=[HOME.primary], phase=None)


def denials_of(of: Call) -> list[dict[str, Any]]:
    secret = Candidate(text=f"my key is {SECRET}", key=f"key {SECRET}", tags=(SECRET,), event_type=EventType.FACT)
    harmless = Candidate(text="ok", key="mood", kind=Kind.PROFILE)
    return [
        builders.memory_denied(of, attempted=secret, space=TEAM, reason=Reason.SECRET, text=secret.text),
        builders.memory_denied(
            of, attempted=harmless, space=HOME, reason=Reason.GOVERNANCE_RULE, explanation="the rule `calm`", text="ok"
        ),
        builders.memory_denied(of, attempted=None, space=None, reason=Reason.WRITE_POLICY_NONE),
    ]


def deletion_of(of: Call, replaced_by: str | None = None) -> dict[str, Any]:
    return builders.memory_deleted(
        of, space=SESSION, phase_id="phase-2", memory_id=TEA.id, reason=Reason.SUPERSEDED, replaced_by=replaced_by
    )
