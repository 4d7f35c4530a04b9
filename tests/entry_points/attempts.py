"""How each verb that can bring words into force is made to do it: one function for each, by the name of the verb.

A function prepares what the verb needs, lets the write become wrong, and gives the fields of the request. What is
prepared was right when it was written: an earlier policy admitted it. To add a verb: a function, and a row in
`ATTEMPTS`; to add a format of imports: a row in `FILES`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from tests.archives.builders import chatgpt, claude
from tests.entry_points.scene import OWN, PROJECT, Scene, Write

Fields = dict[str, Any]


def remember(scene: Scene, write: Write) -> Fields:
    scene.tighten(write)
    return {"text": write.text, "space": write.space}


def remember_many(scene: Scene, write: Write) -> Fields:
    scene.tighten(write)
    return {"memories": [{"text": write.text, "space": write.space}]}


def summarise(scene: Scene, write: Write) -> Fields:
    """A summary is a statement that is derived from others."""
    source = scene.owner(write).remember("the gate of the yard is painted red", space=write.space)
    scene.tighten(write)
    return {"text": write.text, "space": write.space, "derived_from": [source.id]}


def correct(scene: Scene, write: Write) -> Fields:
    wrong = scene.owner(write).remember("the gate of the yard is painted red", space=write.space)
    scene.tighten(write)
    return {"id": wrong.id, "text": write.text}


def restore(scene: Scene, write: Write) -> Fields:
    owner = scene.owner(write)
    old = owner.remember(write.text, space=write.space)
    owner.correct(old.id, "the gate of the yard is painted red")
    scene.tighten(write)
    return {"id": old.id}


def promote(scene: Scene, write: Write) -> Fields:
    told = scene.caller(write).remember(write.text, space=OWN)
    target = write.space if write.is_elsewhere else PROJECT
    scene.tighten(write, PROJECT)
    return {"id": told.id, "to": target}


def approve(scene: Scene, write: Write) -> Fields:
    waits = scene.owner(write).remember(write.text, space=write.space, confidence=0.1)
    scene.tighten(write)
    return {"ids": [waits.id]}


def edit(scene: Scene, write: Write) -> Fields:
    waits = scene.owner(write).remember("the gate of the yard is painted red", space=write.space, confidence=0.1)
    scene.tighten(write)
    return {"id": waits.id, "text": write.text}


def undo(scene: Scene, write: Write) -> Fields:
    """What was replaced comes back, as what replaced it falls."""
    scribe, editor = scene.agents(write)
    old = scribe.remember(write.text, space=write.space)
    assert editor.correct(old.id, "the gate of the yard is painted red").kept
    scene.tighten(write)
    return {"author": f"agent:{editor.actor.id}"}


def undo_promotion(scene: Scene, write: Write) -> Fields:
    """What was promoted away comes back, as its copy falls."""
    scene.memory.member.add(PROJECT, user="bob", trust="owner")
    owner = scene.memory.as_user("bob", **PROJECT) if write.is_elsewhere else scene.agents(write)[0]
    told = owner.remember(write.text, space={"user": str(owner.actor.user)})
    assert owner.promote(told.id, to=PROJECT).kept
    scene.tighten(write)
    return {"author": f"{owner.actor.kind}:{owner.actor.id}"}


def redo(scene: Scene, write: Write) -> Fields:
    """What an undo took comes back, as the undo is taken back."""
    scribe, _ = scene.agents(write)
    scribe.remember(write.text, space=write.space)
    done = scene.owner(write).undo(author=f"agent:{scribe.actor.id}")
    scene.tighten(write)
    return {"id": done.id}


def observe(scene: Scene, write: Write) -> Fields:
    """A turn, and the statement in it. Only the person's own words restate what was rejected, so an agent says it."""
    scene.tighten(write)
    role = "assistant" if write.by_agent else "user"
    return {"messages": [{"role": role, "content": write.text}], "space": write.space}


def import_of(make: Callable[[str, Mapping[str, str]], Any]) -> Callable[[Scene, Write], Fields | None]:
    def import_(scene: Scene, write: Write) -> Fields | None:
        data = make(write.text, write.space)
        if data is None:
            return None
        scene.tighten(write)
        if not isinstance(data, bytes):
            data = json.dumps(data if isinstance(data, list) else [data]).encode()
        return {"data": data}

    return import_


def _scoped(text: str, space: Mapping[str, str]) -> Any:
    metadata = {"userId": space["user"]} if "user" in space else {"scope": dict(space)}
    return {"content": text, "metadata": metadata}


def _research(text: str, space: Mapping[str, str]) -> Any:
    """A row is always some user's own."""
    return {"user_id": space["user"], "kind": "note", "content": text} if "user" in space else None


def _own_export(text: str, space: Mapping[str, str]) -> bytes:
    """Our own export, as somebody made it who may write it there, and changed by hand."""
    from memfort import Memory

    with Memory.open(":memory:") as elsewhere:
        stand = {level: id for level, id in space.items() if level != "user"}
        writer = elsewhere.as_user(space.get("user", "alice"), **stand)
        writer.remember("the gate of the yard is painted red", space=dict(space))
        lines = [json.dumps(line) for line in writer.export()]
    changed = [line.replace("the gate of the yard is painted red", text) for line in lines]
    return "\n".join(changed).encode()


def _langgraph(text: str) -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table store (prefix text, key text, value text, created_at text, updated_at text)")
        row = ("memories.alice", "a", json.dumps({"memory": text}))
        connection.execute("insert into store (prefix, key, value) values (?, ?, ?)", row)
        connection.commit()
        found = connection.serialize()
    connection.close()
    return found


def _of_own(make: Callable[[str], Any]) -> Callable[[str, Mapping[str, str]], Any]:
    """A file of another program names no space: its statements are for the importer's own."""
    return lambda text, space: make(text) if space == OWN else None


# One file of each format, with one statement for a space; `None` where the format cannot name that space, which must
# not be the importer's own. `memfort` is our own export, which is no row of `FORMATS`.
FILES: dict[str, Callable[[str, Mapping[str, str]], Any]] = {
    "memfort": _own_export,
    "scoped": _scoped,
    "research": _research,
    "chatgpt": _of_own(lambda text: [chatgpt(("user", text), ("assistant", "Noted."))]),
    "claude": _of_own(lambda text: [claude(("human", text), ("assistant", "Noted."))]),
    "gemini": _of_own(
        lambda text: {"header": "Gemini Apps", "title": f"Prompted {text}", "time": "2024-05-06T07:08:09Z"}
    ),
    "mem0": _of_own(lambda text: {"id": "m-1", "memory": text, "user_id": "alice"}),
    "langgraph": _of_own(_langgraph),
    "letta": _of_own(lambda text: {"agents": [], "blocks": [{"label": "human", "value": text}], "tools": []}),
    "mcp_memory": _of_own(
        lambda text: {"type": "entity", "name": "alice", "entityType": "person", "observations": [text]}
    ),
    "notes": _of_own(lambda text: f"# About me\n\n- {text}\n".encode()),
    "messages": _of_own(lambda text: {"messages": [{"role": "user", "content": text}]}),
    "transcript": _of_own(lambda text: f"User: {text}\nAssistant: Noted.\n".encode()),
    "plain": lambda text, space: {"text": text, "space": dict(space)},
}

# The name of an attempt begins with that of its verb; what comes after a colon tells several of them apart.
ATTEMPTS: dict[str, Callable[[Scene, Write], Fields | None]] = {
    "remember": remember,
    "remember:derived": summarise,
    "remember_many": remember_many,
    "correct": correct,
    "restore": restore,
    "promote": promote,
    "review.approve": approve,
    "review.edit": edit,
    "observe": observe,
    "undo": undo,
    "undo:promotion": undo_promotion,
    "undo:undo": redo,
    **{f"import:{platform}": import_of(make) for platform, make in FILES.items()},
}

# Writes that an attempt cannot make, and why. The tests check that each is still the case.
NOT_POSSIBLE = {
    ("promote", "shared"): "it stands in the project already",
    ("undo:promotion", "personal"): "what comes back is in a private space",
    ("undo:promotion", "shared"): "what comes back is in a private space",
}


def verb_of(attempt: str) -> str:
    return attempt.partition(":")[0]
