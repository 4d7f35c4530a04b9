"""Which earlier statement a correction or a retraction means, and how it ends.

The earlier sentence itself, if it stands in this conversation, is found through its evidence. Otherwise a statement has
to say everything that the words name, and be the only one that does: ending what still holds is worse than keeping
both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from memfort.capture.extract.corrections import says_who
from memfort.capture.extract.denials import is_about_own
from memfort.capture.extract.rest import rest_of
from memfort.capture.extraction import Proposal, Target
from memfort.capture.says import says_all, says_much_more, shares_topic
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Item, Kind, Status, is_live
from memfort.model.reason import Reason
from memfort.operations.capture.conversation import Place
from memfort.operations.capture.matching import find_matching
from memfort.policy.admission import Placement, may_replace
from memfort.policy.authority import credit
from memfort.policy.gates.conflict import ConflictRule

_TURNS = 64  # of the conversation, in which the earlier sentence is looked for
_PLANS = frozenset({"event", "task", "decision", "context"})
_LASTING = frozenset({Kind.SEMANTIC, Kind.PROFILE})


class Replaced(Struct, frozen=True):
    """The statements that a newer one replaces, and those that it may."""

    sure: tuple[Item, ...] = ()
    unsure: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()  # what of the sure one still holds


class Earlier:
    """The statements that this commit has kept so far, by the words that say them."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._kept: list[Item] = []

    def add(self, outcome: Outcome) -> None:
        if outcome.item is not None and outcome.stored:
            self._kept.append(outcome.item)

    def with_words(self, words: str) -> list[Item]:
        return [item for item in self._kept if _quotes(item, words)]


def find_replaced(
    tx: Transaction,
    place: Place,
    placement: Placement,
    proposal: Proposal,
    earlier: Earlier,
    speaker: str | None = None,
) -> Replaced:
    """The statements that a proposal corrects or takes back, in the space that its own statement goes to. `speaker` is
    the name before the statements of somebody who is not known here: nobody ends what another said."""
    target = proposal.target
    if target is None:
        return Replaced()
    if target.words is not None:
        found = _usable(tx, placement, [*earlier.with_words(target.words), *_with_words(tx, place, target.words)])
        if found:
            return Replaced(tuple(found), rest=rest_of(found[0].text, target.topic) if target.topic else ())
    wanted = " ".join(dict.fromkeys(f"{target.query} {target.topic}".split()))
    matching = _looked_for(tx, placement, wanted, speaker) if wanted else []
    return _find_meant(matching, target) if target.query else _find_topic(matching, target)


def _find_meant(matching: Sequence[Item], target: Target) -> Replaced:
    """The statement that says all that the query of a target names, if there is one of them; every one about somebody
    whom the speaker does not have."""
    sure = [item for item in matching if says_all(item, target.query)]
    if target.is_denied:
        return Replaced(tuple(item for item in sure if is_about_own(item.text, target.query)))
    if target.is_plan:
        sure = [item for item in sure if item.occurred is not None or item.type in _PLANS]
    if target.old:
        sure = [item for item in sure if target.old in item.text]
        if target.is_person:
            sure = [item for item in sure if says_who(item.text, target.old)]
    if len(sure) == 1 and (target.new or not says_much_more(sure[0], target.query)):
        return Replaced((sure[0],))
    if target.topic and (ended := _find_topic(matching, target)).sure:
        return ended
    return Replaced(unsure=tuple(item.id for item in (sure or matching)[:3]))


def _looked_for(tx: Transaction, placement: Placement, query: str, speaker: str | None) -> list[Item]:
    """What the same speaker said before, in other messages."""
    turn = None if placement.quotes is None else placement.quotes.id
    return [
        item
        for item in _usable(tx, placement, find_matching(tx, query, [placement.space]))
        if item.stated_by in (None, placement.candidate.stated_by)
        and (speaker is None or item.text.startswith(f"{speaker}: "))
        and (item.evidence is None or item.evidence.turn != turn)
    ]


def _find_topic(matching: Iterable[Item], target: Target) -> Replaced:
    """The speaker's own statement that has the words for what is over, if one has more of them than any other; for
    somebody who has left, the one that says who they are."""
    topic = target.topic
    known = [(shares_topic(item, topic), item) for item in matching]
    if target.has_left:
        known = [(1.0, item) for _, item in known if any(says_who(item.text, word) for word in topic.split())]
    known = sorted(((share, item) for share, item in known if share > 0), key=lambda one: -one[0])
    if known and (len(known) == 1 or known[0][0] > known[1][0]) and not says_much_more(known[0][1], topic):
        return Replaced((known[0][1],), rest=rest_of(known[0][1].text, topic))
    return Replaced(unsure=tuple(item.id for _, item in known[:3]))


def retract(tx: Transaction, item: Item, turn: Item) -> Outcome:
    """End a statement that its speaker took back: it is superseded by nothing, and can be restored."""
    after = tx.next_version(
        item,
        status=Status.SUPERSEDED,
        status_reason=Reason.RETRACTED.value,
        ended_phase=tx.engine.phase_of(item.space).id,
    )
    rule = ConflictRule.CORRECTION.value
    tx.apply([tx.update(after)], [tx.event("supersede", after, Reason.RETRACTED, by=turn.id, rule=rule)])
    return Outcome.of(Decision(Verdict.ALLOWED, "conflict", Reason.RETRACTED, tx.policy.digest), after)


def _with_words(view: View, place: Place, words: str) -> list[Item]:
    """The statements of this conversation that were taken from these words."""
    here = view.decision_view.sight
    wanted = normal_text(words)
    turns = view.store.turns(here, place.space, place.conversation, _TURNS, ended=True)
    said = [turn.id for turn in turns if wanted in normal_text(turn.text)]
    if not said:
        return []
    made = [item for item in view.store.derived(here, said) if item.evidence is not None]
    return [item for item in made if _quotes(item, words)]


def _quotes(item: Item, words: str) -> bool:
    if item.evidence is None:
        return False
    said, wanted = normal_text(item.evidence.words), normal_text(words)
    return bool(said and wanted) and (said in wanted or wanted in said)


def _usable(tx: Transaction, placement: Placement, items: Iterable[Item]) -> list[Item]:
    """Those that the speaker may end: in force, in the same space and for the same readers, and of no more weight.
    Words of a file end only what came from a file."""
    candidate = placement.candidate
    weight = credit(tx.actor, candidate.origin, tx.policy, on_record=placement.on_record).authority
    authority = weight if placement.at_most is None else placement.at_most
    there = tx.with_sight(tx.sight.narrowed([placement.space]))
    latest = {one.id: one for one in there.decision_view.items(list(dict.fromkeys(item.id for item in items)))}
    return [
        item
        for item in latest.values()
        if is_live(item, tx.now)
        and item.kind in _LASTING
        and item.readers == candidate.readers
        and there.may_end(item)
        and may_replace(authority, item, tx.policy)
        and (item.source is not None or not placement.is_imported)
    ]
