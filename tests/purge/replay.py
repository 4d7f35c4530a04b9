"""Play a history with and without the steps that its observer may not notice, and compare what the observer gets.

Compared is every byte of every answer to the observer: results of reads, outcomes of the observer's own writes, errors.
Only what is drawn at random for every call or every store is left out: trace ids, and in an export the name of the
store and the signatures of records.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Set
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from tests.purge.calls import ACT, DIRECT, READ, UPKEEP_CALLS, ask, bind, describe_error, encode, made, resolve, waits
from tests.purge.model import Model, Verdict
from tests.purge.steps import THINGS, At, Call, History, Ref, Standpoint, Step
from tests.purge.stores import Open, Opened

from memfort import BoundMemory, FixedClock, MemfortError
from memfort.model.moment import Moment

START = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z, in microseconds
STEP = 60_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ERROR = re.compile(r"[A-Z]\w+: ")
OTHER_THINGS = ("quinces", "trumpets", "poppies", "rugby", "mackerel", "sledges", "nougat", "candles")


class Run(msgspec.Struct):
    answers: dict[int, dict[str, str]]  # to the observer, by step and call
    made: dict[int, Any]  # ids and exports, by step
    failed: set[int]  # steps that raised or were refused
    traces: dict[int, str] = {}  # of the calls that were answered, by step


class Difference(msgspec.Struct, frozen=True):
    step: int
    call: str
    full: str
    purged: str


class Comparison(msgspec.Struct):
    history: History
    verdicts: dict[int, Verdict]
    reworded: set[int]
    full: Run
    differences: list[Difference]


def compare(history: History, open_memory: Open) -> Comparison:
    """Play `history` in full and purged. The comparison has no differences if nothing leaks."""
    model = Model(history)
    verdicts = model.verdicts()
    reworded = model.reworded(verdicts)
    full = play(history, open_memory)
    hidden = frozenset(number for number, verdict in verdicts.items() if verdict == Verdict.HIDDEN)
    purged = play(history.without(hidden), open_memory, full.made, reworded)
    return Comparison(history, verdicts, reworded, full, differences(full, purged))


def differences(full: Run, purged: Run) -> list[Difference]:
    return [
        Difference(step, call, answer, purged.answers[step].get(call, "no such call"))
        for step, calls in full.answers.items()
        for call, answer in calls.items()
        if purged.answers[step].get(call) != answer
    ]


def play(
    history: History,
    open_memory: Open,
    known: Mapping[int, Any] | None = None,
    reworded: Set[int] = frozenset(),
) -> Run:
    """Play every step. The observer asks for the ids that are `known` from the full run, whether they exist or not."""
    clock = FixedClock(Moment(START))
    with open_memory(clock, history) as opened:
        player = _Player(opened, clock, history.observer, known, reworded)
        for step in history.steps:
            player.play(step)
        return player.run


class _Player:
    def __init__(
        self,
        opened: Opened,
        clock: FixedClock,
        observer: Standpoint,
        known: Mapping[int, Any] | None,
        reworded: Set[int],
    ) -> None:
        self.opened = opened
        self.clock = clock
        self.observer = observer
        self.known = known
        self.reworded = reworded
        self.waits: list[tuple[int, float]] = []  # step, seconds
        self.run = Run({}, {}, set())

    def play(self, step: Step) -> None:
        if step.kind == "move_store":
            self.opened.move()
            return
        self.clock.set(self._moment(step.number))
        is_observer = step.who == self.observer
        given = resolve(step.given, self._resolve_for_observer if is_observer else self._resolve)
        if step.number in self.reworded:
            given["text"] = reword(given["text"])
        if step.who is None:
            self._direct(step, given)
            return
        me = bind(self.opened.memory, step.who)
        if step.kind == "look":
            answers = {
                f"{at} {read['verb']}": ask(READ[read["verb"]], me, read) for at, read in enumerate(given["reads"])
            }
        else:
            answers = {step.kind: self._act(step, me, given)}
        if is_observer:
            self.run.answers[step.number] = answers

    def _moment(self, number: int) -> Moment:
        waited = sum(seconds for step, seconds in self.waits if step < number)
        return Moment(START + STEP * number + int(waited * 1_000_000))

    def _resolve(self, value: Any) -> Any:
        if isinstance(value, Ref):
            found = self.run.made.get(value.step)
            return "mem_absent" if found is None else found
        if isinstance(value, At):
            return EPOCH + timedelta(microseconds=self._moment(value.step))
        if isinstance(value, Call):
            return self.run.traces.get(value.step, "trc_absent")
        return bind(self.opened.memory, value) if isinstance(value, Standpoint) else value

    def _resolve_for_observer(self, value: Any) -> Any:
        """The observer asks for what is known from the full run. An export, an import, what was made from the name of
        the store and the undo of a call is another one in each store."""
        if not isinstance(value, Ref) or self.known is None:
            return self._resolve(value)
        own, known = self.run.made.get(value.step), self.known.get(value.step)
        if isinstance(own, list) or (isinstance(own, str) and own.startswith(("src_", "und_"))):
            return own
        return "mem_absent" if known is None else known

    def _act(self, step: Step, me: BoundMemory, given: dict[str, Any]) -> str:
        try:
            result = ACT[step.kind](me, **given)
        except MemfortError as error:
            self.run.failed.add(step.number)
            return describe_error(error)
        if me.last_trace is not None:
            self.run.traces[step.number] = me.last_trace
        id = made(result)
        if id is None and not waits(result):
            self.run.failed.add(step.number)
        self.run.made[step.number] = id
        return encode(result)

    def _direct(self, step: Step, given: dict[str, Any]) -> None:
        if step.kind == "wait":
            self.waits.append((step.number, given["seconds"]))
            return
        calls = UPKEEP_CALLS if step.kind == "upkeep" else DIRECT
        try:
            calls[given["verb"] if step.kind == "upkeep" else step.kind](self.opened.memory, given)
        except MemfortError:  # a member who is gone already, after steps were dropped
            self.run.failed.add(step.number)


def reword(text: str) -> str:
    """The same statement about another thing."""
    for thing, other in zip(THINGS, OTHER_THINGS, strict=True):
        text = text.replace(thing, other)
    return text


def shrink(history: History, is_failing: Callable[[History], bool]) -> History:
    """Drop steps, largest pieces first, as long as the history still fails."""
    size = max(1, len(history.steps) // 2)
    while size:
        numbers = [step.number for step in history.steps if step.kind != "register_agent"]
        for start in range(0, len(numbers), size):
            smaller = history.without(frozenset(numbers[start : start + size]))
            if len(smaller.steps) < len(history.steps) and is_failing(smaller):
                history = smaller
        size //= 2
    return history


def count_calls(comparison: Comparison) -> tuple[Counter[str], Counter[str]]:
    """How often each kind of step and each read was called, and how often it succeeded or found something."""
    called, worked = Counter[str](), Counter[str]()
    for step in comparison.history.steps:
        if step.kind == "look":
            continue
        called[step.kind] += 1
        worked[step.kind] += step.number not in comparison.full.failed
    for calls in comparison.full.answers.values():
        for call, answer in calls.items():
            verb = "read " + call.partition(" ")[2]
            if " " in call:
                called[verb] += 1
                worked[verb] += _found_something(answer)
    return called, worked


def _found_something(answer: str) -> bool:
    return answer not in {"[]", "null"} and '"hits": []' not in answer and not ERROR.match(answer)
