"""The places where somebody can stand, as keyword arguments of `Memory.as_user` and `Memory.as_agent`."""

from __future__ import annotations

from typing import TypedDict


class Places(TypedDict, total=False):
    """One id for each level. `Level` has these and those that nobody stands at; a test compares."""

    session: str
    paper: str
    track: str
    chat: str
    workspace: str
    project: str
    role: str
    agent: str
    team: str
    org: str
