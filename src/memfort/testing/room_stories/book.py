"""What has been said and done so far in a room story, and the rules by which something more may be said."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfort.engine.inputs import readers_of
from memfort.model.audience import audience
from memfort.model.item import Kind, Readers, Sensitivity, memory_id
from memfort.model.people.actor import ActorKind
from memfort.model.people.person import person_id
from memfort.testing.cast import BEA, CLEO
from memfort.testing.histories import Voice
from memfort.testing.room_stories.cast import RoomCast
from memfort.testing.room_stories.words import (
    ALONE_THEIRS,
    APART,
    BETWEEN,
    BETWEEN_THEM,
    COMMON,
    FIRST_PERSON,
    GRAVE,
    IMPLIED,
    IN_FIRST_PERSON,
    NAMES,
    NAMES_BETWEEN,
    OBSERVER,
    OWN_NAMES,
    TERMS,
)
from memfort.testing.rooms import Known, Said


@dataclass(frozen=True)
class Remembered:
    """A memory that should be there by now."""

    voice: Voice
    said: Said
    id: str
    text: str
    waits: bool


@dataclass(frozen=True)
class Somebody:
    """A person who should be known by now."""

    voice: Voice
    known: Known
    id: str
    name: str


class Book:
    """The state of a story that is being written. Whatever is chosen, it is chosen with the one generator given."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._cast = cast = RoomCast(rng)
        self._here = cast.listeners(everywhere=False)
        self._anywhere = cast.listeners(everywhere=True)
        self._memories: dict[str, list[Remembered]] = {APART: [], OBSERVER: [], BETWEEN: []}
        self._numbers: Counter[tuple[Any, ...]] = Counter()
        self._known: set[tuple[Any, ...]] = set()
        self._people: dict[str, list[Somebody]] = {APART: [], OBSERVER: [], BETWEEN: []}
        self._gone: list[Somebody] = []  # who turned out to be somebody else apart, or was dropped
        self._person_numbers: Counter[tuple[Any, ...]] = Counter()
        self._sides: dict[tuple[Any, ...], bool] = {}
        self._makers: defaultdict[tuple[Any, ...], set[bool]] = defaultdict(set)  # by those apart, by others
        self._unique = 0
        # Whether bea herself does something in other rooms. Her own trail tells of it wherever she reads it; and in a
        # space of one's own, what was said in other rooms counts for ages and budgets.
        self._bea_is_elsewhere = not cast.fading and rng.random() < 0.7
        # A story keeps to a few standpoints, so that what is done meets.
        self._voices = {
            OBSERVER: rng.sample(cast.voices_in(OBSERVER, BEA, cast.room), 2),
            BETWEEN: [self._somebody(BETWEEN, user) for user in (cast.ada, CLEO, CLEO)],
            APART: [self._somebody(APART, user) for user in (cast.ada, cast.ada, CLEO, CLEO)],
        }
        if self._bea_is_elsewhere:
            self._voices[BETWEEN].append(self._somebody(BETWEEN, BEA))
            self._voices[APART] += [self._somebody(APART, BEA), self._somebody(APART, BEA)]

    def _somebody(self, party: str, user: str) -> Voice:
        rooms = self._cast.rooms_of(user)
        if party == APART and user == BEA:
            rooms = [room for room in rooms if room != self._cast.room]
        return self._rng.choice(self._cast.voices_in(party, user, self._rng.choice(rooms)))

    # -- what may be done apart

    def _is_apart(self, readings: Sequence[Said]) -> bool:
        """Whether none of what may come of a statement is for bea's room, as it is now or will be. A statement that is
        not an enduring fact stands on one partition with those that are, and is judged as if it were one."""
        return not any(one.may_notice(reading) for one in self._here for reading in readings)

    def _needs_own_words(self, voice: Voice, readings: Sequence[Said]) -> bool:
        """Whether something has to be said apart in words that nobody else uses. What bea sees from another room is
        hers to know: the same words from her are a duplicate of it in every room. And her own calls have names, which
        tell one from the other if she says the same at the same moment."""
        is_known = any(one.may_notice(reading) for one in self._anywhere for reading in readings)
        return is_known or (voice.actor is not None and voice.actor.user == BEA)

    def _may_make(self, voice: Voice, known: Known) -> bool:
        """Whether a party may make somebody known there. Apart, not if bea's room may know of it. And whoever is made
        takes the next number of a sequence, so where the room is shown ids, each sequence is used either apart or
        not."""
        is_apart = voice.party == APART
        if is_apart and any(one.may_know(known) for one in self._here):
            return False
        if self._is_out_of_sight(known):
            return True
        return self._sides.setdefault(_sequence(voice, known), is_apart) == is_apart

    def _is_out_of_sight(self, known: Known) -> bool:
        """Whether nothing of the space where somebody is known is in sight of the room: what it is told from there
        comes without their ids."""
        home = known.home
        return home is not None and not any(
            home in one.shared or home.to_dict().items() <= one.voice.held.items() for one in self._here
        )

    def _is_mixed(self, voice: Voice, known: Known) -> bool:
        """Whether a sequence is used on both sides, so that an id in it hangs on what was done apart: then those who
        are known there are only called by their names."""
        return len(self._makers[_sequence(voice, known)]) > 1

    def _name(self, voice: Voice, known: Known) -> str:
        """A name for somebody there. Whom bea knows from another room, she means by the name in every room."""
        assert voice.actor is not None
        if voice.party != APART:
            return self._rng.choice(NAMES if voice.party == OBSERVER else NAMES_BETWEEN)
        is_hers = voice.actor.user == BEA or any(one.may_know(known) for one in self._anywhere)
        return self._rng.choice(OWN_NAMES if is_hers else NAMES)

    def _own_words(self) -> str:
        self._unique += 1
        return f"{self._rng.choice(ALONE_THEIRS)} {self._unique}"

    def _statement(self, voice: Voice) -> dict[str, Any] | None:
        """Something for a voice to say that its party may."""
        for _ in range(12):
            fields = self._fields(voice)
            said = self._readings(voice, fields)
            if voice.party == APART and not self._is_apart(said):
                continue
            if voice.party == APART and (fields["text"] == "" or self._needs_own_words(voice, said)):
                fields |= {"text": self._own_words(), "sensitivity": said[0].sensitivity}
            if fields["text"] == "":
                fields["text"] = self._rng.choice(BETWEEN_THEM)
            self._note(voice, fields)
            return fields
        return None

    def _readings(self, voice: Voice, fields: Mapping[str, Any]) -> list[Said]:
        """Everything that a statement may be: in the first person it is taken to be about the speaker, and if it is
        kept as a turn of a conversation, about nobody. Who has a name may turn out to be a user."""
        assert voice.actor is not None
        speaker = None if voice.actor.user is None else f"@{voice.actor.user}"
        subjects = frozenset(str(speaker) if one == "me" else one for one in fields.get("subjects", ()))
        is_first_person = fields["text"].startswith(IN_FIRST_PERSON) and not subjects
        made = Said(
            space=voice.space(fields["space"]),
            readers=readers_of(fields["access"]),
            sensitivity=fields.get("sensitivity") or ("sensitive" if fields["text"] == GRAVE else "public"),
            learned_in=dict(voice.places).get("chat", ""),
            subjects=subjects,
            stated_by=speaker,
            portable=bool(fields["portable"]),
        )
        first = [replace(made, subjects=frozenset({str(speaker)}))] if is_first_person else []
        names = {one for one in subjects if not one.startswith("@")} or (
            {"Sarah"} if fields["text"] == IMPLIED else set()
        )
        users = [frozenset(), *map(frozenset, zip(self._cast.could_be(voice.actor.user), strict=True))] if names else []
        return [*first, made, *(replace(made, subjects=(subjects - names) | (user or names)) for user in users)]

    # -- what is said

    def _fields(self, voice: Voice) -> dict[str, Any]:
        people = (f"@{self._cast.ada}", f"@{BEA}", f"@{CLEO}", "@dora")
        words = {OBSERVER: COMMON, BETWEEN: ("",), APART: (*COMMON, "")}[voice.party]
        fields: dict[str, Any] = {
            "text": self._rng.choice((*words, *words, self._rng.choice(FIRST_PERSON), GRAVE)),
            "space": self._space(voice),
            "access": self._access(),
            "type": "knowledge",
            "portable": self._rng.random() < 0.7,
        }
        if voice.party == BETWEEN:
            fields["text"] = self._rng.choice(BETWEEN_THEM)
        if self._rng.random() < 0.6:
            fields["subjects"] = self._rng.sample(people, self._rng.choice((1, 1, 2)))
        if fields["text"] == GRAVE:
            fields.setdefault("subjects", ["@dora"])
        if fields["text"] != GRAVE or self._rng.random() < 0.3:
            fields["sensitivity"] = self._rng.choice(("public", "public", "personal", "sensitive"))
        if voice.actor is not None and voice.actor.kind is ActorKind.AGENT and fields["text"] == GRAVE:
            fields["sensitivity"] = "sensitive"  # an agent cannot say that it is less
        fields |= (
            self._named(voice, fields) | self._maybe(0.1, {"confidence": 0.3}) | self._maybe(0.3, {"tags": ["number"]})
        )
        fields |= self._maybe(0.15, {"ttl_seconds": self._rng.choice((30, 3_600))})
        fields |= self._maybe(0.15 if self._cast.fading else 0, {"ttl_ticks": self._rng.randint(1, 3)})
        return fields | self._derived(voice, fields)

    def _named(self, voice: Voice, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Subjects by name."""
        known, given = self._known_at(voice, fields), fields.get("subjects", [])
        if self._rng.random() > 0.35 or fields["text"] == IMPLIED or not self._may_make(voice, known):
            return self._maybe(0.05, {"subjects": ["me"]}) or self._by_id(voice, known)
        return {"subjects": [*given[: self._rng.randint(0, 1)], self._name(voice, known)]}

    def _by_id(self, voice: Voice, known: Known) -> dict[str, Any]:
        """For bea, about somebody by id. One that she knows from another room is hers to give, and taken for the name;
        so it is one that she cannot know from anywhere."""
        if voice.party != OBSERVER:
            return {}
        everybody = [one for people in self._people.values() for one in people]
        unknown = [one.id for one in everybody if not any(listener.may_know(one.known) for listener in self._anywhere)]
        is_sure = unknown and self._may_make(voice, known)
        return self._maybe(0.3, {"subjects": [self._rng.choice(unknown)]}) if is_sure else {}

    def _known_at(self, voice: Voice, fields: Mapping[str, Any]) -> Known:
        """Where somebody becomes known who is mentioned in a statement, and to whom."""
        assert voice.actor is not None
        made = self._readings(voice, fields)[0]
        is_for_all = made.space.is_private or made.sensitivity == "public"
        return Known(made.space, made.readers if is_for_all else Readers.of([str(voice.actor.user)]))

    def _derived(self, voice: Voice, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Made of something that lies in the same space. What an owner erases of their own takes everything made of
        it, in whatever room it was made, and the receipt says so; so nothing is made of bea's own apart."""
        space = voice.space(fields["space"])
        parents = [
            one
            for memories in self._memories.values()
            for one in memories
            if one.said.space == space and one.voice.party != APART and not space.is_private
        ]
        if voice.party == BETWEEN or not parents:
            return {}
        return self._maybe(0.2, {"derived_from": [self._rng.choice(parents).id]})

    def _maybe(self, chance: float, given: dict[str, Any]) -> dict[str, Any]:
        return given if self._rng.random() < chance else {}

    def _space(self, voice: Voice) -> dict[str, str]:
        assert voice.actor is not None
        places = voice.held
        spaces = [{"user": str(voice.actor.user)}]
        if voice.party == OBSERVER and self._cast.room == "den":
            # An unknown room cannot hear what is said in it for a place other than itself. Bea sees that from
            # elsewhere, and what she says counts with it.
            return self._rng.choice([*spaces, {"chat": "den"}])
        spaces += [{level: places[level]} for level in ("chat", "project") if level in places for _ in range(2)]
        if {"chat", "project"} <= places.keys():
            spaces.append({level: places[level] for level in ("chat", "project")})
        return self._rng.choice(spaces)

    def _access(self) -> dict[str, list[str]] | None:
        lists = ({"users": [BEA]}, {"users": [BEA, CLEO]}, {"users": [self._cast.ada, CLEO]}, {"agents": ["bea-bot"]})
        return None if self._rng.random() < 0.85 else self._rng.choice(lists)

    def _note(self, voice: Voice, fields: Mapping[str, Any]) -> Remembered:
        """Foresee the id of what is said. It need not come true: then somebody will ask for what is not there."""
        assert voice.actor is not None
        said, kind = self._readings(voice, fields)[0], fields.get("kind", "semantic")
        known = self._known_at(voice, fields)
        said = replace(said, subjects=frozenset(self._mentioned(voice, one, known) for one in said.subjects))
        sensitivity = Sensitivity(said.sensitivity)
        subjects = tuple(sorted(said.subjects))
        partition = audience(sensitivity, said.learned_in, subjects, said.stated_by, said.portable).text
        words = (said.space.id, said.readers, kind, fields["text"], partition if said.sensitivity != "public" else "")
        place = (said.space.id, said.readers, voice.actor.key, kind, partition)
        if words not in self._known or kind == "short_term":
            self._known.add(words)
            self._numbers[place] += 1
        id = memory_id(said.space, said.readers, voice.actor, Kind(kind), self._numbers[place], partition)
        made = Remembered(voice, said, id, fields["text"], "confidence" in fields)
        self._memories[voice.party].append(made)
        return made

    def _mentioned(self, voice: Voice, subject: str, known: Known) -> str:
        """The id of whom a statement is about. Like those of memories, it need not come true."""
        if subject.startswith(("@", "per_")):
            return subject
        met = [one for people in self._people.values() for one in people if (one.name, one.known) == (subject, known)]
        return met[0].id if met else self._met(voice, subject, known).id

    def _met(self, voice: Voice, name: str, known: Known, relation: str | None = None) -> Somebody:
        assert voice.actor is not None
        id = person_id(known.home, known.readers, voice.actor, self._numbered(voice, known))
        if relation is not None or name in TERMS:
            self._numbered(voice, known)
        made = Somebody(voice, known, id, name)
        self._people[voice.party].append(made)
        return made

    def _numbered(self, voice: Voice, known: Known) -> int:
        """The number of the next person there, or of the next relation."""
        sequence = _sequence(voice, known)
        self._makers[sequence].add(voice.party == APART)
        self._person_numbers[sequence] += 1
        return self._person_numbers[sequence]


def _sequence(voice: Voice, known: Known) -> tuple[Any, ...]:
    """Where a speaker's persons are counted."""
    assert voice.actor is not None
    return known.home, known.readers, voice.actor.key
