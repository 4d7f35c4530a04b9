"""Where a conversation says what ends: the words that a statement was taken from, and sentences that say it again, as
an answer does. Forgetting hides such a sentence and erasing removes it; the rest of its turn stays.

A sentence counts as saying it if it has most of its content words; in the answer to it, one word is enough that the
turn says nowhere else. A sentence from which a memory that stays was taken is left alone, and its turn is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.marks import ERASED, FORGOTTEN, sentences_left
from memfort.capture.repeats import Wanted
from memfort.capture.says import says_all
from memfort.engine.engine import Engine
from memfort.engine.recorder import Recorder
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Origin, conversation_of, next_version
from memfort.model.people.directory import is_author
from memfort.model.people.person import person_of_user
from memfort.model.reason import Reason
from memfort.model.results import SaidSentence
from memfort.model.sight import Sight
from memfort.operations.admit.refuse import ended_value_of, rejection_detail
from memfort.operations.ending.lineage import ErasureTarget
from memfort.policy.sight import decision_sight, maintenance_sight
from memfort.store.port import Change, PutRejectedValue, Store
from memfort.trail.event import Event

MARKS = {Reason.FORGOTTEN: FORGOTTEN, Reason.ERASED: ERASED}
SAID_ELSEWHERE = "it was said in a conversation that is not in reach from here; stand there to end it there too"
_AROUND = 64  # turns before and after that are looked through
_LAST = 256  # turns by which a conversation is known to end as a whole


class _Place(Struct, frozen=True):
    """A sentence in a turn."""

    turn: Item
    start: int
    words: str

    @property
    def end(self) -> int:
        return self.start + len(self.words)


class Said(Struct, frozen=True):
    """Where a conversation says what ends."""

    places: tuple[_Place, ...] = ()
    unsure: tuple[Item, ...] = ()  # turns that may still say it
    elsewhere: bool = False  # a statement comes from a conversation out of reach

    def sentences(self, sight: Sight, *, with_words: bool) -> tuple[SaidSentence, ...]:
        """What the caller is told of them: nothing of those that may not be shown where the caller stands."""
        shown = (one for one in self.places if sight.admits(one.turn))
        return tuple(SaidSentence(one.turn.id, one.words if with_words else "") for one in shown)

    def still_said(self, sight: Sight) -> tuple[str, ...]:
        rewritten = {one.turn.id for one in self.places}
        return tuple(one.id for one in self.unsure if sight.admits(one) and one.id not in rewritten)


NOT_SAID = Said()


def find_said(
    view: View, reach: Sight, ended: Sequence[ErasureTarget], turns: Sequence[Item] = (), words: str = ""
) -> Said:
    """Where conversations within reach say what these memories say; and the sentences of these turns that say all of
    these words."""
    search = _Search(view.with_sight(reach), ended)
    for turn in turns:
        search.add_sentences(turn, words)
    for item in ended:
        if isinstance(item, Item):
            search.add(item)
    return search.result()


class _Search:
    def __init__(self, view: View, ended: Sequence[ErasureTarget]) -> None:
        self._view = view
        self._whole = decision_sight(view.sight)
        self._gone = {(item.space.id, item.id) for item in ended}
        self._places: dict[tuple[str, int], _Place] = {}
        self._unsure: dict[str, Item] = {}
        self._elsewhere = False
        self._ends_whole: dict[tuple[bytes, str], bool] = {}
        self._around: dict[str, tuple[list[Item], set[str], set[str]]] = {}

    def add(self, item: Item) -> None:
        if (conversation := conversation_of(item)) is not None:
            if self._has_rest(item, conversation):
                for one in sentences_left(item.text):
                    self._look_around(item, one.text)
        elif item.evidence is not None:
            for id, words in zip(item.evidence.turns, item.evidence.all_words, strict=True):
                self._add_evidence(id, words)

    def _add_evidence(self, id: str, words: str) -> None:
        turn = next(iter(self._view.store.items(self._whole, [id])), None)
        if turn is None:
            self._elsewhere = True
            return
        if (turn.space.id, turn.id) not in self._gone:
            self._take_evidence(turn, words)
        self._look_around(turn, words)

    def add_sentences(self, turn: Item, words: str) -> None:
        found = [one for one in sentences_left(turn.text) if says_all(replace(turn, text=one.text), words)]
        for one in found:
            self._take(_Place(turn, one.start, one.text))
        if not found:  # it says the words in several sentences
            self._unsure[turn.id] = turn

    def _has_rest(self, turn: Item, conversation: str) -> bool:
        """Whether other turns of a conversation stay: if it ends as a whole, nothing in it can say anything."""
        key = (turn.space.id, conversation)
        if key not in self._ends_whole:
            last = self._view.store.turns(self._whole, turn.space, conversation, _LAST)
            self._ends_whole[key] = all((one.space.id, one.id) in self._gone for one in last)
        return not self._ends_whole[key]

    def _take_evidence(self, turn: Item, words: str) -> None:
        start = turn.text.find(words)
        if start >= 0:
            self._take(_Place(turn, start, words))

    def _take(self, place: _Place) -> None:
        if self._may_rewrite(place.turn):
            self._places.setdefault((place.turn.id, place.start), place)
        else:
            self._unsure[place.turn.id] = place.turn

    def _may_rewrite(self, turn: Item) -> bool:
        """Whether the actor may end the turn: one that may be shown here, or that the actor wrote or said."""
        view = self._view
        if not view.may_end(turn) or turn.deleted_at_us is not None:
            return False
        user = view.actor.user
        is_speaker = user is not None and turn.stated_by == person_of_user(user)
        return view.sight.admits(turn) or is_author(view.actor, turn.author) or is_speaker

    def _look_around(self, turn: Item, words: str) -> None:
        wanted = Wanted.of(words, turn.text)
        if not wanted.words:
            return
        turns, answers, kept = self._turns_around(turn)
        for other in turns:
            for one in sentences_left(other.text):
                if other.id == turn.id and one.text in words:
                    continue
                is_free = not any(quote in one.text for quote in kept)
                if is_free and wanted.is_said_in(one.text, is_answer=other.id in answers):
                    self._take(_Place(other, one.start, one.text))
                elif wanted.may_be_said_in(one.text):
                    self._unsure[other.id] = other

    def _turns_around(self, turn: Item) -> tuple[list[Item], set[str], set[str]]:
        """The turns around one that stay, the answers among them, and the words in them from which memories that stay
        were taken."""
        if turn.id not in self._around:
            store, conversation = self._view.store, turn.conversation or ""
            before = store.turns(self._whole, turn.space, conversation, _AROUND, before=turn.id)
            after = store.turns(self._whole, turn.space, conversation, _AROUND, after=turn.id)
            turns = [one for one in (*before, turn, *after) if (one.space.id, one.id) not in self._gone]
            made = store.derived(self._whole, [one.id for one in turns])
            stays = (one for one in made if (one.space.id, one.id) not in self._gone and one.deleted_at_us is None)
            kept = {one.evidence.words for one in stays if one.evidence is not None and one.kind is not Kind.SHORT_TERM}
            self._around[turn.id] = turns, _answers_to(turn, after), kept
        return self._around[turn.id]

    def result(self) -> Said:
        return Said(tuple(self._places.values()), tuple(self._unsure.values()), self._elsewhere)


def _answers_to(turn: Item, after: Sequence[Item]) -> set[str]:
    """The turns between what a user says and what a user says next."""
    is_said = turn.origin is Origin.USER
    return {one.id for one in takewhile(lambda one: one.origin is not Origin.USER, after)} if is_said else set()


# -- rewriting --------------------------------------------------------------------------------------------------------


def rewrite(engine: Engine, recorder: Recorder, said: Said, reason: Reason) -> tuple[list[Change], list[Event]]:
    """The changes that put a mark in the place of each sentence, and note its words."""
    changes: list[Change] = []
    events: list[Event] = []
    actor, now = recorder.actor, recorder.now
    for turn, places in _by_turn(engine.store, said.places):
        after = next_version(turn, now, text=_without(turn.text, places, MARKS[reason]))
        sentences = (replace(turn, text=one.words) for one in places)
        noted = [PutRejectedValue(one) for said in sentences for one in ended_value_of(engine, actor, said, now)]
        changes += [replace(engine.update(after), redacts=True), *noted]
        events.append(recorder.change_event("rewrite", after, reason, **rejection_detail(engine, noted)))
    return changes, events


def _by_turn(store: Store, places: Iterable[_Place]) -> Iterator[tuple[Item, list[_Place]]]:
    """The turns as they are now, each with the sentences that it still has."""
    turns: dict[str, list[_Place]] = {}
    for one in places:
        turns.setdefault(one.turn.id, []).append(one)
    for found in turns.values():
        for turn in store.items(maintenance_sight([found[0].turn.space]), [found[0].turn.id]):
            there = [_Place(turn, one.start, one.words) for one in found if turn.text.startswith(one.words, one.start)]
            if there:
                yield turn, sorted(there, key=lambda one: one.start)


def _without(text: str, places: Sequence[_Place], mark: str) -> str:
    """The text with the mark in the place of each sentence. Sentences that overlap are one."""
    parts, at = [], 0
    for one in places:
        if one.start >= at:
            parts += [text[at : one.start], mark]
        at = max(at, one.end)
    return "".join([*parts, text[at:]])
