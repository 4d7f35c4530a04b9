"""A rejected value does not come back: not in any disguise, not on any path, unless a person says it again."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote

import pytest

from memfort import Denied, InvalidInput
from memfort.testing.messages import messages_of

VALUE = "Alice owes Bob 500 euros"
OTHER = "Alice owes Bob 600 euros"
HOME = {"user": "alice"}


def spell(text: str, letters: dict[str, str]) -> str:
    return "".join(letters.get(letter, letter) for letter in text)


def between(mark: str):
    return lambda text: mark.join(text)


def shifted(first: int):
    """The letters at another place of Unicode, such as bold ones."""
    return lambda text: "".join(chr(first + ord(one) - ord("a")) if "a" <= one <= "z" else one for one in text)


DISGUISES = {
    "the same": lambda text: text,
    "case": str.upper,
    "punctuation": lambda text: f"«{text}»!",
    "zero width space": between("\u200b"),
    "zero width non-joiner": between("\u200c"),
    "zero width joiner": between("\u200d"),
    "word joiner": between("\u2060"),
    "byte order mark": between("\ufeff"),
    "soft hyphen": between("\u00ad"),
    "variation selector": between("\ufe0f"),
    "hangul filler": between("\u3164"),
    "invisible tags": between("\U000e0041"),
    "combining marks": between("\u0301"),
    "letters set apart": between(" "),
    "hyphens": between("-"),
    "bars": between("|"),
    "plus signs": between("+"),
    "emoji": between("🙂"),
    "no spaces": lambda text: text.replace(" ", ""),
    "other spaces": lambda text: text.replace(" ", "\u3000"),
    "cyrillic letters": lambda text: spell(text, {"A": "А", "e": "е", "o": "о", "c": "с", "B": "В", "i": "і"}),
    "greek letters": lambda text: spell(text, {"A": "Α", "o": "ο", "B": "Β", "i": "ι"}),
    "accents": lambda text: spell(text, {"e": "é", "o": "ö", "u": "û"}),
    "full width": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
    "bold": shifted(0x1D41A),
    "circled": shifted(0x24D0),
    "arabic digits": lambda text: spell(text, dict(zip("0123456789", "٠١٢٣٤٥٦٧٨٩", strict=True))),
    "devanagari digits": lambda text: spell(text, dict(zip("0123456789", "०१२३४५६७८९", strict=True))),
    "superscript digits": lambda text: spell(text, dict(zip("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))),
    "percent": quote,
    "every letter percent": lambda text: "".join(f"%{ord(one):02x}" for one in text),
    "percent twice": lambda text: quote(quote(text)),
    "html": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "html in hexadecimal": lambda text: "".join(f"&#x{ord(one):x};" for one in text),
    "html in percent": lambda text: quote("".join(f"&#{ord(one)};" for one in text)),
    "named html": lambda text: html.escape(f"<{text}>"),
    "backslash u": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "backslash x": lambda text: "".join(f"\\x{ord(one):02x}" for one in text),
    "json of full width": lambda text: json.dumps(DISGUISES["full width"](text)),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "only tags": lambda text: "".join(chr(0xE0000 + ord(one)) for one in text) + ".",
    "backwards": lambda text: "\u202e" + text[::-1],
    "another sentence before": lambda text: f"It rained. {text}.",
    "a label before": lambda text: f"Ledger: {text}",
    "a line after": lambda text: f"{text}\nIt rained.",
}
disguised = pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES.keys())
# A disguise that adds words makes another value of it: rejecting that one says nothing about the plain one.
ADDS_WORDS = {"only tags", "backwards", "another sentence before", "a label before", "a line after"}
ONLY_DISGUISES = {name: disguise for name, disguise in DISGUISES.items() if name not in ADDS_WORDS}


@pytest.fixture
def bot(memory):
    memory.agent.register("bot", owner="alice")
    return memory.as_agent("bot", acting_for="alice")


@pytest.fixture
def reject(alice):
    def end(text=VALUE, **fields):
        return alice.review.reject(alice.remember(text, **fields).id)[0]

    return end


# -- the verb ----------------------------------------------------------------------------------------------------------


def test_a_memory_in_force_is_rejected_and_leaves_every_read(memory, alice, clock):
    id = alice.remember(VALUE).id
    before = clock.now()
    clock.advance(1)
    [ended] = alice.review.reject(id)
    assert (ended.status, ended.status_reason) == ("rejected", "rejected")
    assert alice.get(id) is None
    assert not alice.recall("euros")
    assert not alice.recall("euros", as_of=before)
    assert VALUE not in alice.context("euros").text
    assert not list(alice.list())
    assert [one.id for one in alice.list(statuses=["rejected"])] == [id]
    assert alice.explain(id).reason == "rejected"
    assert memory.trail.verify().ok


def test_what_has_ended_cannot_be_rejected_again(alice, reject):
    with pytest.raises(InvalidInput, match="rejected already"):
        alice.review.reject(reject().id)


def test_what_was_derived_ends_with_it(alice):
    id = alice.remember(VALUE).id
    summary = alice.remember("There is a debt", derived_from=[id]).id
    alice.review.reject(id)
    assert alice.get(summary) is None


def test_a_rejection_is_in_the_trace_of_the_call(alice):
    id = alice.remember(VALUE).id
    alice.review.reject(id)
    [ended] = [one for one in alice.trace.show(alice.last_trace).events if one["type"] == "memory_deleted"]
    assert (ended["memory_id"], ended["reason"]) == (id, "rejected")


# -- disguises ---------------------------------------------------------------------------------------------------------


@disguised
def test_a_guess_does_not_bring_it_back_in_disguise(bot, reject, disguise):
    assert bot.remember(disguise(OTHER)).stored
    reject()
    assert bot.remember(disguise(VALUE)).reason == "rejected_before"
    assert bot.check("remember", text=disguise(VALUE)).reason == "rejected_before"


@pytest.mark.parametrize("disguise", ONLY_DISGUISES.values(), ids=ONLY_DISGUISES.keys())
def test_what_was_rejected_in_disguise_does_not_come_back_plainly(bot, reject, disguise):
    reject(disguise(VALUE))
    assert bot.remember(VALUE).reason == "rejected_before"
    assert bot.remember(OTHER).kept


# -- paths -------------------------------------------------------------------------------------------------------------


def by_remember(memory, bot, exported, text):
    return bot.remember(text)


def by_remember_many(memory, bot, exported, text):
    return bot.remember_many([{"text": "It rained"}, {"text": text}])[1]


def by_profile(memory, bot, exported, text):
    return bot.remember(text, kind="profile", key="name")


def by_another_kind(memory, bot, exported, text):
    return bot.remember(text, kind="short_term")


def by_reader_list(memory, bot, exported, text):
    return bot.remember(text, access={"users": ["alice"]})


def by_sensitivity(memory, bot, exported, text):
    return bot.remember(text, sensitivity="sensitive")


def by_subject(memory, bot, exported, text):
    return bot.remember(text, subjects=["@dora"])


def by_answer(memory, bot, exported, text):
    return bot.observe(messages_of("what was it again?", text)).outcomes[1]


def by_tool(memory, bot, exported, text):
    return bot.observe(messages_of(tools=[("ledger", text)])).outcomes[0]


def by_failed_tool(memory, bot, exported, text):
    return bot.observe({"role": "tool", "name": "ledger", "content": text, "ok": False}).outcomes[0]


def by_claimed_origin(memory, bot, exported, text):
    return bot.remember(text, origin="tool")


def by_correct(memory, bot, exported, text):
    return bot.correct(bot.remember("It rained on Monday").id, text)


def by_edit(memory, bot, exported, text):
    return bot.review.edit(bot.remember("It rained on Monday", confidence=0.1).id, text)


def by_derived(memory, bot, exported, text):
    return bot.remember(text, derived_from=[bot.remember("It rained on Monday").id])


def by_restore(memory, bot, exported, text):
    agent = memory.as_agent("bot", acting_for="alice", session="s1")
    place = {"user": "alice", "session": "s1"}
    first = agent.remember(text, space=place).id
    agent.correct(first, "It rained on Monday")
    twin = memory.as_user("alice", session="s1").remember(text.upper(), space=place)
    memory.as_user("alice", session="s1").review.reject(twin.id)
    return agent.restore(first)


def by_promotion(memory, bot, exported, text):
    source = memory.as_user("alice", session="s1").remember(text, space={"user": "alice", "session": "s1"})
    return memory.as_agent("bot", acting_for="alice", session="s1").promote(source.id, HOME)


PATHS = [
    by_remember,
    by_remember_many,
    by_profile,
    by_another_kind,
    by_reader_list,
    by_sensitivity,
    by_subject,
    by_answer,
    by_tool,
    by_failed_tool,
    by_claimed_origin,
    by_correct,
    by_edit,
    by_derived,
    by_promotion,
]
SOME = ["the same", "zero width space", "cyrillic letters", "arabic digits", "html", "backslash u"]


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("path", PATHS)
def test_no_path_brings_it_back(memory, alice, bot, reject, exported, path, name):
    disguise = DISGUISES[name]
    reject()
    assert path(memory, bot, exported, disguise(OTHER)).kept
    outcome = path(memory, bot, exported, disguise(VALUE))
    assert (outcome.kept, outcome.reason) == (False, "rejected_before")
    assert not any(VALUE in text or disguise(VALUE) in text for text in alice.recall("owes euros", limit=50).texts)
    assert memory.trail.verify().ok


def test_restoring_does_not_bring_it_back_by_an_agent(memory, bot, exported):
    assert by_restore(memory, bot, exported, VALUE).reason == "rejected_before"


def test_an_import_does_not_bring_it_back_whoever_imports(open_memory, exported):
    there, here = open_memory(), open_memory()
    for text in (VALUE, OTHER, DISGUISES["soft hyphen"](VALUE)):
        there.as_user("alice").remember(text)
    file = exported(there.as_user("alice"))
    alice = here.as_user("alice")
    alice.review.reject(alice.remember(VALUE).id)
    report = alice.import_(file)
    assert report.counts["kept"] == 1
    assert [one.text for one in alice.list()] == [OTHER]


def test_an_agent_does_not_approve_what_a_person_rejected(alice, bot, reject):
    waits = bot.remember(DISGUISES["soft hyphen"](VALUE), confidence=0.1).id
    reject()
    with pytest.raises(Denied, match="rejected_before"):
        bot.review.approve(waits)
    assert alice.review.approve(waits)


def test_an_agent_lifts_no_rejection_by_erasing(alice, bot):
    id = bot.remember(VALUE).id
    alice.review.reject(id)
    bot.erase(id)
    assert bot.remember(VALUE).reason == "rejected_before"


def test_a_summary_leaves_out_what_was_rejected_since(open_memory):
    from memfort.policy.settings.document import read_policy

    memory = open_memory(
        policy=read_policy('name = "short"\n[budget]\nshort_term = 1\n[conversation]\nturns = "window"\n', "here")
    )
    alice = memory.as_user("alice")
    alice.observe(VALUE)
    alice.review.reject(alice.remember(VALUE).id)
    for turn in ("It rained on Monday", "The sun shone on Tuesday", "It snowed on Friday"):
        summary = alice.observe(turn).summary
    assert "Monday" in summary.text
    assert "500" not in summary.text


# -- who may say it again ----------------------------------------------------------------------------------------------


def test_a_person_may_say_it_again(alice, bot, reject):
    reject()
    assert bot.remember(VALUE).reason == "rejected_before"
    assert alice.remember(VALUE).kept
    assert alice.recall("euros").texts == [VALUE]
    alice.forget(alice.list().items[0].id)
    assert bot.remember(VALUE).reason == "ended_before"  # the rejection is lifted; the words have ended since


def test_a_person_may_say_it_again_in_a_conversation(alice, reject):
    reject()
    turn, *others = alice.observe(VALUE).outcomes
    assert turn.kept
    assert "rejected_before" not in {outcome.reason for outcome in others}


def test_a_longer_statement_of_a_person_lifts_every_rejection_in_it(alice, bot, reject):
    reject()
    reject("The rent is due")
    assert alice.remember(f"{VALUE}. The rent is due.").kept
    assert bot.remember("The rent is due").kept


def test_a_copy_brings_it_back_only_by_who_may_review_there(memory):
    group, launch = {"project": "apollo"}, "we decided to launch in May"
    for trust in ("contributor", "approver", "owner"):
        memory.member.add(group, user=trust, trust=trust)
    owner = memory.as_user("owner", project="apollo")
    owner.review.reject(owner.remember(launch, space=group).id)
    made = {}
    for name in ("contributor", "approver"):
        member = memory.as_user(name, project="apollo", session="s1")
        source = member.remember(launch, space={"user": name, "session": "s1"}, type="decision")
        made[name] = member.promote(source.id, group).reason
    assert made["contributor"] == "rejected_before"
    assert made["approver"] != "rejected_before"


# -- where it holds ----------------------------------------------------------------------------------------------------


def test_a_rejection_for_some_readers_shows_to_nobody_else(memory):
    group, launch = {"project": "apollo"}, "The launch is in May"
    alice, bob, carol = (memory.as_user(name, project="apollo") for name in ("alice", "bob", "carol"))
    id = alice.remember(launch, space=group, access={"users": ["alice", "bob"]}).id
    bob.review.reject(id)
    for readers in (["alice", "bob"], ["alice"]):
        again = alice.remember(launch, space=group, origin="ai", access={"users": readers})
        assert again.reason == "rejected_before"
    assert bob.remember(launch, space=group, origin="ai", access={"users": ["bob"]}).reason == "rejected_before"
    assert carol.remember(launch, space=group, origin="ai").kept


def test_a_rejection_holds_in_its_space(memory, alice, bot, reject):
    reject()
    there = memory.as_agent("bot", acting_for="alice", session="s1")
    assert there.remember(VALUE, space={"user": "alice", "session": "s1"}).kept


def test_who_says_it_again_for_some_readers_lifts_it_for_them_alone(memory):
    ada, bea = (memory.as_user(one, project="apollo") for one in ("ada", "bea"))
    guess = memory.as_agent("bot", owner="bea", acting_for="bea", project="apollo")
    there = {"project": "apollo"}
    bea.review.reject(bea.remember(VALUE, space=there).id)
    assert ada.remember(VALUE, space=there, access={"users": ["ada", "cleo"]}).kept
    assert ada.recall("owes euros").texts == [VALUE]
    assert guess.remember(VALUE, space=there).reason == "rejected_before"  # bea does not notice
    assert ada.remember(VALUE, space=there).kept  # for all who read the space, which lifts it for all
    assert guess.remember(VALUE, space=there).kept
    assert memory.trail.verify().ok
