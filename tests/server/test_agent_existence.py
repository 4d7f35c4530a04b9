"""Nobody can tell an agent that nobody has registered from one of somebody else's."""

from __future__ import annotations

import base64
import json
import re

import pytest
from tests.server.client import Answer, Service

from memfort.operations.table import TABLE, Http

FOREIGN, ABSENT = "helper", "ghosts"  # of one length; `helper` is alice's
MADE_ANEW = re.compile(rb'"[a-z]{3}_[a-z2-7]{24}"|"[0-9T:.-]+Z"|"(hash|number|version)":[^,}]+')
SPACE = {"agent": "NAME", "visibility": "public"}
BODIES = {
    "remember": {"text": "whales sing", "space": SPACE},
    "remember_many": {"memories": [{"text": "whales sing", "space": SPACE}]},
    "recall": {"query": "whales", "space": SPACE},
    "context": {"query": "whales", "space": SPACE},
    "list": {"space": SPACE},
    "check": {"verb": "remember", "text": "whales sing", "space": SPACE},
    "observe": {"messages": ["whales sing"], "space": SPACE},
    "window": {"space": SPACE},
    "forget": {"scope": {"agent": "NAME"}},
    "erase": {"scope": {"agent": "NAME"}, "dry_run": True},
    "share": {"space": SPACE, "user": "carl"},
    "phase.list": {"space": SPACE},
    "phase.diff": {"space": SPACE, "earlier": "phase-1"},
    "phase.start": {"space": SPACE, "reason": "why"},
    "people.add": {"name": "Ann", "space": SPACE},
    "undo": {"author": "agent:NAME"},
    "about": {"persons": ["@NAME"]},
    "people.get": {"id": "@NAME"},
    "people.find": {"reference": "@NAME"},
    "agent.register": {"id": "NAME", "owner": "carl"},
    "keys.create": {"agent": "NAME"},
    "agent.get": {"id": "NAME"},
}
# Verbs for anybody, which need no field of their own to be asked from a place.
EVERYWHERE = [row.name for row in TABLE.values() if isinstance(row.http, Http) and row.effect != "admin"]


def neutral(answer: Answer, name: str) -> tuple[int, bytes]:
    """An answer without what is new in each call, and without the name that was asked about."""
    return answer.status, MADE_ANEW.sub(b"NEW", answer.body).replace(name.encode(), b"NAME")


@pytest.mark.parametrize("place", ["", "agent=NAME"])
def test_an_unknown_agent_answers_like_a_foreign_one(agents: Service, place: str):
    bob = agents.user("bob")
    for verb in sorted({*BODIES, *EVERYWHERE}):
        text, found = json.dumps(BODIES.get(verb, {})), []
        for name in (FOREIGN, ABSENT):
            at = {"memfort_at": place.replace("NAME", name)} if place else {}
            found.append(neutral(bob.post(TABLE[verb].path, json.loads(text.replace("NAME", name)), **at), name))
        assert found[0] == found[1], verb


def test_what_an_agent_shows_is_told_from_nothing(agents: Service):
    """The test above compares more than errors."""
    alice, bob = agents.user("alice"), agents.user("bob").at(memfort_at="agent=helper")
    public = {"agent": "helper", "visibility": "public"}
    assert public in bob.post("/v1/spaces").json
    assert {"level": "agent", "id": "helper"} in [one["coordinate"] for one in bob.post("/v1/standings").json]
    alice.at(memfort_at="agent=helper").post("/v1/remember", {"text": "Whales sing", "space": public})
    assert bob.post("/v1/recall", {"query": "whales"}).json["hits"]


def test_an_import_does_not_tell_which_agents_there_are(agents: Service):
    carl, found = agents.user("carl"), []
    for name in (FOREIGN, ABSENT):
        record = {"text": f"I like {name}", "access": {"users": ["carl"], "agents": [name]}}
        data = base64.b64encode(json.dumps([record]).encode()).decode()
        found.append(neutral(carl.post("/v1/import", {"data": data}), name))
        assert carl.post("/v1/import", {"data": data}).status == 200
    assert found[0] == found[1]
    assert b"unknown_readers" in found[0][1]
