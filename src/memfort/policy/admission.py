"""The write chain: every statement, from every surface, passes these gates in this order, and the first refusal wins.

`screen` runs the gates that need only the statement: border, secrets, governance, personal data, instructions, status.
`place` runs those that need its rivals: rejected values, duplicates, conflicts, retention. The caller looks the rivals
up between the two, because redaction of personal data may have changed the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.errors import InvalidInput
from memfort.language.normal_form import normal_text
from memfort.language.sensitivity import classify
from memfort.model.decision import Decision, Verdict
from memfort.model.item import (
    EVERYONE,
    NOTHING,
    Authority,
    Candidate,
    EventType,
    Item,
    Kind,
    Origin,
    Sensitivity,
    Status,
    outweighs,
)
from memfort.model.learned import Learned
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.reason import Reason
from memfort.model.serialize.encoding import is_made_name
from memfort.model.sight import SeenSpace
from memfort.model.space import Level, Space, Visibility
from memfort.policy.authority import NOT_ON_RECORD, authority_of_actor, credit
from memfort.policy.gates.border import write_border
from memfort.policy.gates.conflict import Claim, ConflictRule, claim_of, settle
from memfort.policy.gates.governance import refusal, tags
from memfort.policy.gates.identity_data import identifies_person
from memfort.policy.gates.instruction_like import find_instructions
from memfort.policy.gates.personal_data import find_personal, redact, risk
from memfort.policy.gates.retention import is_kept_by_rule, lifetime_ticks, limits_of
from memfort.policy.gates.secrets import FieldText, look_for_secrets
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import ApartBy, PersonalAction

HIGH_RISK = 2  # of personal data itself, not of a redaction marker
_LAST = 2**62


class Placement(Struct, frozen=True):
    """What a write is about: a statement, the space it is for, and how it relates to memories that exist."""

    candidate: Candidate
    space: Space
    supersedes: Item | None = None  # the memory that it is a new wording of
    may_replace: str | None = None  # the id of a memory that it may replace, which its words do not say for sure
    words_of: Item | None = None  # the earlier memory whose words it restores
    is_edit: bool = False  # that memory is pending, and gives way at once
    promotes: Item | None = None  # the memory in another space that it copies; the caller records a refusal
    finish: Callable[[Item], Item] | None = None  # adds what an import or a promotion brings along
    is_enriched: bool = False  # what it says about people is in the candidate already
    has_speaker: bool = False  # who said it is in the candidate: not the caller, but a speaker of a conversation
    quotes: Item | None = None  # the turn that it was taken from
    states: tuple[str, ...] = ()  # of a turn: the statements that are taken from it
    is_excerpt: bool = False  # the engine cut it out of turns, each of which has passed the gate on instructions
    on_record: bool = False  # words of a conversation that the engine itself records, not a caller's claim
    at_most: Authority | None = None  # a limit to its authority
    learned: Learned | None = None  # where its words were said, if that was before this call
    is_imported: bool = False  # words of a file, which nobody says again
    is_made_again: bool = False  # words of a turn that is read again, which nobody says now
    said_at: Moment | None = None  # when the words of a file were said, if that is known
    written_at: Moment | None = None  # when a memory of an export of ours was written there
    brings_back: bool = False  # the importer wants back what was forgotten or erased

    def of(self, candidate: Candidate) -> Placement:
        """The same for the statement as it is now."""
        return self if candidate is self.candidate else replace(self, candidate=candidate)


class Ending(Struct, frozen=True):
    """That the words of a statement were forgotten or erased in its space: when last, and with what authority."""

    at: Moment
    by: Authority


class Restates(StrEnum):
    """How a statement is made, if it is one that a reviewer has rejected."""

    AS_A_PERSON = "as_a_person"  # a user says it in their own words
    BY_AUTHORITY = "by_authority"  # somebody else says it
    NOT = "not"  # a file or a copy repeats it


class Admission(Struct, frozen=True):
    """A statement at the gates: what they found out about it, and what they decided so far."""

    actor: Actor
    decision: Decision
    candidate: Candidate  # with personal data replaced, if the policy says so
    type: str
    event_type: EventType
    status: Status
    pii_risk: int
    authority: Authority
    authority_reason: str
    said_by: Authority  # the weight of whoever says it, be it of what origin it may
    restates: Restates  # whether somebody says it, or words that exist elsewhere are repeated
    is_dated: bool = False  # it stands in a file, or in a conversation that is told with its dates
    said_at: Moment | None = None  # when it was said there, if that is known
    written_at: Moment | None = None  # when it was written in the store that it was exported from
    brings_back: bool = False
    # from `place`
    duplicate: Item | None = None  # the same statement, already there
    replaced: tuple[tuple[Item, ConflictRule], ...] = ()  # memories that give way to it, each by a rule
    may_replace: str | None = None  # the id of a memory that would, if its words said for sure that it has changed
    beaten_by: tuple[Item, ConflictRule] | None = None  # the memory that it gives way to itself
    expires_at: Moment | None = None
    fades_at: Moment | None = None  # when a lifetime guessed from its words is over
    ticks: int | None = None  # how many ticks after its own it expires
    lifts_rejection: bool = False  # a rejected value restated with enough authority
    lifts_ending: bool = False  # words that were forgotten or erased, said again or brought back

    @property
    def is_denied(self) -> bool:
        return self.decision.verdict is Verdict.DENIED


def screen(
    actor: Actor, seen: SeenSpace | None, placement: Placement, policy: Policy, *, is_clean: bool = False
) -> Admission:
    """Run the gates that need only the statement itself. What promotes a memory has passed the border already. A text
    that `is_clean` was found to hold neither a secret nor anything personal; of a policy's own patterns nobody knew."""
    candidate, space, on_record = placement.candidate, placement.space, placement.on_record
    crosses = placement.promotes is not None
    type = policy.resolve_type(candidate.type)
    event_type = candidate.event_type or policy.types[type].event_type
    _check_origin(actor, candidate)
    if event_type is EventType.CORRECTION:  # it is declared a correction, whatever its event type
        candidate = candidate.filled(is_correction=True)
    credited = credit(actor, candidate.origin, policy, on_record=on_record or crosses)
    is_said_again = on_record and candidate.origin is Origin.USER
    result = Admission(
        actor,
        _allowed(policy, "border"),
        candidate,
        type,
        event_type,
        Status.APPROVED,
        0,
        credited.authority,
        credited.reason,
        Authority.USER_ASSERTED if is_said_again else authority_of_actor(actor),
        _restates(actor, seen, placement, is_person=is_said_again or credited.origin is Origin.USER),
        is_dated=placement.is_imported or (candidate.captured and candidate.observed_at is not None),
        said_at=placement.said_at if placement.is_imported else candidate.observed_at_us,
        written_at=placement.written_at,
        brings_back=placement.brings_back,
    )
    if not crosses and (stopped_by := _border(actor, seen, placement, policy)) is not Reason.ALLOWED:
        return _stop(result, "border", stopped_by, policy)
    texts = texts_of(candidate)
    if is_clean and not policy.privacy.deny_patterns:
        texts = texts[1:]
    secrets = look_for_secrets([*texts, *_names_of(candidate)], policy, actor, type, space)
    if secrets.reason is not None:
        detail = {"field": secrets.field} | ({"rule": secrets.detector} if secrets.detector else {})
        return _stop(result, "secrets", secrets.reason, policy, **detail)
    believed = candidate if credited.origin is candidate.origin else candidate.filled(origin=credited.origin)
    screened = _screen_clean(result, believed, texts, placement, policy)
    return _note_allowed(screened, secrets.allowed) if secrets.allowed else screened


def _screen_clean(
    result: Admission, believed: Candidate, texts: Sequence[FieldText], placement: Placement, policy: Policy
) -> Admission:
    """The gates after the one for secrets."""
    space, crosses = placement.space, placement.promotes is not None
    if (refused := refusal(result.actor, believed, result.type, result.event_type, space, policy)) is not None:
        reason, detail = refused
        return _stop(result, "governance", reason, policy, **detail)
    if not policy.privacy.private_in_public and _is_private_in_public(result.candidate, space):
        return _stop(result, "personal", Reason.PRIVATE_IN_PUBLIC, policy)
    if not policy.privacy.identity_data and identifies_person(_said(result.candidate)):
        reason = Reason.PERSONAL_DENIED if space.is_private else Reason.PERSONAL_SHARED
        return _stop(result, "personal", reason, policy, types=["identity_data"])
    result = _personal(result, texts, space, policy)
    if result.is_denied:
        return result
    if not crosses and not placement.is_excerpt and (believed.origin in _OTHERS_WORDS or placement.is_imported):
        result = _instructions(result, policy)
    if not crosses and _is_discarded(believed, policy):  # a promotion discards nothing
        return _stop(result, "status", Reason.DISCARDED, policy)
    return _with_status(result, policy)


def _is_private_in_public(candidate: Candidate, space: Space) -> bool:
    """Whether a statement for a public space is judged not to be public: by whoever states it, or by its words."""
    if space.get(Level.VISIBILITY) != Visibility.PUBLIC:
        return False
    is_labelled = candidate.sensitivity not in {None, Sensitivity.PUBLIC}
    return is_labelled or classify(candidate.text)[0] is not Sensitivity.PUBLIC


def _said(candidate: Candidate) -> str:
    """What a statement says: the key of a profile fact is a part of it."""
    return candidate.text if candidate.key is None else f"{candidate.key.replace('_', ' ')}: {candidate.text}"


def _note_allowed(result: Admission, detectors: Sequence[str]) -> Admission:
    """The decision says which findings of secrets the policy allowed."""
    detail = {**result.decision.detail, "allowed_detectors": list(detectors)}
    return replace(result, decision=replace(result.decision, detail=detail))


def _border(actor: Actor, seen: SeenSpace | None, placement: Placement, policy: Policy) -> Reason:
    """Whether the actor may write the statement in its space, and could read it back there."""
    reason = write_border(seen, placement.space, policy).reason
    if reason is not Reason.ALLOWED or placement.is_imported or not policy.spaces.read_back:
        return reason
    return reason if placement.candidate.readers.admits(actor) else Reason.WRITER_NOT_A_READER


def _restates(actor: Actor, seen: SeenSpace | None, placement: Placement, *, is_person: bool) -> Restates:
    """How far a statement counts as saying a rejected value again. A file never does; a copy does if it is made by an
    actor who may review in the target."""
    if placement.is_imported or placement.is_made_again:
        return Restates.NOT
    if placement.promotes is not None and not placement.is_edit:
        return Restates.BY_AUTHORITY if seen is not None and seen.may_end_others else Restates.NOT
    is_user = actor.kind is ActorKind.USER or placement.on_record
    return Restates.AS_A_PERSON if is_person and is_user else Restates.BY_AUTHORITY


def refuse_return(item: Item, policy: Policy) -> Decision | None:
    """The refusal of a memory that is to come into force with the words it has, if the policy that holds now does not
    admit them: an earlier one may have. What would only make it wait is for whoever brings it into force to decide,
    and so is whether they may."""
    candidate, space = _statement_of(item), item.space
    if (reason := _closed_space(item, policy)) is not None:
        return Decision(Verdict.DENIED, "border", reason, policy.digest)
    texts = texts_of(candidate)
    secrets = look_for_secrets([*texts, *_names_of(candidate)], policy, item.author, item.type, space)
    if secrets.reason is not None:
        detail = {"field": secrets.field} | ({"rule": secrets.detector} if secrets.detector else {})
        return Decision(Verdict.DENIED, "secrets", secrets.reason, policy.digest, detail)
    if (refused := refusal(item.author, candidate, item.type, item.event_type, space, policy)) is not None:
        return Decision(Verdict.DENIED, "governance", refused[0], policy.digest, refused[1])
    action = policy.privacy.personal_private if space.is_private else policy.privacy.personal_shared
    if action in {PersonalAction.DENY, PersonalAction.REDACT} and any(risk(text) >= HIGH_RISK for _, text in texts):
        reason = Reason.PERSONAL_DENIED if space.is_private else Reason.PERSONAL_SHARED
        return Decision(Verdict.DENIED, "personal", reason, policy.digest, {"types": _personal_types(candidate)})
    return None


def _closed_space(item: Item, policy: Policy) -> Reason | None:
    """Why the policy has no place for a memory in its space. A promotion is a way into a space that is not written in
    directly."""
    if item.space.primary not in policy.spaces.read_order:
        return Reason.SPACE_DISABLED
    is_direct = item.promoted_from is None
    if is_direct and policy.spaces.write is not None and item.space.primary not in policy.spaces.write:
        return Reason.WRITE_SPACE_DISALLOWED
    return None


def _statement_of(item: Item) -> Candidate:
    """A memory as a statement, with what the gates read of it."""
    is_believed = not item.authority_reason.startswith(NOT_ON_RECORD)
    return Candidate(
        text=item.text,
        kind=item.kind,
        type=item.type,
        key=item.key,
        tags=item.tags,
        origin=item.origin if is_believed else Origin.AI,
        source=item.source,
        readers=item.readers,
        derived_from=item.derived_from,
        event_type=item.event_type,
        subjects=item.subjects,
        importance_reasons=item.importance_reasons,
        conversation=item.conversation,
        evidence=item.evidence,
        provenance=item.provenance,
        meta=item.meta,
    )


KEPT_BY_RULE = "kept_by:retention_rule"


def policy_tags(
    candidate: Candidate, event_type: EventType, policy: Policy, earlier: Item | None = None
) -> tuple[str, ...]:
    """The names of the rules that admit a statement, and of its retention rule. A new wording takes over what is left
    of the lifetime of the `earlier` one, and its rule with it."""
    is_kept = is_kept_by_rule(candidate, event_type, policy)
    is_kept = is_kept or (earlier is not None and KEPT_BY_RULE in earlier.policy_tags)
    return (*tags(candidate, policy), *([KEPT_BY_RULE] if is_kept else []))


def value_of(kind: Kind, key: str | None, words: str) -> str:
    """The value that two statements share if they are the same: the key of a fact, otherwise the text, in normal
    form."""
    return f"{kind}\x00text\x00{words}" if kind is not Kind.PROFILE or key is None else f"{kind}\x00key\x00{key}"


def place(
    admission: Admission,
    rivals: Sequence[Item],
    barred: Authority | None,
    policy: Policy,
    now: Moment,
    ending: Ending | None = None,
) -> Admission:
    """Run the gates that need the neighbours. `rivals` share the value; `barred` is the authority of a rejection."""
    if (tombstone := _tombstone(admission, barred, ending, policy)) is not None:
        return _stop(admission, "tombstones", tombstone, policy)
    rivals = [rival for rival in rivals if not _is_apart(admission, rival, policy)]
    settled = _settle_rivals(_claim(admission, rivals, policy, now), rivals, policy) if rivals else []
    words = normal_text(admission.candidate.text) if settled else ""
    for rival, wins, rule in settled:
        if normal_text(rival.text) == words and _is_duplicate(admission, rival, wins=wins, rule=rule):
            return replace(admission, decision=_settled(admission, "dedup", Reason.DUPLICATE), duplicate=rival)
    limits = limits_of(admission.candidate, admission.type, admission.event_type, policy, now)
    placed = replace(
        admission,
        expires_at=limits.expires_at,
        fades_at=limits.fades_at,
        ticks=lifetime_ticks(admission.candidate, admission.event_type, policy),
        lifts_rejection=barred is not None,
        lifts_ending=ending is not None and _lifts_ending(admission),
    )
    if admission.status is not Status.APPROVED:
        return placed  # what waits for review is in no conflict yet
    for rival, wins, rule in settled:
        if not wins and rival.status is Status.APPROVED:
            return replace(placed, decision=_settled(admission, "conflict", Reason.OUTRANKED), beaten_by=(rival, rule))
    if not settled:
        return placed
    return replace(placed, replaced=tuple((rival, rule) for rival, wins, rule in settled if wins))


def _tombstone(admission: Admission, barred: Authority | None, ending: Ending | None, policy: Policy) -> Reason | None:
    """Why a statement may not come back, if it may not."""
    if barred is not None and not _may_restate(admission, barred, policy):
        return Reason.REJECTED_BEFORE
    if ending is not None and not _may_come_back(admission, ending, policy):
        return Reason.ENDED_BEFORE
    return None


def _is_apart(admission: Admission, rival: Item, policy: Policy) -> bool:
    """Whether the policy keeps a statement apart from one with the same words. The key of a fact decides alone, and so
    does a correction, whose rival was named."""
    if rival.kind is Kind.PROFILE or admission.candidate.is_correction or rival.is_correction:
        return False
    match policy.conflict.apart_by:
        case ApartBy.TYPE:
            return admission.type != rival.type
        case ApartBy.EVENT_TYPE:
            return admission.event_type is not rival.event_type
    return False


def _may_restate(admission: Admission, barred: Authority, policy: Policy) -> bool:
    """Whether a rejected value may be stated again: a person says it in their own words, or neither the words nor the
    speaker weighs less than the rejection. So an agent cannot lift a person's rejection with what a tool returned, and
    nobody with a file."""
    if admission.restates is not Restates.BY_AUTHORITY:
        return admission.restates is Restates.AS_A_PERSON
    return not any(
        outweighs(barred, weight, policy.authority_order) for weight in (admission.authority, admission.said_by)
    )


def _may_come_back(admission: Admission, ending: Ending, policy: Policy) -> bool:
    """Whether words that were forgotten or erased may be kept again. Files and conversations from before the ending do
    not bring them back; later ones may. Otherwise a person says them again, or somebody of no less weight than whoever
    ended them."""
    if admission.brings_back:
        return True
    if admission.is_dated:
        return admission.said_at is not None and admission.said_at > ending.at
    if admission.restates is Restates.AS_A_PERSON or admission.candidate.captured:
        return True
    return not outweighs(ending.by, admission.said_by, policy.authority_order)


def _lifts_ending(admission: Admission) -> bool:
    """Whether a statement that was admitted says for good that its words are wanted again: not what merely repeats
    them."""
    if admission.brings_back or admission.restates is Restates.AS_A_PERSON:
        return True
    return admission.restates is Restates.BY_AUTHORITY and not admission.candidate.captured


def _claim(admission: Admission, rivals: Sequence[Item], policy: Policy, now: Moment) -> Claim:
    """What counts about the statement. It is the latest of all, also where the clock was set back; but words of a file
    and of an old conversation are as old as these say. An export of ours is weighed as if its memories had been written
    here at their time: an old one brings nothing back that was replaced since."""
    latest = max((rival.created_at_us for rival in rivals), default=now)
    is_imported = admission.candidate.source is not None
    is_dated = is_imported or admission.candidate.evidence is not None
    dated = admission.said_at if is_dated and admission.said_at is not None else admission.written_at
    return Claim(
        authority=admission.authority,
        is_hearsay=_is_hearsay(admission.candidate),
        is_correction=admission.candidate.is_correction,
        author=admission.actor.key,
        at=(now if now >= latest else latest + 1, _LAST) if dated is None else (min(dated, now), _LAST),
        importance=importance_of(admission, policy),
        id="",
        is_imported=is_imported,
    )


def _is_hearsay(candidate: Candidate) -> bool:
    return bool(candidate.subjects) and candidate.stated_by not in candidate.subjects


def _settle_rivals(claim: Claim, rivals: Sequence[Item], policy: Policy) -> list[tuple[Item, bool, ConflictRule]]:
    """For each rival whether the claim wins against it, and by which rule."""
    found = []
    for rival in rivals:
        winner, rule = settle(claim, claim_of(rival), policy)
        found.append((rival, winner is claim, rule))
    return found


def importance_of(admission: Admission, policy: Policy) -> float:
    given = admission.candidate.importance
    return float(policy.types[admission.type].importance if given is None else given)


def _is_duplicate(admission: Admission, rival: Item, *, wins: bool, rule: ConflictRule) -> bool:
    """Whether a rival with the same words makes the statement a duplicate. One that only waits for review does not: an
    approved statement of at least its authority takes its place, or saying it outright would leave it waiting. And
    the same words with more authority are a new memory in place of the old."""
    if admission.status is not Status.APPROVED or not wins:
        return True
    return rival.status is Status.APPROVED and rule is not ConflictRule.AUTHORITY


def may_replace(authority: Authority, target: Item, policy: Policy) -> bool:
    """Whether a correction with this authority replaces `target`: a user's or better always does, otherwise only if the
    target has no more authority."""
    order = policy.authority_order
    return not outweighs(Authority.USER_ASSERTED, authority, order) or not outweighs(target.authority, authority, order)


def earliest(expires_at: Moment | None, sources: Sequence[Item]) -> Moment | None:
    """What is derived lives no longer than anything it came from."""
    limits = [limit for limit in (expires_at, *(source.expires_at_us for source in sources)) if limit is not None]
    return min(limits, default=None)


def _check_origin(actor: Actor, candidate: Candidate) -> None:
    if candidate.origin is Origin.SYSTEM and actor.kind is not ActorKind.SYSTEM:
        raise InvalidInput("origin", "only the system actor speaks as `system`", "use user, ai or tool")


def texts_of(candidate: Candidate) -> list[FieldText]:
    """Every text of a candidate, the statement itself first, with its field: a secret may be in any of them."""
    found = [("text", candidate.text)]
    if candidate.key is not None:
        found.append(("key", candidate.key))
    if candidate.source is not None:
        found.append(("source", candidate.source))
    if candidate.key is not None:
        found.append(("key", f"{candidate.key}: {candidate.text}"))
    if candidate.tags:
        found += [("tags", tag) for tag in candidate.tags]
    if candidate.importance_reasons:
        found += [("importance_reasons", reason) for reason in candidate.importance_reasons]
    if candidate.conversation is not None:
        found.append(("conversation", candidate.conversation))
    if candidate.evidence is not None:
        found += [("evidence", words) for words in candidate.evidence.all_words]
    if candidate.provenance:
        found += [("provenance", text) for text in _texts_in(candidate.provenance)]
    if candidate.meta:
        found += [("meta", text) for text in _texts_in(candidate.meta)]
    return found


def _names_of(candidate: Candidate) -> list[FieldText]:
    """Names of places and people in a candidate. They may be personal, but must not be secret."""
    found = [] if candidate.space is None else [("space", id) for id in candidate.space.values()]
    found += [("subjects", id) for id in candidate.subjects if not is_made_name(id)]
    found += [("derived_from", id) for id in candidate.derived_from if not is_made_name(id)]
    if candidate.readers is not EVERYONE:
        found += [("access", name) for name in (*(candidate.readers.users or ()), *(candidate.readers.agents or ()))]
    return found


def _texts_in(value: Any, under: tuple[str, ...] = ()) -> Iterator[str]:
    """Every text in a JSON value, alone and with each key above it: a password is recognised only with its key."""
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


def _personal(result: Admission, texts: Sequence[FieldText], space: Space, policy: Policy) -> Admission:
    candidate = result.candidate
    level = max([risk(text) for _, text in texts], default=0)
    if level:
        result = replace(result, pii_risk=level)
    if level < HIGH_RISK:
        return result
    action = policy.privacy.personal_private if space.is_private else policy.privacy.personal_shared
    if action is PersonalAction.DENY:
        reason = Reason.PERSONAL_DENIED if space.is_private else Reason.PERSONAL_SHARED
        return _stop(result, "personal", reason, policy, types=_personal_types(candidate))
    if action is PersonalAction.REDACT:
        return _redact_personal(result, policy)
    if action is PersonalAction.REVIEW:
        decision = Decision(
            Verdict.PENDING, "personal", Reason.PERSONAL_REVIEW, policy.digest, {"types": _personal_types(candidate)}
        )
        return replace(result, decision=decision, status=Status.PENDING)
    return result


_OTHERS_WORDS = frozenset((Origin.AI, Origin.TOOL))  # who repeats them need not have meant them


def _instructions(result: Admission, policy: Policy) -> Admission:
    """Let words of others wait that read like instructions to a model."""
    if not policy.privacy.review_instructions:
        return result
    families = sorted({family for _, text in texts_of(result.candidate) for family in find_instructions(text)})
    if not families:
        return result
    detail = {**result.decision.detail, "families": families}
    decision = Decision(Verdict.PENDING, "instructions", Reason.INSTRUCTION_LIKE, policy.digest, detail)
    return replace(result, decision=decision, status=Status.PENDING)


def _redact_personal(result: Admission, policy: Policy) -> Admission:
    """Replace personal data in the text. Anywhere else that would break a name, so there it is refused."""
    candidate = result.candidate
    text = redact(candidate.text, find_personal(candidate.text))
    mended = candidate.filled(text=text)
    elsewhere = [field for field, one in texts_of(mended) if risk(one) == HIGH_RISK]
    if elsewhere:
        return _stop(result, "personal", Reason.PERSONAL_DENIED, policy, field=elsewhere[0])
    decision = Decision(
        Verdict.ALLOWED, "personal", Reason.PERSONAL_REDACTED, policy.digest, {"types": _personal_types(candidate)}
    )
    return replace(result, candidate=mended, pii_risk=1, decision=decision)


def _personal_types(candidate: Candidate) -> list[str]:
    return sorted({finding.type for _, text in texts_of(candidate) for finding in find_personal(text)})


def _is_discarded(candidate: Candidate, policy: Policy) -> bool:
    """Whether it is too uncertain to be kept at all. A statement that a person asks to keep is never discarded."""
    unasked = candidate.captured or candidate.origin is Origin.AI
    return unasked and candidate.status is None and candidate.confidence < policy.discard_confidence


def _with_status(result: Admission, policy: Policy) -> Admission:
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


def _allowed(policy: Policy, gate: str, reason: Reason = Reason.ALLOWED) -> Decision:
    return Decision(Verdict.ALLOWED, gate, reason, policy.digest)


def _settled(admission: Admission, gate: str, reason: Reason) -> Decision:
    """An allowed decision of a later gate, with what the gate for secrets noted."""
    noted = {name: value for name, value in admission.decision.detail.items() if name == "allowed_detectors"}
    return Decision(Verdict.ALLOWED, gate, reason, admission.decision.policy, noted or NOTHING)


def _stop(result: Admission, gate: str, reason: Reason, policy: Policy, **detail: Any) -> Admission:
    return replace(result, decision=Decision(Verdict.DENIED, gate, reason, policy.digest, detail))
