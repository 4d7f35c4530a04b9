"""Who is asking: the credential of a request, and the memory as its holder has it. Nothing else says who asks."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from urllib.parse import unquote

from msgspec import Struct
from starlette.requests import Request

from memfort.client import BoundMemory, Memory
from memfort.client.threads import Threads
from memfort.clock import Clock
from memfort.engine.inputs import coordinates_of
from memfort.errors import InvalidInput, NotFound
from memfort.model.people.access_key import KeyScope, has_digest, id_of_token
from memfort.model.people.actor import ActorKind, Standpoint
from memfort.model.people.directory import Principal
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, Space, check_id
from memfort.policy.standing import Memberships, Reach, standing
from memfort.store.port import Store
from memfort.surfaces.http.key_uses import KeyUses
from memfort.surfaces.http.limits import RateLimit, too_many
from memfort.surfaces.http.problems import HttpProblem
from memfort.surfaces.http.settings import ServerSettings
from memfort.surfaces.http.tokens import TokenChecker

BEARER = "bearer"  # the scheme of the header `Authorization`
REQUESTER = "x-requester-id"
PLACES = "memfort-at"
_MOST_PLACES = 16


class Caller(Struct, frozen=True):
    """The holder of a credential, and what it may be used for."""

    credential: str  # its name, for limits and logs; never the credential itself
    holder: Principal | None  # `None`: whoever started the server, who has the file
    scopes: frozenset[KeyScope]
    within: tuple[Space, ...] = ()  # the spaces that a key is bound to, if it is

    @property
    def name(self) -> str:
        holder = "system:system" if self.holder is None else str(self.holder)
        return f"{holder} {self.credential}"


class Identity:
    """Finds out who asks. It has a thread of its own, so that nobody's work keeps others from being known."""

    def __init__(self, store: Store, settings: ServerSettings, clock: Clock, key_uses: KeyUses) -> None:
        self._store, self._settings, self._clock, self._key_uses = store, settings, clock, key_uses
        self._tokens = None if settings.jwt is None else TokenChecker(settings.jwt, clock)
        self.failures = RateLimit(settings.failures_per_minute)
        self._thread = Threads(1, settings.max_connections)

    async def caller(self, credential: str, address: str) -> Caller:
        """The holder of this credential. Whether others of the same address were wrong makes no difference to one that
        is valid; too many wrong ones are told to wait."""
        found = await self._find(credential)
        if found is None:
            if wait := self.failures.take(address):
                raise too_many(wait)
            raise unauthenticated("the credential is not valid")
        return found

    async def close(self) -> None:
        await self._thread.close(lambda: None)

    async def _find(self, credential: str) -> Caller | None:
        run_token = self._settings.run_token
        if run_token is not None and hmac.compare_digest(credential.encode(), run_token.encode()):
            return Caller("run token", None, frozenset(KeyScope))
        if (id := id_of_token(credential)) is not None:
            return await self._thread.run(lambda: self._holder_of_key(id, credential))
        return None if self._tokens is None else await self._holder_of_token(self._tokens, credential)

    def _holder_of_key(self, id: str, credential: str) -> Caller | None:
        kept, now = self._store.access_key(id), self._clock.now()
        if not has_digest(credential, kept) or kept is None or not kept.key.is_valid(now):
            return None
        self._key_uses.note(id, now)
        return Caller(id, kept.key.holder, frozenset(kept.key.scopes), kept.key.spaces)

    async def _holder_of_token(self, tokens: TokenChecker, credential: str) -> Caller | None:
        """The key set may have to be fetched: that is waited for here, and not in the thread that knows keys."""
        keys = await tokens.keys_for(credential)
        claims = None if keys is None else await self._thread.run(lambda: tokens.claims(credential, keys))
        if claims is None:
            return None
        return Caller("token", Principal(ActorKind.USER, claims.user), claims.scopes)


def credential_of(request: Request, scheme: str = BEARER) -> str:
    """The token of a request, by the one scheme that its route takes."""
    given = request.headers.getlist("authorization")
    named, _, credential = (given[0] if len(given) == 1 else "").partition(" ")
    if named.lower() != scheme or not credential.strip() or len(credential) > 16_384:
        raise unauthenticated("a token is needed")
    return credential.strip()


def unauthenticated(detail: str) -> HttpProblem:
    return HttpProblem(
        401,
        "unauthenticated",
        detail,
        remedy="send `Authorization: Bearer KEY`; `memfort keys create` makes a key",
        headers={"www-authenticate": "Bearer", "connection": "close"},
    )


def check_scope(caller: Caller, scope: KeyScope) -> None:
    if scope not in caller.scopes:
        raise HttpProblem(
            403, "scope_missing", f"the credential does not have the scope `{scope}`", remedy="use one that has it"
        )


def requester_of(request: Request, caller: Caller) -> Principal | None:
    """Who the caller asks to act for. It is honoured only with the scope `act_for`; the caller's own name is no
    request."""
    given = request.headers.getlist(REQUESTER)
    if not given:
        return None
    try:
        asked = _principal(unquote(given[0], errors="strict"))
    except (InvalidInput, UnicodeDecodeError) as error:
        raise _bad_header("X-Requester-Id", "it names no user or agent") from error
    if len(given) > 1:
        raise _bad_header("X-Requester-Id", "it is given twice")
    if asked == caller.holder:
        return None
    if KeyScope.ACT_FOR not in caller.scopes:
        raise HttpProblem(
            403,
            "scope_missing",
            "the credential may not act for others",
            field="X-Requester-Id",
            remedy="leave it out: the credential says who asks",
        )
    return asked


def _principal(name: str) -> Principal:
    kind, colon, id = name.partition(":")
    if colon and kind in {ActorKind.USER, ActorKind.AGENT}:
        return Principal(ActorKind(kind), check_id(id, "X-Requester-Id"))
    return Principal(ActorKind.USER, check_id(name, "X-Requester-Id"))


def places_of(request: Request) -> dict[str, str]:
    """The places that the caller stands at: `Memfort-At: project=apollo, chat=c1`; other characters in percent form."""
    given = ",".join(request.headers.getlist(PLACES))
    places: dict[str, str] = {}
    for part in given.split(",") if given.strip() else ():
        level, equals, id = part.strip().partition("=")
        if not equals or level in places or len(places) >= _MOST_PLACES:
            raise _bad_header("Memfort-At", "it is not a list of different places")
        try:
            places[level] = unquote(id.strip(), errors="strict")
        except UnicodeDecodeError:
            raise _bad_header("Memfort-At", "it is not UTF-8 in percent form") from None
    try:
        coordinates_of(places)
    except InvalidInput as error:
        raise _bad_header("Memfort-At", error.problem) from None
    return places


def _bad_header(name: str, problem: str) -> HttpProblem:
    remedies = {
        "Memfort-At": "write it like `project=apollo, chat=c1`",
        "X-Requester-Id": "write it like `alice` or `agent:helper`",
    }
    return HttpProblem(400, "invalid_header", problem, field=name, remedy=remedies[name])


def stand(
    memory: Memory, caller: Caller, requester: Principal | None, places: dict[str, str], surface: str | None = None
) -> BoundMemory:
    """Memory as the caller has it, or as the one has it that the caller acts for. `surface` is the protocol that it is
    asked by, if that is another than HTTP alone."""
    bound = _bind(memory, caller, requester, places)
    _check_places(memory.store_in_use, bound.standpoint)
    is_delegated = requester is not None and not _acts_as_agent(caller, requester)
    return bound.through(caller.name if is_delegated else None, caller.within or None, surface=surface)


def _acts_as_agent(caller: Caller, requester: Principal) -> bool:
    """Whether the caller is an agent that acts for a user: then the actor itself has both names."""
    return caller.holder is not None and caller.holder.kind is ActorKind.AGENT and requester.kind is ActorKind.USER


def _bind(memory: Memory, caller: Caller, requester: Principal | None, places: dict[str, str]) -> BoundMemory:
    holder = caller.holder
    if requester is not None and _acts_as_agent(caller, requester):
        assert holder is not None
        return memory.as_agent(holder.id, acting_for=requester.id, **places)
    who = requester or holder
    if who is None:
        if places:
            raise _bad_header("Memfort-At", "the system stands nowhere else")
        return memory.as_system()
    if who.kind is ActorKind.USER:
        return memory.as_user(who.id, **places)
    try:
        return memory.as_agent(who.id, **places)
    except InvalidInput:  # it is not registered: there is nothing that it could be or see
        raise HttpProblem(403, "denied", "there is no such agent", field="X-Requester-Id") from None


def _check_places(store: Store, standpoint: Standpoint) -> None:
    """A chat or a group that the caller is not in answers like one that does not exist."""
    groups = [one for one in standpoint.coordinates if one.level is Level.CHAT or one.level in GROUP_LEVELS]
    if not groups:
        return
    facts = store.facts(standpoint)
    for one in groups:
        if standing(standpoint.actor, one, facts, Memberships.REGISTERED).reach is Reach.NONE:
            raise NotFound(one.level.value, one.id)


def agent_spaces(agent: str, coordinates: Iterable[Coordinate]) -> list[Space]:
    """The spaces of an agent: the private one, the public one, and those that are public within a team or an org."""
    bounds = [one for one in coordinates if one.level in {Level.TEAM, Level.ORG}]
    public = {Level.AGENT.value: agent, Level.VISIBILITY.value: "public"}
    subsets: list[dict[str, str]] = [{}]
    for one in bounds:
        subsets += [{**known, one.level.value: one.id} for known in subsets]
    private = Space.of({**public, Level.VISIBILITY.value: "private"})
    return [private, *(Space.of({**public, **bounded}) for bounded in subsets)]
