"""Register a chat with its participants."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Chat, ChatKind, Principal
from memfort.model.space import check_id
from memfort.operations.directory.events import directory_event, names_of
from memfort.operations.requests import OneWord, Request
from memfort.operations.touched import in_directory
from memfort.store.port import PutChat

Participants = Annotated[tuple[str, ...], Meta(extra={"most": 100_000})]


class RegisterChatRequest(Request, frozen=True):
    """A chat and its participants."""

    id: Annotated[OneWord, Meta(description="The chat's id.")]
    kind: Annotated[ChatKind, Meta(description="private or group.")]
    participants: Annotated[Participants, Meta(description="A user in it.")] = ()
    agents: Annotated[Participants, Meta(description="An agent in it.")] = ()


touches = in_directory
MOST_PERSONS_IN_PRIVATE = 2  # agents are not counted


def handle(tx: Transaction, request: RegisterChatRequest) -> Chat:
    """Register a chat, or change its participants: registering it again replaces them."""
    users = {Principal(ActorKind.USER, check_id(name, "participants")) for name in request.participants}
    if request.kind is ChatKind.PRIVATE and len(users) > MOST_PERSONS_IN_PRIVATE:
        problem = f"a private chat has one or two persons, and {len(users)} are named"
        raise InvalidInput("participants", problem, "name at most two, or register it as a group")
    agents = [Principal(ActorKind.AGENT, check_id(name, "agents")) for name in request.agents]
    chat = Chat(check_id(request.id, "id"), request.kind, frozenset((*users, *agents)))
    names = [names_of(one) for one in sorted(chat.participants)]
    event = directory_event(tx, "register_chat", chat=chat.id, kind=chat.kind.value, participants=names)
    tx.apply([PutChat(chat)], [event])
    return chat
