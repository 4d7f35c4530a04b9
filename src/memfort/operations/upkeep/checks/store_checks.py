"""Checks of the store itself: its pages, seals, index, vectors, trail, erasures, key and policy.

Only ids and numbers of memories are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from memfort.engine.engine import Engine
from memfort.engine.indexing.missing_vectors import count_missing_vectors
from memfort.engine.transaction import Session
from memfort.errors import StoreError
from memfort.model.results import CheckResult
from memfort.operations.ending import finish_erasures
from memfort.operations.trail import verify
from memfort.operations.upkeep import quarantine, reindex
from memfort.operations.upkeep.judge import count_waiting
from memfort.policy.settings.sections import AuditReads
from memfort.store.port import ANALYZER, BALLAST_BYTES, WHOLE_STORE

POLICY, FILES, KEY, SCHEMA, PAGES, ROWS = "policy", "files", "key", "schema", "pages", "rows"
INDEX, VECTORS, TRAIL, READS, ERASURES, BALLAST = "index", "vectors", "trail", "reads", "erasures", "ballast"
SENSITIVITY, ERASED_LIST, EXTRACTION = "sensitivity", "erased_list", "extraction"
CHECKS = (
    POLICY,
    FILES,
    KEY,
    SCHEMA,
    PAGES,
    ROWS,
    INDEX,
    VECTORS,
    SENSITIVITY,
    EXTRACTION,
    TRAIL,
    READS,
    ERASURES,
    ERASED_LIST,
    BALLAST,
)
FIXABLE = (ROWS, INDEX, ERASURES)
SOUNDNESS = frozenset({FILES, PAGES, ROWS, INDEX, TRAIL, ERASURES})  # memories are not checked unless these pass
REMEDIES = {
    POLICY: "policy.use(policy)",
    FILES: "doctor(fix=True)",
    PAGES: "restore the store from a copy",
    ROWS: "doctor(fix=True) takes them out of the index; then erase them by id, or restore the store from a copy",
    INDEX: "doctor(fix=True)",
    TRAIL: "find out who changed the store; trail.verify() says where",
    ERASURES: "finish_erasures()",
    BALLAST: "free some disk space, then run doctor() again",
}
_CHECK_OF_PROBLEM = {"permissions": FILES, "damaged": ROWS}


def check_store(session: Session, wanted: Collection[str] = CHECKS) -> list[CheckResult]:
    """The problems of the store, check by check. Changes nothing."""
    found = {one.check: one for one in (*_facts(session), *_integrity(session))}
    return [found[check] for check in CHECKS if check in wanted and check in found]


def fix_store(session: Session, wanted: Collection[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Repair what can be repaired: the number of repairs per check, and the memories taken out of the index."""
    fixed: dict[str, int] = {}
    taken: list[str] = []
    if ROWS in wanted:
        taken = session.write(WHOLE_STORE, lambda tx: quarantine.handle(tx, quarantine.QuarantineRequest()))
        fixed[ROWS] = len(taken)
    if {ROWS, INDEX} & set(wanted):
        count = reindex.handle(session, reindex.ReindexRequest()).memories
        fixed |= {INDEX: count} if INDEX in wanted else {}
    if ERASURES in wanted:
        fixed[ERASURES] = len(finish_erasures.handle(session, finish_erasures.FinishErasuresRequest()).finished)
    return fixed, tuple(taken)


def _integrity(session: Session) -> Iterator[CheckResult]:
    problems: dict[str, list[str]] = {}
    for what, problem in session.store.checkup():
        problems.setdefault(_CHECK_OF_PROBLEM.get(what, what), []).append(problem)
    try:
        for one in verify.handle(session, verify.VerifyRequest()).broken:
            problems.setdefault(TRAIL, []).append(f"{one.chain} link {one.number}: {one.problem}")
    except StoreError as error:
        problems.setdefault(TRAIL, []).append(f"it cannot be compared: {error}")
    for erasure in session.store.erasures():
        if erasure.pending:
            problems.setdefault(ERASURES, []).append(f"`{erasure.id}` is pending: {erasure.pending}")
    info = session.store.info()
    count = int(info["memories"])
    rows = "1 memory matches its seal" if count == 1 else f"{count} memories match their seals"
    sound = {
        FILES: "closed to others",
        PAGES: "every page is sound",
        ROWS: rows,
        INDEX: "every entry is in its place",
        TRAIL: "every chain is intact, and every memory agrees with it",
        ERASURES: "none is pending",
    }
    for check, said in sound.items():
        named = tuple(problems.pop(check, ()))
        if named:
            fixable = len(named) if check in FIXABLE else 0
            yield CheckResult(check, _count_noun(len(named), "problem"), named, remedy=REMEDIES[check], fixable=fixable)
        elif check == INDEX:
            yield _index(said, str(info.get("words", ANALYZER)))
        else:
            yield CheckResult(check, said)
    assert not problems, "a problem that no check covers"


def _index(sound: str, words: str) -> CheckResult:
    """An index from an earlier analyzer version does not make the store unsound: most words are the same."""
    if words == ANALYZER:
        return CheckResult(INDEX, sound)
    note = f"it was built by the analyzer `{words}`, and queries use `{ANALYZER}`"
    return CheckResult(INDEX, sound, notes=(note,), remedy="store.reindex()")


def _facts(session: Session) -> Iterator[CheckResult]:
    info = session.store.info()
    yield _policy(session)
    for check in (KEY, SCHEMA):
        if check in info:
            yield CheckResult(check, f"{check} {info[check]}")
    with suppress(StoreError):  # an index that cannot be read is told of by its own check
        yield _vectors(session.engine.embedding.name, count_missing_vectors(session.engine))
        yield _sensitivity(session.engine)
    with suppress(StoreError):
        yield _extraction(session.engine)
    yield _reads(session)
    if "erased_lines" in info:
        yield _erased_list(int(info["erased_lines"]), int(info["erased_listed"]))
    if "ballast_bytes" in info:
        bytes = int(info["ballast_bytes"])
        missing = (f"{bytes} of {BALLAST_BYTES} bytes are set aside; a full disk could stop an erasure",)
        problems = () if bytes >= BALLAST_BYTES else missing
        remedy = REMEDIES[BALLAST] if problems else None
        yield CheckResult(BALLAST, f"{bytes} bytes for erasing on a full disk", problems, remedy=remedy)


def _extraction(engine: Engine) -> CheckResult:
    """The queue of the extractor. Whose turns they are is not said: each sees their own with `extraction.list`."""
    waiting, given_up = engine.store.count_queued_turns()
    found = f"{_count_noun(waiting, 'turn')} in the queue for the extractor `{engine.extractor_name}`"
    if given_up:
        problem = f"{_count_noun(given_up, 'turn')} could not be read by the extractor"
        remedy = "extraction.list() says why; then extraction.retry() or extraction.drop()"
        return CheckResult(EXTRACTION, found, (problem,), remedy=remedy)
    is_idle = waiting and not engine.learns_with_model
    notes = ("nothing reads them: no extractor is set, or the policy lets nothing leave",) if is_idle else ()
    return CheckResult(EXTRACTION, found, notes=notes, remedy="store.extract() says why" if is_idle else None)


def _erased_list(known: int, listed: int) -> CheckResult:
    """The list beside the store by which a restore knows what was erased. Without it the store itself is sound."""
    if listed >= known:
        return CheckResult(ERASED_LIST, f"names everything that was erased, in {_count_noun(known, 'line')}")
    note = f"it ends at line {listed} of {known}, so a restored backup could bring it back"
    remedy = "copy `memory.db.erased` back, or remove it and open the store again"
    return CheckResult(ERASED_LIST, "it is incomplete", notes=(note,), remedy=remedy)


def _policy(session: Session) -> CheckResult:
    """The policy in use in the store, or else the one in force."""
    try:
        in_use = session.engine.policy_in_use()
    except StoreError as error:
        return CheckResult(POLICY, "the one in use is unreadable", (str(error),), remedy=REMEDIES[POLICY])
    if in_use is None:
        return CheckResult(POLICY, f"{session.policy.name} {session.policy.digest}")
    return CheckResult(POLICY, f"{in_use.name} {in_use.digest}, in use in the store")


def _vectors(embedder: str, missing: int) -> CheckResult:
    """Memories without a vector do not make the store unsound."""
    if not missing:
        found = "none are in use" if embedder == "none" else f"every memory has one of `{embedder}`"
        return CheckResult(VECTORS, found)
    memories = "1 memory" if missing == 1 else f"{missing} memories"
    note = f"{memories} found by words alone: no vector of `{embedder}`"
    return CheckResult(VECTORS, _count_noun(missing, "finding"), notes=(note,), remedy="store.reembed()")


_HEARD_BY = "chats hear of it only what all who listen heard when it was said, shares and public spaces nothing"


def _sensitivity(engine: Engine) -> CheckResult:
    """Without an encoder nothing is less safe, but more is withheld than has to be as soon as anyone new listens."""
    if not engine.policy.disclosure.classify:
        return CheckResult(SENSITIVITY, "not classified, as the policy says")
    waiting = count_waiting(engine)
    said = "every memory is judged" if not waiting else _count_noun(waiting, "finding")
    memories = "1 memory waits" if waiting == 1 else f"{waiting} memories wait"
    notes = (f"{memories} to be judged; until then {_HEARD_BY}",) if waiting else ()
    if engine.has_classifier:
        return CheckResult(SENSITIVITY, said, notes=notes, remedy="store.judge()" if waiting else None)
    missing = f"there is no encoder: what the words do not settle stays unjudged; {_HEARD_BY}"
    return CheckResult(SENSITIVITY, said, notes=(*notes, missing), remedy="install memfort[multilingual] with pip")


def _reads(session: Session) -> CheckResult:
    """That some could not be recorded is for the operator to know; the store is sound."""
    audit, unrecorded = session.policy.audit.reads, session.engine.unrecorded_reads
    said = {
        AuditReads.OFF: "not recorded, as the policy says",
        AuditReads.BATCHED: "recorded in batches",
        AuditReads.DURABLE: "recorded before they are answered",
    }[audit]
    if audit is AuditReads.BATCHED and session.store.is_read_only:
        said = "answered and not recorded, because the store is open to be read alone"
    if not unrecorded:
        return CheckResult(READS, said)
    count = _count_noun(unrecorded, "read")
    note = f"{count} of this process answered and not recorded: the store could not be written to"
    return CheckResult(READS, said, notes=(note,), remedy='audit_reads = "durable" refuses such reads')


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
