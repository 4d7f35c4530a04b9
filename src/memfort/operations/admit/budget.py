"""Make room in an author's budget: which of the author's own memories are evicted for one more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from memfort.engine.view import View
from memfort.model.audience import Audience, audience_of
from memfort.model.decision import Decision, Verdict
from memfort.model.item import Item, Kind, Readers, Status
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.gates.budget import LASTING, ExceededLimit, exceeded_limit
from memfort.policy.settings.sections import Budget, EvictFirst, WhenFull
from memfort.policy.sight import maintenance_sight
from memfort.store.port import WriteContext

Counts = tuple[Mapping[Kind, int], int]  # an author's memories: beside an item by kind, and the lasting ones everywhere


def make_room(
    view: View, item: Item, leaving: Iterable[Item], context: WriteContext | None = None
) -> tuple[Decision | None, list[Item]]:
    """The memories to evict from the author's budget for one more, or the refusal if too few can go. `leaving` are
    superseded by it anyway. An author's memories are evicted only for that author's own. The store is asked how many
    they are if the `context` is not known."""
    budget, actor = view.policy.budget, view.actor
    if not budget.is_limited or item.status is not Status.APPROVED:
        return None, []
    going = [one for one in leaving if one.author.key == actor.key and one.status is Status.APPROVED]
    counts = _counts(view, item) if context is None else (context.counts, context.authored_count)
    if _find_exceeded(view, item, counts, going) is None:
        return None, []
    # The counts include expired memories until a sweep; the result must not depend on the sweep.
    counted = _counted_sight(view, item)
    going += _find_unswept(view, counted)
    evicted: list[Item] = []
    while (exceeded := _find_exceeded(view, item, counts, [*going, *evicted])) is not None:
        found = _select_for_eviction(view, counted, item, exceeded, [*going, *evicted])
        evicted += found
        if len(found) < exceeded.count:
            return (None, evicted) if budget.when_full is WhenFull.EXCEED else (_budget_denial(view, exceeded), [])
    return None, evicted


def _budget_denial(view: View, exceeded: ExceededLimit) -> Decision:
    return Decision(Verdict.DENIED, "budget", Reason.BUDGET_FULL, view.policy.digest, {"limit": exceeded.limit})


def _select_for_eviction(
    view: View, counted: Sight, item: Item, exceeded: ExceededLimit, going: Sequence[Item]
) -> list[Item]:
    """Which of the author's memories to evict under a limit: as many as needed, if there are enough."""
    budget = view.policy.budget
    if budget.when_full is WhenFull.REFUSE:
        return []
    order = eviction_order(budget, view.now)
    if exceeded.is_everywhere:
        found: Iterable[Item] = evictable(view, counted, order)
    else:
        count = exceeded.count + len(going)
        partition = (item.space, item.readers, view.actor.key, exceeded.kinds, count)
        found = view.store.least_important(view.sight, *partition, audience=audience_of(item), **order)
    known = {(one.space, one.id) for one in going}
    return list(islice((one for one in found if (one.space, one.id) not in known), exceeded.count))


def eviction_order(budget: Budget, now: Moment) -> dict[str, Any]:
    """How the policy differs from "evict the least important first, at any age"."""
    oldest = {"oldest": True} if budget.evict_first is EvictFirst.OLDEST else {}
    if budget.grace_seconds is None:
        return oldest
    return {**oldest, "before": Moment(now - round(budget.grace_seconds * MICROSECONDS_PER_SECOND))}


def evictable(view: View, counted: Sight, order: dict[str, Any]) -> Iterator[Item]:
    """The author's memories wherever the author may still read and write. The decision names them, so memories that the
    author cannot see are not among them."""
    reach: dict[Space, Sight] = {}
    for item in view.store.eviction_candidates(counted, view.actor, **order):
        if item.space not in reach:
            reach[item.space] = view.writable_in(item.space)
        if reach[item.space].admits(item):
            yield item


def _counts(view: View, item: Item) -> Counts:
    beside = view.store.count_by_kind(view.sight, item.space, item.readers, view.actor.key, audience_of(item))
    return beside, view.store.authored_count(view.actor)


def _find_exceeded(view: View, item: Item, counts: Counts, going: Sequence[Item]) -> ExceededLimit | None:
    """The limit that the item would exceed after the evictions."""
    beside, everywhere = Counter(counts[0]), counts[1]
    beside.subtract(one.kind for one in going if _partition(one) == _partition(item))
    everywhere -= sum(one.kind in LASTING for one in going)
    return exceeded_limit(view.policy.budget, item.kind, beside, everywhere)


def _partition(item: Item) -> tuple[Space, Readers, Audience]:
    return item.space, item.readers, audience_of(item)


def _counted_sight(view: View, item: Item) -> Sight:
    """Where the author's memories are counted: beside the item, or everywhere. Those found everywhere are shown only as
    far as the author may see them."""
    if view.policy.budget.owner is None:
        return view.sight.narrowed([item.space])
    return maintenance_sight({item.space, *view.store.author_spaces(view.actor)})


def _find_unswept(view: View, counted: Sight) -> list[Item]:
    """The author's memories that have expired but still count."""
    overdue = view.store.overdue(counted, view.now)
    own = [one for one in overdue if one.author.key == view.actor.key and one.status is Status.APPROVED]
    return [one for one in own if one.readers.admits(view.actor)]  # memories the author may not read never count
