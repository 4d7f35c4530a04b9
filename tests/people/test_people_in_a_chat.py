"""Which people a chat may know: a person with a reader list is named only where all participants are on it.

Every kind of chat, home and reader list, through every read path, against an oracle independent of the engine.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from oracle import Acquaintance, may_know

from memfort import BoundMemory, Denied, Memory, NotFound
from memfort.model.item import Readers

# By kind of chat, with `alone` for none: its id, its registered kind, and its participants.
CHATS = {
    "alone": (None, None, ["alice"]),
    "private": ("dm", "private", ["alice", "bob"]),
    "group": ("team", "group", ["alice", "bob", "carol"]),
    "unknown": ("corridor", None, ["alice"]),
}
LISTS = {"for all": None, "for alice": ["alice"], "for two": ["alice", "bob"], "for three": ["alice", "bob", "carol"]}
HOMES = ("listed", "chat", "project", "own")
CELLS = [
    (room, home, readers)
    for room, home, readers in product(CHATS, HOMES, LISTS)
    if not (home == "listed" and LISTS[readers]) and not (home == "chat" and room == "alone")
]


@pytest.fixture
def chats(memory: Memory) -> Memory:
    for chat, kind, users in CHATS.values():
        if kind is not None:
            memory.chat.register(chat, kind=kind, participants=users)
    return memory


def in_chat(memory: Memory, room: str, user: str = "alice") -> BoundMemory:
    chat = CHATS[room][0]
    return memory.as_user(user, project="apollo", **({} if chat is None else {"chat": chat}))


def add_sarah_and_aunt(memory: Memory, room: str, home: str, readers: str) -> tuple[str, str]:
    """Alice adds or mentions Sarah and her aunt; returns their ids."""
    if home == "listed":
        alice = in_chat(memory, "alone")
        return alice.people.add("Sarah", listed=True).id, alice.people.add("Ines", relation="aunt", listed=True).id
    space = {"chat": {"chat": CHATS[room][0]}, "project": {"project": "apollo"}, "own": {"user": "alice"}}[home]
    alice = in_chat(memory, room if home == "chat" else "alone")
    access = None if LISTS[readers] is None else Readers.of(LISTS[readers])
    said = [alice.remember(f"the {word} crate stands in the yard", type="knowledge", space=space, access=access,
                           subjects=[person]) for word, person in (("red", "Sarah"), ("blue", "my aunt"))]  # fmt: skip
    sarah, aunt = (one.item.subjects[0] for one in said if one.item is not None)
    return sarah, aunt


def through_each_path(asker: BoundMemory, sarah: str, aunt: str) -> dict[str, bool]:
    """Whether each read path shows them. The last paths would change them."""
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
    """Whether the person exists for the asker: a denial reveals them as well."""
    try:
        ask()
    except NotFound:
        return False
    except Denied:
        return True
    return True


def expected(room: str, home: str, readers: str) -> bool:
    chat, _, users = CHATS[room]
    known_to = LISTS[readers]
    case = Acquaintance(
        room=room, chat=chat, present=frozenset(f"@{user}" for user in users),
        home=home if home in {"listed", "chat"} else "elsewhere", home_chat=chat if home == "chat" else None,
        readers=None if known_to is None else frozenset(f"@{user}" for user in known_to),
    )  # fmt: skip
    return may_know(case)


@pytest.mark.parametrize(("room", "home", "readers"), CELLS)
def test_every_read_path_matches_the_oracle(chats: Memory, room: str, home: str, readers: str) -> None:
    sarah, aunt = add_sarah_and_aunt(chats, room, home, readers)
    chat, asker = CHATS[room][0], in_chat(chats, room)
    asker.remember("the tea is green", space={"user": "alice"} if chat is None else {"chat": chat})  # for the export
    paths = through_each_path(asker, sarah, aunt)
    assert paths == dict.fromkeys(paths, expected(room, home, readers))


def test_every_reader_list_has_cells_that_disclose_and_cells_that_do_not() -> None:
    counted = Counter((readers, expected(room, home, readers)) for room, home, readers in CELLS)
    assert counted == {
        ("for all", True): 9, ("for all", False): 6,
        ("for alice", True): 2, ("for alice", False): 9,
        ("for two", True): 3, ("for two", False): 8,
        ("for three", True): 4, ("for three", False): 7,
    }  # fmt: skip


@pytest.mark.parametrize("user", ["alice", "bob"])
def test_a_person_is_known_in_the_chat_again_once_all_participants_are_readers(chats, user):
    sarah, _ = add_sarah_and_aunt(chats, "group", "chat", "for two")
    assert in_chat(chats, "group", user).people.get(sarah) is None
    chats.chat.register("team", kind="group", participants=["alice", "bob"])
    assert in_chat(chats, "group", user).people.get(sarah).name == "Sarah"


def test_a_name_in_a_chat_never_resolves_to_a_person_the_chat_may_not_know(chats):
    """Bob may read what alice said, and carol, who is present, may not: resolving bob's words would reveal it."""
    sarah, _ = add_sarah_and_aunt(chats, "group", "chat", "for two")
    bob = in_chat(chats, "group", "bob")
    said = {"space": {"chat": "team"}, "access": Readers.of(["alice", "bob"]), "type": "knowledge"}
    assert bob.remember("the green crate is full", subjects=["Sarah"], **said).item.subjects != (sarah,)
    assert bob.remember("Sarah likes the odd crate", **said).item.subjects != (sarah,)
    with pytest.raises(NotFound):
        bob.remember("the grey crate is empty", subjects=[sarah], **said)
    alice = in_chat(chats, "group")
    assert alice.remember("the pink crate is light", subjects=["Sarah"], **said).item.subjects == (sarah,)


def test_a_query_in_a_chat_never_resolves_to_a_person_the_chat_may_not_know(chats):
    """Alice may see her statement in the group, but not find it by the name of a person known to the project."""
    alice, alone = in_chat(chats, "group"), in_chat(chats, "alone")
    said = {"type": "knowledge", "sensitivity": "public", "space": {"project": "apollo"}}
    id = alone.remember("the green crate is full", subjects=["@alice", "Quentin"], **said).id
    assert alone.recall("Quentin").texts == ["the green crate is full"]
    assert alice.get(id) is not None
    assert alice.recall("Quentin", weak=False).texts == []


def test_a_relation_known_to_some_is_not_reused_for_all(chats):
    """A relation that is known to alice alone is not the one that she states for everybody in the room."""
    alice = in_chat(chats, "group")
    listed = alice.people.add("Ines", listed=True)
    for_alice = {"space": {"chat": "team"}, "access": Readers.of(["alice"]), "type": "knowledge"}
    (aunt,) = alice.remember("the blue crate is full", subjects=["my aunt"], **for_alice).item.subjects
    chats.chat.register("team", kind="group", participants=["alice"])
    alice.people.merge(listed.id, aunt)
    [known] = alice.people.relations("me")
    chats.chat.register("team", kind="group", participants=["alice", "bob"])
    assert alice.people.relations("me") == []
    stated = alice.people.relate("me", "aunt", listed.id, space={"chat": "team"})
    assert stated.id != known.id
    assert alice.people.relations("me") == [stated]


@pytest.mark.parametrize("many", [False, True], ids=["one", "a batch"])
@pytest.mark.parametrize("named", [{}, {"subjects": ["Sarah"]}], ids=["mentioned", "named"])
@pytest.mark.parametrize("level", ["public", "sensitive"])
def test_a_person_is_known_to_those_who_may_hear_the_derived_memory(memory: Memory, level: str, named, many: bool):
    memory.chat.register("crew", kind="group", participants=["alice", "dave", "erin"])
    dave, erin = memory.as_user("dave", chat="crew"), memory.as_user("erin", chat="crew")
    crew = {"chat": "crew"}
    source = dave.remember("@erin likes chess from Lima", sensitivity=level, space=crew)
    fields = {"sensitivity": "public", "derived_from": [source.id], "space": crew, **named}
    text = "Sarah and @alice like sardines from Oslo"
    made = dave.remember_many([{"text": text, **fields}])[0] if many else dave.remember(text, **fields)
    assert made.item is not None
    assert made.item.sensitivity == level
    is_heard = level == "public"
    assert (erin.get(made.id) is not None) == is_heard
    assert ("Sarah" in [one.name for one in erin.people.list()]) == is_heard
    assert bool(erin.people.find("Sarah")) == is_heard
