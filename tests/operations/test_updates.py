"""An update ends what it replaces, and only that."""

from __future__ import annotations

import pytest

from memfort import Memory


@pytest.fixture
def alice():
    with Memory.open(":memory:") as memory:
        yield memory.as_user("alice")


def texts(alice) -> set[str]:
    return {item.text for item in alice.list()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Kate works at Google", "Kate now works at Amazon"),
        ("Kate works at Google", "Kate works at Amazon as of 2026"),
        ("Kate prefers jade", "Now Kate prefers amber"),
        ("I live in Berlin", "Actually I moved to Hamburg"),
        ("The retro is on Thursday", "The retro was moved to Friday"),
        ("Ich wohne in Berlin", "Ich bin nach Hamburg gezogen"),
        ("J'habite à Paris", "J'ai déménagé à Lyon"),
        ("Vivo en Madrid", "Ahora vivo en Sevilla"),
        ("我住在北京", "我搬到上海了"),
    ],
)
def test_an_update_supersedes_what_it_replaces(alice, old, new):
    first = alice.remember(old).item
    second = alice.remember(new).item
    assert texts(alice) == {new}
    ended = next(item for item in alice.history(first.id) if item.id == first.id)
    assert ended.superseded_by == second.id
    alice.restore(first.id)
    assert texts(alice) == {old}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Kate prefers tea", "Kate prefers windows"),
        ("I use Notion", "I switched from Emacs to Vim"),
        ("Ich wohne in Berlin", "Meine Schwester wohnt in Hamburg"),
        ("我住在北京", "我妹妹住在上海"),
    ],
)
def test_what_still_holds_stays(alice, old, new):
    alice.remember(old)
    alice.remember(new)
    assert texts(alice) == {old, new}


@pytest.mark.parametrize(
    ("old", "new", "rest"),
    [
        ("I live in Rome and work at Acme", "I work at Globex now", "I live in Rome"),
        ("Kate lives in Rome and works at Acme", "Kate moved to Oslo", "Kate works at Acme"),
        ("Ich wohne in Ulm und arbeite bei Daimler", "Ich arbeite jetzt bei Audi", "Ich wohne in Ulm"),
        ("我住在成都，在腾讯上班", "我现在在华为上班", "我住在成都"),
    ],
)
def test_an_update_of_one_clause_keeps_the_rest(alice, old, new, rest):
    first = alice.remember(old).item
    outcome = alice.remember(new)
    assert texts(alice) == {new, rest}
    [kept] = [item for item in alice.list() if item.text == rest]
    assert kept.supersedes == first.id
    assert outcome.decision.detail["remaining"] == [kept.id]


def test_a_correction_of_one_clause_keeps_the_rest(alice):
    old = alice.remember("I live in Rome and work at Acme").item
    alice.correct(old.id, "I work at Globex")
    assert texts(alice) == {"I live in Rome", "I work at Globex"}


def test_a_correction_of_the_whole_leaves_no_rest(alice):
    old = alice.remember("I live in Rome and work at Acme").item
    alice.correct(old.id, "I live in Oslo and work at Globex")
    assert texts(alice) == {"I live in Oslo and work at Globex"}


def test_the_rest_is_as_private_as_the_whole(alice):
    alice.remember("I live in Rome and work at Acme", sensitivity="sensitive", tags=["home"])
    alice.remember("I work at Globex now")
    [kept] = [item for item in alice.list() if item.text == "I live in Rome"]
    assert (kept.sensitivity.value, kept.tags) == ("sensitive", ("home",))


def test_in_a_chat_that_may_not_hear_it_the_rest_is_kept_and_not_named():
    with Memory.open(":memory:") as memory:
        memory.as_user("alice").remember("I live in Rome and work at Acme", sensitivity="sensitive")
        memory.chat.register("team", kind="group", participants=["alice", "bob", "carol"])
        group = memory.as_user("alice", chat="team")
        outcome = group.remember("I work at Globex now", space={"user": "alice"})
        assert "remaining" not in outcome.decision.detail
        assert {item.text for item in memory.as_user("alice").list()} >= {"I live in Rome"}
