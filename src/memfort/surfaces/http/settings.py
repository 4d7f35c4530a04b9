"""What a server is started with. Nothing here can be changed by a request."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from memfort.client.remote.transport import LOOPBACK


class JwtSettings(Struct, frozen=True):
    """How tokens of an identity provider are checked. Issuer and audience are mandatory."""

    issuer: str
    audience: str
    keys: str  # a file with a JSON Web Key Set, or its address
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")  # never `none`, and no shared secrets
    user_claim: str = "sub"
    scopes: tuple[str, ...] = ()  # of a token that names none; without, such a token may do nothing
    keys_seconds: float = 300.0  # how long the key set is kept


class ServerSettings(Struct, frozen=True):
    """Addresses, limits and credentials."""

    host: str = "127.0.0.1"
    port: int = 8642
    public_url: str | None = None  # the address that others reach it at, if a proxy stands before it
    allowed_hosts: tuple[str, ...] = ()  # in the `Host` header, besides the address it listens at
    allowed_origins: tuple[str, ...] = ()  # of browsers; none by default
    run_token: str | None = None  # of this run: for whoever started it, with every scope
    start_token: str | None = None  # opens Studio once, as the run token would
    studio: bool = True  # whether it has web pages; several worker processes cannot share who is signed in
    mem0: bool = False  # whether it answers mem0's clients too
    jwt: JwtSettings | None = None
    trusted_proxies: tuple[str, ...] = ()  # addresses and networks whose `X-Forwarded-For` is believed
    max_connections: int = 4096  # open at once; the longest idle one goes for a new one
    max_body_bytes: int = 10 * 1024 * 1024
    max_message_bytes: int = 1024 * 1024  # of a body to MCP or A2A, whose SDKs parse it where everybody waits
    max_bodies_bytes: int = 64 * 1024 * 1024  # of all bodies in memory; one caller has at most half of it
    max_depth: int = 32  # of nested lists and mappings in a body
    max_values: int = 200_000  # lists, mappings and commas in a body
    requests_per_minute: int = 6000  # of one caller
    charged_seconds: float = 0.01  # of a processor; as much again counts as one more request
    failures_per_minute: int = 60  # refused credentials from one address
    threads: int = 4
    threads_of_one_caller: int = 2
    max_waiting: int = 256  # requests that wait for a thread, half of them of one caller; more are refused with 503
    header_seconds: float = 5.0  # until a connection has sent the head of a request
    body_seconds: float = 30.0
    answer_seconds: float = 30.0  # until a client has to take more of its answer
    start_seconds: float = 60.0  # until a worker process has to answer; one that does not is replaced
    workers: int = 1  # processes of this server, among which the limits are divided
    stop_seconds: float = 30.0  # how long a stop waits for requests under way

    def shared_by(self, workers: int) -> ServerSettings:
        """The settings of each of so many worker processes: they have no count in common, so each allows its share, and
        all together never more than the whole."""
        return replace(
            self,
            workers=workers,
            requests_per_minute=max(1, self.requests_per_minute // workers),
            failures_per_minute=max(1, self.failures_per_minute // workers),
            max_connections=max(1, self.max_connections // workers),
            max_bodies_bytes=max(2 * self.max_body_bytes, self.max_bodies_bytes // workers),
        )

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK

    @property
    def hosts(self) -> frozenset[str]:
        """The names that it answers for."""
        own = LOOPBACK if self.is_loopback else frozenset({self.host})
        return own | frozenset(self.allowed_hosts)
