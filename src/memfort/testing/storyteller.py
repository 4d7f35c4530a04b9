"""The storyteller: makes a history of any length from a seed, for the purge test.

Three parties act, each in several voices (a user at different places, the user's agents):

* **ada** does everything out of bea's sight: in her own spaces, whose names resemble bea's and whose sessions have the
  same names; and in spaces she shares with bea, where she only reads, or writes for readers that bea is not among.
  And she tries what is refused to her: bea's memories, bea's spaces.
* **bea** does everything everywhere she may, and tries what she may not: ada's ids, ada's words, ada's places.
* **cleo** stands between the two. What she does never depends on what ada did, for what she hands on is hers to tell.

So a history played again without ada must give bea the same bytes. The system acts too, and nobody's are the steps of
the clock and the upkeep. The storyteller keeps ada out of bea's sight by one rule, `_Cast.bea_sees`, and by the few
places below that say why.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memfort.memory.input import readers_of
from memfort.model.actor import SYSTEM, Actor, ActorKind
from memfort.model.item import Authority, Item, Kind, Origin, Readers, Sensitivity, Status, memory_id
from memfort.model.record import item_to_dict
from memfort.model.space import GROUP_LEVELS, Level, Space, Visibility
from memfort.testing.histories import NOBODY, START, Group, History, Step, Voice, World

BEA, CLEO = "bea", "cleo"
SHARED = {"project": "apollo", "org": "acme", "chat": "room", "workspace": "lab", "role": "dev"}
# Names that a prefix, a joined string, a folded case or a forgotten accent would take for bea's.
ADA_NAMES = ("ada", "bea:apollo", "bea2", "be", "Bea", "be\u0301a", "bea ", "bea project=apollo")
ADA_PLACES = {
    "project": ("apollo2", "apollo:s1", "Apollo", "apoll", "apollo org=acme"),
    "org": ("acme2", "Acme", "acm"),
    "chat": ("room2", "room:1", "Room"),
    "workspace": ("lab:1", "lab2", "LAB"),
}
PHRASES = (
    "coffee at the harbor",
    "launch the budget on friday",
    "violin lessons with the budget",
    "the harbor launch moved",
    "orchid tea",
    "coffee, not tea",
    "coffee coffee coffee at the launch meeting in the harbor",
    "merger talks about oncology",
    "the zeppelin merger",
    "oncology budget",
)
PERSONAL, SECRET = "write to dora@example.org about coffee", "the key is ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
QUERIES = ("coffee", "the harbor launch", "budget", "merger", "oncology zeppelin", "tea orchid violin", "dora coffee")
KEYS = ("timezone", "diet")
_NOT_ADAS = (
    {"user": BEA},
    {"user": BEA, "session": "s1"},
    {"agent": "bea-bot", "visibility": "public"},
    {"system": ""},
)
WAITS = (1, 31, 3_600, 3 * 86_400)


def generate(seed: int, length: int = 32) -> History:
    """The history of a seed: always the same one."""
    return _Writer(random.Random(seed)).history(seed, length)


class _Cast:
    """Who takes part in one history, and from where."""

    def __init__(self, rng: random.Random) -> None:
        self.ada = rng.choice(ADA_NAMES)
        self.own = {level: rng.choice(names) for level, names in ADA_PLACES.items()}
        self.ada_user, self.bea_user, self.cleo_user = (Actor(ActorKind.USER, name) for name in (self.ada, BEA, CLEO))
        self.registered = rng.random() < 0.5
        self.voices = {
            "ada": self._ada(),
            "bea": self._bea(),
            "cleo": self._cleo(),
            "system": [Voice("system", SYSTEM)],
        }

    @property
    def world(self) -> World:
        agents = (("ada-bot", self.ada), ("ada-helper", self.ada), ("bea-bot", BEA), ("cleo-bot", CLEO))
        all_users, all_agents = (self.ada, BEA, CLEO), ("ada-bot", "bea-bot", "cleo-bot")
        groups: list[Group] = [(level, id, (self.ada,), ("ada-bot",)) for level, id in self.own.items()]
        if self.registered:
            groups += [(level, id, all_users, all_agents) for level, id in SHARED.items()]
        return World("registered" if self.registered else "trusted", agents, tuple(groups))

    def bea_sees(self, space: Space, readers: Readers) -> bool:
        """Whether policy lets bea see a memory there: the one exception to her not noticing."""
        return all(self._bea_stands(space, level, id) for level, id in space.as_dict().items()) and any(
            readers.admits(voice.actor) for voice in self.voices["bea"] if voice.actor is not None
        )

    def is_refused_to_ada(self, space: Space) -> bool:
        return (
            space.get(Level.USER) in {BEA, CLEO}
            or space.get(Level.AGENT) in {"bea-bot", "cleo-bot"}
            or Level.SYSTEM in space.levels
        )

    def ada_reaches(self, space: Space, readers: Readers) -> bool:
        return not self.is_refused_to_ada(space) and any(
            readers.admits(voice.actor) for voice in self.voices["ada"] if voice.actor is not None
        )

    def _bea_stands(self, space: Space, level: str, id: str) -> bool:
        if level == Level.USER:
            return id == BEA
        if level == Level.VISIBILITY:
            return id != Visibility.PRIVATE or space.get(Level.AGENT) == "bea-bot"
        if level in GROUP_LEVELS or level == Level.CHAT:
            return SHARED[level] == id
        return True

    def _ada(self) -> list[Voice]:
        own, bot = self.own, Actor(ActorKind.AGENT, "ada-bot", owner=self.ada)
        return [
            _voice("ada", self.ada_user),
            _voice("ada", self.ada_user, "project", "org"),
            _voice("ada", self.ada_user, "project", session="s1"),
            _voice("ada", self.ada_user, "chat"),
            _voice("ada", self.ada_user, "workspace", track="t1"),
            _voice("ada", self.ada_user, project=own["project"], org=own["org"], session="s1"),
            _voice("ada", self.ada_user, chat=own["chat"], workspace=own["workspace"]),
            _voice("ada", self.ada_user, "project", agent="ada-bot"),
            _voice("ada", bot, "project"),
            _voice("ada", replace(bot, acting_for=self.ada), "project", session="s1"),
            _voice("ada", Actor(ActorKind.AGENT, "ada-helper", owner=self.ada), "chat"),
            _voice("ada", self.ada_user, agent="bea-bot", session="s1"),
        ]

    def _bea(self) -> list[Voice]:
        bot = Actor(ActorKind.AGENT, "bea-bot", owner=BEA)
        knocking = _voice("bea", self.bea_user, project=self.own["project"], chat=self.own["chat"])
        return [
            _voice("bea", self.bea_user),
            _voice("bea", self.bea_user, "project", "org", session="s1"),
            _voice("bea", self.bea_user, "project", "role"),
            _voice("bea", self.bea_user, "chat"),
            _voice("bea", self.bea_user, "workspace", track="t1"),
            _voice("bea", self.bea_user, "project", agent="ada-bot"),
            _voice("bea", self.bea_user, agent="bea-bot", session="s1"),
            _voice("bea", bot, "project"),
            _voice("bea", replace(bot, acting_for=BEA), "project"),
            _voice("bea", Actor(ActorKind.AGENT, "ada-bot", acting_for=BEA, owner=self.ada), "project"),
            knocking,
        ]

    def _cleo(self) -> list[Voice]:
        return [
            _voice("cleo", self.cleo_user),
            _voice("cleo", self.cleo_user, "project", "org", session="s1"),
            _voice("cleo", self.cleo_user, "chat"),
            _voice("cleo", self.cleo_user, "workspace", agent="ada-bot"),
        ]


def _voice(party: str, actor: Actor, *shared: str, **places: str) -> Voice:
    return Voice(party, actor, tuple({**{level: SHARED[level] for level in shared}, **places}.items()))


def _some(rng: random.Random, theme: str, voices: list[Voice]) -> list[Voice]:
    """Three voices, two of them with the theme of the history."""
    fitting = [voice for voice in voices if theme in {*dict(voice.places), voice.actor and voice.actor.kind}]
    chosen = rng.sample(fitting, min(2, len(fitting)))
    rest = [voice for voice in voices if voice not in chosen]
    return chosen + rng.sample(rest, min(3 - len(chosen), len(rest)))


def _held(voice: Voice) -> dict[str, str]:
    """The coordinates a voice stands at."""
    assert voice.actor is not None
    own = {"user": voice.actor.user, "agent": voice.actor.agent}
    return {**dict(voice.places), **{level: id for level, id in own.items() if id is not None}}


@dataclass(frozen=True)
class _Written:
    """A memory that should be there by now, if no gate was against it."""

    voice: Voice
    space: Space
    readers: Readers
    id: str
    said: Mapping[str, Any]

    @property
    def waits(self) -> bool:
        """Whether it should be waiting for review."""
        return self.said["text"] == PERSONAL or "confidence" in self.said


class _Writer:
    """Writes one history. Whatever it chooses, it chooses with the one generator it was given."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._cast = _Cast(rng)
        self._written: list[_Written] = []
        self._numbers: Counter[tuple[Any, ...]] = Counter()
        self._shared_with: dict[str, list[tuple[dict[str, str], str]]] = {"ada": [], "bea": [], "cleo": []}
        self._phrases = rng.sample(PHRASES, 5)
        self._said_before: set[tuple[Any, ...]] = set()
        self._rejected: list[_Written] = []
        self._reviewed: set[str] = set()
        self._parents: list[_Written] = []  # what something was derived from
        self._file = rng.choice(_FILES)
        # A history keeps to a few standpoints of each party and a few spaces of each, so that what they do meets.
        theme = rng.choice(("project", "chat", "workspace", "agent", "session"))
        self._voices = {party: _some(rng, theme, voices) for party, voices in self._cast.voices.items()}
        self._places: dict[Voice, list[dict[str, str] | None]] = {}

    def history(self, seed: int, length: int) -> History:
        steps: list[Step] = []
        while len(steps) < length:
            if self._rng.random() < 0.015:
                steps += self._rejected_apart()
            party = self._rng.choices(("ada", "bea", "cleo", "system", "nobody"), (38, 38, 12, 2, 10))[0]
            steps.append(self._upkeep() if party == "nobody" else self._step(party))
        return History(seed, self._cast.world, (*steps, *self._census()))

    def _rejected_apart(self) -> list[Step]:
        """A scene that chance hardly ever makes: ada rejects a value in a space she shares with bea, but among readers
        of her own, and bea says the same there with less authority."""
        pairs = [(ada, bea, level) for ada in self._cast.voices["ada"] for bea in self._cast.voices["bea"]
                 for level, id in SHARED.items() if _held(ada).get(level) == _held(bea).get(level) == id]  # fmt: skip
        ada, bea, level = self._rng.choice(pairs)
        space, text = {level: SHARED[level]}, self._rng.choice(self._phrases)
        access = {"users": [self._cast.ada]}
        said = {"text": text, "space": space, "access": access, "confidence": 0.3}
        self._note(ada, ada.space(space), readers_of(access), said)
        rejected = [one.id for one in self._written if one.voice == ada and one.said is said]
        return [
            Step(ada, "remember", said),
            Step(ada, "reject", {"ids": rejected}),
            Step(bea, "remember", {"text": text, "space": space, "origin": "ai"}),
        ]

    def _upkeep(self) -> Step:
        verb = self._rng.choices(("wait", "sweep", "reindex", "finish_erasures"), (10, 1, 1, 1))[0]
        return Step(NOBODY, verb, {"seconds": self._rng.choice(WAITS)} if verb == "wait" else {})

    def _step(self, party: str) -> Step:
        if party == "system":
            return self._system(self._voices[party][0])
        verb = self._rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if verb in _ABOUT_A_MEMORY and not self._own(party, waiting=verb in _REVIEWING):
            verb = "remember"
        voice = self._speaker(party, verb)
        if party == "cleo" and verb in {"reimport", "erase_source"}:
            verb = "recall"  # what cleo hands on must not depend on what she found
        if party == "ada" and verb in {"import_", "reimport"} and self._cast.bea_sees(voice.space(None), Readers()):
            verb = "recall"  # the record of an import has no reader list
        return Step(voice, verb, getattr(self, f"_{verb}")(voice))

    def _own(self, party: str, *, waiting: bool) -> list[_Written]:
        """What a party has written; with `waiting`, what of it should still wait for review."""
        own = [one for one in self._written if one.voice.party == party]
        return [one for one in own if one.waits and one.id not in self._reviewed] if waiting else own

    def _speaker(self, party: str, verb: str) -> Voice:
        """Somebody of the party; where it is about a memory, more often than not somebody who has written one."""
        writers = [one.voice for one in self._own(party, waiting=verb in _REVIEWING)]
        if verb == "erase":
            writers = [one.voice for one in self._parents if one.voice.party == party] or writers
        if writers and verb in _ABOUT_A_MEMORY and self._rng.random() < 0.8:
            return self._rng.choice(writers)
        there = [voice for voice in self._voices[party] for one in self._rejected
                 if one.voice.party != party and one.space.as_dict().items() <= _held(voice).items()]  # fmt: skip
        return self._rng.choice(there if there and verb == "remember" else self._voices[party])

    def _census(self) -> Iterator[Step]:
        """Everybody looks once more, and bea at everything, from each of her places."""
        query = {"query": "coffee harbor budget merger oncology tea launch", "limit": 5}
        for voice in (self._voices["ada"][0], self._voices["cleo"][0], *self._voices["bea"]):
            yield Step(voice, "recall", query)
            yield Step(voice, "pages", {"limit": 3, "deleted": True, "statuses": [status.value for status in Status]})
        for voice in {voice.actor: voice for voice in self._voices["bea"]}.values():
            for verb in ("inbox", "verify_erasure", "export", "trail"):
                yield Step(voice, verb, {})

    def _system(self, voice: Voice) -> Step:
        if self._rng.random() < 0.7:
            return Step(voice, "remember", {"text": self._text()})
        scope = {"user": self._rng.choice((self._cast.ada, BEA))} | self._maybe(0.5, {"session": "s1"})
        return Step(voice, "delete_by_scope", {"scope": scope, "dry_run": self._rng.random() < 0.5})

    # -- what is said, where and for whom

    def _maybe(self, chance: float, given: dict[str, Any]) -> dict[str, Any]:
        return given if self._rng.random() < chance else {}

    def _text(self) -> str:
        if self._rng.random() < 0.1:
            return self._rng.choice((PERSONAL, PERSONAL, SECRET))
        return self._rng.choice(self._phrases)

    def _space(self, voice: Voice) -> dict[str, str] | None:
        """A place to write in, of the few that this history keeps to. Not always one where the voice may."""
        if voice.party == "ada" and self._rng.random() < 0.08:
            return dict(self._rng.choice(_NOT_ADAS))
        if voice not in self._places:
            self._places[voice] = [None, *(self._any_space(voice) for _ in range(2))]
        return self._rng.choice(self._places[voice])

    def _any_space(self, voice: Voice) -> dict[str, str]:
        """Any of the voice's coordinates, the groups it is in more often than not."""
        held = _held(voice)
        groups = sorted(held.keys() & {*GROUP_LEVELS, Level.CHAT})
        if groups and self._rng.random() < 0.5:
            return {level: held[level] for level in groups[: self._rng.randint(1, 2)]}
        levels = self._rng.sample(sorted(held), self._rng.randint(1, min(3, len(held))))
        space = {level: held[level] for level in levels}
        if "agent" in space:
            space["visibility"] = self._rng.choice(("private", "public"))
        elif "user" in space:
            space |= self._maybe(0.1, {"visibility": "shared"})
        return space

    def _access(self, voice: Voice, space: Space) -> dict[str, list[str]] | None:
        """Readers. Ada's never include bea where bea could see the space; elsewhere they may name her, in vain."""
        ada = self._cast.ada
        lists: dict[str, list[dict[str, list[str]] | None]] = {
            "ada": [{"users": [ada]}, {"users": [ada]}, {"users": [ada, CLEO]}, {"users": [ada, CLEO]},
                    {"users": [CLEO]}, {"users": []}, {"agents": ["ada-helper"]},
                    {"users": [ada], "agents": ["ada-bot"]}],
            "bea": [{"users": [BEA]}, {"users": [BEA, CLEO]}, {"users": [ada]}, {"users": []}, {"users": [BEA, ada]},
                    {"agents": ["bea-bot"]}],
            "cleo": [{"users": [CLEO]}, {"users": [ada, CLEO]}, {"users": [BEA, CLEO]}],
        }  # fmt: skip
        if voice.party != "ada":
            return None if self._rng.random() < 0.65 else self._rng.choice(lists[voice.party])
        if self._cast.is_refused_to_ada(space):
            return None  # where she may not write anyway, she tries to write for all to see
        if not self._cast.bea_sees(space, Readers()):
            lists["ada"] += [None] * 8 + [{"users": [BEA]}, {"users": [ada, BEA]}]
        return self._rng.choice(lists["ada"])

    def _said(self, voice: Voice) -> dict[str, Any]:
        """The fields of one statement."""
        given = self._space(voice)
        echo = self._echo(voice)
        if echo is not None and echo.space.as_dict().items() <= _held(voice).items() and self._rng.random() < 0.7:
            given = echo.space.as_dict()
        space = voice.space(given)
        access = self._access(voice, space)
        said: dict[str, Any] = {"text": self._text(), "space": given, "access": access}
        said |= self._maybe(0.2, {"kind": "profile", "key": self._rng.choice(KEYS)})
        said |= self._maybe(0.25, {"confidence": 0.3})
        said |= self._maybe(0.25, {"ttl_seconds": self._rng.choice((1, 30, 3_600, 86_400))})
        said |= self._maybe(0.15, {"origin": self._rng.choice(("ai", "tool"))})
        said |= self._maybe(0.15, {"tags": ["ops"]})
        said |= self._derived(voice, space)
        if echo is not None:
            said |= {name: echo.said[name] for name in ("text", "kind", "key") if name in echo.said} | {"origin": "ai"}
        self._note(voice, space, readers_of(access), said)
        return said

    def _echo(self, voice: Voice) -> _Written | None:
        """Something that somebody rejected, to be said again with less authority."""
        others = [one for one in self._rejected if one.voice.party != voice.party]
        return self._rng.choice(others) if others and self._rng.random() < 0.4 else None

    def _derived(self, voice: Voice, space: Space) -> dict[str, Any]:
        parents = [one for one in self._written if one.space == space]
        if voice.party == "cleo":  # what she makes for all to see comes only from what all can see
            parents = [one for one in parents if one.readers.is_open]
        if not parents or self._rng.random() > 0.25:
            return {}
        if voice.party == "ada":
            parents = [one for one in parents if one.voice.party == "bea"] or parents
        parent = self._rng.choice(parents)
        self._parents.append(parent)
        return {"derived_from": [parent.id]}

    def _note(self, voice: Voice, space: Space, readers: Readers, said: Mapping[str, Any]) -> None:
        """Foresee the id of what was said. It need not come true: then somebody will ask for what is not there."""
        assert voice.actor is not None
        kind, text = said.get("kind", "semantic"), said["text"]
        if text == SECRET or (space.id, readers, kind, text) in self._said_before:
            return
        self._said_before.add((space.id, readers, kind, text))
        sequence = (space.id, readers, voice.actor.key, kind)
        self._numbers[sequence] += 1
        id = memory_id(space, readers, voice.actor, Kind(kind), self._numbers[sequence])
        self._written.append(_Written(voice, space, readers, id, said))

    def _id(self, voice: Voice, *, to_change: bool, waiting: bool = False) -> str:
        """A memory to ask about or to change; now and then one that is not there. Ada changes nothing bea can see;
        that she tries what is bea's alone is part of it."""
        known = self._written
        if to_change and voice.party == "ada":
            known = [one for one in known if not self._is_common(one)]
        own = [one for one in self._own(voice.party, waiting=waiting) if one.voice == voice and one in known]
        pool = own if own and self._rng.random() < 0.75 else known
        if voice.party == "bea" and self._rng.random() < 0.15:  # guessing at what is in her spaces, but not for her
            pool = [one for one in known if one.voice.party == "ada" and self._cast.bea_sees(one.space, Readers())]
        if not pool or self._rng.random() < 0.05:
            return "mem_unknown"
        return self._rng.choice(pool[-12:]).id

    def _is_common(self, one: _Written) -> bool:
        return self._cast.bea_sees(one.space, one.readers) and self._cast.ada_reaches(one.space, one.readers)

    # -- the verbs, each with what is given to it

    def _remember(self, voice: Voice) -> dict[str, Any]:
        return self._said(voice)

    def _remember_many(self, voice: Voice) -> dict[str, Any]:
        return {"candidates": [self._said(voice) for _ in range(self._rng.randint(2, 4))]}

    def _recall(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"query": self._rng.choice(QUERIES), "limit": self._rng.choice((1, 2, 10))}
        return given | self._maybe(0.1, {"tags": ["ops"]}) | self._maybe(0.2, {"space": self._somewhere(voice)})

    def _somewhere(self, voice: Voice) -> dict[str, str] | None:
        """A place to look at; for bea, it may be ada's."""
        adas = [{"user": self._cast.ada}, {"agent": "ada-bot", "visibility": "private"}, {"org": self._cast.own["org"]}]
        return self._rng.choice(adas) if voice.party == "bea" and self._rng.random() < 0.5 else self._space(voice)

    def _get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._id(voice, to_change=False)}

    _history = _get

    def _explain(self, voice: Voice) -> dict[str, Any]:
        return {"ids": [self._id(voice, to_change=False)]}

    def _pages(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self._rng.choice((1, 2, 50))} | self._maybe(0.3, {"deleted": True})
        given |= self._maybe(0.2, {"statuses": ["pending", "approved", "superseded"]})
        return given | self._maybe(0.1, {"space": self._somewhere(voice)})

    def _correct(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._id(voice, to_change=True), "text": self._text()}

    def _edit(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._reviewing(voice)[0], "text": self._text()}

    def _approve(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._reviewing(voice)}

    def _reject(self, voice: Voice) -> dict[str, Any]:
        ids = self._reviewing(voice)
        self._rejected += [one for one in self._written if one.id in ids]
        return {"ids": ids}

    def _forget(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._ids(voice, waiting=False)}

    def _reviewing(self, voice: Voice) -> list[str]:
        ids = self._ids(voice, waiting=True)
        self._reviewed.update(ids)
        return ids

    def _ids(self, voice: Voice, *, waiting: bool) -> list[str]:
        """One id, or for ada and bea two: cleo's second must not hang on whether the first was there."""
        count = 1 if voice.party == "cleo" else self._rng.choice((1, 1, 1, 1, 2))
        return [self._id(voice, to_change=True, waiting=waiting) for _ in range(count)]

    def _erase(self, voice: Voice) -> dict[str, Any]:
        dry_run = self._rng.random() < 0.3
        parents = [one.id for one in self._parents if one.voice == voice]
        if voice.party != "ada" and parents and self._rng.random() < 0.6:
            return {"ids": [self._rng.choice(parents)], "dry_run": dry_run}
        return {"ids": [self._id(voice, to_change=not dry_run)], "dry_run": dry_run}

    def _delete_by_scope(self, voice: Voice) -> dict[str, Any]:
        dry_run = self._rng.random() < 0.4
        scopes: list[dict[str, str]] = [{"session": "s1"}, {"track": "t1"}, {"user": BEA}, {"user": self._cast.ada}]
        scopes += [{"user": BEA, "session": "s1"}, {"project": self._cast.own["project"]}]
        if voice.party != "ada" or dry_run:
            scopes += [{"project": SHARED["project"]}, {"chat": SHARED["chat"]}, {"org": SHARED["org"]}]
        return {"scope": self._rng.choice(scopes), "cascade": self._rng.random() < 0.7, "dry_run": dry_run}

    def _inbox(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _explain_recall(self, voice: Voice) -> dict[str, Any]:
        return {"query": self._rng.choice(QUERIES)}

    def _explain_to(self, voice: Voice) -> dict[str, Any]:
        viewer = self._rng.choice([*self._cast.voices["ada"], *self._cast.voices["cleo"]])
        return {"id": self._id(voice, to_change=False), "viewer": viewer}

    def _check(self, voice: Voice) -> dict[str, Any]:
        verb = self._rng.choice(("remember", "get", "history", "forget", "erase", "approve", "recall", "share"))
        if verb == "remember":
            return {"verb": verb, "text": self._text(), "space": self._space(voice)}
        if verb in {"recall", "share"}:
            return {"verb": verb, "space": self._space(voice)}
        return {"verb": verb, "id": self._id(voice, to_change=False)}

    def _share(self, voice: Voice) -> dict[str, Any]:
        space = self._space(voice)
        if voice.party == "ada" and self._cast.bea_sees(voice.space(space), Readers()):
            space = {"user": self._cast.ada}
        ada = self._cast.ada
        readers = {"ada": [CLEO, "be", "bea2", "Bea"], "bea": [CLEO, ada], "cleo": [BEA, ada]}
        reader: dict[str, Any] = {"user": self._rng.choice(readers[voice.party])}
        if voice.party != "cleo":
            reader = self._maybe(0.2, {"agent": "cleo-bot"}) or reader
        kind, name = next(iter(reader.items()))
        self._shared_with[voice.party].append((voice.space(space).as_dict(), f"{kind}:{name}"))
        return {"space": space, **reader}

    def _revoke(self, voice: Voice) -> dict[str, Any]:
        made = self._shared_with[voice.party] or [({"user": BEA}, f"user:{CLEO}")]
        space, reader = self._rng.choice(made)
        return {"space": space, "reader": reader}

    def _nothing(self, voice: Voice) -> dict[str, Any]:
        return {}

    _shares = _export = _sources = _trail = _erasures = _verify_erasure = _standings = _spaces = _nothing

    def _erase_source(self, voice: Voice) -> dict[str, Any]:
        return {"index": self._rng.randint(0, 3), "dry_run": self._rng.random() < 0.3}

    def _reimport(self, voice: Voice) -> dict[str, Any]:
        return {"dry_run": self._rng.random() < 0.3}

    def _import_(self, voice: Voice) -> dict[str, Any]:
        """A file. Every second one has the same bytes, whoever imports it."""
        assert voice.actor is not None
        if self._rng.random() < 0.5:
            return {"lines": self._file, "dry_run": False}
        access = self._access(voice, voice.space({"project": SHARED["project"]}))
        if access == {"users": []}:
            access = {"users": [self._cast.ada]}  # in such a file an empty list means everybody
        own = [
            [_node(self._text()), _node(self._text(), access, project=SHARED["project"])],
            [_row(str(voice.actor.user), self._text()), _row(BEA, self._text()), _row(self._cast.ada, self._text())],
            ['{"memfort_export": 1}', *(_line(voice.space({"user": voice.actor.user or BEA}), one.id, self._text())
                                        for one in self._rng.sample(self._written, min(2, len(self._written))))],
        ]  # fmt: skip
        return {"lines": self._rng.choice(own), "dry_run": self._rng.random() < 0.2}


_REVIEWING = {"approve", "reject", "edit"}
_ABOUT_A_MEMORY = {*_REVIEWING, "get", "history", "explain", "explain_to", "correct", "forget", "erase", "check"}
_WEIGHTS = {
    "remember": 30, "remember_many": 4, "recall": 14, "get": 4, "pages": 5, "history": 3, "correct": 5, "edit": 3,
    "inbox": 2, "approve": 4, "reject": 6, "forget": 4, "erase": 4, "delete_by_scope": 3, "explain": 3,
    "explain_recall": 2, "explain_to": 2, "check": 3, "share": 3, "revoke": 2, "shares": 1, "export": 1, "sources": 1,
    "trail": 2, "erasures": 1, "verify_erasure": 2, "standings": 1, "spaces": 1, "erase_source": 2, "reimport": 2,
    "import_": 4,
}  # fmt: skip


def _node(text: str, access: Mapping[str, list[str]] | None = None, **scope: str) -> str:
    """A record of seed 001."""
    readers = {"userIds": (access or {}).get("users"), "agentIds": (access or {}).get("agents")}
    metadata = {"scope": scope, "provenance": {"source": "notes"}, "access": {"read": readers} if access else None}
    return json.dumps({"content": text, "metadata": metadata}, sort_keys=True)


_FILES = (
    [_node("coffee at the harbor"), _node("the zeppelin merger", session="s1")],
    [_node("orchid tea", session="s1"), _node(SECRET), _node("oncology budget")],
)


def _row(user: str, text: str) -> str:
    """A row of seed 000."""
    return json.dumps({"user_id": user, "kind": "note", "content": text, "confidence": 0.9}, sort_keys=True)


def _line(space: Space, id: str, text: str) -> str:
    """A line of an export that nobody exported: with an id that may be somebody else's."""
    author = Actor(ActorKind.USER, str(space.get(Level.USER)))
    made = Item(
        id=id, number=40, space=space, kind=Kind.SEMANTIC, type="knowledge", text=text, key=None, tags=(),
        author=author, origin=Origin.USER, source=None, observed_at=None, sensitivity=Sensitivity.PUBLIC,
        readers=Readers(), confidence=1.0, authority=Authority.USER_ASSERTED, importance=1.0, pii_risk=0,
        status=Status.APPROVED, status_reason="confident", created_at=START, updated_at=START, expires_at=None,
        supersedes=None, superseded_by=None, derived_from=(), deleted_at=None, deleted_reason=None, provenance={},
        meta={}, policy="", version=1,
    )  # fmt: skip
    return json.dumps({"memory": item_to_dict(made)}, sort_keys=True)
