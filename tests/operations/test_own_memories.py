"""Authors correct and end what they wrote wherever they may write, also where nobody present may hear of it."""

from __future__ import annotations

import json

import pytest

from memfort import Denied, NotFound

TEA = {"chat": "tea"}
WORDS = "quagga"


@pytest.fixture
def chat(memory):
    memory.chat.register("tea", kind="group", participants=["alice", "bob", "carol"])
    return lambda name: memory.as_user(name, chat="tea")


@pytest.fixture
def hidden(chat):
    """A memory of the chat, written by alice, that is personal about bob: the chat may not hear it from her."""
    return (
        chat("alice")
        .remember(
            f"@bob has a {WORDS} phobia",
            space=TEA,
            subjects=["@bob"],
            sensitivity="sensitive",
            tags=[WORDS],
            meta={"note": WORDS},
        )
        .id
    )


def said(answer) -> str:
    return json.dumps(answer.to_dict(), default=str)


def test_the_chat_does_not_hear_it(chat, hidden):
    assert chat("alice").get(hidden) is None
    assert not chat("alice").recall(WORDS)


@pytest.mark.parametrize("dry_run", [True, False])
def test_its_author_forgets_it_by_its_id_and_the_chat_hears_nothing(chat, hidden, dry_run):
    answer = chat("alice").forget(hidden, dry_run=dry_run)
    assert [one.id for one in answer] == [hidden]
    assert WORDS not in said(answer)
    if not dry_run:
        with pytest.raises(NotFound):
            chat("alice").forget(hidden)


def test_the_trace_of_the_call_says_nothing_of_it(chat, hidden):
    alice = chat("alice")
    alice.forget(hidden)
    assert WORDS not in json.dumps(alice.trace.show(alice.last_trace).events, default=str)


def test_its_author_erases_it(memory, chat, hidden):
    receipt = chat("alice").erase(hidden)
    assert [id for _, id in receipt.items] == [hidden]
    assert WORDS not in said(receipt)
    assert chat("alice").verify_erasure(receipt.id).ok


def test_its_author_corrects_it(memory, chat, hidden):
    outcome = chat("alice").correct(hidden, "@bob has a fear of heights", sensitivity="sensitive")
    assert outcome.kept
    assert WORDS not in said(outcome)
    assert outcome.item.text == "@bob has a fear of heights"
    with pytest.raises(NotFound):
        chat("alice").correct(hidden, "@bob has a fear of mice")


def test_its_author_rejects_it(chat, hidden):
    [answer] = chat("alice").review.reject(hidden)
    assert (answer.id, answer.status) == (hidden, "rejected")
    assert WORDS not in said(answer)


def test_check_says_so(chat, hidden):
    for verb in ("forget", "erase", "correct", "reject"):
        assert chat("alice").check(verb, id=hidden).reason == "visible"
        assert chat("carol").check(verb, id=hidden).reason == "not_found"


def test_for_others_there_it_does_not_exist(chat, hidden):
    carol = chat("carol")
    for end in (carol.forget, carol.erase, carol.review.reject):
        with pytest.raises(NotFound):
            end(hidden)
    with pytest.raises(NotFound):
        carol.correct(hidden, "nothing")
    assert chat("alice").forget(hidden)


def test_the_beginning_of_its_id_does_not_find_it(chat, hidden):
    with pytest.raises(NotFound):
        chat("alice").forget(hidden[:-4])
    assert chat("alice").forget(hidden)


def test_an_author_who_may_not_write_any_more_ends_nothing(memory, chat, hidden):
    memory.chat.register("tea", kind="group", participants=["bob", "carol"])
    with pytest.raises(Denied, match="not_a_participant"):
        chat("alice").forget(hidden)
    memory.member.add({"project": "apollo"}, user="alice", trust="contributor")
    alice = memory.as_user("alice", project="apollo")
    plan = alice.remember("the launch is in May", space={"project": "apollo"}).id
    memory.member.add({"project": "apollo"}, user="alice", trust="viewer")
    with pytest.raises(Denied, match="read_only_here"):
        alice.forget(plan)
    memory.member.add({"project": "apollo"}, user="alice", trust="contributor")
    assert alice.forget(plan)


def test_ones_own_memory_of_a_private_chat_is_ended_from_a_group(memory, chat):
    memory.chat.register("aside", kind="private", participants=["alice"], agents=[])
    id = memory.as_user("alice", chat="aside").remember(f"I own a {WORDS}").id
    answer = chat("alice").forget(id)
    assert ([one.id for one in answer], WORDS in said(answer)) == ([id], False)
