"""The addresses of Studio, and what holds for all of them: a session, a credential that is still valid, the rate, the
size of a form, and the CSRF token of whatever changes something."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from memfort.surfaces.http.connections import CONNECTION
from memfort.surfaces.http.entry import address_of
from memfort.surfaces.http.limits import cost_of_body, read_body
from memfort.surfaces.http.logs import log_failure
from memfort.surfaces.http.problems import HttpProblem, response_of
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.shares import CALLER
from memfort.surfaces.studio.files import send_file
from memfort.surfaces.studio.headers import PAGE_HEADERS
from memfort.surfaces.studio.page import Page, Show
from memfort.surfaces.studio.pages import PAGES, UNLISTED
from memfort.surfaces.studio.render import render
from memfort.surfaces.studio.sessions import BrowserSession, Sessions
from memfort.surfaces.studio.visit import ROOT, Refused, Visit

_MOST_FORM_BYTES = 1024 * 1024
_MOST_FORM_FIELDS = 2000
_FORM = "application/x-www-form-urlencoded"
Endpoint = Callable[[Request], Awaitable[Response]]


class Studio:
    """The pages of one server, and who is signed in to them."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.sessions = Sessions(server.clock, server.settings.start_token)
        self._cookie = f"memfort_studio_{server.settings.port}"  # browsers do not tell ports apart

    def routes(self) -> list[Route]:
        return [
            Route("/studio", self._to_root),
            Route("/studio/static/{tag}/{name:path}", send_file),
            Route("/studio/start", self._start),
            Route("/studio/sign-in", self._sign_in, methods=["GET", "POST"]),
            Route(
                "/studio/sign-out",
                self._guarded(_SESSIONS, self._sign_out, changes=True),
                methods=["POST"],
            ),
            Route("/studio/sessions", self._guarded(_SESSIONS, self._show_sessions)),
            Route("/studio/sessions/end", self._guarded(_SESSIONS, self._end_session, changes=True), methods=["POST"]),
            *(route for page in (*PAGES, *UNLISTED) for route in self._routes_of(page)),
            Route("/studio/{rest:path}", self._guarded(_NOWHERE, _no_such_page)),
        ]

    def _routes_of(self, page: Page) -> list[Route]:
        address = ROOT + page.name
        shown = [Route(address, self._guarded(page, page.show))]
        parts = [Route(f"{address}/{name}", self._guarded(page, show)) for name, show in page.parts.items()]
        actions = [
            Route(f"{address}/{name}", self._guarded(page, act, changes=True), methods=["POST"])
            for name, act in page.actions.items()
        ]
        return [*shown, *parts, *actions]

    # -- what every page goes through --------------------------------------------------------------------------------

    def _guarded(self, page: Page, show: Show, *, changes: bool = False) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            session = self._session_of(request)
            if session is None:
                return _to_sign_in(request)
            try:
                return await self._visited(request, session, page, show, changes=changes)
            except HttpProblem as error:
                if error.problem.status == 401:  # the credential was revoked or has ended, and its session with it
                    self.sessions.end(session.id)
                    return _to_sign_in(request)
                return _bare_error(msgspec.to_builtins(error.problem), error.headers)

        return endpoint

    async def _visited(
        self, request: Request, session: BrowserSession, page: Page, show: Show, *, changes: bool
    ) -> Response:
        server, settings = self._server, self._server.settings
        caller = await server.identity.caller(session.credential, address_of(request, settings.trusted_proxies))
        request.state.caller = caller.name
        CALLER.set(caller.name)
        if (connection := getattr(request.state, CONNECTION, None)) is not None:
            connection.is_known = True
        server.rates.check(caller.name)
        with server.bodies.of(caller.name) as take:
            form = await _form_of(request, settings.body_seconds, take)
            server.rates.charge(caller.name, cost_of_body(sum(len(name) for name in form)))
            if changes:
                _check_csrf(request, session, form)
            visit = Visit(server, request, session, caller, form)
            visit.shown, visit.pages = page, PAGES
            return await _shown(visit, request, show)

    def _session_of(self, request: Request) -> BrowserSession | None:
        token = _cookie_of(request, self._cookie)
        return None if token is None else self.sessions.find(token)

    # -- signing in and out ------------------------------------------------------------------------------------------

    async def _to_root(self, _: Request) -> Response:
        return RedirectResponse(ROOT, 303, dict(PAGE_HEADERS))

    async def _start(self, request: Request) -> Response:
        """Exchange the start token for a session. It works once, and stands in no later address."""
        run_token = self._server.settings.run_token
        query = request.query_params
        if run_token is None or not self.sessions.take_start_token(query.get("token", "")):
            problem = "That link has been used, or is of another start."
            return _sign_in_page(request, problem=problem, status=403)
        kept = {name: query[name] for name in ("as", "at") if query.get(name)}
        return self._signed_in(request, run_token, "run token", ROOT + (f"?{urlencode(kept)}" if kept else ""))

    async def _sign_in(self, request: Request) -> Response:
        if request.method != "POST":
            return _sign_in_page(request)
        if not _is_of_this_page(request):
            return _sign_in_page(request, problem="That form was not sent by this page. Try it again.", status=403)
        settings = self._server.settings
        try:
            with self._server.bodies.of("sign-in") as take:
                form = await _form_of(request, settings.body_seconds, take, most=32_768)
            key = (form.get("key") or [""])[0].strip()
            caller = await self._server.identity.caller(key, address_of(request, settings.trusted_proxies))
        except HttpProblem as error:
            problem = "That key is not valid." if error.problem.status == 401 else str(error)
            return _sign_in_page(request, problem=problem, status=error.problem.status)
        return self._signed_in(request, key, caller.credential, _next_of((form.get("next") or [""])[0]))

    def _signed_in(self, request: Request, credential: str, name: str, to: str) -> Response:
        if (token := _cookie_of(request, self._cookie)) is not None and (old := self.sessions.find(token)) is not None:
            self.sessions.end(old.id)
        response = RedirectResponse(to, 303, dict(PAGE_HEADERS))
        response.set_cookie(
            self._cookie,
            self.sessions.begin(credential, name),
            path="/studio",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def _sign_out(self, visit: Visit) -> Response:
        self.sessions.end(visit.session.id)
        response = RedirectResponse(f"{ROOT}sign-in", 303, {**PAGE_HEADERS, "clear-site-data": '"cache"'})
        response.delete_cookie(self._cookie, path="/studio", httponly=True, samesite="strict")
        return response

    async def _show_sessions(self, visit: Visit) -> Response:
        return visit.page("sessions.html", sessions=self.sessions.all_of(_own(visit)))

    async def _end_session(self, visit: Visit) -> Response:
        """End a session with the same credential; an administrator ends anybody's."""
        self.sessions.end(visit.field("id"), _own(visit))
        return visit.redirect("sessions", flash="ended")


def studio_routes(server: Server) -> list[Route]:
    return Studio(server).routes()


async def _no_such_page(visit: Visit) -> Response:
    problem = {"status": 404, "title": "There is no such page", "code": "no_such_route", "detail": None}
    return visit.page("error.html", 404, problem=problem)


async def _nothing(visit: Visit) -> Response:
    return await _no_such_page(visit)


_SESSIONS = Page("sessions", "Sessions", _nothing, done={"ended": "Ended."})
_NOWHERE = Page("nowhere", "No such page", _nothing)


async def _shown(visit: Visit, request: Request, show: Show) -> Response:
    """The page, or what went wrong, as a page too."""
    try:
        return await show(visit)
    except Refused as error:
        headers = {name: value for name, value in error.headers.items() if name == "retry-after"}
        response = visit.page("error.html", error.status, problem=error.problem)
        response.headers.update(headers)
        return response
    except HttpProblem:
        raise
    except Exception as error:  # noqa: BLE001  # the last place before the browser: it is logged, and says nothing
        log_failure(error, request.state.request_id)
        return visit.page("error.html", 500, problem=msgspec.json.decode(response_of(error).body))


def _own(visit: Visit) -> str | None:
    """The credential whose sessions the visitor may see and end; `None` for an administrator: all."""
    return None if visit.may("admin") else visit.caller.credential


# -- forms and cookies -----------------------------------------------------------------------------------------------


async def _form_of(
    request: Request, seconds: float, take: Callable[[int], None], most: int = _MOST_FORM_BYTES
) -> Mapping[str, list[str]]:
    body = await read_body(request, most, seconds, take)
    if not body:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise HttpProblem(415, "not_json", f"a form is sent as `{_FORM}`", field="Content-Type")
    try:
        return parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FORM_FIELDS, errors="strict")
    except ValueError:
        raise HttpProblem(400, "invalid_body", "the form cannot be read") from None


def _check_csrf(request: Request, session: BrowserSession, form: Mapping[str, list[str]]) -> None:
    """Only a form of a page of this session changes anything: it has the session's own word, which no other page can
    read, and the browser says that it comes from here."""
    given = (form.get("csrf") or [""])[0]
    if not hmac.compare_digest(given.encode(), session.csrf.encode()) or not _is_of_this_page(request):
        raise HttpProblem(
            403, "wrong_origin", "that form is not of this session", remedy="open the page again, and send it again"
        )


def _is_of_this_page(request: Request) -> bool:
    """Whether the browser says that one of our own pages sends it. One that says nothing is taken at its `Origin`,
    which is checked for every request."""
    return request.headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}


def _cookie_of(request: Request, name: str) -> str | None:
    given = request.headers.getlist("cookie")
    try:
        cookies = SimpleCookie("; ".join(given))
    except Exception:  # noqa: BLE001  # what cannot be read is no cookie of ours
        return None
    return cookies[name].value if name in cookies and len(cookies[name].value) < 200 else None


def _to_sign_in(request: Request) -> Response:
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    to = f"{ROOT}sign-in" + (f"?{urlencode({'next': path})}" if request.method == "GET" and path != ROOT else "")
    if request.headers.get("hx-request") == "true":
        return Response(status_code=200, headers={**PAGE_HEADERS, "hx-redirect": to})
    return RedirectResponse(to, 303, dict(PAGE_HEADERS))


def _next_of(given: str) -> str:
    """Where to go after signing in: a page of Studio, never another place."""
    parts = urlsplit(given)
    is_ours = not parts.scheme and not parts.netloc and parts.path.startswith(ROOT) and "\\" not in given
    return given if is_ours and not parts.path.startswith(f"{ROOT}sign") else ROOT


def _sign_in_page(request: Request, *, problem: str = "", status: int = 200) -> Response:
    to = _next_of(request.query_params.get("next", ""))
    html = render("sign_in.html", problem=problem, next=to)
    return Response(html, status, dict(PAGE_HEADERS), "text/html; charset=utf-8")


def _bare_error(problem: Mapping[str, object], headers: Mapping[str, str]) -> Response:
    """A refusal before it was known who asks, or that they may ask."""
    html = render("bare_error.html", problem=problem)
    kept = {name: value for name, value in headers.items() if name in {"retry-after", "connection"}}
    return Response(html, int(str(problem["status"])), {**PAGE_HEADERS, **kept}, "text/html; charset=utf-8")
