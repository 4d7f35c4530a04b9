"""What every request goes through before a verb sees it, in this order: the credential, the rate, the body. Nothing of
a stranger's body is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address, ip_network

from msgspec import Struct, field
from starlette.requests import Request

from memfort.engine.call import Waiter
from memfort.surfaces.http.connections import CONNECTION
from memfort.surfaces.http.identity import BEARER, Caller, credential_of
from memfort.surfaces.http.limits import cost_of_body, read_body
from memfort.surfaces.http.server import Server
from memfort.surfaces.http.shares import CALLER


class Asked(Struct, frozen=True):
    """A request that was let in: its caller is known, and its body is read."""

    request: Request
    caller: Caller
    body: bytes
    waiter: Waiter = field(default_factory=Waiter)

    def give_up(self) -> None:
        """Tell the verb that nobody waits for its answer any more."""
        self.waiter.gave_up = True


@asynccontextmanager
async def let_in(
    server: Server, request: Request, most_bytes: int | None = None, *, scheme: str = BEARER
) -> AsyncIterator[Asked]:
    """The request, if its credential is valid, it does not ask too often and its body is within the limits. Its body
    counts as memory of the server until it is answered."""
    settings = server.settings
    caller = await server.identity.caller(credential_of(request, scheme), address_of(request, settings.trusted_proxies))
    request.state.caller = caller.name
    CALLER.set(caller.name)
    if (connection := getattr(request.state, CONNECTION, None)) is not None:
        connection.is_known = True
    server.rates.check(caller.name)
    with server.bodies.of(caller.name) as take:
        body = await read_body(request, most_bytes or settings.max_body_bytes, settings.body_seconds, take)
        server.rates.charge(caller.name, cost_of_body(len(body)))
        yield Asked(request, caller, body)


def address_of(request: Request, trusted_proxies: tuple[str, ...]) -> str:
    """The address of the client. A proxy's word for it is taken only from the proxies that are trusted, the last first:
    what stands before the first other address was written by a stranger."""
    address = "" if request.client is None else request.client.host
    if not trusted_proxies:
        return address
    named = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    while named and _is_trusted(address, trusted_proxies):
        address = named.pop().strip() or address
    return address


def _is_trusted(address: str, trusted: tuple[str, ...]) -> bool:
    try:
        return any(ip_address(address) in ip_network(one) for one in trusted)
    except ValueError:
        return False
