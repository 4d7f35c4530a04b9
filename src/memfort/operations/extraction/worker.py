"""Work off the queue: ask the model about turns, and write what it finds.

A batch is taken up in one commit, asked about outside any transaction, and written in another, together with its
leaving the queue. So whatever happens in between, a turn is either still queued or has had its one effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.model import PROMPT_VERSION, BadReply, check_reply, messages_of, read_statements, reply_schema
from memfort.embed.extractor import ExtractorModel, Question
from memfort.engine.call import Call
from memfort.engine.default_place import default_places
from memfort.engine.transaction import Session, Transaction
from memfort.errors import ClassifierFailed, ExtractorFailed
from memfort.model.moment import Moment
from memfort.model.people.actor import Standpoint
from memfort.model.reason import Reason
from memfort.model.results import ExtractionRun
from memfort.operations.extraction.learn import Learned, learn
from memfort.operations.extraction.question import Prepared, Sorted, prepare, sort_turns
from memfort.operations.extraction.queue import Batch, Progress, later, next_batch, queued_now
from memfort.operations.touched import places_of
from memfort.operations.upkeep.judge import judge
from memfort.policy.sight import sight as resolve_sight
from memfort.policy.standing import Memberships
from memfort.store.port import Change, DropQueuedTurn, PutQueuedTurn, QueuedTurn

NO_EXTRACTOR = "no extractor is set: open the store with `extractor`, or set MEMFORT_EXTRACTOR"
NOTHING_LEAVES = "the policy lets nothing leave: list levels in `extraction.send`"
SWITCHED_OFF = "extraction is switched off by `extraction_enabled`"
STOPPED = "the worker stopped before it had an answer"
_ASK_AGAIN_SECONDS = 600.0  # about turns that wait for a review or a judgement
_LEASE_SECONDS = 60.0  # beyond the time-out of a request, before another worker takes up its turns


def read_due(session: Session, stop: Callable[[], bool] = lambda: False) -> ExtractionRun:
    """Ask the model about every turn that is due. A server that does not answer ends the run: the next one goes on.

    A turn is sent only when it was judged how private it is. So what waits for that is judged first: a command line has
    no other process that does it."""
    engine, progress = session.engine, Progress()
    found = ExtractionRun(engine.extractor_name, problem=why_not(session))
    unjudged = _judge_what_waits(session, stop) if found.problem is None and engine.has_classifier else None
    while found.problem is None and not stop():
        batch = next_batch(engine, session.now, progress)
        if batch is None:
            break
        progress.add(batch)
        found = _add(found, _work_on(session, batch))
        waiting, _ = engine.store.count_queued_turns()
        session.progress(len(progress.tried), len(progress.tried) + waiting)
    waiting, given_up = engine.store.count_queued_turns()
    return replace(found, left=waiting, given_up=given_up, problem=found.problem or unjudged)


def _judge_what_waits(session: Session, stop: Callable[[], bool]) -> str | None:
    """The problem of an encoder that fails. Turns that were judged before are read all the same."""
    try:
        judge(session, stop=stop)
    except ClassifierFailed as error:
        return str(error)
    return None


def why_not(session: Session) -> str | None:
    """Why no turn is read at all, if that is so."""
    engine = session.engine
    if engine.extractor is None:
        return NO_EXTRACTOR
    if not engine.overrides.extraction_enabled:
        return SWITCHED_OFF
    return None if engine.policy.extraction.send else NOTHING_LEAVES


def _add(so_far: ExtractionRun, done: _Done) -> ExtractionRun:
    return replace(
        so_far,
        read=so_far.read + done.learned.read,
        kept=so_far.kept + done.learned.kept,
        refused=so_far.refused + done.learned.refused.total(),
        withheld=so_far.withheld + done.withheld,
        failed=so_far.failed + done.failed,
        problem=done.problem,
    )


class _Done(Struct, frozen=True):
    """What became of one batch."""

    learned: Learned
    withheld: int = 0
    failed: int = 0
    problem: str | None = None  # why the next batch would fail too


def _work_on(session: Session, batch: Batch) -> _Done:
    """Read one batch as whoever observed it, standing where they stood, with the rights that they have now."""
    engine, extractor = session.engine, session.engine.extractor
    assert extractor is not None
    own = Session(engine, _standpoint(session, batch.first), Call(engine, "", "extract"))
    with own.view() as view:
        sorted_turns = sort_turns(view, batch.queued)
        prepared = prepare(view, sorted_turns.ready) if sorted_turns.ready else None
    claimed = own.write([batch.first.space], partial(_take_up, sorted_turns=sorted_turns))
    withheld = len(sorted_turns.withheld)
    if prepared is None or not claimed:
        return _Done(Learned(), withheld)
    prepared = _only(prepared, claimed)
    try:
        return _Done(_ask_and_learn(own, extractor, prepared), withheld)
    except BadReply as error:
        failure = ExtractorFailed(extractor.name, str(error), "name another model", refused=True)
    except ExtractorFailed as error:
        failure = error
    except Exception as error:  # noqa: BLE001  # whatever a reply causes is about these turns alone
        problem = f"reading its reply failed with {type(error).__name__}"
        failure = ExtractorFailed(extractor.name, problem, "name another model", refused=True)
    return _fail(own, prepared, failure, withheld)


def _ask_and_learn(session: Session, extractor: ExtractorModel, prepared: Prepared) -> Learned:
    reply = extractor.ask(_question(session, prepared), partial(_record_request, session, extractor, prepared))
    checked, refused = check_reply(read_statements(reply), prepared.sent)
    reasons = Counter(one.reason.value for one in refused)
    spaces = places_of(session, [prepared.queued[0].space, *default_places(session.standpoint, session.policy)])
    return session.write(spaces, partial(learn, prepared=prepared, checked=checked, refused=reasons))


def _standpoint(session: Session, queued: QueuedTurn) -> Standpoint:
    """Where a turn was observed from. If only registered memberships counted there, they still do: a worker vouches for
    nobody."""
    standpoint, engine = queued.standpoint, session.engine
    if not queued.is_registered or engine.memberships is Memberships.REGISTERED:
        return standpoint
    facts = engine.store.facts(standpoint)
    there = resolve_sight(standpoint, facts, Memberships.REGISTERED, engine.policy.spaces.read_order).writable
    spaces = {seen.space for seen in there.spaces}
    within = spaces if standpoint.within is None else spaces & set(standpoint.within)
    return replace(standpoint, within=tuple(sorted(within, key=lambda space: space.id)))


def _question(session: Session, prepared: Prepared) -> Question:
    return Question(messages_of(prepared.sent), reply_schema(), session.policy.extraction.timeout_seconds)


# -- taking turns up --------------------------------------------------------------------------------------------------


def _take_up(tx: Transaction, sorted_turns: Sorted) -> list[QueuedTurn]:
    """Note the attempt before it is made, so that attempts are bounded even if the process is killed in each of them.
    Turns that another worker has taken up meanwhile are left to it."""
    rules, known = tx.policy.extraction, _as_queued(tx, sorted_turns)
    until = later(tx.now, rules.timeout_seconds + _LEASE_SECONDS)
    claimed, changes = list[QueuedTurn](), list[Change]()
    for one, _ in sorted_turns.ready:
        if one not in known:
            continue
        if one.attempts >= rules.attempts:  # the worker stopped in the last of them
            changes.append(PutQueuedTurn(replace(one, due_at=None, problem=one.problem or STOPPED)))
            continue
        claimed.append(replace(one, attempts=one.attempts + 1, due_at=until))
    changes += [PutQueuedTurn(one) for one in claimed]
    later_again = later(tx.now, _ASK_AGAIN_SECONDS)
    changes += [
        PutQueuedTurn(replace(one, due_at=later_again, problem=why))
        for one, why in sorted_turns.waiting
        if one in known
    ]
    dropped = [one for one in (*sorted_turns.withheld, *sorted_turns.gone) if one in known]
    changes += [DropQueuedTurn(one.space, one.turn) for one in dropped]
    withheld = [one.turn for one in sorted_turns.withheld if one in known]
    events = [tx.actor_event("extract", "denied", Reason.WITHHELD_FROM_MODEL, {"turns": withheld})] if withheld else []
    tx.apply(changes, events)
    return claimed


def _as_queued(tx: Transaction, sorted_turns: Sorted) -> list[QueuedTurn]:
    """The turns of the batch that are queued as they were when they were chosen."""
    chosen = [one for one, _ in sorted_turns.ready]
    chosen += [one for one, _ in sorted_turns.waiting]
    chosen += [*sorted_turns.withheld, *sorted_turns.gone]
    return queued_now(tx, chosen)


def _only(prepared: Prepared, claimed: Sequence[QueuedTurn]) -> Prepared:
    """The question about the turns that were taken up."""
    by_place = {one.place: one for one in claimed}
    places = [number for number, one in enumerate(prepared.queued) if one.place in by_place]
    return replace(
        prepared,
        sent=replace(prepared.sent, turns=tuple(prepared.sent.turns[number] for number in places)),
        queued=tuple(by_place[prepared.queued[number].place] for number in places),
        turns=tuple(prepared.turns[number] for number in places),
    )


def _record_request(session: Session, extractor: ExtractorModel, prepared: Prepared, body: bytes) -> None:
    """Put a request on record before it leaves: where it goes, its size and digest, and what it is about."""
    detail = {
        "endpoint": extractor.endpoint,
        "bytes": len(body),
        "turns": [one.turn for one in prepared.queued],
        "context": len(prepared.sent.before),
        "memories": [item.id for item in prepared.memories],
        "prompt": PROMPT_VERSION,
    }
    digest = session.store.keys.digest_of_bytes(body)
    session.write(
        (), lambda tx: tx.apply([], [tx.actor_event("extract", "allowed", Reason.SENT_TO_MODEL, detail, digest)])
    )


# -- failures ---------------------------------------------------------------------------------------------------------


def _fail(session: Session, prepared: Prepared, failure: ExtractorFailed, withheld: int) -> _Done:
    """Let the turns wait, each time longer, or give them up. Whose fault it is decides whether others are tried."""
    failed = session.write([prepared.queued[0].space], partial(_put_back, prepared=prepared, failure=failure))
    is_of_server = not failure.refused
    return _Done(Learned(), withheld, failed, str(failure) if is_of_server else None)


def _put_back(tx: Transaction, prepared: Prepared, failure: ExtractorFailed) -> int:
    still = [one for one in queued_now(tx, prepared.queued) if one in prepared.queued]
    after = [replace(one, due_at=_next_attempt(tx, one, failure), problem=failure.problem) for one in still]
    detail = {
        "turns": [one.turn for one in after],
        "problem": failure.problem,
        "given_up": sum(one.due_at is None for one in after),
    }
    tx.apply([PutQueuedTurn(one) for one in after], [tx.actor_event("extract", "denied", Reason.MODEL_FAILED, detail)])
    return len(after)


def _next_attempt(tx: Transaction, queued: QueuedTurn, failure: ExtractorFailed) -> Moment | None:
    rules = tx.policy.extraction
    if queued.attempts >= rules.attempts:
        return None
    pause = min(rules.backoff_seconds * 2 ** (queued.attempts - 1), rules.longest_backoff_seconds)
    return later(tx.now, max(pause, min(failure.retry_after, rules.longest_backoff_seconds)))
