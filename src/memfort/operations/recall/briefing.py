"""A briefing: what is known, in sections, for a prompt without a question and for questions that ask for an overview.

It goes through the same sight and disclosure as every other read. Turns of conversations are not in it: the statements
taken from them are. What has faded is left out unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec.structs import replace

from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.language.mentions import mentions
from memfort.language.normal_form import normal_text
from memfort.model.item import Item, Kind, has_faded
from memfort.model.reason import Reason
from memfort.model.results import Hit
from memfort.operations.read.filters import only_current
from memfort.operations.read.own_words import is_of_asker, person_of
from memfort.operations.recall.search import ABOUT_ME
from memfort.policy.sight import with_subjects
from memfort.recall.overview import Overview
from memfort.store.port import Filter, position_of

_MOST_READ = 2_000  # of the newest memories in sight; a briefing is short, and older ones are found by asking
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
    me = person_of(view.actor)
    items = _distinct(_items(view, overview, filter, me))
    items = [item for item in items if is_asked or not has_faded(item, view.now)]
    sections: dict[Section, list[Item]] = {section: [] for section in Section}
    for item in items:
        sections[_section(item, me)].append(item)
    wanted = (Section.PEOPLE,) if overview is Overview.PEOPLE else tuple(Section)
    chosen = [(section, item) for section in wanted for item in _first(view, section, sections[section])]
    if is_asked and len(chosen) < limit:  # room is left for more than a section's share
        known = {id(item) for _, item in chosen}
        rest = [(section, item) for section in wanted for item in sections[section] if id(item) not in known]
        chosen = sorted([*chosen, *rest[: limit - len(chosen)]], key=lambda one: wanted.index(one[0]))
    return [_hit(view, section, item) for section, item in chosen[:limit]]


def _items(view: View, overview: Overview, filter: Filter, me: str | None) -> Iterator[Item]:
    """The memories that may be in it, those about the asker first, the newest first."""
    if me is not None and overview is not Overview.PEOPLE:
        there = view.with_sight(with_subjects(view.sight, [me]))
        about = view.store.about(there.sight, [me], only_current(there, filter), _MOST_READ, view.now)
        yield from (item for item in about if item.kind in _LASTING)
    own = replace(filter, kinds=_LASTING if filter.kinds is None else filter.kinds & _LASTING)
    found = view.store.page(view.sight, only_current(view, own), None, _MOST_READ, view.now)
    yield from (item for item in found if overview is not Overview.ME or is_of_asker(item, me))


def _distinct(items: Iterator[Item]) -> list[Item]:
    """Each memory once, and of equal words the first."""
    seen: dict[str, Item] = {}
    for item in items:
        seen.setdefault(normal_text(item.text), item)
    return list(seen.values())


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


def _first(view: View, section: Section, items: Sequence[Item]) -> list[Item]:
    """The first of a section: of events those that come soonest and then those that were last, otherwise the most
    important and then the newest. What has faded comes last."""

    def order(item: Item) -> tuple[object, ...]:
        if section is Section.EVENTS:
            at = _when(item)
            return has_faded(item, view.now), at < view.now, abs(at - view.now), position_of(item).id
        lasting = item.kind is not Kind.PROFILE
        return has_faded(item, view.now), lasting, -item.importance, -item.created_at_us, position_of(item).id

    return sorted(items, key=order)[: _MOST_IN_SECTION[section]]


def _when(item: Item) -> int:
    if item.occurred is not None:
        return item.occurred.end_us
    return item.created_at_us if item.observed_at_us is None else item.observed_at_us


def _hit(view: View, section: Section, item: Item) -> Hit:
    seen = view.sight.seen(item.space)
    if seen is None:
        level = ABOUT_ME
    else:
        levels = view.policy.spaces.read_order
        level = str(levels[seen.layer] if seen.layer < len(levels) else item.space.primary)
    return Hit(redact_for(view.engine, view.sight, item), 0.0, level, Reason.BRIEFING, section=section.value)
