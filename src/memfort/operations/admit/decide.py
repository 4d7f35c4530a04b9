"""What every gate says to a statement. It changes and records nothing, so `check` asks it too."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from memfort.engine.engine import KnownValues
from memfort.engine.indexing.text_analysis import TextAnalysis
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.language.normal_form import normal_text
from memfort.model.decision import Verdict
from memfort.model.item import Candidate, ChangeKeys, Item, Kind, is_expired, outweighs
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.admit.enrich import audience_of_candidate, most_private
from memfort.operations.admit.placement import NOTHING_PRECOMPUTED, Digests, Placement, Precomputed
from memfort.operations.admit.supersede import find_outdated
from memfort.policy.admission import Placed, Screened, earliest, place, screen
from memfort.policy.authority import NOT_ON_RECORD, credit, is_quoted, lowest
from memfort.policy.gates.supersession import change_keys_of
from memfort.policy.phase import in_phase
from memfort.store.port import Statement, WriteContext


class DecidedStatement(Struct, frozen=True):
    """What became of a statement at the gates."""

    screened: Screened
    placed: Placed
    context: WriteContext | None = None  # what the store knows of it, if it came so far
    known: KnownValues | None = None  # of its words, if it came so far


def decide(view: View, placement: Placement, precomputed: Precomputed = NOTHING_PRECOMPUTED) -> DecidedStatement:
    """Put an enriched statement to the gates: first those that need only the statement, then those that compare it
    with what is kept."""
    analysis, digests = precomputed.analysis, precomputed.digests
    screened = precomputed.screened or screen_alone(view, placement, analysis)
    if screened.decision.verdict is Verdict.DENIED:
        return DecidedStatement(screened, Placed(screened.decision))
    at_most, candidate = placement.at_most, placement.candidate
    if at_most is not None and outweighs(screened.authority, at_most, view.policy.authority_order):
        screened = replace(screened, authority=at_most, authority_reason=f"{NOT_ON_RECORD}{candidate.origin}")
    sources = _sources(view, placement.space, candidate)
    parents = sources if placement.promotes is None else [*sources, placement.promotes]
    if parents:
        private = most_private([candidate.sensitivity, *(parent.sensitivity for parent in parents)])
        weighed = _with_derived_authority(view, screened, sources, parents)
        screened = replace(weighed, candidate=screened.candidate.filled(sensitivity=private))
        digests = None  # its audience may have changed, and with it its rivals
    context = None if digests is None else precomputed.context
    if analysis is not None and analysis.text != screened.candidate.text:
        analysis = None  # a gate redacted the text
    digests = digests or digests_of(view, screened.candidate, placement.space, analysis)
    known = KnownValues(digests[0], change_keys_in(screened.candidate, analysis), analysis)
    if context is None:
        asked = statement_for_store(view, placement.space, screened.candidate, digests, known.change_keys)
        [context] = view.store.write_contexts(view.decision_view.sight, [asked])
    decided = DecidedStatement(screened, _compare(view, placement, screened, known, context), context, known)
    if not sources:
        return decided
    # A statement outlives the turn it was said in; anything else that is derived does not outlive its sources.
    limits = [source for source in sources if source.kind is not Kind.SHORT_TERM]
    placed = replace(decided.placed, expires_at=earliest(decided.placed.expires_at, limits))
    return replace(decided, placed=placed)


def screen_alone(view: View, placement: Placement, analysis: TextAnalysis | None) -> Screened:
    """What the gates say that need only the statement itself."""
    candidate, space = placement.candidate, placement.space
    return screen(
        view.actor,
        view.sight.seen(space),
        space,
        candidate,
        view.policy,
        crosses=placement.promotes is not None,
        is_clean=analysis is not None and analysis.is_clean and analysis.text == candidate.text,
        on_record=placement.on_record,
    )


def digests_of(view: View, candidate: Candidate, space: Space, analysis: TextAnalysis | None) -> Digests:
    words = _normal(candidate, analysis)
    return view.engine.digests(candidate, words, space, audience_of_candidate(candidate))


def _normal(candidate: Candidate, analysis: TextAnalysis | None) -> str:
    return normal_text(candidate.text) if analysis is None else analysis.normal


def _sources(view: View, space: Space, candidate: Candidate) -> list[Item]:
    """The memories a statement is derived from; each must be in sight, and in the same space. An actor may derive from
    its own words also where others present may not hear them."""
    if not candidate.derived_from:
        return []
    here = view.within(space)
    stored = here.decision_view.items(candidate.derived_from)
    found = {item.id: item for item in stored if here.sight.admits(item) or item.author.key == view.actor.key}
    for id in candidate.derived_from:
        if id not in found:
            raise NotFound("memory", id)
    return list(found.values())


def _with_derived_authority(
    view: View, screened: Screened, sources: Sequence[Item], parents: Sequence[Item]
) -> Screened:
    """The statement with the authority that it has from the memories it came from."""
    policy = view.policy
    if is_quoted(screened.candidate, sources):
        credited = credit(view.actor, screened.candidate.origin, policy, on_record=True)
        screened = replace(screened, authority=credited.authority, authority_reason=credited.reason)
    authority = lowest(screened.authority, parents, policy)
    if authority is screened.authority:
        return screened
    return replace(screened, authority=authority, authority_reason="source:derived")


def statement_for_store(
    view: View, space: Space, candidate: Candidate, digests: Digests, change_keys: ChangeKeys | None
) -> Statement:
    """What the store is told of a statement, to say what the decision about it depends on."""
    value, wording = digests
    may_update = change_keys is not None and view.policy.conflict.evolve
    return Statement(
        space=space,
        readers=candidate.readers,
        audience=audience_of_candidate(candidate),
        author=view.actor,
        kind=candidate.kind,
        # A turn of a conversation may be like another one; they are no rivals.
        value=None if candidate.kind is Kind.SHORT_TERM else value,
        wording=wording,
        change_keys=change_keys.about(candidate.subjects) if change_keys is not None and may_update else None,
        wants_counts=view.policy.budget.is_limited,
    )


def change_keys_in(candidate: Candidate, analysis: TextAnalysis | None) -> ChangeKeys | None:
    """The change keys of a statement, if it is of a kind that can be updated."""
    if candidate.kind is not Kind.SEMANTIC:
        return None
    return change_keys_of(candidate.text, normal_text(candidate.text)) if analysis is None else analysis.change_keys


def _compare(view: View, placement: Placement, screened: Screened, known: KnownValues, context: WriteContext) -> Placed:
    """Let the gates settle what the statement meets."""
    candidate = screened.candidate
    found = [*context.rivals, *find_outdated(view, placement.space, candidate, context.alike)]
    rivals = _rivals(view, placement, _normal(candidate, known.analysis), found) if found else []
    rejected_by = context.rejected.authority if context.rejected else None
    return place(view.actor, screened, rivals, rejected_by, view.policy, view.now)


def _rivals(view: View, placement: Placement, words: str, found: Sequence[Item]) -> list[Item]:
    """The memories found that are rivals of a statement of these words, each once and in the order of their ids."""
    known = {rival.id: rival for rival in found}
    supersedes = placement.supersedes
    return [
        rival
        for _, rival in sorted(known.items())
        if _is_met(view.sight, words, rival)
        and not is_expired(rival, view.now)
        and in_phase(rival, view.sight.phase_of(placement.space), view.policy)
        and (supersedes is None or rival.id != supersedes.id)
    ]


def _is_met(sight: Sight, words: str, rival: Item) -> bool:
    """Whether a statement of these words, made in this room, meets a memory. The room does not know what it may not
    hear, so the same words are new in it; but in a private space a memory gives way to its owner's later word wherever
    that is said."""
    return sight.admits(rival) or (rival.space.is_private and normal_text(rival.text) != words)
