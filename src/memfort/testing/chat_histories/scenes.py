"""Scenes of chat histories: short sequences of related steps that random choice hardly ever produces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from memfort.model.people.actor import Actor, ActorKind
from memfort.testing.chat_histories.listener import OUTSIDE
from memfort.testing.chat_histories.state import HistoryState
from memfort.testing.chat_histories.words import APOLLO, HIDDEN, OBSERVER, OTHERS, OTHERS_PHRASES
from memfort.testing.histories import Step, Voice
from memfort.testing.space_histories.cast import BEA, CLEO


class Scenes(HistoryState):
    def _promoted_private_statement(self) -> list[Step]:
        """A user says something in private, where they have no other memories, and promotes it at once; sometimes about
        a person only they know, beside another that the hidden party mentions."""
        user = self._rng.choice((self._cast.ada, CLEO))
        chats = [chat for chat in ("tete", "dm", "adm") if chat in self._cast.chats_of(user)]
        chat = self._rng.choice(chats)
        voice = self._cast.voices_in(OTHERS, user, chat)[2]
        self._last_unique_number += 1
        fields: dict[str, Any] = {
            "text": f"{self._rng.choice(OTHERS_PHRASES)} {self._last_unique_number}",
            "space": {"session": "out"},
            "access": None,
            "type": "knowledge",
            "portable": True,
            "sensitivity": "public",
        }
        users = self._rng.choice(([], [f"@{BEA}"], ["@dora"], [f"@{BEA}"]))
        beside = self._hidden_mention(voice, fields) if self._rng.random() < 0.5 else []
        fields["subjects"] = [*users, *(["Nina"] if beside else [])]
        made = self._expect(voice, fields)
        target = self._rng.choice((APOLLO, APOLLO, {"chat": chat}))
        there = [*users, *(["per_stranger"] if beside else [])]
        origin = self._cast.origin(voice, voice.space(target), self._state) if "chat" in target else OUTSIDE
        self._expect(voice, {**fields, "space": target, "subjects": there}, (origin,))
        return [*beside, Step(voice, "remember", fields), Step(voice, "promote", {"id": made.id, "to": target})]

    def _promotion_by_another(self) -> list[Step]:
        """In a private chat without bea one says something, and the other promotes it to where bea reads: it waits
        until the first agrees. Draws no random numbers, so that recorded seeds keep catching their leaks."""
        if self._cast.change[0] == "tete":
            return []
        speaker, other = (self._cast.voices_in(HIDDEN, user, "tete")[1] for user in (CLEO, self._cast.ada))
        self._last_unique_number += 1
        fields: dict[str, Any] = {
            "text": f"the hushed tea number {self._last_unique_number}",
            "space": {"chat": "tete"},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "sensitivity": "public",
        }
        if not self._is_hidden(self._readings(speaker, fields)):
            return []
        made = self._expect(speaker, fields)
        asks = [Step(bea, "recall", {"query": "hushed tea", "limit": 50}) for bea in self._voices[OBSERVER]]
        return [Step(speaker, "remember", fields), Step(other, "promote", {"id": made.id, "to": APOLLO}), *asks]

    def _hidden_mention(self, voice: Voice, fields: Mapping[str, Any]) -> list[Step]:
        """The hidden party mentions a person in the space of a statement that names another."""
        hidden = replace(voice, party=HIDDEN)
        said = {**fields, "text": self._unique_text(), "portable": False, "subjects": ["Sarah"]}
        may_make = self._may_add_person(hidden, self._scope_of_mentions(hidden, said))
        if not may_make or not self._may_add_person(
            voice, self._scope_of_mentions(voice, {**fields, "subjects": ["Nina"]})
        ):
            return []
        if not self._is_hidden(self._readings(hidden, said)):
            return []
        self._expect(hidden, said)
        return [Step(hidden, "remember", said)]

    def _hidden_derivation(self) -> list[Step]:
        """The hidden party derives a memory from what bea says in her chat, and bea ends the source."""
        bea, voice, space = self._shared_space()
        if space is None:
            return []
        said = {
            "text": "the tea is ready",
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": True,
            "sensitivity": "public",
        }
        hers = self._expect(bea, said)
        made = {
            "text": "the tea is cold",
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": False,
            "sensitivity": "sensitive",
            "subjects": ["@dora"],
            "derived_from": [hers.id],
        }
        if not self._is_hidden(self._readings(voice, made)):
            return []
        self._expect(voice, made)
        end = self._rng.choice(("erase", "forget"))
        return [Step(bea, "remember", said), Step(voice, "remember", made), Step(bea, end, {"ids": [hers.id]})]

    def _shared_space(self) -> tuple[Voice, Voice, dict[str, str] | None]:
        """Bea, a voice of the hidden party, and a space both can write in, if there is one."""
        bea, voice = self._rng.choice(self._voices[OBSERVER]), self._rng.choice(self._voices[HIDDEN])
        shared = [
            {level: id}
            for level, id in bea.coordinates.items()
            if level in {"chat", "project"} and voice.coordinates.get(level) == id
        ]
        return bea, voice, self._rng.choice(shared) if shared else None

    def _hidden_flood(self) -> list[Step]:
        """The hidden party writes more beside a memory of bea than its ticks or her budget would allow."""
        bea, voice, space = self._shared_space()
        if space is None:
            return []
        said: dict[str, Any] = {
            "text": "the tea ends soon",
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": True,
            "sensitivity": "public",
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
        if not self._is_hidden(self._readings(voice, beside)):
            return []
        self._expect(bea, said)
        many = [{**beside, "text": self._unique_text()} for _ in range(5)]
        for one in many:
            self._expect(voice, one)
        asks = Step(bea, "recall", {"query": "tea ends", "limit": 5})
        return [Step(bea, "remember", said), *(Step(voice, "remember", one) for one in many), asks]

    def _equal_hidden_statement(self) -> list[Step]:
        """Bea's agent says something that is pending, and the hidden party says the same with more authority."""
        _, voice, space = self._shared_space()
        bot = self._cast.voices_in(OBSERVER, BEA, self._cast.chat)[-1]
        if space is None or voice.actor is None or not space.items() <= bot.coordinates.items():
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
        if not self._is_hidden(readings) or self._needs_unique_text(voice, readings):
            return []
        self._expect(bot, said)
        self._expect(voice, theirs)
        return [Step(bot, "remember", said), Step(voice, "remember", theirs)]

    def _lasting_and_passing_statement(self) -> list[Step]:
        """Cleo says two things about bea, one portable and one not, and bea asks what is known."""
        cleo = self._cast.voices_in(HIDDEN, CLEO, "crowd")[0]
        once = {
            "text": "",
            "space": {"user": CLEO},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "subjects": [f"@{BEA}"],
            "sensitivity": "public",
        }
        if not self._is_hidden(self._readings(cleo, once)):
            return []
        once["text"] = self._unique_text()
        self._expect(cleo, once)
        lasting = {**once, "text": self._rng.choice(OTHERS_PHRASES), "portable": True, "tags": ["filed"]}
        between = replace(cleo, party=OTHERS)
        self._expect(between, lasting)
        bea = self._rng.choice(self._voices[OBSERVER])
        asks = [Step(bea, "about", {"ids": [f"@{BEA}"]}), Step(bea, "recall", {"query": "filed"})]
        return [Step(cleo, "remember", once), Step(between, "remember", lasting), *asks]

    def _newly_hidden_statement(self) -> list[Step]:
        """The directory has changed, and the hidden party says something that the chat would have heard before."""
        before = self._listeners_here
        self._listeners_here, self._state = self._cast.listeners(everywhere=False, from_state=1), 1
        for _ in range(60):
            voice = self._rng.choice(self._voices[HIDDEN])
            fields = self._fields(voice) | {"access": None}
            fields.pop("derived_from", None)
            said = self._readings(voice, fields)
            if self._is_hidden(said) and any(one.may_notice(said[0]) for one in before):
                fields |= {"text": self._unique_text(), "sensitivity": said[0].sensitivity}
                self._expect(voice, fields)
                return [Step(voice, "remember", fields)]
        return []
