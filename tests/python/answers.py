"""A real answer of every verb, from one small history: nothing here is made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memfort import Extraction, FixedClock, Memory, Policy, Sensitivity
from memfort.model.moment import Moment
from memfort.policy.settings.document import preset
from memfort.store.sqlite import SqliteStore
from memfort.testing.messages import messages_of

NOW = Moment(1_767_225_600_000_000)  # 2026-01-01T00:00:00Z
HOSTILE = "<script>alert('tea')</script> & \"green\" tea"


def answers(folder: Path) -> dict[str, list[Any]]:
    """By the name of the verb, in the table's words: what it gave back, in as many forms as it has here."""
    given: dict[str, list[Any]] = {}

    def note(verb: str, *results: Any) -> Any:
        given.setdefault(verb, []).extend(results)
        return results[0]

    clock = FixedClock(NOW)
    with Memory(SqliteStore(folder / "memory.db", ballast_bytes=0), clock=clock) as memory:
        alice, bob, system = memory.as_user("alice"), memory.as_user("bob"), memory.as_system()
        _directory(memory, note)
        _people(alice, note)
        tea = note("remember", alice.remember("I like green tea", meta={"cup": ["big", 1]}, tags=["drink"]))
        note("remember", alice.remember("the password is hunter2hunter2 and AKIAIOSFODNN7EXAMPLE"))
        waiting = note("remember", alice.remember("maybe coffee", confidence=0.1))
        note(
            "remember",
            alice.remember(
                "tea ends", expires_at="2027-01-01T00:00:00Z", observed_at="2025-12-31T00:00:00Z", occurred="2026-12"
            ),
        )
        note("remember_many", alice.remember_many(["tea at noon", {"text": HOSTILE}]))
        brief = alice.remember("juice at nine").id
        wrong = alice.remember("The gate code is green").id
        note("correct", alice.correct(wrong, "The gate code is blue"))
        note("restore", alice.restore(wrong))
        note("used", alice.used(tea.id))
        note(
            "promote",
            alice.promote(brief, {"session": "s1"}),
            memory.as_user("alice", session="s1").promote(
                memory.as_user("alice", session="s1").remember("I always drink mate", space={"session": "s1"}).id,
                {"user": "alice"},
            ),
        )
        note("recall", alice.recall("tea", explain=True), alice.recall("nothing of the kind whatsoever"))
        note("context", alice.context("tea"), alice.context("zebra quartz"))
        note("get", alice.get(tea.id), alice.get("mem_none"))
        note("list", alice.list(), alice.list(limit=1))
        note("about", alice.about("me"))
        note("related", alice.related(tea.id))
        note("edges", alice.edges(tea.id))
        note("history", alice.history(wrong))
        note("explain", alice.explain(tea.id), alice.explain(tea.id, query="tea"))
        note("compare", alice.compare("tea", viewers=["alice", "bob"], listeners=["alice", "bob"]), alice.compare())
        note("check", alice.check("remember", text="tea"), bob.check("remember", text="x", space={"user": "alice"}))
        note("spaces", alice.spaces())
        note("standings", alice.standings())
        note("trail.list", alice.trail.list(), memory.as_system().trail.list(limit=1))
        note("review.list", alice.review.list())
        note("review.edit", alice.review.edit(waiting.id, "coffee at ten"))
        unsure, unwanted = (alice.remember(text, confidence=0.1).id for text in ("a hat", "a scarf"))
        note("review.approve", alice.review.approve(unsure))
        note("review.reject", alice.review.reject(unwanted))
        said = messages_of("My name is Alice. I live in Oslo. What now?", "Noted.")
        said.append({"role": "user", "content": "Please forget that I live in Oslo."})
        note("observe", memory.as_user("alice", session="s1").observe(said))
        note("observe", memory.as_user("alice").observe(["I have a motorbike.", "I no longer have a motorbike."]))
        asked = {"role": "assistant", "content": "So you live in Lyon?"}
        note("observe", memory.as_user("alice", session="s2").observe([asked, {"role": "user", "content": "Yes."}]))
        note("window", alice.window({"session": "s1"}))
        note("phase.start", alice.phase.start("moved", name="Oslo"))
        note("phase.list", alice.phase.list())
        alice.remember("I like the fjord")
        note("phase.diff", alice.phase.diff("phase-1"))
        note("share", share := alice.share(user="bob"))
        note("shares", alice.shares())
        alice.forget(alice.remember("the kettle is red", sensitivity="public").id)
        note("share_changes", bob.share_changes())
        note("revoke", alice.revoke(share.id))
        note("export", list(alice.export()))
        lines = "\n".join(json.dumps(line) for line in alice.export()).encode()
        note("import", bob.import_(lines))
        note("sources", bob.sources())
        _policy(memory, alice, folder, note)
        note("forget", alice.forget(brief, dry_run=True), alice.forget(tea.id))
        bees = [item for item in alice.observe("I prefer honey from the roof.").kept if item.kind != "short_term"]
        note("forget", alice.forget(bees[0].id, dry_run=True))
        note("undo", bob.undo(author="me", dry_run=True))
        note("subject.export", alice.subject.export("me"))
        note("subject.erase", alice.subject.erase("me", dry_run=True))
        anna = alice.remember("Anna is allergic to peanuts")
        bob.remember("Anna likes jam")  # a namesake, until somebody links the two
        note("subject.erase", memory.as_system().subject.erase(anna.item.subjects[0], dry_run=True))
        receipt = note("erase", alice.erase(wrong), alice.erase(unsure, dry_run=True))
        note("erasures", alice.erasures())
        note("verify_erasure", alice.verify_erasure(receipt.id))
        note("finish_erasures", memory.finish_erasures())
        note("people.forget", alice.people.forget("Bea", erase=True))
        note("trace.show", alice.trace.show(tea.trace))
        note("trace.list", alice.trace.list())
        note("trail.export", list(alice.trail.export()))
        note("trail.checkpoint", memory.trail.checkpoint())
        note("trail.verify", memory.trail.verify())
        note("store.info", memory.store.info())
        note("store.gc", memory.store.gc())
        note("store.reindex", memory.store.reindex())
        note("store.reembed", memory.store.reembed())
        note("store.reembed_status", memory.store.reembed_status())
        note("store.judge", memory.store.judge())
        note("store.judge_status", memory.store.judge_status())
        note("store.relearn", memory.store.relearn())
        note("store.backup", memory.store.backup(str(folder / "one.backup")))
        note("store.quarantine", memory.store.quarantine())
        note("doctor", system.doctor(), alice.doctor())
    _extraction(folder, clock, note)
    return given


def _extraction(folder: Path, clock: FixedClock, note: Any) -> None:
    """The queue of an extractor that never answers."""

    def fails(_: Any) -> Any:
        raise RuntimeError

    policy = Policy(extraction=Extraction((Sensitivity.PUBLIC, Sensitivity.PERSONAL), debounce_seconds=0, attempts=1))
    store = SqliteStore(folder / "queue.db", ballast_bytes=0)
    with Memory(store, clock=clock, policy=policy, extractor=fails) as memory:
        alice = memory.as_user("alice")
        alice.observe(["A busy day", "And a long one"])
        note("extraction.list", alice.extraction.list())
        note("store.extract", memory.store.extract())
        note("extraction.list", alice.extraction.list())
        note("extraction.retry", alice.extraction.retry())
        note("extraction.drop", alice.extraction.drop(alice.extraction.list()[0].id))


def _directory(memory: Memory, note: Any) -> None:
    note("agent.register", memory.agent.register("helper", owner="alice"))
    note("agent.get", memory.agent.get("helper"), memory.agent.get("nobody"))
    note("chat.register", memory.chat.register("lunch", kind="group", participants=["alice", "bob"]))
    note("chat.get", memory.chat.get("lunch"))
    note("member.add", memory.member.add({"project": "apollo"}, user="alice"))
    note("member.list", memory.member.list({"project": "apollo"}))
    key = memory.keys.create(user="alice", note="laptop")
    note("keys.create", key)
    note("keys.list", memory.keys.list())
    new = memory.keys.rotate(key.key.id, overlap_seconds=60)
    note("keys.rotate", new)
    note("keys.revoke", memory.keys.revoke(new.key.id))
    note("member.remove", memory.member.remove({"project": "apollo"}, user="alice"))
    made = note("keys.create", memory.keys.create(user="alice", expires_at="2027-01-01T00:00:00Z", note="a script"))
    note("keys.list", memory.keys.list())
    turned = note("keys.rotate", memory.keys.rotate(made.key.id))
    note("keys.revoke", memory.keys.revoke(turned.key.id))


def _people(alice: Any, note: Any) -> None:
    bea = note("people.add", alice.people.add("Bea", aliases=["B"], relation="sister", listed=True))
    other = alice.people.add("Beatrice", space={"user": "alice"})
    alice.remember("Bea likes plums", subjects=[bea.id])
    note("people.find", alice.people.find("Bea"))
    note("people.get", alice.people.get(bea.id))
    note("people.list", alice.people.list())
    note("people.relations", alice.people.relations(bea.id))
    note("people.update", alice.people.update(bea.id, name="Bea B."))
    note("people.alias", alice.people.alias(bea.id, "Bee"))
    note("people.relate", alice.people.relate("me", "friend", bea.id))
    note("people.unrelate", alice.people.unrelate("me", "friend", bea.id))
    note("people.merge", alice.people.merge(bea.id, other.id))
    carl = alice.people.add("Carl")
    note("people.link", alice.people.link(carl.id, user="carl"))
    note("people.drop", alice.people.drop(alice.people.add("Dora", listed=True).id))


def _policy(memory: Memory, alice: Any, folder: Path, note: Any) -> None:
    path = folder / "policy.toml"
    path.write_text('name = "careful"\napprove_confidence = 0.9\n')
    careful = Policy.from_toml(path)
    note("policy.show", memory.policy.show())
    note("policy.check", memory.policy.check(str(path)))
    note("policy.diff", memory.policy.diff(preset("default"), careful))
    note("policy.presets", memory.policy.presets())
    note("policy.simulate", alice.policy.simulate(careful))
    note("policy.use", memory.policy.use(careful, apply=True, dry_run=True))
