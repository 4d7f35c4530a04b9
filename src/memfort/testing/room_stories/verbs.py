"""What the parties of a room story do with memories: each verb, with what is given to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memfort.model.item import Readers
from memfort.model.people.actor import ActorKind
from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import Voice
from memfort.testing.room_stories.book import Remembered
from memfort.testing.room_stories.people import AmongPeople
from memfort.testing.room_stories.words import APART, APOLLO, COMMON, EVERYBODYS, OBSERVER, QUERIES, REFERENCES
from memfort.testing.rooms import Said
from memfort.testing.story_words import node


class Verbs(AmongPeople):
    def _remember(self, voice: Voice) -> dict[str, Any] | None:
        return self._statement(voice)

    def _recall(self, voice: Voice) -> dict[str, Any]:
        limit = 7 if voice.party == APART else self._rng.choice((1, 2, 10))
        given = {"query": self._rng.choice(QUERIES), "limit": limit} | self._maybe(0.1, {"tags": ["number"]})
        return given | {"explain": True} if voice.party == OBSERVER and limit == 2 else given

    def _about(self, voice: Voice) -> dict[str, Any]:
        people = (f"@{BEA}", f"@{BEA}", f"@{self._cast.ada}", f"@{CLEO}", "@dora", *REFERENCES, self._anybody())
        return {"ids": self._rng.sample(people, self._rng.choice((1, 1, 2))), "limit": self._rng.choice((1, 3, 50))}

    def _pages(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self._rng.choice((1, 2, 50))} | self._maybe(0.3, {"deleted": True})
        return given | self._maybe(0.2, {"statuses": ["pending", "approved", "superseded"]})

    def _anything(self, voice: Voice) -> str:
        """The name of some memory, of whomever."""
        known = [one.id for memories in self._memories.values() for one in memories]
        own = [one.id for one in self._memories[voice.party]]
        pool = own if own and self._rng.random() < 0.4 else known
        return self._rng.choice(pool) if pool and self._rng.random() < 0.95 else "mem_unknown"

    def _own(self, voice: Voice, *, waiting: bool = False) -> Remembered | None:
        """A memory that the party itself has said: what is between must not hang on what was done apart."""
        own = [one for one in self._memories[voice.party] if one.waits or not waiting]
        here = [one for one in own if one.said.space.to_dict().items() <= voice.held.items()]
        return self._rng.choice(here) if here else None

    def _something(self, voice: Voice) -> str:
        """The name of a memory that the party has said and that is at hand, more often than not; else of any."""
        own = self._own(voice) if self._rng.random() < 0.6 else None
        return self._anything(voice) if own is None else own.id

    def _but_not_hers(self, voice: Voice, id: str) -> str:
        """A name for a verb that ends memories. An author may end their own by its id in any room, also what they said
        apart; so that is not asked of bea."""
        hers = {one.id for one in self._memories[APART] if one.voice.actor == voice.actor}
        return "mem_unknown" if id in hers else id

    def _get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._anything(voice)}

    def _history(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._something(voice)}

    def _edges(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._anybody() if self._rng.random() < 0.5 else self._anything(voice)}

    def _related(self, voice: Voice) -> dict[str, Any]:
        people = [f"@{BEA}", f"@{CLEO}", "@dora", self._anybody()]
        name = self._rng.choice(people) if self._rng.random() < 0.3 else self._anything(voice)
        return {"id": name, "hops": self._rng.randint(1, 2), "limit": self._rng.choice((2, 20))}

    def _explain(self, voice: Voice) -> dict[str, Any]:
        """Why a memory is shown, or why it comes for a query. The query is no throw of the dice: the stories that catch
        the sown leaks stay what they are."""
        turn = sum(map(len, self._memories.values()))
        given: dict[str, Any] = {"ids": [self._anything(voice)]}
        return given if turn % 4 == 0 else given | {"query": QUERIES[turn % len(QUERIES)], "limit": 1 + turn % 3}

    def _check(self, voice: Voice) -> dict[str, Any]:
        if self._rng.random() < 0.3:
            return {"verb": "remember", "text": self._rng.choice(COMMON), "space": self._space(voice)}
        verb = self._rng.choice(("get", "history", "forget", "erase", "correct"))
        return {"verb": verb, "id": self._but_not_hers(voice, self._anything(voice))}

    def _correct(self, voice: Voice) -> dict[str, Any] | None:
        """A new wording is said where the corrector is, and has the old one's subjects; so it is judged anew."""
        if voice.party == OBSERVER:
            id = self._but_not_hers(voice, self._something(voice))
            return {"id": id, "text": self._rng.choice(COMMON)}
        old = self._own(voice)
        if old is None or voice.actor is None:
            return None
        text = self._own_words()
        fields = {
            "text": text,
            "space": old.said.space.to_dict(),
            "access": old.said.readers,
            "portable": old.said.portable,
            "subjects": sorted(old.said.subjects),
            "sensitivity": old.said.sensitivity,
        }
        if voice.party == APART and not self._is_apart(self._readings(voice, fields)):
            return None
        self._note(voice, fields)
        return {"id": old.id, "text": text, "sensitivity": old.said.sensitivity}

    def _forget(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OBSERVER:
            return {"ids": [self._but_not_hers(voice, self._something(voice))]}
        own = self._own(voice)
        return None if own is None else {"ids": [own.id]}

    _erase = _used = _forget

    def _review_approve(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OBSERVER and self._rng.random() < 0.3:
            return {"ids": [self._but_not_hers(voice, self._anything(voice))]}
        own = self._own(voice, waiting=True)
        return None if own is None else {"ids": [own.id]}

    _review_reject = _review_approve

    def _promote(self, voice: Voice) -> dict[str, Any] | None:
        """Apart, only to where it stays apart."""
        own = self._own(voice)
        if own is None:
            return None
        target = self._rng.choice((APOLLO, {"chat": voice.held.get("chat", "team")}))
        said = replace(own.said, space=voice.space(target), learned_in=target.get("chat", ""))
        if voice.party == APART and not self._is_apart([said]):
            return None
        if voice.party == APART and self._needs_own_words(voice, [said]) and own.text in EVERYBODYS:
            return None
        return {"id": own.id, "to": target}

    def _observe(self, voice: Voice) -> dict[str, Any] | None:
        """A conversation goes by, in words of the party's own."""
        space = {"user": voice.held["user"]}
        self._unique += 1
        turn = f"we decided on tea number {self._unique}" if voice.party == APART else "we decided on tea"
        said = {"text": turn, "space": space, "access": None, "portable": True}
        if voice.party == APART and not self._is_apart(self._readings(voice, said)):
            return None
        return {"said": turn, "answer": f"noted: {turn}", "space": space}

    def _window(self, voice: Voice) -> dict[str, Any]:
        return {"space": {"user": voice.held["user"]}}

    def _import(self, voice: Voice) -> dict[str, Any] | None:
        """What comes out of a file was said nobody knows by whom, nor where. The batch is on record in the importer's
        own space, whatever the room, so bea imports nothing apart."""
        assert voice.actor is not None
        scope = APOLLO if "project" in voice.held and self._rng.random() < 0.7 else {}
        space = scope or {"user": str(voice.actor.user)}
        made = Said(voice.space(space), Readers(), "public", None, frozenset(), None, portable=True)
        if voice.actor.kind is not ActorKind.USER or voice.actor.id == BEA or not self._is_apart([made]):
            return None
        return {"lines": [node(self._own_words(), None, **scope)], "dry_run": False}

    def _doctor(self, voice: Voice) -> dict[str, Any]:
        return (
            {}
            if voice.party == APART
            else self._maybe(0.4, {"fix": [self._rng.choice(("subjects", "names", "edges"))]})
        )

    def _review_list(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _explain_recall(self, voice: Voice) -> dict[str, Any]:
        return {"query": self._rng.choice(QUERIES)}

    def _export(self, voice: Voice) -> dict[str, Any]:
        return {}

    def _trail_export(self, voice: Voice) -> dict[str, Any] | None:
        return None if self._bea_is_elsewhere else {}
