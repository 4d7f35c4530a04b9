"""Scenes of chat histories about where a statement was learned: corrected, derived or stated by a stranger."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from memfort.testing.chat_histories.listener import GROUP, PERSONAL, PUBLIC, SENSITIVE, Statement
from memfort.testing.chat_histories.state import ExpectedMemory, HistoryState
from memfort.testing.chat_histories.words import APOLLO, HIDDEN, OBSERVER
from memfort.testing.histories import Step, Voice
from memfort.testing.space_histories.cast import BEA, CLEO

DM_OF_OTHERS, GROUP_OF_OTHERS = "tete", "crowd"


class OriginScenes(HistoryState):
    def _reworded_statement(self, voice: Voice, old: ExpectedMemory, fields: dict[str, Any]) -> list[Statement]:
        """Everything a correction may turn out to be: it has its own origin and that of the old wording."""
        readings = self._readings(voice, fields)
        return [replace(one, origins=(*one.origins, *old.said.origins)) for one in readings]

    def _corrected_in_another_chat(self) -> list[Step]:
        """The hidden party says something about bea and corrects it: said in private and corrected in a group, or said
        in a group and corrected outside any chat, where it becomes public."""
        user = self._rng.choice((self._cast.ada, CLEO))
        first, second = self._rng.choice(((DM_OF_OTHERS, GROUP_OF_OTHERS), (GROUP_OF_OTHERS, None)))
        said = self._private_fields(user) | {"sensitivity": PUBLIC if first == DM_OF_OTHERS else SENSITIVE}
        again = {**said, "text": self._unique_text(), "sensitivity": PUBLIC}
        voice, other = (self._cast.voices_in(HIDDEN, user, chat)[0] for chat in (first, second))
        if not self._is_hidden(self._readings(voice, said)):
            return []
        old = self._expect(voice, said)
        new = self._reworded_statement(other, old, again)
        if not self._is_hidden(new):
            return [Step(voice, "remember", said)]
        self._expect(other, again, new[0].origins)
        correction = Step(other, "correct", {"id": old.id, "text": again["text"], "sensitivity": PUBLIC})
        return [Step(voice, "remember", said), correction, *self._asks_about(f"@{BEA}")]

    def _derived_in_another_chat(self) -> list[Step]:
        """The hidden party says something about bea in private, and derives a memory from it in a group."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice, other = (self._cast.voices_in(HIDDEN, user, chat)[0] for chat in (DM_OF_OTHERS, GROUP_OF_OTHERS))
        said = self._private_fields(user)
        if not self._is_hidden(self._readings(voice, said)):
            return []
        source = self._expect(voice, said)
        made = {**said, "text": self._unique_text(), "derived_from": [source.id]}
        if not self._is_hidden(self._readings(other, made)):
            return [Step(voice, "remember", said)]
        self._expect(other, made)
        return [Step(voice, "remember", said), Step(other, "remember", made), *self._asks_about(f"@{BEA}")]

    def _note_about_the_other(self) -> list[Step]:
        """Outside any chat bea notes something personal about the only other person of her group: to the two of them in
        private she could say it, and in a group nobody hears what the asker knows about another. Draws no random
        numbers, so that recorded seeds keep catching their leaks."""
        here = self._cast.states[-1].get(self._cast.chat or "")
        others = [] if here is None else sorted(here.users - {BEA})
        if here is None or here.kind != GROUP or len(others) != 1 or not self._bea_uses_other_chats:
            return []
        alone, bea = self._cast.voices_in(HIDDEN, BEA, None)[0], self._voices[OBSERVER][0]
        self._last_unique_number += 1
        said = {
            "text": f"the tidy harbor coffee number {self._last_unique_number}",
            "space": {"user": BEA},
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": [f"@{others[0]}"],
            "sensitivity": PERSONAL,
        }
        if not self._is_hidden(self._readings(alone, said)):
            return []
        asks = [
            Step(bea, "recall", {"query": said["text"], "limit": 50}),
            Step(bea, "about", {"ids": said["subjects"]}),
        ]
        return [Step(alone, "remember", said), *asks]

    def _statement_of_a_stranger(self) -> list[Step]:
        """The hidden party names a chat that they are not in, and says something about bea: it is not kept."""
        strangers = [
            (user, chat)
            for chat, here in self._cast.states[self._state].items()
            for user in (self._cast.ada, CLEO)
            if user not in here.users
        ]
        if not strangers:
            return []
        groups = [one for one in strangers if one[1] == "team"]
        user, chat = self._rng.choice(groups or strangers)
        voice = self._cast.voices_in(HIDDEN, user, chat)[0]
        return [Step(voice, "remember", self._private_fields(user)), *self._asks_about(f"@{BEA}")]

    def _statement_before_others_join(self) -> list[Step]:
        """Before the directory changes, the hidden party says something in the chat that changes or in a chat of
        theirs; those who join later were not there."""
        chat = self._cast.change[0] if self._rng.random() < 0.8 else GROUP_OF_OTHERS
        users = [user for user in (self._cast.ada, CLEO) if chat in self._cast.chats_of(user)]
        if self._state > 0 or not users:
            return []
        user = self._rng.choice(users)
        voice = self._cast.voices_in(HIDDEN, user, chat)[1]
        person = self._rng.choice((f"@{BEA}", f"@{BEA}", "@dora"))
        spaces = ({"user": user}, {"user": user}, {"chat": chat}, APOLLO)
        fields = self._private_fields(user) | {"subjects": [person], "space": self._rng.choice(spaces)}
        fields["sensitivity"] = self._rng.choice((PUBLIC, PUBLIC, SENSITIVE))
        if not self._is_hidden(self._readings(voice, fields)):
            return []
        self._expect(voice, fields)
        return [Step(voice, "remember", fields)]

    def _hearsay_about_bea(self) -> list[Step]:
        """In a group that bea is not in, the hidden party says something about her, or about her and another person,
        that is not for everyone."""
        user = self._rng.choice((self._cast.ada, CLEO))
        voice = self._cast.voices_in(HIDDEN, user, GROUP_OF_OTHERS)[0]
        others = self._rng.choice(([], ["@dora"], [f"@{user}"]))
        fields = self._private_fields(user) | {"subjects": [f"@{BEA}", *others]}
        fields["sensitivity"] = self._rng.choice((PERSONAL, SENSITIVE))
        if not self._is_hidden(self._readings(voice, fields)):
            return []
        self._expect(voice, fields)
        return [Step(voice, "remember", fields), *self._asks_about(f"@{BEA}")]

    def _statement_for_those_present(self) -> list[Step]:
        """The hidden party says something for the persons in bea's chat; but an agent listens there for somebody
        else."""
        here = self._cast.states[self._state].get(str(self._cast.chat))
        if here is None:
            return []
        voice = self._cast.voices_in(HIDDEN, CLEO, None)[1]
        fields = self._private_fields(CLEO) | {"space": APOLLO, "access": {"users": sorted(here.users)}}
        if not self._is_hidden(self._readings(voice, fields)):
            return []
        self._expect(voice, fields)
        return [Step(voice, "remember", fields), *self._asks_about(f"@{BEA}")]

    def _private_fields(self, user: str) -> dict[str, Any]:
        """A public statement about bea in the user's own space."""
        return {
            "text": self._unique_text(),
            "space": {"user": user},
            "access": None,
            "type": "knowledge",
            "portable": True,
            "subjects": [f"@{BEA}"],
            "sensitivity": PUBLIC,
        }

    def _asks_about(self, person: str) -> list[Step]:
        bea = self._rng.choice(self._voices[OBSERVER])
        return [Step(bea, "about", {"ids": [person]}), Step(bea, "recall", {"query": "coffee tea number", "limit": 50})]
