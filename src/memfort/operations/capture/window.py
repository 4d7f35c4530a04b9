"""Show the recent turns of a conversation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.default_place import conversation_space
from memfort.engine.view import View
from memfort.model.item import Item
from memfort.operations.capture.conversation import conversation
from memfort.operations.requests import Coordinates, Request


class WindowRequest(Request, frozen=True):
    """The conversation."""

    space: Annotated[
        Coordinates | None,
        Meta(description="The space of the conversation; the session you stand at, else your own space."),
    ] = None


def handle(view: View, request: WindowRequest) -> list[Item]:
    """The recent turns, oldest first, after the summary of those before them."""
    known = conversation(view, conversation_space(view.standpoint, request.space, view.policy))
    shown = [*([] if known.summary is None else [known.summary]), *known.turns]
    view.note_shown("window", shown)
    return shown
