"""What a chat may not hear, no verb names there: not a read, not a preview, not the answer of a write. A word or an id
of such a memory stands nowhere in the answer, and as many things are counted as if it did not exist.

Each call is made in a group and, as its control, outside any chat, where it names some of the memories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from memfort import BoundMemory, MemfortError, Memory
from memfort.operations.table import TABLE, Effect

pytestmark = pytest.mark.fails_closed  # the policy as it is, which takes nothing unlabelled for public

PEOPLE = ["alice", "bob", "carol"]
_WORD = "ledger"  # of every memory
_ALWAYS = "2020-01-01T00:00:00Z"


class Withheld:
    """Alice's memories that a group may not hear, and one that it may."""

    def __init__(self, open_memory: Callable[..., Memory], *, withheld: bool = True) -> None:
        self.memory = open_memory(classifier="none")
        self.memory.chat.register("group", kind="group", participants=PEOPLE)
        self.memory.chat.register("pair", kind="private", participants=["alice", "bob"])
        self.ids: dict[str, str] = {}
        self.alone, self.here = self.memory.as_user("alice"), self.memory.as_user("alice", chat="group")
        self.heard = self.alone.remember(f"The {_WORD} is blue", sensitivity="public")
        if withheld:
            self._fill(self.memory.as_user("alice", chat="pair"))

    def _fill(self, pair: BoundMemory) -> None:
        alone, sensitive = self.alone, {"sensitivity": "sensitive"}
        self._keep("ill", alone.remember(f"I have {_WORD} zqill cancer", **sensitive))
        self._keep("alone", pair.remember(f"The {_WORD} zqalone merges", sensitivity="public"))
        self._keep("of_bob", alone.remember(f"Bob's {_WORD} zqbob is empty", subjects=["@bob"], sensitivity="personal"))
        older = alone.remember(f"I owe {_WORD} zqolder", kind="profile", key="zqkey", **sensitive)
        self._keep("older", older)
        self._keep("newer", alone.correct(self.ids["older"], f"I owe {_WORD} zqnewer"))
        self._keep("gone", alone.remember(f"I lost {_WORD} zqgone", **sensitive))
        alone.forget(self.ids["gone"])
        self._keep("waits", alone.remember(f"My {_WORD} zqwaits hurts", confidence=0.3, tags=["zqwaits"], **sensitive))
        erased = alone.remember(f"I sold {_WORD} zqerased", **sensitive)
        self._keep("erased", erased)
        alone.erase(self.ids["erased"])
        alone.people.add("zqmarta", relation="sister")
        turn = {"role": "user", "content": f"I take {_WORD} zqturn pills for my depression", "id": "one"}
        seen = alone.observe([turn])
        self.ids |= {f"turn {number}": one.id for number, one in enumerate(seen.turns)}
        self._import(alone)
        self._keep("derived", alone.remember(f"I owe {_WORD} zqderived", derived_from=[self.ids["ill"]], **sensitive))

    def _import(self, alone: BoundMemory) -> None:
        data = msgspec.json.encode([{"id": "1", "memory": f"I hid {_WORD} zqhidden", "user_id": "alice"}])
        alone.import_(data, filename="zqhidden.json")

    def _keep(self, name: str, outcome: Any) -> None:
        self.ids[name] = outcome.id

    def named_in(self, answer: str, *, but: str = "") -> set[str]:
        words = {f"zq{name}" for name in _MARKS if f"zq{name}" in answer}
        return words | {name for name, id in self.ids.items() if id in answer and id != but}


_MARKS = (
    "ill",
    "alone",
    "bob",
    "older",
    "newer",
    "key",
    "gone",
    "waits",
    "erased",
    "marta",
    "turn",
    "hidden",
    "derived",
)


def answer_of(call: Callable[[], Any]) -> str:
    """An answer as JSON; an error as it is printed."""
    try:
        given = call()
    except MemfortError as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(given, Iterator):
        given = list(given)
    return msgspec.json.encode(given, enc_hook=_plain).decode()


def _plain(value: Any) -> Any:
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


# Every call that names no memory: by the row of the table, with how it is called.
CALLS: dict[str, list[Callable[[BoundMemory], Any]]] = {
    "recall": [
        lambda me: me.recall(_WORD, limit=100),
        lambda me: me.recall(_WORD, explain=True),
        lambda me: me.recall(f"what do you know about @bob? {_WORD}"),
        lambda me: me.recall(_WORD, as_of="2100-01-01T00:00:00Z"),
    ],
    "context": [lambda me: me.context(_WORD, limit=100), lambda me: me.context("")],
    "list": [
        lambda me: me.list(limit=100, statuses=["approved", "pending", "superseded", "rejected"], deleted=True),
        lambda me: me.list(keys=["zqkey"]),
    ],
    "get": [lambda me: me.get(key="zqkey", space={"user": "alice"})],
    "about": [lambda me: me.about("@alice"), lambda me: me.about("@bob")],
    "export": [lambda me: me.export()],
    "window": [lambda me: me.window(), lambda me: me.window(space={"user": "alice"})],
    "people.find": [lambda me: me.people.find("my sister")],
    "people.list": [lambda me: me.people.list()],
    "subject.export": [lambda me: me.subject.export("@alice"), lambda me: me.subject.export("@bob")],
    "subject.erase": [lambda me: me.subject.erase("@alice", dry_run=True)],
    "people.forget": [
        lambda me: me.people.forget("@alice", dry_run=True),
        lambda me: me.people.forget("@bob", dry_run=True, erase=True),
        lambda me: me.people.forget("@alice", which="both", dry_run=True, erase=True),
    ],
    "forget": [
        lambda me: me.forget(query=_WORD, dry_run=True),
        lambda me: me.forget(scope={"user": "alice"}, dry_run=True),
        lambda me: me.forget(since=_ALWAYS, dry_run=True),
        lambda me: me.forget(author="me", dry_run=True),
    ],
    "erase": [
        lambda me: me.erase(query=_WORD, dry_run=True),
        lambda me: me.erase(scope={"user": "alice"}, dry_run=True),
        lambda me: me.erase(since=_ALWAYS, dry_run=True),
        lambda me: me.erase(person="@alice", dry_run=True),
    ],
    "undo": [lambda me: me.undo(since=_ALWAYS, dry_run=True), lambda me: me.undo(author="me", dry_run=True)],
    "erasures": [lambda me: me.erasures()],
    "sources": [lambda me: me.sources()],
    "extraction.list": [lambda me: me.extraction.list()],
    "review.list": [lambda me: me.review.list()],
    "phase.list": [lambda me: me.phase.list()],
    "shares": [lambda me: me.shares()],
    "share_changes": [lambda me: me.share_changes()],
    "trail.list": [lambda me: me.trail.list(limit=100), lambda me: me.trail.list(limit=1)],
    "trail.export": [lambda me: me.trail.export()],
    "trace.list": [lambda me: me.trace.list(limit=100)],
    "policy.simulate": [lambda me: me.policy.simulate("chat")],
    "doctor": [lambda me: me.doctor()],
}
# Those that answer for a memory by its id; the last ones change it.
BY_ID: dict[str, Callable[[BoundMemory, str], Any]] = {
    "get": lambda me, one: me.get(one),
    "history": lambda me, one: me.history(one),
    "explain": lambda me, one: me.explain(one),
    "related": lambda me, one: me.related(one),
    "edges": lambda me, one: me.edges(one),
    "used": lambda me, one: me.used(one),
    "check": lambda me, one: [me.check(verb, id=one) for verb in ("get", "history", "used", "forget", "erase")],
    "forget": lambda me, one: me.forget(one, dry_run=True),
    "erase": lambda me, one: me.erase(one, dry_run=True),
    "promote": lambda me, one: me.promote(one, {"chat": "group"}),
    "restore": lambda me, one: me.restore(one),
    "review.approve": lambda me, one: me.review.approve(one),
    "review.reject": lambda me, one: me.review.reject(one),
    "correct": lambda me, one: me.correct(one, "The weather is fine"),
    "review.edit": lambda me, one: me.review.edit(one, "The weather is fine"),
}
# Reads that name no memory, or that are refused in a chat.
OTHERS = {
    "compare",
    "spaces",
    "standings",
    "people.get",
    "people.relations",
    "phase.diff",
    "verify_erasure",
    "trace.show",
}


# What is drawn anew, and hashes over it.
_RANDOM = re.compile(r"(trc|era|und|rel)_[a-z0-9]+|[0-9a-f]{16,}")
# Calls that name nothing of these memories outside chats either.
NAMES_NONE = {"extraction.list", "phase.list", "shares", "share_changes", "doctor", "trace.list"}


def test_every_read_is_asked() -> None:
    reads = {name for name, row in TABLE.items() if row.effect is Effect.READ}
    assert reads <= {*CALLS, *BY_ID, *OTHERS}, "a new read: ask it here"


@pytest.mark.parametrize("verb", CALLS)
def test_a_chat_is_told_as_if_what_it_may_not_hear_did_not_exist(open_memory: Callable[..., Memory], verb: str) -> None:
    """The same answer as in a store without those memories, but for ids that are drawn anew in every call."""
    store, without = Withheld(open_memory), Withheld(open_memory, withheld=False)
    for call in CALLS[verb]:
        answer = answer_of(lambda call=call: call(store.here))
        assert store.named_in(answer) == set()
        assert _RANDOM.sub("*", answer) == _RANDOM.sub("*", answer_of(lambda call=call: call(without.here)))


@pytest.mark.parametrize("verb", sorted(CALLS.keys() - NAMES_NONE))
def test_its_control_names_some_of_them_outside_any_chat(open_memory: Callable[..., Memory], verb: str) -> None:
    store = Withheld(open_memory)
    assert any(store.named_in(answer_of(lambda call=call: call(store.alone))) for call in CALLS[verb])


@pytest.mark.parametrize("verb", BY_ID)
def test_an_id_of_what_a_chat_may_not_hear_leads_to_no_word_and_no_other_id(
    open_memory: Callable[..., Memory], verb: str
) -> None:
    names = set(Withheld(open_memory).ids) - ({"alone"} if verb == "promote" else set())  # promoting says it there
    for name in names:
        store = Withheld(open_memory)
        asked = store.ids[name]
        answer = answer_of(lambda store=store, asked=asked: BY_ID[verb](store.here, asked))
        assert store.named_in(answer, but=asked) == set(), name


@pytest.mark.parametrize("verb", sorted(BY_ID.keys() - {"check"}))
def test_its_control_leads_to_words_outside_any_chat(open_memory: Callable[..., Memory], verb: str) -> None:
    found: set[str] = set()
    for name in ("ill", "of_bob", "older", "newer", "waits"):
        store = Withheld(open_memory)
        asked = store.ids[name]
        found |= store.named_in(answer_of(lambda store=store, asked=asked: BY_ID[verb](store.alone, asked)), but=asked)
    assert found


def test_the_id_of_a_preview_follows_from_what_it_lists(open_memory: Callable[..., Memory]) -> None:
    stores = [Withheld(open_memory, withheld=withheld) for withheld in (True, False)]
    assert len({one.here.subject.erase("me", dry_run=True).id for one in stores}) == 1
    assert len({one.alone.subject.erase("me", dry_run=True).id for one in stores}) == 2
