"""The verbs on memories in chat histories: what each party passes to each."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from memfort.model.item import Readers
from memfort.model.people.actor import ActorKind
from memfort.testing.chat_histories.listener import NO_PROVENANCE, Statement
from memfort.testing.chat_histories.origin_scenes import OriginScenes
from memfort.testing.chat_histories.people_verbs import PeopleVerbs
from memfort.testing.chat_histories.state import ExpectedMemory
from memfort.testing.chat_histories.words import (
    APOLLO,
    COMMON_PHRASES,
    HIDDEN,
    OBSERVER,
    PUBLICLY_USED_PHRASES,
    QUERIES,
    REFERENCES,
)
from memfort.testing.histories import Voice
from memfort.testing.messages import messages_of
from memfort.testing.space_histories.cast import BEA, CLEO
from memfort.testing.space_histories.words import node


class Verbs(OriginScenes, PeopleVerbs):
    def _remember(self, voice: Voice) -> dict[str, Any] | None:
        return self._statement(voice)

    def _recall(self, voice: Voice) -> dict[str, Any]:
        limit = 7 if voice.party == HIDDEN else self._rng.choice((1, 2, 10))
        given = {"query": self._rng.choice(QUERIES), "limit": limit} | self._maybe(0.1, {"tags": ["number"]})
        return given | {"explain": True} if voice.party == OBSERVER and limit == 2 else given

    def _about(self, voice: Voice) -> dict[str, Any]:
        people = (f"@{BEA}", f"@{BEA}", f"@{self._cast.ada}", f"@{CLEO}", "@dora", *REFERENCES, self._any_person_id())
        return {"ids": self._rng.sample(people, self._rng.choice((1, 1, 2))), "limit": self._rng.choice((1, 3, 50))}

    def _pages(self, voice: Voice) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self._rng.choice((1, 2, 50))} | self._maybe(0.3, {"deleted": True})
        return given | self._maybe(0.2, {"statuses": ["pending", "approved", "superseded"]})

    def _any_memory_id(self, voice: Voice) -> str:
        """The id of any memory."""
        known = [one.id for memories in self._memories.values() for one in memories]
        own = [one.id for one in self._memories[voice.party]]
        pool = own if own and self._rng.random() < 0.4 else known
        return self._rng.choice(pool) if pool and self._rng.random() < 0.95 else "mem_unknown"

    def _own(self, voice: Voice, *, waiting: bool = False) -> ExpectedMemory | None:
        """A memory the party itself stated: what the others do must not depend on the hidden party."""
        own = [one for one in self._memories[voice.party] if one.is_pending or not waiting]
        here = [one for one in own if one.said.space.to_dict().items() <= voice.coordinates.items()]
        return self._rng.choice(here) if here else None

    def _likely_memory_id(self, voice: Voice) -> str:
        """The id of a memory the party stated and can reach, more often than not; else of any memory."""
        own = self._own(voice) if self._rng.random() < 0.6 else None
        return self._any_memory_id(voice) if own is None else own.id

    def _but_not_hers(self, voice: Voice, id: str) -> str:
        """A name for a verb that ends memories. An author may end their own by its id in any chat, also hidden
        ones, so that is not asked of bea."""
        assert voice.actor is not None
        user, hidden = voice.actor.user, self._memories[HIDDEN]
        hers = {one.id for one in hidden if one.voice.actor is not None and one.voice.actor.user == user}
        return "mem_unknown" if id in hers else id

    def _get(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._any_memory_id(voice)}

    def _history(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._likely_memory_id(voice)}

    def _edges(self, voice: Voice) -> dict[str, Any]:
        return {"id": self._any_person_id() if self._rng.random() < 0.5 else self._any_memory_id(voice)}

    def _related(self, voice: Voice) -> dict[str, Any]:
        people = [f"@{BEA}", f"@{CLEO}", "@dora", self._any_person_id()]
        name = self._rng.choice(people) if self._rng.random() < 0.3 else self._any_memory_id(voice)
        return {"id": name, "hops": self._rng.randint(1, 2), "limit": self._rng.choice((2, 20))}

    def _explain(self, voice: Voice) -> dict[str, Any]:
        """Explain a memory, with or without a query. Draws no random number for the query, so that recorded seeds keep
        catching their leaks."""
        turn = sum(map(len, self._memories.values()))
        given: dict[str, Any] = {"ids": [self._any_memory_id(voice)]}
        return given if turn % 4 == 0 else given | {"query": QUERIES[turn % len(QUERIES)], "limit": 1 + turn % 3}

    def _check(self, voice: Voice) -> dict[str, Any]:
        if self._rng.random() < 0.3:
            return {"verb": "remember", "text": self._rng.choice(COMMON_PHRASES), "space": self._space(voice)}
        verb = self._rng.choice(("get", "history", "forget", "erase", "correct"))
        return {"verb": verb, "id": self._but_not_hers(voice, self._any_memory_id(voice))}

    def _correct(self, voice: Voice) -> dict[str, Any] | None:
        """A correction is stated where the corrector is, with the subjects of the old memory; so it is judged again."""
        if voice.party == OBSERVER:
            id = self._but_not_hers(voice, self._likely_memory_id(voice))
            return {"id": id, "text": self._rng.choice(COMMON_PHRASES)}
        old = self._own(voice)
        if old is None or voice.actor is None:
            return None
        text = self._unique_text()
        fields = {
            "text": text,
            "space": old.said.space.to_dict(),
            "access": old.said.readers,
            "portable": old.said.portable,
            "subjects": sorted(old.said.subjects),
            "sensitivity": old.said.sensitivity,
        }
        said = self._reworded_statement(voice, old, fields)
        if voice.party == HIDDEN and not self._is_hidden(said):
            return None
        self._expect(voice, fields, said[0].origins)
        return {"id": old.id, "text": text, "sensitivity": old.said.sensitivity}

    def _forget(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OBSERVER:
            return {"ids": [self._but_not_hers(voice, self._likely_memory_id(voice))]}
        own = self._own(voice)
        return None if own is None else {"ids": [own.id]}

    _erase = _used = _forget

    def _review_approve(self, voice: Voice) -> dict[str, Any] | None:
        if voice.party == OBSERVER and self._rng.random() < 0.3:
            return {"ids": [self._but_not_hers(voice, self._any_memory_id(voice))]}
        own = self._own(voice, waiting=True)
        return None if own is None else {"ids": [own.id]}

    _review_reject = _review_approve

    def _promote(self, voice: Voice) -> dict[str, Any] | None:
        """The hidden party promotes only to where the memory stays hidden."""
        own = self._own(voice)
        if own is None:
            return None
        target = self._rng.choice((APOLLO, {"chat": voice.coordinates.get("chat", "team")}))
        space = voice.space(target)
        said = replace(own.said, space=space, origins=tuple(one.released for one in own.said.origins))
        if voice.party == HIDDEN and not self._is_hidden([said]):
            return None
        if voice.party == HIDDEN and self._needs_unique_text(voice, [said]) and own.text in PUBLICLY_USED_PHRASES:
            return None
        return {"id": own.id, "to": target}

    def _observe(self, voice: Voice) -> dict[str, Any] | None:
        """A conversation turn, in the party's own words."""
        space = {"user": voice.coordinates["user"]}
        self._last_unique_number += 1
        turn = f"we decided on tea number {self._last_unique_number}" if voice.party == HIDDEN else "we decided on tea"
        said = {"text": turn, "space": space, "access": None, "portable": True}
        if voice.party == HIDDEN and not self._is_hidden(self._readings(voice, said)):
            return None
        return {"messages": messages_of(turn, f"noted: {turn}"), "space": space}

    def _window(self, voice: Voice) -> dict[str, Any]:
        return {"space": {"user": voice.coordinates["user"]}}

    def _import(self, voice: Voice) -> dict[str, Any] | None:
        """Imported memories have no known speaker or chat. The import is recorded in the importer's own space, in every
        chat, so bea imports nothing as the hidden party."""
        assert voice.actor is not None
        scope = APOLLO if "project" in voice.coordinates and self._rng.random() < 0.7 else {}
        space = scope or {"user": str(voice.actor.user)}
        made = Statement(voice.space(space), Readers(), "public", (NO_PROVENANCE,), frozenset(), None, portable=True)
        if voice.actor.kind is not ActorKind.USER or voice.actor.id == BEA or not self._is_hidden([made]):
            return None
        return {"lines": [node(self._unique_text(), None, **scope)], "dry_run": False}

    def _doctor(self, voice: Voice) -> dict[str, Any]:
        return (
            {}
            if voice.party == HIDDEN
            else self._maybe(0.4, {"fix": [self._rng.choice(("subjects", "names", "edges"))]})
        )

    def _review_list(self, voice: Voice) -> dict[str, Any]:
        return {"limit": self._rng.choice((1, 100))}

    def _explain_recall(self, voice: Voice) -> dict[str, Any]:
        return {"query": self._rng.choice(QUERIES)}

    def _export(self, voice: Voice) -> dict[str, Any]:
        return {}

    def _trail_export(self, voice: Voice) -> dict[str, Any] | None:
        return None if self._bea_uses_other_chats else {}
