"""The calls that steps and reads stand for, and their answers as text that can be compared byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.purge.steps import Standpoint

from memfort import BoundMemory, ImportReport, MemfortError, Memory

# Drawn at random for every call or every store.
RANDOM = frozenset(("trace", "store", "signature", "stated", "reviewed", "sha256"))

# A trace, and so the undo of a call; a file, by its bytes, and so by the name of the store in it.
DRAWN = re.compile("(trc|und|src)_[a-z2-7]+")
KEYED = re.compile(
    "([a-z]+:)?([0-9a-f]{32}|[0-9a-f]{16})"
)  # a digest with the key of the store, which is drawn at random


def bind(memory: Memory, who: Standpoint) -> BoundMemory:
    actor, places = who.actor, dict(who.places)
    if actor.kind == "user":
        return memory.as_user(actor.id, **places)
    if actor.kind == "system":
        return memory.as_system()
    return memory.as_agent(actor.id, owner=actor.owner, acting_for=actor.acting_for, **places)


def _pages(me: BoundMemory, **wanted: Any) -> list[Any]:
    pages, cursor = [], None
    while True:
        page = me.list(limit=2, cursor=cursor, **wanted)
        pages.append(page)
        cursor = page.cursor
        if cursor is None:
            return pages


def _observe(me: BoundMemory, messages: list[dict[str, Any]], again: Any = None, **given: Any) -> Any:
    """Messages of a conversation. `again` names the call that this one repeats."""
    return me.observe(messages, **given)


def _import(me: BoundMemory, export: Any, **options: Any) -> Any:
    if not isinstance(export, list):
        export = []
    lines = "\n".join(json.dumps(line, default=str) for line in export)
    return me.import_(lines.encode(), filename="old.jsonl", **options)


def _import_plain(me: BoundMemory, records: list[dict[str, Any]], **options: Any) -> Any:
    return me.import_(json.dumps(records).encode(), filename="notes.json", **options)


def _copy(copy: Any) -> Any:
    return [copy, copy.markdown]


def _without_hash(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the trail. Its hash is made with the key of the store, and of the names of traces."""
    return {name: value for name, value in line.items() if name != "hash"}


def _decide(me: BoundMemory, memory: str, proposal: Any, verdict: str) -> Any:
    """Approve or reject the proposal to promote a memory, as it stands in one's review list."""
    waiting = [entry.item for entry in me.review.list() if memory in {entry.item.id, entry.item.promoted_from}]
    id = waiting[0].id if waiting else "mem_absent"
    return me.review.approve(id) if verdict == "approve" else me.review.reject(id)


def _check_remember(me: BoundMemory, read: dict[str, Any]) -> Any:
    record = read["file"][0]
    return me.check("remember", text=record["text"], **({"space": record["space"]} if "space" in record else {}))


ACT: dict[str, Callable[..., Any]] = {
    "remember": lambda me, **given: me.remember(**given),
    "remember_many": lambda me, memories: me.remember_many(memories),
    "correct": lambda me, memory, **given: me.correct(memory, **given),
    "approve": lambda me, memory: me.review.approve(memory),
    "reject": lambda me, memory: me.review.reject(memory),
    "reject_in_force": lambda me, memory: me.review.reject(memory),
    "edit": lambda me, memory, text: me.review.edit(memory, text),
    "promote": lambda me, memory, to: me.promote(memory, to),
    "propose": lambda me, memory, to: me.promote(memory, to),
    "decide": _decide,
    "copy": lambda me, memory, to, share: me.promote(memory, to),
    "forget": lambda me, memory: me.forget(memory),
    "forget_by": lambda me, **given: me.forget(**given),
    "restore": lambda me, memory: me.restore(memory),
    "erase": lambda me, memory: me.erase(memory),
    "erase_by": lambda me, **given: me.erase(**given),
    "undo": lambda me, **given: me.undo(**given),
    "redo": lambda me, undo: me.undo(undo),
    "subject_erase": lambda me, person: me.subject.erase(person),
    "used": lambda me, memory: me.used(memory),
    "forget_person": lambda me, person, **given: me.people.forget(person, **given),
    "observe": _observe,
    "phase": lambda me, reason, **given: me.phase.start(reason, **given),
    "share": lambda me, **given: me.share(**given),
    "pass_on": lambda me, share, **given: me.share(**given),
    "revoke": lambda me, share: me.revoke(share),
    "export": lambda me: list(me.export()),
    "import": _import,
    "import_plain": _import_plain,
    "add_person": lambda me, name, **given: me.people.add(name, **given),
    "rename": lambda me, name: me.people.update("me", name=name),
    "alias": lambda me, person, alias: me.people.alias(person, alias),
    "merge": lambda me, person, keep: me.people.merge(keep, person),
    "link": lambda me, person, user: me.people.link(person, user=user),
    "relate": lambda me, person, term, **given: me.people.relate("me", term, person, **given),
    "unrelate": lambda me, person, term, relation: me.people.unrelate("me", term, person),
    "update_person": lambda me, person, name: me.people.update(person, name=name),
    "drop": lambda me, person: me.people.drop(person),
}

DIRECT: dict[str, Callable[[Memory, dict[str, Any]], Any]] = {
    "register_agent": lambda memory, given: memory.agent.register(**given),
    "add_member": lambda memory, given: memory.member.add(**given),
    "remove_member": lambda memory, given: memory.member.remove(**given),
} | dict.fromkeys(
    ("open_chat", "join_chat", "leave_chat", "reopen_chat"), lambda memory, given: memory.chat.register(**given)
)

OTHER_POLICY = {"extends": "default", "approve_confidence": 0.3}


def _collect(memory: Memory, given: dict[str, Any]) -> None:
    memory.store.gc()
    memory.store.gc(compact_days=1, dry_run=True)
    memory.finish_erasures()


def _index(memory: Memory, given: dict[str, Any]) -> None:
    memory.store.reindex()
    memory.store.reembed()
    memory.store.reembed_status()
    memory.store.quarantine()


def _judge(memory: Memory, given: dict[str, Any]) -> None:
    memory.store.judge()
    memory.store.judge_status()


def _relearn(memory: Memory, given: dict[str, Any]) -> None:
    memory.store.relearn(dry_run=True)
    memory.store.relearn(batch=3)


def _trail(memory: Memory, given: dict[str, Any]) -> None:
    memory.trail.checkpoint()
    memory.trail.verify()


def _keys(memory: Memory, given: dict[str, Any]) -> None:
    key = memory.keys.create(user="alice", note="for a test")
    memory.keys.rotate(key.key.id)
    memory.keys.list()
    memory.keys.revoke(key.key.id)


def _look(memory: Memory, given: dict[str, Any]) -> None:
    memory.store.info()
    memory.agent.get("bot")
    memory.chat.get("pair")
    memory.member.list(given["group"])
    memory.policy.show()
    memory.policy.presets()
    memory.policy.diff("default", "chat")
    memory.policy.use(OTHER_POLICY, dry_run=True)


UPKEEP_CALLS: dict[str, Callable[[Memory, dict[str, Any]], Any]] = {
    "collect": _collect,
    "index": _index,
    "judge": _judge,
    "relearn": _relearn,
    "trail": _trail,
    "keys": _keys,
    "look": _look,
}

READ: dict[str, Callable[[BoundMemory, dict[str, Any]], Any]] = {
    "recall": lambda me, read: me.recall(read["query"]),
    "recall_question": lambda me, read: me.recall(read["question"], limit=3),
    "recall_thing": lambda me, read: me.recall(read["thing"]),
    "recall_explained": lambda me, read: me.recall(read["query"], limit=2, explain=True),
    "recall_tagged": lambda me, read: me.recall(read["question"], tags=[read["tag"]]),
    "recall_overview": lambda me, read: me.recall(read["overview"]),
    "recall_as_of": lambda me, read: me.recall(read["query"], as_of=read["moment"]),
    "recall_phase": lambda me, read: me.recall(read["thing"], as_of="phase-1"),
    "context": lambda me, read: me.context(read["query"], budget_tokens=120),
    "context_overview": lambda me, read: me.context(read["overview"], budget_tokens=150),
    "briefing": lambda me, read: me.context(budget_tokens=200),
    "window": lambda me, read: me.window(conversation=read["conversation"]),
    "about": lambda me, read: me.about(read["person"]),
    "about_others": lambda me, read: me.about(read["person"], exclude_owner=read["user"]),
    "about_me": lambda me, read: me.about("me"),
    "related": lambda me, read: me.related(read["memory"]),
    "edges": lambda me, read: me.edges(read["memory"]),
    "list": lambda me, read: _pages(me),
    "list_deleted": lambda me, read: _pages(me, deleted=True),
    "list_pending": lambda me, read: _pages(me, statuses=["pending", "superseded"]),
    "list_source": lambda me, read: _pages(me, source=read["source"]),
    "get": lambda me, read: me.get(read["memory"]),
    "history": lambda me, read: me.history(read["memory"]),
    "explain": lambda me, read: me.explain(read["memory"], query=read["query"]),
    "explain_for": lambda me, read: me.explain(read["memory"], viewer=read["viewer"]),
    "export": lambda me, read: list(me.export()),
    "subject.export": lambda me, read: _copy(me.subject.export(read["person"])),
    "check": lambda me, read: me.check(read["checked"], id=read["memory"]),
    "check_remember": _check_remember,
    "preview_forget": lambda me, read: me.forget(**read["selector"], dry_run=True),
    "preview_erase": lambda me, read: me.erase(**read["selector"], dry_run=True),
    "preview_undo": lambda me, read: me.undo(**read["undo_selector"], dry_run=True),
    "preview_person": lambda me, read: me.people.forget(read["person"], which="both", dry_run=True),
    "preview_subject": lambda me, read: me.subject.erase(read["person"], dry_run=True),
    "preview_import": lambda me, read: _import_plain(me, read["file"], dry_run=True),
    "people.find": lambda me, read: me.people.find(read["person"]),
    "people.get": lambda me, read: me.people.get(read["known"]),
    "people.list": lambda me, read: me.people.list(limit=3),
    "people.relations": lambda me, read: me.people.relations(read["known"]),
    "spaces": lambda me, read: me.spaces(),
    "standings": lambda me, read: me.standings(),
    "review.list": lambda me, read: me.review.list(),
    "phase.list": lambda me, read: me.phase.list(),
    "phase.diff": lambda me, read: me.phase.diff("phase-1"),
    "shares": lambda me, read: me.shares(),
    "share_changes": lambda me, read: me.share_changes(),
    "policy.simulate": lambda me, read: me.policy.simulate(OTHER_POLICY),
    "doctor": lambda me, read: me.doctor(),
    "member.list": lambda me, read: me.member.list(read["group"]),
    "sources": lambda me, read: me.sources(),
    "erasures": lambda me, read: me.erasures(),
    "verify_erasure": lambda me, read: me.verify_erasure(read["receipt"]),
    "trace.list": lambda me, read: me.trace.list(),
    "trace.show": lambda me, read: me.trace.show(),
    "trail.export": lambda me, read: [_without_hash(line) for line in me.trail.export()],
}


def ask(call: Callable[[BoundMemory, dict[str, Any]], Any], me: BoundMemory, read: dict[str, Any]) -> str:
    try:
        return encode(call(me, read))
    except MemfortError as error:
        return describe_error(error)


def describe_error(error: MemfortError) -> str:
    return DRAWN.sub(r"\1", f"{type(error).__name__}: {error}")


def resolve(value: Any, one: Callable[[Any], Any]) -> Any:
    """Put what `one` makes of them in the place of references, moments and standpoints."""
    if isinstance(value, dict):
        return {name: resolve(inner, one) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(inner, one) for inner in value]
    return one(value)


def made(result: Any) -> Any:
    """The id of what a call made, an export itself, or `True` for what makes nothing; `None` if it was refused, or if
    it was only tried."""
    if isinstance(result, list):
        first = result[0] if result else True
        return result if isinstance(first, dict) else made(first)
    outcomes = getattr(result, "outcomes", None)
    if outcomes is not None:
        return next((one.id for one in reversed(outcomes) if one.id), None)
    return result.source if isinstance(result, ImportReport) else getattr(result, "id", True)


def waits(result: Any) -> bool:
    """Whether a promotion was proposed, and others have to agree."""
    return str(getattr(result, "reason", "")) in {"release_waits", "promotion_waits"}


def encode(result: Any) -> str:
    return DRAWN.sub(r"\1", json.dumps(_plain(result), default=str, ensure_ascii=False, sort_keys=True))


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items() if name not in RANDOM}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, str) and KEYED.fullmatch(value):
        return "keyed"
    return value
