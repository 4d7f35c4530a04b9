"""Show the recent turns of a conversation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.default_place import conversation_space, default_conversation
from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item
from memfort.operations.capture.conversation import Place, conversation
from memfort.operations.requests import Coordinates, Request


class WindowRequest(Request, frozen=True):
    """The conversation."""

    space: Annotated[
        Coordinates | None,
        Meta(description="The space of the conversation; the chat or session you stand at, else your own space."),
    ] = None
    conversation: Annotated[
        str | None, Meta(description="The id of the conversation; by default that of the chat or the session.")
    ] = None


def handle(view: View, request: WindowRequest) -> list[Item]:
    """The recent turns, oldest first, after the summary of those before them. In a chat they are those that were said
    while you took part."""
    space = conversation_space(view.standpoint, request.space, view.policy)
    known = conversation(view, Place(space, request.conversation or default_conversation(space)))
    shown = [*([] if known.summary is None else [known.summary]), *known.turns]
    view.note_shown("window", shown)
    return [redact_for(view.engine, view.sight, item) for item in shown]
