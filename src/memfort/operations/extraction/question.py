"""What a model is given: turns, earlier turns and memories, as far as the policy lets them leave. What does not come
through here is never sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from memfort.capture.extract.sentences import split_sentences
from memfort.capture.messages import Message
from memfort.capture.model import Sent, SentMemory, SentTurn
from memfort.engine.default_place import default_places
from memfort.engine.indexing.embedding import SPEAKER
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Sensitivity, Status, is_in_force, waits_for_judgement
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.space import Space
from memfort.operations.capture.conversation import is_summary
from memfort.operations.capture.matching import find_matching
from memfort.operations.capture.speakers import Speaker, Speakers
from memfort.policy.gates.secrets import look_for_secrets
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Filter, QueuedTurn

WAITS_FOR_REVIEW = "its turn waits for a review"
WAITS_FOR_JUDGEMENT = "the encoder has not judged yet how private its turn is"
REMOVED = "[removed]"  # in the place of a sentence with a secret
_MAX_CHARS = 8000  # of a turn
_MAX_CONTEXT_CHARS = 24_000
_LASTING = frozenset({Kind.SEMANTIC, Kind.PROFILE})


class Prepared(Struct, frozen=True):
    """A question that may be asked, and the memories behind it."""

    sent: Sent
    queued: tuple[QueuedTurn, ...]  # whose turns are the new ones, in the same order
    turns: tuple[Item, ...]
    memories: tuple[Item, ...] = ()  # in the order of their numbers


class Sorted(Struct, frozen=True):
    """The turns of a batch, by what is to be done with them."""

    ready: tuple[tuple[QueuedTurn, Item], ...] = ()
    waiting: tuple[tuple[QueuedTurn, str], ...] = ()  # each with what it waits for
    withheld: tuple[QueuedTurn, ...] = ()  # they may not leave
    gone: tuple[QueuedTurn, ...] = ()


def sort_turns(view: View, queued: Sequence[QueuedTurn]) -> Sorted:
    """Which of the turns may be sent now. The view is that of whoever observed them."""
    here = view.decision_view
    items = {(item.space.id, item.id): item for item in here.items([one.turn for one in queued])}
    ready, waiting, withheld, gone = list[tuple[QueuedTurn, Item]](), [], [], []
    for one in queued:
        turn = items.get(one.place)
        if turn is None:  # whoever observed it does not see it any more
            withheld.append(one)
        elif turn.status is Status.PENDING:
            waiting.append((one, WAITS_FOR_REVIEW))
        elif view.engine.has_classifier and waits_for_judgement(turn):
            waiting.append((one, WAITS_FOR_JUDGEMENT))
        elif not is_in_force(turn):
            gone.append(one)
        elif not _turn_may_leave(view, turn) or cut_secrets(view, turn) is None:
            withheld.append(one)
        else:
            ready.append((one, turn))
    return Sorted(tuple(ready), tuple(waiting), tuple(withheld), tuple(gone))


def prepare(view: View, ready: Sequence[tuple[QueuedTurn, Item]]) -> Prepared:
    """The question about turns that may leave."""
    rules, turns = view.policy.extraction, tuple(turn for _, turn in ready)
    before = _before(view, turns, rules.context_turns)
    memories = _memories(view, ready[0][0], turns, rules.memories)
    sent = Sent(
        tuple(_sent_turn(view, turn) for turn in turns),
        tuple(_sent_turn(view, turn) for turn in before),
        tuple(SentMemory(_cut(view, item)) for item in memories),
        tuple(view.policy.types),
    )
    return Prepared(sent, tuple(one for one, _ in ready), turns, memories)


def may_leave(view: View, item: Item) -> bool:
    """Whether the policy lets a turn or a memory be sent. What is sensitive never leaves."""
    return item.sensitivity is not Sensitivity.SENSITIVE and item.sensitivity in view.policy.extraction.send


def _turn_may_leave(view: View, turn: Item) -> bool:
    """Whether the policy lets a turn be sent, and all that was ever made from it: its owner may have found afterwards
    that it is more private than its words say."""
    return may_leave(view, turn) and all(may_leave(view, item) for item in _made_from(view, turn))


def _made_from(view: View, turn: Item) -> Iterable[Item]:
    """What was made from a turn, and what that was corrected to, whatever became of it."""
    seen, last = {turn.id}, [turn]
    while last:
        everything = maintenance_sight(list(dict.fromkeys(item.space for item in last)))
        made = view.store.derived(everything, [item.id for item in last])
        later = [item.superseded_by for item in last if item.superseded_by is not None]
        last = [item for item in (*made, *view.store.items(everything, later)) if item.id not in seen]
        seen.update(item.id for item in last)
        yield from last


def cut_secrets(view: View, item: Item) -> str | None:
    """The text without the sentences that hold a secret; `None` if nothing else is left, or what is left still holds
    one. The gate has refused secrets already; its rules may have been looser then."""
    text = item.text[:_MAX_CHARS]
    if not _has_secret(view, text):
        return text
    kept = [REMOVED if _has_secret(view, one.text) else one.text for one in split_sentences(text)]
    cut = " ".join(kept)
    return None if set(kept) <= {REMOVED} or _has_secret(view, cut) else cut


def _has_secret(view: View, text: str) -> bool:
    found = look_for_secrets([("text", text)], view.policy, view.actor)
    return found.reason is not None or bool(found.allowed)


def _cut(view: View, item: Item) -> str:
    return cut_secrets(view, item) or REMOVED


def _sent_turn(view: View, turn: Item) -> SentTurn:
    at = turn.observed_at_us or turn.created_at_us
    return SentTurn(_cut(view, turn), turn.origin, at, _speaker(view, turn))


def speaker_of(view: View, turn: Item) -> Speaker:
    """Who said a turn, as far as the caller is believed now."""
    named = turn.provenance.get(SPEAKER)
    user = None if turn.stated_by is None else user_of_person(turn.stated_by)
    name = user or (named if isinstance(named, str) else None)
    return Speakers(view).of(Message(index=0, origin=turn.origin, text=turn.text, speaker=name))


def _speaker(view: View, turn: Item) -> str | None:
    """The name of a speaker who is another than the caller, or whom the caller acts for."""
    own = None if view.actor.user is None else person_of_user(view.actor.user)
    if turn.stated_by is not None:
        return None if turn.stated_by == own else user_of_person(turn.stated_by)
    named = turn.provenance.get(SPEAKER)
    return named if isinstance(named, str) else None


def _before(view: View, turns: Sequence[Item], limit: int) -> tuple[Item, ...]:
    """The last turns before the first one, as far as the caller may be shown them and they may leave."""
    first = turns[0]
    if not limit or first.conversation is None:
        return ()
    found = view.store.turns(view.sight, first.space, first.conversation, limit, before=first.id)
    turns_alone = (one for one in found if not is_summary(one) and _turn_may_leave(view, one))
    return tuple(_within(_MAX_CONTEXT_CHARS, _sendable(view, turns_alone)))


def _memories(view: View, queued: QueuedTurn, turns: Sequence[Item], limit: int) -> tuple[Item, ...]:
    """Memories that the turns may be about: those that a recall finds for their words, then the newest. Memories of the
    caller's own spaces only if nobody else speaks: others could ask the model to repeat them."""
    if not limit:
        return ()
    is_alone = not queued.is_named and all(speaker_of(view, turn).is_caller for turn in turns)
    homes = default_places(view.standpoint, view.policy) if is_alone else []
    spaces: list[Space] = [queued.space, *homes]
    found = find_matching(view, " ".join(turn.text for turn in turns)[:_MAX_CHARS], spaces, limit)
    newest = view.store.page(view.sight.narrowed(spaces), Filter(kinds=_LASTING), None, limit, view.now)
    known = {item.id: item for item in (*found, *newest) if view.is_shown(item)}
    return tuple(_within(_MAX_CONTEXT_CHARS, _sendable(view, known.values())))[:limit]


def _sendable(view: View, items: Iterable[Item]) -> Iterable[Item]:
    return (item for item in items if may_leave(view, item) and cut_secrets(view, item) is not None)


def _within(limit: int, items: Iterable[Item]) -> Iterable[Item]:
    """Items as long as their texts are not longer than this together."""
    length = 0
    for item in items:
        length += len(item.text)
        if length > limit:
            return
        yield item
