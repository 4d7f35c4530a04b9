"""Say that a chat may not hear most of what matches, and why.

Everyone in the chat hears the answer. So it counts only memories that every listener knows of anyway: those that were
said in this very chat while all of them were there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from memfort.engine.notice import privacy_of, remedy_for
from memfort.engine.view import View
from memfort.model.audience import Audience, Listeners, ListenersKind, audience_of
from memfort.model.item import Item, Readers
from memfort.model.reason import Reason, explanation
from memfort.model.sight import SeenSpace
from memfort.model.value import count_noun
from memfort.operations.recall.search import read_index, score_columns, select
from memfort.policy.disclosure import ListenerDisclosure
from memfort.store.port import Filter

_MOST = 50  # that are counted
_CHATS = frozenset({ListenersKind.PRIVATE, ListenersKind.GROUP})


class _WithheldAndHeard(Struct, frozen=True):
    """What is not said here again, although all who listen heard it here."""

    inside: ListenerDisclosure

    @property
    def listeners(self) -> Listeners:
        return self.inside.listeners

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        is_heard = self.inside.all_heard_it_here(readers, audience)
        return is_heard and not self.inside.may_hear(seen, readers, audience)

    def is_disclosed(self, *asked: object, is_named: bool) -> bool:  # noqa: ARG002
        return False


def withheld_in_chat(view: View, query: str, filter: Filter, shown: int) -> list[str]:
    """The warning of a recall in a chat of which most is withheld; nothing otherwise."""
    disclosure = view.sight.disclosure
    if not isinstance(disclosure, ListenerDisclosure) or disclosure.listeners.kind not in _CHATS:
        return []
    withheld = replace(view.sight, disclosure=_WithheldAndHeard(disclosure), about=frozenset(), named=frozenset())
    there = view.with_sight(withheld)
    columns, bound = read_index(there, query)
    if not any(one.shown.any() for one in columns):
        return []
    found = select(there, score_columns(there, columns, bound), _MOST, filter)
    items = [found.items[one.handle] for one in found.chosen]
    return [_warning(there, disclosure, items)] if len(items) > shown else []


def _warning(view: View, disclosure: ListenerDisclosure, items: list[Item]) -> str:
    reasons = Counter(_reason(view, disclosure, item) for item in items)
    why = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    place = "group" if disclosure.listeners.kind is ListenersKind.GROUP else "chat"
    more = "at least " if len(items) == _MOST else ""
    matching = f"{more}{count_noun(len(items), 'memory')} that would match"
    return f"{matching}: not said in this {place} ({why}); {_remedy(view, items)}"


def _reason(view: View, disclosure: ListenerDisclosure, item: Item) -> str:
    seen = view.sight.by_id[item.space.id]
    reason = disclosure.verdict(seen, audience_of(item))
    return privacy_of(item) if reason is Reason.NOT_FOR_THIS_CHAT else explanation(reason)


def _remedy(view: View, items: Iterable[Item]) -> str:
    """What would have them said; the longest remedy names what the others do."""
    return max((remedy_for(view.engine, item) for item in items), key=len)
