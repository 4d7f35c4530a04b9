"""Which earlier statement a correction or a retraction means, and how it ends.

The earlier sentence itself, if it stands in this conversation, is found through its evidence. Otherwise a statement has
to say everything that the words name, and be the only one that does: ending what still holds is worse than keeping
both.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from memfort.capture.extract.changes import says_otherwise as says_changed
from memfort.capture.extract.changes import says_wrong
from memfort.capture.extract.corrections import says_who
from memfort.capture.extract.denials import is_about_own
from memfort.capture.extract.ends import denies, is_compound, is_denial, says_no_more, says_otherwise
from memfort.capture.extraction import Action, Proposal, Target
from memfort.capture.same_subject import most_alike
from memfort.capture.says import says_all, says_much_more, shares_topic
from memfort.capture.turns import Trait, find_traits
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.language.slots import find_slot
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Item, Kind, Status, is_live
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.capture.conversation import Place
from memfort.operations.capture.matching import find_matching
from memfort.policy.admission import Placement, may_replace
from memfort.policy.authority import credit
from memfort.policy.gates.conflict import ConflictRule

_TURNS = 64  # of the conversation, in which the earlier sentence is looked for
_PLANS = frozenset({"event", "task", "decision", "context"})
_LASTING = frozenset({Kind.SEMANTIC, Kind.PROFILE})
_SHOWN = 3  # statements that may be meant
_VALUES = Trait.TIME | Trait.NUMBER


class Replaced(Struct, frozen=True):
    """The statements that a newer one replaces, and those that it may."""

    sure: tuple[Item, ...] = ()
    unsure: tuple[Item, ...] = ()


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
    """The statements that a proposal corrects or takes back. `speaker` is the name before the statements of somebody
    who is not known here: nobody ends what another said."""
    target = proposal.target
    if target is None:
        return Replaced()
    if target.words is not None:
        found = _usable(tx, placement, [*earlier.with_words(target.words), *_with_words(tx, place, target.words)])
        return _apart(found, [item for item in found if normal_text(item.text) == normal_text(target.query)])
    wanted = " ".join(dict.fromkeys(f"{target.query} {target.topic}".split()))
    if not wanted:
        return Replaced()
    spaces = [placement.space, place.space] if proposal.action is Action.RETRACT else [placement.space]
    found = _looked_for(tx, placement, wanted, spaces, speaker)
    return _apart(found, [item for item in found if _is_meant(item, proposal, target)], is_each=target.is_denied)


def may_be_news_of(
    tx: Transaction, placement: Placement, proposal: Proposal, replaced: Replaced, speaker: str | None = None
) -> str | None:
    """The id of an earlier statement that a proposal may replace: its words say that something was wrong, or is
    otherwise now, and both give a value of what they share. What has happened has happened: it is not replaced."""
    words, found = f"{proposal.quote} {proposal.text}", replaced.unsure
    is_wrong = says_wrong(words)
    if not (is_wrong or placement.candidate.is_correction or says_changed(words)):
        return None
    if not found:
        found = tuple(_looked_for(tx, placement, words, [placement.space], speaker))
    if not is_wrong:
        gives_value = _gives_value(proposal.text)  # both say when or how much
        found = tuple(item for item in found if gives_value and _gives_value(item.text) and not _is_past(item))
    alike = most_alike(proposal.text, found)
    return None if alike is None else alike.id


def _gives_value(text: str) -> bool:
    """Whether it says when or how much."""
    return bool(find_traits(text) & _VALUES)


def _is_past(item: Item) -> bool:
    """Whether it is an event that was over when it was told."""
    return item.occurred is not None and item.occurred.end_us <= (item.observed_at_us or item.created_at_us)


def _apart(found: Sequence[Item], meant: Sequence[Item], *, is_each: bool = False) -> Replaced:
    """What ends: the only statement that is meant, or each of them. One that says more than the one thing stays."""
    sure = [item for item in meant if not is_compound(item.text)]
    if is_each or len(meant) == len(sure) == 1:
        return Replaced(tuple(sure), tuple(item for item in meant if item not in sure))
    return Replaced(unsure=tuple((meant or found)[:_SHOWN]))


def _is_meant(item: Item, proposal: Proposal, target: Target) -> bool:
    """Whether a proposal is the end of a statement, by the words of both."""
    if target.is_denied:
        return says_all(item, target.query) and is_about_own(item.text, target.query)
    if proposal.action is Action.RETRACT and not target.is_plan:
        return says_all(item, target.query)
    if denies(proposal.text, item.text) or says_otherwise(proposal.text, item.text, is_sure=True):
        return True
    if (target.is_person or target.has_left) and _is_role(item.text):
        return any(says_who(item.text, name) for name in (target.old or target.topic).split())
    if target.old and target.old in item.text and says_no_more(item.text, target.query):
        return True
    is_plan = target.is_plan and (item.occurred is not None or item.type in _PLANS)
    return (is_plan and says_all(item, target.query)) or _is_over(item, proposal, target)


def _is_over(item: Item, proposal: Proposal, target: Target) -> bool:
    """Whether what is said to be over is what a statement is about. "I no longer work as a nurse" says itself how much
    it denies: not where."""
    denies_more = is_denial(proposal.text) and " " in (target.query or target.topic)
    if not target.topic or target.has_left or denies_more:
        return False
    return shares_topic(item, target.topic) > 0 and not says_much_more(item, target.topic)


def _is_role(statement: str) -> bool:
    """Whether it says who does something for the speaker: a manager may be another one, a sister may not."""
    slot = find_slot(statement.rstrip(" .!"))
    return slot is not None and slot.attribute.startswith("role:")


def _looked_for(
    tx: Transaction, placement: Placement, query: str, spaces: Sequence[Space], speaker: str | None
) -> list[Item]:
    """What the same speaker said before, in other messages."""
    turn = None if placement.quotes is None else placement.quotes.id
    return [
        item
        for item in _usable(tx, placement, find_matching(tx, query, list(dict.fromkeys(spaces))))
        if item.stated_by in (None, placement.candidate.stated_by)
        and (speaker is None or item.text.startswith(f"{speaker}: "))
        and (item.evidence is None or item.evidence.turn != turn)
    ]


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


def _usable(tx: Transaction, placement: Placement, items: Sequence[Item]) -> list[Item]:
    """Those that the speaker may end: in force, in the same space and for the same readers, and of no more weight.
    Words of a file end only what came from a file."""
    candidate = placement.candidate
    weight = credit(tx.actor, candidate.origin, tx.policy, on_record=placement.on_record).authority
    authority = weight if placement.at_most is None else placement.at_most
    there = tx.with_sight(tx.sight.narrowed(list({item.space: None for item in items} or [placement.space])))
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
