"""serve: the verbs over HTTP. The server itself is in `memfort.surfaces.http`, which needs `memfort[server]`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.input.settings import default_store
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.output.private_file import create_private_file
from memfort.surfaces.cli.session import Session


@click.command("serve", cls=Verb)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(1, 65535), default=8642, show_default=True, help="The port to listen at.")
@click.option("--tls-cert", type=click.Path(), help="The certificate chain, as PEM.")
@click.option("--tls-key", type=click.Path(), help="The private key of the certificate, as PEM.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="How many processes.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="A name that requests may call this server; repeat it."
)
@click.option("--allow-origin", multiple=True, metavar="URL", help="An origin whose web pages may ask; repeat it.")
@click.option(
    "--public-url", metavar="URL", help="The address that others reach it at, for agent cards behind a proxy."
)
@click.option("--max-body", type=click.IntRange(1024), metavar="BYTES", help="The largest body of a request.")
@click.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="Requests of one caller a minute. Large bodies and long work count as several.",
)
@click.option("--max-connections", type=click.IntRange(1), metavar="N", help="Connections that are open at once.")
@click.option(
    "--trusted-proxy",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy, or a network of them, whose X-Forwarded-For is believed; repeat it.",
)
@click.option("--mem0", is_flag=True, help="Answer the clients of mem0 too, with their own routes.")
@click.option("--jwt-issuer", metavar="URL", help="The issuer of tokens that are taken beside API keys.")
@click.option("--jwt-audience", metavar="NAME", help="The audience that these tokens must be for.")
@click.option("--jwt-keys", metavar="PLACE", help="The issuer's key set: a file or an address.")
@click.option("--jwt-scopes", metavar="LIST", help="The scopes of tokens that name none, as `read,write`.")
@click.pass_obj
def serve_command(session: Session, /, **options: Any) -> None:
    """Give the verbs to programs over HTTP.

    Who asks is known from an API key (`memfort keys create`) or a token of an identity provider, and from nothing
    else. Without any key it listens to this machine alone, with a token for this run: printed on a terminal, otherwise
    in a file beside the store that only you can read. Memberships are those in the store. With one worker it has the
    pages of Studio at `/studio/`, where each signs in with their own key.
    """
    try:
        from memfort.surfaces.http import serve
        from memfort.surfaces.http.settings import JwtSettings, ServerSettings
    except ImportError as error:
        raise InvalidInput("serve", "the server is not installed", "run `pip install memfort[server]`") from error
    from memfort.policy.settings.render import as_toml

    if (options["tls_cert"] is None) != (options["tls_key"] is None):
        raise InvalidInput("tls_cert", "it needs a certificate and a key", "give both `--tls-cert` and `--tls-key`")
    limits = {
        "max_body_bytes": options["max_body"],
        "requests_per_minute": options["rate"],
        "max_connections": options["max_connections"],
    }
    settings = ServerSettings(
        host=options["host"],
        port=options["port"],
        public_url=options["public_url"],
        allowed_hosts=tuple(name.lower() for name in options["allow_host"]),
        allowed_origins=options["allow_origin"],
        trusted_proxies=_networks(options["trusted_proxy"]),
        jwt=_jwt(options, JwtSettings),
        mem0=options["mem0"],
        studio=options["workers"] == 1,
        **{name: value for name, value in limits.items() if value is not None},
    )
    with session.memory(make=True):  # it is made, and what is wrong with it is said, before anything listens
        pass
    store = session.database or session.store_file
    settings = serve.check_address(store, settings)
    policy = session.named_policy
    served = serve.Served(
        str(store),
        settings,
        policy=None if policy is None else as_toml(policy),
        embedder=session.settings["embedder"],
        reranker=session.settings["reranker"],
        extractor=session.settings["extractor"],
    )
    sockets = serve.bind(settings)
    _announce(session, settings, tls=options["tls_cert"] is not None)
    with _token_handed_over(session, settings.run_token):
        serve.serve(
            served, sockets, workers=options["workers"], tls_cert=options["tls_cert"], tls_key=options["tls_key"]
        )


def _networks(given: tuple[str, ...]) -> tuple[str, ...]:
    for one in given:
        try:
            ip_network(one)
        except ValueError:
            problem = f"`{one}` is neither an address nor a network"
            raise InvalidInput("trusted_proxy", problem, "write it like `127.0.0.1` or `10.0.0.0/8`") from None
    return given


def _jwt(options: dict[str, Any], make: Any) -> Any:
    names = ("jwt_issuer", "jwt_audience", "jwt_keys")
    given = [options[name] for name in names]
    if not any(given):
        return None
    if not all(given):
        missing = next(name for name in names if not options[name])
        raise InvalidInput(missing, "tokens need an issuer, an audience and keys", "give all three")
    scopes = tuple(word.strip() for word in (options["jwt_scopes"] or "").split(",") if word.strip())
    return make(*given, scopes=scopes)


def _announce(session: Session, settings: Any, *, tls: bool) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{'https' if tls else 'http'}://{host}:{settings.port}"
    session.output.note(f"listening at {address}; the API is described at {address}/docs")
    if settings.studio:
        session.output.note(f"pages to look into it: {address}/studio/")
    else:
        session.output.note("without its pages: several processes cannot share who is signed in (use `--workers 1`)")


@contextmanager
def _token_handed_over(session: Session, token: str | None) -> Iterator[None]:
    """Give the token of this run to whoever starts the server."""
    if token is None:
        yield
        return
    place = default_store() if session.database is not None else session.store_file
    path = place.with_name(f"{place.name}.run-token")
    said = "there are no API keys yet; this token has every scope until the server stops:"
    in_file = "there are no API keys yet; {path} has a token with every scope until the server stops"
    with handed_over(session, path, token, said, in_file):
        yield


@contextmanager
def handed_over(session: Session, path: Path, secret: str, said: str, in_file: str) -> Iterator[None]:
    """Give a secret of this run to whoever starts it: on a terminal after what is `said`, otherwise `in_file`, which
    only they can read and which goes when it stops. A log has other readers."""
    if sys.stderr.isatty():
        session.output.note(said)
        session.output.note(secret)
        yield
        return
    path.unlink(missing_ok=True)
    with create_private_file(path) as file:
        file.write(f"{secret}\n")
    session.output.note(in_file.format(path=path))

    def remove() -> None:
        with suppress(OSError):
            if path.read_text().strip() == secret:  # and not that of one that was started since
                path.unlink()

    def end(number: int, _: object) -> None:
        remove()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    signal.signal(signal.SIGTERM, end)  # the server passes the signal on when it has stopped
    try:
        yield
    finally:
        remove()
