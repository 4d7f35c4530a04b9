"""The verbs on people in chat histories: each party changes people of its own making, and bea anyone."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.testing.chat_histories.listener import PersonScope
from memfort.testing.chat_histories.state import ExpectedPerson, HistoryState
from memfort.testing.chat_histories.words import HIDDEN, HIDDEN_NAMES, LISTED_NAMES, OBSERVER, OTHERS, REFERENCES
from memfort.testing.histories import Voice
from memfort.testing.space_histories.cast import BEA, CLEO


class PeopleVerbs(HistoryState):
    def _any_person_id(self) -> str:
        """The id of any person."""
        known = [one.id for people in (*self._people.values(), self._retired_people) for one in people]
        return self._rng.choice(known) if known and self._rng.random() < 0.9 else "per_unknown"

    def _changeable_people(self, voice: Voice) -> list[ExpectedPerson]:
        """People a voice may change without bea noticing the hidden party: of its own party, where their ids are
        certain."""
        assert voice.actor is not None
        made = [one for one in self._people[voice.party] if not self._is_mixed(one.voice, one.known)]
        return [
            one
            for one in made
            if voice.actor == SYSTEM or (one.voice.actor and one.voice.actor.user == voice.actor.user)
        ]

    def _changeable_person_id(self, voice: Voice) -> str | None:
        if voice.party == OBSERVER and self._rng.random() < 0.4:
            return self._any_person_id()
        theirs = self._changeable_people(voice)
        return self._rng.choice(theirs).id if theirs else None

    def _retire(self, *gone: ExpectedPerson) -> None:
        """Stop using people who were merged or dropped: the person they became may be known beyond the hidden party."""
        self._retired_people += gone
        self._people[HIDDEN] = [one for one in self._people[HIDDEN] if one not in gone]

    def _people_find(self, voice: Voice) -> dict[str, Any]:
        return {"reference": self._rng.choice((*REFERENCES, self._any_person_id()))}

    def _people_get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._rng.choice((self._any_person_id(), self._any_person_id(), "me", f"@{self._cast.ada}"))}

    _people_relations = _people_get

    def _people_list(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _people_add(self, voice: Voice) -> dict[str, Any] | None:
        """In the directory, or in a space."""
        if voice.actor == SYSTEM or (voice.party != HIDDEN and self._rng.random() < 0.6):
            given: dict[str, Any] = {"name": self._rng.choice(LISTED_NAMES), "listed": True}
            known = PersonScope(None)
        else:
            space = self._space(voice)
            known = PersonScope(voice.space(space))
            given = {"name": self._name(voice, known).removeprefix("my "), "space": space}
        if not self._may_add_person(voice, known):
            return None
        term = {OBSERVER: "wife", OTHERS: "sister", HIDDEN: "wife"}[voice.party]
        is_own = voice.actor != SYSTEM and given["name"] not in HIDDEN_NAMES
        given |= self._maybe(0.2 if is_own else 0, {"relation": term}) | self._maybe(
            0.2 if is_own else 0, {"aliases": ["Sal"]}
        )
        self._expect_person(voice, given["name"], known, given.get("relation"))
        return given

    def _people_update(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OTHERS and self._cast.is_sarah and voice.actor == Actor(ActorKind.USER, self._cast.ada):
            return {"id": "me", "name": "Sarah"}
        id = self._changeable_person_id(voice)
        return (
            None
            if id is None
            else {"id": id, "name": self._rng.choice(HIDDEN_NAMES if voice.party == HIDDEN else ("Sarah", "Nina"))}
        )

    def _people_alias(self, voice: Voice) -> dict[str, Any] | None:
        id = self._changeable_person_id(voice)
        return None if id is None else {"ids": [id, "Zo" if voice.party == HIDDEN else "Sal"]}

    def _people_merge(self, voice: Voice) -> dict[str, Any] | None:
        """The hidden party merges its own people into others, or into its own in the directory."""
        theirs = self._changeable_people(voice)
        others = [*theirs, *(self._changeable_people(replace(voice, party=OTHERS)) if voice.party == HIDDEN else ())]
        if voice.party == OBSERVER and self._rng.random() < 0.4:
            return {"keep": self._any_person_id(), "gone": self._any_person_id()}
        gone = self._rng.choice(theirs) if theirs else None
        others = [one for one in others if gone not in {None, one}]
        if gone is None or not others:
            return None
        keep = self._rng.choice([one for one in others if one.known.home in {None, gone.known.home}] or others)
        if voice.party == HIDDEN:
            self._retire(gone, *([keep] if keep in theirs else []))
        return {"keep": keep.id, "gone": gone.id}

    def _people_link(self, voice: Voice) -> dict[str, Any] | None:
        assert voice.actor is not None
        if voice.party == OBSERVER:
            return {
                "id": self._changeable_person_id(voice) or self._any_person_id(),
                "user": self._rng.choice((BEA, CLEO)),
            }
        theirs = self._changeable_people(voice)
        if voice.actor.user != self._cast.linker or not theirs:
            return None
        one = self._rng.choice(theirs)
        if voice.party == HIDDEN:
            self._retire(one)
        return {"id": one.id, "user": self._cast.linked}

    def _people_relate(self, voice: Voice) -> dict[str, Any] | None:
        """The hidden party adds relations where the other person is known, so they are noticed no more than that
        person."""
        theirs = [
            one
            for one in self._changeable_people(voice)
            if self._may_add_person(voice, one.known) and one.name not in HIDDEN_NAMES
        ]
        if not theirs or voice.actor is None or voice.actor == SYSTEM:
            return None
        one = self._rng.choice(theirs)
        self._next_person_number(voice, one.known)
        term = "sister" if voice.party == OTHERS else "wife"
        return {"person": "me", "term": term, "other": one.id, "listed": one.known.home is None}

    def _people_unrelate(self, voice: Voice) -> dict[str, Any] | None:
        id = self._changeable_person_id(voice)
        return None if id is None else {"person": "me", "term": "wife", "other": id}

    def _people_drop(self, voice: Voice) -> dict[str, Any] | None:
        id = self._changeable_person_id(voice)
        return None if id is None else {"id": id}

    def _people_forget(self, voice: Voice) -> dict[str, Any] | None:
        """Each party forgets people of its own making. What bea forgets goes from all her chats, so she forgets only
        while the hidden party has said nothing she would hear in another one."""
        how = {
            "which": self._rng.choice(("about", "stated_by", "both")),
            "dry_run": self._rng.random() < 0.4,
            "erase": self._rng.random() < 0.4,
        }
        if voice.party == OBSERVER:
            people = (f"@{BEA}", "me", f"@{CLEO}", "@dora", "Sarah", "my wife", self._any_person_id())
            return None if self._is_heard_in_other_chats() else {"person": self._rng.choice(people), **how}
        id = self._changeable_person_id(voice)
        return None if id is None else {"person": id, **how}

    def _is_heard_in_other_chats(self) -> bool:
        said = [one.said for one in self._memories[HIDDEN]]
        return self._bea_uses_other_chats or any(
            "chat" in one.space.to_dict() or any(listener.may_notice(one) for listener in self._listeners_anywhere)
            for one in said
        )
