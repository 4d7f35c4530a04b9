"""The directory: agents, chats, groups, shares, API keys, policies and people. It holds no memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from memfort.model.item import Readers
from memfort.model.people.access_key import KeptKey
from memfort.model.people.actor import Standpoint
from memfort.model.people.directory import Agent, Chat, Entry, Facts, Principal, Share, Trust
from memfort.model.people.person import Person, Relation
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Space
from memfort.store.port.values.records import Reply


class Directory(Protocol):
    """Who there is, and who may stand where."""

    def facts(self, standpoint: Standpoint) -> Facts: ...
    def agent(self, id: str) -> Agent | None: ...
    def agents_of(self, owner: str, limit: int) -> list[str]:
        """The ids of a user's agents, in their order, as many as are asked for."""

    def chat(self, id: str) -> Chat | None: ...
    def members(self, coordinate: Coordinate) -> list[Principal]: ...
    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None: ...
    def shares_of(self, spaces: Sequence[Space]) -> list[Share]: ...
    def access_key(self, id: str) -> KeptKey | None:
        """An API key by its id, revoked and expired ones too."""

    def access_keys(self) -> list[KeptKey]:
        """All API keys, in the order of their ids."""

    def reply(self, key: bytes) -> Reply | None:
        """The answer that was kept for a request, without its names."""

    def policy(self, digest: str | None = None) -> str | None:
        """The document of the policy in use, or of the policy with this digest if it ever was in use."""

    def directory(self) -> Iterator[tuple[Entry, Any]]:
        """Every line of the directory, read in pages, to compare it with the trail. The value of a line that
        contradicts itself is `None`."""

    # People: those whose home is in sight, and those that are listed, whom every sight with a space in it sees.

    def people(self, sight: Sight, ids: Sequence[str]) -> list[Person]:
        """Persons by id, in the order of their ids. A user has a record only if something was said about them."""

    def knows_people(self, sight: Sight) -> bool:
        """Whether there may be anybody whom `people_named` could find."""

    def people_named(self, sight: Sight, *names: str) -> list[Person]:
        """Persons with one of these normal names, or with a name of several words that begins with it."""

    def all_people(self, sight: Sight, after: str | None, limit: int) -> list[Person]:
        """Persons in the order of their ids, past `after`."""

    def relations(self, sight: Sight, persons: Sequence[str]) -> list[Relation]:
        """What these persons are to others, and others to them, in the order of their ids."""

    def all_relations(self, sight: Sight) -> Iterator[Relation]:
        """Every relation that the sight may know of, in the order of their ids, read in pages."""

    def next_person_number(self, sight: Sight, home: Space | None, readers: Readers, creator: bytes) -> int:
        """The next free number in the creator's own sequence of persons and relations there, for these readers."""
