"""What nobody has labelled fails closed: it is withheld in a group until its words or the encoder have settled it, on
every path that writes, with and without an encoder, across a restart; and it is always there outside chats."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memfort import FixedClock, HeadJudgement, Memory, Sensitivity
from memfort.model.judgement import SensitivityReason
from memfort.policy.settings.document import preset_names
from memfort.store.sqlite import SqliteStore

pytestmark = pytest.mark.fails_closed

# What was public once although it is not.
PRIVATE = (
    "Ich habe Krebs",
    "Tengo cáncer",
    "J'ai le cancer",
    "I take lisinopril for my heart",
    "She is HIV+",
    "Getting chemo",
    "I make 95 grand a year",
    "I vote for the Greens",
    "I am a union member",
    "I want to divorce",
    "I am deaf in one ear",
)
HARMLESS = "I moved my desk next to the window"  # it is about its speaker, and no lexicon settles it as private
GROUP = {"chat": "family"}


class Keyword:
    """A classifier for tests: what has a harmless word in it is public, and everything else is sensitive."""

    name = "keyword-1"

    def __init__(self, *harmless: str) -> None:
        self.harmless, self.texts = harmless, list[str]()

    def judge(self, texts: Sequence[str]) -> list[HeadJudgement]:
        self.texts += texts
        return [self._judge(text) for text in texts]

    def _judge(self, text: str) -> HeadJudgement:
        if any(word in text for word in self.harmless):
            return HeadJudgement(Sensitivity.PUBLIC, None, 0.02, 0.0, "keyword-1")
        return HeadJudgement(Sensitivity.SENSITIVE, "health", 0.97, 0.9, "keyword-1")


Open = Callable[..., Memory]


def opened(open_memory: Open, *harmless: str, **options: Any) -> Memory:
    """A memory with a group of three, and a classifier that works when it is called."""
    memory = open_memory(**{"classifier": Keyword(*harmless), "judge": "on_demand", **options})
    memory.chat.register("family", kind="group", participants=["alice", "bob", "carol"])
    return memory


def texts_in_group(memory: Memory, user: str = "alice") -> set[str]:
    """What a member of the group is told there, on every way that reads."""
    here = memory.as_user(user, chat="family")
    found = {item.text for item in here.list()} | {hit.item.text for hit in here.recall("desk cancer window").hits}
    return found | {item.text for item in here.about("me")}


def texts_alone(memory: Memory, user: str = "alice") -> set[str]:
    return {item.text for item in memory.as_user(user).list()}


# -- turns -------------------------------------------------------------------------------------------------------------

# Each says something of its speaker and ends in a question, which has this word.
ASKED = {
    "I can't bend down because of my knee, who installs the wire for me?": "who",
    "Ich kann mich wegen meines Knies nicht bücken, wer macht mir den Draht fest?": "wer",
    "No puedo agacharme por mi rodilla, ¿quién me instala el cable?": "quién",
    "Je ne peux pas me baisser à cause de mon genou, qui peut poser le fil?": "qui",
    "我的膝盖不好，弯不下腰，谁能帮我装电线？": "谁",
}


def _say_in_group(memory: Memory, text: str) -> None:
    memory.as_user("alice", **GROUP).observe([{"role": "user", "content": text}])
    if memory.store.judge_status().classifier is not None:
        memory.store.judge()


@pytest.mark.parametrize("text", ASKED)
@pytest.mark.parametrize("has_encoder", [False, True])
def test_a_newcomer_is_not_told_what_stands_beside_a_question(
    open_memory: Open, text: str, *, has_encoder: bool
) -> None:
    """Its control: what only asks is told."""
    memory = opened(open_memory, **({} if has_encoder else {"classifier": "none"}))
    asked = "At which hour do we meet at the window?"
    _say_in_group(memory, asked)
    _say_in_group(memory, text)
    memory.chat.register("family", kind="group", participants=["alice", "bob", "carol", "dan"])
    assert texts_in_group(memory, "dan") == {asked}


@pytest.mark.parametrize(("text", "harmless"), ASKED.items())
def test_a_turn_is_as_private_as_what_it_says_before_it_asks(open_memory: Open, text: str, harmless: str) -> None:
    """To this encoder the whole turn is harmless, since its question is; the rest alone is not. Its control: a turn
    with the word of the question is told."""
    memory = opened(open_memory, harmless)
    _say_in_group(memory, f"The window asks {harmless}")
    heard = texts_in_group(memory)
    _say_in_group(memory, text)
    assert heard == {f"The window asks {harmless}"}
    assert texts_in_group(memory) == heard  # it was judged, so not even those who heard it are told


# -- every path that writes --------------------------------------------------------------------------------------------


def _remember(memory: Memory, text: str) -> None:
    memory.as_user("alice", **GROUP).remember(text, space={"user": "alice"})


def _remember_many(memory: Memory, text: str) -> None:
    memory.as_user("alice", **GROUP).remember_many([{"text": text, "space": {"user": "alice"}}])


def _correct(memory: Memory, text: str) -> None:
    alice = memory.as_user("alice", **GROUP)
    first = alice.remember("The kitchen has a green door", space={"user": "alice"}, sensitivity="public")
    assert first.id is not None
    alice.correct(first.id, text=text)


def _edit(memory: Memory, text: str) -> None:
    alice = memory.as_user("alice")
    waits = alice.remember("The kitchen has a red door", status="pending", sensitivity="public")
    alice.review.edit(waits.id, text=text)


def _import(memory: Memory, text: str) -> None:
    row = {"id": 1, "user_id": "alice", "kind": "note", "content": text, "confidence": 0.9}
    memory.as_user("alice").import_(json.dumps(row).encode())


def _observe(memory: Memory, text: str) -> None:
    said = [{"role": "user", "content": f"{text}."}, {"role": "assistant", "content": "noted"}]
    memory.as_user("alice").observe(said)


PATHS = [_remember, _remember_many, _correct, _edit, _import, _observe]


@pytest.mark.parametrize("write", PATHS, ids=lambda write: write.__name__.strip("_"))
@pytest.mark.parametrize("text", PRIVATE)
def test_nothing_private_is_said_in_a_group(open_memory: Open, write: Callable[..., None], text: str) -> None:
    memory = opened(open_memory)
    write(memory, text)
    assert any(text in one for one in texts_alone(memory))  # it is kept, and its owner reads it back
    for _ in range(2):
        for user in ("bob", "carol"):
            assert not any(text in one for one in texts_in_group(memory, user))
        # The table lets a person ask aloud for what is personal and about them alone.
        told = [one for one in memory.as_user("alice", **GROUP).list() if text in one.text]
        assert all(one.sensitivity is Sensitivity.PERSONAL and one.subjects in {(), ("@alice",)} for one in told)
        memory.store.judge()


@pytest.mark.parametrize("write", [_remember, _remember_many, _correct, _edit], ids=lambda write: write.__name__)
def test_harmless_statements_are_said_once_they_are_judged(open_memory: Open, write: Callable[..., None]) -> None:
    memory = opened(open_memory, "desk")
    write(memory, HARMLESS)
    done = memory.store.judge()
    assert done.left == 0
    assert HARMLESS in texts_in_group(memory)


def test_an_import_keeps_what_it_says_unless_its_words_are_graver(open_memory: Open) -> None:
    memory = opened(open_memory)
    alice = memory.as_user("alice")
    for text in ("I have cancer", HARMLESS):
        alice.remember(text, sensitivity="public")
    other = opened(open_memory)
    other.as_user("alice").import_(exported(alice))
    found = {item.text: item.sensitivity for item in other.as_user("alice").list()}
    assert found == {"I have cancer": Sensitivity.SENSITIVE, HARMLESS: Sensitivity.PUBLIC}


def test_what_waited_waits_again_after_an_import_and_keeps_its_id(open_memory: Open) -> None:
    memory, other = opened(open_memory, "desk"), opened(open_memory, "desk")
    waiting = memory.as_user("alice").remember(HARMLESS)
    released = memory.as_user("alice").remember("I varnished my desk with a sponge")
    other.as_user("alice").import_(exported(memory.as_user("alice")))
    assert other.store.info().not_judged == 2
    memory.store.judge()
    later = opened(open_memory, "desk")
    later.as_user("alice").import_(exported(memory.as_user("alice")))
    assert later.store.info().not_judged == 0
    for one in (other, later):
        assert {item.id for item in one.as_user("alice").list()} == {waiting.id, released.id}


def exported(who: Any) -> bytes:
    return "\n".join(map(json.dumps, who.export())).encode()


# -- until it is judged ------------------------------------------------------------------------------------------------


def test_what_waits_is_personal_and_says_why(open_memory: Open) -> None:
    memory = opened(open_memory, "desk")
    bob = memory.as_user("bob").remember(HARMLESS)
    assert bob.notice == ""
    kept = memory.as_user("bob", **GROUP).correct(bob.id, f"{HARMLESS} today", subjects=["@carol"])
    assert kept.item is not None
    assert kept.item.judgement is not None
    assert (kept.item.sensitivity, kept.item.judgement.reason) == ("personal", "not_classified")
    assert kept.notice == (
        "kept; not said in this group: nothing has judged it; wait until it is judged or ask outside the chat"
    )
    assert memory.store.info().not_judged == memory.store.judge_status().left == 1


def test_the_owner_reads_it_back_at_once_outside_chats(open_memory: Open) -> None:
    memory = opened(open_memory)
    kept = memory.as_user("alice", **GROUP).remember(HARMLESS, space={"user": "alice"})
    assert memory.as_user("alice").get(kept.id).text == HARMLESS
    assert [hit.item.text for hit in memory.as_user("alice").recall("desk by the window").hits] == [HARMLESS]


def test_a_group_hears_again_what_all_heard_there_while_it_is_unjudged_and_nobody_new_listens(
    open_memory: Open,
) -> None:
    memory = opened(open_memory, "nothing")
    memory.as_user("alice", **GROUP).remember(HARMLESS, space={"user": "alice"}, subjects=["@bob"])
    assert texts_in_group(memory) == {HARMLESS}
    memory.chat.register("family", kind="group", participants=["alice", "bob", "carol", "dan"])
    assert texts_in_group(memory) == set()
    memory.chat.register("family", kind="group", participants=["alice", "bob", "carol"])
    memory.store.judge()
    assert texts_in_group(memory) == set()  # what was judged follows the table


class Unsure:
    """A classifier for tests that gives every text the same low probability of not being public."""

    name = "unsure-1"

    def __init__(self, p_non_public: float) -> None:
        self._judged = HeadJudgement(Sensitivity.PERSONAL, "money", p_non_public, 0.0, "unsure-1")

    def judge(self, texts: Sequence[str]) -> list[HeadJudgement]:
        return [self._judged] * len(texts)


@pytest.mark.parametrize(
    ("p_non_public", "text", "is_said"),
    [
        (0.2, "Refunds need an approval", True),
        (0.2, "We meet behind the old mill", True),
        (0.2, HARMLESS, True),
        (0.4, "Refunds need an approval", True),
        (0.6, "Refunds need an approval", False),
    ],
)
def test_a_group_hears_again_what_the_encoder_is_unsure_of(
    open_memory: Open, p_non_public: float, text: str, is_said: bool
) -> None:
    memory = opened(open_memory, classifier=Unsure(p_non_public))
    said = memory.as_user("alice", chat="family").remember(text)
    assert memory.store.judge().left == 0
    assert memory.store.judge().done == 0, "it is asked once"
    bob = memory.as_user("bob", chat="family")
    assert (bob.get(said.id) is not None) is is_said
    memory.chat.register("family", kind="group", participants=["alice", "bob", "carol", "dan"])
    assert bob.get(said.id) is None, "somebody new listens"


def test_what_the_encoder_is_unsure_of_outside_a_group_is_personal(open_memory: Open) -> None:
    memory = opened(open_memory, classifier=Unsure(0.2))
    said = memory.as_user("alice").remember(HARMLESS, space={"user": "alice"})
    memory.store.judge()
    item = memory.as_user("alice").get(said.id)
    assert item is not None
    assert item.judgement is not None
    assert (item.sensitivity, item.judgement.reason) == (Sensitivity.PERSONAL, SensitivityReason.ENCODER)


@pytest.mark.parametrize("rule", ["strict", "participants"])
def test_what_is_unjudged_is_told_elsewhere_like_what_is_personal(open_memory: Open, rule: str) -> None:
    memory = opened(open_memory, policy={"disclosure": {"rule": rule}})
    alice = memory.as_user("alice")
    alice.remember(HARMLESS, subjects=["me"])
    alice.remember("Dan chose the odd corner, by the desk", subjects=["@dan"])
    assert texts_in_group(memory) == {HARMLESS}


def test_no_encoder_opens_nothing(open_memory: Open) -> None:
    """Without one everything that words do not settle stays closed, and `doctor` says that there is none."""
    memory = open_memory(classifier="none")
    memory.chat.register("family", kind="group", participants=["alice", "bob", "carol"])
    alice, texts = memory.as_user("alice"), {"Dan chose the odd corner", "The bank takes the window"}
    for text in texts:
        assert alice.remember(text).item.sensitivity == "personal"
    assert texts_in_group(memory) == set()
    assert texts_alone(memory) == texts
    done = memory.store.judge()
    assert (done.done, done.problem is not None) == (0, True)
    assert texts_in_group(memory) == set()
    [check] = memory.as_system().doctor(checks=["sensitivity"]).checks
    assert check.ok
    assert any("there is no encoder" in note for note in check.notes)


@pytest.mark.parametrize(("setting", "level"), [("all", "personal"), ("none", "public")])
def test_the_policy_says_what_is_unknown_without_an_encoder(open_memory: Open, setting: str, level: str) -> None:
    memory = open_memory(classifier="none", policy={"sensitivity": {"without_encoder": setting}})
    unsettled = memory.as_user("alice").remember("Zorblatt gizmos tick twice")
    assert unsettled.item is not None
    assert unsettled.item.judgement is not None
    if unsettled.item.judgement.reason is SensitivityReason.NOT_CLASSIFIED:
        assert unsettled.item.sensitivity == level
    about_people = memory.as_user("alice").remember(HARMLESS)
    assert about_people.item is not None
    assert about_people.item.sensitivity == ("public" if setting == "none" else "personal")


# -- judging -----------------------------------------------------------------------------------------------------------


def test_a_label_of_a_person_counts_and_is_never_judged(open_memory: Open) -> None:
    memory = opened(open_memory)
    alice = memory.as_user("alice", **GROUP)
    kept = alice.remember(HARMLESS, space={"user": "alice"}, sensitivity="public")
    assert kept.item is not None
    assert kept.item.judgement is None
    assert memory.store.judge().total == 0
    assert HARMLESS in texts_in_group(memory)


def test_judging_releases_raises_and_keeps_the_id(open_memory: Open) -> None:
    memory = opened(open_memory, "desk")
    alice = memory.as_user("alice", **GROUP)
    harmless = alice.remember(HARMLESS, space={"user": "alice"})
    grave = alice.remember("My numbers came back bad from the lab", space={"user": "alice"})
    done = memory.store.judge()
    assert (done.done, done.released, done.raised, done.left) == (2, 1, 1, 0)
    found = {item.id: item for item in memory.as_user("alice").list()}
    assert found[harmless.id].sensitivity is Sensitivity.PUBLIC
    judged = found[grave.id]
    assert judged.sensitivity is Sensitivity.SENSITIVE
    assert judged.judgement is not None
    assert judged.judgement.to_dict() == {
        "reason": "encoder", "category": "health", "score_band": "0.9-1.0", "model": "keyword-1",
    }  # fmt: skip
    assert memory.store.judge().total == 0


def test_what_is_released_does_not_tell_what_else_waits(open_memory: Open, clock: FixedClock) -> None:
    """It is the same, id, number and tick included, whether or not its author said something private before."""
    seen, start = [], clock.now()
    for private in ((), ("My numbers came back bad from the lab", "I will see a lawyer about it")):
        clock.set(start)
        memory = opened(open_memory, "desk")
        alice = memory.as_user("alice", **GROUP)
        for text in private:
            alice.remember(text, space={"user": "alice"})
        clock.advance(1)
        alice.remember(HARMLESS, space={"user": "alice"})
        memory.store.judge()
        seen.append([item.to_dict() for item in alice.list()])
        assert len(texts_alone(memory)) == len(private) + 1
    assert [one["text"] for one in seen[0]] == [HARMLESS]
    assert seen[0] == seen[1]


def test_the_trail_records_who_judged_what_and_never_the_text(open_memory: Open) -> None:
    memory = opened(open_memory, "desk")
    memory.as_user("alice").remember(HARMLESS)
    memory.store.judge()
    events = [line["event"] for line in memory.as_system().trail.export() if "event" in line]
    [event] = [one for one in events if one["action"] == "judge"]
    told = json.dumps(event)
    assert "keyword-1" in told
    assert "sensitivity_judged" in told
    assert "system" in told
    assert HARMLESS not in told
    assert memory.trail.verify().broken == ()


def test_a_new_wording_and_a_summary_are_released_no_further_than_their_source(open_memory: Open) -> None:
    memory = opened(open_memory, "desk")
    alice = memory.as_user("alice")
    grave = alice.remember("My numbers came back bad from the lab")
    reworded = alice.correct(grave.id, text="My desk numbers came back bad")
    derived = alice.remember("I stay at my desk", derived_from=[reworded.id])
    memory.store.judge()
    found = {item.id: item.sensitivity for item in alice.list()}
    assert found == {reworded.id: Sensitivity.SENSITIVE, derived.id: Sensitivity.SENSITIVE}


@pytest.mark.parametrize(("who", "level"), [("alice", "public"), ("bob", "personal")])
def test_only_the_person_concerned_declassifies(open_memory: Open, who: str, level: str) -> None:
    """A member of the project may put a statement right, but not say for its speaker that it is not private."""
    memory = opened(open_memory)
    project = {"project": "apollo"}
    for user in ("alice", "bob"):
        memory.member.add(project, user=user, trust="approver")
    said = memory.as_user("alice", **project).remember("I have a rash", space=project, sensitivity="personal")
    corrected = memory.as_user(who, **project).correct(said.id, text="I had a rash", sensitivity="public")
    assert corrected.item is not None, corrected
    assert corrected.item.sensitivity == level


# -- in the background -------------------------------------------------------------------------------------------------


def test_a_restart_between_write_and_judgement_loses_nothing(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock, classifier=Keyword("desk"), judge="on_demand") as one:
        one.chat.register("family", kind="group", participants=["alice", "bob", "carol"])
        one.as_user("alice", **GROUP).remember(HARMLESS, space={"user": "alice"})
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock, classifier="none") as two:
        two.chat.register("family", kind="group", participants=["alice", "bob", "carol", "dan"])
        assert HARMLESS not in texts_in_group(two, "bob")
        assert two.store.info().not_judged == 1
    with Memory(SqliteStore(path, ballast_bytes=0), clock=clock, classifier=Keyword("desk"), judge="on_demand") as last:
        assert last.store.judge().released == 1
        assert HARMLESS in texts_in_group(last, "bob")


def test_the_background_thread_judges_what_is_written_and_what_was_left(open_memory: Open) -> None:
    memory = open_memory(classifier=Keyword("desk"))
    memory.as_user("alice").remember(HARMLESS)
    _wait_until(lambda: memory.store.judge_status().left == 0)
    [item] = memory.as_user("alice").list()
    assert (item.sensitivity, item.version) == (Sensitivity.PUBLIC, 2)


def _wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(1000):
        if holds():
            return
        threading.Event().wait(0.01)
    raise AssertionError("the thread did not do it in ten seconds")


def test_a_failing_classifier_stops_no_write_and_opens_nothing(open_memory: Open) -> None:
    class Broken:
        name = "broken"

        def judge(self, texts: Sequence[str]) -> list[HeadJudgement]:
            raise RuntimeError("out of memory")

    memory = open_memory(classifier=Broken(), judge="on_demand")
    memory.as_user("alice").remember(HARMLESS)
    with pytest.raises(Exception, match="classifier `broken`: it failed with RuntimeError"):
        memory.store.judge()
    assert memory.store.info().not_judged == 1


def test_no_write_calls_the_classifier(open_memory: Open) -> None:
    model = Keyword("desk")
    memory = open_memory(classifier=model, judge="on_demand")
    memory.as_user("alice").remember(HARMLESS)
    memory.as_user("alice").remember_many([HARMLESS + " again", "I like the view"])
    assert model.texts == []
    memory.store.judge()
    assert len(model.texts) == 3  # the positive control


# -- the promise to who writes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", preset_names())
@pytest.mark.parametrize("sensitivity", [None, *Sensitivity])
def test_a_write_can_be_read_back_outside_chats(open_memory: Open, preset: str, sensitivity: str | None) -> None:
    places = {"workspace": "w", "project": "p", "session": "s", "org": "o", "role": "r"}
    memory = open_memory(classifier=Keyword(), judge="on_demand", policy=_allowing(preset))
    alice = memory.as_user("alice", **{name: id for name, id in places.items() if name in _STANDS.get(preset, ())})
    kept = alice.remember(HARMLESS, sensitivity=sensitivity)
    assert kept.item is not None, kept
    assert alice.get(kept.id).text == HARMLESS
    memory.store.judge()
    assert alice.get(kept.id).text == HARMLESS


_STANDS = {"research": {"workspace"}, "scoped": {"project", "org", "role", "session"}, "deterministic": {"session"}}


def _allowing(preset: str) -> dict[str, Any]:
    rule = {"name": "all", "effect": "allow"}
    return {"extends": preset, **({"governance": [rule]} if preset == "scoped" else {})}


def test_preset_chat_keeps_what_nobody_labelled_public_and_the_encoder_still_raises_it(open_memory: Open) -> None:
    memory = opened(open_memory, "desk", policy="chat")
    alice = memory.as_user("alice", **GROUP)
    alice.remember(HARMLESS, space={"user": "alice"})
    alice.remember("My numbers came back bad from the lab", space={"user": "alice"})
    assert HARMLESS in texts_in_group(memory)
    done = memory.store.judge()
    assert done.raised == 1
    assert HARMLESS in texts_in_group(memory)
    assert "My numbers came back bad from the lab" not in texts_in_group(memory, "bob")


def test_a_space_can_have_rules_of_its_own(open_memory: Open) -> None:
    """The same words and the same encoder: what unknown means, the thresholds and the level of a category differ."""
    clinic = {"level": "project", "id": "clinic", "unknown": "sensitive", "categories": {"career": "sensitive"}}
    memory = open_memory(policy={"sensitivity": {"spaces": [clinic]}})
    at = {name: memory.as_user("alice", project=name) for name in ("clinic", "web")}

    def level(project: str, text: str) -> str:
        item = at[project].remember(text, space={"project": project}).item
        assert item is not None
        return str(item.sensitivity)

    assert [level(name, HARMLESS) for name in at] == ["sensitive", "personal"]
    career = "I am looking for a new job"
    assert [level(name, career) for name in at] == ["sensitive", "personal"]
