"""Many statements in one write, each decided on its own and in its turn.

What hangs on a statement alone, on who says it and where, is worked out before its turn comes: for a hundred at a time
and step by step, because a processor that has a step's code at hand takes it two to three times as fast. It is made for
one write and gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memfort.errors import InvalidInput, NotFound
from memfort.memory.describing import Described, described, names_nobody
from memfort.memory.engine import Engine
from memfort.memory.gleaning import Gleaned
from memfort.memory.input import candidate_of, list_of
from memfort.memory.placing import place_of
from memfort.memory.writing import Ahead, Digests, Given, digests_of, screened_of, write
from memfort.model.actor import Actor, Standpoint
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Candidate, Kind
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.admit import Screened
from memfort.policy.settings import Policy

Progress = Callable[[int, int], None]

_AT_ONCE = 100  # so many that the steps are taken together, and so few that little is held


class _Told(NamedTuple):
    """A statement, and the space that it is for."""

    candidate: Candidate
    space: Space


def remember_many(
    engine: Engine, standpoint: Standpoint, given: Iterable[Given], progress: Progress | None = None
) -> list[Outcome]:
    """Keep many statements in one commit, each decided on its own; what cannot be used says why and costs no other."""
    batch = list_of(given, "memories")
    outcomes: list[Outcome] = []
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        for start in range(0, len(batch), _AT_ONCE):
            for outcome in _outcomes(engine, standpoint, sight, batch[start : start + _AT_ONCE], now):
                outcomes.append(outcome)
                if progress is not None:
                    progress(len(outcomes), len(batch))
    return outcomes


def _outcomes(
    engine: Engine, standpoint: Standpoint, sight: Sight, some: Sequence[Given], now: Moment
) -> Iterator[Outcome]:
    """What comes of some of a batch, one after the other."""
    actor, policy = standpoint.actor, engine.policy
    given = [_told_or_error(standpoint, one, policy) for one in some]
    ahead = iter(_ahead(engine, actor, sight, [one for one in given if isinstance(one, _Told)], now))
    for one in given:
        if isinstance(one, InvalidInput):
            yield _unusable(engine, one)
            continue
        known = next(ahead)
        # Whoever is told of the progress may have put another policy to use.
        yield _written(engine, actor, sight, one, known if engine.policy is policy else Ahead(), now)


def _told_or_error(standpoint: Standpoint, given: Given, policy: Policy) -> _Told | InvalidInput:
    try:
        candidate = candidate_of(standpoint.actor, given)
        return _Told(candidate, place_of(standpoint, candidate, policy))
    except InvalidInput as error:
        return error


def _written(engine: Engine, actor: Actor, sight: Sight, told: _Told, ahead: Ahead, now: Moment) -> Outcome:
    try:
        return write(engine, actor, sight, told.candidate, told.space, now, ahead=ahead)
    except (InvalidInput, NotFound) as error:
        return _unusable(engine, error)


def _unusable(engine: Engine, error: InvalidInput | NotFound) -> Outcome:
    detail = {"problem": str(error)}
    return Outcome(Decision(Verdict.DENIED, "input", Reason.INVALID, engine.policy.digest, detail))


# -- before their turn ------------------------------------------------------------------------------------------------


def _ahead(engine: Engine, actor: Actor, sight: Sight, all: Sequence[_Told], now: Moment) -> list[Ahead]:
    """What can be worked out of statements before their turn, one step after the other."""
    gleaned = _gleaned(engine, all)
    people = [_described(engine, actor, sight, told, words, now) for told, words in zip(all, gleaned, strict=True)]
    screened = [
        _screened(engine, actor, sight, told.space, one, words)
        for told, one, words in zip(all, people, gleaned, strict=True)
    ]
    digests = [
        _digests(engine, told.space, one, words) for told, one, words in zip(all, screened, gleaned, strict=True)
    ]
    return [Ahead(*row) for row in zip(gleaned, people, screened, digests, strict=True)]


def _gleaned(engine: Engine, all: Sequence[_Told]) -> list[Gleaned | None]:
    """What the words of those show that are looked at most closely."""
    texts = [told.candidate.text for told in all if told.candidate.kind is Kind.SEMANTIC]
    found = iter(engine.meaning.gleaned(texts))
    return [next(found) if told.candidate.kind is Kind.SEMANTIC else None for told in all]


def _described(
    engine: Engine, actor: Actor, sight: Sight, told: _Told, gleaned: Gleaned | None, now: Moment
) -> Described | None:
    """Unless somebody has to be looked up for it, whom a statement before it may first make known."""
    if gleaned is None or not names_nobody(told.candidate, gleaned):
        return None
    try:
        return described(engine, actor, sight, told.candidate, told.space, None, now, gleaned)
    except InvalidInput:
        return None  # it is said when it is its turn


def _screened(
    engine: Engine, actor: Actor, sight: Sight, space: Space, people: Described | None, gleaned: Gleaned | None
) -> Screened | None:
    if people is None:
        return None
    try:
        return screened_of(engine, actor, sight, people.candidate, space, gleaned)
    except InvalidInput:
        return None


def _digests(engine: Engine, space: Space, screened: Screened | None, gleaned: Gleaned | None) -> Digests | None:
    if screened is None or gleaned is None or gleaned.text != screened.candidate.text:
        return None
    return digests_of(engine, screened.candidate, space, gleaned)
