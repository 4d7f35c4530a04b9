"""Whom a room is told of: whoever is known to some readers alone is named only where everybody who listens is one.

Every room, home and list of readers, through every door, against an oracle that knows nothing of the engine.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from oracle import Acquaintance, may_know

from memfort import BoundMemory, Denied, Memory, NotFound
from memfort.model.item import Readers

# Of each room: its chat, its kind, and who takes part.
ROOMS = {
    "alone": (None, None, ["alice"]),
    "private": ("dm", "private", ["alice", "bob"]),
    "group": ("team", "group", ["alice", "bob", "carol"]),
    "unknown": ("corridor", None, ["alice"]),
}
LISTS = {"for all": None, "for alice": ["alice"], "for two": ["alice", "bob"], "for three": ["alice", "bob", "carol"]}
HOMES = ("listed", "chat", "project", "own")
CELLS = [
    (room, home, readers)
    for room, home, readers in product(ROOMS, HOMES, LISTS)
    if not (home == "listed" and LISTS[readers]) and not (home == "chat" and room == "alone")
]


@pytest.fixture
def rooms(memory: Memory) -> Memory:
    for chat, kind, users in ROOMS.values():
        if kind is not None:
            memory.chat.register(chat, kind=kind, participants=users)
    return memory


def in_room(memory: Memory, room: str, user: str = "alice") -> BoundMemory:
    chat = ROOMS[room][0]
    return memory.as_user(user, project="apollo", **({} if chat is None else {"chat": chat}))


def made_known(memory: Memory, room: str, home: str, readers: str) -> tuple[str, str]:
    """Alice makes Sarah and an aunt of hers known; gives their ids."""
    if home == "listed":
        alice = in_room(memory, "alone")
        return alice.people.add("Sarah", listed=True).id, alice.people.add("Ines", relation="aunt", listed=True).id
    space = {"chat": {"chat": ROOMS[room][0]}, "project": {"project": "apollo"}, "own": {"user": "alice"}}[home]
    alice = in_room(memory, room if home == "chat" else "alone")
    access = None if LISTS[readers] is None else Readers.of(LISTS[readers])
    said = [alice.remember(f"the {word} crate stands in the yard", type="knowledge", space=space, access=access,
                           subjects=[whom]) for word, whom in (("red", "Sarah"), ("blue", "my aunt"))]  # fmt: skip
    sarah, aunt = (one.item.subjects[0] for one in said if one.item is not None)
    return sarah, aunt


def through_each_door(asker: BoundMemory, sarah: str, aunt: str) -> dict[str, bool]:
    """Whether they come out, by the door at which they were asked for. The last ones would change them."""
    exported = {line["person"]["id"] for line in asker.export() if "person" in line}
    return {
        "list": {sarah, aunt} <= {one.id for one in asker.people.list()},
        "page": bool({sarah, aunt} & {one.id for one in asker.people.list(limit=1)}),
        "find": sarah in [one.id for one in asker.people.find("Sarah")],
        "find what they are": aunt in [one.id for one in asker.people.find("my aunt")],
        "find an id": sarah in [one.id for one in asker.people.find(sarah)],
        "get": asker.people.get(sarah) is not None,
        "relations": aunt in [one.to_person for one in asker.people.relations("me")],
        "edges": aunt in [one.target for one in asker.edges("@alice")],
        "edges at them": answers(lambda: asker.edges(sarah)),
        "export": aunt in exported,
        "forget": answers(lambda: asker.people.forget(sarah, dry_run=True)),
        "unrelate": answers(lambda: asker.people.unrelate("me", "aunt", aunt)),
        "alias": answers(lambda: asker.people.alias(sarah, "Sal")),
        "drop": answers(lambda: asker.people.drop(sarah)),
    }


def answers(ask) -> bool:
    """Whether there is such a person, for who asks: a refusal would tell of them as well."""
    try:
        ask()
    except NotFound:
        return False
    except Denied:
        return True
    return True


def as_the_oracle_says(room: str, home: str, readers: str) -> bool:
    chat, _, users = ROOMS[room]
    known_to = LISTS[readers]
    case = Acquaintance(
        room=room, chat=chat, present=frozenset(f"@{user}" for user in users),
        home=home if home in {"listed", "chat"} else "elsewhere", home_chat=chat if home == "chat" else None,
        readers=None if known_to is None else frozenset(f"@{user}" for user in known_to),
    )  # fmt: skip
    return may_know(case)


@pytest.mark.parametrize(("room", "home", "readers"), CELLS)
def test_every_door_does_as_the_oracle_says(rooms: Memory, room: str, home: str, readers: str) -> None:
    sarah, aunt = made_known(rooms, room, home, readers)
    chat, asker = ROOMS[room][0], in_room(rooms, room)
    asker.remember("the tea is green", space={"user": "alice"} if chat is None else {"chat": chat})  # for the export
    doors = through_each_door(asker, sarah, aunt)
    assert doors == dict.fromkeys(doors, as_the_oracle_says(room, home, readers))


def test_there_are_cells_that_tell_and_cells_that_do_not_for_every_list() -> None:
    counted = Counter((readers, as_the_oracle_says(room, home, readers)) for room, home, readers in CELLS)
    assert counted == {
        ("for all", True): 9, ("for all", False): 6,
        ("for alice", True): 2, ("for alice", False): 9,
        ("for two", True): 3, ("for two", False): 8,
        ("for three", True): 4, ("for three", False): 7,
    }  # fmt: skip


@pytest.mark.parametrize("user", ["alice", "bob"])
def test_a_reader_hears_of_them_again_when_only_readers_listen(rooms, user):
    sarah, _ = made_known(rooms, "group", "chat", "for two")
    assert in_room(rooms, "group", user).people.get(sarah) is None
    rooms.chat.register("team", kind="group", participants=["alice", "bob"])
    assert in_room(rooms, "group", user).people.get(sarah).name == "Sarah"


def test_a_name_in_a_room_means_nobody_whom_the_room_may_not_know(rooms):
    """Bob may read what alice said, and carol, who listens, may not. What comes of bob's words would tell her."""
    sarah, _ = made_known(rooms, "group", "chat", "for two")
    bob = in_room(rooms, "group", "bob")
    said = {"space": {"chat": "team"}, "access": Readers.of(["alice", "bob"]), "type": "knowledge"}
    assert bob.remember("the green crate is full", subjects=["Sarah"], **said).item.subjects != (sarah,)
    assert bob.remember("Sarah likes the odd crate", **said).item.subjects != (sarah,)
    with pytest.raises(NotFound):
        bob.remember("the grey crate is empty", subjects=[sarah], **said)
    alice = in_room(rooms, "group")
    assert alice.remember("the pink crate is light", subjects=["Sarah"], **said).item.subjects == (sarah,)


def test_a_query_names_nobody_whom_the_room_may_not_know(rooms):
    """What alice said of herself and Sarah is hers to hear in the group, but not that Sarah is called so."""
    alice, alone = in_room(rooms, "group"), in_room(rooms, "alone")
    said = {"type": "knowledge", "sensitivity": "personal", "space": {"project": "apollo"}}
    id = alone.remember("the green crate is full", subjects=["@alice", "Quentin"], **said).id
    assert alone.recall("Quentin").texts == ["the green crate is full"]
    assert alice.get(id) is not None
    assert alice.recall("Quentin").texts == []
    here = alice.remember("the odd crate is empty", subjects=["@alice", "Wilbur"], **said | {"space": {"chat": "team"}})
    assert alice.get(here.id) is not None
    assert (alice.recall("Wilbur").texts, alice.people.find("Wilbur")) == ([], [])


def test_what_some_may_know_is_not_given_for_what_is_said_to_all(rooms):
    """A relation that is known to alice alone is not the one that she states for everybody in the room."""
    alice = in_room(rooms, "group")
    listed = alice.people.add("Ines", listed=True)
    for_alice = {"space": {"chat": "team"}, "access": Readers.of(["alice"]), "type": "knowledge"}
    (aunt,) = alice.remember("the blue crate is full", subjects=["my aunt"], **for_alice).item.subjects
    rooms.chat.register("team", kind="group", participants=["alice"])
    alice.people.merge(listed.id, aunt)
    [known] = alice.people.relations("me")
    rooms.chat.register("team", kind="group", participants=["alice", "bob"])
    assert alice.people.relations("me") == []
    stated = alice.people.relate("me", "aunt", listed.id, space={"chat": "team"})
    assert stated.id != known.id
    assert alice.people.relations("me") == [stated]
