"""What a page is, to those who list and serve pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct
from starlette.responses import Response

from memfort.surfaces.studio.visit import Visit

Show = Callable[[Visit], Awaitable[Response]]


class Page(Struct, frozen=True):
    """One page of Studio, with its address and its place in the list of pages."""

    name: str  # in the address: /studio/<name>; empty for the first page
    title: str
    show: Show
    group: int = 1  # pages of one group stand together
    key: str = ""  # the letter after `g` that goes there
    short: str = ""  # the title in the list of pages, if that is shorter
    on_phone: bool = False  # one of the five at the bottom of a phone
    parts: Mapping[str, Show] = {}  # more views: /studio/<name>/<part>
    actions: Mapping[str, Show] = {}  # what it changes: POST /studio/<name>/<action>
    done: Mapping[str, str] = {}  # what `flash` in the address says: `{"approved": "{n} approved."}`
