"""What is stated in a history, in which space, and for which readers."""

from __future__ import annotations

from typing import Any

from memfort.engine.inputs import readers_of
from memfort.model.item import Readers
from memfort.model.space import GROUP_LEVELS, Level, Space
from memfort.testing.histories import Voice
from memfort.testing.space_histories.cast import BEA, CLEO, SHARED
from memfort.testing.space_histories.state import ExpectedMemory, HistoryState
from memfort.testing.space_histories.words import KEYS

_CLOSED_TO_ADA = (
    {"user": BEA},
    {"user": BEA, "session": "s1"},
    {"agent": "bea-bot", "visibility": "public"},
    {"system": ""},
)


class Statements(HistoryState):
    def _statement(self, voice: Voice) -> dict[str, Any]:
        """The fields of one statement."""
        given = self._space(voice)
        echo = self._rejected_by_others(voice)
        if echo is not None and echo.space.to_dict().items() <= voice.coordinates.items() and self._rng.random() < 0.7:
            given = echo.space.to_dict()
        space = voice.space(given)
        access = self._access(voice, space)
        said: dict[str, Any] = {"text": self._text(), "space": given, "access": access}
        said |= self._maybe(0.2, {"kind": "profile", "key": self._rng.choice(KEYS)})
        said |= self._maybe(0.25, {"confidence": 0.3})
        said |= self._maybe(0.25, {"ttl_seconds": self._rng.choice((1, 30, 3_600, 86_400))})
        said |= self._maybe(0.15, {"ttl_ticks": self._rng.randint(1, 3)})
        said |= self._maybe(0.15, self._subjects(voice, space, readers_of(access)))
        said |= self._maybe(0.15, {"origin": self._rng.choice(("ai", "tool"))})
        said |= self._maybe(0.15, {"tags": ["ops"]})
        said |= self._derived(voice, space)
        if echo is not None:
            said |= {name: echo.said[name] for name in ("text", "kind", "key") if name in echo.said} | {"origin": "ai"}
        said["space"] = self._named(voice, said["space"])
        self._expect(voice, space, readers_of(access), said)
        return said

    def _named(self, voice: Voice, given: dict[str, str] | None) -> dict[str, str] | None:
        """The same place, which ada names in a chat: what is about nobody and said there without a place goes to the
        whole chat."""
        is_unnamed = given is None and voice.party == "ada" and "chat" in voice.coordinates
        return voice.space(None).to_dict() if is_unnamed else given

    def _space(self, voice: Voice) -> dict[str, str] | None:
        """A space to write in, of the few this history uses. The voice may not always write there."""
        if voice.party == "ada" and self._rng.random() < 0.08:
            return dict(self._rng.choice(_CLOSED_TO_ADA))
        if self._cast.policy.spaces.write and "session" in voice.coordinates and self._rng.random() < 0.6:
            return {"session": voice.coordinates["session"]}  # the only level this policy writes to
        if voice not in self._places:
            self._places[voice] = [None, *(self._any_space(voice) for _ in range(2))]
        return self._rng.choice(self._places[voice])

    def _any_space(self, voice: Voice) -> dict[str, str]:
        """Some of the voice's coordinates, more often than not those of its groups."""
        places = voice.coordinates
        groups = sorted(places.keys() & {*GROUP_LEVELS, Level.CHAT})
        if groups and self._rng.random() < 0.5:
            return {level: places[level] for level in groups[: self._rng.randint(1, 2)]}
        levels = self._rng.sample(sorted(places), self._rng.randint(1, min(3, len(places))))
        space = {level: places[level] for level in levels}
        if "agent" in space:
            space["visibility"] = self._rng.choice(("private", "public"))
        elif "user" in space:
            space |= self._maybe(0.1, {"visibility": "shared"})
        return space

    def _place_to_read(self, voice: Voice) -> dict[str, str] | None:
        """A space to read; for bea, it may be ada's."""
        adas = [{"user": self._cast.ada}, {"agent": "ada-bot", "visibility": "private"}, {"org": self._cast.own["org"]}]
        return self._rng.choice(adas) if voice.party == "bea" and self._rng.random() < 0.5 else self._space(voice)

    def _access(self, voice: Voice, space: Space) -> dict[str, list[str]] | None:
        """A reader list. Ada's never include bea where bea could see the space; elsewhere they may name her, without
        effect."""
        ada = self._cast.ada
        lists: dict[str, list[dict[str, list[str]] | None]] = {
            "ada": [
                {"users": [ada]},
                {"users": [ada]},
                {"users": [ada, CLEO]},
                {"users": [ada, CLEO]},
                {"users": [CLEO]},
                {"users": []},
                {"agents": ["ada-helper"]},
                {"users": [ada], "agents": ["ada-bot"]},
            ],
            "bea": [
                {"users": [BEA]},
                {"users": [BEA, CLEO]},
                {"users": [ada]},
                {"users": []},
                {"users": [BEA, ada]},
                {"agents": ["bea-bot"]},
            ],
            "cleo": [{"users": [CLEO]}, {"users": [ada, CLEO]}, {"users": [BEA, CLEO]}],
        }
        if self._cast.is_capped:  # ada's changes there would free budget elsewhere
            lists["cleo"].remove({"users": [ada, CLEO]})
        if voice.party != "ada":
            return None if self._rng.random() < 0.65 else self._rng.choice(lists[voice.party])
        if self._cast.is_refused_to_ada(space):
            return None  # she may not write there, and tries to write for all readers
        if not self._cast.bea_sees(space, Readers()):
            lists["ada"] += [None] * 8 + [{"users": [BEA]}, {"users": [ada, BEA]}]
        return self._rng.choice(lists["ada"])

    def _subjects(self, voice: Voice, space: Space, readers: Readers) -> dict[str, Any]:
        """The subjects of a statement. What ada says about bea, or about a person bea may ask about, is disclosed to
        bea if she may read it and it is portable or was said in her chat; so ada makes it for other readers, or not
        portable, and in bea's chat about no one."""
        subjects = [f"@{self._rng.choice((BEA, self._cast.ada, CLEO, 'dora'))}"]
        portable = self._rng.random() < 0.7
        if voice.party == "ada" and self._cast.bea_reads(readers) and not self._cast.bea_sees(space, Readers()):
            portable = False
            subjects = [] if voice.coordinates.get("chat") == SHARED["chat"] else subjects
        return {"subjects": subjects, "portable": portable}

    def _rejected_by_others(self, voice: Voice) -> ExpectedMemory | None:
        """A value another party rejected, to be stated again with less authority."""
        others = [one for one in self._rejected if one.voice.party != voice.party]
        return self._rng.choice(others) if others and self._rng.random() < 0.4 else None

    def _derived(self, voice: Voice, space: Space) -> dict[str, Any]:
        parents = [one for one in self._expected if one.space == space]
        if voice.party == "cleo":  # what she derives for all readers comes only from what all can read
            parents = [one for one in parents if one.readers.is_open]
        if not parents or self._rng.random() > 0.25:
            return {}
        if voice.party == "ada":
            parents = [one for one in parents if one.voice.party == "bea"] or parents
        parent = self._rng.choice(parents)
        self._parents.append(parent)
        return {"derived_from": [parent.id]}
