"""The storyteller: makes a history of any length from a seed, for the purge test.

Three parties act, each in several voices (a user at different places, the user's agents):

* **ada** does everything out of bea's sight: in her own spaces, whose names resemble bea's and whose sessions have the
  same names; and in spaces she shares with bea, where she only reads, or writes for readers that bea is not among.
  And she tries what is refused to her: bea's memories, bea's spaces.
* **bea** does everything everywhere she may, and tries what she may not: ada's ids, ada's words, ada's places.
* **cleo** stands between the two. What she does never depends on what ada did, for what she hands on is hers to tell.

So a history played again without ada must give bea the same bytes. The system acts too, and nobody's are the steps of
the clock and the upkeep. The storyteller keeps ada out of bea's sight by one rule, `Cast.bea_sees`, and by the few
places below that say why.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memfort.engine.inputs import readers_of
from memfort.language.sensitivity import classify
from memfort.language.sharing import is_portable
from memfort.model.audience import Audience, audience
from memfort.model.item import Kind, Readers, Status, memory_id
from memfort.model.moment import MICROSECONDS_PER_SECOND
from memfort.model.space import GROUP_LEVELS, Level, Space
from memfort.policy.settings.sections import Promotion
from memfort.testing.cast import BEA, CLEO, GUILD, SHARED, Cast, some
from memfort.testing.histories import NOBODY, START, History, Step, Voice
from memfort.testing.story_words import (
    ANSWERS,
    FILES,
    HINTS,
    KEYS,
    PERSONAL,
    PHRASES,
    QUERIES,
    SECRET,
    TURNS,
    line,
    node,
    row,
)

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
        return self.said["text"] == PERSONAL or "confidence" in self.said or "proposed" in self.said


class _Writer:
    """Writes one history. Whatever it chooses, it chooses with the one generator it was given."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._cast = Cast(rng)
        self._written: list[_Written] = []
        self._numbers: Counter[tuple[Any, ...]] = Counter()
        self._shared_with: dict[str, list[tuple[dict[str, str], str]]] = {"ada": [], "bea": [], "cleo": []}
        self._phrases = rng.sample(PHRASES, 5)
        self._said_before: set[tuple[Any, ...]] = set()
        self._rejected: list[_Written] = []
        self._reviewed: set[str] = set()
        self._parents: list[_Written] = []  # what something was derived from
        self._corrected: list[_Written] = []
        self._copied_for_bea: set[str] = set()  # what was promoted to where bea sees it
        self._phased: list[tuple[Voice, dict[str, str] | None]] = []  # where a phase was begun, and by whom
        self._has_proposed_apart = False
        self._talks: list[tuple[Voice, dict[str, str] | None]] = []  # where a conversation went by, and whose
        self._file = rng.choice(FILES)
        # A history keeps to a few standpoints of each party and a few spaces of each, so that what they do meets.
        written = self._cast.policy.spaces.write
        theme = rng.choice(("project", "chat", "workspace", "agent", "session") if written is None else written)
        self._voices = {party: some(rng, theme, voices) for party, voices in self._cast.voices.items()}
        self._places: dict[Voice, list[dict[str, str] | None]] = {}

    def history(self, seed: int, length: int) -> History:
        steps: list[Step] = []
        while len(steps) < length:
            if self._rng.random() < 0.06:
                steps += self._rng.choice(self._scenes())()
            party = self._rng.choices(("ada", "bea", "cleo", "system", "nobody"), (38, 38, 12, 2, 10))[0]
            steps.append(self._upkeep() if party == "nobody" else self._step(party))
        return History(seed, self._cast.world, (*steps, *self._census()))

    def _scenes(self) -> list[Callable[[], list[Step]]]:
        """What chance hardly ever makes: a few steps that hang together."""
        scenes = [self._rejected_apart, self._swept_apart, self._swept_apart, self._crowded_apart, self._asked_between]
        scenes += [self._derived_apart, self._restored, self._promoted, self._promoted, self._talked]
        scenes += [self._moved_on, self._crowded, self._talked, self._restored]
        if self._cast.needs_approvals:
            scenes += [self._promoted] * 3
        if self._cast.needs_approvals and not self._has_proposed_apart:
            scenes += [self._proposed_apart] * 4
        return scenes

    def _together(self, levels: Iterable[str] = SHARED) -> tuple[Voice, Voice, dict[str, str]]:
        """Ada, bea and a space that both stand in."""
        pairs = [
            (ada, bea, level)
            for ada in self._cast.voices["ada"]
            for bea in self._cast.voices["bea"]
            for level in levels
            if ada.held.get(level) == bea.held.get(level) == SHARED[level]
        ]
        ada, bea, level = self._rng.choice(pairs)
        return ada, bea, {level: SHARED[level]}

    def _rejected_apart(self) -> list[Step]:
        """Ada rejects a value in a space she shares with bea, but among readers of her own, and bea says the same there
        with less authority."""
        ada, bea, space = self._together()
        text = self._rng.choice(self._phrases)
        access = {"users": [self._cast.ada]}
        said = {"text": text, "space": space, "access": access, "confidence": 0.3}
        self._note(ada, ada.space(space), readers_of(access), said)
        rejected = [one.id for one in self._written if one.voice == ada and one.said is said]
        return [
            Step(ada, "remember", said),
            Step(ada, "review.reject", {"ids": rejected}),
            Step(bea, "remember", {"text": text, "space": space, "origin": "ai"}),
        ]

    def _swept_apart(self) -> list[Step]:
        """What bea said has expired, ada looks first, and bea goes on: what has expired takes no room, ends no second
        time, and was there in its phase. So was something of ada's, which is none of bea's business."""
        ada, bea, space = self._together()
        said = [{"text": text, "space": space, "ttl_seconds": 30} for text in self._phrases[: self._rng.randint(1, 4)]]
        said[0] |= self._maybe(0.5, {"ttl_ticks": self._rng.randint(len(said), len(said) + 1)})
        for one in said:
            self._note(bea, bea.space(space), Readers(), one)
        apart = Step(ada, "remember", {"text": said[0]["text"], "space": space, "access": {"users": [self._cast.ada]}})
        began = Step(bea, "phase.start", {"reason": "moved", "space": space}, traced=True)
        wrote = Step(bea, "remember", {"text": "the harbor is closed", "space": space}, traced=True)
        before = self._rng.choice(([], [began]))
        after = self._rng.choice(([wrote], [wrote, wrote], [began, wrote, began], [began, began]))
        self._phased.append((bea, space))
        return [
            *([apart] if self._rng.random() < 0.5 else []),
            *before,
            *(Step(bea, "remember", one) for one in said),
            Step(NOBODY, "wait", {"seconds": 31}),
            Step(ada, "recall", {"query": "coffee"}),
            *([Step(bea, "phase.diff", {"earlier": "phase-1", "space": space})] if before else []),
            *after,
            Step(bea, "pages", {"limit": 50, "space": space, "deleted": True}),
        ]

    def _crowded_apart(self) -> list[Step]:
        """Ada keeps more for herself, in a space she shares with bea, than an author has room for."""
        ada, bea, space = self._together()
        said: dict[str, Any] = {"text": "the harbor is open", "space": space}
        self._note(bea, bea.space(space), Readers(), said)
        access = {"users": [self._cast.ada]}
        return [
            Step(bea, "remember", said | self._maybe(0.5, {"ttl_ticks": 2})),
            *(Step(ada, "remember", {"text": text, "space": space, "access": access}) for text in self._phrases),
            Step(bea, "remember", {"text": self._rng.choice(self._phrases), "space": space}, traced=True),
        ]

    def _crowded(self) -> list[Step]:
        """Bea keeps more in one space than an author has room for."""
        _, bea, space = self._together()
        said = [{"text": text, "space": space} for text in self._phrases]
        for one in said:
            self._note(bea, bea.space(space), Readers(), one)
        return [Step(bea, "remember", one) for one in said]

    def _moved_on(self) -> list[Step]:
        """Bea begins phase after phase, so that the first one goes, with what was said in it."""
        _, bea, space = self._together()
        said = {"text": "the harbor was here", "space": space}
        self._note(bea, bea.space(space), Readers(), said)
        self._phased.append((bea, space))
        begun = [Step(bea, "phase.start", {"reason": "moved", "space": space}) for _ in range(3)]
        return [Step(bea, "remember", said), *begun, Step(bea, "pages", {"limit": 50, "space": space, "deleted": True})]

    def _derived_apart(self) -> list[Step]:
        """Ada makes something for herself of what bea wrote, and bea ends what it was made of."""
        ada, bea, space = self._together()
        said = {"text": "the harbor is wide", "space": space}
        id = self._note(bea, bea.space(space), Readers(), said)
        made = {"text": "wide", "space": space, "access": {"users": [self._cast.ada]}, "derived_from": [id]}
        return [
            Step(bea, "remember", said),
            Step(ada, "remember", made),
            Step(bea, self._rng.choice(("erase", "forget")), {"ids": [id]}, traced=True),
        ]

    def _asked_between(self) -> list[Step]:
        """Bea asks something, ada asks something, and bea wants to know again what she was told."""
        ada, bea, _ = self._together()
        return [
            Step(bea, "recall", {"query": self._rng.choice(QUERIES)}),
            Step(ada, "recall", {"query": self._rng.choice(QUERIES)}),
            Step(bea, "trace.show", {"back": 1, "expanded": False}),
        ]

    def _restored(self) -> list[Step]:
        """Somebody takes back what they corrected."""
        voice = self._rng.choice(self._voices[self._rng.choice(("ada", "bea"))])
        given = self._space(voice)
        access = self._access(voice, voice.space(given))
        said = {"text": "the violin is in tune", "space": given, "access": access}
        id = self._note(voice, voice.space(given), readers_of(access), said)
        return [
            Step(voice, "remember", said),
            Step(voice, "correct", {"id": id, "text": "the violin is out of tune"}),
            Step(voice, "restore", {"id": id}, traced=True),
        ]

    def _promoted(self) -> list[Step]:
        """Somebody takes along what they have just said, and somebody else approves it if that is needed; ada for
        readers of her own, and then bea the same, to the same place."""
        text = self._rng.choice(self._phrases)
        if self._rng.random() < 0.5:
            ada, bea, target = self._together(("project", "workspace"))
            both = [voice for voice in (ada, bea) if voice.actor is not None and voice.actor.user]
            return [step for voice in both for step in self._takes_along(voice, text, target)]
        voices = self._cast.voices[self._rng.choice(("bea", "cleo"))]
        voice = self._rng.choice(
            [one for one in voices if {"project", "session"} & one.held.keys() and "user" in one.held]
        )
        places = voice.held
        target = self._rng.choice([{level: places[level]} for level in _PROMOTED_TO if level in places])
        return self._takes_along(voice, text, target)

    def _takes_along(self, voice: Voice, text: str, target: dict[str, str]) -> list[Step]:
        places, access = voice.held, self._access(voice, voice.space(target))
        given: dict[str, str] = {level: places[level] for level in ("user", "session") if level in places}
        given = given if self._rng.random() < 0.5 else {"user": places["user"]}
        said = {"text": text, "space": given, "access": access}
        id = self._note(voice, voice.space(given), readers_of(access), said)
        steps = [Step(voice, "remember", said), Step(voice, "promote", {"id": id, "to": target}, traced=True)]
        if not self._written or self._written[-1].id != id:
            return steps[:1]  # it was said before
        copy = self._note_copy(voice, self._written[-1], target)
        reviewers = [
            one
            for one in self._cast.voices["bea" if voice.party == "cleo" else "cleo"]
            if target.items() <= dict(one.places).items() and _hears_all(one)
        ]
        if "proposed" in self._written[-1].said and reviewers:
            steps.append(Step(self._rng.choice(reviewers), "review.approve", {"ids": [copy]}, traced=True))
        return steps

    def _talked(self) -> list[Step]:
        """More is said than fits into the window of a conversation, and it is looked at."""
        voice = self._rng.choice(self._voices[self._rng.choice(("ada", "bea"))])
        talk = [Step(voice, "observe", self._observe(voice)) for _ in range(self._rng.randint(1, 3))]
        there = self._talks[-1][1]
        return [
            *(Step(voice, "observe", {**one.given, "space": there}) for one in talk),
            Step(voice, "window", {"space": there}),
        ]

    def _proposed_apart(self) -> list[Step]:
        """Cleo proposes to a project what lies where bea is not, ada ends it there by writing beside it,
        and bea approves the proposal."""
        self._has_proposed_apart = True
        ada, cleo = self._cast.in_guild("ada"), self._cast.in_guild("cleo")
        source = {"text": "the guild roasts coffee", "space": GUILD, "ttl_ticks": 1}  # in nobody else's words
        target = {"project": SHARED["project"]}
        id = self._note(cleo, cleo.space(GUILD), Readers(), source)
        self._copied_for_bea.add(id)
        copy = self._note(cleo, cleo.space(target), Readers(), {**source, "space": target, "proposed": True})
        there = [voice for voice in self._cast.voices["bea"] if dict(voice.places).get("project") == SHARED["project"]]
        bea = self._rng.choice([voice for voice in there if voice.actor == self._cast.bea_user and _hears_all(voice)])
        return [
            Step(cleo, "remember", source),
            Step(cleo, "promote", {"id": id, "to": target}),
            Step(ada, "remember", {"text": self._rng.choice(self._phrases), "space": GUILD}),
            Step(bea, "review.approve", {"ids": [copy]}, traced=True),
        ]

    def _upkeep(self) -> Step:
        verb = self._rng.choices(("wait", "store.gc", "store.reindex", "finish_erasures"), (10, 1, 1, 1))[0]
        return Step(NOBODY, verb, {"seconds": self._rng.choice(WAITS)} if verb == "wait" else {})

    def _step(self, party: str) -> Step:
        if party == "system":
            return self._system(self._voices[party][0])
        verb = self._rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if verb in _ABOUT_A_MEMORY and not (
            self._own(party, waiting=verb in _REVIEWING) or self._proposals(party, verb)
        ):
            verb = "remember"
        voice = self._speaker(party, verb)
        if party == "cleo" and verb in {"reimport", "erase_source"}:
            verb = "recall"  # what cleo hands on must not depend on what she found
        if party == "ada" and verb in {"import", "reimport"} and self._cast.bea_sees(voice.space(None), Readers()):
            verb = "recall"  # the record of an import has no reader list
        return Step(
            voice, verb, getattr(self, f"_{verb.replace('.', '_')}")(voice), traced=self._rng.random() < _TRACED[party]
        )

    def _own(self, party: str, *, waiting: bool) -> list[_Written]:
        """What a party has written; with `waiting`, what of it should still wait for review."""
        own = [one for one in self._written if one.voice.party == party]
        return [one for one in own if one.waits and one.id not in self._reviewed] if waiting else own

    def _proposals(self, party: str, verb: str = "review.approve") -> list[_Written]:
        """What others have proposed and this party might approve."""
        others = [one for one in self._written if one.voice.party != party and "proposed" in one.said]
        return [one for one in others if verb in _REVIEWING and one.id not in self._reviewed]

    def _speaker(self, party: str, verb: str) -> Voice:
        """Somebody of the party; where it is about a memory, more often than not somebody who has written one."""
        writers = [one.voice for one in self._own(party, waiting=verb in _REVIEWING)]
        if verb == "erase":
            writers = [one.voice for one in self._parents if one.voice.party == party] or writers
        if writers and verb in _ABOUT_A_MEMORY and self._rng.random() < 0.8:
            return self._rng.choice(writers)
        if verb == "window" and (talking := [voice for voice, _ in self._talks if voice.party == party]):
            return self._rng.choice(talking)
        there = [
            voice
            for voice in self._voices[party]
            for one in self._rejected
            if one.voice.party != party and one.space.to_dict().items() <= voice.held.items()
        ]
        return self._rng.choice(there if there and verb == "remember" else self._voices[party])

    def _census(self) -> Iterator[Step]:
        """Everybody looks once more, and bea at everything, from each of her places."""
        query = {"query": "coffee harbor budget merger oncology tea launch", "limit": 5}
        for voice in (self._voices["ada"][0], self._voices["cleo"][0], *self._voices["bea"]):
            why = {"explain": True} if voice.party == "bea" else {}
            yield Step(voice, "recall", query | why, traced=voice == self._voices["bea"][0])
            yield Step(voice, "pages", {"limit": 3, "deleted": True, "statuses": [status.value for status in Status]})
        for voice in {voice.actor: voice for voice in self._voices["bea"]}.values():
            for verb in ("review.list", "verify_erasure", "export", "trail.export", "trace.list", "spaces"):
                yield Step(voice, verb, {})
            yield Step(voice, "context", query)
            yield Step(voice, "policy.simulate", {"policy": _STRICTER})
            yield Step(voice, "recall", {**query, "as_of": START + 60 * MICROSECONDS_PER_SECOND})
        for party in ("ada", "bea"):
            for one in [one for one in self._written if one.voice.party == party][-3:]:
                yield Step(self._voices["bea"][-1], "explain", {"ids": [one.id], **query})
        for voice, space in self._phased:
            if voice.party == "bea":
                yield Step(voice, "phase.list", {"space": space})
                yield Step(voice, "phase.diff", {"earlier": "phase-1", "space": space}, traced=True)

    def _system(self, voice: Voice) -> Step:
        if self._rng.random() < 0.7:
            return Step(voice, "remember", {"text": self._text()})
        scope = {"user": self._rng.choice((self._cast.ada, BEA))} | self._maybe(0.5, {"session": "s1"})
        return Step(voice, "erase_scope", {"scope": scope, "dry_run": self._rng.random() < 0.5})

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
        if self._cast.policy.spaces.write and "session" in voice.held and self._rng.random() < 0.6:
            return {"session": voice.held["session"]}  # the one place that is written to
        if voice not in self._places:
            self._places[voice] = [None, *(self._any_space(voice) for _ in range(2))]
        return self._rng.choice(self._places[voice])

    def _any_space(self, voice: Voice) -> dict[str, str]:
        """Any of the voice's coordinates, the groups it is in more often than not."""
        places = voice.held
        groups = sorted(places.keys() & {*GROUP_LEVELS, Level.CHAT})
        if groups and self._rng.random() < 0.5:
            return {level: places[level] for level in groups[: self._rng.randint(1, 2)]}
        levels = self._rng.sample(sorted(places), self._rng.randint(1, min(3, len(places))))
        space = {level: places[level] for level in levels}
        if "agent" in space:
            space["visibility"] = self._rng.choice(("private", "public"))
        elif "user" in space:
            space |= self._maybe(0.1, {"visibility": "shared"})
        return space

    def _access(self, voice: Voice, space: Space) -> dict[str, list[str]] | None:
        """Readers. Ada's never include bea where bea could see the space; elsewhere they may name her, in vain."""
        ada = self._cast.ada
        lists: dict[str, list[dict[str, list[str]] | None]] = {
            "ada": [
                {"users": [ada]},
                {"users": [ada]},
                {"users": [ada, CLEO]},
                {"users": [ada, CLEO]},
                {"users": [CLEO]},
                {"users": []},
                {"agents": ["ada-helper"]},
                {"users": [ada], "agents": ["ada-bot"]},
            ],
            "bea": [
                {"users": [BEA]},
                {"users": [BEA, CLEO]},
                {"users": [ada]},
                {"users": []},
                {"users": [BEA, ada]},
                {"agents": ["bea-bot"]},
            ],
            "cleo": [{"users": [CLEO]}, {"users": [ada, CLEO]}, {"users": [BEA, CLEO]}],
        }
        if self._cast.is_capped:  # what ada did there would make room for them elsewhere
            lists["cleo"].remove({"users": [ada, CLEO]})
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
        if echo is not None and echo.space.to_dict().items() <= voice.held.items() and self._rng.random() < 0.7:
            given = echo.space.to_dict()
        space = voice.space(given)
        access = self._access(voice, space)
        said: dict[str, Any] = {"text": self._text(), "space": given, "access": access}
        said |= self._maybe(0.2, {"kind": "profile", "key": self._rng.choice(KEYS)})
        said |= self._maybe(0.25, {"confidence": 0.3})
        said |= self._maybe(0.25, {"ttl_seconds": self._rng.choice((1, 30, 3_600, 86_400))})
        said |= self._maybe(0.15, {"ttl_ticks": self._rng.randint(1, 3)})
        said |= self._maybe(0.15, self._subjects(voice, space, readers_of(access)))
        said |= self._maybe(0.15, {"origin": self._rng.choice(("ai", "tool"))})
        said |= self._maybe(0.15, {"tags": ["ops"]})
        said |= self._derived(voice, space)
        if echo is not None:
            said |= {name: echo.said[name] for name in ("text", "kind", "key") if name in echo.said} | {"origin": "ai"}
        self._note(voice, space, readers_of(access), said)
        return said

    def _subjects(self, voice: Voice, space: Space, readers: Readers) -> dict[str, Any]:
        """Whom it is about. What ada says of bea, or of anybody whom bea may ask about, is told to bea if it is for all
        times and she may read it; so from ada it is for some, or in passing."""
        subjects = [f"@{self._rng.choice((BEA, self._cast.ada, CLEO, 'dora'))}"]
        portable = self._rng.random() < 0.7
        if voice.party == "ada" and self._cast.bea_reads(readers) and not self._cast.bea_sees(space, Readers()):
            portable = False
        return {"subjects": subjects, "portable": portable}

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

    def _note(
        self, voice: Voice, space: Space, readers: Readers, said: Mapping[str, Any], learned_in: str | None = None
    ) -> str:
        """Foresee the id of what was said. It need not come true: then somebody will ask for what is not there."""
        assert voice.actor is not None
        kind, text = said.get("kind", "semantic"), said["text"]
        if text == SECRET or (kind != "short_term" and (space.id, readers, kind, text) in self._said_before):
            return "mem_unknown"
        self._said_before.add((space.id, readers, kind, text))
        chat = dict(voice.places).get("chat", "") if learned_in is None else learned_in
        partition = self._label(voice, said, chat).text
        sequence = (space.id, readers, voice.actor.key, kind, partition)
        self._numbers[sequence] += 1
        id = memory_id(space, readers, voice.actor, Kind(kind), self._numbers[sequence], partition)
        self._written.append(_Written(voice, space, readers, id, said))
        return id

    def _label(self, voice: Voice, said: Mapping[str, Any], chat: str) -> Audience:
        """Foresee the audience of what was said, which is part of its name."""
        assert voice.actor is not None
        speaker = None if voice.actor.user is None else f"@{voice.actor.user}"
        return audience(
            classify(said["text"])[0], chat, tuple(said.get("subjects", ())), speaker, is_portable(said["text"])
        )

    def _id(self, voice: Voice, *, to_change: bool, waiting: bool = False) -> str:
        """A memory to ask about or to change; now and then one that is not there. Ada changes nothing bea can see;
        that she tries what is bea's alone is part of it."""
        known = self._written
        if to_change and voice.party == "ada":
            known = [one for one in known if not self._is_common(one)]
        if to_change and voice.party == "cleo" and self._cast.is_capped:
            known = [one for one in known if not self._is_adas_too(one)]
        if waiting and (proposed := [one for one in self._proposals(voice.party) if one in known]):
            return self._rng.choice(proposed).id
        own = [one for one in self._own(voice.party, waiting=waiting) if one.voice == voice and one in known]
        pool = own if own and self._rng.random() < 0.75 else known
        if voice.party == "bea" and self._rng.random() < 0.15:  # guessing at what is in her spaces, but not for her
            pool = [one for one in known if one.voice.party == "ada" and self._cast.bea_sees(one.space, Readers())]
        if not pool or self._rng.random() < 0.05:
            return "mem_unknown"
        return self._rng.choice(pool[-12:]).id

    def _is_common(self, one: _Written) -> bool:
        """Whether ada would let bea notice by changing it, or what was made of it for bea."""
        is_seen = self._cast.bea_sees(one.space, one.readers) or one.id in self._copied_for_bea
        return is_seen and self._cast.ada_reaches(one.space, one.readers)

    def _is_adas_too(self, one: _Written) -> bool:
        """Whether ada may have changed it, so that what becomes of it hangs on her."""
        return self._cast.ada_reaches(one.space, one.readers) and not self._cast.bea_sees(one.space, one.readers)

    # -- the verbs, each with what is given to it

    def _remember(self, voice: Voice) -> dict[str, Any]:
        return self._said(voice)

    def _remember_many(self, voice: Voice) -> dict[str, Any]:
        return {"memories": [self._said(voice) for _ in range(self._rng.randint(2, 4))]}

    def _recall(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"query": self._rng.choice(QUERIES), "limit": self._rng.choice((1, 2, 10))}
        given |= self._maybe(0.1, {"tags": ["ops"]}) | self._maybe(0.2, {"space": self._somewhere(voice)})
        given |= self._maybe(0.25, self._then(voice))
        is_explained = voice.party == "bea" and given["limit"] == 2 and "as_of" not in given
        return given | {"explain": True} if is_explained else given

    def _then(self, voice: Voice) -> dict[str, Any]:
        """An earlier moment, or an earlier phase of some place."""
        if self._rng.random() < 0.5:
            return {"as_of": START + self._rng.choice((0, *WAITS)) * MICROSECONDS_PER_SECOND}
        return {"as_of": self._rng.choice(("phase-1", "phase-2")), "space": self._place_of_phases(voice)}

    def _somewhere(self, voice: Voice) -> dict[str, str] | None:
        """A place to look at; for bea, it may be ada's."""
        adas = [{"user": self._cast.ada}, {"agent": "ada-bot", "visibility": "private"}, {"org": self._cast.own["org"]}]
        return self._rng.choice(adas) if voice.party == "bea" and self._rng.random() < 0.5 else self._space(voice)

    def _get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._id(voice, to_change=False)}

    _history = _get

    def _explain(self, voice: Voice) -> dict[str, Any]:
        """Why a memory is shown, or why it comes for a query. The query is no throw of the dice: the stories that catch
        the sown leaks stay what they are."""
        turn = len(self._written)
        given: dict[str, Any] = {"ids": [self._id(voice, to_change=False)]}
        return given if turn % 4 == 0 else given | {"query": QUERIES[turn % len(QUERIES)], "limit": 1 + turn % 3}

    def _about(self, voice: Voice) -> dict[str, Any]:
        """Who is known how. Nobody asks about ada where she is: what she says of herself would be told them."""
        people = (BEA, BEA, CLEO, "dora")
        return {"ids": [f"@{self._rng.choice(people)}"], "limit": self._rng.choice((1, 50))}

    def _pages(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self._rng.choice((1, 2, 50))} | self._maybe(0.3, {"deleted": True})
        given |= self._maybe(0.2, {"statuses": ["pending", "approved", "superseded"]})
        return given | self._maybe(0.1, {"space": self._somewhere(voice)})

    def _correct(self, voice: Voice) -> dict[str, Any]:
        id = self._id(voice, to_change=True)
        self._corrected += [one for one in self._written if one.id == id]
        return {"id": id, "text": self._text()}

    def _restore(self, voice: Voice) -> dict[str, Any]:
        known = [one for one in self._corrected if one.voice.party == voice.party]
        if voice.party == "ada":
            known = [one for one in known if not self._is_common(one)]
        if not known or self._rng.random() < 0.2:
            return {"id": self._id(voice, to_change=True)}
        return {"id": self._rng.choice(known).id}

    def _observe(self, voice: Voice) -> dict[str, Any]:
        """A conversation goes by. There is no reader list to it, so ada holds hers where bea is not."""
        given = self._space(voice)
        session = {level: id for level, id in voice.held.items() if level == "session"}
        if voice.party == "ada" and self._cast.bea_sees(voice.space(given or session or None), Readers()):
            given = self._own_place(voice)
        self._talks.append((voice, given))
        space, said, answer = voice.space(given or session or None), self._rng.choice(TURNS), self._rng.choice(ANSWERS)
        for kind, text in (("short_term", said), ("short_term", answer), ("semantic", said)):
            self._note(voice, space, Readers(), {"text": text, "kind": kind})
        observed: dict[str, Any] = {"said": self._maybe_hinted(voice, said), "space": given}
        observed |= self._maybe(0.7, {"answer": answer})
        return observed | self._maybe(0.3, {"tools": [{"name": "harbor", "text": self._text(), "ok": True}]})

    def _maybe_hinted(self, voice: Voice, said: str) -> str:
        level = self._rng.choice((None, None, *HINTS))
        if voice.party == "ada" and level == "project" and voice.held.get("project") == SHARED["project"]:
            level = None
        return said if level is None else HINTS[level] + said

    def _own_place(self, voice: Voice) -> dict[str, str]:
        """Where nobody else is."""
        assert voice.actor is not None
        user = voice.actor.user
        return {"user": user} if user else {"agent": voice.actor.id, "visibility": "private"}

    def _window(self, voice: Voice) -> dict[str, Any]:
        own = [space for other, space in self._talks if other == voice]
        return {"space": self._rng.choice(own) if own and self._rng.random() < 0.8 else self._somewhere(voice)}

    def _promote(self, voice: Voice) -> dict[str, Any]:
        """A memory, and where to. What cleo takes to where bea sees it must not hang on what ada did to it."""
        own = [one for one in self._own(voice.party, waiting=False) if one.voice == voice]
        sources = [
            one
            for one in own
            if not one.waits
            and one.said.get("kind") != "short_term"
            and one.space.to_dict().items() <= {**voice.held, "visibility": "public"}.items()
        ]
        if voice.party == "ada":
            sources = [one for one in sources if not self._is_common(one)]
        if voice.party == "cleo":
            sources = [one for one in sources if not self._is_adas_too(one) and "derived_from" not in one.said]
        places = voice.held
        targets: list[dict[str, str]] = [{level: places[level]} for level in _PROMOTED_TO if level in places]
        if "agent" in places:
            targets += [{"agent": places["agent"], "visibility": choice} for choice in ("private", "public")]
        targets += [{"system": ""}, {"user": BEA}]
        source = self._rng.choice(sources[-4:]) if sources else None
        if source is not None and self._rng.random() < 0.8:
            targets = [one for one in targets if self._way(source, voice.space(one)) is not None] or targets
        target = self._rng.choice(targets)
        if source is None or (voice.party == "ada" and not self._is_apart(voice.space(target), source.readers)):
            return {"id": "mem_unknown", "to": target}
        self._note_copy(voice, source, target)
        return {"id": source.id, "to": target}

    def _note_copy(self, voice: Voice, source: _Written, target: Mapping[str, str]) -> str:
        """Foresee the id of what is promoted."""
        space = voice.space(target)
        if self._cast.bea_sees(space, source.readers):
            self._copied_for_bea.add(source.id)
        way = self._way(source, space)
        copied = {name: value for name, value in source.said.items() if name in {"text", "kind", "key"}}
        made = copied | ({"proposed": True} if way and way.approvals else {})
        return self._note(voice, space, source.readers, made, learned_in=target.get("chat", ""))

    def _way(self, source: _Written, target: Space) -> Promotion | None:
        ways = self._cast.policy.spaces
        return None if target == source.space else ways.way(source.space.primary, target.primary)

    def _is_apart(self, space: Space, readers: Readers) -> bool:
        """Whether ada may write there, for these readers, without bea being told."""
        return self._cast.is_refused_to_ada(space) or not self._cast.bea_sees(space, readers)

    def _phase_start(self, voice: Voice) -> dict[str, Any]:
        """A phase has no reader list either: who sees the space sees it begin."""
        given = self._space(voice)
        if voice.party == "ada" and not self._is_apart(voice.space(given), Readers()):
            given = self._own_place(voice)
        self._phased.append((voice, given))
        return {"reason": self._rng.choice(("new quarter", "moved")), "space": given} | self._maybe(0.3, {"name": "q2"})

    def _phase_list(self, voice: Voice) -> dict[str, Any]:
        return {"space": self._place_of_phases(voice)}

    def _phase_diff(self, voice: Voice) -> dict[str, Any]:
        given = {"earlier": self._rng.choice(("phase-1", "phase-1", "phase-2")), "space": self._place_of_phases(voice)}
        return given | self._maybe(0.3, {"later": self._rng.choice(("phase-2", "phase-3"))})

    def _place_of_phases(self, voice: Voice) -> dict[str, str] | None:
        known = [space for other, space in self._phased if other == voice]
        return self._rng.choice(known) if known and self._rng.random() < 0.8 else self._somewhere(voice)

    def _trace_show(self, voice: Voice) -> dict[str, Any]:
        return {"back": self._rng.randint(1, 6), "expanded": self._rng.random() < 0.1}

    def _explain_trace(self, voice: Voice) -> dict[str, Any]:
        return {"back": self._rng.randint(1, 3)}

    def _review_edit(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._reviewing(voice)[0], "text": self._text()}

    def _review_approve(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._reviewing(voice)}

    def _review_reject(self, voice: Voice) -> dict[str, Any]:
        ids = self._reviewing(voice)
        self._rejected += [one for one in self._written if one.id in ids]
        return {"ids": ids}

    def _used(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._ids(voice, waiting=False)}

    def _forget(self, voice: Voice) -> dict[str, Any]:
        return {"ids": self._ids(voice, waiting=False)} | self._maybe(0.1, {"dry_run": True})

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

    def _erase_scope(self, voice: Voice) -> dict[str, Any]:
        dry_run = self._rng.random() < 0.4
        scopes: list[dict[str, str]] = [{"session": "s1"}, {"track": "t1"}, {"user": BEA}, {"user": self._cast.ada}]
        scopes += [{"user": BEA, "session": "s1"}, {"project": self._cast.own["project"]}]
        if voice.party != "ada" or dry_run:
            scopes += [{"project": SHARED["project"]}, {"chat": SHARED["chat"]}, {"org": SHARED["org"]}]
        return {"scope": self._rng.choice(scopes), "cascade": self._rng.random() < 0.7, "dry_run": dry_run}

    def _review_list(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _explain_recall(self, voice: Voice) -> dict[str, Any]:
        return {"query": self._rng.choice(QUERIES)}

    def _explain_to(self, voice: Voice) -> dict[str, Any]:
        viewer = self._rng.choice([*self._cast.voices["ada"], *self._cast.voices["cleo"]])
        return {"id": self._id(voice, to_change=False), "viewer": viewer}

    def _check(self, voice: Voice) -> dict[str, Any]:
        verb = self._rng.choice(("remember", "get", "history", "used", "forget", "erase", "approve", "recall", "share"))
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
        self._shared_with[voice.party].append((voice.space(space).to_dict(), f"{kind}:{name}"))
        return {"space": space, **reader}

    def _revoke(self, voice: Voice) -> dict[str, Any]:
        made = self._shared_with[voice.party] or [({"user": BEA}, f"user:{CLEO}")]
        space, reader = self._rng.choice(made)
        return {"space": space, "reader": reader}

    def _nothing(self, voice: Voice) -> dict[str, Any]:
        return {}

    _shares = _share_changes = _export = _sources = _trail_export = _nothing
    _erasures = _verify_erasure = _standings = _spaces = _nothing

    def _erase_source(self, voice: Voice) -> dict[str, Any]:
        return {"index": self._rng.randint(0, 3), "dry_run": self._rng.random() < 0.3}

    def _reimport(self, voice: Voice) -> dict[str, Any]:
        return {"dry_run": self._rng.random() < 0.3}

    def _import(self, voice: Voice) -> dict[str, Any]:
        """A file. Every second one has the same bytes, whoever imports it."""
        assert voice.actor is not None
        if self._rng.random() < 0.5:
            return {"lines": self._file, "dry_run": False}
        access = self._access(voice, voice.space({"project": SHARED["project"]}))
        if access == {"users": []}:
            access = {"users": [self._cast.ada]}  # in such a file an empty list means everybody
        own = [
            [node(self._text()), node(self._text(), access, project=SHARED["project"])],
            [row(str(voice.actor.user), self._text()), row(BEA, self._text()), row(self._cast.ada, self._text())],
            [
                '{"memfort_export": 1}',
                *(
                    line(voice.space({"user": voice.actor.user or BEA}), one.id, self._text())
                    for one in self._rng.sample(self._written, min(2, len(self._written)))
                ),
            ],
        ]
        return {"lines": self._rng.choice(own), "dry_run": self._rng.random() < 0.2}


def _hears_all(voice: Voice) -> bool:
    """Whether nobody but the speaker listens: in a chat that is not registered only its own is said."""
    return "chat" not in dict(voice.places)


_STRICTER = {"approve_confidence": 0.95, "budget": {"owner": 3}}  # a policy under which much would be decided anew
_REVIEWING = {"review.approve", "review.reject", "review.edit"}
_ABOUT_A_MEMORY = {
    *_REVIEWING,
    "get",
    "history",
    "explain",
    "explain_to",
    "correct",
    "restore",
    "used",
    "promote",
    "forget",
    "erase",
    "check",
}
_PROMOTED_TO = ("user", "project", "workspace")
_TRACED = {"ada": 0.1, "bea": 0.2, "cleo": 0.1}  # how often a call's trace is asked for
_WEIGHTS = {
    "remember": 30,
    "remember_many": 4,
    "recall": 14,
    "get": 6,
    "pages": 5,
    "history": 3,
    "correct": 8,
    "review.edit": 3,
    "about": 4,
    "review.list": 2,
    "review.approve": 4,
    "review.reject": 7,
    "forget": 4,
    "erase": 4,
    "erase_scope": 3,
    "explain": 5,
    "explain_recall": 2,
    "explain_to": 2,
    "check": 3,
    "share": 3,
    "revoke": 2,
    "shares": 1,
    "share_changes": 1,
    "export": 1,
    "sources": 1,
    "trail.export": 2,
    "erasures": 1,
    "verify_erasure": 2,
    "standings": 1,
    "spaces": 1,
    "erase_source": 2,
    "reimport": 2,
    "import": 4,
    "restore": 2,
    "used": 5,
    "observe": 7,
    "window": 4,
    "promote": 7,
    "phase.start": 4,
    "phase.list": 1,
    "phase.diff": 2,
    "trace.show": 3,
    "explain_trace": 1,
}
