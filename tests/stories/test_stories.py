"""Golden stories: what happens, in a few words, and what the trace tells of it, on a clock that stands still between
the steps. Each is one file that fits a screen, and both stores tell it alike.

`MEMFORT_UPDATE_STORIES=1 pytest tests/stories` writes the files anew; then read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace

from memfort import BoundMemory, Conversation, FixedClock, Memory, Policy
from memfort.model.item import Kind, Origin
from memfort.model.moment import Moment
from memfort.policy.settings.document import preset
from memfort.policy.settings.sections import Budget, Promotion, Spaces
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore
from memfort.testing import REFERENCE_KEYS
from memfort.testing.messages import messages_of
from memfort.trail.public.plain import plain_events
from whole import whole

HERE = Path(__file__).parent
START = Moment(1_767_225_600_000_000)  # 2026-01-01T00:00:00Z
SCREEN = 60
WIDTH = 120
BY_DIGEST = {"policy.digest", "policy.name", "policy_snapshot.digest", "policy_snapshot.name"}
SESSION = {"session": "s1"}
PROJECT = {"project": "apollo"}
BY_MESSAGE = Policy(conversation=Conversation(turns="window", statements="messages"))


@dataclass
class StoryRecorder:
    """Moves the clock after each step and records the rendered events."""

    open: Callable[..., Memory]
    clock: FixedClock
    lines: list[str] = field(default_factory=list)

    def step(self, words: str, actor: BoundMemory | None = None, *types: str) -> None:
        """Record a step, with the events of these types from the trace of the actor's last call."""
        self.lines.append(f"> {words}")
        if actor is not None and actor.last_trace is not None:
            shown = [
                event
                for event in actor.trace.show(actor.last_trace).events
                if event["type"].removeprefix("memory_") in types
            ]
            assert shown, f"nothing of {types} was recorded: {words}"
            self.lines += [*plain_events(shown).splitlines(), ""]
        self.clock.advance(1)


# -- conflicts --------------------------------------------------------------------------------------------------------


def correction_beats_inference(recorder: StoryRecorder) -> None:
    """An agent infers which editor Alice uses. Alice puts it right: the inference is superseded and linked, and when
    the agent infers it once more it is outweighed at once."""
    memory = recorder.open()
    alice, helper = memory.as_user("alice"), memory.as_agent("helper", owner="alice", acting_for="alice")
    editor = {"kind": "profile", "key": "editor", "space": {"user": "alice"}}
    helper.remember("emacs", **editor)
    recorder.step("helper remembers, as an inference: emacs")
    alice.remember("vim", type="correction", **editor)
    recorder.step("alice corrects: vim", alice, "conflict", "deleted")
    helper.remember("emacs", **editor)
    recorder.step("helper infers it again: emacs", helper, "conflict", "deleted")


def tool_fact_against_user(recorder: StoryRecorder) -> None:
    """A tool has verified a version. A user's plain word does not move it; a user's correction does."""
    alice = recorder.open().as_user("alice")
    version = {"kind": "profile", "key": "version"}
    alice.remember("3.12", origin="tool", **version)
    recorder.step("a tool reports: 3.12")
    alice.remember("3.11", **version)
    recorder.step("alice says: 3.11", alice, "conflict", "deleted")
    alice.remember("3.13", type="correction", **version)
    recorder.step("alice corrects: 3.13", alice, "conflict", "deleted")


def hearsay_gives_way_to_the_subject(recorder: StoryRecorder) -> None:
    """In a project, Bob says where Alice lives. Then Alice says so herself: her word about herself outweighs his, and
    he cannot put it right for her."""
    memory = recorder.open()
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    city = {"kind": "profile", "key": "city of alice", "subjects": ["alice"], "space": PROJECT}
    bob.remember("Oslo", **city)
    recorder.step("bob says: Oslo")
    alice.remember("Bergen", **city)
    recorder.step("alice says: Bergen", alice, "conflict", "deleted")
    bob.remember("Oslo", type="correction", **city)
    recorder.step("bob corrects: Oslo", bob, "conflict", "deleted")


# -- promotion --------------------------------------------------------------------------------------------------------


def promotion_denied_at_the_border(recorder: StoryRecorder) -> None:
    """A preference is for its user. Its authority is too little for the project, and it stays in the session."""
    alice = recorder.open().as_user("alice", session="s1", project="apollo")
    wish = alice.remember("I prefer dark mode", type="preference", space=SESSION)
    recorder.step("alice remembers in the session: I prefer dark mode")
    alice.promote(wish.id, PROJECT)
    recorder.step("alice promotes it to the project", alice, "border_check", "promotion_denied")
    recorder.step(f"still in the session: {alice.get(wish.id).text}")


def decision_override(recorder: StoryRecorder) -> None:
    """What goes from a session to a project has to be verified by a tool; but a decision needs only a user's word."""
    alice = recorder.open(policy=BY_MESSAGE).as_user("alice", session="s1", project="apollo")
    alice.observe("Remember this for the project: we decided to use go", space=SESSION)
    recorder.step("alice says: Remember this for the project: we decided to use go", alice, "promoted", "deleted")
    alice.observe("Remember this for the project: I prefer go", space=SESSION)
    recorder.step("alice says: Remember this for the project: I prefer go", alice, "promotion_denied")
    recorder.step(f"in the project: {[item.text for item in alice.list(space=PROJECT)]}")


def authority_never_rises_by_promotion(recorder: StoryRecorder) -> None:
    """An agent infers something, and a statement in a user's name is derived from it. The promotion of either is
    denied: neither who repeats it nor who promotes it adds anything to an inference."""
    memory = recorder.open()
    alice = memory.as_user("alice", session="s1", project="apollo")
    guess = alice.remember("we will use go", type="decision", origin="ai", space=SESSION)
    recorder.step("an inference in the session: we will use go")
    said = alice.remember("go it is", type="decision", space=SESSION, derived_from=[guess.id])
    recorder.step(f"alice, derived from it: go it is. Its authority: {said.item.authority}")
    for item in (guess, said):
        alice.promote(item.id, PROJECT)
        recorder.step(f"alice promotes to the project: {item.item.text}", alice, "promotion_denied")


def proposal_waits_for_two_approvers(recorder: StoryRecorder) -> None:
    """Two approvers have to agree to what comes into the project. One agrees twice, which counts once; the source
    stays with its author until the second one agrees, and is promoted then."""
    way = Promotion("user", "project", approvals=2)
    memory = recorder.open(policy=Policy(spaces=Spaces(promotions=(way,))), memberships="registered")
    for name, trust in (("alice", "contributor"), ("bob", "approver"), ("carol", "approver")):
        memory.member.add({"project": "apollo"}, user=name, trust=trust)
    alice, bob, carol = (memory.as_user(name, project="apollo") for name in ("alice", "bob", "carol"))
    source = alice.remember("we decided to use go", type="decision")
    copy = alice.promote(source.id, PROJECT)
    recorder.step(f"alice promotes: we decided to use go. It is {copy.item.status}: {copy.item.status_reason}")
    for _ in range(2):
        [waiting] = bob.review.approve(copy.id)
        recorder.step(f"bob approves. It is {waiting.status}, agreed to by {', '.join(waiting.approvals)}")
    recorder.step(f"alice still has {[item.text for item in alice.list(space={'user': 'alice'})]}")
    carol.review.approve(copy.id)
    recorder.step("carol approves", carol, "write", "phase_started")
    recorder.step(f"alice has {[item.text for item in alice.list(space={'user': 'alice'})]}")
    recorder.step(f"the project has {[item.text for item in bob.list(space=PROJECT)]}")


def a_hint_that_cannot_be_followed(recorder: StoryRecorder) -> None:
    """Alice asks for something to be remembered for everyone. It is mere talk, so it is not kept, and nothing is
    promoted to the system anyway. The hint is answered all the same."""
    alice = recorder.open(policy=BY_MESSAGE).as_user("alice", session="s1")
    alice.observe("Remember this for everyone: We release weekly", space=SESSION)
    recorder.step("alice says: Remember this for everyone: We release weekly", alice, "denied", "promotion_denied")
    alice.observe("Remember this for everyone: we decided to release weekly", space=SESSION)
    recorder.step("alice says: Remember this for everyone: we decided to release weekly", alice, "promotion_denied")


# -- time and phases --------------------------------------------------------------------------------------------------


def expiry_by_tick(recorder: StoryRecorder) -> None:
    """A memory is to live while two more come into force beside it. What waits for review does not count; with the
    second that counts it is gone."""
    alice = recorder.open().as_user("alice")
    alice.remember("the code of the day is tea", ttl_ticks=2)
    recorder.step("alice remembers, for two ticks: the code of the day is tea")
    alice.remember("perhaps it rains", confidence=0.2)
    recorder.step("something that waits for review: perhaps it rains")
    alice.remember("it is monday")
    recorder.step(f"one tick: it is monday. Recalled: {alice.recall('code').texts}")
    alice.remember("it is warm")
    recorder.step("another tick: it is warm", alice, "forget", "deleted")
    recorder.step(f"recalled: {alice.recall('code').texts}")


def expiry_by_time(recorder: StoryRecorder) -> None:
    """A memory lives for a minute. At the very instant of its limit it is recalled no more, and a clock that is set
    back does not bring it back. Which call swept it must not show, so that is in the trail and in no trace."""
    memory = recorder.open()
    alice = memory.as_user("alice")
    alice.remember("the code of the day is tea", ttl_seconds=60)
    recorder.step("alice remembers, for a minute: the code of the day is tea")
    recorder.clock.set(Moment(START + 60_000_000 - 1))
    recorder.step(f"a microsecond before: {alice.recall('code').texts}")
    recorder.clock.set(Moment(START + 60_000_000))
    alice.recall("code")
    recorder.step("at the limit", alice, "recall")
    recorder.clock.set(Moment(START + 30_000_000))
    recorder.step(f"the clock is set back: {alice.recall('code').texts}")
    events = [line["event"] for line in memory.as_system().trail.export()]
    [swept] = [event for event in events if event["action"] == "expire"]
    recorder.step(f"the trail: {swept['actor']['kind']} {swept['action']} {swept['item']}, {swept['reason']}")


def phase_change_and_diff(recorder: StoryRecorder) -> None:
    """A session enters a new phase. One fact is replaced, one statement is new, one is forgotten; the difference is
    shown in numbers, in sentences, and by id, without the text of the forgotten memory."""
    alice = recorder.open().as_user("alice", session="s1")
    alice.remember("vim", kind="profile", key="editor", space=SESSION)
    coffee = alice.remember("we drink coffee", space=SESSION)
    recorder.step("alice remembers, in phase-1: vim as the editor; we drink coffee")
    alice.phase.start("new team", space=SESSION, name="second half")
    recorder.step("alice starts a phase", alice, "phase_started")
    alice.remember("emacs", kind="profile", key="editor", space=SESSION)
    alice.remember("we drink tea", space=SESSION)
    alice.forget(coffee.id)
    recorder.step("in phase-2: emacs as the editor; we drink tea; the coffee is forgotten")
    alice.phase.diff("phase-1", "phase-2", space=SESSION)
    recorder.step("what changed?", alice, "phase_diff")


def as_of_an_earlier_phase(recorder: StoryRecorder) -> None:
    """What was known at the end of the first phase: not what came later, not what had given way by then, and nothing
    that has been forgotten since."""
    alice = recorder.open().as_user("alice", session="s1")
    first = alice.remember("the plan is A", space=SESSION)
    secret = alice.remember("the plan behind the plan is Z", space=SESSION)
    recorder.step("in phase-1: the plan is A; the plan behind the plan is Z")
    alice.correct(first.id, "the plan is B")
    recorder.step("corrected: the plan is B")
    alice.phase.start("a new start", space=SESSION)
    alice.remember("the plan is C", space=SESSION)
    alice.forget(secret.id)
    recorder.step(f"in phase-2: the plan is C, and Z is forgotten. Recalled now: {alice.recall('plan').texts}")
    alice.recall("plan", as_of="phase-1")
    recorder.step("recalled as of phase-1", alice, "recall")


# -- what is not kept -------------------------------------------------------------------------------------------------


def secret_denied_with_no_residue(recorder: StoryRecorder) -> None:
    """A password in what Alice says is kept in no form: not as a turn, not as a statement, not in the refusal. The
    answer, which does not repeat it, is kept."""
    memory = recorder.open()
    alice = memory.as_user("alice", session="s1")
    alice.observe(messages_of("my password is hunter2hunter2", "I keep no passwords"))
    recorder.step("alice says a password, and is answered: I keep no passwords", alice, "denied")
    everything = [*alice.export(), *memory.as_system().trail.export(), *alice.trace.show(alice.last_trace or "").events]
    recorder.step(f"'hunter2' in any memory, event or trace: {'hunter2' in whole(everything)}")
    recorder.step(f"kept: {[item.text for item in alice.window()]}")


def low_signal_is_not_kept(recorder: StoryRecorder) -> None:
    """Under a policy that keeps everything, a nod is still not worth a memory of its own; as a turn it is. And who
    asks for it outright gets it."""
    alice = recorder.open(policy=replace(BY_MESSAGE, write_policy="aggressive")).as_user("alice", session="s1")
    alice.observe(messages_of("Thanks!", "You are welcome"))
    recorder.step("alice says: Thanks!", alice, "denied")
    recorder.step(f"the window: {[item.text for item in alice.window()]}")
    alice.remember("thanks", space=SESSION)
    recorder.step(f"alice has it remembered outright: {[item.text for item in alice.list(kinds=['semantic'])]}")


def budget_evicts_the_authors_own_least(recorder: StoryRecorder) -> None:
    """In a project each author may keep two memories. Bob's third takes the place of his own least important one;
    Alice's is less important still, and stays."""
    memory = recorder.open(policy=Policy(budget=Budget(semantic=2)))
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    alice.remember("alice: a trifle", importance=0, space=PROJECT)
    for text, importance in (("bob: a detail", 1), ("bob: the goal", 5)):
        bob.remember(text, importance=importance, space=PROJECT)
    recorder.step("alice: a trifle. bob: a detail, the goal")
    third = bob.remember("bob: the date", importance=3, space=PROJECT)
    recorder.step(f"bob: the date. Evicted: {third.decision.detail['evicted']}", bob, "deleted")
    recorder.step(f"left: {sorted(item.text for item in alice.list(space=PROJECT))}")


def summary_and_its_sources_erased(recorder: StoryRecorder) -> None:
    """Two messages fit in the window; the third pushes the first one out, and it goes on in a summary. When that turn
    is erased, the summary and what was derived from it are erased with it."""
    alice = recorder.open(policy=replace(BY_MESSAGE, budget=Budget(short_term=2))).as_user("alice", session="s1")
    turn = alice.observe("My editor is vim").turns[0]
    alice.observe("what a day")
    recorder.step("alice says: My editor is vim. Then: what a day")
    alice.observe("so it goes")
    recorder.step("alice says: so it goes", alice, "forget")
    recorder.step(f"the window: {[item.text for item in alice.window()]}")
    receipt = alice.erase(turn.id)
    rendered = [f"{event['type']}, {event['reason']}" for event in alice.trace.show(alice.last_trace or "").events]
    recorder.step(f"alice erases the turn, and with it {receipt.counts['derived']} that were made from it")
    recorder.lines += [*rendered, ""]
    recorder.step(f"the window: {[item.text for item in alice.window()]}")
    recorder.step(f"recalled of the editor: {alice.recall('editor vim').texts}")


def a_correction_stands_in_the_seeds_own_preset(recorder: StoryRecorder) -> None:
    """Under the rules of seed 004 a correction stands against its author's own later word, until the author corrects
    again."""
    alice = recorder.open(policy=preset("deterministic")).as_user("alice", session="s1")

    def say(text: str, *, correction: bool) -> None:
        alice.remember(text, kind=Kind.PROFILE, key="name", origin=Origin.USER, is_correction=correction, space=SESSION)

    say("Ada", correction=True)
    recorder.step("alice corrects: Ada")
    say("Bob", correction=False)
    recorder.step("alice says: Bob", alice, "conflict", "deleted")
    say("Bob", correction=True)
    recorder.step("alice corrects: Bob", alice, "conflict", "deleted")


STORIES = {
    story.__name__: story
    for story in (
        correction_beats_inference,
        tool_fact_against_user,
        hearsay_gives_way_to_the_subject,
        promotion_denied_at_the_border,
        decision_override,
        authority_never_rises_by_promotion,
        proposal_waits_for_two_approvers,
        a_hint_that_cannot_be_followed,
        expiry_by_tick,
        expiry_by_time,
        phase_change_and_diff,
        as_of_an_earlier_phase,
        secret_denied_with_no_residue,
        low_signal_is_not_kept,
        budget_evicts_the_authors_own_least,
        summary_and_its_sources_erased,
        a_correction_stands_in_the_seeds_own_preset,
    )
}


@pytest.mark.parametrize("store", ["dict", "sqlite"])
@pytest.mark.parametrize("name", STORIES)
def test_the_story_renders_as_recorded(name: str, store: str, tmp_path: Path) -> None:
    rendered = render_story(name, store, tmp_path)
    file = HERE / f"{name}.plain"
    if os.environ.get("MEMFORT_UPDATE_STORIES") and store == "dict":
        file.write_text(rendered)
    assert rendered == file.read_text(), "read the difference; if it is meant, MEMFORT_UPDATE_STORIES=1 writes it down"


@pytest.mark.parametrize("name", STORIES)
def test_a_story_fits_a_screen_and_begins_in_words(name: str) -> None:
    lines = (HERE / f"{name}.plain").read_text().splitlines()
    assert len(lines) <= SCREEN
    assert all(len(line) <= WIDTH for line in lines)
    assert (lines[0], lines[1][0].isupper()) == (name.replace("_", " "), True)
    assert {line.split(":")[0] for line in lines if line.startswith("policy")} <= BY_DIGEST


def test_every_file_is_a_story_and_every_story_a_file() -> None:
    assert {file.stem for file in HERE.glob("*.plain")} == set(STORIES)


def render_story(name: str, store: str, folder: Path) -> str:
    """A story from its beginning, on a fresh store with the keys that the stories were written with."""
    clock, opened = FixedClock(START), []

    def open_one(**options: object) -> Memory:
        kept = (
            MemoryStore(REFERENCE_KEYS)
            if store == "dict"
            else SqliteStore(folder / "memory.db", keys=REFERENCE_KEYS, ballast_bytes=0)
        )
        opened.append(Memory(kept, clock=clock, **options))
        return opened[-1]

    recorder = StoryRecorder(open_one, clock)
    try:
        STORIES[name](recorder)
    finally:
        for memory in opened:
            memory.close()
    words = [line.strip() for line in (STORIES[name].__doc__ or "").splitlines()]
    return "\n".join([name.replace("_", " "), *words, "", *recorder.lines]).rstrip() + "\n"
