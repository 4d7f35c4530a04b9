"""The cells of the matrix of disclosure, and how each is made real in a store: people, chats, and one memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from msgspec.structs import replace
from oracle import Case

from memfort import FixedClock, Item, Memory, Space
from memfort.model.item import memory_id
from memfort.model.reason import Reason
from memfort.store.memory import MemoryStore
from memfort.store.port import Store

SENSITIVITIES = ("public", "personal", "sensitive")
RULES = ("strict", "participants")
MISSING = ("closed", "open")

# Who is present beside the asker. Partners of a private chat decide as much as its kind, so each has an entry.
ROOMS = {
    "alone": ("alone", ""),
    "private": ("private", ""),
    "private with a stranger": ("private", "x"),
    "private with the subject": ("private", "s"),
    "private with the author": ("private", "w"),
    "private with a witness": ("private", "x"),  # who was in the group where it was said
    "group": ("group", "x"),
    "group with the subject": ("group", "xs"),
    "unknown": ("unknown", ""),
}

# The role of the asker: the subjects of the memory, and its speaker. `a` asks.
ROLES = {
    "subject": ("a", "w"),
    "owner": ("s", "w"),
    "author": ("s", "a"),
    "participant": ("s", "w"),
    "outsider": ("s", "w"),
    "subject and author": ("a", "a"),
    "one of two subjects": ("as", "w"),
    "one of two subjects, and author": ("as", "a"),
    "no subject": ("", "w"),
}

WHERE_THE_ASKER_SAID_IT = ("author", "subject and author", "one of two subjects, and author")

LEARNED = (
    "here",
    "outside any chat",
    "another private chat",
    "a group the asker was in",
    "a group the asker was not in",
    "a chat of unknown kind",
    "missing",
)
GROUPS = ("a group the asker was in", "a group the asker was not in")

SPACES = (
    "the asker's own",
    "the room's",  # of the chat; where there is none, a project's
    "another user's",
    "where it was learned",
)
OUT_OF_SIGHT = ("another user's", "where it was learned")


class Cell(NamedTuple):
    sensitivity: str
    room: str
    asker: str
    learned: str
    space: str

    @property
    def kind(self) -> str:
        return ROOMS[self.room][0]


def cells(sensitivity: str, room: str) -> list[Cell]:
    """Every cell of one sensitivity and one room that does not contradict itself."""
    made = (Cell(sensitivity, room, *rest) for rest in product(ROLES, LEARNED, SPACES))
    return [cell for cell in made if contradiction(cell) is None]


def all_cells() -> Iterator[Cell]:
    for sensitivity, room in product(SENSITIVITIES, ROOMS):
        yield from cells(sensitivity, room)


def contradiction(cell: Cell) -> str | None:
    """Why there can be no such cell."""
    about, author = ROLES[cell.asker]
    own = cell.space == "the asker's own"
    with_asker = cell.learned in {"here", "a group the asker was in"}
    impossible = {
        "no chat, so nothing was said in it": cell.kind == "alone" and cell.learned == "here",
        "only who has the space is its owner; elsewhere that is the author": cell.asker == "owner" and not own,
        "in their own space the asker is the owner": cell.asker in {"participant", "outsider"} and own,
        "who took part was there": cell.asker == "participant"
        and not (with_asker or cell.learned == "another private chat"),
        "who was there is no outsider": cell.asker == "outsider" and with_asker,
        "it was learned in no chat other than this": cell.space == "where it was learned"
        and cell.learned in {"here", "outside any chat", "missing"},
        "the subject asks, or there is none": cell.room.endswith("the subject") and about != "s",
        "the author asks": cell.room.endswith("the author") and author != "w",
        "there was no group to witness it in": cell.room.endswith("a witness") and cell.learned not in GROUPS,
    }
    return next((why for why, applies in impossible.items() if applies), None)


# -- a cell with names in it ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """A cell with people, chats and a memory of its own, so that many can stand in one store. Nothing is stored yet."""

    cell: Cell
    number: int
    portable: bool = True

    def user(self, letter: str) -> str:
        return f"{letter}{self.number}"

    @property
    def asker(self) -> str:
        return self.user("a")

    @property
    def author(self) -> str:
        return self.user(ROLES[self.cell.asker][1])

    @property
    def subjects(self) -> tuple[str, ...]:
        return tuple(f"@{self.user(letter)}" for letter in ROLES[self.cell.asker][0])

    @property
    def asked_about(self) -> str:
        """The person that `about` is asked about: the subject, if there is one."""
        return self.subjects[0] if self.subjects else f"@{self.asker}"

    @property
    def word(self) -> str:
        """A word that stands in this one memory. Letters only: it is not a telephone number."""
        return "zq" + "".join(chr(ord("a") + int(digit)) for digit in f"{self.number:06}")

    @property
    def text(self) -> str:
        return f"the {self.word} crate stands in the yard"

    @property
    def place(self) -> dict[str, str]:
        """Where the asker stands. Where there is no chat, a project is what is shared with others."""
        return {"project": f"project{self.number}"} if self.cell.kind == "alone" else {"chat": f"room{self.number}"}

    @property
    def company(self) -> frozenset[str]:
        """The users in the room."""
        return frozenset([self.asker, *map(self.user, ROOMS[self.cell.room][1])])

    @property
    def space(self) -> dict[str, str]:
        return {
            "the asker's own": {"user": self.asker},
            "the room's": self.place,
            "another user's": {"user": self.user("w")},
            "where it was learned": {"chat": f"other{self.number}"},
        }[self.cell.space]

    @property
    def is_in_sight(self) -> bool:
        return self.cell.space not in OUT_OF_SIGHT

    @property
    def learned_in(self) -> str | None:
        by_name = {"here": f"room{self.number}", "outside any chat": "", "missing": None}
        return by_name.get(self.cell.learned, f"other{self.number}")

    @property
    def learned_kind(self) -> str | None:
        if self.cell.learned == "here":
            return None if self.cell.kind == "unknown" else self.cell.kind
        return {"another private chat": "private", **dict.fromkeys(GROUPS, "group")}.get(self.cell.learned)

    @property
    def learned_participants(self) -> frozenset[str]:
        """The users who are in the chat where it was learned, as far as the directory knows."""
        if self.learned_kind is None:
            return frozenset()
        if self.cell.learned == "here":
            return self.company
        inside = {self.author} - {self.asker}
        if self.cell.learned == "a group the asker was in":
            inside.add(self.asker)
        if self.cell.learned == "another private chat" and self.cell.asker in {"participant", *WHERE_THE_ASKER_SAID_IT}:
            inside.add(self.asker)
        if self.cell.room.endswith("a witness"):
            inside.add(self.user("x"))
        return frozenset(inside)

    @property
    def author_could_write(self) -> bool:
        """Whether a call by the author, from where it is learned, writes it where the cell wants it."""
        is_known = self.learned_in is not None
        is_theirs = self.space.get("user") in {None, self.author}
        return is_known and is_theirs and self.space.get("chat") in {None, self.learned_in}

    def case(self, rule: str, missing: str, asked_about: str | None = None) -> Case:
        """What the oracle is asked: by default as in a recall, whose channel is about the asker alone."""
        owner = self.space.get("user")
        return Case(
            room=self.cell.kind, chat=self.place.get("chat"), asker=f"@{self.asker}", present=persons(self.company),
            space_owner=None if owner is None else f"@{owner}", space_chat=self.space.get("chat"),
            sensitivity=self.cell.sensitivity, subjects=frozenset(self.subjects), stated_by=f"@{self.author}",
            learned_in=self.learned_in, learned_kind=self.learned_kind,
            learned_participants=persons(self.learned_participants), rule=rule, missing_provenance=missing,
            channel="in sight" if self.is_in_sight else "about me", asked_about=asked_about or f"@{self.asker}",
            portable=self.portable,
        )  # fmt: skip


def scenes(cells: Iterable[Cell], *, portable: bool = True) -> list[Scene]:
    return [Scene(cell, number, portable) for number, cell in enumerate(cells)]


def persons(users: frozenset[str]) -> frozenset[str]:
    return frozenset(f"@{user}" for user in users)


# -- a scene in a store -----------------------------------------------------------------------------------------------


class Stage:
    """A store in which scenes are made real."""

    def __init__(self, store: Store, clock: FixedClock) -> None:
        self._memory = Memory(store, clock=clock, audit_reads="off")
        self._elsewhere = Memory(MemoryStore(), clock=clock)  # where memories are made that no call would make here
        self._clock = clock

    def keep(self, scene: Scene) -> Item:
        """Register the chats and keep the memory. Its author is let in to say it, and leaves again if the cell wants
        them out, so that a room has the company that the cell names and no other."""
        for guests in (frozenset([scene.author]), frozenset[str]()):
            if scene.cell.kind in {"private", "group"}:
                self._register(scene.place["chat"], scene.cell.kind, scene.company | guests)
            if scene.learned_kind is not None and scene.cell.learned != "here":
                self._register(str(scene.learned_in), scene.learned_kind, scene.learned_participants | guests)
            if guests:
                item = self._written(scene) if scene.author_could_write else self._put(scene)
        assert _is_as_meant(item, scene), (scene.cell, item)
        return item

    def _register(self, chat: str, kind: str, participants: frozenset[str]) -> None:
        self._memory.chat.register(chat, kind=kind, participants=participants)

    def _written(self, scene: Scene) -> Item:
        """Written by its author, from where it is learned."""
        places = {"chat": str(scene.learned_in)} if scene.learned_in else {}
        if "project" in scene.space:
            places |= scene.space
        author = self._memory.as_user(scene.author, **places)
        outcome = author.remember(**_statement(scene), space=scene.space)
        assert outcome.item is not None, (scene.cell, outcome)
        return outcome.item

    def _put(self, scene: Scene) -> Item:
        """Put where no call would put it: another's statement in one's own space, or a memory of unknown origin."""
        made = self._elsewhere.as_user(scene.author).remember(**_statement(scene)).item
        assert made is not None
        space = Space.of(scene.space)
        id = memory_id(space, made.readers, made.author, made.kind, 1)
        item = replace(made, id=id, number=1, space=space, learned_in=scene.learned_in)
        engine = self._memory._engine
        event = engine.recorder(item.author, self._clock.now()).change_event("remember", item, Reason.ALLOWED)
        engine.apply([engine.insert(item)], [event])
        return item


def _statement(scene: Scene) -> dict[str, Any]:
    return {
        "text": scene.text,
        "type": "knowledge",
        "sensitivity": scene.cell.sensitivity,
        "subjects": list(scene.subjects),
        "portable": scene.portable,
    }


def _is_as_meant(item: Item, scene: Scene) -> bool:
    """Whether what is kept is what the cell speaks of: otherwise the cell would say nothing."""
    kept = (item.sensitivity, item.subjects, item.stated_by, item.learned_in, item.portable, item.space.to_dict())
    return item.author.id == scene.author and kept == (
        scene.cell.sensitivity, scene.subjects, f"@{scene.author}", scene.learned_in, scene.portable, scene.space,
    )  # fmt: skip
