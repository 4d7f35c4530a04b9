"""Answers as large as the store come one by one, complete and in order."""

from __future__ import annotations

from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import Agent, Chat, ChatKind, Principal
from memfort.model.results import Source
from memfort.model.space import Coordinate, Level, Space
from memfort.store.port import Change, PutAgent, PutChat, PutMember, PutSource, Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.samples import NOW, event_of, memory, put
from memfort.testing.conformance.threads import in_another_thread
from memfort.trail.event import chain_of_space

MANY = 2100  # more than two pages of any store


def _spaces(count: int, level: str = "project") -> list[Space]:
    return [Space.of({level: f"place {number}"}) for number in range(count)]


def _sources(spaces: list[Space]) -> list[Change]:
    return [PutSource(Source("src_1", space, "paper", None, "00", NOW, {})) for space in spaces]


class Paging(Claims):
    """A store returns every record once, whatever else is written meanwhile."""

    def test_every_space_comes_once_in_the_order_of_ids(self, store: Store) -> None:
        spaces = _spaces(MANY)
        own = [Space.of({"user": "alice", "session": f"{number}"}) for number in range(MANY)]
        store.apply(_sources([*spaces, *own]), [])
        assert list(store.spaces()) == sorted([*spaces, *own], key=lambda space: space.id)
        assert list(store.spaces("alice")) == sorted(own, key=lambda space: space.id)
        assert next(iter(store.spaces("bob")), None) is None

    def test_every_chain_comes_once_by_kind_and_key(self, store: Store) -> None:
        spaces = _spaces(MANY)
        store.apply([], [event_of(memory(space)) for space in spaces])
        chains = list(store.chains())
        assert [(chain, length) for chain, length, _ in chains] == [
            (chain_of_space(space), 1) for space in sorted(spaces, key=lambda space: space.id)
        ]

    def test_every_line_of_the_directory_comes_once(self, store: Store) -> None:
        group, people = Coordinate(Level.ORG, "acme"), [f"user {number}" for number in range(MANY)]
        changes: list[Change] = [PutMember(group, Principal(ActorKind.USER, name)) for name in people]
        changes += [PutAgent(Agent(f"agent {number}", "alice")) for number in range(MANY)]
        changes += [PutChat(Chat(f"chat {number}", ChatKind.GROUP, frozenset())) for number in range(MANY)]
        store.apply(changes, [])
        lines = list(store.directory())
        assert len(lines) == len(dict(lines)) == 4 * MANY + 1  # a chat is a group, too
        known = dict(lines)
        assert all(known["member", "org", "acme", "user", name] == "contributor" for name in people)
        assert all(known["agent", f"agent {number}"] == "alice" for number in range(MANY))
        assert all(known["chat", f"chat {number}"] == "group" for number in range(MANY))

    def test_spaces_can_be_written_to_while_iterating(self, store: Store) -> None:
        spaces = _spaces(MANY)
        store.apply(_sources(spaces), [])
        for number, space in enumerate(store.spaces()):
            if number % 500 == 0:
                put(store, memory(space, author=Actor(ActorKind.USER, "alice")))
        assert sum(1 for _ in store.chains()) == len(range(0, MANY, 500))

    def test_a_read_view_shows_no_new_writes(self, store: Store) -> None:
        spaces = _spaces(MANY)
        store.apply(_sources(spaces), [event_of(memory(space)) for space in spaces])
        with store.reading():
            found, chains = store.spaces(), store.chains()
            first = (next(found), next(chains))
            later = _spaces(50, "role")
            in_another_thread(lambda: store.apply(_sources(later), [event_of(memory(space)) for space in later]))
            assert (1 + len(list(found)), 1 + len(list(chains))) == (MANY, MANY)
        assert first[0] == min(spaces, key=lambda space: space.id)
        assert (len(list(store.spaces())), len(list(store.chains()))) == (MANY + 50, MANY + 50)
