"""Hypothesis strategies for names, spaces, standpoints and candidates that try to be taken for one another.

The names are those that broke other memory stores: pairs that become equal once they are joined, trimmed, folded,
normalised, cut at a prefix, or read as SQL, a path, a pattern or a missing value.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from memfort.model.item import Candidate, Kind, Origin, Readers, Sensitivity
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.space import MAX_ID_BYTES, OWNED_LEVELS, SYSTEM_ID, Coordinate, Level, Space, Visibility

# Without `*` and names with NUL: those are refused, as the tests of `check_id` show.
HOSTILE_NAMES: tuple[str, ...] = (
    "a",
    "A",
    "aa",  # `a` is its prefix
    "a:b",
    "a b",
    "a_b",
    "a%b",
    "a/b",
    "a.b",
    "a=b",
    "a,b",
    "a|b",
    "a\tb",
    "a\nb",
    " a",
    "a ",
    "a\u0301",  # a with a combining acute …
    "\u00e1",  # … and the same letter precomposed
    "\u0430",  # Cyrillic a
    "\uff41",  # full-width a
    "ａ：ｂ",
    "a\u200b",  # zero-width space
    "a\u200d",
    "\ufeffa",
    "\u202ea",  # right-to-left override
    "אבג",
    "ß",
    "ss",
    "İ",
    "i",
    "👩‍💻",
    "👩",
    "null",
    "None",
    "none",
    "true",
    "0",
    "00",
    "-1",
    "%",
    "_",
    "__",
    "**",
    "?",
    "'",
    "''",
    '"',
    "`",
    "\\",
    "'; drop table item; --",
    "' or '1'='1",
    "a' union select record from item --",
    "../a",
    "/etc/passwd",
    "a/../b",
    "{}",
    "[]",
    '{"user":"a"}',
    '["a"]',
    "user",
    "user=a",
    "user:a",
    "$1",
    "?1",
    ":id",
    "x" * MAX_ID_BYTES,
    "x" * (MAX_ID_BYTES - 1),
    "\U0001f600" * (MAX_ID_BYTES // 4),
)

_FREE_LEVELS = tuple(level for level in Level if level not in {Level.SYSTEM, Level.VISIBILITY})


def hostile_names() -> SearchStrategy[str]:
    """Names from the list, joined ones, and any Unicode text that can name something."""
    listed = st.sampled_from(HOSTILE_NAMES)
    joined = st.builds(str.__add__, listed, listed).filter(_fits)
    anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
    return st.one_of(listed, joined, anything.filter(_is_name))


def spaces(names: SearchStrategy[str] | None = None, levels: Sequence[Level] = _FREE_LEVELS) -> SearchStrategy[Space]:
    """Spaces of every shape that can be named, one to four coordinates and whatever they need to be complete."""
    named = hostile_names() if names is None else names
    chosen = st.dictionaries(st.sampled_from(list(levels)), named, min_size=1, max_size=4)
    return st.one_of(
        st.tuples(chosen, named, st.sampled_from(list(Visibility))).map(_completed),
        st.just(Space.of({Level.SYSTEM: SYSTEM_ID})),
    )


def readers(names: SearchStrategy[str] | None = None) -> SearchStrategy[Readers]:
    """Reader lists: open, of users, of agents, of both, and empty ones, which admit no one."""
    lists = st.one_of(st.none(), st.frozensets(hostile_names() if names is None else names, max_size=3))
    return st.builds(Readers, lists, lists)


def actors(names: SearchStrategy[str] | None = None) -> SearchStrategy[Actor]:
    """Users, the system, and agents that act for their owner, for another user, or for no one."""
    named = hostile_names() if names is None else names
    return st.one_of(
        st.builds(Actor, st.just(ActorKind.USER), named),
        st.builds(Actor, st.just(ActorKind.AGENT), named, st.one_of(st.none(), named), named),
        st.just(SYSTEM),
    )


def standpoints(names: SearchStrategy[str] | None = None) -> SearchStrategy[Standpoint]:
    """An actor at up to four places, with or without its own identity among them."""
    named = hostile_names() if names is None else names
    places = st.dictionaries(st.sampled_from(_FREE_LEVELS), named, max_size=4)
    return st.builds(_standing_at, actors(named), places)


def candidates() -> SearchStrategy[Candidate]:
    """Well-formed statements of every kind, otherwise as unusual as possible."""
    texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(str.strip)
    return st.builds(
        Candidate,
        text=texts,
        kind=st.sampled_from([Kind.SHORT_TERM, Kind.SEMANTIC]),
        tags=st.lists(hostile_names(), max_size=4).map(tuple),
        origin=st.sampled_from(list(Origin)),
        sensitivity=st.sampled_from(list(Sensitivity)),
        readers=readers(),
        confidence=st.floats(0, 1),
        ttl_seconds=st.one_of(st.none(), st.floats(1, 10**8)),
        meta=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), st.integers(), max_size=3),
    )


def _completed(parts: tuple[dict[Level, str], str, Visibility]) -> Space:
    """Add what a space requires: the owner of a session, paper or track; the visibility of an agent."""
    chosen, owner, visibility = parts
    made = dict(chosen)
    if set(made) & OWNED_LEVELS and not set(made) & {Level.USER, Level.AGENT}:
        made[Level.USER] = owner
    if Level.AGENT in made:
        made[Level.VISIBILITY] = Visibility.PUBLIC if visibility is Visibility.SHARED else visibility
    elif Level.USER in made and visibility is Visibility.SHARED:
        made[Level.VISIBILITY] = visibility
    return Space.of({level.value: id for level, id in made.items()})


def _standing_at(actor: Actor, places: dict[Level, str]) -> Standpoint:
    return Standpoint(actor, tuple(Coordinate(level, id) for level, id in places.items()))


def _is_name(text: str) -> bool:
    return bool(text.strip()) and text != "*" and _fits(text)


def _fits(text: str) -> bool:
    return len(text.encode()) <= MAX_ID_BYTES
