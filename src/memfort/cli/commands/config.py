"""config: show, path. policy: show."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memfort.cli.options import Verbs
from memfort.cli.output import Table
from memfort.cli.session import Session
from memfort.cli.settings import project_file, user_file


@click.group("config", cls=Verbs)
def config_command() -> None:
    """Show the settings and where each comes from."""


@config_command.command("show")
@click.pass_obj
def show_config(session: Session) -> None:
    """Show every setting, its value and its origin."""
    found = session.settings.found.values()
    document = {"settings": {one.name: {"value": _plain(one.name, one.value), "origin": one.origin} for one in found}}
    rows = [(one.name, _text(_plain(one.name, one.value)), one.origin) for one in found]
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


@click.group("policy", cls=Verbs)
def policy_command() -> None:
    """Show the policy in force."""


@policy_command.command("show")
@click.pass_obj
def show_policy(session: Session) -> None:
    """Show the policy in force, with its digest: the name that every decision carries."""
    policy = session.policy
    plain = json.loads(json.dumps(asdict(policy), default=str))
    document = {"digest": policy.digest, "origin": session.settings.found["policy"].origin, "policy": plain}
    lines = [f"{name} = {_text(value)}" for name, value in plain.items()]
    session.output.answer(document, f"digest {policy.digest}", *lines)


def _plain(name: str, value: Any) -> Any:
    if name == "at":
        return [f"{level}={id}" for level, id in value]
    return value if value is None or isinstance(value, bool) else str(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
