"""Scenes of room stories with people who are known by name."""

from __future__ import annotations

from collections.abc import Callable

from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import Step, Voice
from memfort.testing.room_stories.people import AmongPeople
from memfort.testing.room_stories.words import APART, BETWEEN, BETWEEN_THEM, OBSERVER
from memfort.testing.rooms import Known


class ScenesOfPeople(AmongPeople):
    @property
    def _scenes_of_people(self) -> tuple[Callable[[], list[Step]], ...]:
        return (
            self._known_in_private,
            self._told_of_two,
            self._merged_apart,
            self._linked,
            self._dropped_apart,
            self._named_alike,
            self._merged_elsewhere,
            self._merged_here,
        )

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
        asks = [
            Step(bea, "people.find", {"reference": "Sarah"}),
            Step(bea, "people.list", {}),
            Step(bea, "about", {"ids": ["Sarah"]}),
        ]
        return [Step(voice, "remember", theirs), Step(bea, "remember", hers), *asks]

    def _known_to_some(self) -> list[Step]:
        """In bea's own room somebody mentions one for her eyes alone, and then she does. Whoever else is there would
        hear of it. Nothing is thrown for it: the stories that catch the sown leaks stay what they are."""
        room, bea = self._cast.room, self._voices[OBSERVER][0]
        here = [user for user in (self._cast.ada, CLEO) if room in self._cast.rooms_of(user)]
        if room is None or not here:
            return []
        voice = self._of(APART, here[0], room)
        fields = {
            "space": {"chat": room},
            "access": {"users": [BEA]},
            "type": "knowledge",
            "portable": False,
            "sensitivity": "public",
            "subjects": ["Sarah", "my wife"],
        }
        self._unique += 1
        theirs = {**fields, "text": f"the quiet tea number {self._unique}"}
        hers = {**fields, "text": f"the loud coffee number {self._unique}", "subjects": ["Sarah"]}
        may_make = self._may_make(voice, self._known_at(voice, theirs)) and self._may_make(
            bea, self._known_at(bea, hers)
        )
        if not may_make or not self._is_apart(self._readings(voice, theirs)):
            return []
        self._note(voice, theirs)
        made = self._people[APART][-1]
        self._note(bea, hers)
        by_id = {**hers, "text": f"the odd coffee number {self._unique}", "subjects": [made.id]}
        asks = [Step(bea, "people.list", {}), Step(bea, "people.relations", {"id": f"@{here[0]}"})]
        asks += [Step(bea, "people.get", {"id": made.id}), Step(bea, "people.find", {"reference": made.id})]
        disclosed = [
            Step(bea, "remember", hers),
            Step(bea, "remember", by_id),
            Step(bea, "people.find", {"reference": "Sarah"}),
        ]
        return [Step(voice, "remember", theirs), *asks, Step(bea, "edges", {"id": f"@{here[0]}"}), *disclosed]

    def _called_elsewhere(self) -> list[Step]:
        """Bea has a name of her own for cleo, in another room; and in this one she asks what somebody of that name
        said. Nothing is thrown for it either."""
        alone, bea = self._of(APART, BEA), self._voices[OBSERVER][0]
        private = Known(alone.space({"user": BEA}))
        if not self._bea_is_elsewhere or self._cast.room is None or not self._may_make(alone, private):
            return []
        self._leave(self._met(alone, "Zelda", private))
        asks = [Step(bea, "recall", {"query": query, "limit": 50}) for query in ("What did Zelda say?", "Zelda coffee")]
        return [Step(alone, "people.add", {"name": "Zelda", "user": CLEO, "space": {"user": BEA}}), *asks]

    def _told_of_two(self) -> list[Step]:
        """Somebody mentions one whom only they know, and then says something of bea and of another one. Bea is told
        that, and not how many people the speaker knows."""
        user, bea = self._rng.choice((self._cast.ada, CLEO)), self._rng.choice(self._voices[OBSERVER])
        alone, crowd = self._of(APART, user), self._of(BETWEEN, user, "crowd")
        self._unique += 1
        fields = {"space": {"user": user}, "access": None, "type": "knowledge", "sensitivity": "public"}
        first = {**fields, "text": self._own_words(), "portable": False, "subjects": ["Sarah"]}
        disclosed = {
            **fields,
            "text": f"{self._rng.choice(BETWEEN_THEM)} {self._unique}",
            "portable": True,
            "subjects": [f"@{BEA}", "Nina"],
        }
        may_make = self._may_make(alone, self._known_at(alone, first))
        if not may_make or not self._may_make(crowd, self._known_at(crowd, disclosed)):
            return []
        if not self._is_apart(self._readings(alone, first)):
            return []
        self._note(alone, first)
        hers = self._note(crowd, disclosed)
        asks = [
            Step(bea, "about", {"ids": [f"@{BEA}"]}),
            Step(bea, "recall", {"query": disclosed["text"], "limit": 50}),
        ]
        asks += [Step(bea, verb, {"id": hers.id}) for verb in ("get", "edges", "related")]
        return [Step(alone, "remember", first), Step(crowd, "remember", disclosed), *asks]

    def _merged_apart(self) -> list[Step]:
        """Somebody whom ada knows in private turns out to be one whom she entered for all to see."""
        ada, between = self._of(APART, self._cast.ada), self._of(BETWEEN, self._cast.ada)
        private, bea = Known(ada.space({"user": self._cast.ada})), self._rng.choice(self._voices[OBSERVER])
        if not self._may_make(ada, private) or self._is_mixed(ada, private):
            return []
        self._unique += 1
        listed = self._met(between, f"Vera {self._unique}", Known(None))
        own = self._met(ada, f"Tom {self._unique}", private)
        said = {
            "text": self._own_words(),
            "space": {"user": self._cast.ada},
            "access": None,
            "type": "knowledge",
            "portable": False,
            "subjects": [own.id],
        }
        disclosed = [Step(ada, "remember", said)] if self._is_apart(self._readings(ada, said)) else []
        self._leave(own)
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

    def _merged_here(self) -> list[Step]:
        """Bea enters two for all to see, who turn out to be one."""
        bea, listed = self._rng.choice(self._voices[OBSERVER]), Known(None)
        self._unique += 1
        keep, gone = (self._met(bea, f"{name} {self._unique}", listed) for name in ("Vera", "Tom"))
        added = [Step(bea, "people.add", {"name": one.name, "listed": True}) for one in (keep, gone)]
        merged = Step(bea, "people.merge", {"keep": keep.id, "gone": gone.id})
        return [
            *added,
            merged,
            Step(bea, "people.get", {"id": gone.id}),
            Step(bea, "people.find", {"reference": gone.name}),
        ]

    def _merged_elsewhere(self) -> list[Step]:
        """Somebody whom bea knows in private turns out, in another room, to be one whom she entered for all to see;
        and in this one she says something of that one, and takes along what is hers."""
        if not self._bea_is_elsewhere or self._cast.room is None:
            return []
        alone, between = self._of(APART, BEA), self._of(BETWEEN, BEA)
        private, bea = Known(alone.space({"user": BEA})), self._rng.choice(self._voices[OBSERVER])
        if not self._may_make(alone, private):
            return []
        self._unique += 1
        listed = self._met(between, f"Vera {self._unique}", Known(None))
        own = self._met(alone, f"Zoe {self._unique}", private)
        said = {
            "text": f"coffee, Vera {self._unique}",
            "space": {"user": BEA},
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": [listed.id],
        }
        self._note(bea, said)
        self._leave(own)
        return [
            Step(between, "people.add", {"name": listed.name, "listed": True}),
            Step(alone, "people.add", {"name": own.name, "space": {"user": BEA}}),
            Step(alone, "people.merge", {"keep": listed.id, "gone": own.id}),
            Step(bea, "remember", said),
            Step(bea, "export", {}),
        ]

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
        links = Step(ada, "people.link", {"id": vera.id, "user": BEA})
        disclosed = [*said, links] if self._rng.random() < 0.5 else [links, *said]
        return [
            Step(ada, "people.add", {"name": vera.name, "listed": True}),
            *disclosed,
            *asks,
            Step(bea, "about", {"ids": [vera.id]}),
        ]

    def _dropped_apart(self) -> list[Step]:
        """Somebody who is known to ada alone, or to cleo, is taken out again; and bea, who looks for them, adds one."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice, bea = self._of(APART, user), self._rng.choice(self._voices[OBSERVER])
        known, hers = Known(voice.space({"user": user})), Known(bea.space({"user": BEA}))
        if not self._may_make(voice, known) or not self._may_make(bea, hers) or self._is_mixed(voice, known):
            return []
        own = self._met(voice, "Tom", known)
        self._leave(own)
        self._met(bea, "Tom", hers)
        return [
            Step(voice, "people.add", {"name": "Tom", "aliases": ["Sal"], "space": {"user": user}}),
            Step(bea, "people.drop", {"id": own.id}),
            Step(voice, "people.drop", {"id": own.id}),
            Step(bea, "people.get", {"id": own.id}),
            Step(bea, "people.add", {"name": "Tom", "space": {"user": BEA}}),
            Step(bea, "people.find", {"reference": "Sal"}),
        ]

    def _named_alike(self) -> list[Step]:
        """Ada calls herself like somebody whom bea knows."""
        bea, ada = self._rng.choice(self._voices[OBSERVER]), self._of(BETWEEN, self._cast.ada)
        hers = {
            "text": "coffee for Sarah",
            "space": self._space(bea),
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": ["Sarah"],
        }
        if not self._cast.is_sarah or not self._may_make(bea, self._known_at(bea, hers)):
            return []
        self._note(bea, hers)
        again = {**hers, "text": "more coffee for Sarah"}
        self._note(bea, again)
        return [
            Step(bea, "remember", hers),
            Step(ada, "people.update", {"id": "me", "name": "Sarah"}),
            Step(bea, "remember", again),
        ]
