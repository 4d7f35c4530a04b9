"""Show each fact once, and only as it holds now.

A turn and the statements taken from it are ranked as one unit (`memfort.recall.units`), of which mostly the turn comes.
A turn that says what was replaced or forgotten since does not come as it is: without those sentences, or else what
replaced them comes in its place. Only what the asker may see counts, so a correction out of sight hides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from memfort.capture.marks import sentences_left
from memfort.capture.repeats import Wanted, without_sentences
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.language.words import content_words, split_words
from memfort.model.item import Item, Kind, Origin, Status, parents_of
from memfort.model.reason import Reason
from memfort.model.results import Feature
from memfort.operations.read.hearsay import find_refuted
from memfort.operations.recall.search import Selection, count_matches, is_wanted, select
from memfort.operations.recall.turn_history import TurnHistory
from memfort.recall.parse_query import first_part
from memfort.recall.rank import RankedLayers, ScoredMemory, best_memories
from memfort.recall.units import STANDS_FOR
from memfort.store.port import Filter

_MOST_WORDS = 0.5  # of the content words of a turn: so many a statement has that is most of what it says
_NEIGHBOUR = 0.1  # a turn of which they give less is found only through the turns beside it
_SPARE = 8  # memories that are looked at besides those that are asked for: a few may stand for the same
_FARTHER = 16  # so many times as many memories are looked at in a later step
_ENDED = frozenset({Reason.FORGOTTEN.value, Reason.REJECTED.value})


class Found(NamedTuple):
    """What a recall selected, and what it knows of the turns among it."""

    selection: Selection
    history: TurnHistory


def select_with_weak(
    view: View, totals: RankedLayers | None, limit: int, filter: Filter, query: str, most_weak: int
) -> Found:
    """The first `limit` memories, each fact once. Fewer than `most_weak` are filled up to so many with weak ones, which
    come after all others."""
    halved = _weak_of(totals, most_weak)
    wanted = min(limit, most_weak)
    ahead = [] if halved is None else [one.handle for one in best_memories(halved, wanted)][: wanted + _SPARE]
    history = TurnHistory(view, filter, ahead)
    found = select_once(view, totals, limit, filter, query, history)
    room = wanted - len(found.chosen)
    if totals is None or room <= 0 or totals.needs_no_more:
        return Found(found, history)
    also = select_once(view, halved or totals.weak(), wanted + len(found.folded), filter, query, history)
    strong = {one.handle for one in found.chosen}
    units = {one.turn for one in found.chosen} - {0}
    weak = [one for one in also.chosen if one.handle not in strong | found.folded and one.turn not in units]
    chosen = [*found.chosen, *(replace(one, weak=True) for one in weak[:room])]
    return Found(found._replace(chosen=chosen, items=also.items | found.items, damaged=also.damaged), history)


def _weak_of(totals: RankedLayers | None, most_weak: int) -> RankedLayers | None:
    """The memories that reach the lowered floor, if it is clear at once that too few pass it."""
    if totals is None or len(best_memories(totals, most_weak)) >= most_weak or totals.needs_no_more:
        return None
    return totals.weak()


def select_once(
    view: View, totals: RankedLayers | None, limit: int, filter: Filter, query: str, history: TurnHistory
) -> Selection:
    """The first `limit` memories that are live, admitted and wanted, each fact once. Where many turns stand for the
    same, more memories are looked at, in a fixed number of steps: all that match in the end."""
    query = first_part(query)
    for reach in (limit + _SPARE, _FARTHER * limit, None):
        most = count_matches(totals) if reach is None else reach
        found = select(view, totals, most, filter, history.open)
        is_answered = totals is not None and totals.has_answering_statement
        once = _without_refuted(view, show_once(view, found, filter, query, history, is_answered=is_answered))
        if len(once.chosen) >= limit or len(found.chosen) < most:
            break
    return once._replace(chosen=once.chosen[:limit])


def _without_refuted(view: View, found: Selection) -> Selection:
    """The same memories without hearsay that the person's own word among them replaces."""
    if refuted := find_refuted(view, (found.items[one.handle] for one in found.chosen)):
        return found._replace(chosen=[one for one in found.chosen if found.items[one.handle].id not in refuted])
    return found


def show_once(
    view: View, found: Selection, filter: Filter, query: str, history: TurnHistory, *, is_answered: bool
) -> Selection:
    """The same memories without turns that repeat another one, and without what is out of date."""
    turns = [one for one in found.chosen if _is_turn(found.items[one.handle])]
    if not turns:
        return found
    history.look_up({one.handle: found.items[one.handle] for one in turns})
    fold = _Fold(view, found, history, query, is_answered=is_answered)
    for turn in turns:
        fold.fold(turn, filter)
    return fold.result()


def _is_turn(item: Item) -> bool:
    return item.kind is Kind.SHORT_TERM


class _Fold:
    """The memories of a recall while turns are taken out."""

    def __init__(self, view: View, found: Selection, history: TurnHistory, query: str, *, is_answered: bool) -> None:
        self._view, self._found, self._history = view, found, history
        self._words = content_words(query)
        self._scored = {one.handle: one for one in found.chosen}
        self._items = dict(found.items)
        self._handles = {found.items[one.handle].id: one.handle for one in found.chosen}
        self._folded = set(found.folded)
        self._instead: set[int] = set()  # those that come in place of a turn
        self._is_answered = is_answered
        self._composed = {
            item.evidence.turn: one.handle
            for one in found.chosen
            if (item := found.items[one.handle]).evidence is not None and item.evidence.composed is not None
        }
        self._texts: dict[str, int] = {}
        for one in found.chosen:  # a statement before a turn of the same words, else the better one
            words = normal_text(found.items[one.handle].text)
            best = self._texts.get(words)
            if best is None or (_is_turn(found.items[best]) and not _is_turn(found.items[one.handle])):
                self._texts[words] = one.handle

    def fold(self, turn: ScoredMemory, filter: Filter) -> None:
        if self._is_answered and _own_match(turn) < _NEIGHBOUR:
            self._folded.add(turn.handle)  # it is only said beside what answers
            return
        item = self._items[turn.handle]
        if (composed := self._composed.get(item.id)) is not None:
            self._take_out(turn, [composed])  # its words alone do not say it: "no wait, Saturday"
            return
        statements, replaced = self._history.statements(item), self._history.replaced(item)
        if replaced and not self._trim(turn, item, replaced):
            self._take_out(turn, self._in_place_of(replaced, filter))
            return
        item = self._items[turn.handle]
        if any(self._is_out_of_date(one, item) for one in statements):
            self._take_out(turn, self._in_place_of(statements, filter))
            return
        same = self._texts.get(normal_text(item.text), turn.handle)
        if same != turn.handle:
            self._take_out(turn, [same])
        elif instead := self._best_in_force(statements, filter):  # a part of the turn has ended
            self._take_out(turn, instead)

    def _trim(self, turn: ScoredMemory, item: Item, replaced: Sequence[Item]) -> bool:
        """Cut the sentences out of a turn that say what was replaced since; says whether anything is left of it that
        may be asked for."""
        gone = [one.evidence.words for one in replaced if one.evidence is not None]
        if item.origin is not Origin.USER:  # an answer repeats what was said in words of its own
            wanted = [Wanted.of(words, words) for words in gone]
            said = [one.text for one in sentences_left(item.text)]
            gone = [text for text in said if any(one.is_said_in(text, is_answer=True) for one in wanted)]
        text = without_sentences(item.text, gone)
        if text == without_sentences(item.text, ()):
            return True
        is_left, is_gone = (not self._words.isdisjoint(split_words(words)) for words in (text, " ".join(gone)))
        if not text.strip() or (is_gone and not is_left):
            return False  # where neither has a word of the query, the meaning of what is left may have been found
        self._items[turn.handle] = replace(item, text=text)
        return True

    def _is_out_of_date(self, statement: Item, turn: Item) -> bool:
        """Whether a turn does not come because of a statement taken from it: that was forgotten, or it was superseded
        and is what the query is about or most of what the turn says. A long turn stays for the rest of it."""
        if statement.deleted_reason in _ENDED:
            return statement.evidence is None or statement.evidence.words in turn.text
        is_old = statement.status is Status.SUPERSEDED
        return is_old and (self._is_asked(statement) or _common_words(statement, turn) >= _MOST_WORDS)

    def _in_place_of(self, statements: Sequence[Item], filter: Filter) -> list[int]:
        """The memories that come for a turn which is out of date: the best of its statements in force that the query is
        about, else what replaced those that it is about."""
        if known := self._best_in_force(statements, filter):
            return known
        newest = (self._history.replacement(one) for one in self._replaceable(statements))
        return [
            self._handle(one)
            for one in islice((one for one in newest if one is not None and is_wanted(self._view, filter, one)), 1)
        ]

    def _best_in_force(self, statements: Sequence[Item], filter: Filter) -> list[int]:
        """Of a turn's statements in force, the one that has most words of the query, if any has one."""
        wanted = [one for one in statements if self._is_asked(one) and is_wanted(self._view, filter, one)]
        return [self._handle(max(wanted, key=self._count_asked))] if wanted else []

    def _replaceable(self, statements: Sequence[Item]) -> list[Item]:
        """Those of a turn's statements that were superseded and that the query is about."""
        asked = statements if len(statements) == 1 else [one for one in statements if self._is_asked(one)]
        return [one for one in asked if one.status is Status.SUPERSEDED]

    def _is_asked(self, item: Item) -> bool:
        return self._count_asked(item) > 0

    def _count_asked(self, item: Item) -> int:
        """How many words of the query a memory has."""
        return len(self._words.intersection(split_words(item.text)))

    def _handle(self, item: Item) -> int:
        """The handle of a memory; one that was not found gets a number of its own here."""
        if item.id not in self._handles:
            handle = -1 - len(self._handles)
            self._handles[item.id] = handle
            self._items[handle] = item
        return self._handles[item.id]

    def _take_out(self, turn: ScoredMemory, instead: Sequence[int]) -> None:
        """Take a turn out. What stands for it takes its rank."""
        self._folded.add(turn.handle)
        self._instead.update(instead)
        for handle in instead:
            known = self._scored.get(handle)
            if known is None:
                self._scored[handle] = replace(turn, handle=handle, shares={STANDS_FOR: turn.score})
            elif known.layer == turn.layer and known.score < turn.score:
                shares = {**known.shares, STANDS_FOR: turn.score - known.score}
                self._scored[handle] = replace(known, score=turn.score, shares=shares)

    def result(self) -> Selection:
        places = {one.handle: place for place, one in enumerate(self._found.chosen)}
        kept = [one for one in self._scored.values() if one.handle not in self._folded]
        kept.sort(key=lambda one: (one.layer, -one.score, places.get(one.handle, len(places))))
        chosen = [one for one in kept if not self._is_said(one, kept)]
        return self._found._replace(chosen=chosen, items=self._items, folded=self._folded)

    def _is_said(self, one: ScoredMemory, kept: Sequence[ScoredMemory]) -> bool:
        """Whether what comes in place of another memory was found with its turn too: of both, the first one comes."""
        ranks = {self._items[other.handle].id: rank for rank, other in enumerate(kept)}
        mine, item = ranks[self._items[one.handle].id], self._items[one.handle]
        if one.handle in self._instead:
            return any(ranks.get(turn, mine) < mine for turn in parents_of(item))
        made = (self._items[handle] for handle in self._instead if item.id in parents_of(self._items[handle]))
        return any(ranks.get(other.id, mine) < mine for other in made)


def _common_words(statement: Item, turn: Item) -> float:
    """The share of a turn's content words that a statement has."""
    words = content_words(turn.text)
    return len(words.intersection(split_words(statement.text))) / (len(words) or 1)


def _own_match(one: ScoredMemory) -> float:
    """What the words and the meaning of a memory itself give."""
    return sum(one.shares.get(feature, 0.0) for feature in (Feature.WORDS, Feature.MEANING))
