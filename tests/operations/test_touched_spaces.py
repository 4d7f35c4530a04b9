"""A write names the spaces that it touches before it begins, and reaches no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from memfort import Memory
from memfort.engine.transaction import Session
from memfort.errors import StoreBusy
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.policy.settings.document import preset, read_policy
from memfort.store.memory import MemoryStore
from memfort.store.port import WHOLE_STORE, OutsideScope, Sign, WriteConflict
from memfort.testing import REFERENCE_KEYS
from memfort.testing.messages import messages_of

HOME, BOBS, PROJECT = (Space.of(one) for one in ({"user": "alice"}, {"user": "bob"}, {"project": "apollo"}))
SESSION = Space.of({"user": "alice", "session": "s1"})


class WatchedStore(MemoryStore):
    """A store that notes which spaces each write names, and whether it was enough."""

    def __init__(self) -> None:
        super().__init__()
        self.scopes: list[set[Space] | None] = []
        self.missed: list[OutsideScope] = []

    def writing(self, scope=WHOLE_STORE):
        return self._watched(scope)

    @contextmanager
    def _watched(self, scope) -> Iterator[None]:
        is_outer = self._thread.draft is None
        if is_outer:
            self.scopes.append(None if scope.whole else set(scope.spaces.values()))
        try:
            with super().writing(scope):
                yield
        except OutsideScope as outside:
            if is_outer:
                self.missed.append(outside)
            raise


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore()


@pytest.fixture
def memory(store: WatchedStore, clock) -> Iterator[Memory]:
    with Memory(store, clock=clock, audit_reads="off") as memory:
        yield memory


@pytest.fixture
def alice(memory: Memory):
    return memory.as_user("alice", project="apollo", session="s1")


@pytest.fixture
def touched(store: WatchedStore):
    """The spaces that a call names, in all its writes."""

    def of(call) -> set[Space] | None:
        store.scopes.clear()
        call()
        assert store.scopes, "it wrote nothing"
        return None if None in store.scopes else {space for named in store.scopes for space in named}

    return of


# -- each verb --------------------------------------------------------------------------------------------------------


def test_a_statement_touches_its_own_space(memory, alice, touched):
    assert touched(lambda: alice.remember("likes tea")) == {HOME}
    assert touched(lambda: alice.remember("we ship on Fridays", space={"project": "apollo"})) == {PROJECT}
    several = ["a", {"text": "b", "space": {"project": "apollo"}}, {"text": "", "space": {"no": "level"}}]
    assert touched(lambda: alice.remember_many(several)) == {HOME, PROJECT}


def test_an_agent_that_writes_as_itself_may_keep_it_for_all_or_for_itself(memory, touched):
    memory.agent.register("helper", owner="alice")
    helper = memory.as_agent("helper")
    spaces = {Space.of({"agent": "helper", "visibility": one}) for one in ("public", "private")}
    assert touched(lambda: helper.remember("The build takes ten minutes.")) <= spaces


def test_a_visibility_touches_its_space(memory, touched):
    memory.agent.register("helper", owner="alice")
    helper = memory.as_agent("helper", org="acme")
    public = Space.of({"agent": "helper", "visibility": "public", "org": "acme"})
    shared = Space.of({"user": "alice", "visibility": "shared"})
    assert touched(lambda: helper.remember("water is wet", visibility="public")) == {public}
    several = [{"text": "ice is cold", "visibility": "shared"}, {"text": "fire is hot", "visibility": "public"}]
    assert touched(lambda: helper.remember_many(several)) == {public, shared}
    assert touched(lambda: helper.observe("I like tea.", visibility="shared")) == {shared}
    rows = json.dumps([{"content": "iron rusts", "metadata": {}}]).encode()
    home = Space.of({"agent": "helper", "visibility": "private"})
    assert touched(lambda: helper.import_(rows, visibility="shared")) == {home, shared}


def test_in_a_chat_a_statement_may_be_the_chats(memory, touched, store):
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    alice = memory.as_user("alice", chat="team")
    assert touched(lambda: alice.remember("our standup is at 9")) == {HOME, Space.of({"chat": "team"})}
    assert store.missed == []


def test_where_one_stands_is_touched(store, clock, touched):
    with Memory(store, clock=clock, policy=preset("deterministic"), audit_reads="off") as memory:
        alice = memory.as_user("alice", session="s1", project="apollo")
        assert touched(lambda: alice.remember("the tremor is weak")) == {SESSION}
        assert touched(lambda: alice.phase.start("a new task")) == {SESSION}


def test_a_change_touches_the_space_of_its_memory(alice, touched):
    note, plan = alice.remember("likes tea"), alice.remember("we ship on Fridays", space={"project": "apollo"})
    assert touched(lambda: alice.used(note.id)) == {HOME}
    assert touched(lambda: alice.used(note.id, plan.id)) == {HOME, PROJECT}
    assert touched(lambda: alice.correct(note.id, "likes coffee")) == {HOME}
    assert touched(lambda: alice.restore(note.id)) == {HOME}
    assert touched(lambda: alice.forget(plan.id)) == {PROJECT}


def test_a_review_touches_the_space_of_the_pending_memory(alice, touched):
    waiting = [alice.remember(f"perhaps {n}", confidence=0.1).id for n in range(3)]
    assert touched(lambda: alice.review.approve(waiting[0])) == {HOME}
    assert touched(lambda: alice.review.reject(waiting[1])) == {HOME}
    assert touched(lambda: alice.review.edit(waiting[2], "certainly")) == {HOME}


def test_a_promotion_touches_both_spaces(alice, touched):
    note = alice.remember("we ship on Fridays", space={"session": "s1"})
    assert touched(lambda: alice.promote(note.id, {"user": "alice"})) == {HOME, SESSION}


def test_observing_touches_the_conversation_and_where_its_words_ask_to_go(alice, touched):
    assert touched(lambda: alice.observe(messages_of("I like tea.", "Noted."))) == {SESSION, HOME}
    hint = "Remember this for the project: we decided to ship on Fridays"
    assert touched(lambda: alice.observe(hint)) == {SESSION, HOME, PROJECT}
    assert touched(lambda: alice.observe("I like milk.", space={"session": "s1"})) == {SESSION}


def test_forgetting_touches_the_spaces_of_derived_memories(alice, touched):
    note = alice.remember("likes tea")
    alice.remember("tea is liked", derived_from=[note.id])
    assert touched(lambda: alice.forget(note.id)) == {HOME}
    alice.remember("I like ink", space={"session": "s1"})
    assert touched(lambda: alice.people.forget("me")) == {SESSION}


def test_an_import_touches_the_spaces_of_its_records(memory, alice, touched):
    other = memory.as_user("bob", session="s1")
    other.remember("likes ink", space={"session": "s1"})
    data = "\n".join(json.dumps(line) for line in other.export()).encode()
    bobs = {BOBS, Space.of({"user": "bob", "session": "s1"})}
    assert touched(lambda: other.import_(data, dry_run=True)) == bobs


def test_people_touch_the_space_in_which_they_are_known(alice, touched):
    assert touched(lambda: alice.people.add("Tom", listed=True)) == set()
    assert touched(lambda: alice.people.add("Sarah", space={"user": "alice"})) == {HOME}
    (sarah,) = alice.people.find("Sarah")
    assert touched(lambda: alice.people.alias(sarah.id, "Sal")) == {HOME}
    assert touched(lambda: alice.people.relate("me", "wife", sarah.id)) == {HOME}
    assert touched(lambda: alice.people.drop(sarah.id)) == {HOME}


def test_the_directory_touches_no_space_and_a_share_the_one_that_is_shared(memory, alice, touched):
    assert touched(lambda: memory.chat.register("lunch", kind="group", participants=["alice"])) == set()
    assert touched(lambda: memory.member.add({"project": "apollo"}, user="bob")) == set()
    assert touched(lambda: alice.share(user="bob")) == {HOME}
    assert touched(lambda: alice.revoke(alice.shares()[0].id)) == {HOME}
    assert touched(lambda: alice.phase.start("a new job")) == {HOME}


def test_signing_the_trail_touches_the_whole_store(memory, alice, touched):
    alice.remember("likes tea")
    assert touched(memory.trail.checkpoint) is None


def test_a_budget_for_an_owner_touches_every_space_of_the_author(store, clock, touched):
    policy = read_policy('extends = "default"\n[budget]\nowner = 2\n', "test")
    with Memory(store, clock=clock, policy=policy, audit_reads="off") as memory:
        alice = memory.as_user("alice", project="apollo")
        alice.remember("one")
        alice.remember("two", space={"project": "apollo"})
        assert touched(lambda: alice.remember("three")) == {HOME, PROJECT}
        assert store.missed == []


def test_the_named_spaces_sufficed(memory, alice, store):
    """The positive control of `missed` is the next test."""
    first = alice.remember("likes tea")
    alice.remember_many(["likes tea", "has a dog", {"text": "we ship", "space": {"project": "apollo"}}])
    alice.correct(first.id, "likes coffee")
    alice.promote(alice.remember("in the session", space={"session": "s1"}).id, {"user": "alice"})
    alice.observe(messages_of("My name is Alice. I live in Oslo.", "Nice."))
    alice.people.add("Sarah", relation="wife", space={"user": "alice"})
    alice.forget(first.id)
    alice.erase(scope={"user": "alice"})
    assert store.missed == []


# -- reaching further -------------------------------------------------------------------------------------------------


def test_work_that_reaches_further_than_it_said_is_undone_and_done_again(memory, alice, store):
    engine = memory._engine
    note, plan = alice.remember("likes tea").item, alice.remember("we ship", space={"project": "apollo"}).item
    session, attempts = Session(engine, alice._standpoint, engine.call(alice.actor, "test")), []

    def work(tx):
        attempts.append(tx)
        tx.retire(note, "forget", Reason.FORGOTTEN)
        return tx.retire(plan, "forget", Reason.FORGOTTEN)

    with session.call:
        assert session.write([HOME], work).id == plan.id
    assert [len(attempts), len(store.missed)] == [2, 1]
    assert store.scopes[-2:] == [{HOME}, {HOME, PROJECT}]
    assert list(alice.list()) == []
    events = [line["event"] for line in memory.as_system().trail.export() if line["event"]["action"] == "forget"]
    assert [event["detail"]["step"] for event in events] == [1, 2]  # the first attempt has left no gap
    assert memory.trail.verify().ok


def test_no_space_that_could_be_named_makes_a_change_of_the_whole_store_possible(memory, alice):
    engine = memory._engine
    session = Session(engine, alice._standpoint, engine.call(alice.actor, "test"))
    with pytest.raises(OutsideScope, match="whole store"):
        session.write([HOME], lambda tx: tx.apply([Sign(tx.now)], []))
    session.write(WHOLE_STORE, lambda tx: tx.apply([Sign(tx.now)], []))


def test_the_progress_callback_may_write_in_another_space(memory, alice, store):
    """What is written there is a part of the batch, which is begun again once it is known to reach that far."""

    def tell(done, total):
        if done == 1:
            alice.remember("we ship", space={"project": "apollo"})

    outcomes = alice.remember_many(["likes tea", "has a dog"], progress=tell)
    assert [outcome.kept for outcome in outcomes] == [True, True]
    assert sorted(item.text for item in alice.list()) == ["has a dog", "likes tea", "we ship"]
    assert memory.trail.verify().ok


# -- starting again ---------------------------------------------------------------------------------------------------


class GivingUp(MemoryStore):
    """A store that gives up so many writes just before their commit, in favour of others."""

    conflicts = 0

    def writing(self, scope=None):
        return self._giving_up(scope)

    @contextmanager
    def _giving_up(self, scope) -> Iterator[None]:
        is_outer = self._thread.draft is None
        with super().writing(scope):
            yield
            if is_outer and self.conflicts:
                self.conflicts -= 1
                raise WriteConflict("another write got in between; try again")


def told_to(memory, store, conflicts: int) -> list[object]:
    """What a writer is told, with so many conflicts in each write, and what is on record."""
    alice, told = memory.as_user("alice"), []

    def disturbed(call):
        store.conflicts = conflicts
        told.append(call())
        store.conflicts = 0

    disturbed(lambda: alice.remember("likes tea"))
    alice.recall("tea")
    disturbed(lambda: alice.remember_many(["has a dog", "plays chess", "has a dog"]))
    disturbed(lambda: alice.observe(messages_of("My name is Alice. I live in Oslo.", "Nice.")))
    disturbed(lambda: alice.forget(told[0].id))
    disturbed(lambda: memory.agent.register("helper", owner="alice"))
    assert memory.trail.verify().ok
    return [*told, list(alice.list()), [line["event"] for line in memory.as_system().trail.export()]]


def test_a_write_that_the_store_gives_up_is_started_again_and_leaves_no_trace_of_it(clock):
    told = []
    for conflicts in (0, 3):
        store = GivingUp(REFERENCE_KEYS)
        with Memory(store, clock=clock) as memory:
            told.append(told_to(memory, store, conflicts))
    assert told[0] == told[1]
    assert any(event["action"] == "recall" for event in told[1][-1])


def test_a_write_that_is_given_up_again_and_again_says_so_and_keeps_nothing(clock):
    store = GivingUp()
    with Memory(store, clock=clock) as memory:
        alice = memory.as_user("alice")
        alice.recall("tea")
        store.conflicts = 1_000
        with pytest.raises(StoreBusy, match="got in between"):
            alice.remember("likes tea")
        assert 0 < 1_000 - store.conflicts < 20
        store.conflicts = 0
        assert list(alice.list()) == []
        alice.remember("likes tea")
        events = [line["event"]["action"] for line in alice.trail.export()]
        assert events.count("recall") == 1  # what waited to be written down was not lost
        assert events.count("remember") == 1
