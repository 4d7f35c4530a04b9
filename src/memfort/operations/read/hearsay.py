"""Let hearsay give way to the person's own word, where one asker sees both.

Spaces have nothing in common, so a person's own word supersedes nothing in the spaces of others. It is compared when
both are shown: an asker who may not see the person's own word sees the hearsay as before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memfort.engine.view import View
from memfort.model.item import Item, Kind, is_hearsay
from memfort.policy.gates.supersession import Claims


def find_refuted(view: View, items: Iterable[Item]) -> set[str]:
    """The ids of those memories that others say of a person, and that the person's own word among them replaces."""
    if not view.policy.conflict.evolve:
        return set()
    statements = [item for item in items if item.kind is Kind.SEMANTIC and item.subjects]
    own: dict[str, list[Claims]] = defaultdict(list)
    for item in statements:
        if item.stated_by is not None and item.subjects == (item.stated_by,):
            own[item.stated_by].append(Claims(item.text))
    hearsay = [item for item in statements if own and is_hearsay(item) and len(item.subjects) == 1]
    return {item.id for item in hearsay if _is_replaced(view, Claims(item.text), own[item.subjects[0]])}


def _is_replaced(view: View, said: Claims, own: Iterable[Claims]) -> bool:
    return any(one.replaces(said, threshold=view.policy.conflict.similarity).supersedes for one in own)
