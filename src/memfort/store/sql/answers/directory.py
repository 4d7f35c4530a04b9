"""The directory and people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memfort.errors import StoreBroken
from memfort.model.item import Readers
from memfort.model.people.access_key import KeptKey
from memfort.model.people.actor import Standpoint
from memfort.model.people.directory import Agent, Chat, Facts, Principal, Share, Trust
from memfort.model.people.person import Person, Relation
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Space
from memfort.store.port import Reply
from memfort.store.sql import directory, people, records
from memfort.store.sql.answers.base import SqlAnswers

_FACTS_KEPT = 4096


class DirectoryAnswers(SqlAnswers):
    """`memfort.store.port.Directory`."""

    _known_facts: tuple[int, dict[Standpoint, Facts]] = (-1, {})  # as of a version of the directory

    def facts(self, standpoint: Standpoint) -> Facts:
        if (write := self._write) is not None and (kept := write.facts) is not None:
            # What this write has changed may be taken back, and its version be used again.
            if (facts := kept.get(standpoint)) is None:
                facts = kept[standpoint] = directory.facts(self._without_counters, standpoint)
            return facts
        with self._translate_errors():
            version = directory.version(self._without_counters)
        of_version, known = self._known_facts
        if of_version == version and (facts := known.get(standpoint)) is not None:
            return facts
        with self.reading():
            version = directory.version(self._without_counters)
            # The version and what is known of it change hands together: a thread with an older view must never put
            # its facts where a thread with a newer one looks.
            of_version, known = self._known_facts
            if of_version != version or len(known) > _FACTS_KEPT:
                known = {}
                self._known_facts = (version, known)
            facts = known[standpoint] = directory.facts(self._without_counters, standpoint)
            return facts

    def agent(self, id: str) -> Agent | None:
        with self._translate_errors():
            return directory.agent(self._connection, id)

    def agents_of(self, owner: str, limit: int) -> list[str]:
        with self._translate_errors():
            return directory.agents_of(self._connection, owner, limit)

    def chat(self, id: str) -> Chat | None:
        with self.reading():
            return directory.chat(self._connection, id)

    def members(self, coordinate: Coordinate) -> list[Principal]:
        with self._translate_errors():
            return directory.members(self._connection, coordinate)

    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None:
        with self._translate_errors():
            return directory.trust(self._connection, coordinate, member)

    def access_key(self, id: str) -> KeptKey | None:
        with self._translate_errors():
            return directory.access_key(self._connection, self.keys, id)

    def access_keys(self) -> list[KeptKey]:
        with self._translate_errors():
            return directory.access_keys(self._connection, self.keys)

    def reply(self, key: bytes) -> Reply | None:
        with self._translate_errors():
            found = self._connection.rows("reply", key)
        return Reply(*found[0]) if found else None

    def policy(self, digest: str | None = None) -> str | None:
        with self._translate_errors():
            found = records.filter_sealed(self.keys, "policy", self._connection.rows("policy", digest))
            in_use = self._connection.scalar("get_meta", "policy")
            is_lost = in_use is None and self._connection.scalar("any_policy")
        if not found and digest is None and (in_use is not None or is_lost):  # no policy at all would be a weaker one
            remedy = "put one to use with `policy.use(policy)`, or name the one to open the store with"
            raise StoreBroken(f"the record of the policy in use is damaged; {remedy}")
        return found[0][1] if found else None

    def shares_of(self, spaces: Sequence[Space]) -> list[Share]:
        with self._translate_errors():
            return directory.shares_of(self._connection, spaces)

    def directory(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        with self.reading():
            return directory.lines(self._connection, self.keys)

    def people(self, sight: Sight, ids: Sequence[str]) -> list[Person]:
        with self._translate_errors():
            return people.by_id(self._without_counters, self.keys, sight, self._homes(sight), ids)

    def knows_people(self, sight: Sight) -> bool:
        return self._cache_until_written(
            sight, "people", lambda: bool(self._without_counters.scalar("any_person", self._homes(sight)))
        )

    def people_named(self, sight: Sight, *names: str) -> list[Person]:
        with self._translate_errors():
            return people.people_named(self._without_counters, self.keys, sight, self._homes(sight), names)

    def all_people(self, sight: Sight, after: str | None, limit: int) -> list[Person]:
        with self._translate_errors(), self.reading():
            return people.after(self._without_counters, self.keys, sight, self._homes(sight), after or "", limit)

    def relations(self, sight: Sight, persons: Sequence[str]) -> list[Relation]:
        wanted = (self._homes(sight), self._array(persons))
        with self._translate_errors():
            return people.relations(self._without_counters, self.keys, sight, *wanted)

    def all_relations(self, sight: Sight) -> Iterator[Relation]:
        with self._translate_errors():
            return people.all_relations(self._without_counters, self.keys, sight, self._homes(sight))

    def next_person_number(self, sight: Sight, home: Space | None, readers: Readers, creator: bytes) -> int:
        number = people.LISTED if home is None else self._space_in_sight(self._write, sight, home)
        if number is None or not sight.sees_directory:
            return 1
        return people.next_number(self._connection, number, readers, creator)

    def _homes(self, sight: Sight) -> Any:
        return self._array(people.homes(sight, self._spaces_by_number(sight)))
