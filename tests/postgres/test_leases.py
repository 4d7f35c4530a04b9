"""Several processes on one database: upkeep is done by one of them, and rates are divided among them."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from tests.postgres.conftest import Databases

from memfort import FixedClock, Memory
from memfort.engine.lease import Lease
from memfort.surfaces.http.allotment import Allotment
from memfort.surfaces.http.limits import RateLimit

START = 1_767_603_600_000_000
_HOLDS = """
import sys, time
from memfort.engine.lease import Lease
from memfort.store.opening import open_store
lease = Lease(open_store(sys.argv[1]), "gc", 2.0)
print(lease.is_held(), flush=True)
time.sleep(60)
"""


def test_a_process_that_is_killed_holds_a_lease_until_it_ends_and_another_goes_on(databases: Databases) -> None:
    url = databases.new_url()
    with Memory.open(url) as memory:
        lease = Lease(memory.store_in_use, "gc", 2.0)
        with subprocess.Popen([sys.executable, "-c", _HOLDS, url], stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "True\n"
            assert not lease.is_held()
            other.kill()
        assert not lease.is_held()
        until = time.monotonic() + 30
        while not lease.is_held():
            assert time.monotonic() < until
            time.sleep(0.1)


def test_one_of_two_processes_collects_and_the_other_does_when_it_has_stopped(databases: Databases) -> None:
    url, clock = databases.new_url(), FixedClock(START)
    with Memory.open(url, clock=clock, gc_every=0.05) as second:
        held = Lease(second.store_in_use, "gc")
        wait_until(lambda: second.store_in_use.count_leases("gc") == 1)
        assert not held.is_held()  # the periodic collection of this process has it
        second.as_user("alice").remember("the code word is zebra", ttl_seconds=1)
        clock.advance(5)
        wait_until(lambda: not overdue(second, clock))
    assert held_after(url)


def held_after(url: str) -> bool:
    """Whether whoever comes next gets the lease at once: it was given back."""
    with Memory.open(url) as memory:
        return Lease(memory.store_in_use, "gc").is_held()


def overdue(memory: Memory, clock: FixedClock) -> bool:
    from memfort.policy.sight import maintenance_sight

    store = memory.store_in_use
    return any(store.overdue(maintenance_sight([space]), clock.now(), 1) for space in store.spaces())


def wait_until(is_so: object) -> None:
    until = time.monotonic() + 30
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("workers", [1, 2])
def test_servers_of_one_store_allow_its_rate_together(workers: int, databases: Databases) -> None:
    url = databases.new_url()
    with Memory.open(url) as here, Memory.open(url) as there:
        moment = [0.0]
        limits = [RateLimit(120 // workers, lambda: moment[0]) for _ in range(4)]
        stores = [here.store_in_use, here.store_in_use, there.store_in_use, there.store_in_use]
        shares = [Allotment(store, workers, (rate,)) for store, rate in zip(stores, limits, strict=True)]
        assert allowed(limits[:1], moment) == 120 // workers
        for _ in range(2):  # the first ones learn of the others when they renew
            for share in shares:
                share.renew()
        assert 116 <= allowed(limits, moment) <= 124
        for share in shares[1:]:
            share.close()
        shares[0].renew()
        assert allowed(limits[:1], moment) == 120 // workers
        shares[0].close()
        assert here.store_in_use.count_leases("server ") == 0


def allowed(limits: list[RateLimit], moment: list[float]) -> int:
    """How many requests of a caller are allowed in a minute, who asks all servers all the time."""
    moment[0] += 3600
    for rate in limits:
        while not rate.take("alice"):  # what may come at once
            pass
    count = 0
    for _ in range(6000):
        moment[0] += 0.01
        count += sum(not rate.take("alice") for rate in limits)
    return count
