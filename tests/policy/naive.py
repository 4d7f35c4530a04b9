"""The policy once more, small and obvious: written from the seeds and the design, and from nothing in `memfort.policy`.

It knows no text, no space and no store: only flags, words and lists. It is meant to be read, and the engine has to
agree with it on every decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

AUTHORITY = {"system": "system_imposed", "tool": "tool_verified", "user": "user_asserted", "ai": "ai_inferred"}


@dataclass
class Knobs:
    """What the owner of a policy turned."""

    read_order: list[str]
    write_levels: list[str] | None = None
    write_policy: str = "normal"
    allow: list[str] = field(default_factory=list)
    deny: list[str] = field(default_factory=list)
    become: dict[str, list[str] | None] = field(default_factory=dict)  # kind: event types that may become one
    profile_keys: list[str] | None = None
    rules: list[dict[str, str]] = field(default_factory=list)
    otherwise: str = "allow"
    personal_private: str = "review"
    personal_shared: str = "deny"
    approve: float = 0.6
    discard: float = 0.0
    order: list[str] = field(default_factory=lambda: list(AUTHORITY.values()))
    own_corrections_stand: bool = False
    type_seconds: dict[str, float] = field(default_factory=dict)
    keep: dict[tuple[str, str], tuple[str, int | None, float | None]] = field(default_factory=dict)
    default_seconds: float | None = None


@dataclass
class Said:
    """A statement to be kept."""

    user: str | None
    agent: str | None
    origin: str
    kind: str
    type: str
    event_type: str
    levels: list[str]  # of the space, the narrowest first
    private: bool
    writable: bool
    key: str | None = None
    tags: list[str] = field(default_factory=list)
    batch: str | None = None
    about: list[str] = field(default_factory=list)
    correction: bool = False
    confidence: float = 1.0
    asked: str | None = None
    captured: bool = False
    credential: bool = False
    pattern: bool = False
    sensitive_word: bool = False
    personal: bool = False
    little: bool = False
    seconds: float | None = None
    ticks: int | None = None


@dataclass
class Claim:
    """One side of a conflict."""

    id: str
    authority: str
    author: str
    hearsay: bool
    correction: bool
    at: int
    importance: float
    approved: bool = True
    same_words: bool = False
    imported: bool = False


@dataclass
class Answer:
    verdict: str
    gate: str
    reason: str
    beaten_by: set[str] = field(default_factory=set)  # any one of these
    replaces: dict[str, str] = field(default_factory=dict)  # rival: by which rule
    duplicates: set[str] = field(default_factory=set)  # any one of these


def decide(said: Said, knobs: Knobs, rivals: list[Claim], author: str, rejected_by: str | None) -> Answer:
    """The gates in the order of the design; the first refusal wins."""
    said = replace(said, origin=believed(said))
    for gate in (border, secrets, governance, personal):
        refusal = gate(said, knobs)
        if refusal is not None:
            return refusal
    if said.asked is None and (said.captured or said.origin == "ai") and said.confidence < knobs.discard:
        return Answer("denied", "status", "discarded")  # seed 002: what was only guessed is dropped, and does not wait
    answer = status(said, knobs)
    authority = AUTHORITY[said.origin]
    lightest = max(knobs.order.index(authority), knobs.order.index(AUTHORITY[speaker(said)]))
    is_a_person_again = speaker(said) == "user" and said.origin == "user"  # whoever rejected it
    if rejected_by is not None and not is_a_person_again and lightest > knobs.order.index(rejected_by):
        return Answer("denied", "tombstones", "rejected_before")
    waits = answer.verdict == "pending"
    puts_right = said.correction or said.event_type == "correction"
    mine = Claim("", authority, author, bool(said.about) and said.user not in said.about, puts_right, 10**9, 0)
    mine.imported = said.batch is not None
    results = {rival.id: settle(mine, rival, knobs) for rival in rivals}
    for rival in rivals:
        if rival.same_words and not brings_something(mine, rival, results[rival.id], waits):
            answer.duplicates.add(rival.id)
    if answer.duplicates:
        return Answer("allowed", "dedup", "duplicate", duplicates=answer.duplicates)
    if waits:
        return answer
    lost = {rival.id for rival in rivals if rival.approved and results[rival.id][0] is rival}
    if lost:
        return Answer("allowed", "conflict", "outranked", beaten_by=lost)
    answer.replaces = {id: rule for id, (winner, rule) in results.items() if winner is mine}
    return answer


def speaker(said: Said) -> str:
    return "ai" if said.agent is not None else "user" if said.user is not None else "system"


def believed(said: Said) -> str:
    """An agent's words are an AI's, whatever it says, unless they are on record; here nothing is."""
    return "ai" if speaker(said) == "ai" else said.origin


def border(said: Said, knobs: Knobs) -> Answer | None:
    narrowest = said.levels[0]
    if narrowest not in knobs.read_order:
        return Answer("denied", "border", "space_disabled")
    if not said.writable:
        return Answer("denied", "border", "border_write")
    if knobs.write_levels is not None and narrowest not in knobs.write_levels:
        return Answer("denied", "border", "write_space_disallowed")
    return None


def secrets(said: Said, _: Knobs) -> Answer | None:
    if said.credential:
        return Answer("denied", "secrets", "secret")
    if said.pattern:
        return Answer("denied", "secrets", "privacy_deny_pattern")
    return None


def governance(said: Said, knobs: Knobs) -> Answer | None:
    """Seed 004: privacy, write policy (not for recent turns), event types, kind, low signal. Then the rules of 001."""
    lasting = said.kind != "short_term"
    talk = said.event_type == "context"
    small = said.event_type in {"fact", "preference", "decision", "correction"}
    become = knobs.become.get(said.kind)
    questions = [
        (said.sensitive_word, "privacy_deny_sensitive"),
        (said.kind == "profile" and knobs.profile_keys is not None and said.key not in knobs.profile_keys,
         "privacy_deny_profile_key"),
        (lasting and knobs.write_policy == "none", "write_policy_none"),
        (lasting and knobs.write_policy == "minimal" and not small, "write_policy_minimal"),
        (lasting and knobs.write_policy == "normal" and talk, "write_policy_context"),
        (bool(knobs.allow) and said.event_type not in knobs.allow, "policy_deny_event_type"),
        (said.event_type in knobs.deny, "policy_deny_event_type"),
        (become is not None and said.event_type not in become, "policy_deny_promotion"),
        (lasting and said.captured and said.little, "policy_low_signal"),
    ]  # fmt: skip
    for is_so, reason in questions:
        if is_so:
            return Answer("denied", "governance", reason)
    for rule in knobs.rules:
        if matches(rule, said):
            return None if rule["effect"] == "allow" else Answer("denied", "governance", "governance_rule")
    return None if knobs.otherwise == "allow" else Answer("denied", "governance", "governance_default")


def matches(rule: dict[str, str], said: Said) -> bool:
    """What a rule names must all be so. A rule that names nothing is about everything."""
    facts = {
        "user": [said.user],
        "agent": [said.agent],
        "source": [said.origin, said.batch],
        "type": [said.type],
        "tag": said.tags,
        "level": said.levels,
    }
    return all(wanted in facts[name] for name, wanted in rule.items() if name != "effect")


def personal(said: Said, knobs: Knobs) -> Answer | None:
    """Only refusals stand here; `status` says what waits for review or is replaced."""
    if said.personal and action(said, knobs) == "deny":
        return Answer("denied", "personal", "personal_denied" if said.private else "personal_shared")
    return None


def action(said: Said, knobs: Knobs) -> str:
    return knobs.personal_private if said.private else knobs.personal_shared


def status(said: Said, knobs: Knobs) -> Answer:
    """Seed 000: what was asked for counts, but personal data waits even when approval was asked for."""
    if said.asked in {"pending", "rejected"}:
        return Answer("pending", "status", "asked_for")
    if said.personal and action(said, knobs) == "review":
        return Answer("pending", "personal", "personal_review")
    if said.asked is None and said.confidence < knobs.approve:
        return Answer("pending", "status", "low_confidence")
    if said.personal and action(said, knobs) == "redact":
        return Answer("allowed", "personal", "personal_redacted")
    return Answer("allowed", "status", "confident" if said.asked is None else "asked_for")


def brings_something(mine: Claim, rival: Claim, result: tuple[Claim, str], waits: bool) -> bool:
    """The same words again are worth keeping when they win by more weight, or when they are approved where the others
    still wait."""
    winner, rule = result
    if waits or winner is not mine:
        return False
    return not rival.approved or rule == "authority"


def settle(one: Claim, other: Claim, knobs: Knobs) -> tuple[Claim, str]:
    """Authority, correction, recency, importance, id; but a user's correction, or better, outdoes any authority. What
    was said here never gives way to what a file says."""
    if one.imported != other.imported:
        return (other if one.imported else one), "authority"
    earlier, later = sorted((one, other), key=lambda claim: claim.at)
    taken_back = one.author == other.author and earlier.correction and not later.correction and earlier.at < later.at
    if taken_back and not knobs.own_corrections_stand and place(later, knobs) <= place(earlier, knobs):
        return later, "recency"
    for claim, rival in ((one, other), (other, one)):
        lighter = place(claim, knobs) > place(rival, knobs)
        if lighter and corrects_anything(claim, knobs) and not corrects_anything(rival, knobs):
            return claim, "correction"
    if place(one, knobs) != place(other, knobs):
        return min(one, other, key=lambda claim: place(claim, knobs)), "authority"
    if one.correction != other.correction:
        return (one if one.correction else other), "correction"
    if one.at != other.at:
        return later, "recency"
    if one.importance != other.importance:
        return max(one, other, key=lambda claim: claim.importance), "importance"
    return max(one, other, key=lambda claim: claim.id), "id"


def place(claim: Claim, knobs: Knobs) -> float:
    """Where a claim stands among the authorities: 0 is the heaviest. Hearsay comes half a step after a user's word."""
    is_hearsay = claim.authority == "user_asserted" and claim.hearsay
    return knobs.order.index(claim.authority) + (0.5 if is_hearsay else 0)


def corrects_anything(claim: Claim, knobs: Knobs) -> bool:
    return claim.correction and place(claim, knobs) <= knobs.order.index("user_asserted")


def lifetime(said: Said, knobs: Knobs) -> tuple[float | None, int | None]:
    """Seconds and ticks: as asked, else the type's, else the kind's and event type's, else the default. Seed 004: what
    is not listed is kept as `context` is; decay ends one tick later than ttl (here: one microsecond)."""
    rule = knobs.keep.get((said.kind, said.event_type)) or knobs.keep.get((said.kind, "context"))
    mode, ticks, seconds = rule or ("never", None, None)
    if mode == "decay":
        ticks = None if ticks is None else ticks + 1
        seconds = None if seconds is None else seconds + 0.000_001
    if rule is None:
        seconds = knobs.default_seconds
    seconds = said.seconds or knobs.type_seconds.get(said.type) or seconds
    return seconds, said.ticks or ticks
