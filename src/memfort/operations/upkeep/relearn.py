"""Learn again from what was said: make statements of an older extractor again from their turns, and judge sensitivity,
subjects and portability by the rules as they are today.

It works in small transactions, each in the name of whoever observed the turn and with the rights that they have now, so
that others can write in between. What is already as today's rules would make it is left alone: after an interruption
the next run does the rest, and a run after a whole one does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, TypeVar

from msgspec import Meta, structs

from memfort.engine.engine import ALL_STATES
from memfort.engine.transaction import Session, Transaction
from memfort.model.item import Item, Kind, is_in_force
from memfort.model.reason import Reason
from memfort.model.results import Relearned
from memfort.model.space import Space
from memfort.operations.requests import Request
from memfort.operations.touched import places_of
from memfort.operations.upkeep.relearn_judgement import Rejudged, count, judge_again, write_down
from memfort.operations.upkeep.relearn_places import by_author, session_of_author
from memfort.operations.upkeep.relearn_statements import (
    Remade,
    TurnPlan,
    carry_out,
    is_readable,
    plan_turn,
    rehearse_plan,
)
from memfort.policy.settings.sections import StatementsFrom
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Filter, Scope

BATCH = 32  # turns or memories in one transaction
MOST = 1000


class RelearnRequest(Request, frozen=True):
    """Options of a run."""

    dry_run: Annotated[bool, Meta(description="Count what would change, and do nothing.")] = False
    batch: Annotated[int, Meta(ge=1, le=MOST, description="How many memories in one step.")] = BATCH


def handle(session: Session, request: RelearnRequest) -> Relearned:
    """Make statements again from their turns and judge memories again, by today's rules. Corrections and endings by
    people stay, and so does what a person or a model judged. `undo(trace=…)` takes a run back."""
    run = _Run(session, request)
    run.go_over(_turns, run.statements)
    run.go_over(_memories, run.judgement)
    if not request.dry_run:
        run.record()
    return run.result()


class _Run:
    """One run over the store."""

    def __init__(self, session: Session, request: RelearnRequest) -> None:
        self._session, self._dry_run, self._batch = session, request.dry_run, request.batch
        self._trace = "" if request.dry_run else session.engine.call(session.actor, "store.relearn").trace
        self._remade, self._rejudged, self._seen, self._skipped = Remade(), Rejudged(), 0, 0
        self._total = sum(len(_turns(session, space)) + len(_memories(session, space)) for space in self._spaces())

    def _spaces(self) -> list[Space]:
        return list(self._session.store.spaces())

    def go_over(self, find: Callable[[Session, Space], list[str]], work: Callable[[Session, list[Item]], None]) -> None:
        """Do the work for all that is found in each space, the oldest first, author by author."""
        for space in self._spaces():
            ids, sight = find(self._session, space), maintenance_sight([space])
            for start in range(0, len(ids), self._batch):
                some = ids[start : start + self._batch]
                found = {item.id: item for item in self._session.store.items(sight, some)}
                for items in by_author([found[id] for id in some if id in found], self._batch):
                    work(session_of_author(self._session, items[0], self._trace), items)
                self._seen += len(some)
                self._session.progress(self._seen, self._total)

    # -- statements --------------------------------------------------------------------------------------------------

    def statements(self, own: Session, turns: list[Item]) -> None:
        if own.policy.conversation.statements is StatementsFrom.NOTHING or not own.engine.overrides.extraction_enabled:
            return
        ids = [turn.id for turn in turns]
        with own.view() as view:
            known = [turn for turn in view.decision_view.items(ids) if turn.space == turns[0].space]
            plans = [plan_turn(view, turn) for turn in known if is_readable(turn, view)]
            self._skipped += len(ids) - len(known)
            if self._dry_run:
                for plan in plans:
                    rehearse_plan(view, plan, self._remade)
                return
        changing = [plan for plan in plans if plan]
        self._remade.turns += len(plans) - len(changing)
        self._remade.kept += sum(plan.touched for plan in plans if not plan)
        if changing:
            spaces = list(dict.fromkeys(space for plan in changing for space in plan.spaces))
            made = own.write(places_of(own, [*spaces, None]), partial(_make_again, plans=changing, trace=self._trace))
            self._remade = _sum(self._remade, made)

    # -- judgement ---------------------------------------------------------------------------------------------------

    def judgement(self, own: Session, items: list[Item]) -> None:
        with own.view() as view:
            if view.sight.seen(items[0].space) is None:
                self._skipped += len(items)
                return
            judged = [(item, found) for item in items if (found := judge_again(view, item)) is not None]
        if self._dry_run:
            for item, (after, _) in judged:
                count(item, after, self._rejudged)
        elif judged:
            work = partial(_judge_again, ids=[item.id for item, _ in judged], space=items[0].space, trace=self._trace)
            self._rejudged = _sum(self._rejudged, own.write(places_of(own, [items[0].space]), work))

    # -- the answer --------------------------------------------------------------------------------------------------

    def record(self) -> None:
        """The run in the chain of whoever ran it, with its counts."""
        found = self.result()
        if not found.changed:
            return
        detail = {name: value for name, value in found.to_dict().items() if name not in {"dry_run", "trace"}}

        def work(tx: Transaction) -> None:
            tx.apply([], [tx.actor_event("relearn", "allowed", Reason.RELEARNED, {**detail, "run": found.trace})])

        self._session.write(Scope.of([]), work)

    def result(self) -> Relearned:
        return Relearned(
            **structs.asdict(self._remade),
            **structs.asdict(self._rejudged),
            skipped=self._skipped,
            dry_run=self._dry_run,
            trace=self._trace,
        )


def _turns(session: Session, space: Space) -> list[str]:
    """The turns of a space, the oldest first."""
    return _ids(session, space, Filter(kinds=frozenset({Kind.SHORT_TERM})))


def _memories(session: Session, space: Space) -> list[str]:
    return _ids(session, space, ALL_STATES)


def _ids(session: Session, space: Space, filter: Filter) -> list[str]:
    found = session.engine.all_items(maintenance_sight([space]), filter)
    return [item.id for item in found if is_in_force(item) or item.status == "pending"][::-1]


def _make_again(tx: Transaction, plans: Sequence[TurnPlan], trace: str) -> Remade:
    """Carry the plans out as they are under the lock: others may have written since."""
    found = Remade()
    for turn in [turn for plan in plans for turn in tx.decision_view.items([plan.turn.id])]:
        if is_readable(turn, tx):
            carry_out(tx, plan_turn(tx, turn), found, trace)
    return found


def _judge_again(tx: Transaction, ids: Sequence[str], space: Space, trace: str) -> Rejudged:
    found = Rejudged()
    write_down(tx, tx.store.items(maintenance_sight([space]), ids), found, trace)
    return found


_Counts = TypeVar("_Counts", Remade, Rejudged)


def _sum(one: _Counts, other: _Counts) -> _Counts:
    added = structs.asdict(other)
    return type(one)(**{name: value + added[name] for name, value in structs.asdict(one).items()})
