"""Nothing that ada does changes a byte of bea's answers, unless policy lets bea see it; and what bea may not see is,
for her, not there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.generated import Seeds, half_fresh

from memfort.client import Memory
from memfort.client.bound import BoundMemory
from memfort.clock import FixedClock
from memfort.operations.table import TABLE, Effect
from memfort.policy.settings.document import policy_of
from memfort.testing.histories import START, History, OpenMemory, Transcript, World
from memfort.testing.playback import canonical_json, play
from memfort.testing.purge import compare_transcripts, difference, shrink
from memfort.testing.space_histories import generate_history

EXPECTED_ERRORS = {"NotFound", "InvalidInput", "Denied"}  # any other error is a fault, whoever gets it


@pytest.mark.parametrize("seeds", half_fresh(120, 1_600))
def test_bea_cannot_detect_adas_presence_on_dicts(seeds: Seeds, on_dict: OpenMemory) -> None:
    _assert_no_difference(seeds, on_dict)


@pytest.mark.parametrize("seeds", half_fresh(40, 400, first=1_000_000))
def test_bea_cannot_detect_adas_presence_on_sqlite(seeds: Seeds, on_sqlite: OpenMemory) -> None:
    _assert_no_difference(seeds, on_sqlite)


@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(min_value=2**32), length=st.integers(min_value=60, max_value=90))
def test_bea_cannot_detect_adas_presence_in_long_histories(seed: int, length: int, on_dict: OpenMemory) -> None:
    assert difference(generate_history(seed, length), "ada", "bea", on_dict) is None


def _assert_no_difference(seeds: Seeds, open_memory: OpenMemory) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds:
        history = generate_history(seed)
        transcripts = play(history, open_memory)
        without = play(history.without("ada"), open_memory)
        if compare_transcripts(transcripts, without, "bea") is not None:
            pytest.fail(_smallest(history, open_memory))
        _assert_no_fault(history, transcripts)
        seen.update(_controls(transcripts, without))
    if seeds.show_everything and len(seeds) >= ENOUGH:
        _assert_not_vacuous(seen, len(seeds))


def _smallest(history: History, open_memory: OpenMemory) -> str:
    small = shrink(history, lambda one: difference(one, "ada", "bea", open_memory) is not None)
    return f"bea can tell that ada was there\n{small}\n\n{difference(small, 'ada', 'bea', open_memory)}"


def _assert_no_fault(history: History, transcripts: dict[str, Transcript]) -> None:
    for transcript in transcripts.values():
        for step, answer in transcript:
            for name in _ERRORS.findall(answer):
                assert name.decode() in EXPECTED_ERRORS, f"history {history.seed}: {step}\n{answer.decode()}"


# What was answered, or what was answered when the trace of the call was asked for.
_ERRORS = re.compile(rb'(?:^|^\{"answer": |, "trace": )\{"error": "(\w+)", "message": ')
_REFUSED = re.compile(rb'(?:\{"answer": )?\{"error": ')


# -- positive controls: the histories are about something -------------------------------------------------------------

ENOUGH = 50  # histories, to say how often something happens
# How often each happens to bea, at least, for every hundred histories.
OFTEN = {
    "remember": 200,
    "remember_many": 12,
    "recall": 300,
    "get": 10,
    "pages": 250,
    "history": 6,
    "correct": 20,
    "review.edit": 1,
    "review.list": 100,
    "extraction.list": 100,
    "review.approve": 6,
    "review.reject": 8,
    "forget": 15,
    "erase": 15,
    "erase_scope": 8,
    "explain": 8,
    "explain_recall": 3,
    "explain_to": 2,
    "check": 4,
    "share": 6,
    "revoke": 3,
    "shares": 1,
    "export": 100,
    "sources": 1,
    "trail.export": 100,
    "trace.list": 100,
    "context": 100,
    "policy.simulate": 100,
    "erasures": 1,
    "verify_erasure": 100,
    "standings": 1,
    "spaces": 100,
    "erase_source": 4,
    "reimport": 3,
    "import": 10,
    "restore": 8,
    "used": 8,
    "observe": 35,
    "window": 8,
    "promote": 30,
    "phase.start": 40,
    "phase.list": 40,
    "phase.diff": 50,
    "trace.show": 12,
    "explain_trace": 1,
    # and what came of it
    "recall finds": 140,
    "list finds": 150,
    "get finds": 1,
    "explain finds": 3,
    "a place in a ranking": 30,
    "withheld": 100,
    "correct works": 7,
    "review.approve works": 1,
    "review.reject works": 1,
    "forget works": 4,
    "erase works": 5,
    "import works": 8,
    "verify_erasure works": 4,
    "restore works": 1,
    "promote works": 15,
    "window works": 3,
    "phase.diff works": 30,
    "trace.show works": 5,
    "trace.list works": 100,
    "policy.simulate changes something": 35,
    "as_of finds": 50,
    "promoted": 20,
    "approves a promotion": 1,
    "no room": 1,
    "made room": 1,
    "a limit in ticks": 50,
    "a later phase": 40,
    "a retired phase": 1,
    "a change of phases": 3,
    "shown again": 150,
    "denied": 40,
    "pending": 45,
    "duplicate": 15,
    "NotFound": 60,
    "a cursor": 60,
    # what ada did was something, and those who may see it do notice
    "ada finds": 45,
    "cleo notices": 5,
}


def _assert_not_vacuous(seen: Counter[str], count: int) -> None:
    share = count / 100
    rare = {name: (seen[name], least * share) for name, least in OFTEN.items() if seen[name] < least * share}
    assert not rare, f"too rare in {count} histories (seen, wanted): {rare}"


def _controls(transcripts: dict[str, Transcript], without: dict[str, Transcript]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for step, answer in transcripts.get("bea", []):
        seen[step.verb] += 1
        seen.update(name for name, signs in _SIGNS.items() if any(sign in answer for sign in signs))
        if not _REFUSED.match(answer) and answer not in _EMPTY:
            seen[f"{step.verb} works"] += 1
        if step.verb == "review.approve" and b'"promoted_from": "mem_' in answer:
            seen["approves a promotion"] += 1
        if step.verb == "policy.simulate" and b'"changes": [{' in answer:
            seen["policy.simulate changes something"] += 1
        if "as_of" in step.given and b'"hits": [{' in answer:
            seen["as_of finds"] += 1
        if step.verb in {"get", "explain"} and (b'"author"' in answer or b"written by" in answer):
            seen[f"{step.verb} finds"] += 1
    seen["ada finds"] = sum(b'"hits": [{' in answer for _, answer in transcripts.get("ada", []))
    seen["cleo notices"] = compare_transcripts(transcripts, without, "cleo") is not None
    return seen


_EMPTY = {b"null", b"[]"}
_SIGNS = {
    "recall finds": [b'"hits": [{'],
    "list finds": [b'"items": [{'],
    "denied": [b'"verdict": "denied"'],
    "pending": [b'"verdict": "pending"'],
    "duplicate": [b'"reason": "duplicate", "gate"', b'"reason": "duplicate"'],
    "NotFound": [b'"error": "NotFound"'],
    "a cursor": [b'"cursor": "'],
    "promoted": [b'"promoted_from": "mem_'],
    "no room": [b'"reason": "budget_full"'],
    "made room": [b'"deleted_reason": "evicted"'],
    "a limit in ticks": [b'"expires_tick": 2', b'"expires_tick": 3', b'"expires_tick": 4'],
    "a later phase": [b'"phase": "phase-2"', b'"phase": "phase-3"'],
    "a retired phase": [b'"deleted_reason": "phase_retired"'],
    "a change of phases": [b'"kind": "added"', b'"kind": "deleted"', b'"kind": "replaced"'],
    "shown again": [b'"type": "memory_'],
    "a place in a ranking": [b'"ranking": {'],
    "withheld": [b'"withheld": {"'],
}


# -- absent and not yours are one answer ------------------------------------------------------------------------------

Ask = Callable[[BoundMemory, str], Any]
BY_ID: dict[str, list[Ask]] = {
    "get": [lambda bea, name: bea.get(name)],
    "history": [lambda bea, name: bea.history(name)],
    "edges": [lambda bea, name: bea.edges(name)],
    "related": [lambda bea, name: bea.related(name, hops=2)],
    "correct": [
        lambda bea, name: bea.correct(name, "tea"),
        lambda bea, name: bea.correct(name, "tea", access={"users": ["ada", "bea"]}),
    ],
    "restore": [lambda bea, name: bea.restore(name)],
    "used": [lambda bea, name: bea.used(name)],
    "promote": [
        lambda bea, name: bea.promote(name, {"project": "apollo"}),
        lambda bea, name: bea.promote(name, {"user": "ada"}),
    ],
    "trace.show": [lambda bea, name: bea.trace.show(name), lambda bea, name: bea.trace.show(name, expanded=True)],
    "review.approve": [lambda bea, name: bea.review.approve(name)],
    "review.reject": [lambda bea, name: bea.review.reject(name)],
    "review.edit": [lambda bea, name: bea.review.edit(name, "tea")],
    "forget": [lambda bea, name: bea.forget(name), lambda bea, name: bea.forget(source=name, dry_run=True)],
    "erase": [
        lambda bea, name: bea.erase(name),
        lambda bea, name: bea.erase(name, dry_run=True),
        lambda bea, name: bea.erase(source=name),
        lambda bea, name: bea.erase(source=name, dry_run=True),
    ],
    "undo": [
        lambda bea, name: bea.undo(name),
        lambda bea, name: bea.undo(source=name),
        lambda bea, name: bea.undo(source=name, dry_run=True),
    ],
    "people.get": [lambda bea, name: bea.people.get(name)],
    "people.relations": [lambda bea, name: bea.people.relations(name)],
    "people.update": [lambda bea, name: bea.people.update(name, name="Tea")],
    "people.alias": [lambda bea, name: bea.people.alias(name, "Tea")],
    "people.link": [lambda bea, name: bea.people.link(name, user="bea")],
    "people.drop": [lambda bea, name: bea.people.drop(name)],
    "explain": [
        lambda bea, name: bea.explain(name),
        lambda bea, name: bea.explain(name, viewer=bea),
        lambda bea, name: bea.explain(name, query="merger coffee"),
        lambda bea, name: bea.explain(name, query="merger", budget_tokens=40, space={"project": "apollo"}),
    ],
    "trail.list": [lambda bea, name: bea.trail.list(trace=name), lambda bea, name: bea.trail.list(item=name)],
    "compare": [
        lambda bea, name: bea.compare(ids=[name]),
        lambda bea, name: bea.compare("merger", viewers=["cleo"], ids=[name]),
        lambda bea, name: bea.compare("merger", chat=name),
    ],
    "check": [
        lambda bea, name, verb=verb: bea.check(verb, id=name)
        for verb in ("get", "history", "used", "forget", "erase", "correct", "approve", "reject", "edit")
    ],
    "remember": [lambda bea, name: bea.remember("tea", derived_from=[name])],
    "remember_many": [lambda bea, name: bea.remember_many([{"text": "tea", "derived_from": [name]}])],
    "revoke": [lambda bea, name: bea.revoke(name)],
    "extraction.retry": [lambda bea, name: bea.extraction.retry(name)],
    "extraction.drop": [lambda bea, name: bea.extraction.drop(name)],
    "verify_erasure": [lambda bea, name: bea.verify_erasure(name)],
    "list": [lambda bea, name: bea.list(source=name)],
}
BY_NOTHING = {
    "actor", "standings", "spaces", "review.list", "extraction.list", "recall", "share", "shares", "share_changes",
    "erasures", "export",
    "import", "sources", "trail.export", "trace.list", "observe", "window", "phase.start", "phase.list", "phase.diff",
    "last_trace", "standpoint", "through", "within", "default_visibility", "policy.simulate",
    "doctor", "about", "default_type", "context", "run", "people.forget", "people.add", "people.find", "people.list",
    "people.merge", "people.relate", "people.unrelate", "subject.export", "subject.erase",
}  # fmt: skip


_NAMES_SOMETHING = re.compile(r"(^|_)(ids?|trace)$")


def test_every_verb_is_known_to_take_an_id_or_not() -> None:
    rows = {row.name for row in TABLE.values() if row.effect is not Effect.ADMIN}
    verbs = rows | {name for name in vars(BoundMemory) if not name.startswith("_")}
    assert verbs == BY_ID.keys() | BY_NOTHING, "a new verb: say here how it is asked about an id, or that it is not"
    for verb in BY_NOTHING:
        annotations = getattr(getattr(BoundMemory, verb, None), "__annotations__", {})
        taken = TABLE[verb].request.__struct_fields__ if verb in TABLE else annotations
        assert not [name for name in taken if _NAMES_SOMETHING.search(name)], f"`{verb}` takes an id"


def test_a_default_visibility_reveals_no_owner_of_an_agent(on_dict: OpenMemory, on_sqlite: OpenMemory) -> None:
    world = replace(WORLD, policy=policy_of({"spaces": {"default_place": "agent"}}))
    for open_memory in (on_dict, on_sqlite):
        with open_memory(world, FixedClock(START)) as memory:
            before = [_visibility_for(memory, user) for user in ("quokka", "bea")]
            memory.agent.register("helper", owner="quokka")
            assert [_visibility_for(memory, user) for user in ("quokka", "bea")] == before == ["private", "public"]


def _visibility_for(memory: Memory, user: str) -> str:
    """The visibility of a statement that names quokka, for a user who stands at the agent."""
    return memory.as_user(user, agent="helper").default_visibility("quokka opens the harbor at nine").value


NAMES = (
    "memory", "reader-listed memory", "pending memory", "forgotten memory", "superseded memory", "share", "source",
    "receipt", "trace", "trace of a write", "trace of a write beside her",
)  # fmt: skip


@pytest.mark.parametrize("verb", sorted(BY_ID))
def test_absent_and_not_yours_are_the_same_bytes(verb: str, on_dict: OpenMemory, on_sqlite: OpenMemory) -> None:
    for open_memory in (on_dict, on_sqlite):
        with open_memory(WORLD, FixedClock(START)) as memory:
            names = _of_ada(memory)
            not_hers = _answers(memory.as_user("bea", project="apollo"), verb, names)
        with open_memory(WORLD, FixedClock(START)) as memory:
            absent = _answers(memory.as_user("bea", project="apollo"), verb, names)
        assert names.keys() == set(NAMES)
        assert not_hers == absent


@pytest.mark.parametrize("verb", sorted(BY_ID))
def test_your_own_ids_give_different_answers(verb: str, on_dict: OpenMemory) -> None:
    """The control: asked about names of one's own, every verb answers differently from when there is nothing."""
    with on_dict(WORLD, FixedClock(START)) as memory:
        names = _of_ada(memory)
        hers = _answers(memory.as_user("ada", project="apollo"), verb, names)
    with on_dict(WORLD, FixedClock(START)) as memory:
        assert hers != _answers(memory.as_user("ada", project="apollo"), verb, names)


WORLD = World("trusted", agents=(), groups=())


def _of_ada(memory: Memory) -> dict[str, str]:
    """One of everything that has a name and is ada's."""
    ada, there = memory.as_user("ada"), memory.as_user("ada", project="apollo")
    pending, forgotten, erased = (
        ada.remember("coffee", status="pending"),
        ada.remember("violin"),
        ada.remember("orchid"),
    )
    ada.forget(str(forgotten.id))
    beside = there.remember("merger", space={"project": "apollo"}, access={"users": ["ada"]})
    known, wrong = ada.remember("merger"), ada.remember("zeppelin")
    ada.correct(str(wrong.id), "no zeppelin")
    return {
        "memory": str(known.id),
        "reader-listed memory": str(beside.id),
        "pending memory": str(pending.id),
        "forgotten memory": str(forgotten.id),
        "superseded memory": str(wrong.id),
        "share": ada.share(user="cleo").id,
        "source": str(ada.import_(b'{"content": "harbor", "metadata": {}}').source),
        "receipt": ada.erase(str(erased.id)).id,
        "trace": ada.recall("merger").trace,
        "trace of a write": str(known.trace),
        "trace of a write beside her": str(beside.trace),
    }


def _answers(asker: BoundMemory, verb: str, names: dict[str, str]) -> list[bytes]:
    """Everything the asker gets: the answers, and the events in the trail."""
    answers = []
    for name in names.values():
        for ask in BY_ID[verb]:
            try:
                answers.append(canonical_json(ask(asker, name)))
            except Exception as error:
                answers.append(canonical_json([type(error).__name__, str(error)]))
    return [*answers, canonical_json(asker.trail.export()), canonical_json(asker.list(deleted=True))]
