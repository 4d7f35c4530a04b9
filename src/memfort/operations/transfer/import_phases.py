"""Import the phases of an exporter's own spaces, where none have begun yet: a file does not end a phase here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from memfort.capture.importers.record import Imported
from memfort.engine.engine import ALL_STATES
from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.phase import Phase
from memfort.model.space import Level, Space
from memfort.operations.phase.start import check_label, phase_event
from memfort.operations.transfer.trust import is_secret
from memfort.policy.sight import own_spaces_sight
from memfort.store.port import PutPhase


def import_phases(tx: Transaction, records: Sequence[Imported], counts: Counter[str]) -> frozenset[Space]:
    """Begin the phases of a file in the importer's own spaces; returns the spaces that have the phases of the file."""
    found: dict[Space, list[Phase]] = {}
    for record in records:
        if record.phase is not None:
            space, phase = record.phase
            found.setdefault(space, []).append(phase)
    taken = set()
    for space, phases in found.items():
        phases.sort(key=lambda phase: phase.index)
        here = _phases_here(tx, space)
        if here == tuple(phases):
            taken.add(space)
            counts["recognised"] += len(phases)
        elif here == () and _may_begin(tx, space, phases):
            for phase in phases:
                tx.apply([PutPhase(space, phase)], [phase_event(tx, space, phase)])
            taken.add(space)
            counts["phases"] += len(phases)
        else:
            counts["left_out"] += len(phases)
    return frozenset(taken)


def _phases_here(tx: Transaction, space: Space) -> tuple[Phase, ...] | None:
    """The phases of a space of the importer's own; nothing of another."""
    if space.get(Level.USER) is None or space.get(Level.USER) != tx.actor.user:
        return None
    return tx.store.phases(own_spaces_sight(tx.actor, [space])).get(space.id, ())


def _may_begin(tx: Transaction, space: Space, phases: Sequence[Phase]) -> bool:
    """Whether the policy has phases, and these follow each other and hide no secret in their labels. Only a space
    without memories gets them: what is there is not made history."""
    limit = tx.policy.phase.max_phases
    if not tx.policy.phase.enabled or (limit is not None and len(phases) >= limit):
        return False
    if [phase.index for phase in phases] != list(range(2, len(phases) + 2)) or _is_used(tx, space):
        return False
    with suppress(InvalidInput):
        for phase in phases:
            check_label(phase.reason, "reason")
            check_label(phase.name, "name")
        labels = [text for phase in phases for text in (phase.reason, phase.name) if text is not None]
        in_past = all(phase.started_at_us is not None and phase.started_at_us <= tx.now for phase in phases)
        return in_past and not any(is_secret(tx.policy, text) for text in labels)
    return False


def _is_used(tx: Transaction, space: Space) -> bool:
    return bool(tx.store.page(own_spaces_sight(tx.actor, [space], whole=True), ALL_STATES, None, 1, tx.now))
