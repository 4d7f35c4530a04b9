"""A LangGraph store: `graph.compile(store=MemfortStore(memory.as_user("alice")))`.

A namespace is no tenant here. Whose memories these are is bound when the store is made; a namespace that names another
user is a place in one's own space. Namespaces are compared segment by segment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from memfort.errors import InvalidInput, a
from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory, log
from memfort.integrations.named_texts import Name, NamedText, NamedTexts
from memfort.model.moment import to_datetime

_NOT_SEARCHED = "not_searched"
_MOST = 1000


class MemfortStore(BaseStore):
    """The named values of one identity.

    `put` raises `Denied` for a value that the policy refuses or lets wait for review: a store that dropped it silently
    would be worse. `get` answers `None` for what is not there for this identity. A search with a query gives what
    answers it, the best first, and not everything. A lifetime ends when it was said to end; reading does not move it.
    """

    supports_ttl = True
    __slots__ = ("_memory", "_origin", "_texts", "ttl_config")

    def __init__(
        self,
        memory: AnyMemory | AgentMemory,
        *,
        spaces: Mapping[Name, Mapping[str, str]] | None = None,
        ttl: TTLConfig | None = None,
        origin: Literal["ai", "user"] = "ai",
    ) -> None:
        """`spaces` gives the namespaces below a prefix a space of their own: `{("team",): {"project": "apollo"}}`. All
        others live in the identity's own space. `ttl` may set `default_ttl`, in minutes. `origin` is `user` only where
        all values are the user's own words: what a model writes weighs less, and waits for review where it gives
        orders."""
        if ttl and ttl.get("refresh_on_read"):
            raise InvalidInput("ttl.refresh_on_read", "reading moves no deadline here", "leave it out, or say False")
        self._memory = agent_memory(memory)
        self._origin = origin
        self._texts = NamedTexts(self._memory.verbs, "langgraph", spaces)
        self.ttl_config = None if ttl is None else {**ttl, "refresh_on_read": False}

    @property
    def counts(self) -> Any:
        """What was kept and refused since the store was made."""
        return self._memory.counts

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see what was there before the batch; of several values for one key the last is written."""
        given = list(ops)
        for op in given:
            _check(op)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in given]
        puts = {(*op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
        values = {name: None if op.value is None else _text(op.value) for name, op in puts.items()}
        for name, op in puts.items():
            self._write(name, values[name], op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        given = list(ops)
        return await self._memory.run(lambda: self.batch(given))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._texts.get((*op.namespace, op.key))
            return None if found is None else _item(found)
        if isinstance(op, SearchOp):
            return self._search(op)
        assert isinstance(op, ListNamespacesOp)
        return self._namespaces(op)

    def _write(self, name: Name, text: str | None, op: PutOp) -> None:
        if text is None:
            self._texts.delete(name)
            return
        meta = {_NOT_SEARCHED: True} if op.index is False else {}
        try:
            self._texts.put(
                name, text, origin=self._origin, ttl_seconds=None if op.ttl is None else op.ttl * 60, **meta
            )
        except Exception as error:
            self._memory.refused("put", error)
            raise
        self._memory.counts.add(remembered=1)
        log.debug("put into %s", op.namespace)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if op.query:
            most = _MOST if op.filter else op.offset + op.limit
            found = self._texts.search(op.namespace_prefix, op.query, most)
            found = [one for one in found if not one.item.meta.get(_NOT_SEARCHED)]
        else:
            found = self._texts.under(op.namespace_prefix)
        items = [_search_item(one) for one in found]
        if op.filter:
            items = [one for one in items if _matches(one.value, op.filter)]
        return items[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[Name]:
        conditions = op.match_conditions or ()
        namespaces = {one.name[:-1] for one in self._texts.under(_common_prefix(conditions))}
        found = {one for one in namespaces if all(_fits(one, condition) for condition in conditions)}
        cut = found if op.max_depth is None else {one[: op.max_depth] for one in found}
        return sorted(cut)[op.offset : op.offset + op.limit]


def _check(op: Op) -> None:
    if not isinstance(op, GetOp | PutOp | SearchOp | ListNamespacesOp):
        raise InvalidInput(
            "ops", f"{a(type(op).__name__)} is no operation", "use GetOp, PutOp, SearchOp and their like"
        )
    validate_op_namespace(op)  # `put` does, a batch does not
    if isinstance(op, GetOp | PutOp) and not op.namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")


# -- values ------------------------------------------------------------------------------------------------------------


def _text(value: Mapping[str, Any]) -> str:
    """The value as the text that is kept, which is all that the gates look at."""
    remedy = "give texts, numbers, true, false, null, lists and mappings with texts as keys"
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput("value", f"it cannot be written as JSON: {error}", remedy) from None


def _value(text: str) -> dict[str, Any]:
    """The value that a text stands for. One that was corrected by hand, or redacted, may be no JSON any more."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"text": text}


def _item(found: NamedText) -> Item:
    return Item(
        value=_value(found.text),
        key=found.name[-1],
        namespace=found.name[:-1],
        created_at=to_datetime(found.first_written),
        updated_at=to_datetime(found.item.created_at_us),
    )


def _search_item(found: NamedText) -> SearchItem:
    item = _item(found)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, found.score)


# -- filters and namespaces --------------------------------------------------------------------------------------------

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda has, wanted: bool(has == wanted),
    "$ne": lambda has, wanted: bool(has != wanted),
    "$gt": lambda has, wanted: float(has) > float(wanted),
    "$gte": lambda has, wanted: float(has) >= float(wanted),
    "$lt": lambda has, wanted: float(has) < float(wanted),
    "$lte": lambda has, wanted: float(has) <= float(wanted),
}


def _matches(has: Any, wanted: Any) -> bool:
    if isinstance(wanted, list | tuple):
        return isinstance(has, list) and len(has) == len(wanted) and all(map(_matches, has, wanted))
    if not isinstance(wanted, Mapping):
        return bool(has == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_holds(name, has, than) for name, than in wanted.items())
    return isinstance(has, Mapping) and all(_matches(has.get(name), one) for name, one in wanted.items())


def _holds(operator: str, has: Any, than: Any) -> bool:
    if operator not in _OPERATORS:
        raise InvalidInput("filter", f"`{operator}` is not an operator", f"use one of {', '.join(_OPERATORS)}")
    try:
        return _OPERATORS[operator](has, than)
    except (TypeError, ValueError):
        return False  # what is not there, or is no number, is neither more nor less


def _common_prefix(conditions: Iterable[MatchCondition]) -> Name:
    """The longest beginning that a condition asks for: only what is below it has to be read."""
    found: Name = ()
    for condition in conditions:
        if condition.match_type == "prefix":
            plain = condition.path[: condition.path.index("*")] if "*" in condition.path else condition.path
            found = max(found, tuple(plain), key=len)
    return found


def _fits(namespace: Name, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in {"prefix", "suffix"}:
        raise InvalidInput("match_type", f"`{condition.match_type}` is not possible", "use prefix or suffix")
    if not path:
        return True
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(asked in {"*", has} for has, asked in zip(part, path, strict=True))
