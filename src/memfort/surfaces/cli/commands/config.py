"""config: show, path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from memfort.errors import MemfortError
from memfort.surfaces.cli.input.settings import SETTINGS, Found, project_file, user_file
from memfort.surfaces.cli.options import Verbs
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.session import Session


@click.group("config", cls=Verbs)
def config_command() -> None:
    """Show the settings and where each comes from."""


@config_command.command("show")
@click.pass_obj
def show_config(session: Session) -> None:
    """Show every setting as it is in force, and where it comes from."""
    found = [_in_force(session, one) for one in session.settings.found.values()]
    document = {"settings": {one.name: {"value": _plain(one.name, one.value), "origin": one.origin} for one in found}}
    rows = [(one.name, _shown(one), one.origin) for one in found]
    session.output.answer(document, Table(("setting", "value", "origin"), rows))


@config_command.command("path")
@click.pass_obj
def show_paths(session: Session) -> None:
    """Show the files that settings are read from, and where the store is."""
    project = project_file(Path.cwd())
    paths = {
        "project": None if project is None else str(project),
        "user": str(user_file()),
        "store": str(session.settings["store"]),
    }
    there = {name: path is not None and Path(path).exists() for name, path in paths.items()}
    document = {name: {"path": path, "exists": there[name]} for name, path in paths.items()}
    rows = [(name, path or "none found", "" if there[name] else "not there") for name, path in paths.items()]
    session.output.answer(document, Table(("what", "path", ""), rows))


def _in_force(session: Session, found: Found) -> Found:
    """A setting as it is in force: if no setting names a policy, the store's policy is shown."""
    if found.name != "policy" or found.value is not None:
        return found
    try:
        policy, origin = session.in_force
    except MemfortError:  # `doctor` reports what is wrong with the store
        return replace(found, origin="the store, which cannot be opened; run memfort doctor")
    return found if origin != "store" else replace(found, value=f"{policy.name} {policy.digest}", origin=origin)


def _shown(found: Found) -> str:
    """A value as text. A setting without a value shows what that means."""
    if found.value not in (None, ()):
        return _text(_plain(found.name, found.value))
    return next(f"({one.default})" for one in SETTINGS if one.name == found.name)


def _plain(name: str, value: Any) -> Any:
    if name == "at":
        return [f"{level}={id}" for level, id in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
