"""Show the participants of a chat."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.view import View
from memfort.model.people.directory import Chat
from memfort.model.space import check_id
from memfort.operations.requests import OneWord, Request


class GetChatRequest(Request, frozen=True):
    """Which chat."""

    id: Annotated[OneWord, Meta(description="The chat's id.")]


def handle(view: View, request: GetChatRequest) -> Chat | None:
    """A chat and its participants, if it is registered."""
    return view.store.chat(check_id(request.id, "id"))
