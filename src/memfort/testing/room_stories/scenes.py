"""Scenes of room stories: a few steps that hang together, which chance hardly ever makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memfort.model.people.actor import Actor, ActorKind
from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import Step, Voice
from memfort.testing.room_stories.book import Book
from memfort.testing.room_stories.words import APART, APOLLO, BETWEEN, BETWEEN_THEM, OBSERVER


class Scenes(Book):
    def _let_out(self) -> list[Step]:
        """Somebody says something in private, where nothing else of theirs lies, and promotes it at once; perhaps of
        somebody whom only they know, beside another whom they mention apart."""
        user = self._rng.choice((self._cast.ada, CLEO))
        rooms = [room for room in ("tete", "dm", "adm") if room in self._cast.rooms_of(user)]
        room = self._rng.choice(rooms)
        voice = self._cast.voices_in(BETWEEN, user, room)[2]
        self._unique += 1
        fields: dict[str, Any] = {
            "text": f"{self._rng.choice(BETWEEN_THEM)} {self._unique}",
            "space": {"session": "out"},
            "access": None,
            "type": "knowledge",
            "portable": True,
        }
        users = self._rng.choice(([], [f"@{BEA}"], ["@dora"], [f"@{BEA}"]))
        beside = self._mentioned_beside(voice, fields) if self._rng.random() < 0.5 else []
        fields["subjects"] = [*users, *(["Nina"] if beside else [])]
        made = self._note(voice, fields)
        target = self._rng.choice((APOLLO, APOLLO, {"chat": room}))
        there = [*users, *(["per_stranger"] if beside else [])]
        self._note(replace(voice, places=()), {**fields, "space": target, "subjects": there})
        return [*beside, Step(voice, "remember", fields), Step(voice, "promote", {"id": made.id, "to": target})]

    def _mentioned_beside(self, voice: Voice, fields: Mapping[str, Any]) -> list[Step]:
        """Somebody is mentioned apart where a statement is to stand that names another."""
        apart = replace(voice, party=APART)
        said = {**fields, "text": self._own_words(), "portable": False, "subjects": ["Sarah"]}
        may_make = self._may_make(apart, self._known_at(apart, said))
        if not may_make or not self._may_make(voice, self._known_at(voice, {**fields, "subjects": ["Nina"]})):
            return []
        if not self._is_apart(self._readings(apart, said)):
            return []
        self._note(apart, said)
        return [Step(apart, "remember", said)]

    def _made_of_hers(self) -> list[Step]:
        """Something is made apart of what bea says in her room, and she ends that."""
        bea, voice, space = self._together()
        if space is None:
            return []
        said = {"text": "the tea is hers", "space": space, "access": None, "type": "knowledge", "portable": True}
        hers = self._note(bea, said)
        made = {
            "text": "the tea is theirs",
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": False,
            "sensitivity": "sensitive",
            "subjects": ["@dora"],
            "derived_from": [hers.id],
        }
        if not self._is_apart(self._readings(voice, made)):
            return []
        self._note(voice, made)
        end = self._rng.choice(("erase", "forget"))
        return [Step(bea, "remember", said), Step(voice, "remember", made), Step(bea, end, {"ids": [hers.id]})]

    def _together(self) -> tuple[Voice, Voice, dict[str, str] | None]:
        """Bea, somebody apart, and a space that both can write in, if there is one."""
        bea, voice = self._rng.choice(self._voices[OBSERVER]), self._rng.choice(self._voices[APART])
        shared = [
            {level: id}
            for level, id in bea.held.items()
            if level in {"chat", "project"} and voice.held.get(level) == id
        ]
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
        beside = {
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": False,
            "sensitivity": "sensitive",
            "subjects": ["@dora"],
            "text": "",
        }
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
        if space is None or voice.actor is None or not space.items() <= bot.held.items():
            return []
        voice = replace(voice, actor=Actor(ActorKind.USER, str(voice.actor.user)))
        said = {
            "text": "the tea is alike",
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": False,
            "sensitivity": "sensitive",
            "subjects": [f"@{BEA}"],
            "confidence": 0.3,
        }
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
        once = {
            "text": "",
            "space": {"user": CLEO},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "subjects": [f"@{BEA}"],
            "sensitivity": "public",
        }
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
