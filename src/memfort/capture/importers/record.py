"""One record of an import, before any gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from memfort.errors import InvalidInput
from memfort.model.item import Item, Origin
from memfort.model.moment import Moment, to_moment
from memfort.model.occurred import Occurred
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.results import Source
from memfort.model.serialize.encoding import is_short_name
from memfort.model.space import Space, check_id


class Said(Struct, frozen=True):
    """One message of an archived conversation."""

    origin: Origin
    text: str
    id: str  # unique in its conversation, and the same in a later export of it
    at: Moment | None = None
    speaker: str | None = None  # a third person, as the archive names them
    tool: str | None = None


class Excerpt(Struct, frozen=True):
    """Messages of an archived conversation that follow each other. A long conversation comes in several."""

    conversation: str  # its name here: `chatgpt:6f1c…`
    messages: tuple[Said, ...]


class Imported(Struct, frozen=True):
    """The contents of one line or row: one of `fields`, `excerpt`, `item`, `source`, `phase`, `skip` and `problem` is
    set, or only what was left out of it."""

    place: str  # where in the file, for people: `line 3`
    fields: Mapping[str, Any] | None = None  # a statement, as `remember` takes it
    item: Item | None = None  # a memory of our own export
    source: Source | None = None  # an import batch of our own export
    phase: tuple[Space, Phase] | None = None  # a phase of a space, of our own export
    skip: str | None = None  # why it is left out on purpose: `expired`, `deleted`, `superseded`
    problem: str | None = None  # why it cannot be used, and what to do; never its contents
    owner: str | None = None  # the user that the record names as its owner, if any
    written_by: str | None = None  # the user that the record names as its author; believed only by the system
    created_at: Moment | None = None
    notes: tuple[str, ...] = field(default=())  # `without_provenance`, `open_reader_list`, …
    excerpt: Excerpt | None = None
    omitted: Mapping[str, int] = field(default_factory=dict)  # parts of it left out on purpose, by reason: `hidden`, …


UNREADABLE = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
NOT_ITS_FORM = "it has not the form of its format"


def read_each(place: str, read: Callable[[], Iterator[Imported]]) -> Iterator[Imported]:
    """What is read of one record. Formats have no published shape, and programs change them: a record in which a field
    has an unexpected form is reported, and the import goes on with the next."""
    try:
        yield from read()
    except UNREADABLE:
        yield Imported(place, problem=NOT_ITS_FORM)


def is_well_formed(item: Item) -> bool:
    """Whether the fields that no gate checks are valid: a file can claim anything."""
    actor = item.author
    return (
        all(_is_text(value) for value in (item.type, item.policy, actor.id))
        and _is_memory_id(item.id)
        and all(value is None or _is_text(value) for value in (actor.acting_for, actor.owner, item.key, item.source))
        and all(
            value is None or _is_memory_id(value) for value in (item.supersedes, item.superseded_by, item.may_replace)
        )
        and all(_is_count(value) for value in (item.number, item.version))
        and all(_is_moment(value) for value in (item.created_at_us, item.updated_at_us))
        and all(
            value is None or _is_moment(value)
            for value in (item.observed_at_us, item.expires_at_us, item.deleted_at_us)
        )
        and (item.conversation is None or _is_text(item.conversation))
        and (item.evidence is None or all(map(_is_memory_id, item.evidence.turns)))
        and (item.occurred is None or _is_span(item.occurred))
        and item.status_reason in list(Reason)
    )


def _is_span(occurred: Occurred) -> bool:
    return _is_moment(occurred.start_us) and _is_moment(occurred.end_us) and occurred.start_us < occurred.end_us


def _is_text(value: object) -> bool:
    try:
        check_id(value, "name")
    except InvalidInput:
        return False
    return True


def _is_memory_id(value: object) -> bool:
    """Whether it has the form of an id, which is a digest and can hide no text."""
    return _is_text(value) and is_short_name("mem_", str(value))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 2**53


def _is_moment(value: object) -> bool:
    try:
        return isinstance(value, int) and to_moment(value, "time") == value
    except InvalidInput:
        return False
