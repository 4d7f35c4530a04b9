"""Ranks a turn and the statements taken from it as one unit.

A statement says again what its turn says. As a row of its own it would take a second rank, and it has neither the
neighbours nor the speaker that speak for its turn. So the statements add to the score of their turn what they match
better, and the turn comes for all of them: or, if it is long and one statement alone answers, that statement.

Only memories that are shown count: a statement whose turn the caller may not see is ranked by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memfort.model.results import Feature
from memfort.recall.packed_weight import SAYS_NOTHING
from memfort.store.port.values.columns import Columns, Flags, Numbers

Column = NDArray[np.float64]
Shares = dict[str, Column]  # by feature, in the order of the weights; a feature that is missing has no share

STANDS_FOR = "stands_for"  # what a statement gains by its turn, or loses where it would pass it
ASSISTANT = 0.7  # of its score an assistant's turn keeps, unless the query asks what the assistant said
_STATEMENT_WORDS = 0.9  # of the words that the best statement matches and its turn does not
_BEST_OF = (Feature.ABOUT, Feature.INSTRUCTION, Feature.USE, Feature.DATE)  # a kind of answer is more in what is short
_LONG = 60  # words: of a longer turn, one statement may be all that was asked for
_LEAST_MATCH = 0.6  # of what matches in the turn
_LEAST_SCORE = 0.5  # of the turn's
_STEP = 1e-6  # points: the smallest step that is shown
_FOUND_ITSELF = 0.1  # points of words and meaning; a turn with less is found only through its neighbours


class Show(Enum):
    """Which memories of a unit are returned."""

    ONE = "one"  # the turn, or the statement that comes in its place
    STATEMENTS = "statements"  # no turns
    ALL = "all"


class Units(NamedTuple):
    """The statements among some rows whose turn is among them too, turn by turn."""

    statements: Numbers  # their places
    starts: Numbers  # where those of each turn begin
    turns: Numbers  # the place of each turn
    owners: Numbers  # for each statement, which of the turns it was taken from

    def best(self, column: Column) -> Column:
        """For each turn, the highest value of its statements."""
        best: Column = np.maximum.reduceat(column[self.statements], self.starts)
        return best

    def any_of(self, flags: Flags) -> Flags:
        """For each turn, whether it or one of its statements has a flag."""
        found: Flags = np.logical_or.reduceat(flags[self.statements], self.starts) | flags[self.turns]
        return found

    def left_out(self, in_place: Flags) -> Flags:
        """Which rows do not come, if these statements come in place of their turns."""
        hidden = np.zeros(len(in_place), np.bool_)
        hidden[self.statements] = ~in_place[self.statements]
        hidden[self.turns] = np.logical_or.reduceat(in_place[self.statements], self.starts)
        return hidden


def turn_rows(columns: Columns) -> Numbers:
    """For each row, the row of the turn that it was taken from, if both are shown; else -1."""
    is_turn = columns.in_talk & (columns.turns != 0) & ((columns.traits & SAYS_NOTHING) == 0)
    return rows_named(columns, np.where(columns.in_talk, 0, columns.turns), is_turn)


def rows_named(columns: Columns, names: Numbers, among: Flags) -> Numbers:
    """For each row, the row among these which has the name that is given for it, if both are shown; else -1."""
    found = np.full(len(columns.handles), -1)
    linked, known = np.flatnonzero((names != 0) & columns.shown), np.flatnonzero(among & columns.shown)
    if not len(linked) or not len(known):
        return found
    order = known[np.argsort(columns.names[known], kind="stable")]
    places = np.minimum(np.searchsorted(columns.names[order], names[linked]), len(order) - 1)
    is_there = columns.names[order[places]] == names[linked]
    found[linked[is_there]] = order[places[is_there]]
    return found


def with_whole_units(columns: Columns, wanted: Flags) -> Flags:
    """These rows, with the turns of the statements and the statements of the turns among them."""
    rows = columns.once("turn rows", turn_rows)
    wanted = wanted.copy()
    wanted[rows[wanted & (rows >= 0)]] = True
    whole: Flags = wanted | ((rows >= 0) & wanted[rows])
    return whole


def find_units(columns: Columns, at: Numbers) -> Units | None:
    """The units among these rows; `None` if there are none."""
    rows = columns.once("turn rows", turn_rows)[at]
    places = np.full(len(columns.handles), -1)
    places[at] = np.arange(len(at))
    turns = np.where(rows >= 0, places[rows], -1)
    statements = np.flatnonzero(turns >= 0)
    if not len(statements):
        return None
    statements = statements[np.argsort(turns[statements], kind="stable")]
    of = turns[statements]
    begins = np.append(True, of[1:] != of[:-1])
    starts = np.flatnonzero(begins)
    return Units(statements, starts, of[starts], np.cumsum(begins) - 1)


def score_units(units: Units, shares: Shares, lengths: Column) -> Flags:
    """Raise the shares of turns by what their statements match better, and give the best statement of each the score of
    its turn; gives the statements that may come in place of their turn. The shares are changed where they are."""
    size = len(lengths)
    own, match = sum(shares.values(), np.zeros(size)), own_match(shares, size)
    turn_match = match[units.turns]
    _raise_turns(units, shares)
    total = sum((share[units.turns] for share in shares.values()), np.zeros(len(units.turns)))
    statement_match, statement_own, limit = match[units.statements], own[units.statements], total[units.owners]
    is_best = statement_match >= units.best(match)[units.owners]
    stands_for = np.zeros(size)
    answers = (statement_match >= _LEAST_MATCH * turn_match[units.owners]) & (statement_own >= _LEAST_SCORE * limit)
    is_alone = np.add.reduceat(answers.astype(np.int64), units.starts) == 1
    gives_way = is_alone & (lengths[units.turns] > _LONG) & (turn_match >= _FOUND_ITSELF)
    in_place = np.zeros(size, np.bool_)
    comes = answers & gives_way[units.owners]
    in_place[units.statements[comes]] = True
    limit = np.where(comes, limit + _STEP, limit - _STEP)  # right above the turn, or below it
    stands_for = shares[STANDS_FOR] = np.zeros(size)
    stands_for[units.statements] = np.where(is_best | comes, limit, np.minimum(statement_own, limit)) - statement_own
    return in_place


def own_match(shares: Mapping[str, Column], size: int) -> Column:
    """What the words and the meaning of each memory itself give."""
    return sum((shares[one] for one in (Feature.WORDS, Feature.MEANING) if one in shares), np.zeros(size))


def _raise_turns(units: Units, shares: Shares) -> None:
    turns = units.turns
    if Feature.WORDS in shares:
        words = shares[Feature.WORDS]
        words[turns] += _STATEMENT_WORDS * np.maximum(units.best(words) - words[turns], 0)
    for feature in _BEST_OF:
        if feature in shares:
            shares[feature][turns] = np.maximum(shares[feature][turns], units.best(shares[feature]))
