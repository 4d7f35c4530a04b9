"""Generates a history: which party does what, in which order, and what bea reads at the end."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.model.item import Readers, Status
from memfort.model.moment import MICROSECONDS_PER_SECOND
from memfort.testing.histories import START, UPKEEP, History, Step, Voice
from memfort.testing.messages import conversation_with_all_roles, with_other_words
from memfort.testing.space_histories.cast import BEA
from memfort.testing.space_histories.scenes import Scenes
from memfort.testing.space_histories.state import REVIEW_VERBS
from memfort.testing.space_histories.verbs import WAITS


class Generator(Scenes):
    """Generates one history."""

    def history(self, seed: int, length: int) -> History:
        steps: list[Step] = []
        while len(steps) < length:
            if self._rng.random() < 0.06:
                steps += self._rng.choice(self._scenes())()
            party = self._rng.choices(("ada", "bea", "cleo", "system", "upkeep"), (38, 38, 12, 2, 10))[0]
            steps.append(self._upkeep() if party == "upkeep" else self._step(party))
        return History(
            seed, self._cast.world, (*steps, *self._census(), *self._last_conversations(), *self._last_changes())
        )

    def _upkeep(self) -> Step:
        verb = self._rng.choices(("wait", "store.gc", "store.reindex", "finish_erasures"), (10, 1, 1, 1))[0]
        return Step(UPKEEP, verb, {"seconds": self._rng.choice(WAITS)} if verb == "wait" else {})

    def _step(self, party: str) -> Step:
        if party == "system":
            return self._system(self._voices[party][0])
        verb = self._rng.choices(list(_VERB_WEIGHTS), list(_VERB_WEIGHTS.values()))[0]
        if verb in _VERBS_ON_A_MEMORY and not (
            self._own(party, waiting=verb in REVIEW_VERBS) or self._proposals(party, verb)
        ):
            verb = "remember"
        voice = self._speaker(party, verb)
        if party == "cleo" and verb in {"reimport", "erase_source"}:
            verb = "recall"  # what cleo passes on must not depend on what she found
        if party == "ada" and verb in {"import", "reimport"} and self._cast.bea_sees(voice.space(None), Readers()):
            verb = "recall"  # the record of an import has no reader list
        return Step(
            voice,
            verb,
            getattr(self, f"_{verb.replace('.', '_')}")(voice),
            traced=self._rng.random() < _TRACE_RATES[party],
        )

    def _speaker(self, party: str, verb: str) -> Voice:
        """A voice of the party; for a verb on a memory, usually one that has written a memory."""
        writers = [one.voice for one in self._own(party, waiting=verb in REVIEW_VERBS)]
        if verb == "erase":
            writers = [one.voice for one in self._parents if one.voice.party == party] or writers
        if writers and verb in _VERBS_ON_A_MEMORY and self._rng.random() < 0.8:
            return self._rng.choice(writers)
        if verb == "window" and (speakers := [voice for voice, _ in self._conversations if voice.party == party]):
            return self._rng.choice(speakers)
        there = [
            voice
            for voice in self._voices[party]
            for one in self._rejected
            if one.voice.party != party and one.space.to_dict().items() <= voice.coordinates.items()
        ]
        return self._rng.choice(there if there and verb == "remember" else self._voices[party])

    def _census(self) -> Iterator[Step]:
        """Every party reads once more, and bea reads everything, from each of her standpoints."""
        query = {"query": "coffee harbor budget merger oncology tea launch", "limit": 5}
        for voice in (self._voices["ada"][0], self._voices["cleo"][0], *self._voices["bea"]):
            why = {"explain": True} if voice.party == "bea" else {}
            yield Step(voice, "recall", query | why, traced=voice == self._voices["bea"][0])
            yield Step(voice, "pages", {"limit": 3, "deleted": True, "statuses": [status.value for status in Status]})
        for voice in {voice.actor: voice for voice in self._voices["bea"]}.values():
            for verb in (
                "review.list",
                "extraction.list",
                "verify_erasure",
                "export",
                "trail.export",
                "trace.list",
                "spaces",
            ):
                yield Step(voice, verb, {})
            yield Step(voice, "context", query)
            yield Step(voice, "policy.simulate", {"policy": _STRICTER_POLICY})
            yield Step(voice, "recall", {**query, "as_of": START + 60 * MICROSECONDS_PER_SECOND})
        for party in ("ada", "bea"):
            for one in [one for one in self._expected if one.voice.party == party][-3:]:
                yield Step(self._voices["bea"][-1], "explain", {"ids": [one.id], **query})
        for voice, space in self._phases_started:
            if voice.party == "bea":
                yield Step(voice, "phase.list", {"space": space})
                yield Step(voice, "phase.diff", {"earlier": "phase-1", "space": space}, traced=True)

    def _last_conversations(self) -> Iterator[Step]:
        """Ada and bea hand over conversations with the same ids, each a second time with a change, ada outside any
        chat, and bea reads hers. Draws no random numbers, so that recorded seeds keep catching their leaks."""
        for number, voice in enumerate((*self._voices["ada"], *self._voices["bea"])):
            place = {} if "session" in voice.coordinates else {"space": self._private_place(voice)}
            is_ada = voice.party == "ada"
            if is_ada and ("chat" in voice.coordinates or self._cast.bea_sees(voice.space(None), Readers())):
                continue
            messages = conversation_with_all_roles(f"orchid tea number {number}" if is_ada else "orchid tea")
            for each in (messages, with_other_words(messages)):
                yield Step(voice, "observe", {"messages": each, **place})
            if not is_ada:
                yield Step(voice, "window", place)
                yield Step(voice, "context", {})
                yield Step(voice, "about", {"ids": ["me"]})
                yield Step(voice, "recall", {"query": "orchid tea number", "limit": 50})

    def _last_changes(self) -> Iterator[Step]:
        """Bea promotes, rewords and erases a memory of hers. At the end, where random draws change no earlier step."""
        for verb in ("promote", "correct", "erase"):
            if self._own("bea", waiting=False):
                voice = self._speaker("bea", verb)
                yield Step(voice, verb, getattr(self, f"_{verb}")(voice))

    def _system(self, voice: Voice) -> Step:
        if self._rng.random() < 0.7:
            return Step(voice, "remember", {"text": self._text()})
        scope = {"user": self._rng.choice((self._cast.ada, BEA))} | self._maybe(0.5, {"session": "s1"})
        return Step(voice, "erase_scope", {"scope": scope, "dry_run": self._rng.random() < 0.5})


_STRICTER_POLICY = {"approve_confidence": 0.95, "budget": {"owner": 3}}  # decides many memories differently
_VERBS_ON_A_MEMORY = {
    *REVIEW_VERBS,
    "get",
    "history",
    "explain",
    "explain_to",
    "correct",
    "restore",
    "used",
    "promote",
    "forget",
    "erase",
    "check",
}
_TRACE_RATES = {"ada": 0.1, "bea": 0.2, "cleo": 0.1}  # how often the trace of a call is requested
_VERB_WEIGHTS = {
    "remember": 30,
    "remember_many": 4,
    "recall": 14,
    "get": 6,
    "pages": 5,
    "history": 3,
    "correct": 8,
    "review.edit": 3,
    "about": 4,
    "review.list": 2,
    "review.approve": 4,
    "review.reject": 7,
    "forget": 4,
    "erase": 4,
    "erase_scope": 3,
    "explain": 5,
    "explain_recall": 2,
    "explain_to": 2,
    "check": 3,
    "share": 3,
    "revoke": 2,
    "shares": 1,
    "share_changes": 1,
    "export": 1,
    "sources": 1,
    "trail.export": 2,
    "erasures": 1,
    "verify_erasure": 2,
    "standings": 1,
    "spaces": 1,
    "erase_source": 2,
    "reimport": 2,
    "import": 4,
    "restore": 2,
    "used": 5,
    "observe": 7,
    "window": 4,
    "promote": 7,
    "phase.start": 4,
    "phase.list": 1,
    "phase.diff": 2,
    "trace.show": 3,
    "explain_trace": 1,
}
