"""What the parties of a room story do with people: each with those of its own making, and bea with anybody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memfort.model.people.actor import SYSTEM, Actor, ActorKind
from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import Voice
from memfort.testing.room_stories.book import Book, Somebody
from memfort.testing.room_stories.words import APART, BETWEEN, LISTED_NAMES, OBSERVER, OWN_NAMES, REFERENCES
from memfort.testing.rooms import Known


class AmongPeople(Book):
    def _anybody(self) -> str:
        """The id of some person, of whomever."""
        known = [one.id for people in (*self._people.values(), self._gone) for one in people]
        return self._rng.choice(known) if known and self._rng.random() < 0.9 else "per_unknown"

    def _theirs(self, voice: Voice) -> list[Somebody]:
        """Those that a voice may change without bea's noticing what was done apart: of its own party's making, if it
        is sure who they are."""
        assert voice.actor is not None
        made = [one for one in self._people[voice.party] if not self._is_mixed(one.voice, one.known)]
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

    def _leave(self, *gone: Somebody) -> None:
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
            given: dict[str, Any] = {"name": self._rng.choice(LISTED_NAMES), "listed": True}
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
        self._numbered(voice, one.known)
        term = "sister" if voice.party == BETWEEN else "wife"
        return {"person": "me", "term": term, "other": one.id, "listed": one.known.home is None}

    def _people_unrelate(self, voice: Voice) -> dict[str, Any] | None:
        id = self._one_of_theirs(voice)
        return None if id is None else {"person": "me", "term": "wife", "other": id}

    def _people_drop(self, voice: Voice) -> dict[str, Any] | None:
        id = self._one_of_theirs(voice)
        return None if id is None else {"id": id}

    def _people_forget(self, voice: Voice) -> dict[str, Any] | None:
        """Of each party, those of its own making. What bea forgets goes from all her rooms, so only while nothing is
        said apart that she would hear from another one."""
        how = {
            "which": self._rng.choice(("about", "stated_by", "both")),
            "dry_run": self._rng.random() < 0.4,
            "erase": self._rng.random() < 0.4,
        }
        if voice.party == OBSERVER:
            people = (f"@{BEA}", "me", f"@{CLEO}", "@dora", "Sarah", "my wife", self._anybody())
            return None if self._is_heard_elsewhere() else {"person": self._rng.choice(people), **how}
        id = self._one_of_theirs(voice)
        return None if id is None else {"person": id, **how}

    def _is_heard_elsewhere(self) -> bool:
        said = [one.said for one in self._memories[APART]]
        return self._bea_is_elsewhere or any(
            "chat" in one.space.to_dict() or any(listener.may_notice(one) for listener in self._anywhere)
            for one in said
        )
