"""Generates a chat history: which party does what, in which order, and what bea reads at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memfort.model.item import Status
from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.testing.chat_histories.listener import PERSONAL, PUBLIC
from memfort.testing.chat_histories.people_scenes import PeopleScenes
from memfort.testing.chat_histories.scenes import Scenes
from memfort.testing.chat_histories.verbs import Verbs
from memfort.testing.chat_histories.words import HIDDEN, OBSERVER, OTHERS, WAITS
from memfort.testing.histories import UPKEEP, History, Step, Voice
from memfort.testing.messages import conversation_with_all_roles, with_other_words
from memfort.testing.space_histories.cast import BEA, CLEO


class Generator(Scenes, PeopleScenes, Verbs):
    """Generates one chat history."""

    def history(self, seed: int, length: int) -> History:
        steps: list[Step] = []
        if self._cast.shares:
            cleo = Voice(OTHERS, Actor(ActorKind.USER, CLEO))
            steps.append(Step(cleo, "share", {"space": {"user": CLEO}, "user": BEA}))
        change = self._rng.randint(length // 3, length)
        while len(steps) < length:
            if len(steps) >= change > 0:
                id, kind, users, agents = self._cast.change
                given = {"id": id, "kind": kind, "users": users, "agents": agents}
                steps += self._statement_before_others_join()
                steps.append(Step(UPKEEP, "chat.register", given))
                change = 0
                steps += self._newly_hidden_statement()
            if self._rng.random() < 0.1:
                steps += self._rng.choice(
                    (
                        self._promoted_private_statement,
                        self._hidden_derivation,
                        self._lasting_and_passing_statement,
                        self._hidden_flood,
                        self._equal_hidden_statement,
                    )
                )()
            if self._rng.random() < 0.15:
                steps += self._rng.choice(
                    (
                        self._corrected_in_another_chat,
                        self._derived_in_another_chat,
                        self._statement_of_a_stranger,
                        self._statement_before_others_join,
                        self._hearsay_about_bea,
                        self._statement_for_those_present,
                    )
                )()
            if self._rng.random() < 0.08:
                scenes = (scene() for scene in self._rng.sample(self._people_scenes, len(self._people_scenes)))
                steps += next((scene for scene in scenes if scene), [])
            party = self._rng.choices((HIDDEN, OBSERVER, OTHERS, "upkeep"), (38, 36, 18, 8))[0]
            steps += self._upkeep() if party == "upkeep" else self._step(party)
        census = list(self._census())
        return History(
            seed,
            self._cast.world,
            (
                *steps,
                *self._mention_for_bea_only(),
                *self._private_name_for_a_user(),
                *self._promotion_by_another(),
                *census,
                *self._conversations(),
                *self._note_about_the_other(),
            ),
        )

    def _upkeep(self) -> list[Step]:
        verb = self._rng.choices(("wait", "store.gc", "store.reindex"), (10, 1, 1))[0]
        return [Step(UPKEEP, verb, {"seconds": self._rng.choice(WAITS)} if verb == "wait" else {})]

    def _step(self, party: str) -> list[Step]:
        voice = self._rng.choice(self._voices[party])
        verbs = {HIDDEN: _HIDDEN_WEIGHTS, OTHERS: _OTHERS_WEIGHTS, OBSERVER: _OBSERVER_WEIGHTS}[party]
        verb = self._rng.choices(list(verbs), list(verbs.values()))[0]
        if verb == "people":
            return self._step_with_people(voice)
        make: Callable[[Voice], Mapping[str, Any] | None] = getattr(self, f"_{verb.replace('.', '_')}")
        given = make(voice)
        if given is None:
            return []
        traced = party == OBSERVER and not self._bea_uses_other_chats and self._rng.random() < 0.15
        return [Step(voice, verb, given, traced=traced)]

    def _step_with_people(self, voice: Voice) -> list[Step]:
        if voice.party == OTHERS and self._rng.random() < 0.2:
            voice = Voice(OTHERS, SYSTEM)
        verb = self._rng.choices(list(_PEOPLE_WEIGHTS), list(_PEOPLE_WEIGHTS.values()))[0]
        make: Callable[[Voice], Mapping[str, Any] | None] = getattr(self, f"_{verb.replace('.', '_')}")
        given = make(voice)
        traced = voice.party == OBSERVER and not self._bea_uses_other_chats and self._rng.random() < 0.15
        return [] if given is None else [Step(voice, verb, given, traced=traced)]

    def _census(self) -> Iterator[Step]:
        """Bea reads everything that is there for her in the chat."""
        for voice in self._voices[OBSERVER]:
            yield Step(voice, "recall", {"query": "coffee tea harbor budget launch friday merger number", "limit": 6})
            yield Step(voice, "recall", {"query": "coffee number", "limit": 50, "explain": True})
            for tag in ("number", "filed"):
                yield Step(voice, "recall", {"query": "coffee tea harbor budget launch friday merger", "tags": [tag]})
            yield Step(voice, "pages", {"limit": 3, "deleted": True, "statuses": [status.value for status in Status]})
            for person in (self._cast.ada, BEA, CLEO, "dora"):
                yield Step(voice, "about", {"ids": [f"@{person}"]})
                yield Step(voice, "about", {"ids": [f"@{person}"], "limit": 2})
            for memory in [*self._memories[HIDDEN][-8:], *self._memories[OTHERS][-4:]]:
                yield Step(voice, "get", {"id": memory.id})
                yield Step(voice, "explain", {"ids": [memory.id]})
                yield Step(voice, "explain", {"ids": [memory.id], "query": "coffee tea number", "limit": 2})
            for name in ("Sarah", "Tom", "Zoe"):
                yield Step(voice, "people.find", {"reference": name})
            yield Step(voice, "people.list", {})
            yield Step(voice, "people.relations", {"id": "me"})
            for one in [*self._people[HIDDEN][-2:], *self._retired_people[-1:], *self._people[OTHERS][-1:]]:
                yield Step(voice, "people.get", {"id": one.id})
            yield Step(voice, "about", {"ids": ["Sarah", "Tom"]})
            yield Step(voice, "window", {"space": {"user": BEA}})
            for verb in (
                "review.list",
                "export",
                *(() if self._bea_uses_other_chats else ("trail.export", "trace.list")),
            ):
                yield Step(voice, verb, {})
            yield Step(voice, "remember", {"text": "the last coffee", "space": self._space(voice), "type": "knowledge"})
        yield from self._endings_of_bea()
        yield from self._census_at_other_standpoints()
        for voice in (self._voices[OTHERS][0], self._voices[HIDDEN][0]):
            yield Step(voice, "recall", {"query": "coffee tea number", "limit": 50})

    def _endings_of_bea(self) -> Iterator[Step]:
        """Bea says something in her own space and ends it at once. Draws no random numbers, so that recorded seeds keep
        catching their leaks."""
        for voice, ending in zip(self._voices[OBSERVER], ("forget", "erase"), strict=True):
            said = {"text": f"coffee to {ending}", "space": {"user": BEA}, "access": None, "portable": True}
            fields = {**said, "type": "knowledge", "sensitivity": "public"}
            yield Step(voice, "remember", fields)
            yield Step(voice, ending, {"ids": [self._expect(voice, fields).id]})

    def _census_at_other_standpoints(self) -> Iterator[Step]:
        """Bea's agent reads in her chat, for no user; and bea names a chat that she is not in."""
        stranger = self._cast.chat_of_others
        voices = [] if self._cast.chat is None else [self._cast.bot_in(self._cast.chat)]
        voices += [] if stranger is None else [self._cast.voices_in(OBSERVER, BEA, stranger)[1]]
        for voice in voices:
            yield Step(voice, "recall", {"query": "coffee tea harbor budget launch friday merger number", "limit": 50})
            yield Step(voice, "about", {"ids": [f"@{self._cast.ada}", f"@{BEA}", f"@{CLEO}", "@dora"]})
            yield Step(voice, "pages", {"limit": 50})
            for memory in self._memories[HIDDEN][-3:]:
                yield Step(voice, "get", {"id": memory.id})

    def _conversations(self) -> Iterator[Step]:
        """The hidden party and bea hand over conversations with the same ids, each a second time with a change, and bea
        reads hers. Draws no random numbers, so that recorded seeds keep catching their leaks."""
        for number, voice in enumerate([one for one in self._voices[HIDDEN] if self._may_talk(one)][:3]):
            yield from _conversation(voice, f"tea number {self._last_unique_number + number + 1}")
        for voice in self._voices[OBSERVER]:
            yield from _conversation(voice, "tea for the launch")
            yield Step(voice, "window", {})
            yield Step(voice, "context", {})
            yield Step(voice, "about", {"ids": ["me"]})
            yield Step(voice, "recall", {"query": "tea number coffee", "limit": 50})

    def _may_talk(self, voice: Voice) -> bool:
        """Whether bea's chat may hear neither the turns, which are in the chat, nor the statements."""
        assert voice.actor is not None
        chat = voice.coordinates.get("chat")
        own = {"user": str(voice.actor.user)}
        said = [
            {"text": text, "space": space, "access": None, "portable": True, "sensitivity": sensitivity}
            for text in ("I prefer tea", "tea")
            for space in (own, {"chat": chat} if chat else own)
            for sensitivity in (PUBLIC, PERSONAL)
        ]
        return chat != self._cast.chat and all(self._is_hidden(self._readings(voice, one)) for one in said)


def _conversation(voice: Voice, subject: str) -> Iterator[Step]:
    messages = conversation_with_all_roles(subject)
    for each in (messages, with_other_words(messages)):
        yield Step(voice, "observe", {"messages": each})


_HIDDEN_WEIGHTS = {
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
_OTHERS_WEIGHTS = {
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
_OBSERVER_WEIGHTS = {
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
_PEOPLE_WEIGHTS = {
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
