"""mem0's own clients, unchanged, ask a server of Memfort: the story, and what they may not."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.conftest import Served
from tests.server import processes

from memfort import Memory

os.environ["MEM0_TELEMETRY"] = "False"
from mem0 import AsyncMemoryClient, MemoryClient  # after telemetry is off
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

SECRET = "hunter2-Xk9Q"


class Awaited:
    """The client for async code, called as the other is."""

    def __init__(self, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = AsyncMemoryClient(**options)

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self._loop.run_until_complete(getattr(self._client, name)(*args, **kwargs))


@pytest.mark.parametrize("make", [MemoryClient, Awaited])
def test_the_story(mem0: Served, make: Any) -> None:
    alice, bob = (make(api_key=key, host=mem0.address) for key in (mem0.alices, mem0.bobs))
    (kept,) = alice.add("My favourite tea is Darjeeling", user_id="alice")["results"]
    assert (kept["memory"], kept["event"]) == ("My favourite tea is Darjeeling", "ADD")
    bob.add([{"role": "user", "content": "My favourite tea is Assam"}], user_id="bob")
    assert texts(alice.search("favourite tea", filters={"user_id": "alice"})) == ["My favourite tea is Darjeeling"]

    leaked = bob.search("alice favourite tea, is it Darjeeling?", filters={"user_id": "bob"})
    assert texts(leaked) == ["My favourite tea is Assam"]
    with pytest.raises(MemoryNotFoundError):
        bob.get(kept["id"])
    for spoofed in (
        lambda: bob.search("favourite tea", filters={"user_id": "alice"}),
        lambda: bob.get_all(filters={"AND": [{"user_id": "alice"}]}),
        lambda: bob.add("I am alice", user_id="alice"),
        lambda: bob.delete_all(user_id="alice"),
        lambda: bob.delete_users(user_id="alice"),
    ):
        with pytest.raises(AuthenticationError, match="another user"):
            spoofed()

    assert alice.update(kept["id"], text="My favourite tea is Sencha")["memory"] == "My favourite tea is Sencha"
    assert alice.get(kept["id"])["memory"] == "My favourite tea is Sencha"  # by the id that the client knows
    assert [one["event"] for one in alice.history(kept["id"])] == ["ADD", "UPDATE"]
    assert texts(alice.search("favourite tea", filters={"user_id": "alice"})) == ["My favourite tea is Sencha"]

    for infer in (True, False):
        with pytest.raises(ValidationError, match="never stored") as refused:
            alice.add(f"my password is {SECRET}", user_id="alice", infer=infer)
        assert SECRET not in str(refused.value)
    assert SECRET.encode() not in mem0.store.read_bytes()

    hostile = "I collect tags such as </memories></memory> and postcards"
    alice.add(hostile, user_id="alice", infer=False)
    assert texts(alice.search("tags and postcards", filters={"user_id": "alice"}))[0] == hostile

    alice.delete(kept["id"])
    assert "Sencha" not in str(alice.search("favourite tea", filters={"user_id": "alice"}))
    with pytest.raises(MemoryNotFoundError):
        alice.get(kept["id"])
    alice.delete_all(user_id="alice")
    assert alice.get_all(filters={"user_id": "alice"})["results"] == []
    with Memory.open(mem0.store) as memory:
        assert memory.as_user("alice").list().items == ()
    assert texts(bob.get_all(filters={"user_id": "bob"})) == ["My favourite tea is Assam"]


def test_labels_narrow_what_is_ones_own(mem0: Served) -> None:
    alice, bob = (MemoryClient(api_key=key, host=mem0.address) for key in (mem0.alices, mem0.bobs))
    alice.add("My dog is called Rex", user_id="alice", run_id="walk", metadata={"seen": 1})
    alice.add("My cat is called Tom", user_id="alice", run_id="home")
    bob.add("My dog is called Fido", user_id="bob", run_id="walk")
    walk = {"AND": [{"user_id": "alice"}, {"run_id": "walk"}]}
    (found,) = alice.search("what is my pet called", filters=walk)["results"]
    assert (found["memory"], found["run_id"], found["metadata"]) == ("My dog is called Rex", "walk", {"seen": 1})
    assert texts(bob.get_all(filters={"run_id": "walk"})) == ["My dog is called Fido"]
    page = alice.get_all(filters={"user_id": "alice"}, page=1, page_size=1)
    rest = alice.get_all(filters={"user_id": "alice"}, page=2, page_size=1)
    assert (page["count"], bool(page["next"]), bool(rest["next"])) == (2, True, False)
    assert {*texts(page), *texts(rest)} == {"My dog is called Rex", "My cat is called Tom"}
    alice.delete_all(user_id="alice", run_id="walk")
    assert texts(alice.get_all(filters={"user_id": "alice"})) == ["My cat is called Tom"]
    assert texts(bob.get_all(filters={"user_id": "bob"})) == ["My dog is called Fido"]


def test_batches_and_entities(mem0: Served) -> None:
    alice, bob = (MemoryClient(api_key=key, host=mem0.address) for key in (mem0.alices, mem0.bobs))
    bobs = bob.add("My favourite tea is Assam", user_id="bob", infer=False)["results"][0]["id"]
    ids = [
        alice.add(text, user_id="alice", infer=False)["results"][0]["id"]
        for text in ("The boat is called Marigold", "The lift is broken")
    ]
    alice.batch_update([{"memory_id": ids[0], "text": "The boat is called Heather"}])
    assert alice.get(ids[0])["memory"] == "The boat is called Heather"
    with pytest.raises(MemoryNotFoundError):
        alice.batch_delete([{"memory_id": bobs}])
    alice.batch_delete([{"memory_id": ids[1]}])
    assert texts(alice.get_all(filters={"user_id": "alice"})) == ["The boat is called Heather"]
    assert [one["name"] for one in alice.users()["results"]] == ["alice"]
    alice.reset()
    assert texts(alice.get_all(filters={"user_id": "alice"})) == []
    assert texts(bob.get_all(filters={"user_id": "bob"})) == ["My favourite tea is Assam"]


@pytest.mark.parametrize(
    "filters", [{"user_id": "*"}, {"OR": [{"user_id": "alice"}]}, {"user_id": {"in": ["bob"]}}, {"AND": "x"}]
)
def test_filters_that_could_mean_more_are_refused(mem0: Served, filters: dict[str, Any]) -> None:
    alice = MemoryClient(api_key=mem0.alices, host=mem0.address)
    with pytest.raises(ValidationError):
        alice.search("tea", filters=filters)
    with pytest.raises(ValidationError, match="nothing is named"):
        alice.delete_all()


def test_a_key_that_acts_for_others_may_name_them(mem0: Served) -> None:
    with Memory.open(mem0.store) as memory:
        memory.agent.register("assistant", owner="carol")
        token = memory.keys.create(agent="assistant", scopes=["read", "write", "act_for"]).token
    service = MemoryClient(api_key=token, host=mem0.address)
    service.add("My favourite tea is Darjeeling", user_id="alice")
    assert texts(service.search("favourite tea", filters={"user_id": "alice"})) == ["My favourite tea is Darjeeling"]
    assert texts(service.search("favourite tea", filters={"user_id": "bob"})) == []
    assert texts(MemoryClient(api_key=mem0.alices, host=mem0.address).get_all()) == ["My favourite tea is Darjeeling"]
    with pytest.raises(AuthenticationError, match="no user's"):
        service.search("favourite tea", filters={"run_id": "x"})


def test_a_request_has_a_largest_number_of_messages(mem0: Served) -> None:
    alice = MemoryClient(api_key=mem0.alices, host=mem0.address)
    said = [{"role": "user", "content": f"The meter in room {number} reads {number}"} for number in range(2000)]
    with pytest.raises(ValidationError, match="messages"):
        alice.add(said, user_id="alice", infer=False)
    assert alice.get_all()["results"] == []


def test_a_wrong_key_is_a_sentence(mem0: Served) -> None:
    with pytest.raises(ValueError, match="not valid"):
        MemoryClient(api_key="no-key", host=mem0.address)


def test_without_the_setting_there_are_no_such_routes(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store):
        pass
    key = processes.key_of(store)
    with processes.served(store) as (_, port, _log):
        asked = processes.ask(port, "GET", "/v1/ping/", authorization=f"Token {key}")
        assert asked[0] == 404


def texts(found: Any) -> list[str]:
    return [one["memory"] for one in found["results"]]
