"""What should be in the store so far, and what each party may do without bea noticing ada."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from memfort.language.sensitivity import classify
from memfort.language.sharing import is_portable
from memfort.model.audience import Audience, audience
from memfort.model.item import Kind, Readers, memory_id
from memfort.model.learned import OUTSIDE_ANY_CHAT, Learned
from memfort.model.space import Space
from memfort.policy.settings.sections import Promotion
from memfort.testing.histories import Voice
from memfort.testing.space_histories.cast import Cast, choose_voices
from memfort.testing.space_histories.words import FILES, PERSONAL, PHRASES, SECRET

REVIEW_VERBS = {"review.approve", "review.reject", "review.edit"}


class ExpectedMemory(Struct, frozen=True):
    """A memory that should be in the store by now, if it was admitted."""

    voice: Voice
    space: Space
    readers: Readers
    id: str
    said: Mapping[str, Any]

    @property
    def is_pending(self) -> bool:
        """Whether it should be waiting for review."""
        return self.said["text"] == PERSONAL or "confidence" in self.said or "proposed" in self.said


class HistoryState:
    """The state of a history that is being generated. All random choices come from the one generator it is given."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._cast = Cast(rng)
        self._expected: list[ExpectedMemory] = []
        self._numbers: Counter[tuple[Any, ...]] = Counter()
        self._shared_with: dict[str, list[tuple[dict[str, str], str]]] = {"ada": [], "bea": [], "cleo": []}
        self._phrases = rng.sample(PHRASES, 5)
        self._stated_before: set[tuple[Any, ...]] = set()
        self._rejected: list[ExpectedMemory] = []
        self._reviewed: set[str] = set()
        self._parents: list[ExpectedMemory] = []  # sources of derived memories
        self._corrected: list[ExpectedMemory] = []
        self._copied_for_bea: set[str] = set()  # sources of copies that bea sees
        self._phases_started: list[tuple[Voice, dict[str, str] | None]] = []  # by which voice, and in which space
        self._has_ended_a_source = False
        self._aged_by_ada: set[str] = set()  # memories whose limit in ticks ada's writes have reached
        self._conversations: list[tuple[Voice, dict[str, str] | None]] = []  # by which voice, and in which space
        self._file = rng.choice(FILES)
        # A history keeps to a few standpoints of each party and a few spaces of each, so that their actions interact.
        levels = self._cast.policy.spaces.write
        theme = rng.choice(("project", "chat", "workspace", "agent", "session") if levels is None else levels)
        self._voices = {party: choose_voices(rng, theme, voices) for party, voices in self._cast.voices.items()}
        self._places: dict[Voice, list[dict[str, str] | None]] = {}

    def _own(self, party: str, *, waiting: bool) -> list[ExpectedMemory]:
        """A party's memories; with `waiting`, only those that should still wait for review."""
        own = [one for one in self._expected if one.voice.party == party]
        return [one for one in own if one.is_pending and one.id not in self._reviewed] if waiting else own

    def _proposals(self, party: str, verb: str = "review.approve") -> list[ExpectedMemory]:
        """Proposals of other parties that this party may approve."""
        others = [one for one in self._expected if one.voice.party != party and "proposed" in one.said]
        return [one for one in others if verb in REVIEW_VERBS and one.id not in self._reviewed]

    def _maybe(self, chance: float, given: dict[str, Any]) -> dict[str, Any]:
        return given if self._rng.random() < chance else {}

    def _text(self) -> str:
        if self._rng.random() < 0.1:
            return self._rng.choice((PERSONAL, PERSONAL, SECRET))
        return self._rng.choice(self._phrases)

    def _expect(
        self, voice: Voice, space: Space, readers: Readers, said: Mapping[str, Any], learned: Learned | None = None
    ) -> str:
        """Predict the id of a statement. The prediction may be wrong: then a step asks for an id that does not
        exist."""
        assert voice.actor is not None
        kind, text = said.get("kind", "semantic"), said["text"]
        if text == SECRET or (kind != "short_term" and (space.id, readers, kind, text) in self._stated_before):
            return "mem_unknown"
        self._stated_before.add((space.id, readers, kind, text))
        learned = self._cast.learned_by(voice, space) if learned is None else learned
        partition = self._expected_audience(voice, space, said, learned).text
        sequence = (space.id, readers, voice.actor.key, kind, partition)
        self._numbers[sequence] += 1
        id = memory_id(space, readers, voice.actor, Kind(kind), self._numbers[sequence], partition)
        self._expected.append(ExpectedMemory(voice, space, readers, id, said))
        return id

    def _expect_copy(self, voice: Voice, source: ExpectedMemory, target: Mapping[str, str]) -> str:
        """Predict the id of a promoted copy."""
        space = voice.space(target)
        if self._cast.bea_sees(space, source.readers):
            self._copied_for_bea.add(source.id)
        way = self._promotion_path(source, space)
        copied = {name: value for name, value in source.said.items() if name in {"text", "kind", "key"}}
        made = copied | ({"proposed": True} if way and way.approvals else {})
        is_here = "chat" in target and target["chat"] == dict(voice.places).get("chat")
        learned = self._cast.learned_by(voice, space) if is_here else OUTSIDE_ANY_CHAT
        return self._expect(voice, space, source.readers, made, learned)

    def _expected_audience(self, voice: Voice, space: Space, said: Mapping[str, Any], learned: Learned) -> Audience:
        """Predict the audience of a statement, which is part of its id."""
        assert voice.actor is not None
        speaker = None if voice.actor.user is None else f"@{voice.actor.user}"
        sensitivity, subjects = classify(said["text"])[0], tuple(said.get("subjects", ()))
        return audience(space, sensitivity, learned, subjects, speaker, is_portable(said["text"]))

    def _promotion_path(self, source: ExpectedMemory, target: Space) -> Promotion | None:
        ways = self._cast.policy.spaces
        return None if target == source.space else ways.way(source.space.primary, target.primary)

    def _id(self, voice: Voice, *, to_change: bool, waiting: bool = False) -> str:
        """A memory to read or to change; now and then one that does not exist. Ada changes nothing bea can see, but she
        does try to change what is bea's alone."""
        known = self._expected
        if to_change and voice.party == "ada":
            known = [one for one in known if not self._would_bea_notice_a_change(one)]
        if to_change and voice.party == "cleo" and self._cast.is_capped:
            known = [one for one in known if not self._may_ada_have_changed(one)]
        if to_change and voice.party == "cleo":  # her change would work or fail depending on ada, and bea sees a copy
            known = [one for one in known if one.id not in self._aged_by_ada]
        if waiting and (proposed := [one for one in self._proposals(voice.party) if one in known]):
            return self._rng.choice(proposed).id
        own = [one for one in self._own(voice.party, waiting=waiting) if one.voice == voice and one in known]
        pool = own if own and self._rng.random() < 0.75 else known
        if voice.party == "bea" and self._rng.random() < 0.15:  # guess ids in her spaces that are not for her
            pool = [one for one in known if one.voice.party == "ada" and self._cast.bea_sees(one.space, Readers())]
        if not pool or self._rng.random() < 0.05:
            return "mem_unknown"
        return self._rng.choice(pool[-12:]).id

    def _would_bea_notice_a_change(self, one: ExpectedMemory) -> bool:
        """Whether bea would notice ada's changing it, in it or in a copy made for bea."""
        is_seen = self._cast.bea_sees(one.space, one.readers) or one.id in self._copied_for_bea
        return is_seen and self._cast.ada_reaches(one.space, one.readers)

    def _may_ada_have_changed(self, one: ExpectedMemory) -> bool:
        """Whether ada may have changed it, so that its state depends on her."""
        return self._cast.ada_reaches(one.space, one.readers) and not self._cast.bea_sees(one.space, one.readers)

    def _is_hidden_from_bea(self, space: Space, readers: Readers) -> bool:
        """Whether ada may write there, for these readers, without bea noticing."""
        return self._cast.is_refused_to_ada(space) or not self._cast.bea_sees(space, readers)

    def _private_place(self, voice: Voice) -> dict[str, str]:
        """A space that only the actor reads."""
        assert voice.actor is not None
        user = voice.actor.user
        return {"user": user} if user else {"agent": voice.actor.id, "visibility": "private"}
