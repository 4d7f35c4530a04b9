"""studio: web pages for the store of the settings. The pages are in `memfort.surfaces.studio`, which needs
`memfort[server]`."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlencode

import click

from memfort.errors import InvalidInput
from memfort.surfaces.cli.commands.serve import handed_over
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session

PORT = 8643


@click.command("studio", cls=Verb)
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="The port to listen at.")
@click.option("--open/--no-open", "opens", default=False, help="Open it in the browser of this machine.")
@click.pass_obj
def studio_command(session: Session, port: int, opens: bool) -> None:
    """Show what is remembered, who may hear it, and why, in a browser.

    It listens to this machine alone, until it is stopped. The link that it prints signs one browser in, once; on a
    terminal it is printed, otherwise it is in a file beside the store that only you can read. You look as the actor of
    `--as` from the places of `--at`, and may look as others: that is in their trail. A server has the same pages at
    `/studio/`, where each signs in with their own key.
    """
    with session.memory(make=False):  # what is wrong with it is said before anything listens
        pass
    looks_as, at = session.settings["as"], dict(session.settings["at"])
    start(session, session.store_file, port, looks_as=looks_as, at=at, opens=opens)


def start(
    session: Session, store: Path, port: int, *, looks_as: str | None, at: Mapping[str, str], opens: bool = False
) -> None:
    """Serve the pages of a store to whoever has the link, until it is stopped."""
    try:
        from memfort.surfaces.http import serve
        from memfort.surfaces.http.settings import ServerSettings
    except ImportError as error:
        raise InvalidInput("studio", "its pages are not installed", "run `pip install memfort[server]`") from error
    from memfort.policy.settings.render import as_toml

    settings = ServerSettings(port=port, run_token=f"mfrun_{token_urlsafe(32)}", start_token=token_urlsafe(24))
    named = session.named_policy
    served = serve.Served(
        str(store),
        settings,
        policy=None if named is None else as_toml(named),
        embedder=session.settings["embedder"],
        reranker=session.settings["reranker"],
        extractor=session.settings["extractor"],
    )
    sockets = serve.bind(settings)
    link = _link(settings, looks_as, at)
    if opens:
        webbrowser.open(link)
    path = store.with_name(f"{store.name}.studio-link")
    with handed_over(session, path, link, "open this link, which works once:", "{path} has the link, which works once"):
        serve.serve(served, sockets)


def _link(settings: Any, looks_as: str | None, at: Mapping[str, str]) -> str:
    """The address that signs in the browser that opens it first."""
    places = ", ".join(f"{level}={id}" for level, id in at.items())
    shown = {"as": "" if looks_as in {None, "system"} else looks_as, "at": places}
    query = {"token": settings.start_token, **{name: value for name, value in shown.items() if value}}
    return f"http://{settings.host}:{settings.port}/studio/start?{urlencode(query)}"
