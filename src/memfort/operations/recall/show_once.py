"""Show each fact once: the statement in force stands for the turn that it was taken from.

A turn is a record of what was said, and a statement taken from it says the same again. Where both are found, the
statement comes; or the turn, if that says much more of what is asked. A turn that says what was corrected or forgotten
since does not come: the correction comes in its place. Nor do requests to forget, and beside a statement that answers
by itself no turn that was found only through its neighbours. Only what the asker may see counts, so a correction out
of sight hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

from memfort.capture.extract.requests import only_asks_to_forget
from memfort.capture.marks import sentences_left
from memfort.capture.repeats import Wanted, without_sentences
from memfort.capture.turns import parse_turn
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.language.words import content_words, split_words
from memfort.model.item import Item, Kind, Origin, Status
from memfort.model.reason import Reason
from memfort.model.results import Feature
from memfort.operations.read.hearsay import find_refuted
from memfort.operations.recall.newer_first import BEST, newer_first
from memfort.operations.recall.search import STANDS_FOR, Selection, count_matches, is_wanted, select
from memfort.operations.recall.turn_history import TurnHistory
from memfort.recall.parse_query import first_part
from memfort.recall.rank import Layers, ScoredMemory
from memfort.store.port import Filter

_LEAST_SHARE = 0.6  # of what matches in a turn: so much has to match in a statement that stands for it
_LEAST_WORDS = 0.8  # of the content words of a turn: so many a statement has that says all of it
_MOST_WORDS = 0.5
_FARTHER = 8  # so many times as many memories are looked at in a later step
_ANSWERS = 1.0  # what the words and the meaning of a statement give that answers by itself
_NEIGHBOUR = 0.1  # a turn of which they give less is found only through the turns beside it
_ENDED = frozenset({Reason.FORGOTTEN.value, Reason.REJECTED.value})


def select_once(view: View, totals: Layers, limit: int, filter: Filter, query: str) -> Selection:
    """The first `limit` memories that are live, admitted and wanted, each fact once. Where many turns stand for the
    same, more memories are looked at, in a fixed number of steps: all that match in the end."""
    history, wanted, query = TurnHistory(view), max(limit, BEST), first_part(query)
    for reach in (wanted, 2 * wanted, 2 * _FARTHER * wanted, None):
        most = count_matches(totals) if reach is None else reach
        found = select(view, totals, most, filter)
        once = _without_refuted(view, show_once(view, found, filter, query, history))
        if len(once.chosen) >= wanted or len(found.chosen) < most:
            break
    ordered = newer_first(once, query) if view.ranking.weights[Feature.NEWER_VALUE] > 0 else once
    return ordered._replace(chosen=ordered.chosen[:limit])


def _without_refuted(view: View, found: Selection) -> Selection:
    """The same memories without hearsay that the person's own word among them replaces."""
    if refuted := find_refuted(view, (found.items[one.handle] for one in found.chosen)):
        return found._replace(chosen=[one for one in found.chosen if found.items[one.handle].id not in refuted])
    return found


def show_once(view: View, found: Selection, filter: Filter, query: str, history: TurnHistory) -> Selection:
    """The same memories without the turns that a statement stands for, and without those that are out of date."""
    turns = [one for one in found.chosen if _is_turn(found.items[one.handle])]
    if not turns:
        return found
    history.look_up([found.items[one.handle] for one in turns])
    fold = _Fold(view, found, history, query)
    history.follow(fold.superseded(turns))
    for turn in turns:
        fold.fold(turn, filter)
    return fold.result()


def _is_turn(item: Item) -> bool:
    return item.kind is Kind.SHORT_TERM


class _Fold:
    """The memories of a recall while turns are taken out."""

    def __init__(self, view: View, found: Selection, history: TurnHistory, query: str) -> None:
        self._view, self._found, self._history = view, found, history
        self._words = content_words(query)
        self._scored = {one.handle: one for one in found.chosen}
        self._items = dict(found.items)
        self._handles = {found.items[one.handle].id: one.handle for one in found.chosen}
        self._folded: set[int] = set()
        self._is_answered = any(
            _own_match(one) >= _ANSWERS for one in found.chosen if not _is_turn(found.items[one.handle])
        )
        self._texts: dict[str, int] = {}
        for one in found.chosen:  # a statement before a turn of the same words, else the better one
            words = normal_text(found.items[one.handle].text)
            best = self._texts.get(words)
            if best is None or (_is_turn(found.items[best]) and not _is_turn(found.items[one.handle])):
                self._texts[words] = one.handle

    def superseded(self, turns: Iterable[ScoredMemory]) -> list[Item]:
        """The superseded statements of turns in whose place another memory may come."""
        items = [self._items[one.handle] for one in turns]
        groups = [some for one in items for some in (self._history.statements(one), self._history.replaced(one))]
        return [one for some in groups if not self._known(some) for one in self._replaceable(some)]

    def fold(self, turn: ScoredMemory, filter: Filter) -> None:
        item = self._items[turn.handle]
        if self._is_answered and _own_match(turn) < _NEIGHBOUR:
            self._folded.add(turn.handle)  # it is only said beside what answers
            return
        statements, replaced = self._history.statements(item), self._history.replaced(item)
        if replaced and not self._trim(turn, item, replaced):
            self._take_out(turn, self._in_place_of(replaced, filter))
            return
        item = self._items[turn.handle]
        if any(self._is_out_of_date(one, item) for one in statements):
            self._take_out(turn, self._in_place_of(statements, filter))
            return
        if item.origin is Origin.USER and only_asks_to_forget(parse_turn(item.text).body):
            self._folded.add(turn.handle)
            return
        same = self._texts.get(normal_text(item.text), turn.handle)
        if same != turn.handle:
            self._take_out(turn, [same])
            return
        # A replacement that was looked up for another turn, and lost to a better one, has a handle and no score.
        known = [handle for one in statements if (handle := self._handles.get(one.id)) in self._scored]
        if any(_own_match(self._scored[one]) >= _LEAST_SHARE * _own_match(turn) for one in known):
            self._take_out(turn, known)
        elif known:  # the turn says more of what is asked, and says what they say too
            self._folded.update(known)
        elif len(statements) == 1 and self._says_all(statements[0], item, filter):
            self._take_out(turn, [self._handle(statements[0])])

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
        if self._words.isdisjoint(split_words(text)):
            return False
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
        """The memories that come for a turn which is out of date: its statements that are found, else what replaced
        those that the query is about."""
        if known := self._known(statements):
            return known
        newest = (self._history.replacement(one) for one in self._replaceable(statements))
        wanted = (one for one in newest if one is not None and is_wanted(self._view, filter, one))
        return [self._handle(one) for one in islice(wanted, 1)]

    def _known(self, statements: Sequence[Item]) -> list[int]:
        return [self._handles[one.id] for one in statements if one.id in self._handles]

    def _replaceable(self, statements: Sequence[Item]) -> list[Item]:
        """Those of a turn's statements that were superseded and that the query is about."""
        asked = statements if len(statements) == 1 else [one for one in statements if self._is_asked(one)]
        return [one for one in asked if one.status is Status.SUPERSEDED]

    def _is_asked(self, item: Item) -> bool:
        return not self._words.isdisjoint(split_words(item.text))

    def _says_all(self, statement: Item, turn: Item, filter: Filter) -> bool:
        """Whether a statement that may come says nearly all that its turn says."""
        return _common_words(statement, turn) >= _LEAST_WORDS and is_wanted(self._view, filter, statement)

    def _handle(self, item: Item) -> int:
        """The handle of a memory; one that was not found gets a number of its own here."""
        if item.id not in self._handles:
            handle = -1 - len(self._handles)
            self._handles[item.id] = handle
            self._items[handle] = item
        return self._handles[item.id]

    def _take_out(self, turn: ScoredMemory, instead: Sequence[int]) -> None:
        """Take a turn out. The best of the memories that stand for it takes its rank."""
        self._folded.add(turn.handle)
        if not instead:
            return
        best = max(instead, key=lambda handle: self._scored[handle].score if handle in self._scored else 0.0)
        known = self._scored.get(best)
        if known is None:
            self._scored[best] = replace(turn, handle=best, shares={STANDS_FOR: turn.score})
        elif known.layer == turn.layer and known.score < turn.score:
            shares = {**known.shares, STANDS_FOR: turn.score - known.score}
            self._scored[best] = replace(known, score=turn.score, shares=shares)

    def result(self) -> Selection:
        places = {one.handle: place for place, one in enumerate(self._found.chosen)}
        kept = [one for one in self._scored.values() if one.handle not in self._folded]
        kept.sort(key=lambda one: (one.layer, -one.score, places.get(one.handle, len(places))))
        return self._found._replace(chosen=kept, items=self._items, folded=frozenset(self._folded))


def _common_words(statement: Item, turn: Item) -> float:
    """The share of a turn's content words that a statement has."""
    words = content_words(turn.text)
    return len(words.intersection(split_words(statement.text))) / (len(words) or 1)


def _own_match(one: ScoredMemory) -> float:
    """What the words and the meaning of a memory itself give."""
    return sum(one.shares.get(feature, 0.0) for feature in (Feature.WORDS, Feature.MEANING))
