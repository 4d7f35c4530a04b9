"""The write chain: every statement, from every surface, passes these gates in this order, and the first refusal wins.

`screen` asks what can be asked of the statement alone: border, secrets, governance, personal data, status.
`place` asks what needs the neighbours: values rejected before, duplicates, conflicts, retention. Between the two the
caller looks the neighbours up, because personal data may have been replaced and the statement be another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfort.errors import InvalidInput
from memfort.model.actor import Actor, ActorKind
from memfort.model.decision import Decision, Verdict
from memfort.model.item import AUTHORITY_OF, Authority, Candidate, Item, Kind, Origin, Status, outweighs
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import Space
from memfort.policy.governance import deciding_rule, rule_name
from memfort.policy.normal import normal_text
from memfort.policy.personal import find_personal, redact, risk
from memfort.policy.secrets import find_secrets
from memfort.policy.settings import Effect, PersonalAction, Policy

HIGH_RISK = 2  # of personal data: the real thing, not a mark where it was


@dataclass(frozen=True, slots=True)
class Screened:
    """A statement that passed the first gates, or the decision that stopped it."""

    decision: Decision
    candidate: Candidate  # with personal data replaced, if the policy says so
    type: str
    status: Status
    pii_risk: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class Placed:
    """What should happen to a screened statement."""

    decision: Decision
    duplicate: Item | None = None  # the same statement, already there
    replaced: tuple[Item, ...] = ()  # memories that give way to it
    expires_at: Moment | None = None
    lifts_bar: bool = False  # a rejected value restated with enough authority


def screen(actor: Actor, seen: SeenSpace | None, space: Space, candidate: Candidate, policy: Policy) -> Screened:
    """Run the gates that need only the statement itself."""
    type = policy.resolve_type(candidate.type)
    _check_origin(actor, candidate)
    result = Screened(_allowed(policy, "border"), candidate, type, Status.APPROVED, 0, AUTHORITY_OF[candidate.origin])
    if seen is None or not seen.writable:
        return _stopped(result, "border", Reason.BORDER_WRITE, policy)
    if (found := _secret(candidate, policy)) is not None:
        reason, detail = found
        return _stopped(result, "secrets", reason, policy, **detail)
    if (refusal := _governed(actor, candidate, type, space, policy)) is not None:
        reason, detail = refusal
        return _stopped(result, "governance", reason, policy, **detail)
    result = _personal(result, space, policy)
    if result.decision.verdict is Verdict.DENIED:
        return result
    return _with_status(result, policy)


def value_of(kind: Kind, key: str | None, text: str) -> str:
    """What two statements must share to be the same: the key of a fact, otherwise the words in normal form."""
    if kind is Kind.PROFILE and key is not None:
        return f"{kind}\x00key\x00{key}"
    return f"{kind}\x00text\x00{normal_text(text)}"


def statement_of(kind: Kind, key: str | None, text: str) -> str:
    """What a reviewer rejects: this fact with these words."""
    return f"{kind}\x00{key or ''}\x00{normal_text(text)}"


def place(screened: Screened, rivals: Sequence[Item], barred: Authority | None, policy: Policy, now: Moment) -> Placed:
    """Run the gates that need the neighbours. `rivals` share the value; `barred` is the authority of a rejection."""
    if barred is not None and outweighs(barred, screened.authority):
        return Placed(_denied("tombstones", Reason.REJECTED_BEFORE, policy))
    for rival in rivals:
        if _is_duplicate(screened, rival):
            return Placed(_allowed(policy, "dedup", Reason.DUPLICATE), duplicate=rival)
    if any(outweighs(rival.authority, screened.authority) for rival in rivals):
        return Placed(_denied("conflict", Reason.OUTRANKED, policy))
    expires_at = expiry(screened.candidate, screened.type, policy, now)
    replaced = tuple(rivals) if screened.status is Status.APPROVED else ()
    return Placed(screened.decision, None, replaced, expires_at, lifts_bar=barred is not None)


def _is_duplicate(screened: Screened, rival: Item) -> bool:
    """The same words, already there. What only waits for review is not: an approved statement of at least its
    authority takes its place, or saying it outright would leave it waiting."""
    if normal_text(rival.text) != normal_text(screened.candidate.text):
        return False
    settles = screened.status is Status.APPROVED and not outweighs(rival.authority, screened.authority)
    return rival.status is not Status.PENDING or not settles


def expiry(candidate: Candidate, type: str, policy: Policy, now: Moment) -> Moment | None:
    """When the statement's time runs out: as asked, else as its type says, else as the policy says."""
    if candidate.expires_at is not None:
        if candidate.expires_at <= now:
            raise InvalidInput("expires_at", "it is already past", "give a later time, or leave it out")
        return candidate.expires_at
    if candidate.ttl_seconds is not None:
        return _after(now, candidate.ttl_seconds)
    lifetime = policy.types[type].lifetime_seconds or policy.default_lifetime_seconds
    if lifetime is None:
        return None
    ends = _after(now if candidate.observed_at is None else candidate.observed_at, lifetime)
    if ends <= now:
        raise InvalidInput("observed_at", f"a {type} of then has expired already", "leave it out, or give `expires_at`")
    return ends


def may_replace(authority: Authority, target: Item) -> bool:
    """Whether a correction with this authority replaces `target`: a user's or better always does, otherwise only
    what carries no more weight."""
    return not outweighs(Authority.USER_ASSERTED, authority) or not outweighs(target.authority, authority)


def lowest(authority: Authority, sources: Sequence[Item]) -> Authority:
    """Authority never rises: what is derived weighs at most as much as the lightest thing it came from."""
    ranks = list(Authority)
    return ranks[max(ranks.index(one) for one in (authority, *(source.authority for source in sources)))]


def earliest(expires_at: Moment | None, sources: Sequence[Item]) -> Moment | None:
    """What is derived lives no longer than anything it came from."""
    limits = [limit for limit in (expires_at, *(source.expires_at for source in sources)) if limit is not None]
    return min(limits, default=None)


def authority_of_actor(actor: Actor) -> Authority:
    """The weight of a reviewer's word."""
    by_kind = {
        ActorKind.SYSTEM: Authority.SYSTEM_IMPOSED,
        ActorKind.USER: Authority.USER_ASSERTED,
        ActorKind.AGENT: Authority.AI_INFERRED,
    }
    return by_kind[actor.kind]


def _check_origin(actor: Actor, candidate: Candidate) -> None:
    if candidate.origin is Origin.SYSTEM and actor.kind is not ActorKind.SYSTEM:
        raise InvalidInput("origin", "only the system actor speaks as `system`", "use user, ai or tool")


def _secret(candidate: Candidate, policy: Policy) -> tuple[Reason, dict[str, Any]] | None:
    for field, text in (*texts_of(candidate), *_names_of(candidate)):
        try:
            found = find_secrets(text, extra_patterns=policy.secret_patterns)
        except ValueError:
            return Reason.TOO_LARGE_TO_CHECK, {"field": field}
        if found:
            return Reason.SECRET, {"field": field, "rule": found[0].rule}
    return None


def texts_of(candidate: Candidate) -> Iterator[tuple[str, str]]:
    """Every text of a candidate, with the field it stands in: a secret is a secret wherever it hides."""
    yield "text", candidate.text
    for name in ("key", "source"):
        if (text := getattr(candidate, name)) is not None:
            yield name, text
    if candidate.key is not None:
        yield "key", f"{candidate.key}: {candidate.text}"
    for tag in candidate.tags:
        yield "tags", tag
    for name in ("provenance", "meta"):
        for text in _texts_in(getattr(candidate, name)):
            yield name, text


def _names_of(candidate: Candidate) -> Iterator[tuple[str, str]]:
    """Names of places and people that come with a candidate. They may be personal, but they may not be secret."""
    for id in (candidate.space or {}).values():
        yield "space", id
    for name in (*(candidate.readers.users or ()), *(candidate.readers.agents or ())):
        yield "access", name


def _texts_in(value: Any, under: tuple[str, ...] = ()) -> Iterator[str]:
    """Every text in a JSON value, alone and with each name above it: a password is telling only under its name."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts_in(inner, (*under, str(key)))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_in(inner, under)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
        for name in under:
            yield f"{name}: {value}"


def _governed(
    actor: Actor, candidate: Candidate, type: str, space: Space, policy: Policy
) -> tuple[Reason, dict[str, Any]] | None:
    match = deciding_rule(policy.governance, actor, candidate, type, space)
    if match is None:
        return None if policy.governance_default is Effect.ALLOW else (Reason.GOVERNANCE_DEFAULT, {})
    number, rule = match
    return None if rule.effect is Effect.ALLOW else (Reason.GOVERNANCE_RULE, {"rule": rule_name(number, rule)})


def _personal(result: Screened, space: Space, policy: Policy) -> Screened:
    candidate = result.candidate
    level = max(risk(text) for _, text in texts_of(candidate))
    result = replace(result, pii_risk=level)
    if level < HIGH_RISK:
        return result
    action = policy.personal_private if space.is_private else policy.personal_shared
    if action is PersonalAction.DENY:
        reason = Reason.PERSONAL_DENIED if space.is_private else Reason.PERSONAL_SHARED
        return _stopped(result, "personal", reason, policy, types=_personal_types(candidate))
    if action is PersonalAction.REDACT:
        return _redacted(result, policy)
    if action is PersonalAction.REVIEW:
        decision = Decision(Verdict.PENDING, "personal", Reason.PERSONAL_REVIEW, policy.digest,
                            {"types": _personal_types(candidate)})  # fmt: skip
        return replace(result, decision=decision, status=Status.PENDING)
    return result


def _redacted(result: Screened, policy: Policy) -> Screened:
    """Replace personal data in the text. Anywhere else that would break a name, so there it is refused."""
    candidate = result.candidate
    elsewhere = [field for field, text in texts_of(candidate) if field != "text" and risk(text) == HIGH_RISK]
    if elsewhere:
        return _stopped(result, "personal", Reason.PERSONAL_DENIED, policy, field=elsewhere[0])
    text = redact(candidate.text, find_personal(candidate.text))
    decision = Decision(Verdict.ALLOWED, "personal", Reason.PERSONAL_REDACTED, policy.digest,
                        {"types": _personal_types(candidate)})  # fmt: skip
    return replace(result, candidate=replace(candidate, text=text), pii_risk=1, decision=decision)


def _personal_types(candidate: Candidate) -> list[str]:
    return sorted({finding.type for _, text in texts_of(candidate) for finding in find_personal(text)})


def _with_status(result: Screened, policy: Policy) -> Screened:
    """Approve what is confident enough, unless another status was asked for or personal data already made it wait."""
    asked = result.candidate.status
    if asked in {Status.PENDING, Status.REJECTED}:
        decision = Decision(Verdict.PENDING, "status", Reason.ASKED_FOR, policy.digest)
        return replace(result, status=asked, decision=decision)
    if result.status is Status.PENDING:
        return result
    if asked is None and result.candidate.confidence < policy.approve_confidence:
        decision = Decision(Verdict.PENDING, "status", Reason.LOW_CONFIDENCE, policy.digest)
        return replace(result, status=Status.PENDING, decision=decision)
    if result.decision.reason is Reason.PERSONAL_REDACTED:
        return result
    reason = Reason.ASKED_FOR if asked is Status.APPROVED else Reason.CONFIDENT
    return replace(result, decision=Decision(Verdict.ALLOWED, "status", reason, policy.digest))


def _after(start: Moment, seconds: float) -> Moment:
    return Moment(start + round(seconds * MICROSECONDS_PER_SECOND))


def _allowed(policy: Policy, gate: str, reason: Reason = Reason.ALLOWED) -> Decision:
    return Decision(Verdict.ALLOWED, gate, reason, policy.digest)


def _denied(gate: str, reason: Reason, policy: Policy, **detail: Any) -> Decision:
    return Decision(Verdict.DENIED, gate, reason, policy.digest, detail)


def _stopped(result: Screened, gate: str, reason: Reason, policy: Policy, **detail: Any) -> Screened:
    return replace(result, decision=_denied(gate, reason, policy, **detail))
