"""Run every gate on a statement. It changes and records nothing, so `check` uses it too."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from memfort.engine.engine import Digests
from memfort.engine.indexing.statement_text import StatementText
from memfort.engine.lifecycle.proposals import is_proposal
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.language.normal_form import normal_text
from memfort.model.audience import learned_of
from memfort.model.item import Authority, Candidate, Item, Kind, is_expired, outweighs
from memfort.model.learned import strictest
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.admit.analysis import Analysis
from memfort.operations.admit.enrich import audience_of_candidate, find_sources, most_private, origin_fields
from memfort.operations.admit.supersede import find_outdated, find_replaceable
from memfort.policy.admission import Admission, Ending, Placement, earliest, place, screen
from memfort.policy.authority import NOT_ON_RECORD, credit, is_quoted, lowest
from memfort.policy.gates.supersession import ClaimsOfTexts
from memfort.policy.phase import in_phase
from memfort.policy.settings.policy import Policy
from memfort.store.port import RejectedValue, Statement, WriteContext


def decide(view: View, placement: Placement, analysis: Analysis) -> tuple[Admission, Analysis]:
    """Put an enriched statement to the gates: first those that need only the statement, then those that compare it
    with what is kept. What it is found by and meets in the store is known then, if it comes so far."""
    admission = analysis.admission or screen_alone(view, placement, analysis.text)
    if admission.is_denied:
        return admission, analysis
    admission, sources = _weigh(view, placement, admission)
    has_parents = bool(sources) or placement.promotes is not None  # its audience may be another than was thought
    asked = placement.of(admission.candidate)
    if analysis.digests is None or has_parents:
        analysis = replace(analysis, digests=digests_of(view, asked, analysis.text), context=None)
    assert analysis.digests is not None
    if (text := analysis.digests.text) is not None:
        analysis.claims[text.said] = text.claims
    if analysis.context is None:
        statement = statement_for_store(view, asked, analysis.digests)
        analysis = replace(analysis, context=view.store.write_contexts(view.decision_view.sight, [statement])[0])
    assert analysis.context is not None
    admission = _compare(view, asked, admission, analysis.context, analysis.claims)
    if sources:
        # A statement outlives the turn it was said in; anything else that is derived does not outlive its sources.
        limits = [source for source in sources if source.kind is not Kind.SHORT_TERM]
        admission = replace(admission, expires_at=earliest(admission.expires_at, limits))
    return admission, analysis


def screen_alone(view: View, placement: Placement, text: StatementText | None) -> Admission:
    """What the gates say that need only the statement itself."""
    candidate = placement.candidate  # of a profile fact, the value may be a secret by its key
    is_read = text is not None and text.said == candidate.text and candidate.kind is not Kind.PROFILE
    is_clean = is_read and text is not None and text.is_clean
    return screen(view.actor, view.sight.seen(placement.space), placement, view.policy, is_clean=is_clean)


def digests_of(view: View, placement: Placement, text: StatementText | None) -> Digests:
    """What the statement is compared and found by. A gate may have redacted the text that was looked at."""
    if text is not None and text.said != placement.candidate.text:
        text = None
    return view.engine.digests(placement, audience_of_candidate(placement.candidate, placement.space), text)


def _weigh(view: View, placement: Placement, admission: Admission) -> tuple[Admission, list[Item]]:
    """The statement with the weight, the sensitivity and the origin that it has from what it was made from, and the
    memories it is derived from."""
    at_most, candidate = placement.at_most, placement.candidate
    if at_most is not None and outweighs(admission.authority, at_most, view.policy.authority_order):
        admission = replace(admission, authority=at_most, authority_reason=f"{NOT_ON_RECORD}{candidate.origin}")
    sources = _sources(view, placement.space, candidate)
    parents = sources if placement.promotes is None else [*sources, placement.promotes]
    if parents:
        private = most_private([candidate.sensitivity, *(parent.sensitivity for parent in parents)])
        learned = strictest([learned_of(candidate), *map(learned_of, sources)])
        weighed = _with_derived_authority(view, admission, sources, parents)
        derived = admission.candidate.filled(sensitivity=private, **origin_fields(learned))
        admission = replace(weighed, candidate=derived)
    return admission, sources


def _sources(view: View, space: Space, candidate: Candidate) -> list[Item]:
    """The memories a statement is derived from, each of which must be found."""
    found = {item.id: item for item in find_sources(view, space, candidate)}
    for id in candidate.derived_from:
        if id not in found:
            raise NotFound("memory", id)
    return list(found.values())


def _with_derived_authority(
    view: View, admission: Admission, sources: Sequence[Item], parents: Sequence[Item]
) -> Admission:
    """The statement with the authority that it has from the memories it came from."""
    policy = view.policy
    if is_quoted(admission.candidate, sources):
        credited = credit(view.actor, admission.candidate.origin, policy, on_record=True)
        admission = replace(admission, authority=credited.authority, authority_reason=credited.reason)
    authority = lowest(admission.authority, parents, policy)
    if authority is admission.authority:
        return admission
    return replace(admission, authority=authority, authority_reason="source:derived")


def statement_for_store(view: View, placement: Placement, digests: Digests) -> Statement:
    """What the store is told of a statement, to say what the decision about it depends on."""
    candidate, change_keys = placement.candidate, digests.change_keys
    may_update = change_keys is not None and view.policy.conflict.evolve
    return Statement(
        space=placement.space,
        readers=candidate.readers,
        audience=audience_of_candidate(candidate, placement.space),
        author=view.actor,
        kind=candidate.kind,
        # A turn of a conversation may be like another one; they are no rivals.
        value=None if candidate.kind is Kind.SHORT_TERM else digests.value,
        wordings=digests.wordings,
        change_keys=change_keys.about(candidate.subjects) if change_keys is not None and may_update else None,
        wants_counts=view.policy.budget.is_limited,
    )


def _compare(
    view: View, placement: Placement, admission: Admission, context: WriteContext, claims: ClaimsOfTexts
) -> Admission:
    """Let the gates settle what the statement meets."""
    outdated = find_outdated(view, placement, context.alike, claims)
    if not outdated:
        admission = replace(admission, may_replace=find_replaceable(view, placement, context.alike, claims))
    found = [*context.rivals, *outdated]
    rivals = _rivals(view, placement, found) if found else []
    rivals = [rival for rival in rivals if not _is_rule_of_another(admission, placement, rival)]
    rejected = [one for one in context.rejected if one.ended_at is None]
    ending = last_ending(view, context.rejected)
    return place(admission, rivals, highest(rejected, view.policy), view.policy, view.now, ending)


def _is_rule_of_another(admission: Admission, placement: Placement, rival: Item) -> bool:
    """Whether a rival is what another speaker of a chat says, with the same authority, under the same key and about
    nobody: "refunds need approval", "refunds need none". Nothing says who is right, so both stay."""
    new = placement.candidate
    is_rule = rival.kind is Kind.PROFILE and placement.space.get(Level.CHAT) is not None
    if not is_rule or new.subjects or rival.subjects or new.is_correction or new.stated_by == rival.stated_by:
        return False
    is_same = normal_text(new.text) == normal_text(rival.text)
    return not is_same and admission.authority is rival.authority


def last_ending(view: View, found: Sequence[RejectedValue]) -> Ending | None:
    """The last ending of these values that the actor may know of."""
    known = [Ending(one.ended_at, one.authority) for one in found if one.ended_at and one.is_known_to(view.sight)]
    return max(known, key=lambda ending: ending.at, default=None)


def highest(rejected: Sequence[RejectedValue], policy: Policy) -> Authority | None:
    """The highest authority that rejected any of these values."""
    return min((one.authority for one in rejected), key=policy.authority_order.index, default=None)


def _rivals(view: View, placement: Placement, found: Sequence[Item]) -> list[Item]:
    """The memories found that are rivals of a statement, each once and in the order of their ids."""
    known = {rival.id: rival for rival in found}
    words, supersedes = normal_text(placement.candidate.text), placement.supersedes
    return [
        rival
        for _, rival in sorted(known.items())
        if _is_met(view.sight, words, rival)
        and not is_proposal(rival)  # it waits for a decision of its own
        and not is_expired(rival, view.now)
        and in_phase(rival, view.sight.phase_of(placement.space), view.policy)
        and (supersedes is None or rival.id != supersedes.id)
    ]


def _is_met(sight: Sight, words: str, rival: Item) -> bool:
    """Whether a memory is a rival of a statement with this text in this room. The room does not know memories it may
    not see, so the same text is new in it; but in a private space the owner's later statement supersedes a memory
    wherever it is made."""
    return sight.admits(rival) or (rival.space.is_private and normal_text(rival.text) != words)
