"""The calls that steps and reads stand for, and their answers as text that can be compared byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.purge.steps import Ref, Standpoint

from memfort import BoundMemory, MemfortError, Memory

# Drawn at random for every call or every store.
RANDOM = frozenset(("trace", "store", "signature", "stated", "reviewed"))


def bind(memory: Memory, who: Standpoint) -> BoundMemory:
    actor, places = who.actor, dict(who.places)
    if actor.kind == "user":
        return memory.as_user(actor.id, **places)
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
    "briefing": lambda me, read: me.context(budget_tokens=200),
    "window": lambda me, read: me.window(conversation=read["conversation"]),
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


def ask(call: Callable[[BoundMemory, dict[str, Any]], Any], me: BoundMemory, read: dict[str, Any]) -> str:
    try:
        return encode(call(me, read))
    except MemfortError as error:
        return describe_error(error)


def describe_error(error: MemfortError) -> str:
    return f"{type(error).__name__}: {error}"


def resolve(value: Any, ids: Mapping[int, Any]) -> Any:
    if isinstance(value, Ref):
        found = ids.get(value.step)
        return "mem_absent" if found is None else found
    if isinstance(value, dict):
        return {name: resolve(one, ids) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(one, ids) for one in value]
    return value


def made(result: Any) -> Any:
    """The id of what a call made, an export itself, or `True` for what makes nothing; `None` if it was refused."""
    if isinstance(result, list):
        first = result[0] if result else True
        return result if isinstance(first, dict) else made(first)
    outcomes = getattr(result, "outcomes", None)
    if outcomes is not None:
        return next((one.id for one in reversed(outcomes) if one.id), None)
    return getattr(result, "id", True)


def encode(result: Any) -> str:
    return json.dumps(_plain(result), default=str, ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items() if name not in RANDOM}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, str) and value.startswith("src_"):
        return "src"  # made from the bytes of the file, and so from the name of the store in it
    return value
