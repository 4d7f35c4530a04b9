"""Scenes: short sequences of related steps that random choice hardly ever produces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from memfort.engine.inputs import readers_of
from memfort.model.item import Readers
from memfort.testing.histories import UPKEEP, Step, Voice
from memfort.testing.space_histories.cast import GUILD, SHARED
from memfort.testing.space_histories.verbs import PROMOTION_LEVELS, Verbs
from memfort.testing.space_histories.words import QUERIES


class Scenes(Verbs):
    def _scenes(self) -> list[Callable[[], list[Step]]]:
        """The scenes to choose from."""
        scenes = [
            self._hidden_rejection,
            self._hidden_sweep,
            self._hidden_sweep,
            self._hidden_budget_use,
            self._interleaved_recalls,
        ]
        scenes += [
            self._hidden_derivation,
            self._restored_correction,
            self._promotions,
            self._promotions,
            self._long_conversation,
        ]
        scenes += [self._many_phases, self._full_budget, self._long_conversation, self._restored_correction]
        if self._cast.needs_approvals:
            scenes += [self._promotions] * 3
        if self._cast.needs_approvals and not self._has_ended_a_source:
            scenes += [self._hidden_end_of_a_source] * 4
        return scenes

    def _shared_space(self, levels: Iterable[str] = SHARED) -> tuple[Voice, Voice, dict[str, str]]:
        """Ada, bea and a space both stand in."""
        pairs = [
            (ada, bea, level)
            for ada in self._cast.voices["ada"]
            for bea in self._cast.voices["bea"]
            for level in levels
            if ada.coordinates.get(level) == bea.coordinates.get(level) == SHARED[level]
        ]
        ada, bea, level = self._rng.choice(pairs)
        return ada, bea, {level: SHARED[level]}

    def _hidden_rejection(self) -> list[Step]:
        """Ada rejects a value in a space shared with bea, but for her own readers, and bea states the same there with
        less authority."""
        ada, bea, space = self._shared_space()
        text = self._rng.choice(self._phrases)
        access = {"users": [self._cast.ada]}
        said = {"text": text, "space": space, "access": access, "confidence": 0.3}
        self._expect(ada, ada.space(space), readers_of(access), said)
        rejected = [one.id for one in self._expected if one.voice == ada and one.said is said]
        return [
            Step(ada, "remember", said),
            Step(ada, "review.reject", {"ids": rejected}),
            Step(bea, "remember", {"text": text, "space": space, "origin": "ai"}),
        ]

    def _hidden_sweep(self) -> list[Step]:
        """Memories of bea expire, ada reads first, and bea goes on: expired memories take no budget, are not ended
        twice, and belong to their phase. A memory of ada's expires beside them, which bea must not notice."""
        ada, bea, space = self._shared_space()
        said = [{"text": text, "space": space, "ttl_seconds": 30} for text in self._phrases[: self._rng.randint(1, 4)]]
        said[0] |= self._maybe(0.5, {"ttl_ticks": self._rng.randint(len(said), len(said) + 1)})
        for one in said:
            self._expect(bea, bea.space(space), Readers(), one)
        hidden = Step(ada, "remember", {"text": said[0]["text"], "space": space, "access": {"users": [self._cast.ada]}})
        start_phase = Step(bea, "phase.start", {"reason": "moved", "space": space}, traced=True)
        write = Step(bea, "remember", {"text": "the harbor is closed", "space": space}, traced=True)
        before = self._rng.choice(([], [start_phase]))
        after = self._rng.choice(
            ([write], [write, write], [start_phase, write, start_phase], [start_phase, start_phase])
        )
        self._phases_started.append((bea, space))
        return [
            *([hidden] if self._rng.random() < 0.5 else []),
            *before,
            *(Step(bea, "remember", one) for one in said),
            Step(UPKEEP, "wait", {"seconds": 31}),
            Step(ada, "recall", {"query": "coffee"}),
            *([Step(bea, "phase.diff", {"earlier": "phase-1", "space": space})] if before else []),
            *after,
            Step(bea, "pages", {"limit": 50, "space": space, "deleted": True}),
        ]

    def _hidden_budget_use(self) -> list[Step]:
        """Ada writes more for herself, in a space shared with bea, than an author has budget for."""
        ada, bea, space = self._shared_space()
        said: dict[str, Any] = {"text": "the harbor is open", "space": space}
        self._expect(bea, bea.space(space), Readers(), said)
        access = {"users": [self._cast.ada]}
        return [
            Step(bea, "remember", said | self._maybe(0.5, {"ttl_ticks": 2})),
            *(Step(ada, "remember", {"text": text, "space": space, "access": access}) for text in self._phrases),
            Step(bea, "remember", {"text": self._rng.choice(self._phrases), "space": space}, traced=True),
        ]

    def _full_budget(self) -> list[Step]:
        """Bea writes more in one space than an author has budget for."""
        _, bea, space = self._shared_space()
        said = [{"text": text, "space": space} for text in self._phrases]
        for one in said:
            self._expect(bea, bea.space(space), Readers(), one)
        return [Step(bea, "remember", one) for one in said]

    def _many_phases(self) -> list[Step]:
        """Bea starts phase after phase, so that the first one is retired with its memories."""
        _, bea, space = self._shared_space()
        said = {"text": "the harbor was here", "space": space}
        self._expect(bea, bea.space(space), Readers(), said)
        self._phases_started.append((bea, space))
        begun = [Step(bea, "phase.start", {"reason": "moved", "space": space}) for _ in range(3)]
        return [Step(bea, "remember", said), *begun, Step(bea, "pages", {"limit": 50, "space": space, "deleted": True})]

    def _hidden_derivation(self) -> list[Step]:
        """Ada derives a memory for herself from one of bea, and bea ends the source."""
        ada, bea, space = self._shared_space()
        said = {"text": "the harbor is wide", "space": space}
        id = self._expect(bea, bea.space(space), Readers(), said)
        made = {"text": "wide", "space": space, "access": {"users": [self._cast.ada]}, "derived_from": [id]}
        return [
            Step(bea, "remember", said),
            Step(ada, "remember", made),
            Step(bea, self._rng.choice(("erase", "forget")), {"ids": [id]}, traced=True),
        ]

    def _interleaved_recalls(self) -> list[Step]:
        """Bea recalls, ada recalls, and bea asks for her trace."""
        ada, bea, _ = self._shared_space()
        return [
            Step(bea, "recall", {"query": self._rng.choice(QUERIES)}),
            Step(ada, "recall", {"query": self._rng.choice(QUERIES)}),
            Step(bea, "trace.show", {"back": 1, "expanded": False}),
        ]

    def _restored_correction(self) -> list[Step]:
        """A party restores what it corrected."""
        voice = self._rng.choice(self._voices[self._rng.choice(("ada", "bea"))])
        given = self._named(voice, self._space(voice))
        access = self._access(voice, voice.space(given))
        said = {"text": "the violin is in tune", "space": given, "access": access}
        id = self._expect(voice, voice.space(given), readers_of(access), said)
        return [
            Step(voice, "remember", said),
            Step(voice, "correct", {"id": id, "text": "the violin is out of tune"}),
            Step(voice, "restore", {"id": id}, traced=True),
        ]

    def _promotions(self) -> list[Step]:
        """A party promotes what it has just stated, and another approves it if needed; or ada promotes for her own
        readers, and bea promotes the same to the same space."""
        text = self._rng.choice(self._phrases)
        if self._rng.random() < 0.5:
            ada, bea, target = self._shared_space(("project", "workspace"))
            both = [voice for voice in (ada, bea) if voice.actor is not None and voice.actor.user]
            return [step for voice in both for step in self._promote_statement(voice, text, target)]
        voices = self._cast.voices[self._rng.choice(("bea", "cleo"))]
        voice = self._rng.choice(
            [one for one in voices if {"project", "session"} & one.coordinates.keys() and "user" in one.coordinates]
        )
        places = voice.coordinates
        target = self._rng.choice([{level: places[level]} for level in PROMOTION_LEVELS if level in places])
        return self._promote_statement(voice, text, target)

    def _promote_statement(self, voice: Voice, text: str, target: dict[str, str]) -> list[Step]:
        places, access = voice.coordinates, self._access(voice, voice.space(target))
        given: dict[str, str] = {level: places[level] for level in ("user", "session") if level in places}
        given = given if self._rng.random() < 0.5 else {"user": places["user"]}
        said = {"text": text, "space": given, "access": access}
        id = self._expect(voice, voice.space(given), readers_of(access), said)
        steps = [Step(voice, "remember", said), Step(voice, "promote", {"id": id, "to": target}, traced=True)]
        if not self._expected or self._expected[-1].id != id:
            return steps[:1]  # it was stated before
        copy = self._expect_copy(voice, self._expected[-1], target)
        reviewers = [
            one
            for one in self._cast.voices["bea" if voice.party == "cleo" else "cleo"]
            if target.items() <= dict(one.places).items() and _is_outside_chats(one)
        ]
        if "proposed" in self._expected[-1].said and reviewers:
            steps.append(Step(self._rng.choice(reviewers), "review.approve", {"ids": [copy]}, traced=True))
        return steps

    def _long_conversation(self) -> list[Step]:
        """More turns than fit into the window of a conversation, which is then read."""
        voice = self._rng.choice(self._voices[self._rng.choice(("ada", "bea"))])
        turns = [Step(voice, "observe", self._observe(voice)) for _ in range(self._rng.randint(1, 3))]
        there = self._conversations[-1][1]
        return [
            *(Step(voice, "observe", {**one.given, "space": there}) for one in turns),
            Step(voice, "window", {"space": there}),
        ]

    def _hidden_end_of_a_source(self) -> list[Step]:
        """Cleo proposes to a project a memory from a group without bea, ada ends the source by writing beside it, and
        bea approves the proposal."""
        self._has_ended_a_source = True
        ada, cleo = self._cast.in_guild("ada"), self._cast.in_guild("cleo")
        source = {"text": "the guild roasts coffee", "space": GUILD, "ttl_ticks": 1}  # words no other step uses
        target = {"project": SHARED["project"]}
        id = self._expect(cleo, cleo.space(GUILD), Readers(), source)
        self._copied_for_bea.add(id)
        self._aged_by_ada.add(id)
        copy = self._expect(cleo, cleo.space(target), Readers(), {**source, "space": target, "proposed": True})
        there = [voice for voice in self._cast.voices["bea"] if dict(voice.places).get("project") == SHARED["project"]]
        bea = self._rng.choice(
            [voice for voice in there if voice.actor == self._cast.bea_user and _is_outside_chats(voice)]
        )
        return [
            Step(cleo, "remember", source),
            Step(cleo, "promote", {"id": id, "to": target}),
            Step(ada, "remember", {"text": self._rng.choice(self._phrases), "space": GUILD}),
            Step(bea, "review.approve", {"ids": [copy]}, traced=True),
        ]


def _is_outside_chats(voice: Voice) -> bool:
    """Whether the voice stands in no chat: an unregistered chat shows only its own memories."""
    return "chat" not in dict(voice.places)
