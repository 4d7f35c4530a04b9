"""One request for a page: who asks, what the address says, and the verbs. Pages see nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memfort import __version__
from memfort.model.people.access_key import KeyScope
from memfort.operations.table import TABLE
from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.identity import PLACES, REQUESTER, Caller
from memfort.surfaces.http.problems import response_of
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.verbs import JSON, perform, prepare
from memfort.surfaces.studio.headers import PAGE_HEADERS
from memfort.surfaces.studio.render import render
from memfort.surfaces.studio.sessions import BrowserSession

if TYPE_CHECKING:
    from memfort.surfaces.studio.page import Page

ROOT = "/studio/"
_LONGEST_PARAMETER = 4096
_KEPT = ("as", "at")  # parameters that go from page to page
_HTMX = "hx-request"


class Refused(Exception):
    """A verb that was not carried out. `problem` is what HTTP would have answered."""

    def __init__(self, problem: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.get("detail") or problem["title"])
        self.problem, self.headers = problem, dict(headers or {})

    @property
    def status(self) -> int:
        return int(self.problem["status"])

    @property
    def code(self) -> str:
        return str(self.problem["code"])


class Call(Struct, frozen=True):
    """A verb that a page asked, as it was asked: the same request over HTTP has the same answer."""

    verb: str
    fields: Mapping[str, Any]
    headers: Mapping[str, str]


class Visit:
    """A page as it is asked for, and everything that it may use."""

    def __init__(
        self, server: Server, request: Request, session: BrowserSession, caller: Caller, form: Mapping[str, list[str]]
    ) -> None:
        self._server, self._request, self._form = server, request, form
        self.session, self.caller = session, caller
        self.shown: Page | None = None
        self.pages: tuple[Page, ...] = ()  # for the list of pages
        self.calls: list[Call] = []
        self.trace = ""  # of the last verb that has one

    # -- what was asked for ------------------------------------------------------------------------------------------

    def get(self, name: str, default: str = "") -> str:
        """A parameter of the address, without spaces around it."""
        return self._request.query_params.get(name, default)[:_LONGEST_PARAMETER].strip()

    def get_all(self, name: str) -> list[str]:
        """A parameter that may be repeated, or holds several words with commas between them."""
        given = ",".join(self._request.query_params.getlist(name))[:_LONGEST_PARAMETER]
        return list(dict.fromkeys(word.strip() for word in given.split(",") if word.strip()))

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number in the address, from 1 to `most`."""
        given = self.get(name)
        return min(max(int(given), 1), most) if given.isdecimal() and len(given) < 10 else default

    def field(self, name: str) -> str:
        """A field of the form that was sent."""
        return (self._form.get(name) or [""])[0]

    def fields(self, name: str) -> list[str]:
        """All values of a field of the form that was sent: of a list of boxes, for example."""
        return list(self._form.get(name) or [])

    def has(self, name: str) -> bool:
        return name in self._request.query_params or name in self._form

    @property
    def path(self) -> str:
        return self._request.url.path

    @property
    def now(self) -> datetime:
        """The moment, by the server's clock."""
        return datetime.fromtimestamp(self._server.clock.now() / 1_000_000, UTC)

    @property
    def version(self) -> str:
        return __version__

    @property
    def find_page(self) -> str:
        """The page where memories are found."""
        return "memories" if any(one.name == "memories" for one in self.pages) else ""

    @property
    def flash(self) -> str:
        """What was just done, in the words of the page; the address only names it."""
        words = {} if self.shown is None else self.shown.done
        return words.get(self.get("flash"), "").format(n=self.number("n", 1, 1_000_000))

    @property
    def is_partial(self) -> bool:
        """Whether a script of ours asks, which swaps the answer into the page."""
        return self._request.headers.get(_HTMX) == "true"

    # -- who asks ----------------------------------------------------------------------------------------------------

    @property
    def looks_as(self) -> str:
        """Whom the visitor looks as, if it is somebody else: needs a credential that may act for others."""
        return self.get("as") or self.field("as").strip()

    @property
    def at(self) -> str:
        """Where they stand: `project=apollo, chat=c1`."""
        return self.get("at") or self.field("at").strip()

    @property
    def places(self) -> dict[str, str]:
        """The same, by level; as it was written, and not checked."""
        parts = (part.strip().partition("=") for part in self.at.split(",") if "=" in part)
        return {level: id.strip() for level, _, id in parts}

    @property
    def holder(self) -> str:
        """Whose credential it is: `alice`, `agent:helper` or `system`."""
        return "system" if self.caller.holder is None else str(self.caller.holder).removeprefix("user:")

    @property
    def me(self) -> str:
        """Who asks the verbs."""
        return self.looks_as.removeprefix("user:") or self.holder

    @property
    def is_system(self) -> bool:
        return self.me == "system"

    def may(self, scope: str) -> bool:
        """Whether the credential has this scope: `read`, `write`, `review`, `act_for` or `admin`."""
        return KeyScope(scope) in self.caller.scopes

    # -- the verbs ---------------------------------------------------------------------------------------------------

    async def call(
        self,
        verb: str,
        fields: Mapping[str, Any] | None = None,
        *,
        looks_as: str | None = None,
        at: str | None = None,
        **headers: str,
    ) -> Any:
        """The JSON of a verb for the visitor, as `POST /v1/<verb>` gives it. `looks_as` and `at` are those of the
        address unless they are given; more headers are those of HTTP, as `if_match='"3"'`."""
        asked = self._asked(verb, fields or {}, looks_as, at, headers)
        try:
            response = await self._server.threads.run(
                lambda: perform(self._server, prepare(self._server, TABLE[verb], asked))
            )
        except Exception as error:
            raise self._refused(error) from error
        if response.status_code >= 400:
            raise Refused(msgspec.json.decode(response.body), dict(response.headers))
        self.trace = response.headers.get("memfort-trace", self.trace)
        return msgspec.json.decode(response.body)

    async def call_if_there(self, verb: str, fields: Mapping[str, Any]) -> Any:
        """The same of something that may not be there for the visitor: then `None`."""
        try:
            return await self.call(verb, fields)
        except Refused as refused:
            if refused.status != 404:
                raise
            return None

    async def lines(self, verb: str, fields: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """The same of a verb that answers line by line."""
        asked = self._asked(verb, fields or {}, None, None, {})
        try:
            found = await self._server.threads.run(
                lambda: prepare(self._server, TABLE[verb], asked).run(None, None, None)
            )
        except Exception as error:
            raise self._refused(error) from error
        return iter(found)

    async def run(self, work: Callable[[], Any]) -> Any:
        """Slow work of a page's own, in a thread of the visitor's share."""
        return await self._server.threads.run(work)

    def _asked(
        self, verb: str, fields: Mapping[str, Any], looks_as: str | None, at: str | None, more: Mapping[str, str]
    ) -> Asked:
        given = {
            REQUESTER: quote(self.looks_as if looks_as is None else looks_as, safe=":"),
            PLACES: self.at if at is None else at,
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
        headers = {name: value for name, value in given.items() if value}
        sent = {name: value for name, value in fields.items() if value is not None}
        self.calls.append(Call(verb, sent, headers))
        scope = {
            "type": "http",
            "method": "POST",
            "path": TABLE[verb].path,
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in {"content-type": JSON, **headers}.items()],
            "state": {"surface": "studio"},
        }
        return Asked(Request(scope), self.caller, msgspec.json.encode(sent))

    @staticmethod
    def _refused(error: Exception) -> Exception:
        """What HTTP would answer to it. What is not ours stays as it is: it is logged, and says nothing of itself."""
        response = response_of(error)
        if response.status_code == 500:
            return error
        return Refused(msgspec.json.decode(response.body), dict(response.headers))

    # -- the answer --------------------------------------------------------------------------------------------------

    def url(self, page: str = "", part: str = "", **parameters: Any) -> str:
        """The address of a page with these parameters, seen by the same person from the same place."""
        kept = {name: value for name, value in (("as", self.looks_as), ("at", self.at)) if value}
        given = {name.rstrip("_"): value for name, value in parameters.items()}
        pairs = [(name, one) for name, value in {**kept, **given}.items() for one in _values(value)]
        path = ROOT + "/".join(quote(word, safe="") for word in (page, part) if word)
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def here(self, **changed: Any) -> str:
        """The address of this view with some of its parameters changed; `None` takes one away."""
        query = self._request.query_params
        known = {name: query.getlist(name) for name in query if name not in {*_KEPT, "flash"}}
        page, _, part = self.path.removeprefix(ROOT).partition("/")
        return self.url(page, part, **{**known, **{name.rstrip("_"): value for name, value in changed.items()}})

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """The page."""
        html = render(template, visit=self, page=self.shown, url=self.url, here=self.here, **values)
        return Response(html, status, dict(PAGE_HEADERS), "text/html; charset=utf-8")

    def redirect(self, page: str = "", part: str = "", **parameters: Any) -> Response:
        """What a form is answered with: the page to go on with. `flash` is a word for what was done."""
        return RedirectResponse(self.url(page, part, **parameters), 303, dict(PAGE_HEADERS))

    def download(self, content: bytes, name: str, type: str) -> Response:
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        return Response(content, 200, {**PAGE_HEADERS, "content-disposition": disposition}, type)


def _values(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]
