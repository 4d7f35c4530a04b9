"""Room stories: histories in which people talk in chats, for a purge test of one room.

Three parties act, and here a party is not a person but a place in the proof:

* **bea** is the user bea in one room. What she is told there is compared.
* **apart** is everything that is not for that room, whoever does it: ada, cleo, and bea herself in other rooms. Some of
  it bea would see from elsewhere; this room must not notice.
* **between** is everything else that people say, which the room may hear or not. It is never left out, so nothing that
  between does may hang on what was done apart.

So a story played again without what was done apart must give bea, in her room, the same bytes. What may be done apart
is decided in two places: `_Writer._is_apart` for statements and `_Writer._may_make` for persons, by the rules in
`memfort.testing.rooms`.

People are known by name as well. Between and bea enter them in the directory, which all may notice; apart, they are
made only where the room does not know of them, and only persons of that kind are changed there.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfort.memory import Memory
from memfort.memory.bound import BoundMemory
from memfort.memory.input import readers_of
from memfort.model.actor import SYSTEM, Actor, ActorKind
from memfort.model.hearing import label, label_text
from memfort.model.item import Kind, Readers, Sensitivity, Status, memory_id
from memfort.model.person import person_id
from memfort.model.space import Space
from memfort.policy.document import policy_of
from memfort.policy.settings import Policy
from memfort.testing.cast import BEA, CLEO, held
from memfort.testing.histories import (
    NOBODY,
    Difference,
    History,
    OpenMemory,
    Step,
    Talk,
    Transcript,
    Voice,
    World,
    compared,
    play,
)
from memfort.testing.rooms import GROUP, PRIVATE, Chats, Known, Listener, Said
from memfort.testing.story_words import node

APART, OBSERVER, BETWEEN = "apart", "bea", "between"
ADA_NAMES = ("ada", "bea2", "Bea", "bea@")
APOLLO = {"project": "apollo"}

# Statements that bea and those apart make, word for word the same; and others out of the same words.
IMPLIED = "Sarah prefers tea at the harbor"  # about somebody, if there is anybody called so
COMMON = (
    "coffee at the harbor", "the budget on friday", "tea for the launch", "coffee coffee tea", "the merger", IMPLIED,
)  # fmt: skip
BETWEEN_THEM = ("coffee with the budget", "the harbor launch on friday", "tea, not coffee", "a merger for tea")
ALONE_THEIRS = ("coffee in the harbor, number", "tea budget number", "the launch coffee number", "friday merger number")
FIRST_PERSON = ("I prefer coffee", "I like tea at the harbor")
_FIRST_PERSON = ("I ", "we ")
GRAVE = "dora has diabetes and drinks coffee"  # sensitive by its words
_EVERYBODYS = frozenset((*COMMON, *FIRST_PERSON, GRAVE))
QUERIES = ("coffee", "the harbor launch", "budget friday", "merger tea", "dora coffee", "number harbor", "number")
WAITS = (1, 31, 3_600)

# Names that bea and those apart use, as others do in the directory; names that are used only between; and names for
# whom bea knows from other rooms.
NAMES, NAMES_BETWEEN, OWN_NAMES = ("Sarah", "Tom", "my wife"), ("Nina", "my sister"), ("Zoe", "Zack")
LISTED_NAMES = ("Sarah", "Tom", "Nina", "Sarah Smith")
TERMS = {"my wife": "wife", "my sister": "sister"}
REFERENCES = ("Sarah", "Tom", "Zoe", "Vera", "sal", "my wife", "me", "@bea", "@cleo")

_WAYS = [
    {"from_level": "session", "to_level": "project"},
    {"from_level": "user", "to_level": "project"},
    {"from_level": "chat", "to_level": "project"},
    {"from_level": "session", "to_level": "chat"},
]
_FADING = {
    "retention": {"semantic": {"fact": {"mode": "ttl", "ticks": 3}, "context": {"mode": "decay", "ticks": 2}}},
    "budget": {"short_term": 2, "semantic": 3, "space": 4, "when_full": "evict"},
}


def room_policy(rule: str, provenance: str, *, fading: bool) -> Policy:
    made = {
        "name": f"{rule} {provenance}{' fading' if fading else ''}",
        "disclosure": {"rule": rule, "missing_provenance": provenance},
        "spaces": {"promotions": _WAYS},
        **(_FADING if fading else {}),
    }
    return policy_of(made)


_POLICIES = {
    (rule, provenance, fading): room_policy(rule, provenance, fading=fading)
    for rule in ("strict", "participants")
    for provenance in ("closed", "open")
    for fading in (False, True)
}


_FADING_NAMES = {policy.name for (_, _, fading), policy in _POLICIES.items() if fading}


def generate_room(seed: int, length: int = 32) -> History:
    """The room story of a seed: always the same one."""
    return _Writer(random.Random(seed)).history(seed, length)


def room_difference(
    story: History, open_memory: OpenMemory, other: Callable[[History], History] = lambda story: story.without(APART)
) -> Difference | None:
    """The first answer in which bea, in her room, could tell a story from another: from the one without what was done
    apart. Ticks are looked at only where the policy goes by them: see `_Writer`."""
    left, right = play(story, open_memory), play(other(story), open_memory)
    if story.world.policy.name not in _FADING_NAMES:
        left, right = _without_ticks(left), _without_ticks(right)
    return compared(left, right, OBSERVER)


_TICK = re.compile(rb'"created_tick": \d+')


def _without_ticks(told: dict[str, Transcript]) -> dict[str, Transcript]:
    return {party: [(step, _TICK.sub(b"", answer)) for step, answer in said] for party, said in told.items()}


def without_files(story: History) -> History:
    """The same story, in which what lies out of bea's sight has no tags: those are not told with it."""
    hers = [held(step.voice) for step in story.steps if step.voice.party == OBSERVER]
    shares = [step.given["space"] for step in story.steps if step.verb == "share"]

    def bare(step: Step) -> Step:
        space = step.given.get("space") or {}
        is_seen = space in shares or any(space.items() <= places.items() for places in hers)
        if step.verb != "remember" or step.voice.party == OBSERVER or is_seen:
            return step
        return replace(step, given={name: value for name, value in step.given.items() if name != "tags"})

    return replace(story, steps=tuple(map(bare, story.steps)))


@dataclass(frozen=True)
class _Memory:
    """A memory that should be there by now."""

    voice: Voice
    said: Said
    id: str
    text: str
    waits: bool


@dataclass(frozen=True)
class _Somebody:
    """A person who should be known by now."""

    voice: Voice
    known: Known
    id: str
    name: str


@dataclass(frozen=True)
class AtDirectory(Voice):
    """Somebody at the directory of people: what they do are its verbs."""

    def bound(self, memory: Memory) -> Any:
        return _Directory(super().bound(memory))


class _Directory:
    def __init__(self, bound: BoundMemory) -> None:
        self._bound = bound
        self.trace = bound.trace

    @property
    def last_trace(self) -> str | None:
        return self._bound.last_trace

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._bound.people, verb)


def _asking(voice: Voice, verb: str, traced: bool = False, **given: Any) -> Step:
    return Step(AtDirectory(voice.party, voice.actor, voice.places), verb, given, traced=traced)


class _Cast:
    """Who takes part, which chats there are before and after the directory changes, and which room bea is in."""

    def __init__(self, rng: random.Random) -> None:
        self.ada = rng.choice(ADA_NAMES)
        (self.rule, self.provenance, self.fading), self.policy = rng.choice(list(_POLICIES.items()))
        self.memberships = rng.choice(("trusted", "registered"))
        self.before = self._chats(rng)
        self.room = rng.choice((None, None, "team", "team", "dm", "adm", "nook", "den"))
        self.change = self._change(rng)
        self.shares = rng.random() < 0.4  # whether cleo lets bea read what is hers
        self.users = {"ada": self.ada, "bea": BEA, "cleo": CLEO}
        # Who says in this story that somebody with a name is a user, and which; and whether ada calls herself Sarah.
        self.linker = rng.choice((self.ada, CLEO, None))  # `None`: the system
        self.linked = rng.choice((BEA, BEA, BEA, self.ada, CLEO))
        self.is_sarah = rng.random() < 0.2

    @property
    def world(self) -> World:
        agents = (("ada-bot", self.ada), ("bea-bot", BEA), ("cleo-bot", CLEO))
        groups = (("project", "apollo", (self.ada, BEA, CLEO), ()),)
        return World(self.memberships, agents, groups, policy=self.policy, chats=self.before)

    @property
    def states(self) -> tuple[Chats, Chats]:
        """The directory as it is at first, and after the change in the middle."""
        first = {id: (kind, frozenset(users)) for id, kind, users in self.before}
        id, kind, users = self.change
        return first, {**first, id: (kind, frozenset(users))}

    def listeners(self, *, everywhere: bool, from_now: int = 0) -> list[Listener]:
        """Bea in her room, or in all of them, at any time from the first or the second state of the directory on."""
        rooms = self.rooms_of(BEA) if everywhere else [self.room]
        shared = frozenset({Space.of({"user": CLEO})}) if self.shares else frozenset[Space]()
        rules = {"participants": self.rule == "participants", "open": self.provenance == "open"}
        voices = [voice for room in rooms for voice in self.voices_in(OBSERVER, BEA, room)]
        return [Listener(voice, chats, **rules, shared=shared) for voice in voices for chats in self.states[from_now:]]

    def could_be(self, speaker: str | None) -> frozenset[str]:
        """The users whom somebody could mean by a name: that it is one of them counts for who said so, and for all if
        the system did."""
        linked = {f"@{self.linked}"} if self.linker in {None, speaker} else set()
        return frozenset(linked | ({f"@{self.ada}"} if self.is_sarah else set()))

    def rooms_of(self, user: str) -> list[str | None]:
        taking_part = {id for chats in self.states for id, (_, users) in chats.items() if user in users}
        return [None, "den", *sorted(taking_part - {"den"})]

    def voices_in(self, party: str, user: str, room: str | None) -> list[Voice]:
        """A user in a room, with and without the project at hand; and an agent that acts for them there."""
        person = Actor(ActorKind.USER, user)
        bot = {self.ada: "ada-bot", BEA: "bea-bot", CLEO: "cleo-bot"}[user]
        chat = {} if room is None else {"chat": room}
        places: list[tuple[Actor, dict[str, str]]] = [
            (person, chat),
            (person, {**chat, **APOLLO}),
            (person, {**chat, **APOLLO, "session": "out"}),
            (Actor(ActorKind.AGENT, bot, acting_for=user, owner=user), {**chat, **APOLLO}),
        ]
        return [Voice(party, actor, tuple(where.items())) for actor, where in places]

    def _chats(self, rng: random.Random) -> tuple[Talk, ...]:
        team = (BEA, CLEO, self.ada) if rng.random() < 0.6 else (BEA, CLEO)
        return (
            ("team", GROUP, team),
            ("crowd", GROUP, (self.ada, CLEO)),
            ("dm", PRIVATE, (BEA, CLEO)),
            ("adm", PRIVATE, (BEA, self.ada)),
            ("tete", PRIVATE, (self.ada, CLEO)),
            ("nook", PRIVATE, (BEA,)),
        )

    def _change(self, rng: random.Random) -> Talk:
        """Somebody comes or goes, or an unknown chat becomes known; in bea's own room more often than elsewhere."""
        every = (self.ada, BEA, CLEO)
        changes: tuple[Talk, ...] = (
            ("team", GROUP, (BEA, CLEO)),
            ("team", GROUP, every),
            ("crowd", GROUP, every),
            ("dm", PRIVATE, every),
            ("adm", PRIVATE, every),
            ("adm", PRIVATE, (BEA,)),
            ("nook", PRIVATE, (BEA, self.ada)),
            ("den", GROUP, every),
            ("den", PRIVATE, (BEA, CLEO)),
        )
        here = [change for change in changes if change[0] == self.room]
        return rng.choice(here if here and rng.random() < 0.6 else changes)


class _Writer:
    """Writes one room story. Whatever it chooses, it chooses with the one generator it was given."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._cast = cast = _Cast(rng)
        self._here = cast.listeners(everywhere=False)
        self._anywhere = cast.listeners(everywhere=True)
        self._memories: dict[str, list[_Memory]] = {APART: [], OBSERVER: [], BETWEEN: []}
        self._numbers: Counter[tuple[Any, ...]] = Counter()
        self._known: set[tuple[Any, ...]] = set()
        self._people: dict[str, list[_Somebody]] = {APART: [], OBSERVER: [], BETWEEN: []}
        self._gone: list[_Somebody] = []  # who turned out to be somebody else apart, or was dropped
        self._person_numbers: Counter[tuple[Any, ...]] = Counter()
        self._sides: dict[tuple[Any, ...], bool] = {}
        self._unique = 0
        # Whether bea herself does something in other rooms. Her own trail tells of it wherever she reads it; and in a
        # space of one's own, what was said in other rooms counts for ages and budgets.
        self._bea_is_elsewhere = not cast.fading and rng.random() < 0.7
        # A story keeps to a few standpoints, so that what is done meets.
        self._voices = {
            OBSERVER: rng.sample(cast.voices_in(OBSERVER, BEA, cast.room), 2),
            BETWEEN: [self._somebody(BETWEEN, user) for user in (cast.ada, CLEO, CLEO)],
            APART: [self._somebody(APART, user) for user in (cast.ada, cast.ada, CLEO, CLEO)],
        }
        if self._bea_is_elsewhere:
            self._voices[BETWEEN].append(self._somebody(BETWEEN, BEA))
            self._voices[APART] += [self._somebody(APART, BEA), self._somebody(APART, BEA)]

    def history(self, seed: int, length: int) -> History:
        steps: list[Step] = []
        if self._cast.shares:
            cleo = Voice(BETWEEN, Actor(ActorKind.USER, CLEO))
            steps.append(Step(cleo, "share", {"space": {"user": CLEO}, "user": BEA}))
        change = self._rng.randint(length // 3, length)
        while len(steps) < length:
            if len(steps) >= change > 0:
                id, kind, users = self._cast.change
                steps.append(Step(NOBODY, "register_chat", {"id": id, "kind": kind, "users": users}))
                change = 0
                steps += self._no_longer_heard()
            if self._rng.random() < 0.1:
                steps += self._rng.choice(
                    (self._let_out, self._made_of_hers, self._said_twice, self._crowded, self._said_alike)
                )()
            if self._rng.random() < 0.08:
                scenes = (scene() for scene in self._rng.sample(self._scenes_of_people, 5))
                steps += next((scene for scene in scenes if scene), [])
            party = self._rng.choices((APART, OBSERVER, BETWEEN, "nobody"), (38, 36, 18, 8))[0]
            steps += self._upkeep() if party == "nobody" else self._step(party)
        return History(seed, self._cast.world, (*steps, *self._census()))

    def _somebody(self, party: str, user: str) -> Voice:
        rooms = self._cast.rooms_of(user)
        if party == APART and user == BEA:
            rooms = [room for room in rooms if room != self._cast.room]
        return self._rng.choice(self._cast.voices_in(party, user, self._rng.choice(rooms)))

    # -- what may be done apart

    def _is_apart(self, readings: Sequence[Said]) -> bool:
        """Whether none of what may come of a statement is for bea's room, as it is now or will be. A statement that is
        not an enduring fact stands on one shelf with those that are, and is judged as if it were one."""
        return not any(one.may_notice(reading) for one in self._here for reading in readings)

    def _needs_own_words(self, voice: Voice, readings: Sequence[Said]) -> bool:
        """Whether something has to be said apart in words that nobody else uses. What bea sees from another room is
        hers to know: the same words from her are a duplicate of it in every room. And her own calls have names, which
        tell one from the other if she says the same at the same moment."""
        is_known = any(one.may_notice(reading) for one in self._anywhere for reading in readings)
        return is_known or (voice.actor is not None and voice.actor.user == BEA)

    def _may_make(self, voice: Voice, known: Known) -> bool:
        """Whether a party may make somebody known there. Apart, not if bea's room may know of it. And whoever is made
        takes the next number of a sequence, so each sequence is used either apart or not."""
        assert voice.actor is not None
        is_apart = voice.party == APART
        if is_apart and any(one.may_know(known) for one in self._here):
            return False
        return self._sides.setdefault((known.home, known.readers, voice.actor.key), is_apart) == is_apart

    def _name(self, voice: Voice, known: Known) -> str:
        """A name for somebody there. Whom bea knows from another room, she means by the name in every room."""
        assert voice.actor is not None
        if voice.party != APART:
            return self._rng.choice(NAMES if voice.party == OBSERVER else NAMES_BETWEEN)
        is_hers = voice.actor.user == BEA or any(one.may_know(known) for one in self._anywhere)
        return self._rng.choice(OWN_NAMES if is_hers else NAMES)

    def _own_words(self) -> str:
        self._unique += 1
        return f"{self._rng.choice(ALONE_THEIRS)} {self._unique}"

    def _statement(self, voice: Voice) -> dict[str, Any] | None:
        """Something for a voice to say that its party may."""
        for _ in range(12):
            fields = self._fields(voice)
            said = self._readings(voice, fields)
            if voice.party == APART and not self._is_apart(said):
                continue
            if voice.party == APART and (fields["text"] == "" or self._needs_own_words(voice, said)):
                fields |= {"text": self._own_words(), "sensitivity": said[0].sensitivity}
            if fields["text"] == "":
                fields["text"] = self._rng.choice(BETWEEN_THEM)
            self._note(voice, fields)
            return fields
        return None

    def _readings(self, voice: Voice, fields: Mapping[str, Any]) -> list[Said]:
        """Everything that a statement may be: in the first person it is taken to be about the speaker, and if it is
        kept as a turn of a conversation, about nobody. Who has a name may turn out to be a user."""
        assert voice.actor is not None
        speaker = None if voice.actor.user is None else f"@{voice.actor.user}"
        subjects = frozenset(str(speaker) if one == "me" else one for one in fields.get("subjects", ()))
        is_first_person = fields["text"].startswith(_FIRST_PERSON) and not subjects
        made = Said(
            space=voice.space(fields["space"]),
            readers=readers_of(fields["access"]),
            sensitivity=fields.get("sensitivity") or ("sensitive" if fields["text"] == GRAVE else "public"),
            learned_in=dict(voice.places).get("chat", ""),
            subjects=subjects,
            stated_by=speaker,
            portable=bool(fields["portable"]),
        )
        first = [replace(made, subjects=frozenset({str(speaker)}))] if is_first_person else []
        names = {one for one in subjects if not one.startswith("@")} or (
            {"Sarah"} if fields["text"] == IMPLIED else set()
        )
        users = [frozenset(), *map(frozenset, zip(self._cast.could_be(voice.actor.user), strict=True))] if names else []
        return [*first, made, *(replace(made, subjects=(subjects - names) | (user or names)) for user in users)]

    # -- what is said

    def _fields(self, voice: Voice) -> dict[str, Any]:
        people = (f"@{self._cast.ada}", f"@{BEA}", f"@{CLEO}", "@dora")
        words = {OBSERVER: COMMON, BETWEEN: ("",), APART: (*COMMON, "")}[voice.party]
        fields: dict[str, Any] = {
            "text": self._rng.choice((*words, *words, self._rng.choice(FIRST_PERSON), GRAVE)),
            "space": self._space(voice),
            "access": self._access(),
            "type": "knowledge",
            "portable": self._rng.random() < 0.7,
        }
        if voice.party == BETWEEN:
            fields["text"] = self._rng.choice(BETWEEN_THEM)
        if self._rng.random() < 0.6:
            fields["subjects"] = self._rng.sample(people, self._rng.choice((1, 1, 2)))
        if fields["text"] == GRAVE:
            fields.setdefault("subjects", ["@dora"])
        if fields["text"] != GRAVE or self._rng.random() < 0.3:
            fields["sensitivity"] = self._rng.choice(("public", "public", "personal", "sensitive"))
        if voice.actor is not None and voice.actor.kind is ActorKind.AGENT and fields["text"] == GRAVE:
            fields["sensitivity"] = "sensitive"  # an agent cannot say that it is less
        fields |= (
            self._named(voice, fields) | self._maybe(0.1, {"confidence": 0.3}) | self._maybe(0.3, {"tags": ["number"]})
        )
        fields |= self._maybe(0.15, {"ttl_seconds": self._rng.choice((30, 3_600))})
        fields |= self._maybe(0.15 if self._cast.fading else 0, {"ttl_ticks": self._rng.randint(1, 3)})
        return fields | self._derived(voice, fields)

    def _named(self, voice: Voice, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Subjects by name."""
        known, given = self._known_at(voice, fields), fields.get("subjects", [])
        if self._rng.random() > 0.35 or fields["text"] == IMPLIED or not self._may_make(voice, known):
            return self._maybe(0.05, {"subjects": ["me"]}) or self._by_id(voice, known)
        return {"subjects": [*given[: self._rng.randint(0, 1)], self._name(voice, known)]}

    def _by_id(self, voice: Voice, known: Known) -> dict[str, Any]:
        """For bea, about somebody by id. One that she knows from another room is hers to give, and taken for the name;
        so it is one that she cannot know from anywhere."""
        everybody = [one for people in self._people.values() for one in people]
        unknown = [one.id for one in everybody if not any(listener.may_know(one.known) for listener in self._anywhere)]
        is_sure = voice.party == OBSERVER and unknown and self._may_make(voice, known)
        return self._maybe(0.3, {"subjects": [self._rng.choice(unknown)]}) if is_sure else {}

    def _known_at(self, voice: Voice, fields: Mapping[str, Any]) -> Known:
        """Where somebody becomes known who is mentioned in a statement, and to whom."""
        assert voice.actor is not None
        made = self._readings(voice, fields)[0]
        is_for_all = made.space.is_private or made.sensitivity == "public"
        return Known(made.space, made.readers if is_for_all else Readers.of([str(voice.actor.user)]))

    def _derived(self, voice: Voice, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Made of something that lies in the same space. What an owner erases of their own takes everything made of
        it, in whatever room it was made, and the receipt says so; so nothing is made of bea's own apart."""
        space = voice.space(fields["space"])
        parents = [one for memories in self._memories.values() for one in memories
                   if one.said.space == space and one.voice.party != APART and not space.is_private]  # fmt: skip
        if voice.party == BETWEEN or not parents:
            return {}
        return self._maybe(0.2, {"derived_from": [self._rng.choice(parents).id]})

    def _maybe(self, chance: float, given: dict[str, Any]) -> dict[str, Any]:
        return given if self._rng.random() < chance else {}

    def _space(self, voice: Voice) -> dict[str, str]:
        assert voice.actor is not None
        places = held(voice)
        spaces = [{"user": str(voice.actor.user)}]
        if voice.party == OBSERVER and self._cast.room == "den":
            # An unknown room cannot hear what is said in it for a place other than itself. Bea sees that from
            # elsewhere, and what she says counts with it.
            return self._rng.choice([*spaces, {"chat": "den"}])
        spaces += [{level: places[level]} for level in ("chat", "project") if level in places for _ in range(2)]
        if {"chat", "project"} <= places.keys():
            spaces.append({level: places[level] for level in ("chat", "project")})
        return self._rng.choice(spaces)

    def _access(self) -> dict[str, list[str]] | None:
        lists = ({"users": [BEA]}, {"users": [BEA, CLEO]}, {"users": [self._cast.ada, CLEO]}, {"agents": ["bea-bot"]})
        return None if self._rng.random() < 0.85 else self._rng.choice(lists)

    def _note(self, voice: Voice, fields: Mapping[str, Any]) -> _Memory:
        """Foresee the id of what is said. It need not come true: then somebody will ask for what is not there."""
        assert voice.actor is not None
        said, kind = self._readings(voice, fields)[0], fields.get("kind", "semantic")
        known = self._known_at(voice, fields)
        said = replace(said, subjects=frozenset(self._mentioned(voice, one, known) for one in said.subjects))
        sensitivity = Sensitivity(said.sensitivity)
        subjects = tuple(sorted(said.subjects))
        shelf = label_text(label(sensitivity, said.learned_in, subjects, said.stated_by, said.portable))
        words = (said.space.id, said.readers, kind, fields["text"], shelf if said.sensitivity != "public" else "")
        place = (said.space.id, said.readers, voice.actor.key, kind, shelf)
        if words not in self._known or kind == "short_term":
            self._known.add(words)
            self._numbers[place] += 1
        id = memory_id(said.space, said.readers, voice.actor, Kind(kind), self._numbers[place], shelf)
        made = _Memory(voice, said, id, fields["text"], "confidence" in fields)
        self._memories[voice.party].append(made)
        return made

    def _mentioned(self, voice: Voice, subject: str, known: Known) -> str:
        """The id of whom a statement is about. Like those of memories, it need not come true."""
        if subject.startswith(("@", "per_")):
            return subject
        met = [one for people in self._people.values() for one in people if (one.name, one.known) == (subject, known)]
        return met[0].id if met else self._met(voice, subject, known).id

    def _met(self, voice: Voice, name: str, known: Known, relation: str | None = None) -> _Somebody:
        assert voice.actor is not None
        sequence = (known.home, known.readers, voice.actor.key)
        self._person_numbers[sequence] += 1
        id = person_id(known.home, known.readers, voice.actor, self._person_numbers[sequence])
        self._person_numbers[sequence] += relation is not None or name in TERMS
        made = _Somebody(voice, known, id, name)
        self._people[voice.party].append(made)
        return made

    # -- scenes: what chance hardly ever makes

    def _let_out(self) -> list[Step]:
        """Somebody says something in private, where nothing else of theirs lies, and promotes it at once."""
        user = self._rng.choice((self._cast.ada, CLEO))
        rooms = [room for room in ("tete", "dm", "adm") if room in self._cast.rooms_of(user)]
        room = self._rng.choice(rooms)
        voice = self._cast.voices_in(BETWEEN, user, room)[2]
        self._unique += 1
        fields = {
            "text": f"{self._rng.choice(BETWEEN_THEM)} {self._unique}",
            "space": {"session": "out"},
            "access": None,
            "type": "knowledge",
            "portable": True,
        }
        fields |= self._maybe(0.5, {"subjects": [self._rng.choice((f"@{BEA}", "@dora"))]})
        made = self._note(voice, fields)
        target = self._rng.choice((APOLLO, APOLLO, {"chat": room}))
        self._note(replace(voice, places=()), {**fields, "space": target})
        return [Step(voice, "remember", fields), Step(voice, "promote", {"id": made.id, "space": target})]

    def _made_of_hers(self) -> list[Step]:
        """Something is made apart of what bea says in her room, and she ends that."""
        bea, voice, space = self._together()
        if space is None:
            return []
        said = {"text": "the tea is hers", "space": space, "access": None, "type": "knowledge", "portable": True}
        hers = self._note(bea, said)
        made = {"text": "the tea is theirs", "space": space, "access": None, "type": "knowledge", "portable": False,
                "sensitivity": "sensitive", "subjects": ["@dora"], "derived_from": [hers.id]}  # fmt: skip
        if not self._is_apart(self._readings(voice, made)):
            return []
        self._note(voice, made)
        end = self._rng.choice(("erase", "forget"))
        return [Step(bea, "remember", said), Step(voice, "remember", made), Step(bea, end, {"ids": [hers.id]})]

    def _together(self) -> tuple[Voice, Voice, dict[str, str] | None]:
        """Bea, somebody apart, and a space that both can write in, if there is one."""
        bea, voice = self._rng.choice(self._voices[OBSERVER]), self._rng.choice(self._voices[APART])
        shared = [{level: id} for level, id in held(bea).items()
                  if level in {"chat", "project"} and held(voice).get(level) == id]  # fmt: skip
        return bea, voice, self._rng.choice(shared) if shared else None

    def _crowded(self) -> list[Step]:
        """Much is said apart beside what bea says, more than its time or her budget would bear."""
        bea, voice, space = self._together()
        if space is None:
            return []
        said: dict[str, Any] = {
            "text": "the tea ends soon",
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": True,
        }
        said |= {"ttl_ticks": self._rng.randint(1, 2)} if self._cast.fading else {}
        beside = {"space": space, "access": None, "type": "knowledge", "portable": False, "sensitivity": "sensitive",
                  "subjects": ["@dora"], "text": ""}  # fmt: skip
        if not self._is_apart(self._readings(voice, beside)):
            return []
        self._note(bea, said)
        many = [{**beside, "text": self._own_words()} for _ in range(5)]
        for one in many:
            self._note(voice, one)
        asks = Step(bea, "recall", {"query": "tea ends", "limit": 5})
        return [Step(bea, "remember", said), *(Step(voice, "remember", one) for one in many), asks]

    def _said_alike(self) -> list[Step]:
        """Bea's agent says something that waits, and somebody apart says the same, with more authority."""
        _, voice, space = self._together()
        bot = self._cast.voices_in(OBSERVER, BEA, self._cast.room)[-1]
        if space is None or voice.actor is None or not space.items() <= held(bot).items():
            return []
        voice = replace(voice, actor=Actor(ActorKind.USER, str(voice.actor.user)))
        said = {"text": "the tea is alike", "space": space, "access": None, "type": "knowledge", "portable": False,
                "sensitivity": "sensitive", "subjects": [f"@{BEA}"], "confidence": 0.3}  # fmt: skip
        theirs = {**said, "subjects": ["@dora"], "confidence": 1.0}
        readings = self._readings(voice, theirs)
        if not self._is_apart(readings) or self._needs_own_words(voice, readings):
            return []
        self._note(bot, said)
        self._note(voice, theirs)
        return [Step(bot, "remember", said), Step(voice, "remember", theirs)]

    def _said_twice(self) -> list[Step]:
        """Somebody tells something of bea twice, once for all times and once in passing, and she asks what is known."""
        cleo = self._cast.voices_in(APART, CLEO, "crowd")[0]
        once = {"text": "", "space": {"user": CLEO}, "access": None, "type": "knowledge", "portable": False,
                "subjects": [f"@{BEA}"], "sensitivity": "public"}  # fmt: skip
        if not self._is_apart(self._readings(cleo, once)):
            return []
        once["text"] = self._own_words()
        self._note(cleo, once)
        lasting = {**once, "text": self._rng.choice(BETWEEN_THEM), "portable": True, "tags": ["filed"]}
        between = replace(cleo, party=BETWEEN)
        self._note(between, lasting)
        bea = self._rng.choice(self._voices[OBSERVER])
        asks = [Step(bea, "about", {"ids": [f"@{BEA}"]}), Step(bea, "recall", {"query": "filed"})]
        return [Step(cleo, "remember", once), Step(between, "remember", lasting), *asks]

    def _no_longer_heard(self) -> list[Step]:
        """The directory has changed, and something is said that the room would have heard before."""
        before = self._cast.listeners(everywhere=False)
        self._here = self._cast.listeners(everywhere=False, from_now=1)
        for _ in range(60):
            voice = self._rng.choice(self._voices[APART])
            fields = self._fields(voice) | {"access": None}
            fields.pop("derived_from", None)
            said = self._readings(voice, fields)
            if self._is_apart(said) and any(one.may_notice(said[0]) for one in before):
                fields |= {"text": self._own_words(), "sensitivity": said[0].sensitivity}
                self._note(voice, fields)
                return [Step(voice, "remember", fields)]
        return []

    # -- scenes with people

    @property
    def _scenes_of_people(self) -> tuple[Callable[[], list[Step]], ...]:
        return (self._known_in_private, self._merged_apart, self._linked, self._dropped_apart, self._named_alike)

    def _of(self, party: str, user: str, room: str | None = None) -> Voice:
        return self._cast.voices_in(party, user, room)[0]

    def _known_in_private(self) -> list[Step]:
        """Somebody mentions Sarah in private, and then bea does."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice, bea = self._of(APART, user), self._rng.choice(self._voices[OBSERVER])
        fields = {
            "space": {"user": user},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "subjects": ["Sarah"],
        }
        hers = {**fields, "text": "tea with Sarah", "space": self._space(bea)}
        theirs = {**fields, "text": self._own_words()}
        may_make = self._may_make(voice, self._known_at(voice, theirs)) and self._may_make(
            bea, self._known_at(bea, hers)
        )
        if not may_make or not self._is_apart(self._readings(voice, theirs)):
            return []
        self._note(voice, theirs)
        self._note(bea, hers)
        asks = [_asking(bea, "find", reference="Sarah"), _asking(bea, "list"), Step(bea, "about", {"ids": ["Sarah"]})]
        return [Step(voice, "remember", theirs), Step(bea, "remember", hers), *asks]

    def _merged_apart(self) -> list[Step]:
        """Somebody whom ada knows in private turns out to be one whom she entered for all to see."""
        ada, between = self._of(APART, self._cast.ada), self._of(BETWEEN, self._cast.ada)
        private, bea = Known(ada.space({"user": self._cast.ada})), self._rng.choice(self._voices[OBSERVER])
        if not self._may_make(ada, private):
            return []
        self._unique += 1
        listed = self._met(between, f"Vera {self._unique}", Known(None))
        own = self._met(ada, f"Tom {self._unique}", private)
        said = {"text": self._own_words(), "space": {"user": self._cast.ada}, "access": None, "type": "knowledge",
                "portable": False, "subjects": [own.id]}  # fmt: skip
        told = [Step(ada, "remember", said)] if self._is_apart(self._readings(ada, said)) else []
        self._leave(own)
        asks = [_asking(bea, "get", id=one) for one in (listed.id, own.id)] + [_asking(bea, "find", reference="Tom")]
        return [
            _asking(between, "add", name=listed.name), _asking(ada, "add", name=own.name, space=said["space"]), *told,
            _asking(ada, "relate", person="me", term="wife", other=own.id),
            _asking(ada, "merge", keep=listed.id, gone=own.id), *asks, _asking(bea, "relations", id=listed.id),
            Step(bea, "forget_person", {"person": listed.id, "dry_run": True}),
        ]  # fmt: skip

    def _linked(self) -> list[Step]:
        """Ada and cleo both say something of one who is listed, and ada says that it is bea: that counts for ada."""
        if (self._cast.linker, self._cast.linked) != (self._cast.ada, BEA):
            return []
        ada, cleo = self._of(BETWEEN, self._cast.ada, "crowd"), self._of(APART, CLEO, "crowd")
        bea = self._rng.choice(self._voices[OBSERVER])
        self._unique += 1
        vera = self._met(ada, f"Vera {self._unique}", Known(None))
        fields = {"access": None, "type": "knowledge", "portable": True, "subjects": [vera.id], "sensitivity": "public"}
        theirs = {**fields, "text": self._own_words(), "space": {"user": CLEO}}
        hers = {**fields, "text": f"{self._rng.choice(BETWEEN_THEM)} {self._unique}", "space": {"user": self._cast.ada}}
        if not self._is_apart(self._readings(cleo, theirs)):
            return []
        self._note(cleo, theirs)
        self._note(ada, hers)
        asks = [
            Step(bea, "about", {"ids": [f"@{BEA}"]}),
            Step(bea, "recall", {"query": "coffee tea harbor", "limit": 50}),
        ]
        said = [Step(cleo, "remember", theirs), Step(ada, "remember", hers)]
        links = _asking(ada, "link", id=vera.id, user=BEA)
        told = [*said, links] if self._rng.random() < 0.5 else [links, *said]
        return [_asking(ada, "add", name=vera.name), *told, *asks, Step(bea, "about", {"ids": [vera.id]})]

    def _dropped_apart(self) -> list[Step]:
        """Somebody who is known to ada alone, or to cleo, is taken out again; and bea, who looks for them, adds one."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice, bea = self._of(APART, user), self._rng.choice(self._voices[OBSERVER])
        known, hers = Known(voice.space({"user": user})), Known(bea.space({"user": BEA}))
        if not self._may_make(voice, known) or not self._may_make(bea, hers):
            return []
        own = self._met(voice, "Tom", known)
        self._leave(own)
        self._met(bea, "Tom", hers)
        return [
            _asking(voice, "add", name="Tom", aliases=["Sal"], space={"user": user}),
            _asking(bea, "drop", id=own.id), _asking(voice, "drop", id=own.id), _asking(bea, "get", id=own.id),
            _asking(bea, "add", name="Tom", space={"user": BEA}), _asking(bea, "find", reference="Sal"),
        ]  # fmt: skip

    def _named_alike(self) -> list[Step]:
        """Ada calls herself like somebody whom bea knows."""
        bea, ada = self._rng.choice(self._voices[OBSERVER]), self._of(BETWEEN, self._cast.ada)
        hers = {"text": "coffee for Sarah", "space": self._space(bea), "access": None, "type": "knowledge",
                "portable": True, "subjects": ["Sarah"]}  # fmt: skip
        if not self._cast.is_sarah or not self._may_make(bea, self._known_at(bea, hers)):
            return []
        self._note(bea, hers)
        again = {**hers, "text": "more coffee for Sarah"}
        self._note(bea, again)
        return [
            Step(bea, "remember", hers),
            _asking(ada, "update", id="me", name="Sarah"),
            Step(bea, "remember", again),
        ]

    # -- steps

    def _upkeep(self) -> list[Step]:
        verb = self._rng.choices(("wait", "gc", "reindex"), (10, 1, 1))[0]
        return [Step(NOBODY, verb, {"seconds": self._rng.choice(WAITS)} if verb == "wait" else {})]

    def _step(self, party: str) -> list[Step]:
        voice = self._rng.choice(self._voices[party])
        verbs = {APART: _APART_DOES, BETWEEN: _BETWEEN_DOES, OBSERVER: _BEA_DOES}[party]
        verb = self._rng.choices(list(verbs), list(verbs.values()))[0]
        if verb == "people":
            return self._at_directory(voice)
        make: Callable[[Voice], Mapping[str, Any] | None] = getattr(self, f"_{verb}")
        given = make(voice)
        if given is None:
            return []
        traced = party == OBSERVER and not self._bea_is_elsewhere and self._rng.random() < 0.15
        return [Step(voice, verb, given, traced=traced)]

    def _at_directory(self, voice: Voice) -> list[Step]:
        if voice.party == BETWEEN and self._rng.random() < 0.2:
            voice = Voice(BETWEEN, SYSTEM)
        verb = self._rng.choices(list(_PEOPLE_DO), list(_PEOPLE_DO.values()))[0]
        make: Callable[[Voice], Mapping[str, Any] | None] = getattr(self, f"_people_{verb}")
        given = make(voice)
        traced = voice.party == OBSERVER and not self._bea_is_elsewhere and self._rng.random() < 0.15
        return [] if given is None else [_asking(voice, verb, traced, **given)]

    def _remember(self, voice: Voice) -> dict[str, Any] | None:
        return self._statement(voice)

    def _recall(self, voice: Voice) -> dict[str, Any]:
        limit = 7 if voice.party == APART else self._rng.choice((1, 2, 10))
        return {"query": self._rng.choice(QUERIES), "limit": limit} | self._maybe(0.1, {"tags": ["number"]})

    def _about(self, voice: Voice) -> dict[str, Any]:
        people = (f"@{BEA}", f"@{BEA}", f"@{self._cast.ada}", f"@{CLEO}", "@dora", *REFERENCES, self._anybody())
        return {"ids": self._rng.sample(people, self._rng.choice((1, 1, 2))), "limit": self._rng.choice((1, 3, 50))}

    def _pages(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self._rng.choice((1, 2, 50))} | self._maybe(0.3, {"deleted": True})
        return given | self._maybe(0.2, {"statuses": ["pending", "approved", "superseded"]})

    def _anything(self, voice: Voice) -> str:
        """The name of some memory, of whomever."""
        known = [one.id for memories in self._memories.values() for one in memories]
        own = [one.id for one in self._memories[voice.party]]
        pool = own if own and self._rng.random() < 0.4 else known
        return self._rng.choice(pool) if pool and self._rng.random() < 0.95 else "mem_unknown"

    def _own(self, voice: Voice, *, waiting: bool = False) -> _Memory | None:
        """A memory that the party itself has said: what is between must not hang on what was done apart."""
        own = [one for one in self._memories[voice.party] if one.waits or not waiting]
        here = [one for one in own if one.said.space.as_dict().items() <= held(voice).items()]
        return self._rng.choice(here) if here else None

    def _get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._anything(voice)}

    _history = _get

    def _edges(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._anybody() if self._rng.random() < 0.5 else self._anything(voice)}

    def _related(self, voice: Voice) -> dict[str, Any]:
        people = [f"@{BEA}", f"@{CLEO}", "@dora", self._anybody()]
        name = self._rng.choice(people) if self._rng.random() < 0.3 else self._anything(voice)
        return {"id": name, "hops": self._rng.randint(1, 2), "limit": self._rng.choice((2, 20))}

    def _explain(self, voice: Voice) -> dict[str, Any]:
        return {"ids": [self._anything(voice)]}

    def _check(self, voice: Voice) -> dict[str, Any]:
        if self._rng.random() < 0.3:
            return {"verb": "remember", "text": self._rng.choice(COMMON), "space": self._space(voice)}
        return {"verb": self._rng.choice(("get", "history", "forget", "erase", "correct")), "id": self._anything(voice)}

    def _correct(self, voice: Voice) -> dict[str, Any] | None:
        """A new wording is said where the corrector is, and has the old one's subjects; so it is judged anew."""
        if voice.party == OBSERVER:
            return {"id": self._anything(voice), "text": self._rng.choice(COMMON)}
        old = self._own(voice)
        if old is None or voice.actor is None:
            return None
        text = self._own_words()
        fields = {
            "text": text, "space": old.said.space.as_dict(), "access": old.said.readers, "portable": old.said.portable,
            "subjects": sorted(old.said.subjects), "sensitivity": old.said.sensitivity,
        }  # fmt: skip
        if voice.party == APART and not self._is_apart(self._readings(voice, fields)):
            return None
        self._note(voice, fields)
        return {"id": old.id, "text": text, "sensitivity": old.said.sensitivity}

    def _forget(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OBSERVER:
            return {"ids": [self._anything(voice)]}
        own = self._own(voice)
        return None if own is None else {"ids": [own.id]}

    _erase = _forget

    def _approve(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OBSERVER and self._rng.random() < 0.3:
            return {"ids": [self._anything(voice)]}
        own = self._own(voice, waiting=True)
        return None if own is None else {"ids": [own.id]}

    _reject = _approve

    def _promote(self, voice: Voice) -> dict[str, Any] | None:
        """Apart, only to where it stays apart."""
        own = self._own(voice)
        if own is None:
            return None
        target = self._rng.choice((APOLLO, {"chat": held(voice).get("chat", "team")}))
        said = replace(own.said, space=voice.space(target), learned_in=target.get("chat", ""))
        if voice.party == APART and not self._is_apart([said]):
            return None
        if voice.party == APART and self._needs_own_words(voice, [said]) and own.text in _EVERYBODYS:
            return None
        return {"id": own.id, "space": target}

    def _observe(self, voice: Voice) -> dict[str, Any] | None:
        """A conversation goes by, in words of the party's own."""
        space = {"user": held(voice)["user"]}
        self._unique += 1
        turn = f"we decided on tea number {self._unique}" if voice.party == APART else "we decided on tea"
        said = {"text": turn, "space": space, "access": None, "portable": True}
        if voice.party == APART and not self._is_apart(self._readings(voice, said)):
            return None
        return {"said": turn, "answer": f"noted: {turn}", "space": space}

    def _window(self, voice: Voice) -> dict[str, Any]:
        return {"space": {"user": held(voice)["user"]}}

    def _import_(self, voice: Voice) -> dict[str, Any] | None:
        """What comes out of a file was said nobody knows by whom, nor where. The batch is on record in the importer's
        own space, whatever the room, so bea imports nothing apart."""
        assert voice.actor is not None
        scope = APOLLO if "project" in held(voice) and self._rng.random() < 0.7 else {}
        space = scope or {"user": str(voice.actor.user)}
        made = Said(voice.space(space), Readers(), "public", None, frozenset(), None, portable=True)
        if voice.actor.kind is not ActorKind.USER or voice.actor.id == BEA or not self._is_apart([made]):
            return None
        return {"lines": [node(self._own_words(), None, **scope)], "dry_run": False}

    # -- people

    def _anybody(self) -> str:
        """The id of some person, of whomever."""
        known = [one.id for people in (*self._people.values(), self._gone) for one in people]
        return self._rng.choice(known) if known and self._rng.random() < 0.9 else "per_unknown"

    def _theirs(self, voice: Voice) -> list[_Somebody]:
        """Those that a voice may change without bea's noticing what was done apart: of its own party's making."""
        assert voice.actor is not None
        made = self._people[voice.party]
        return [
            one
            for one in made
            if voice.actor == SYSTEM or (one.voice.actor and one.voice.actor.user == voice.actor.user)
        ]

    def _one_of_theirs(self, voice: Voice) -> str | None:
        if voice.party == OBSERVER and self._rng.random() < 0.4:
            return self._anybody()
        theirs = self._theirs(voice)
        return self._rng.choice(theirs).id if theirs else None

    def _leave(self, *gone: _Somebody) -> None:
        """Whoever turned out to be another is that other from then on, who need not be known apart alone."""
        self._gone += gone
        self._people[APART] = [one for one in self._people[APART] if one not in gone]

    def _people_find(self, voice: Voice) -> dict[str, Any]:
        return {"reference": self._rng.choice((*REFERENCES, self._anybody()))}

    def _people_get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._rng.choice((self._anybody(), self._anybody(), "me", f"@{self._cast.ada}"))}

    _people_relations = _people_get

    def _people_list(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _people_add(self, voice: Voice) -> dict[str, Any] | None:
        """Listed for all to see, or in a space."""
        if voice.actor == SYSTEM or (voice.party != APART and self._rng.random() < 0.6):
            given: dict[str, Any] = {"name": self._rng.choice(LISTED_NAMES)}
            known = Known(None)
        else:
            space = self._space(voice)
            known = Known(voice.space(space))
            given = {"name": self._name(voice, known).removeprefix("my "), "space": space}
        if not self._may_make(voice, known):
            return None
        term = {OBSERVER: "wife", BETWEEN: "sister", APART: "wife"}[voice.party]
        is_own = voice.actor != SYSTEM and given["name"] not in OWN_NAMES
        given |= self._maybe(0.2 if is_own else 0, {"relation": term}) | self._maybe(
            0.2 if is_own else 0, {"aliases": ["Sal"]}
        )
        self._met(voice, given["name"], known, given.get("relation"))
        return given

    def _people_update(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == BETWEEN and self._cast.is_sarah and voice.actor == Actor(ActorKind.USER, self._cast.ada):
            return {"id": "me", "name": "Sarah"}
        id = self._one_of_theirs(voice)
        return (
            None
            if id is None
            else {"id": id, "name": self._rng.choice(OWN_NAMES if voice.party == APART else ("Sarah", "Nina"))}
        )

    def _people_alias(self, voice: Voice) -> dict[str, Any] | None:
        id = self._one_of_theirs(voice)
        return None if id is None else {"ids": [id, "Zo" if voice.party == APART else "Sal"]}

    def _people_merge(self, voice: Voice) -> dict[str, Any] | None:
        """Apart, one's own into another, or into one of one's own that is listed."""
        theirs = self._theirs(voice)
        others = [*theirs, *(self._theirs(replace(voice, party=BETWEEN)) if voice.party == APART else ())]
        if voice.party == OBSERVER and self._rng.random() < 0.4:
            return {"keep": self._anybody(), "gone": self._anybody()}
        gone = self._rng.choice(theirs) if theirs else None
        others = [one for one in others if gone not in {None, one}]
        if gone is None or not others:
            return None
        keep = self._rng.choice([one for one in others if one.known.home in {None, gone.known.home}] or others)
        if voice.party == APART:
            self._leave(gone, *([keep] if keep in theirs else []))
        return {"keep": keep.id, "gone": gone.id}

    def _people_link(self, voice: Voice) -> dict[str, Any] | None:
        assert voice.actor is not None
        if voice.party == OBSERVER:
            return {"id": self._one_of_theirs(voice) or self._anybody(), "user": self._rng.choice((BEA, CLEO))}
        theirs = self._theirs(voice)
        if voice.actor.user != self._cast.linker or not theirs:
            return None
        one = self._rng.choice(theirs)
        if voice.party == APART:
            self._leave(one)
        return {"id": one.id, "user": self._cast.linked}

    def _people_relate(self, voice: Voice) -> dict[str, Any] | None:
        """Apart, where the other one is known; so it is as little noticed as that one."""
        theirs = [one for one in self._theirs(voice) if self._may_make(voice, one.known) and one.name not in OWN_NAMES]
        if not theirs or voice.actor is None or voice.actor == SYSTEM:
            return None
        one = self._rng.choice(theirs)
        self._person_numbers[one.known.home, one.known.readers, voice.actor.key] += 1
        return {"person": "me", "term": "sister" if voice.party == BETWEEN else "wife", "other": one.id}

    def _people_unrelate(self, voice: Voice) -> dict[str, Any] | None:
        id = self._one_of_theirs(voice)
        return None if id is None else {"person": "me", "term": "wife", "other": id}

    def _people_drop(self, voice: Voice) -> dict[str, Any] | None:
        id = self._one_of_theirs(voice)
        return None if id is None else {"id": id}

    def _forget_person(self, voice: Voice) -> dict[str, Any] | None:
        """Of each party, those of its own making. What bea forgets goes from all her rooms, so only while nothing is
        said apart that she would hear from another one."""
        how = {"which": self._rng.choice(("about", "stated_by", "both")), "dry_run": self._rng.random() < 0.4,
               "erase": self._rng.random() < 0.4}  # fmt: skip
        if voice.party == OBSERVER:
            people = (f"@{BEA}", "me", f"@{CLEO}", "@dora", "Sarah", "my wife", self._anybody())
            return None if self._is_heard_elsewhere() else {"person": self._rng.choice(people), **how}
        id = self._one_of_theirs(voice)
        return None if id is None else {"person": id, **how}

    def _is_heard_elsewhere(self) -> bool:
        said = [one.said for one in self._memories[APART]]
        return self._bea_is_elsewhere or any(
            "chat" in one.space.as_dict() or any(listener.may_notice(one) for listener in self._anywhere)
            for one in said
        )

    def _doctor(self, voice: Voice) -> dict[str, Any]:
        return (
            {}
            if voice.party == APART
            else self._maybe(0.4, {"fix": [self._rng.choice(("subjects", "names", "edges"))]})
        )

    def _inbox(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _explain_recall(self, voice: Voice) -> dict[str, Any]:
        return {"query": self._rng.choice(QUERIES)}

    def _export(self, voice: Voice) -> dict[str, Any]:
        return {}

    def _trail(self, voice: Voice) -> dict[str, Any] | None:
        return None if self._bea_is_elsewhere else {}

    def _census(self) -> Iterator[Step]:
        """Bea looks at everything there is for her in the room."""
        for voice in self._voices[OBSERVER]:
            yield Step(voice, "recall", {"query": "coffee tea harbor budget launch friday merger number", "limit": 6})
            yield Step(voice, "recall", {"query": "coffee number", "limit": 50})
            yield Step(voice, "pages", {"limit": 3, "deleted": True, "statuses": [status.value for status in Status]})
            for person in (self._cast.ada, BEA, CLEO, "dora"):
                yield Step(voice, "about", {"ids": [f"@{person}"]})
                yield Step(voice, "about", {"ids": [f"@{person}"], "limit": 2})
            for memory in [*self._memories[APART][-8:], *self._memories[BETWEEN][-4:]]:
                yield Step(voice, "get", {"id": memory.id})
                yield Step(voice, "explain", {"ids": [memory.id]})
            for name in ("Sarah", "Tom", "Zoe"):
                yield _asking(voice, "find", reference=name)
            yield _asking(voice, "list")
            yield _asking(voice, "relations", id="me")
            for one in [*self._people[APART][-2:], *self._gone[-1:], *self._people[BETWEEN][-1:]]:
                yield _asking(voice, "get", id=one.id)
            yield Step(voice, "about", {"ids": ["Sarah", "Tom"]})
            yield Step(voice, "window", {"space": {"user": BEA}})
            for verb in ("inbox", "export", *(() if self._bea_is_elsewhere else ("trail",))):
                yield Step(voice, verb, {})
            yield Step(voice, "remember", {"text": "the last coffee", "space": self._space(voice), "type": "knowledge"})
        for voice in (self._voices[BETWEEN][0], self._voices[APART][0]):
            yield Step(voice, "recall", {"query": "coffee tea number", "limit": 50})


_APART_DOES = {
    "remember": 50, "recall": 4, "about": 3, "pages": 2, "get": 2, "correct": 8, "forget": 4, "erase": 3, "approve": 3,
    "reject": 4, "promote": 5, "observe": 5, "window": 1, "import_": 4, "history": 1, "explain": 1,
    "people": 20, "forget_person": 3, "doctor": 1,
}  # fmt: skip
_BETWEEN_DOES = {
    "remember": 40, "recall": 4, "about": 3, "get": 2, "correct": 6, "forget": 4, "erase": 2, "window": 1, "history": 1,
    "people": 18, "forget_person": 2, "doctor": 1,
}  # fmt: skip
_BEA_DOES = {
    "remember": 30, "recall": 14, "about": 10, "pages": 5, "get": 8, "history": 5, "explain": 5, "check": 3,
    "correct": 6, "forget": 4, "erase": 4, "approve": 3, "reject": 3, "promote": 5, "observe": 5, "window": 4,
    "inbox": 3, "explain_recall": 2, "export": 2, "trail": 3, "edges": 4, "related": 5,
    "people": 24, "forget_person": 5, "doctor": 4,
}  # fmt: skip
_PEOPLE_DO = {
    "find": 8, "get": 6, "list": 4, "relations": 3, "add": 14, "update": 3, "alias": 4, "merge": 6, "link": 5,
    "relate": 4, "unrelate": 1, "drop": 3,
}  # fmt: skip
