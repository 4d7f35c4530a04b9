"""Check the store and its memories, and repair what can be repaired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.errors import InvalidInput, did_you_mean
from memfort.model.people.actor import ActorKind
from memfort.model.results import CheckResult, Diagnosis
from memfort.operations.requests import Request
from memfort.operations.upkeep.checks import diagnose, store_checks
from memfort.operations.upkeep.checks.diagnose import Scope, examine
from memfort.operations.upkeep.checks.repair import repair
from memfort.operations.upkeep.checks.store_checks import SOUNDNESS, check_store, fix_store

STORE, INTEGRITY, CONTENTS = "store", "integrity", "contents"  # words for all checks of a kind


class DoctorRequest(Request, frozen=True):
    """The checks to run, and the repairs to make first."""

    checks: Annotated[
        tuple[str, ...],
        Meta(description="Only these checks; `store`, `integrity` and `contents` stand for all of a kind."),
    ] = ()
    fix: Annotated[tuple[str, ...], Meta(description="Checks whose findings are repaired first.")] = ()


def handle(session: Session, request: DoctorRequest) -> Diagnosis:
    """Check what the asker owns: for the system the store itself and all memories, for any other actor the memories in
    their own spaces. It shows ids, levels and numbers, never contents."""
    fix = _checks_named(session, request.fix, "fix")
    wanted = _checks_named(session, request.checks or (STORE, CONTENTS), "checks", is_named=bool(request.checks))
    scope = Scope(session)
    fixed, quarantined = fix_store(session, fix)
    fixed |= {check: repair(scope, check) for check in diagnose.CHECKS if check in fix}
    results = _look(scope, wanted, is_named=bool(request.checks or fix))
    return Diagnosis(tuple(results), fixed, quarantined)


def _look(scope: Scope, wanted: frozenset[str], *, is_named: bool) -> list[CheckResult]:
    """Memories are not checked by default in an unsound store, where nothing can be relied on."""
    results = check_store(scope.session, wanted) if wanted & set(store_checks.CHECKS) else []
    is_sound = all(one.ok for one in results if one.check in SOUNDNESS)
    if wanted & set(diagnose.CHECKS) and (is_sound or is_named):
        results += examine(scope, wanted)
    return results


def _checks_named(session: Session, given: Sequence[str], field: str, *, is_named: bool = True) -> frozenset[str]:
    """The checks that the given words name. Only the system may check the store itself."""
    is_system = session.actor.kind is ActorKind.SYSTEM
    kinds = {
        STORE: store_checks.CHECKS if is_system or is_named else (),
        INTEGRITY: tuple(SOUNDNESS),
        CONTENTS: diagnose.CHECKS,
    }
    known = (*store_checks.CHECKS, *diagnose.CHECKS)
    wanted: set[str] = set()
    for word in given:
        if word not in known and word not in kinds:
            raise InvalidInput(field, f"`{word}` is not a check", did_you_mean(word, (*known, *kinds)))
        wanted.update(kinds.get(word, (word,)))
    if not is_system and wanted & set(store_checks.CHECKS):
        raise InvalidInput(field, "only the system may check the store itself", "name checks of memories")
    return frozenset(wanted)
