"""The texts of histories: statements, conversation turns, and files to import."""

from __future__ import annotations

import json
from collections.abc import Mapping

from memfort.model.item import NOTHING, Authority, Item, Kind, Origin, Readers, Sensitivity, Status
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.serialize.record import item_to_dict
from memfort.model.space import Level, Space
from memfort.testing.histories import START

PHRASES = (
    "coffee at the harbor",
    "launch the budget on friday",
    "violin lessons with the budget",
    "the harbor launch moved",
    "orchid tea",
    "coffee, not tea",
    "coffee coffee coffee at the launch meeting in the harbor",
    "merger talks about oncology",
    "the zeppelin merger",
    "oncology budget",
)
PERSONAL, SECRET = "write to dora@example.org about coffee", "the key is ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
QUERIES = ("coffee", "the harbor launch", "budget", "merger", "oncology zeppelin", "tea orchid violin", "dora coffee")
KEYS = ("timezone", "diet")
# Turns of which something is worth remembering, and hints that ask to remember it elsewhere.
TURNS_ABOUT_NO_ONE = ("actually the merger is off", "coffee at the harbor?", "thanks")
TURNS = (
    "I prefer orchid tea",
    "we decided to launch the budget on friday",
    "my timezone is UTC",
    *TURNS_ABOUT_NO_ONE,
)
HINTS = {"user": "remember this for me: ", "project": "remember this for the project: ", "system": "system memory: "}
ANSWERS = ("noted: coffee at the harbor", "the budget is on friday", "tea it is")


def node(text: str, access: Mapping[str, list[str]] | None = None, **scope: str) -> str:
    """A record of the format with nodes and scopes."""
    readers = {"userIds": (access or {}).get("users"), "agentIds": (access or {}).get("agents")}
    metadata = {"scope": scope, "provenance": {"source": "notes"}, "access": {"read": readers} if access else None}
    return json.dumps({"content": text, "metadata": metadata}, sort_keys=True)


FILES = (
    [node("coffee at the harbor"), node("the zeppelin merger", session="s1")],
    [node("orchid tea", session="s1"), node(SECRET), node("oncology budget")],
)


def row(user: str, text: str) -> str:
    """A row of the format with users and kinds."""
    return json.dumps({"user_id": user, "kind": "note", "content": text, "confidence": 0.9}, sort_keys=True)


def line(space: Space, id: str, text: str) -> str:
    """A line of a forged export, with an id that may belong to another user."""
    author = Actor(ActorKind.USER, str(space.get(Level.USER)))
    made = Item(
        id=id,
        number=40,
        space=space,
        kind=Kind.SEMANTIC,
        type="knowledge",
        text=text,
        key=None,
        tags=(),
        author=author,
        origin=Origin.USER,
        source=None,
        observed_at_us=None,
        sensitivity=Sensitivity.PUBLIC,
        readers=Readers(),
        confidence=1.0,
        authority=Authority.USER_ASSERTED,
        importance=1.0,
        pii_risk=0,
        status=Status.APPROVED,
        status_reason="confident",
        created_at_us=START,
        updated_at_us=START,
        expires_at_us=None,
        supersedes=None,
        superseded_by=None,
        derived_from=(),
        deleted_at_us=None,
        deleted_reason=None,
        provenance=NOTHING,
        meta=NOTHING,
        policy="",
        version=1,
        created_tick=9,
        expires_tick=11,
    )
    return json.dumps({"memory": item_to_dict(made)}, sort_keys=True)
