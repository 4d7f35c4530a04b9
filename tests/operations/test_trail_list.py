"""trail.list: the same events as the export, the latest first, by pages and filters, and only one's own."""

from __future__ import annotations

from memfort import Memory

_SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def made() -> Memory:
    memory = Memory.open(":memory:")
    alice, bob = memory.as_user("alice", project="p"), memory.as_user("bob", project="p")
    alice.remember_many([f"The crate number {n} is on shelf {n % 7}." for n in range(150)])
    alice.recall("crate")
    alice.remember(f"The token is {_SECRET}")
    bob.remember("Bob was here", space={"project": "p"})
    return memory


def test_pages_hold_the_export_once() -> None:
    with made() as memory:
        alice = memory.as_user("alice", project="p")
        events = []
        page = alice.trail.list(limit=40)
        while True:
            events += page.events
            if page.cursor is None:
                break
            page = alice.trail.list(limit=40, cursor=page.cursor)
        exported = [line["event"] for line in alice.trail.export()]
        assert len(events) == len(exported) > 150
        assert sorted((e.at_us, e.action, e.item or "") for e in events) == sorted(
            (e["at"], e["action"], e["item"] or "") for e in exported
        )
        assert [e.at_us for e in events] == sorted((e.at_us for e in events), reverse=True)


def test_filters_choose_and_reveal_nothing_of_others() -> None:
    with made() as memory:
        alice = memory.as_user("alice", project="p")
        [denied] = alice.trail.list(decision="denied")
        assert (denied.action, denied.detail["gate"]) == ("remember", "secrets")
        assert _SECRET not in denied.to_json()
        assert {event.action for event in alice.trail.list(action="recall")} == {"recall"}
        assert {event.actor.id for event in alice.trail.list(limit=1000)} == {"alice"}
        assert list(alice.trail.list(by="user:bob")) == []
        assert [event.actor.id for event in memory.as_system().trail.list(by="user:bob")] == ["bob"]
        assert all(event.number is None for event in alice.trail.list(action="remember") if event.decision != "denied")


def test_a_weighed_recall_changes_order_and_never_sight() -> None:
    with Memory.open(":memory:") as memory:
        alice, bob = memory.as_user("alice"), memory.as_user("bob")
        alice.remember("The launch is on Monday")
        alice.remember("Launch launch launch")
        bob.remember("The launch is on Tuesday")
        usual = alice.recall("launch Monday")
        tried = alice.recall("launch Monday", weights={"words": 0.0})
        assert {hit.id for hit in tried} <= {hit.id for hit in usual}
        assert tried.hits[0].score < usual.hits[0].score
        assert "words" not in tried.hits[0].features
        assert alice.trail.list(action="recall", limit=1).events[0].detail["weighed_otherwise"] is True
