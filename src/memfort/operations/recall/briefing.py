"""A briefing: what is known, in sections, for a prompt without a question and for questions that ask for an overview.

It goes through the same sight and disclosure as every other read. Turns of conversations are not in it: the statements
taken from them are. What has faded is left out unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import islice

from msgspec.structs import replace

from memfort.engine.redact import redact_all
from memfort.engine.view import View
from memfort.language.mentions import mentions
from memfort.language.normal_form import normal_text
from memfort.model.item import Item, Kind, has_faded
from memfort.model.moment import day_of
from memfort.model.reason import Reason
from memfort.model.results import Hit
from memfort.operations.read.own_words import is_of_asker, person_of
from memfort.operations.recall.search import ABOUT_ME, is_wanted, read_columns
from memfort.policy.sight import with_subjects
from memfort.recall.briefing_order import OF_A_PERSON, order_candidates, subject_places
from memfort.recall.overview import Overview
from memfort.store.port import LIVE, Filter, position_of

_BLOCK = 64  # memories that are opened at once
_MOST_READ = 3 * _BLOCK  # a briefing is short, and the rest is found by asking
_MOST_FILTERED = 2_000  # the same where only some are asked for
_FARTHER = 4  # so many times as many are opened in the next step there
_LASTING = frozenset({Kind.SEMANTIC, Kind.PROFILE})


class Section(StrEnum):
    """The parts of a briefing, in their order."""

    PROFILE = "profile"
    PEOPLE = "people"
    WISHES = "standing wishes"
    TASKS = "open tasks"
    EVENTS = "recent and coming events"
    OTHERS = "other facts"


_MOST_IN_SECTION = {
    Section.PROFILE: 12,
    Section.PEOPLE: 12,
    Section.WISHES: 10,
    Section.TASKS: 8,
    Section.EVENTS: 8,
    Section.OTHERS: 10,
}
_SECTIONS_OF_TYPES = {
    "identity": Section.PROFILE,
    "relationship": Section.PEOPLE,
    "preference": Section.WISHES,
    "task": Section.TASKS,
    "event": Section.EVENTS,
}


def briefing(view: View, overview: Overview, filter: Filter, limit: int, *, is_asked: bool) -> list[Hit]:
    """What is known, section by section: of the asker, of the people the asker knows, or of everything. With
    `is_asked`, faded memories come too, after the others of their section."""
    wanted = (Section.PEOPLE,) if overview is Overview.PEOPLE else tuple(Section)
    found = _Sections(view, overview, filter, is_asked=is_asked)
    found.fill(wanted, limit)
    chosen = [(section, item) for section in wanted for item in found.first(section)]
    if is_asked and len(chosen) < limit:  # room is left for more than a section's share
        known = {id(item) for _, item in chosen}
        rest = [(section, item) for section in wanted for item in found.all(section) if id(item) not in known]
        chosen = sorted([*chosen, *rest[: limit - len(chosen)]], key=lambda one: wanted.index(one[0]))
    chosen = chosen[:limit]
    shown = redact_all(view.engine, view.sight, [item for _, item in chosen])
    return [
        Hit(one, 0.0, _level(view, item), Reason.BRIEFING, section=section.value)
        for (section, item), one in zip(chosen, shown, strict=True)
    ]


class _Sections:
    """The memories of a briefing. They are chosen by the columns of the index and opened in blocks, until the sections
    are full: what is opened does not grow with the store."""

    def __init__(self, view: View, overview: Overview, filter: Filter, *, is_asked: bool) -> None:
        self._overview, self._is_asked, self._me = overview, is_asked, person_of(view.actor)
        is_own = self._me is not None and overview is not Overview.PEOPLE
        self._view = view.with_sight(with_subjects(view.sight, [self._me])) if is_own and self._me else view
        kinds = _LASTING if filter.kinds is None else filter.kinds & _LASTING
        self._filter = replace(filter, kinds=kinds)
        self._filter_admits_most = filter is LIVE
        self._most_read = _MOST_READ if filter is LIVE else _MOST_FILTERED
        columns = read_columns(self._view)
        number, today = view.store.keys.term, day_of(view.now).toordinal()
        self._handles = order_candidates(columns, number, today)
        self._subjects = subject_places(columns, number)
        self._by_words: dict[str, Item] = {}
        self._places: dict[tuple[bytes, str], int] = {}
        self._replaced: set[tuple[bytes, str]] = set()

    def fill(self, wanted: Sequence[Section], limit: int) -> None:
        """Open memories until each of these sections has its share, or enough are opened."""
        read, size = 0, _BLOCK
        while read < self._most_read and (block := list(islice(self._handles, size))):
            read += len(block)
            size *= 1 if self._filter_admits_most else _FARTHER
            opened = self._view.store.items_by_handle(self._view.sight, block)
            for handle in block:
                if (item := opened.get(handle)) is not None and self._belongs(item):
                    self._add(item, self._subjects.get(handle, len(OF_A_PERSON)))
            is_full = all(len(self.all(section)) >= _MOST_IN_SECTION[section] for section in wanted)
            if is_full and (not self._is_asked or sum(len(self.all(section)) for section in wanted) >= limit):
                break

    def _belongs(self, item: Item) -> bool:
        if not is_wanted(self._view, self._filter, item):
            return False
        if not self._is_asked and has_faded(item, self._view.now):
            return False
        return self._overview is not Overview.ME or is_of_asker(item, self._me)

    def _add(self, item: Item, place: int) -> None:
        words = normal_text(item.text)
        known = self._by_words.get(words)
        if known is None or self._stands_before(item, known):
            self._by_words[words] = item
        self._places[item.space.id, item.id] = place
        if item.may_replace is not None:
            self._replaced.add((item.space.id, item.may_replace))

    def _stands_before(self, item: Item, other: Item) -> bool:
        """Of equal words the one in the narrower space, then the newer one: never the one that a store happens to give
        first."""
        first, second = ((self._layer(one), -one.created_at_us, position_of(one).id) for one in (item, other))
        return first < second

    def _layer(self, item: Item) -> int:
        seen = self._view.sight.seen(item.space)
        return len(self._view.policy.spaces.read_order) if seen is None else seen.layer

    def all(self, section: Section) -> list[Item]:
        """The memories of a section: each once, and of two of which one may replace the other, the newer one."""
        found = (item for item in self._by_words.values() if (item.space.id, item.id) not in self._replaced)
        return [item for item in found if _section(item, self._me) is section]

    def first(self, section: Section) -> list[Item]:
        """The first of a section: of events those that come soonest and then those that were last; of a person who they
        are; otherwise the most important and then the newest. What has faded comes last."""
        now = self._view.now

        def order(item: Item) -> tuple[object, ...]:
            if section is Section.EVENTS:
                at = _when(item)
                return has_faded(item, now), at < now, abs(at - now), position_of(item).id
            known = self._places[item.space.id, item.id] if section is Section.PROFILE else 0
            lasting = item.kind is not Kind.PROFILE
            return has_faded(item, now), lasting, known, -item.importance, -item.created_at_us, position_of(item).id

        return sorted(self.all(section), key=order)[: _MOST_IN_SECTION[section]]


def _section(item: Item, me: str | None) -> Section:
    if item.kind is Kind.PROFILE:
        return Section.PROFILE
    section = _SECTIONS_OF_TYPES.get(item.type, Section.OTHERS)
    if section is not Section.PROFILE and section is not Section.OTHERS:
        return section
    if me is not None and me in item.subjects:
        return Section.PROFILE if item.occurred is None else Section.EVENTS
    if item.subjects or _names_somebody(item):
        return Section.PEOPLE
    return section if item.occurred is None else Section.EVENTS


def _names_somebody(item: Item) -> bool:
    """Whether a statement of somebody's traits names a person who is not known here: "Uma works there"."""
    return item.type == "identity" and bool(mentions(item.text).people)


def _when(item: Item) -> int:
    if item.occurred is not None:
        return item.occurred.end_us
    return item.created_at_us if item.observed_at_us is None else item.observed_at_us


def _level(view: View, item: Item) -> str:
    """The layer of recall that a memory is found in."""
    seen = view.sight.seen(item.space)
    if seen is None:
        return ABOUT_ME
    levels = view.policy.spaces.read_order
    return str(levels[seen.layer] if seen.layer < len(levels) else item.space.primary)
