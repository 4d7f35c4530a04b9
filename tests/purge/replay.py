"""Play a history with and without the steps that its observer may not notice, and compare what the observer gets.

Compared is every byte of every answer to the observer: results of reads, outcomes of the observer's own writes, errors.
Only what is drawn at random for every call or every store is left out: trace ids, and in an export the name of the
store and the signatures of records.
"""

from __future__ import annotations

import inspect
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from tests.purge.model import Model, Verdict
from tests.purge.steps import GROUPS, THINGS, History, Memberships, Ref, Standpoint, Step

from memfort import BoundMemory, FixedClock, MemfortError, Memory
from memfort.model.moment import Moment

START = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z, in microseconds
STEP = 60_000_000
RANDOM = frozenset(("trace", "store", "signature"))
OTHER_THINGS = ("quinces", "trumpets", "poppies", "rugby", "mackerel", "sledges", "nougat", "candles")

GROUP_LEVELS = tuple(level for level, _ in GROUPS)

# The default, and ways to promote from everywhere to everywhere.
POLICY = {
    "extends": "default",
    "spaces": {
        "promotions": [
            {"from_level": source, "to_level": target, "authority": "ai_inferred"}
            for source in ("user", "chat", "agent", *GROUP_LEVELS)
            for target in ("user", "chat", "agent", *GROUP_LEVELS)
            if source != target
        ]
    },
}

Open = Callable[[FixedClock, Memberships], AbstractContextManager[Memory]]


class Run(msgspec.Struct):
    answers: dict[int, dict[str, str]]  # to the observer, by step and call
    made: dict[int, Any]  # ids and exports, by step
    failed: set[int]  # steps that raised or were refused


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
    with open_memory(clock, history.memberships) as memory:
        player = _Player(memory, clock, history.observer, known, reworded)
        for step in history.steps:
            player.play(step)
        return player.run


class _Player:
    def __init__(
        self,
        memory: Memory,
        clock: FixedClock,
        observer: Standpoint,
        known: Mapping[int, Any] | None,
        reworded: Set[int],
    ) -> None:
        self.memory = memory
        self.clock = clock
        self.observer = observer
        self.known = known
        self.reworded = reworded
        self.waited = 0.0
        self.run = Run({}, {}, set())

    def play(self, step: Step) -> None:
        self.clock.set(Moment(START + STEP * step.number + int(self.waited * 1_000_000)))
        is_observer = step.who == self.observer
        ids = self.known if is_observer and self.known is not None else self.run.made
        given = _resolve(step.given, ids)
        if step.number in self.reworded:
            given["text"] = reword(given["text"])
        if step.who is None:
            self._direct(step, given)
            return
        me = _bind(self.memory, step.who)
        if step.kind == "look":
            answers = {
                f"{at} {read['verb']}": _answer(READ[read["verb"]], me, read) for at, read in enumerate(given["reads"])
            }
        else:
            answers = {step.kind: self._act(step, me, given)}
        if is_observer:
            self.run.answers[step.number] = answers

    def _act(self, step: Step, me: BoundMemory, given: dict[str, Any]) -> str:
        try:
            result = ACT[step.kind](me, **given)
        except MemfortError as error:
            self.run.failed.add(step.number)
            return _error(error)
        made = _made(result)
        if made is None:
            self.run.failed.add(step.number)
        self.run.made[step.number] = made
        return _encode(result)

    def _direct(self, step: Step, given: dict[str, Any]) -> None:
        if step.kind == "wait":
            self.waited += given["seconds"]
            return
        try:
            DIRECT[step.kind](self.memory, given)
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


@contextmanager
def _closing(memory: Memory) -> Iterator[Memory]:
    try:
        yield memory
    finally:
        memory.close()


def open_dict(clock: FixedClock, memberships: Memberships) -> AbstractContextManager[Memory]:
    """A fresh store without a file."""
    return _closing(Memory.open(":memory:", clock=clock, memberships=memberships, policy=POLICY))


@contextmanager
def open_sqlite(clock: FixedClock, memberships: Memberships) -> Iterator[Memory]:
    """A fresh store in a file."""
    with tempfile.TemporaryDirectory(prefix="purge-", dir=_fast_folder()) as folder:
        path = Path(folder) / "memory.db"
        memory = Memory.open(path, clock=clock, memberships=memberships, policy=POLICY)
        with _closing(memory):
            yield memory


def _fast_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


# Calls


def _bind(memory: Memory, who: Standpoint) -> BoundMemory:
    actor, places = who.actor, dict(who.places)
    if actor.kind == "user":
        return memory.as_user(actor.id, **places)  # type: ignore[arg-type]
    return memory.as_agent(actor.id, owner=actor.owner, acting_for=actor.acting_for, **places)  # type: ignore[arg-type]


def _pages(me: BoundMemory, **wanted: Any) -> list[Any]:
    pages, cursor = [], None
    while True:
        page = me.list(limit=2, cursor=cursor, **wanted)
        pages.append(page)
        cursor = page.cursor
        if cursor is None:
            return pages


def _observe(me: BoundMemory, said: str, answer: str | None = None) -> Any:
    """One turn and its answer, in the form that `observe` takes: the words, or a list of messages."""
    if "said" in inspect.signature(BoundMemory.observe).parameters:
        return me.observe(said, answer)
    spoken = (("user", said), ("assistant", answer))
    return me.observe([{"role": role, "content": text} for role, text in spoken if text])  # type: ignore[arg-type]


def _import(me: BoundMemory, export: Any) -> Any:
    if not isinstance(export, list):
        export = []
    lines = "\n".join(json.dumps(line, default=str) for line in export)
    return me.import_(lines.encode(), filename="old.jsonl")


ACT: dict[str, Callable[..., Any]] = {
    "remember": lambda me, **given: me.remember(**given),
    "remember_many": lambda me, memories: me.remember_many(memories),
    "correct": lambda me, memory, **given: me.correct(memory, **given),
    "approve": lambda me, memory: me.review.approve(memory),
    "reject": lambda me, memory: me.review.reject(memory),
    "edit": lambda me, memory, text: me.review.edit(memory, text),
    "promote": lambda me, memory, to: me.promote(memory, to),
    "forget": lambda me, memory: me.forget(memory),
    "restore": lambda me, memory: me.restore(memory),
    "erase": lambda me, memory: me.erase(memory),
    "used": lambda me, memory: me.used(memory),
    "forget_person": lambda me, person, **given: me.people.forget(person, **given),
    "observe": _observe,
    "phase": lambda me, reason, **given: me.phase.start(reason, **given),
    "share": lambda me, **given: me.share(**given),
    "revoke": lambda me, share: me.revoke(share),
    "export": lambda me: list(me.export()),
    "import": _import,
    "add_person": lambda me, name, **given: me.people.add(name, **given),
    "rename": lambda me, name: me.people.update("me", name=name),
    "alias": lambda me, person, alias: me.people.alias(person, alias),
    "merge": lambda me, person, keep: me.people.merge(keep, person),
    "link": lambda me, person, user: me.people.link(person, user=user),
    "relate": lambda me, person, term, **given: me.people.relate("me", term, person, **given),
    "drop": lambda me, person: me.people.drop(person),
}

DIRECT: dict[str, Callable[[Memory, dict[str, Any]], Any]] = {
    "register_agent": lambda memory, given: memory.agent.register(**given),
    "add_member": lambda memory, given: memory.member.add(**given),
    "remove_member": lambda memory, given: memory.member.remove(**given),
} | dict.fromkeys(
    ("open_chat", "join_chat", "leave_chat", "reopen_chat"), lambda memory, given: memory.chat.register(**given)
)

READ: dict[str, Callable[[BoundMemory, dict[str, Any]], Any]] = {
    "recall": lambda me, read: me.recall(read["query"]),
    "recall_question": lambda me, read: me.recall(read["question"], limit=3),
    "recall_thing": lambda me, read: me.recall(read["thing"]),
    "recall_explained": lambda me, read: me.recall(read["query"], limit=2, explain=True),
    "recall_tagged": lambda me, read: me.recall(read["question"], tags=[read["tag"]]),
    "context": lambda me, read: me.context(read["query"], budget_tokens=120),
    "about": lambda me, read: me.about(read["person"]),
    "about_me": lambda me, read: me.about("me"),
    "related": lambda me, read: me.related(read["memory"]),
    "edges": lambda me, read: me.edges(read["memory"]),
    "list": lambda me, read: _pages(me),
    "list_deleted": lambda me, read: _pages(me, deleted=True),
    "list_pending": lambda me, read: _pages(me, statuses=["pending", "superseded"]),
    "get": lambda me, read: me.get(read["memory"]),
    "history": lambda me, read: me.history(read["memory"]),
    "explain": lambda me, read: me.explain(read["memory"], query=read["query"]),
    "export": lambda me, read: list(me.export()),
    "check": lambda me, read: me.check(read["checked"], id=read["memory"]),
    "people.find": lambda me, read: me.people.find(read["person"]),
    "people.get": lambda me, read: me.people.get(read["known"]),
    "people.list": lambda me, read: me.people.list(limit=3),
    "people.relations": lambda me, read: me.people.relations(read["known"]),
    "spaces": lambda me, read: me.spaces(),
    "standings": lambda me, read: me.standings(),
    "review.list": lambda me, read: me.review.list(),
    "phase.list": lambda me, read: me.phase.list(),
}


def _answer(call: Callable[[BoundMemory, dict[str, Any]], Any], me: BoundMemory, read: dict[str, Any]) -> str:
    try:
        return _encode(call(me, read))
    except MemfortError as error:
        return _error(error)


def _error(error: MemfortError) -> str:
    return f"{type(error).__name__}: {error}"


def _resolve(value: Any, ids: Mapping[int, Any]) -> Any:
    if isinstance(value, Ref):
        found = ids.get(value.step)
        return "mem_absent" if found is None else found
    if isinstance(value, dict):
        return {name: _resolve(one, ids) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_resolve(one, ids) for one in value]
    return value


def _made(result: Any) -> Any:
    """The id of what a call made, an export itself, or `True` for what makes nothing; `None` if it was refused."""
    if isinstance(result, list):
        first = result[0] if result else True
        return result if isinstance(first, dict) else _made(first)
    outcomes = getattr(result, "outcomes", None)
    if outcomes is not None:
        return next((one.id for one in reversed(outcomes) if one.id), None)
    return getattr(result, "id", True)


def _encode(result: Any) -> str:
    return json.dumps(_plain(result), default=str, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items() if name not in RANDOM}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


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
    return answer not in {"[]", "null"} and '"hits": []' not in answer and not answer.startswith("NotFound")


def store_for(seed: int) -> Open:
    """Most histories are played on the store without a file, every tenth on SQLite."""
    return open_sqlite if seed % 100 // 10 == 9 else open_dict
