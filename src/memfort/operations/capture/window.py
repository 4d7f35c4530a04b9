"""Show the recent turns of a conversation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.default_place import conversation_space, default_conversation
from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item
from memfort.operations.capture.conversation import Place, conversation
from memfort.operations.requests import Coordinates, Request

NO_ID = ""  # of a turn that everyone who listens has heard, and that no other read has


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
    """The recent turns, oldest first, after the summary of those before them. In a chat they are those that everyone
    who listens has heard, or may hear; one that only they may hear again has no id, as no other read has it."""
    space = conversation_space(view.standpoint, request.space, view.policy)
    known = conversation(view, Place(space, request.conversation or default_conversation(space)))
    shown = [*([] if known.summary is None else [known.summary]), *known.turns]
    view.note_shown("window", [item for item in shown if view.sight.admits(item)])
    return [_shown(view, item) for item in shown]


def _shown(view: View, item: Item) -> Item:
    turn = redact_for(view.engine, view.sight, item)
    return turn if view.sight.admits(item) else replace(turn, id=NO_ID)
