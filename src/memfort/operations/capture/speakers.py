"""Who spoke in a message, as far as the caller is believed.

The caller speaks for itself, or for the person it acts for. What it says about other speakers is believed only from an
agent that is registered in the chat and from the system, and only about participants. From anybody else it is a claim.
"""

from __future__ import annotations

from msgspec import Struct

from memfort.capture.messages import Message
from memfort.engine.view import View
from memfort.model.item import Authority, Origin
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Chat, Principal
from memfort.model.people.person import person_of_user
from memfort.model.space import Level


class Speaker(Struct, frozen=True):
    """Who spoke."""

    origin: Origin
    person: str | None = None  # the real person, if that is believed
    name: str | None = None  # as the message gives it, if it is another than the caller
    is_caller: bool = False  # the caller, or the person it acts for
    is_believed: bool = True

    @property
    def at_most(self) -> Authority | None:
        """The highest authority that the words can have."""
        return None if self.is_believed else Authority.AI_INFERRED


class Speakers:
    """The speakers of the messages of one call."""

    def __init__(self, view: View) -> None:
        self._actor = view.actor
        self._chat = _chat_of(view)
        self._known: dict[tuple[Origin, str | None], Speaker] = {}

    def of(self, message: Message) -> Speaker:
        asked = (message.origin, message.speaker)
        if asked not in self._known:
            self._known[asked] = self._find(message.origin, message.speaker)
        return self._known[asked]

    def _find(self, origin: Origin, name: str | None) -> Speaker:
        if origin is not Origin.USER:
            return Speaker(origin)
        own = self._actor.user
        user = None if name is None else name.removeprefix("@")
        if own is not None and (user is None or user == own):
            return Speaker(origin, person_of_user(own), is_caller=True)
        if user is not None and self._may_speak_for_others and self._takes_part(user):
            return Speaker(origin, person_of_user(user), user)
        return Speaker(origin, None, name, is_believed=False)

    @property
    def _may_speak_for_others(self) -> bool:
        if self._chat is None:
            return False
        agent = self._actor.agent
        is_here = agent is not None and Principal(ActorKind.AGENT, agent) in self._chat.participants
        return self._actor.kind is ActorKind.SYSTEM or is_here

    def _takes_part(self, user: str) -> bool:
        return self._chat is not None and Principal(ActorKind.USER, user) in self._chat.participants


def _chat_of(view: View) -> Chat | None:
    """The registered chat that the caller stands in."""
    id = view.standpoint.get(Level.CHAT)
    return None if id is None else view.store.chat(id)
