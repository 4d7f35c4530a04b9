"""Scenes of chat histories with people known by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from memfort.model.item import Readers
from memfort.testing.chat_histories.listener import PersonScope
from memfort.testing.chat_histories.people_verbs import PeopleVerbs
from memfort.testing.chat_histories.words import HIDDEN, OBSERVER, OTHERS, OTHERS_PHRASES
from memfort.testing.histories import Step, Voice
from memfort.testing.space_histories.cast import BEA, CLEO


class PeopleScenes(PeopleVerbs):
    @property
    def _people_scenes(self) -> tuple[Callable[[], list[Step]], ...]:
        return (
            self._private_mention,
            self._disclosure_about_two_people,
            self._hidden_merge,
            self._link_to_bea,
            self._hidden_drop,
            self._user_takes_a_known_name,
            self._merge_in_another_chat,
            self._visible_merge,
        )

    def _voice_of(self, party: str, user: str, chat: str | None = None) -> Voice:
        return self._cast.voices_in(party, user, chat)[0]

    def _private_mention(self) -> list[Step]:
        """A user mentions Sarah in private, and then bea does."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice, bea = self._voice_of(HIDDEN, user), self._rng.choice(self._voices[OBSERVER])
        fields = {
            "space": {"user": user},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "subjects": ["Sarah"],
        }
        hers = {**fields, "text": "tea with Sarah", "space": self._space(bea)}
        theirs = {**fields, "text": self._unique_text()}
        may_make = self._may_add_person(voice, self._scope_of_mentions(voice, theirs)) and self._may_mention(bea, hers)
        if not may_make or not self._is_hidden(self._readings(voice, theirs)):
            return []
        self._expect(voice, theirs)
        self._expect(bea, hers)
        asks = [
            Step(bea, "people.find", {"reference": "Sarah"}),
            Step(bea, "people.list", {}),
            Step(bea, "about", {"ids": ["Sarah"]}),
        ]
        return [Step(voice, "remember", theirs), Step(bea, "remember", hers), *asks]

    def _may_mention(self, bea: Voice, hers: Mapping[str, Any]) -> bool:
        """Whether bea may name a person in words without a label. They are unjudged, so in a space that others read too
        the person is known to her alone."""
        scope = self._scope_of_mentions(bea, hers)
        alone = scope if scope.home is None or scope.home.is_private else replace(scope, readers=Readers.of([BEA]))
        return self._may_add_person(bea, scope) and self._may_add_person(bea, alone)

    def _mention_for_bea_only(self) -> list[Step]:
        """In bea's chat a user mentions a person for bea alone, and then bea mentions them: the other participants
        would notice. Draws no random numbers, so that recorded seeds keep catching their leaks."""
        chat, bea = self._cast.chat, self._voices[OBSERVER][0]
        here = [user for user in (self._cast.ada, CLEO) if chat in self._cast.chats_of(user)]
        if chat is None or not here:
            return []
        voice = self._voice_of(HIDDEN, here[0], chat)
        fields = {
            "space": {"chat": chat},
            "access": {"users": [BEA]},
            "type": "knowledge",
            "portable": False,
            "sensitivity": "public",
            "subjects": ["Sarah", "my wife"],
        }
        self._last_unique_number += 1
        theirs = {**fields, "text": f"the quiet tea number {self._last_unique_number}"}
        hers = {**fields, "text": f"the loud coffee number {self._last_unique_number}", "subjects": ["Sarah"]}
        may_make = self._may_add_person(voice, self._scope_of_mentions(voice, theirs)) and self._may_add_person(
            bea, self._scope_of_mentions(bea, hers)
        )
        if not may_make or not self._is_hidden(self._readings(voice, theirs)):
            return []
        self._expect(voice, theirs)
        made = self._people[HIDDEN][-1]
        self._expect(bea, hers)
        by_id = {**hers, "text": f"the odd coffee number {self._last_unique_number}", "subjects": [made.id]}
        asks = [Step(bea, "people.list", {}), Step(bea, "people.relations", {"id": f"@{here[0]}"})]
        asks += [Step(bea, "people.get", {"id": made.id}), Step(bea, "people.find", {"reference": made.id})]
        disclosed = [
            Step(bea, "remember", hers),
            Step(bea, "remember", by_id),
            Step(bea, "people.find", {"reference": "Sarah"}),
        ]
        return [Step(voice, "remember", theirs), *asks, Step(bea, "edges", {"id": f"@{here[0]}"}), *disclosed]

    def _private_name_for_a_user(self) -> list[Step]:
        """Bea has a name of her own for cleo, set in another chat; in this chat she asks what a person of that name
        said. Draws no random numbers either."""
        alone, bea = self._voice_of(HIDDEN, BEA), self._voices[OBSERVER][0]
        private = PersonScope(alone.space({"user": BEA}))
        if not self._bea_uses_other_chats or self._cast.chat is None or not self._may_add_person(alone, private):
            return []
        self._retire(self._expect_person(alone, "Zelda", private))
        asks = [Step(bea, "recall", {"query": query, "limit": 50}) for query in ("What did Zelda say?", "Zelda coffee")]
        return [Step(alone, "people.add", {"name": "Zelda", "user": CLEO, "space": {"user": BEA}}), *asks]

    def _disclosure_about_two_people(self) -> list[Step]:
        """A user mentions a person only they know, and then says something about bea and another person. That is
        disclosed to bea, but not how many people the speaker knows."""
        user, bea = self._rng.choice((self._cast.ada, CLEO)), self._rng.choice(self._voices[OBSERVER])
        alone, crowd = self._voice_of(HIDDEN, user), self._voice_of(OTHERS, user, "crowd")
        self._last_unique_number += 1
        fields = {"space": {"user": user}, "access": None, "type": "knowledge", "sensitivity": "public"}
        first = {**fields, "text": self._unique_text(), "portable": False, "subjects": ["Sarah"]}
        disclosed = {
            **fields,
            "text": f"{self._rng.choice(OTHERS_PHRASES)} {self._last_unique_number}",
            "portable": True,
            "subjects": [f"@{BEA}", "Nina"],
        }
        may_make = self._may_add_person(alone, self._scope_of_mentions(alone, first))
        if not may_make or not self._may_add_person(crowd, self._scope_of_mentions(crowd, disclosed)):
            return []
        if not self._is_hidden(self._readings(alone, first)):
            return []
        self._expect(alone, first)
        hers = self._expect(crowd, disclosed)
        asks = [
            Step(bea, "about", {"ids": [f"@{BEA}"]}),
            Step(bea, "recall", {"query": disclosed["text"], "limit": 50}),
        ]
        asks += [Step(bea, verb, {"id": hers.id}) for verb in ("get", "edges", "related")]
        return [Step(alone, "remember", first), Step(crowd, "remember", disclosed), *asks]

    def _hidden_merge(self) -> list[Step]:
        """Ada merges a person she knows in private into one she added to the directory."""
        ada, between = self._voice_of(HIDDEN, self._cast.ada), self._voice_of(OTHERS, self._cast.ada)
        private, bea = PersonScope(ada.space({"user": self._cast.ada})), self._rng.choice(self._voices[OBSERVER])
        if not self._may_add_person(ada, private) or self._is_mixed(ada, private):
            return []
        self._last_unique_number += 1
        listed = self._expect_person(between, f"Vera {self._last_unique_number}", PersonScope(None))
        own = self._expect_person(ada, f"Tom {self._last_unique_number}", private)
        said = {
            "text": self._unique_text(),
            "space": {"user": self._cast.ada},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "subjects": [own.id],
        }
        disclosed = [Step(ada, "remember", said)] if self._is_hidden(self._readings(ada, said)) else []
        self._retire(own)
        asks = [Step(bea, "people.get", {"id": one}) for one in (listed.id, own.id)] + [
            Step(bea, "people.find", {"reference": "Tom"})
        ]
        return [
            Step(between, "people.add", {"name": listed.name, "listed": True}),
            Step(ada, "people.add", {"name": own.name, "space": said["space"]}),
            *disclosed,
            Step(ada, "people.relate", {"person": "me", "term": "wife", "other": own.id}),
            Step(ada, "people.merge", {"keep": listed.id, "gone": own.id}),
            *asks,
            Step(bea, "people.relations", {"id": listed.id}),
            Step(bea, "people.forget", {"person": listed.id, "dry_run": True}),
        ]

    def _visible_merge(self) -> list[Step]:
        """Bea adds two people to the directory and merges them."""
        bea, listed = self._rng.choice(self._voices[OBSERVER]), PersonScope(None)
        self._last_unique_number += 1
        keep, gone = (
            self._expect_person(bea, f"{name} {self._last_unique_number}", listed) for name in ("Vera", "Tom")
        )
        added = [Step(bea, "people.add", {"name": one.name, "listed": True}) for one in (keep, gone)]
        merged = Step(bea, "people.merge", {"keep": keep.id, "gone": gone.id})
        return [
            *added,
            merged,
            Step(bea, "people.get", {"id": gone.id}),
            Step(bea, "people.find", {"reference": gone.name}),
        ]

    def _merge_in_another_chat(self) -> list[Step]:
        """In another chat, bea merges a person she knows in private into one she added to the directory; in this chat
        she says something about that one and exports."""
        if not self._bea_uses_other_chats or self._cast.chat is None:
            return []
        alone, between = self._voice_of(HIDDEN, BEA), self._voice_of(OTHERS, BEA)
        private, bea = PersonScope(alone.space({"user": BEA})), self._rng.choice(self._voices[OBSERVER])
        if not self._may_add_person(alone, private):
            return []
        self._last_unique_number += 1
        listed = self._expect_person(between, f"Vera {self._last_unique_number}", PersonScope(None))
        own = self._expect_person(alone, f"Zoe {self._last_unique_number}", private)
        said = {
            "text": f"coffee, Vera {self._last_unique_number}",
            "space": {"user": BEA},
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": [listed.id],
        }
        self._expect(bea, said)
        self._retire(own)
        return [
            Step(between, "people.add", {"name": listed.name, "listed": True}),
            Step(alone, "people.add", {"name": own.name, "space": {"user": BEA}}),
            Step(alone, "people.merge", {"keep": listed.id, "gone": own.id}),
            Step(bea, "remember", said),
            Step(bea, "export", {}),
        ]

    def _link_to_bea(self) -> list[Step]:
        """Ada and cleo both say something about a person of their chat, and ada links that person to bea: the link
        counts for ada."""
        if (self._cast.linker, self._cast.linked) != (self._cast.ada, BEA):
            return []
        ada, cleo = self._voice_of(OTHERS, self._cast.ada, "crowd"), self._voice_of(HIDDEN, CLEO, "crowd")
        bea = self._rng.choice(self._voices[OBSERVER])
        self._last_unique_number += 1
        space = {"chat": "crowd"}
        known = PersonScope(ada.space(space))
        if self._is_numbered_by_hidden(ada, known):
            return []
        vera = self._expect_person(ada, f"Vera {self._last_unique_number}", known)
        fields = {
            "space": space,
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": [vera.id],
            "sensitivity": "public",
        }
        theirs = {**fields, "text": self._unique_text()}
        hers = {**fields, "text": f"{self._rng.choice(OTHERS_PHRASES)} {self._last_unique_number}"}
        if not self._is_hidden(self._readings(cleo, theirs)):
            return []
        self._expect(cleo, theirs)
        self._expect(ada, hers)
        asks = [
            Step(bea, "about", {"ids": [f"@{BEA}"]}),
            Step(bea, "recall", {"query": "coffee tea harbor", "limit": 50}),
        ]
        said = [Step(cleo, "remember", theirs), Step(ada, "remember", hers)]
        links = Step(ada, "people.link", {"id": vera.id, "user": BEA})
        disclosed = [*said, links] if self._rng.random() < 0.5 else [links, *said]
        return [
            Step(ada, "people.add", {"name": vera.name, "space": space}),
            *disclosed,
            *asks,
            Step(bea, "about", {"ids": [vera.id]}),
        ]

    def _hidden_drop(self) -> list[Step]:
        """Ada or cleo adds a person in private and drops them again; bea looks for them and adds one."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice, bea = self._voice_of(HIDDEN, user), self._rng.choice(self._voices[OBSERVER])
        known, hers = PersonScope(voice.space({"user": user})), PersonScope(bea.space({"user": BEA}))
        if (
            not self._may_add_person(voice, known)
            or not self._may_add_person(bea, hers)
            or self._is_mixed(voice, known)
        ):
            return []
        own = self._expect_person(voice, "Tom", known)
        self._retire(own)
        self._expect_person(bea, "Tom", hers)
        return [
            Step(voice, "people.add", {"name": "Tom", "aliases": ["Sal"], "space": {"user": user}}),
            Step(bea, "people.drop", {"id": own.id}),
            Step(voice, "people.drop", {"id": own.id}),
            Step(bea, "people.get", {"id": own.id}),
            Step(bea, "people.add", {"name": "Tom", "space": {"user": BEA}}),
            Step(bea, "people.find", {"reference": "Sal"}),
        ]

    def _user_takes_a_known_name(self) -> list[Step]:
        """Ada takes the name of a person bea knows."""
        bea, ada = self._rng.choice(self._voices[OBSERVER]), self._voice_of(OTHERS, self._cast.ada)
        hers = {
            "text": "coffee for Sarah",
            "space": self._space(bea),
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": ["Sarah"],
        }
        if not self._cast.is_sarah or not self._may_mention(bea, hers):
            return []
        self._expect(bea, hers)
        again = {**hers, "text": "more coffee for Sarah"}
        self._expect(bea, again)
        return [
            Step(bea, "remember", hers),
            Step(ada, "people.update", {"id": "me", "name": "Sarah"}),
            Step(bea, "remember", again),
        ]
