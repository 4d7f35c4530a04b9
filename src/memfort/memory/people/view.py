"""`People`: the directory of people, bound to one standpoint. It translates and delegates; the work is next door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager

from memfort.memory.engine import Engine
from memfort.memory.input import id_of, limit_of
from memfort.memory.people import directory, meaning, merging
from memfort.model.actor import Standpoint
from memfort.model.person import Person, Relation

Coordinates = Mapping[str, str]

# `list` is a verb in the class below, so lists have their names up here.
Persons = list[Person]
Relations = list[Relation]


class People:
    """People, from one standpoint. Made by `BoundMemory.people`.

    A person is named by an id: `@bob` is the person of the user `bob`, `per_…` one that was made, and `me` is the actor
    itself.
    """

    def __init__(
        self, engine: Engine, standpoint: Standpoint, call: Callable[..., AbstractContextManager[str]]
    ) -> None:
        self._engine = engine
        self._standpoint = standpoint
        self._call = call

    def __repr__(self) -> str:
        return f"<people of {self._standpoint}>"

    # -- look --------------------------------------------------------------------------------------------------------

    def find(self, reference: str) -> Persons:
        """Everybody that a name, an alias, `my wife`, `@bob` or an id could mean, one's own connections first."""
        return meaning.find(self._engine, self._standpoint, reference)

    def get(self, id: str) -> Person | None:
        """The person that an id stands for now."""
        return directory.get(self._engine, self._standpoint, id)

    def list(self, *, limit: int = 100, after: str | None = None) -> Persons:
        """Everybody in sight who was entered or mentioned, by id; `after` is the last id of the page before."""
        last = None if after is None else id_of(after, "after")
        return directory.people(self._engine, self._standpoint, limit_of(limit), last)

    def relations(self, id: str) -> Relations:
        """What a person is to others, and others to them."""
        return directory.relations(self._engine, self._standpoint, id)

    # -- change ------------------------------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        aliases: Iterable[str] = (),
        *,
        relation: str | None = None,
        user: str | None = None,
        space: Coordinates | None = None,
    ) -> Person:
        """Enter a person in the directory, for all to see; or with `space`, where only those know them who see it."""
        with self._call("add_person", name):
            return directory.add(
                self._engine, self._standpoint, name, aliases, user=user, space=space, relation=relation
            )

    def update(self, id: str, *, name: str | None = None, aliases: Iterable[str] | None = None) -> Person:
        """Say how a person is called: for who entered them, and for themselves."""
        with self._call("update_person", id):
            return directory.update(self._engine, self._standpoint, id, name, aliases)

    def alias(self, id: str, *aliases: str) -> Person:
        """Give a person more names."""
        with self._call("update_person", id):
            return directory.alias(self._engine, self._standpoint, id, *aliases)

    def merge(self, keep: str, gone: str) -> Person:
        """Say that two persons are one. What this actor said about the one was then said about the other."""
        with self._call("merge_people", keep, gone):
            return merging.merge(self._engine, self._standpoint, keep, gone)

    def link(self, id: str, *, user: str) -> Person:
        """Say which user a person is."""
        with self._call("merge_people", id, user):
            return merging.link(self._engine, self._standpoint, id, user)

    def relate(self, person: str, term: str, other: str, *, space: Coordinates | None = None) -> Relation:
        """Say what somebody is to a person: `relate("me", "wife", sarah.id)`."""
        with self._call("relate", person, other):
            return directory.relate(self._engine, self._standpoint, person, term, other, space)

    def unrelate(self, person: str, term: str, other: str) -> Relations:
        """Take back what somebody is to a person."""
        with self._call("unrelate", person, other):
            return directory.unrelate(self._engine, self._standpoint, person, term, other)

    def drop(self, id: str) -> None:
        """Take a person out for good, with every name."""
        with self._call("drop_person", id):
            directory.drop(self._engine, self._standpoint, id)
