"""Answers about API keys. A new key is shown once, alone on a line, so that it can be copied or piped."""

from __future__ import annotations

from memfort.model.moment import Moment
from memfort.model.people.access_key import AccessKey, NewKey
from memfort.operations.table import Operation
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment
from memfort.surfaces.cli.render.rendered import Rendered


def _new_key(_: Operation, made: NewKey) -> Rendered:
    note = f"{made.key.id} of {made.key.holder}, {', '.join(made.key.scopes)}"
    if not made.token:  # it was written into a file
        return Rendered((), (note,))
    return Rendered([made.token], (f"{note}; it is shown only now",))


def _keys(_: Operation, found: list[AccessKey]) -> Rendered:
    rows = [
        (one.id, one.holder, ", ".join(one.scopes), _state(one), _moment(one.last_used_at_us), one.note)
        for one in found
    ]
    table = Table(("id", "holder", "scopes", "ends", "last used", "note"), rows)
    return Rendered([table], () if found else ("there are no keys",))


def _ended(_: Operation, gone: AccessKey) -> Rendered:
    return Rendered([f"revoked {gone.id} of {gone.holder}"])


def _state(key: AccessKey) -> str:
    return f"revoked {_moment(key.revoked_at_us)}" if key.revoked_at_us is not None else _moment(key.expires_at_us)


def _moment(at: Moment | None) -> str:
    return format_moment(at) or "never"


RENDERERS = {NewKey: _new_key, ("list", AccessKey): _keys, AccessKey: _ended}
