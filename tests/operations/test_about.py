"""Whom a memory is about, and what hangs together with it."""

from __future__ import annotations

from operator import attrgetter

import pytest

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.model.decision import Verdict
from memfort.model.reason import Reason
from memfort.model.results import EdgeKind
from memfort.model.space import Space
from memfort.testing.conformance.samples import memory as made
from memfort.testing.conformance.samples import put


@pytest.fixture
def chats(memory):
    memory.chat.register("team", kind="group", participants=["alice", "bob", "carol"])
    memory.chat.register("bob-dm", kind="private", participants=["bob"])
    return memory


def test_the_seeds_story(chats):
    """Alice says in a group what Bob loves; it is disclosed to Bob in private."""
    said = chats.as_user("alice", chat="team").remember("@bob loves pizza")
    assert (said.item.subjects, said.item.stated_by, said.item.learned_in) == (("@bob",), "@alice", "team")
    bob = chats.as_user("bob", chat="bob-dm")
    (hit,) = bob.recall("pizza").hits
    assert (hit.text, hit.reason, hit.level) == ("@bob loves pizza", Reason.ABOUT_PERSON, "about_me")
    assert [item.id for item in bob.about("me")] == [hit.id]
    assert chats.as_user("carol").recall("pizza").texts == []


def test_a_disclosed_memory_shows_the_statement_without_its_metadata(chats):
    alice = chats.as_user("alice", chat="team")
    alice.remember("@bob loves pizza", tags=["gossip"], meta={"note": "tell nobody"}, provenance={"who": "carol"})
    bob = chats.as_user("bob", chat="bob-dm")
    item = bob.recall("pizza").hits[0].item
    assert (item.tags, dict(item.meta), dict(item.provenance)) == ((), {}, {})
    assert bob.recall("gossip").texts == []
    assert alice.recall("gossip").texts == ["@bob loves pizza"]


def test_memories_in_sight_are_not_also_disclosed(chats):
    chats.as_user("alice", chat="team").remember("@bob loves pizza", space={"chat": "team"})
    found = chats.as_user("bob", chat="team").recall("pizza").hits
    assert [hit.reason for hit in found] == [Reason.MATCHES_QUERY]


def test_such_a_read_is_on_record_with_its_channel(chats):
    alice = chats.as_user("alice", chat="team")
    said = alice.remember("@bob loves pizza")
    bob = chats.as_user("bob", chat="bob-dm")
    bob.recall("pizza")
    bob.get(said.id)
    details = [line["event"]["detail"] for line in bob.trail.export() if "event" in line]
    assert [one[2] for detail in details for one in detail.get("recalled", [])] == ["about_me"]
    assert [detail["about_me"] for detail in details if "about_me" in detail] == [[said.id]]
    asked = [line for line in alice.trail.export() if line.get("event", {}).get("action") in {"recall", "get"}]
    assert asked == []


def test_callers_cannot_set_the_speaker_or_the_chat(alice):
    for field in ("stated_by", "learned_in"):
        with pytest.raises((InvalidInput, TypeError)):
            alice.remember("likes tea", **{field: "@bob"})
        (refused,) = alice.remember_many([{"text": "likes tea", field: "@bob"}])
        assert (refused.reason, field in refused.decision.detail["problem"]) == (Reason.INVALID, True)
    assert alice.remember("I like tea").item.stated_by == "@alice"


def test_a_first_person_statement_is_about_its_speaker(alice):
    assert alice.remember("I like tea").item.subjects == ("@alice",)
    assert alice.remember("The build takes ten minutes").item.subjects == ()
    (sarah,) = alice.remember("Sarah is my wife", type="relationship").item.subjects
    assert alice.people.get(sarah).name == "Sarah"


def test_an_id_is_enough_by_its_beginning_where_it_is_the_only_one(alice, memory):
    kept = alice.remember("likes tea")
    assert alice.get(kept.id[:12]).text == "likes tea"
    assert memory.as_user("bob").get(kept.id[:12]) is None
    alice.forget(kept.id[:12])
    assert alice.get(kept.id) is None


def test_an_ambiguous_id_prefix_lists_only_your_own_ids(memory):
    for user, ids in (("alice", ("mem_aaaa1", "mem_aaaa2")), ("bob", ("mem_aaaa3",))):
        space = Space.of({"user": user})
        put(memory._engine.store, *(made(space, f"tea {id}", number=n, id=id) for n, id in enumerate(ids, start=1)))
    with pytest.raises(InvalidInput) as error:
        memory.as_user("alice").forget("mem_aaaa")
    assert "mem_aaaa1, mem_aaaa2" in str(error.value)
    assert "mem_aaaa3" not in str(error.value)
    assert memory.as_user("bob").get("mem_aaaa").id == "mem_aaaa3"


def test_every_verb_takes_an_id_by_its_beginning(memory, alice):
    """Also of what waits where the user does not stand now, which may be spoken of and reviewed from anywhere."""
    old = alice.remember("I live in Paris").id
    new = alice.correct(old, "I live in Rome").id
    assert (alice.explain(old[:12]).subject, alice.explain(old[:12]).reason) == (old, "superseded")
    assert alice.explain(new[:12], query="Rome") == alice.explain(new, query="Rome")
    assert alice.restore(old[:12]).item.text == "I live in Paris"
    waiting = [alice.remember(f"perhaps {word}", confidence=0.1).id for word in ("tea", "coffee", "milk")]
    assert alice.check("approve", id=waiting[0][:12]).verdict is Verdict.ALLOWED
    assert [item.id for item in alice.review.approve(waiting[0][:12])] == [waiting[0]]
    assert [item.id for item in alice.review.reject(waiting[1][:12])] == [waiting[1]]
    assert alice.review.edit(waiting[2][:12], "surely milk").item.text == "surely milk"
    there = memory.as_user("alice", session="s1")
    elsewhere = there.remember("perhaps water", confidence=0.1, space={"session": "s1"}).id
    assert alice.explain(elsewhere[:12]).subject == elsewhere
    assert [item.id for item in alice.review.approve(elsewhere[:12])] == [elsewhere]
    assert there.promote(elsewhere[:12], {"user": "alice"}).item.promoted_from == elsewhere


@pytest.mark.parametrize(
    "verb", ["explain", "history", "restore", "promote", "review.approve", "review.reject", "review.edit", "check"]
)
def test_an_id_prefix_of_an_invisible_memory_matches_nothing(memory, alice, bob, verb):
    """In a space the caller may only read, neither the id nor the existence of an inactive memory is revealed."""
    secrets = [alice.remember("perhaps tea", confidence=0.1).id, alice.remember("milk", space={"user": "alice"}).id]
    alice.correct(secrets[1], "oat milk")
    alice.share(user="bob")
    shown = alice.remember("green tea").id

    def answer(id: str) -> str:
        also = {"promote": [{"user": "bob"}], "review.edit": ["tea"]}.get(verb, [])
        try:
            return str(bob.check("history", id=id) if verb == "check" else attrgetter(verb)(bob)(id, *also))
        except (Denied, NotFound, InvalidInput) as error:
            return f"{type(error).__name__} {error}"

    for secret in secrets:
        assert answer(secret[:12]) == answer("mem_none").replace("mem_none", secret[:12])
    assert answer(shown[:12]) == answer(shown) != answer("mem_none").replace("mem_none", shown)


def test_the_edges_of_a_memory_and_of_a_person(chats):
    alice = chats.as_user("alice", chat="team")
    said = alice.remember("@bob lives in Paris")
    later = alice.remember("@bob lives in Rome")
    kinds = {(edge.kind, edge.target) for edge in alice.edges(later.id)}
    assert kinds == {
        (EdgeKind.ABOUT, "@bob"),
        (EdgeKind.STATED_BY, "@alice"),
        (EdgeKind.LEARNED_IN, "team"),
        (EdgeKind.SUPERSEDES, said.id),
    }
    assert (EdgeKind.TAKES_PART_IN, "team") in {(edge.kind, edge.target) for edge in alice.edges("@bob")}
    with pytest.raises(NotFound):
        chats.as_user("dora").edges(later.id)


def test_a_hop_finds_nothing_that_could_not_be_found_straight(chats):
    alice = chats.as_user("alice", chat="team")
    start = alice.remember("@bob loves pizza", space={"chat": "team"})
    shown = alice.remember("@bob plays chess", space={"chat": "team"})
    alice.remember("@bob has anxiety", space={"chat": "team"})
    chats.as_user("carol").remember("@bob owes me money")
    bob = chats.as_user("bob", chat="team")
    assert [item.id for item in bob.related(start.id, hops=2)] == [shown.id]
    with pytest.raises(InvalidInput, match="hops"):
        bob.related(start.id, hops=3)


def test_other_people_known_to_the_speaker_are_not_disclosed(chats, clock):
    """The id of a private person counts them, so neither it nor anything that depends on it is disclosed to anyone who
    did not hear it."""
    alice = chats.as_user("alice", chat="team")
    said = alice.remember("@bob had coffee with vera", subjects=["@bob", "Vera"], portable=True)
    assert len(said.item.subjects) == 2
    alone = alice.remember("@bob had coffee", subjects=["@bob"], portable=True)
    assert chats.as_user("bob").recall("coffee").texts == [alone.item.text]  # vera is not there
    assert sorted(chats.as_user("bob", chat="bob-dm").recall("coffee").texts) == [alone.item.text, said.item.text]
    chats.as_user("alice").remember("tom sings", subjects=["Tom"])
    again = alice.remember("@bob had cake with dora", subjects=["@bob", "Dora"], portable=True)
    assert again.item.number == said.item.number + 1
