"""What should be in the store so far in a chat history, and the rules by which each party may add to it."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.engine.inputs import readers_of
from memfort.model.audience import audience
from memfort.model.item import Kind, Readers, Sensitivity, memory_id
from memfort.model.learned import OUTSIDE, Learned, LearnedKind, strictest
from memfort.model.people.actor import ActorKind
from memfort.model.people.person import person_id
from memfort.testing.chat_histories.cast import Cast
from memfort.testing.chat_histories.listener import (
    GROUP,
    PERSONAL,
    PRIVATE,
    PUBLIC,
    RELEASED,
    SENSITIVE,
    Origin,
    PersonScope,
    Statement,
)
from memfort.testing.chat_histories.words import (
    COMMON_PHRASES,
    FIRST_PERSON_PHRASES,
    FIRST_PERSON_STARTS,
    HIDDEN,
    HIDDEN_NAMES,
    HIDDEN_PHRASES,
    NAMES,
    OBSERVER,
    OTHERS,
    OTHERS_NAMES,
    OTHERS_PHRASES,
    PHRASE_NAMING_SARAH,
    SENSITIVE_PHRASE,
    TERMS,
)
from memfort.testing.histories import Voice
from memfort.testing.space_histories.cast import BEA, CLEO


class ExpectedMemory(Struct, frozen=True):
    """A memory that should be in the store by now."""

    voice: Voice
    said: Statement
    id: str
    text: str
    is_pending: bool


class ExpectedPerson(Struct, frozen=True):
    """A person who should be known by now."""

    voice: Voice
    known: PersonScope
    id: str
    name: str


class HistoryState:
    """The state of a chat history that is being generated. All random choices come from the one generator it is
    given."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._cast = cast = Cast(rng)
        self._listeners_here = cast.listeners(everywhere=False)
        self._listeners_anywhere = cast.listeners(everywhere=True)
        self._state = 0  # of the directory: before or after it changes
        self._memories: dict[str, list[ExpectedMemory]] = {HIDDEN: [], OBSERVER: [], OTHERS: []}
        self._numbers: Counter[tuple[Any, ...]] = Counter()
        self._stated_before: set[tuple[Any, ...]] = set()
        self._people: dict[str, list[ExpectedPerson]] = {HIDDEN: [], OBSERVER: [], OTHERS: []}
        self._retired_people: list[ExpectedPerson] = []  # merged by the hidden party, or dropped
        self._person_numbers: Counter[tuple[Any, ...]] = Counter()
        self._sequence_is_hidden: dict[tuple[Any, ...], bool] = {}
        self._sequence_users: defaultdict[tuple[Any, ...], set[bool]] = defaultdict(
            set
        )  # whether the hidden party, others, or both
        self._last_unique_number = 0
        # Whether bea acts in other chats too. Her own trail shows that in every chat; and in her own space, what was
        # said in other chats counts for ages and budgets.
        self._bea_uses_other_chats = not cast.fading and rng.random() < 0.7
        # A history keeps to a few standpoints, so that their actions interact.
        self._voices = {
            OBSERVER: rng.sample(cast.voices_in(OBSERVER, BEA, cast.chat), 2),
            OTHERS: [self._random_voice(OTHERS, user) for user in (cast.ada, CLEO, CLEO)],
            HIDDEN: [self._random_voice(HIDDEN, user) for user in (cast.ada, cast.ada, CLEO, CLEO)],
        }
        if self._bea_uses_other_chats:
            self._voices[OTHERS].append(self._random_voice(OTHERS, BEA))
            self._voices[HIDDEN] += [self._random_voice(HIDDEN, BEA), self._random_voice(HIDDEN, BEA)]

    def _random_voice(self, party: str, user: str) -> Voice:
        chats = self._cast.chats_of(user)
        if party == HIDDEN and user == BEA:
            chats = [chat for chat in chats if chat != self._cast.chat]
        return self._rng.choice(self._cast.voices_in(party, user, self._rng.choice(chats)))

    # -- what the hidden party may do

    def _is_hidden(self, readings: Sequence[Statement]) -> bool:
        """Whether bea's chat may notice no reading of a statement, now or after the directory changes; nor count it."""
        listeners = self._listeners_here
        return not any(one.may_notice(each) or one.may_count(each) for one in listeners for each in readings)

    def _needs_unique_text(self, voice: Voice, readings: Sequence[Statement]) -> bool:
        """Whether the hidden party must use words that no other party uses. Bea knows what she sees from another chat:
        the same words from her are a duplicate in every chat. And her own calls have ids, which differ if she says the
        same at the same moment."""
        is_known = any(one.may_notice(reading) for one in self._listeners_anywhere for reading in readings)
        return is_known or (voice.actor is not None and voice.actor.user == BEA)

    def _may_add_person(self, voice: Voice, known: PersonScope) -> bool:
        """Whether a party may add a person there. The hidden party may not if bea's chat may know of it. A new person
        takes the next number of a sequence, so where the chat is shown ids, a sequence belongs either to the hidden
        party or to the rest."""
        is_apart = voice.party == HIDDEN
        if is_apart and any(one.may_know(known) for one in self._listeners_here):
            return False
        if self._is_out_of_sight(known):
            return True
        return self._sequence_is_hidden.setdefault(_sequence(voice, known), is_apart) == is_apart

    def _is_out_of_sight(self, known: PersonScope) -> bool:
        """Whether the person's space is out of sight of the chat: then what is disclosed from there comes without their
        id."""
        home = known.home
        return home is not None and not any(
            home in one.shared or home.to_dict().items() <= one.voice.coordinates.items()
            for one in self._listeners_here
        )

    def _is_mixed(self, voice: Voice, known: PersonScope) -> bool:
        """Whether both sides use a sequence, so that its ids depend on the hidden party: then its people are referred
        to by name only."""
        return len(self._sequence_users[_sequence(voice, known)]) > 1

    def _is_numbered_by_hidden(self, voice: Voice, known: PersonScope) -> bool:
        """Whether the hidden party has used a sequence, so that the id of the next person in it depends on them."""
        return True in self._sequence_users[_sequence(voice, known)]

    def _name(self, voice: Voice, known: PersonScope) -> str:
        """A name for a person there. A person bea knows from another chat is meant by that name in every chat."""
        assert voice.actor is not None
        if voice.party != HIDDEN:
            return self._rng.choice(NAMES if voice.party == OBSERVER else OTHERS_NAMES)
        is_hers = voice.actor.user == BEA or any(one.may_know(known) for one in self._listeners_anywhere)
        return self._rng.choice(HIDDEN_NAMES if is_hers else NAMES)

    def _unique_text(self) -> str:
        self._last_unique_number += 1
        return f"{self._rng.choice(HIDDEN_PHRASES)} {self._last_unique_number}"

    def _statement(self, voice: Voice) -> dict[str, Any] | None:
        """A statement that the party of a voice may make."""
        for _ in range(12):
            fields = self._fields(voice)
            said = self._readings(voice, fields)
            if voice.party == HIDDEN and not self._is_hidden(said):
                continue
            if voice.party == HIDDEN and (fields["text"] == "" or self._needs_unique_text(voice, said)):
                fields |= {"text": self._unique_text(), "sensitivity": said[0].sensitivity}
            if fields["text"] == "":
                fields["text"] = self._rng.choice(OTHERS_PHRASES)
            self._expect(voice, fields)
            return fields
        return None

    def _readings(self, voice: Voice, fields: Mapping[str, Any]) -> list[Statement]:
        """Everything a statement may turn out to be: in the first person it is about the speaker; kept as a turn of a
        conversation, it is about no one; and a named person may be linked to a user."""
        assert voice.actor is not None
        speaker = None if voice.actor.user is None else f"@{voice.actor.user}"
        subjects = frozenset(str(speaker) if one == "me" else one for one in fields.get("subjects", ()))
        is_first_person = fields["text"].startswith(FIRST_PERSON_STARTS) and not subjects
        space, parents = voice.space(fields["space"]), self._parents_of(fields)
        given = fields.get("sensitivity") or (SENSITIVE if fields["text"] == SENSITIVE_PHRASE else PUBLIC)
        made = Statement(
            space=space,
            readers=readers_of(fields["access"]),
            sensitivity=max([given, *(one.sensitivity for one in parents)], key=_SENSITIVITIES.index),
            origins=(
                self._cast.origin(voice, space, self._state),
                *(origin for one in parents for origin in one.origins),
            ),
            subjects=subjects,
            stated_by=speaker,
            portable=bool(fields["portable"]),
        )
        first = [replace(made, subjects=frozenset({str(speaker)}))] if is_first_person else []
        names = {one for one in subjects if not one.startswith("@")} or (
            {"Sarah"} if fields["text"] == PHRASE_NAMING_SARAH else set()
        )
        users = (
            [frozenset(), *map(frozenset, zip(self._cast.users_behind_names(voice.actor.user), strict=True))]
            if names
            else []
        )
        return [*first, made, *(replace(made, subjects=(subjects - names) | (user or names)) for user in users)]

    def _parents_of(self, fields: Mapping[str, Any]) -> list[Statement]:
        """The statements that one is derived from."""
        every = [one for memories in self._memories.values() for one in memories]
        return [one.said for one in every if one.id in fields.get("derived_from", ())]

    # -- statements

    def _fields(self, voice: Voice) -> dict[str, Any]:
        people = (f"@{self._cast.ada}", f"@{BEA}", f"@{CLEO}", "@dora")
        words = {OBSERVER: COMMON_PHRASES, OTHERS: ("",), HIDDEN: (*COMMON_PHRASES, "")}[voice.party]
        fields: dict[str, Any] = {
            "text": self._rng.choice((*words, *words, self._rng.choice(FIRST_PERSON_PHRASES), SENSITIVE_PHRASE)),
            "space": self._space(voice),
            "access": self._access(),
            "type": "knowledge",
            "portable": self._rng.random() < 0.7,
        }
        if voice.party == OTHERS:
            fields["text"] = self._rng.choice(OTHERS_PHRASES)
        if self._rng.random() < 0.6:
            fields["subjects"] = self._rng.sample(people, self._rng.choice((1, 1, 2)))
        if fields["text"] == SENSITIVE_PHRASE:
            fields.setdefault("subjects", ["@dora"])
        if fields["text"] != SENSITIVE_PHRASE or self._rng.random() < 0.3:
            fields["sensitivity"] = self._rng.choice(("public", "public", "personal", "sensitive"))
        if voice.actor is not None and voice.actor.kind is ActorKind.AGENT and fields["text"] == SENSITIVE_PHRASE:
            fields["sensitivity"] = "sensitive"  # an agent may not lower the sensitivity
        fields |= (
            self._subjects_by_name(voice, fields)
            | self._maybe(0.1, {"confidence": 0.3})
            | self._maybe(0.3, {"tags": ["number"]})
        )
        fields |= self._maybe(0.15, {"ttl_seconds": self._rng.choice((30, 3_600))})
        fields |= self._maybe(0.15 if self._cast.fading else 0, {"ttl_ticks": self._rng.randint(1, 3)})
        return fields | self._derived(voice, fields)

    def _subjects_by_name(self, voice: Voice, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Subjects by name."""
        known, given = self._scope_of_mentions(voice, fields), fields.get("subjects", [])
        if self._rng.random() > 0.35 or fields["text"] == PHRASE_NAMING_SARAH or not self._may_add_person(voice, known):
            return self._maybe(0.05, {"subjects": ["me"]}) or self._subjects_by_id(voice, known)
        return {"subjects": [*given[: self._rng.randint(0, 1)], self._name(voice, known)]}

    def _subjects_by_id(self, voice: Voice, known: PersonScope) -> dict[str, Any]:
        """For bea, a subject by id: one she cannot know from anywhere. An id she knows from another chat would be
        accepted."""
        if voice.party != OBSERVER:
            return {}
        everyone = [one for people in self._people.values() for one in people]
        unknown = [
            one.id for one in everyone if not any(listener.may_know(one.known) for listener in self._listeners_anywhere)
        ]
        is_safe = unknown and self._may_add_person(voice, known)
        return self._maybe(0.3, {"subjects": [self._rng.choice(unknown)]}) if is_safe else {}

    def _scope_of_mentions(self, voice: Voice, fields: Mapping[str, Any]) -> PersonScope:
        """Where a person mentioned in a statement becomes known, and to which readers."""
        assert voice.actor is not None
        made = self._readings(voice, fields)[0]
        is_for_all = made.space.is_private or made.sensitivity == "public"
        return PersonScope(made.space, made.readers if is_for_all else Readers.of([str(voice.actor.user)]))

    def _derived(self, voice: Voice, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Derived from a memory in the same space. An owner who erases their memory erases everything derived from it
        in any chat, and the receipt counts it; so the hidden party derives nothing from a space bea owns."""
        space = voice.space(fields["space"])
        parents = [
            one
            for memories in self._memories.values()
            for one in memories
            if one.said.space == space and one.voice.party != HIDDEN and not space.is_private
        ]
        if voice.party == OTHERS or not parents:
            return {}
        return self._maybe(0.2, {"derived_from": [self._rng.choice(parents).id]})

    def _maybe(self, chance: float, given: dict[str, Any]) -> dict[str, Any]:
        return given if self._rng.random() < chance else {}

    def _space(self, voice: Voice) -> dict[str, str]:
        assert voice.actor is not None
        places = voice.coordinates
        spaces = [{"user": str(voice.actor.user)}]
        if voice.party == OBSERVER and self._cast.chat == "den":
            # An unregistered chat shows only memories of its own space. Bea sees the others from elsewhere, and what
            # she says counts with them.
            return self._rng.choice([*spaces, {"chat": "den"}])
        spaces += [{level: places[level]} for level in ("chat", "project") if level in places for _ in range(2)]
        if {"chat", "project"} <= places.keys():
            spaces.append({level: places[level] for level in ("chat", "project")})
        return self._rng.choice(spaces)

    def _access(self) -> dict[str, list[str]] | None:
        lists = ({"users": [BEA]}, {"users": [BEA, CLEO]}, {"users": [self._cast.ada, CLEO]}, {"agents": ["bea-bot"]})
        return None if self._rng.random() < 0.85 else self._rng.choice(lists)

    def _expect(
        self, voice: Voice, fields: Mapping[str, Any], origins: tuple[Origin, ...] | None = None
    ) -> ExpectedMemory:
        """Predict the id of a statement. The prediction may be wrong: then a step asks for an id that does not
        exist."""
        assert voice.actor is not None
        said, kind = self._readings(voice, fields)[0], fields.get("kind", "semantic")
        said = said if origins is None else replace(said, origins=origins)
        known = self._scope_of_mentions(voice, fields)
        said = replace(said, subjects=frozenset(self._subject_id(voice, one, known) for one in said.subjects))
        sensitivity = Sensitivity(said.sensitivity)
        subjects = tuple(sorted(said.subjects))
        learned = strictest(map(_learned, said.origins))
        partition = audience(said.space, sensitivity, learned, subjects, said.stated_by, said.portable).text
        words = (said.space.id, said.readers, kind, fields["text"], partition if said.sensitivity != "public" else "")
        place = (said.space.id, said.readers, voice.actor.key, kind, partition)
        if words not in self._stated_before or kind == "short_term":
            self._stated_before.add(words)
            self._numbers[place] += 1
        id = memory_id(said.space, said.readers, voice.actor, Kind(kind), self._numbers[place], partition)
        made = ExpectedMemory(voice, said, id, fields["text"], "confidence" in fields)
        self._memories[voice.party].append(made)
        return made

    def _subject_id(self, voice: Voice, subject: str, known: PersonScope) -> str:
        """The id of a subject. Like those of memories, it is a prediction."""
        if subject.startswith(("@", "per_")):
            return subject
        met = [one for people in self._people.values() for one in people if (one.name, one.known) == (subject, known)]
        return met[0].id if met else self._expect_person(voice, subject, known).id

    def _expect_person(
        self, voice: Voice, name: str, known: PersonScope, relation: str | None = None
    ) -> ExpectedPerson:
        assert voice.actor is not None
        id = person_id(known.home, known.readers, voice.actor, self._next_person_number(voice, known))
        if relation is not None or name in TERMS:
            self._next_person_number(voice, known)
        made = ExpectedPerson(voice, known, id, name)
        self._people[voice.party].append(made)
        return made

    def _next_person_number(self, voice: Voice, known: PersonScope) -> int:
        """The number of the next person or relation there."""
        sequence = _sequence(voice, known)
        self._sequence_users[sequence].add(voice.party == HIDDEN)
        self._person_numbers[sequence] += 1
        return self._person_numbers[sequence]


_SENSITIVITIES = (PUBLIC, PERSONAL, SENSITIVE)
_LEARNED_KINDS = {PRIVATE: LearnedKind.PRIVATE, GROUP: LearnedKind.GROUP, RELEASED: LearnedKind.RELEASED}


def _learned(origin: Origin) -> Learned:
    """An origin as the product records it."""
    if origin.chat in {None, OUTSIDE}:
        return Learned(origin.chat)
    return Learned(origin.chat, _LEARNED_KINDS.get(origin.kind), tuple(sorted(origin.listeners)))


def _sequence(voice: Voice, known: PersonScope) -> tuple[Any, ...]:
    """The sequence in which a speaker's people are numbered."""
    assert voice.actor is not None
    return known.home, known.readers, voice.actor.key
