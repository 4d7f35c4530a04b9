"""Plays a history on a fresh memory and records every party's transcript: its steps, and every byte of the answers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from memfort.client import Memory
from memfort.client.bound import BoundMemory
from memfort.clock import FixedClock
from memfort.errors import MemfortError, a
from memfort.model.people.actor import Actor
from memfort.model.people.directory import ChatKind
from memfort.model.space import Space
from memfort.testing.histories import START, History, OpenMemory, Step, Transcript, Voice


def play(
    history: History, open_memory: OpenMemory, on_end: Callable[[Memory], None] | None = None
) -> dict[str, Transcript]:
    """Play a history on a fresh memory. Every party gets the transcript of its steps and their answers."""
    clock = FixedClock(START)
    rendered: dict[str, Transcript] = {}
    with open_memory(history.world, clock) as memory:
        history.world.register_in(memory)
        playback = _Playback(memory, clock)
        for step in history.steps:
            try:
                rendered.setdefault(step.voice.party, []).append((step, _answer(playback, step)))
            except Exception as error:
                error.add_note(f"in history {history.seed}, at {step}")
                raise
        if on_end is not None:
            on_end(memory)
    return rendered


class _Playback(Struct, frozen=True):
    """The memory a history is played on, and the traces of the calls each actor has made so far."""

    memory: Memory
    clock: FixedClock
    traces: dict[Actor, list[str]] = field(default_factory=lambda: defaultdict(list))


class _Caller(Struct, frozen=True):
    """The caller of a verb that takes more than one call."""

    bound: BoundMemory
    memory: Memory
    traces: list[str]

    def trace(self, back: int) -> str:
        """The trace of an earlier call by the same actor."""
        return self.traces[-back] if len(self.traces) >= back else "trc_unknown"


def _answer(playback: _Playback, step: Step) -> bytes:
    if step.voice.actor is None:
        return _answer_to(lambda: _UPKEEP_VERBS[step.verb](playback, **step.given))
    bound, traces = step.voice.bind(playback.memory), playback.traces[step.voice.actor]
    answer = _answer_to(lambda: _call(_Caller(bound, playback.memory, traces), step))
    if bound.last_trace is None:
        return answer
    traces.append(bound.last_trace)
    if not step.traced:
        return answer
    return b'{"answer": ' + answer + b', "trace": ' + _answer_to(lambda: bound.trace.show(traces[-1]).events) + b"}"


def _answer_to(ask: Callable[[], Any]) -> bytes:
    """The answer, or the error that Memfort raised. Any other error ends the play: a fault in both plays would be equal
    in both, and hide any difference behind it."""
    try:
        return canonical_json(ask())
    except MemfortError as error:
        return canonical_json({"error": type(error).__name__, "message": str(error)})


def _call(caller: _Caller, step: Step) -> Any:
    given = dict(step.given)
    if step.verb in COMPOSITE_VERBS:
        return COMPOSITE_VERBS[step.verb](caller, **given)
    verb = attrgetter(step.verb)(caller.bound)
    return verb(*given.pop("ids", ()), **given)


def canonical_json(answer: Any) -> bytes:
    """Any answer as canonical JSON, with nothing omitted."""
    return json.dumps(answer, default=_encode, ensure_ascii=False, sort_keys=True).encode()


def _encode(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case Space():
            return value.to_dict()
        case Mapping():
            return dict(value)
        case frozenset():
            return sorted(value, key=str)
        case Iterator():
            return list(value)
        case Struct():
            return asdict(value)
        case _:
            raise TypeError(f"{a(type(value).__name__)} in an answer: say here how to encode it")


def _pages(caller: _Caller, **given: Any) -> list[Any]:
    """A listing read page by page to its end, cursors included."""
    pages, cursor = [], None
    while True:
        page = caller.bound.list(cursor=cursor, **given)
        pages.append(page)
        cursor = page.cursor
        if cursor is None:
            return pages


def _explain_recall(caller: _Caller, *, query: str) -> Any:
    return caller.bound.explain(caller.bound.recall(query).trace)


def _explain_trace(caller: _Caller, *, back: int) -> Any:
    return caller.bound.explain(caller.trace(back))


def _show_trace(caller: _Caller, *, back: int, expanded: bool) -> Any:
    return caller.bound.trace.show(caller.trace(back), expanded=expanded).events


def _explain_to(caller: _Caller, *, id: str, viewer: Voice) -> Any:
    return caller.bound.explain(id, viewer=viewer.bind(caller.memory))


def _reimport(caller: _Caller, *, dry_run: bool) -> Any:
    data = "\n".join(json.dumps(line, sort_keys=True) for line in caller.bound.export()).encode()
    return caller.bound.import_(data, dry_run=dry_run)


def _revoke(caller: _Caller, *, space: Mapping[str, str], reader: str) -> Any:
    wanted = [
        share for share in caller.bound.shares() if share.space.to_dict() == space and str(share.reader) == reader
    ]
    return caller.bound.revoke(wanted[0].id if wanted else "shr_unknown")


def _verify_erasures(caller: _Caller) -> Any:
    """Verify every erasure of the caller's own."""
    return [(erasure, caller.bound.verify_erasure(erasure.id)) for erasure in caller.bound.erasures()]


def _erase_scope(caller: _Caller, *, scope: Mapping[str, str], **given: Any) -> Any:
    return caller.bound.erase(scope=scope, **given)


def _erase_source(caller: _Caller, *, index: int, dry_run: bool) -> Any:
    sources = caller.bound.sources()
    return caller.bound.erase(source=sources[index % len(sources)].id if sources else "src_unknown", dry_run=dry_run)


def _import(caller: _Caller, *, lines: Sequence[str], dry_run: bool) -> Any:
    return caller.bound.import_("\n".join(lines).encode(), filename="notes.jsonl", dry_run=dry_run)


# Steps that take more than one call, or whose arguments are known only during the play.
COMPOSITE_VERBS: dict[str, Callable[..., Any]] = {
    "pages": _pages,
    "explain_recall": _explain_recall,
    "explain_trace": _explain_trace,
    "explain_to": _explain_to,
    "trace.show": _show_trace,
    "reimport": _reimport,
    "revoke": _revoke,
    "verify_erasure": _verify_erasures,
    "erase_scope": _erase_scope,
    "erase_source": _erase_source,
    "import": _import,
}


def _wait(playback: _Playback, seconds: float) -> None:
    playback.clock.advance(seconds)


def _register_chat(playback: _Playback, id: str, kind: str, users: Sequence[str], agents: Sequence[str] = ()) -> Any:
    return playback.memory.chat.register(id, kind=ChatKind(kind), participants=users, agents=agents)


_UPKEEP_VERBS: dict[str, Callable[..., Any]] = {
    "wait": _wait,
    "store.gc": lambda playback: playback.memory.store.gc(),
    "store.extract": lambda playback: playback.memory.store.extract(),
    "store.reindex": lambda playback: playback.memory.store.reindex(),
    "finish_erasures": lambda playback: playback.memory.finish_erasures(),
    "chat.register": _register_chat,
}
