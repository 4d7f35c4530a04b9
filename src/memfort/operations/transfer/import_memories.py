"""Import one memory of a file: it passes every gate, and keeps those claims of the file that can be trusted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.capture.importers.record import Imported
from memfort.engine.default_place import place_of
from memfort.engine.inputs import candidate_of
from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.audience import is_understood, learned_of
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import (
    Authority,
    Candidate,
    EventType,
    Item,
    Status,
    is_live,
)
from memfort.model.learned import UNKNOWN, strictest
from memfort.model.moment import Moment
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason, explanation
from memfort.model.results import Source
from memfort.model.serialize.encoding import is_made_name
from memfort.model.space import Coordinate, Level, Space
from memfort.operations.admit.enrich import (
    audience_of_candidate,
    enrich,
    learned_here,
    origin_fields,
    readers_of_person,
    with_inherited_sensitivity,
)
from memfort.operations.admit.ticks import with_tick
from memfort.operations.admit.write import write
from memfort.operations.people.edits import PeopleEdits
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.operations.request_secrets import texts_in
from memfort.operations.transfer.approval_proofs import REVIEWED, STATED, is_by_another, is_proven, was_reviewed
from memfort.operations.transfer.import_people import LocalPeople
from memfort.operations.transfer.imported_ids import ImportedIds, id_fields
from memfort.operations.transfer.importer import as_importer, standing_at
from memfort.operations.transfer.skip_ended import skip_ended
from memfort.operations.transfer.trust import is_secret, may_speak_for
from memfort.policy.admission import Placement, earliest
from memfort.policy.gates.retention import end_by_rule
from memfort.policy.sight import maintenance_sight


class Claim(StrEnum):
    """Claims of a file that its importer could not have made. They are not believed, and are reported with these
    texts."""

    AUTHOR = "it names an author that you may not speak for; kept as yours"
    SPEAKER = "it names another speaker, which cannot be checked; kept as a guess without a speaker"


class Note(StrEnum):
    """What an importer should know about a memory that was kept. The names are those of the counts of a report."""

    EVIDENCE_UNAVAILABLE = "evidence_unavailable"
    UNKNOWN_READERS = "unknown_readers"


_SAID_OF = {
    Note.EVIDENCE_UNAVAILABLE: "its evidence is unavailable: the turn that it quotes is neither in the file nor here",
    Note.UNKNOWN_READERS: "its reader list names users or agents that are not known here; it is kept for them",
}


class ImportRun(Struct, frozen=True):
    """One import: what every record of a file is read with."""

    source: Source
    header: Mapping[str, Any]  # of an export of ours
    people: LocalPeople
    ids: ImportedIds
    further: tuple[Coordinate, ...] = ()  # places that the host vouches for, besides the importer's standpoint
    bring_back: bool = False  # what was forgotten or erased here
    phased: frozenset[Space] = frozenset()  # spaces that have the phases of the file
    clean: set[str] = field(default_factory=set)  # texts in which no secret was found


class ImportedMemory(NamedTuple):
    """The outcome of a memory of a file, the claims that were not believed, and what its importer should know."""

    outcome: Outcome
    claims: tuple[Claim, ...]
    notes: tuple[Note, ...] = ()

    @property
    def remarks(self) -> list[str]:
        return [*self.claims, *(_SAID_OF[note] for note in self.notes)]


def import_memory(tx: Transaction, run: ImportRun, record: Imported) -> ImportedMemory:
    """Keep the memory of one record, if policy admits it."""
    by_system, header = tx.actor.kind is ActorKind.SYSTEM, run.header
    tx = outer = as_importer(tx, record)
    actor, in_file, here = tx.actor, record.item, learned_here(tx.sight)
    item = None if in_file is None else run.ids.relinked(in_file)
    record = replace(record, item=item)
    if item is not None and _has_ungated_secret(tx, run, item):
        raise InvalidInput(record.place, explanation(Reason.SECRET), "leave it out")
    fields = _fields(item) if item is not None else {**(record.fields or {}), "source": run.source.id}
    candidate = candidate_of(actor, fields)
    space = _place_of(tx, candidate, record)
    tx = standing_at(tx, space, run.further, by_system=by_system)
    claims = () if in_file is None else _claims(tx, in_file, header)
    notes = _unknown_readers(tx, candidate, space)
    candidate = _with_origin_from_file(tx, candidate, space, item, claims)
    if item is None and candidate.expires_at_us is None:
        candidate = candidate.filled(expires_at=_default_end(tx, candidate))
    if item is not None and actor.kind is not ActorKind.SYSTEM and not learned_of(item).is_unknown:
        candidate = candidate.filled(**origin_fields(strictest([learned_of(item), here])))
    if item is not None:
        readers = readers_of_person(actor, with_inherited_sensitivity(tx, candidate, space), space)
        candidate = candidate.filled(subjects=run.people.subjects(item, space, readers))
    if item is not None and item.evidence is not None and not claims:  # nobody quotes another's turn by a file
        if all(_is_here(tx, outer, run.ids, turn) for turn in item.evidence.turns):
            candidate = candidate.filled(evidence=item.evidence)
        else:
            candidate = candidate.filled(meta={**item.meta, "evidence": "unavailable"})
            notes = (*notes, Note.EVIDENCE_UNAVAILABLE)
    placement = Placement(
        candidate,
        space,
        finish=lambda made: _with_fields_from_file(tx, run, made, record, candidate, claims),
        is_enriched=True,
        at_most=_highest_authority(item, claims),
        is_imported=True,
    )
    if (known := _brought_before(tx, placement)) is not None:
        decision = Decision(Verdict.ALLOWED, "dedup", Reason.DUPLICATE, tx.policy.digest)
        return ImportedMemory(Outcome.of(decision, known), ())
    outcome = write(tx, skip_ended(placement, record, bring_back=run.bring_back))
    waits = outcome.item is not None and outcome.reason in {Reason.PERSONAL_REVIEW, Reason.INSTRUCTION_LIKE}
    if waits and in_file is not None and was_reviewed(in_file) and is_proven(tx.store.keys, header, in_file, REVIEWED):
        outcome = _approve_reviewed(tx, outcome, in_file)
    return ImportedMemory(outcome, claims, notes)


# Fields of an exported memory that pass the gates with its statement, have a form that is checked, or are not kept.
_CHECKED_ELSEWHERE = frozenset(
    [
        "id", "space", "kind", "type", "text", "key", "tags", "source", "readers", "derived_from", "provenance", "meta",
        "policy", "importance_reasons", "conversation", "evidence", "status_reason",
    ]
)  # fmt: skip


def _has_ungated_secret(tx: Transaction, run: ImportRun, item: Item) -> bool:
    """Whether a secret is in a text of an exported memory that no gate reads: whom it is by, and what the store there
    noted about it. Most of them are the same in every memory of a file."""
    for name in item.__struct_fields__:
        for text in () if name in _CHECKED_ELSEWHERE else texts_in(getattr(item, name)):
            if text not in run.clean and not is_made_name(text):
                if is_secret(tx.policy, text):
                    return True
                run.clean.add(text)
    return False


def _place_of(tx: Transaction, candidate: Candidate, record: Imported) -> Space:
    """Where a record goes: the space that it names, or the default place of who imports it."""
    try:
        return place_of(tx, candidate)
    except InvalidInput as error:
        if error.field != "space" or (record.fields or {}).get("space") is not None:
            raise
        remedy = "give it a scope that this policy keeps, or import it from where it belongs"
        raise InvalidInput(record.place, f"it names no scope, and {error.problem}", remedy) from error


def _default_end(tx: Transaction, candidate: Candidate) -> Moment | None:
    """When the policy ends a record that says nothing about it. Its time begins with the import: whoever moves in
    brings old records, and the policy has not seen them before."""
    rule = tx.policy.types.get(candidate.type or tx.policy.default_type)
    event_type = candidate.event_type or (EventType.CONTEXT if rule is None else rule.event_type)
    return end_by_rule(candidate.kind, event_type, tx.policy, tx.now)


def _brought_before(tx: Transaction, placement: Placement) -> Item | None:
    """The memory that the importer brought before for readers among whom it is not, and so cannot see: otherwise each
    import of it would leave another one. Only its own count; it learns nothing of others' memories."""
    candidate, space, actor = placement.candidate, placement.space, tx.actor
    if candidate.readers.admits(actor):
        return None
    value = tx.engine.digests(placement, audience_of_candidate(candidate, space), None).value
    known = tx.store.rivals(maintenance_sight([space]), space, candidate.readers, value)
    return next((one for one in known if one.author.key == actor.key and one.text == candidate.text), None)


def _is_here(tx: Transaction, outer: Transaction, ids: ImportedIds, turn: str) -> bool:
    """Whether a turn came with the file, or is here where the importer may see it."""
    return turn in ids.here.values() or any(one.store.items(one.sight, [turn]) for one in (tx, outer))


def _unknown_readers(tx: Transaction, candidate: Candidate, space: Space) -> tuple[Note, ...]:
    """Whether a reader list names anybody but the importer, the members of the space, and the importer's own agents. It
    goes by what the importer may know: whether there is another user or agent of that name is not for them."""
    readers = candidate.readers
    if readers.is_open:
        return ()
    members = {one.id for coordinate in space.coordinates for one in tx.store.members(coordinate)}
    users = (readers.users or frozenset()) - members - {tx.actor.user, space.get(Level.USER)}
    agents = {one for one in readers.agents or () if one not in members and not _is_known_agent(tx, one)}
    return (Note.UNKNOWN_READERS,) if users or agents else ()


def _is_known_agent(tx: Transaction, id: str) -> bool:
    agent = tx.store.agent(id)
    is_own = agent is not None and (agent.owner == tx.actor.user or agent.id == tx.actor.agent)
    return is_own or (agent is not None and tx.actor.kind is ActorKind.SYSTEM)


def _claims(tx: Transaction, item: Item, header: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims about a memory that its importer could not have made."""
    found = []
    is_own = may_speak_for(tx.store, tx.actor, item.author)
    if not is_own:
        found.append(Claim.AUTHOR)
    is_believed = tx.actor.kind is ActorKind.SYSTEM or (is_own and is_proven(tx.store.keys, header, item, STATED))
    if is_by_another(item, tx.actor) and not is_believed:
        found.append(Claim.SPEAKER)
    return tuple(found)


def _highest_authority(item: Item | None, claims: Collection[Claim]) -> Authority:
    """The highest authority that a memory of a file can have here: its authority there, and that of a guess if the file
    names another speaker, or if it is the file of another program: nobody says it here."""
    if item is None:
        return Authority.AI_INFERRED
    return Authority.AI_INFERRED if Claim.SPEAKER in claims else item.authority


def _with_origin_from_file(
    tx: Transaction, candidate: Candidate, space: Space, item: Item | None, claims: Collection[Claim]
) -> Candidate:
    """The statement with the speaker and the origin that the file names, as far as they are believed, and without its
    subjects."""
    unnamed = candidate.filled(subjects=())
    placement, draft = enrich(tx, Placement(unnamed, space, supersedes=item, is_imported=True))
    known = placement.candidate
    if item is None:
        subjects = _without_newcomers(known, space, draft)
        return known.filled(stated_by=None, subjects=subjects, **origin_fields(UNKNOWN))
    speaker = None if Claim.SPEAKER in claims else item.stated_by
    return known.filled(stated_by=speaker, **origin_fields(learned_of(item)))


def _without_newcomers(known: Candidate, space: Space, draft: PeopleEdits) -> tuple[str, ...]:
    """The persons that a text is about, those it would make as an unknown one: a file of another program makes nobody
    known here."""
    known_here = (one if draft.person(one) is None else unknown_person_id(space, known.text) for one in known.subjects)
    return tuple(dict.fromkeys(known_here))


def _with_fields_from_file(
    tx: Transaction,
    run: ImportRun,
    made: Item,
    record: Imported,
    candidate: Candidate,
    claims: Collection[Claim],
) -> Item:
    """A memory before it is written, with the fields that it keeps from the file."""
    kept = (
        _with_date(record, candidate, tx.now)
        if record.item is None
        else _fields_kept_from_export(tx, made, record.item, claims)
    )
    if record.item is not None and made.space in run.phased:
        kept["phase"] = record.item.phase
    return replace(made, **kept)


def _approve_reviewed(tx: Transaction, outcome: Outcome, item: Item) -> Outcome:
    """Approve a pending memory that was already reviewed, and record the reason. Not for an agent, which brings no
    approvals, and not if it would replace another memory, which a person must decide."""
    rivals = tx.store.rivals(tx.sight, item.space, item.readers, tx.engine.value(item))
    if tx.actor.kind is ActorKind.AGENT or any(is_live(rival, tx.now) for rival in rivals):
        return outcome
    assert outcome.item is not None
    after = replace(outcome.item, status=item.status, status_reason=item.status_reason)
    after = with_tick(tx, after)
    tx.apply([tx.update(after)], [tx.event("approve", after, Reason.REVIEW_PROVEN)])
    return replace(outcome, item=after)


def _fields(item: Item) -> dict[str, Any]:
    """An exported memory as a statement for the gates."""
    return {
        "text": item.text,
        "space": item.space.to_dict(),
        "kind": item.kind,
        "type": item.type,
        "key": item.key,
        "tags": item.tags,
        "origin": item.origin,
        "source": item.source,
        "observed_at": item.observed_at_us,
        "sensitivity": item.sensitivity if is_understood(item) else None,  # what was only assumed is judged here
        "access": item.readers,
        "confidence": item.confidence,
        "importance": item.importance,
        "status": item.status if item.status is not Status.SUPERSEDED else Status.APPROVED,
        "expires_at": item.expires_at_us,
        "derived_from": item.derived_from,
        "provenance": item.provenance,
        "meta": item.meta,
        "event_type": item.event_type,
        "is_correction": item.is_correction,
        "subjects": item.subjects,
        "portable": item.portable,
        "importance_reasons": item.importance_reasons,
        "conversation": item.conversation,
        "occurred": item.occurred,
    }


def _fields_kept_from_export(tx: Transaction, made: Item, item: Item, claims: Collection[Claim]) -> dict[str, Any]:
    """The fields that an exported memory keeps besides its statement."""
    kept: dict[str, Any] = {
        "created_at_us": min(item.created_at_us, tx.now),
        "updated_at_us": min(item.updated_at_us, tx.now),
        "supersedes": item.supersedes,
        "superseded_by": item.superseded_by,
        "replaces": item.replaces,
        "may_replace": item.may_replace,
        "version": item.version,
        "expires_at_us": earliest(item.expires_at_us, [made] if item.derived_from else []),
        "fades_at_us": item.fades_at_us,
        "policy_tags": item.policy_tags,
        "in_force_at_us": None if item.in_force_at_us is None else min(item.in_force_at_us, tx.now),
        "promoted_from": item.promoted_from,
        "promotion_reason": item.promotion_reason,
        "type_chosen": item.type_chosen,
    }
    if item.space.get(Level.USER) is not None and item.space.get(Level.USER) == tx.actor.user:
        # Only in the importer's own space: elsewhere a tick from a file would age other actors' memories.
        kept |= {"created_tick": item.created_tick, "expires_tick": item.expires_tick, "ended_phase": item.ended_phase}
    if made.judgement is None and made.sensitivity is item.sensitivity and is_understood(item):
        kept["judgement"] = item.judgement
    if Claim.AUTHOR not in claims:
        kept |= id_fields(tx, made, item)
    if item.status is Status.SUPERSEDED:
        kept["status"] = item.status
    if item.status in {made.status, Status.SUPERSEDED}:
        kept["status_reason"] = item.status_reason
    if made.authority is item.authority and Claim.SPEAKER not in claims:
        kept["authority_reason"] = item.authority_reason
    return kept


def _with_date(record: Imported, candidate: Candidate, now: Moment) -> dict[str, Any]:
    """A record from elsewhere keeps its date, unless that lies in the future, and its end or the policy's."""
    kept: dict[str, Any] = {"expires_at_us": candidate.expires_at_us}
    if record.created_at is not None and record.created_at <= now:
        kept["created_at_us"] = record.created_at
    return kept
