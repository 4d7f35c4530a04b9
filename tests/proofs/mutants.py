"""Wrong rules of the product, each in the place of the right one. The comparison finds every one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from memfort.model import learned
from memfort.model.audience import Listeners
from memfort.model.item import Sensitivity
from memfort.model.reason import Reason
from memfort.policy import disclosure
from memfort.policy.disclosure import TABLE, Column, ListenerDisclosure, Row

_ABOUT = {Reason.ABOUT_LISTENER: disclosure._is_only_subject}
_OWN = {Reason.OWNED_BY_LISTENER: disclosure._is_owner}
_SAID = {Reason.STATED_BY_LISTENER: disclosure._said_it}
_PUBLIC = TABLE[Row.PUBLIC][Column.TWO]
assert _PUBLIC is not None


class Mutant(NamedTuple):
    says: str
    sow: Callable[[pytest.MonkeyPatch], None]


def _cell(row: Row, column: Column, reasons: Any) -> Callable[[pytest.MonkeyPatch], None]:
    changed = {**TABLE, row: {**TABLE[row], column: reasons}}
    return lambda patch: patch.setattr(disclosure, "TABLE", changed)


def _rule(name: str, rule: Any) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(ListenerDisclosure, name, rule)


def _always(*_given: Any, **_named: Any) -> bool:
    return True


def _never(*_given: Any, **_named: Any) -> bool:
    return False


def _nothing(*_given: Any, **_named: Any) -> None:
    return None


def _without(reason: Reason) -> Any:
    return {one: holds for one, holds in _PUBLIC.items() if one is not reason}


def _public_row_of(audience: Any) -> Row:
    return Row(audience.sensitivity.value) if audience.judged else Row.PUBLIC


def _judged_row_of(audience: Any) -> Row:
    is_sensitive = audience.sensitivity is Sensitivity.SENSITIVE
    return Row.PERSONAL if is_sensitive else Row(audience.sensitivity.value)


_IN_CHAT = ListenerDisclosure._verdict_in_chat


def _as_if_it_stays(self: Any, memory: Any, *, is_leaving: bool) -> Reason:
    return _IN_CHAT(self, memory, is_leaving=False)


def _any_origin(self: Any, audience: Any) -> Reason:
    is_its_own = audience.learned.only_chat == self.listeners.chat and disclosure.row_of(audience) is Row.PUBLIC
    return Reason.VISIBLE if is_its_own else Reason.CHAT_NOT_REGISTERED


MUTANTS = [
    *(
        Mutant(f"{row} in column {column} is always told", _cell(row, column, None))
        for row, column in (
            (Row.PUBLIC, Column.TWO),
            (Row.PERSONAL, Column.ONE),
            (Row.PERSONAL, Column.TWO),
            (Row.PERSONAL, Column.GROUP),
            (Row.UNJUDGED, Column.ONE),
            (Row.UNJUDGED, Column.TWO),
            (Row.UNJUDGED, Column.GROUP),
            (Row.SENSITIVE, Column.ONE),
            (Row.SENSITIVE, Column.TWO),
            (Row.SENSITIVE, Column.GROUP),
        )
    ),
    *(
        Mutant(f"{row} in column {column} is never told", _cell(row, column, {}))
        for row, column in (
            (Row.PUBLIC, Column.ONE),
            (Row.PUBLIC, Column.TWO),
            (Row.PUBLIC, Column.GROUP),
            (Row.PERSONAL, Column.ONE),
            (Row.PERSONAL, Column.TWO),
            (Row.PERSONAL, Column.GROUP),
            (Row.UNJUDGED, Column.ONE),
            (Row.UNJUDGED, Column.GROUP),
            (Row.SENSITIVE, Column.ONE),
        )
    ),
    Mutant("personal in a group, to its owner", _cell(Row.PERSONAL, Column.GROUP, {**_ABOUT, **_OWN})),
    Mutant("personal in a group, to who said it", _cell(Row.PERSONAL, Column.GROUP, {**_ABOUT, **_SAID})),
    Mutant("personal between two, to who said it", _cell(Row.PERSONAL, Column.TWO, {**_ABOUT, **_OWN, **_SAID})),
    Mutant("sensitive to its owner", _cell(Row.SENSITIVE, Column.ONE, {**_ABOUT, **_SAID, **_OWN})),
    Mutant("sensitive in a group, to its subject", _cell(Row.SENSITIVE, Column.GROUP, _ABOUT)),
    Mutant("sensitive between two, as personal", _cell(Row.SENSITIVE, Column.TWO, {**_ABOUT, **_OWN})),
    Mutant("sensitive not to who said it", _cell(Row.SENSITIVE, Column.ONE, _ABOUT)),
    *(
        Mutant(f"{reason} is no reason", _cell(Row.PUBLIC, Column.TWO, _without(reason)))
        for reason in (
            Reason.LISTENER_WAS_THERE,
            Reason.ABOUT_LISTENER,
            Reason.STATED_BY_LISTENER,
            Reason.READ_BY_LISTENER,
            Reason.SELF_MEMORY,
            Reason.PROVENANCE_OPEN,
        )  # not `owned_by_listener`: an owner reads the space anyway, which is a reason too
    ),
    Mutant("what nobody judged is public", lambda patch: patch.setattr(disclosure, "row_of", _public_row_of)),
    Mutant("sensitive is personal", lambda patch: patch.setattr(disclosure, "row_of", _judged_row_of)),
    Mutant(
        "a group hears again what was judged",
        lambda patch: patch.setattr(disclosure, "HEARD_IN_GROUPS", frozenset(Row)),
    ),
    Mutant("what leaves its space is told as what stays", _rule("_verdict_in_chat", _as_if_it_stays)),
    Mutant("an unregistered chat tells what was private", _rule("_verdict_in_unregistered_chat", _any_origin)),
    Mutant("what was said before registration is told to anybody", _rule("_is_open_though_late", _always)),
    Mutant("what was said before registration is told to nobody", _rule("_is_open_though_late", _never)),
    Mutant("members hear nothing of before registration", _rule("_members_may_hear", _never)),
    Mutant("it is said again to anybody", _rule("_all_heard_it", _always)),
    Mutant("it is never said again", _rule("_all_heard_it", _never)),
    Mutant("where it was learned closes nothing", _rule("_closed_by_origin", _nothing)),
    Mutant("what is not portable goes anywhere", _rule("_stays_elsewhere", _never)),
    Mutant("everything is not portable", _rule("_stays_elsewhere", _always)),
    Mutant("others' memories come from anywhere", _rule("_not_from_group", _nothing)),
    Mutant("who is absent may always be named", _rule("_may_name", _always)),
    Mutant("one's own is always told", _rule("_is_own_and_open", _always)),
    Mutant(
        "a private chat is a group",
        lambda patch: patch.setattr(ListenerDisclosure, "_column", property(lambda _: Column.GROUP)),
    ),
    Mutant("reader lists bind nobody", lambda patch: patch.setattr(Listeners, "is_among", _always)),
    Mutant(
        "the first origin is kept",
        lambda patch: patch.setattr(learned, "strictest", lambda origins: next(iter(origins))),
    ),
    Mutant("the asker alone listens", lambda patch: patch.setattr(disclosure, "_listener_of", lambda *_: frozenset())),
]
