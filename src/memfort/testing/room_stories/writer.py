"""Writes a room story: who does what when, and what bea looks at in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memfort.model.item import Status
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import NOBODY, History, Step, Voice
from memfort.testing.room_stories.scenes import Scenes
from memfort.testing.room_stories.scenes_of_people import ScenesOfPeople
from memfort.testing.room_stories.verbs import Verbs
from memfort.testing.room_stories.words import APART, BETWEEN, OBSERVER, WAITS


class Writer(Scenes, ScenesOfPeople, Verbs):
    """Writes one room story."""

    def history(self, seed: int, length: int) -> History:
        steps: list[Step] = []
        if self._cast.shares:
            cleo = Voice(BETWEEN, Actor(ActorKind.USER, CLEO))
            steps.append(Step(cleo, "share", {"space": {"user": CLEO}, "user": BEA}))
        change = self._rng.randint(length // 3, length)
        while len(steps) < length:
            if len(steps) >= change > 0:
                id, kind, users = self._cast.change
                steps.append(Step(NOBODY, "chat.register", {"id": id, "kind": kind, "users": users}))
                change = 0
                steps += self._no_longer_heard()
            if self._rng.random() < 0.1:
                steps += self._rng.choice(
                    (self._let_out, self._made_of_hers, self._said_twice, self._crowded, self._said_alike)
                )()
            if self._rng.random() < 0.08:
                scenes = (scene() for scene in self._rng.sample(self._scenes_of_people, len(self._scenes_of_people)))
                steps += next((scene for scene in scenes if scene), [])
            party = self._rng.choices((APART, OBSERVER, BETWEEN, "nobody"), (38, 36, 18, 8))[0]
            steps += self._upkeep() if party == "nobody" else self._step(party)
        census = list(self._census())
        return History(seed, self._cast.world, (*steps, *self._known_to_some(), *self._called_elsewhere(), *census))

    def _upkeep(self) -> list[Step]:
        verb = self._rng.choices(("wait", "store.gc", "store.reindex"), (10, 1, 1))[0]
        return [Step(NOBODY, verb, {"seconds": self._rng.choice(WAITS)} if verb == "wait" else {})]

    def _step(self, party: str) -> list[Step]:
        voice = self._rng.choice(self._voices[party])
        verbs = {APART: _APART_DOES, BETWEEN: _BETWEEN_DOES, OBSERVER: _BEA_DOES}[party]
        verb = self._rng.choices(list(verbs), list(verbs.values()))[0]
        if verb == "people":
            return self._step_with_people(voice)
        make: Callable[[Voice], Mapping[str, Any] | None] = getattr(self, f"_{verb.replace('.', '_')}")
        given = make(voice)
        if given is None:
            return []
        traced = party == OBSERVER and not self._bea_is_elsewhere and self._rng.random() < 0.15
        return [Step(voice, verb, given, traced=traced)]

    def _step_with_people(self, voice: Voice) -> list[Step]:
        if voice.party == BETWEEN and self._rng.random() < 0.2:
            voice = Voice(BETWEEN, SYSTEM)
        verb = self._rng.choices(list(_PEOPLE_DO), list(_PEOPLE_DO.values()))[0]
        make: Callable[[Voice], Mapping[str, Any] | None] = getattr(self, f"_{verb.replace('.', '_')}")
        given = make(voice)
        traced = voice.party == OBSERVER and not self._bea_is_elsewhere and self._rng.random() < 0.15
        return [] if given is None else [Step(voice, verb, given, traced=traced)]

    def _census(self) -> Iterator[Step]:
        """Bea looks at everything there is for her in the room."""
        for voice in self._voices[OBSERVER]:
            yield Step(voice, "recall", {"query": "coffee tea harbor budget launch friday merger number", "limit": 6})
            yield Step(voice, "recall", {"query": "coffee number", "limit": 50, "explain": True})
            for tag in ("number", "filed"):
                yield Step(voice, "recall", {"query": "coffee tea harbor budget launch friday merger", "tags": [tag]})
            yield Step(voice, "pages", {"limit": 3, "deleted": True, "statuses": [status.value for status in Status]})
            for person in (self._cast.ada, BEA, CLEO, "dora"):
                yield Step(voice, "about", {"ids": [f"@{person}"]})
                yield Step(voice, "about", {"ids": [f"@{person}"], "limit": 2})
            for memory in [*self._memories[APART][-8:], *self._memories[BETWEEN][-4:]]:
                yield Step(voice, "get", {"id": memory.id})
                yield Step(voice, "explain", {"ids": [memory.id]})
                yield Step(voice, "explain", {"ids": [memory.id], "query": "coffee tea number", "limit": 2})
            for name in ("Sarah", "Tom", "Zoe"):
                yield Step(voice, "people.find", {"reference": name})
            yield Step(voice, "people.list", {})
            yield Step(voice, "people.relations", {"id": "me"})
            for one in [*self._people[APART][-2:], *self._gone[-1:], *self._people[BETWEEN][-1:]]:
                yield Step(voice, "people.get", {"id": one.id})
            yield Step(voice, "about", {"ids": ["Sarah", "Tom"]})
            yield Step(voice, "window", {"space": {"user": BEA}})
            for verb in ("review.list", "export", *(() if self._bea_is_elsewhere else ("trail.export", "trace.list"))):
                yield Step(voice, verb, {})
            yield Step(voice, "remember", {"text": "the last coffee", "space": self._space(voice), "type": "knowledge"})
        for voice in (self._voices[BETWEEN][0], self._voices[APART][0]):
            yield Step(voice, "recall", {"query": "coffee tea number", "limit": 50})


_APART_DOES = {
    "remember": 50,
    "recall": 6,
    "about": 3,
    "pages": 2,
    "get": 2,
    "correct": 8,
    "used": 3,
    "forget": 4,
    "erase": 3,
    "review.approve": 3,
    "review.reject": 4,
    "promote": 5,
    "observe": 5,
    "window": 1,
    "import": 4,
    "history": 1,
    "explain": 1,
    "people": 20,
    "people.forget": 3,
    "doctor": 1,
}
_BETWEEN_DOES = {
    "remember": 40,
    "recall": 4,
    "about": 3,
    "get": 2,
    "correct": 6,
    "forget": 4,
    "erase": 2,
    "window": 1,
    "history": 1,
    "people": 18,
    "people.forget": 2,
    "doctor": 1,
}
_BEA_DOES = {
    "remember": 32,
    "recall": 14,
    "about": 10,
    "pages": 5,
    "get": 8,
    "history": 7,
    "explain": 5,
    "check": 3,
    "correct": 9,
    "used": 5,
    "forget": 7,
    "erase": 7,
    "review.approve": 3,
    "review.reject": 3,
    "promote": 8,
    "observe": 5,
    "window": 4,
    "review.list": 3,
    "explain_recall": 2,
    "export": 2,
    "trail.export": 3,
    "edges": 4,
    "related": 5,
    "people": 28,
    "people.forget": 5,
    "doctor": 6,
}
_PEOPLE_DO = {
    "people.find": 8,
    "people.get": 6,
    "people.list": 4,
    "people.relations": 4,
    "people.add": 15,
    "people.update": 3,
    "people.alias": 4,
    "people.merge": 9,
    "people.link": 6,
    "people.relate": 5,
    "people.unrelate": 1,
    "people.drop": 3,
}
