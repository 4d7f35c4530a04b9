"""Leases: work that one process at a time does."""

from __future__ import annotations

import time

from memfort.store.port import Store
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import listed, texts
from memfort.testing.conformance.samples import HOME, memory, put, sight_on
from memfort.testing.conformance.threads import run_concurrently

_LONG, _SHORT = 60.0, 0.2


class Leases(Claims):
    """Who holds a lease, and until when."""

    def test_one_holder_at_a_time_has_a_lease_and_can_renew_it(self, store: Store) -> None:
        assert store.take_lease("gc", "one", _LONG)
        assert not store.take_lease("gc", "two", _LONG)
        assert store.take_lease("gc", "one", _LONG)
        assert store.take_lease("judge", "two", _LONG)

    def test_a_lease_that_is_given_back_is_free_and_only_its_holder_gives_it_back(self, store: Store) -> None:
        assert store.take_lease("gc", "one", _LONG)
        store.give_back_lease("gc", "two")
        assert not store.take_lease("gc", "two", _LONG)
        store.give_back_lease("gc", "one")
        assert store.take_lease("gc", "two", _LONG)

    def test_a_lease_that_nobody_renews_ends(self, store: Store) -> None:
        assert store.take_lease("gc", "one", _SHORT)
        assert not store.take_lease("gc", "two", _LONG)
        time.sleep(2 * _SHORT)
        assert store.take_lease("gc", "two", _LONG)
        assert not store.take_lease("gc", "one", _LONG)

    def test_leases_are_counted_by_the_beginning_of_their_names(self, store: Store) -> None:
        assert store.count_leases("server ") == 0
        for holder in ("one", "two"):
            assert store.take_lease(f"server {holder}", holder, _LONG)
        assert store.take_lease("server three", "three", _SHORT)
        assert store.take_lease("gc", "one", _LONG)
        assert store.count_leases("server ") == 3
        time.sleep(2 * _SHORT)
        assert store.count_leases("server ") == 2
        store.give_back_lease("server one", "one")
        assert store.count_leases("server ") == 1

    def test_of_many_who_ask_at_once_one_gets_it(self, store: Store) -> None:
        got: list[bool] = []
        run_concurrently([lambda who=str(who): got.append(store.take_lease("gc", who, _LONG)) for who in range(6)])  # type: ignore[misc]
        assert sorted(got) == [False] * 5 + [True]

    def test_a_lease_changes_nothing_that_is_read(self, store: Store) -> None:
        put(store, memory())
        before = list(store.chains())
        assert before
        assert store.take_lease("gc", "one", _LONG)
        assert list(store.chains()) == before
        assert texts(listed(store, sight_on(HOME))) == ["tea"]
