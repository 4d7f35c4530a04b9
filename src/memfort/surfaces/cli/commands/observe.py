"""observe: hand-written, since the messages are in a file, as a JSON list or with one message per line."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from memfort.errors import InvalidInput
from memfort.model.decision import OutcomeState
from memfort.model.value import shortened
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.completion import VISIBILITIES, OneOf
from memfort.surfaces.cli.input.files import read_text
from memfort.surfaces.cli.options import Verb, space_option
from memfort.surfaces.cli.session import Session, space_from

if TYPE_CHECKING:
    from memfort.model.decision import Outcome
    from memfort.operations.capture.observe import EndedMemory, Observation, ObservedMessage


@click.command("observe", cls=Verb)
@click.argument("file", type=click.Path())
@click.option("--conversation", metavar="ID", help="The conversation; by default that of the chat or the session.")
@space_option
@click.option(
    "--visibility", type=OneOf(*VISIBILITIES), metavar="VISIBILITY", help="In place of a space: private or shared."
)
@click.pass_obj
def observe_command(
    session: Session, file: str, conversation: str | None, space: tuple[str, ...], visibility: str | None
) -> int:
    """Record messages of a conversation, and keep the statements in them.

    FILE has one message per line (JSON), or is a JSON list of messages; `-` reads standard input. A message is a text,
    a mapping with role and content, an item of the Responses format, or a turn with speaker, text, at and id. Every
    gate decides on each message separately, so some may be kept and others not: exit code 3 only if all were denied. A
    message that was observed before is left alone, so a command that was interrupted can be run again.
    """
    messages = _messages(read_text(file, "file"))
    where: dict[str, Any] = {"space": space_from(space), "visibility": visibility, "conversation": conversation}
    with session.bound(make=True) as memory, session.output.progress("observing") as progress:
        seen = memory.observe(messages, **where, progress=progress)
    return _show(session, seen)


def _messages(text: str) -> list[Any]:
    """The messages of a file: a list as a whole, or one message for each line."""
    if text.lstrip().startswith("["):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            raise InvalidInput("file", "it is not a JSON list", "write one message per line, or one list") from None
        return list(whole)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise InvalidInput("file", "it has no messages", "give one JSON message per line, or a JSON list")
    return [_message(number, line) for number, line in lines]


def _message(number: int, line: str) -> Any:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict | str):
        remedy = 'write it like {"role": "user", "content": "…"}; nothing was observed'
        raise InvalidInput("file", f"line {number} is not a JSON message", remedy)
    return message


def _show(session: Session, seen: Observation) -> int:
    from memfort.surfaces.cli.output.lines import outcome_line

    lines = [line for message in seen.messages for line in _lines(message)]
    lines += [f"promotion: {outcome_line(one)}" for one in seen.promotions]
    lines += [_request_line(one.text, one.memories, done=one.done) for one in seen.forget_requests]
    counts = Counter(_word(message) for message in seen.messages)
    lines.append(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    session.output.answer(seen.to_dict(), *lines)
    if seen.turns or seen.ended:
        session.output.note(f"to take it back: memfort undo --trace {seen.trace}")
    return Exit.DENIED if set(counts) == {"refused"} else Exit.OK


def _lines(message: ObservedMessage) -> list[str]:
    from memfort.surfaces.cli.output.lines import outcome_line

    turn = None if message.turn is None or message.already_observed else message.turn
    lines = [] if turn is None else [f"{_place(message, turn)}{_turn_line(turn)}"]
    lines += [f"{_place(message, one)}{outcome_line(one)}" for one in message.statements]
    return [*lines, *(_ended_line(one) for one in message.ended)]


def _turn_line(turn: Outcome) -> str:
    """A message is no fact: what is kept of it are its statements."""
    from memfort.surfaces.cli.output.lines import outcome_line

    line = outcome_line(turn)
    return f"turn {line.removeprefix('kept ')}" if turn.kept else line


def _ended_line(one: EndedMemory) -> str:
    return f"ended {one.item.id} ({one.reason}, by {one.by}): {shortened(one.item.text, 100)}"


def _place(message: ObservedMessage, outcome: Outcome) -> str:
    """Which message was not kept, if its outcome does not say it."""
    is_named = outcome.kept or "problem" in outcome.decision.detail
    return "" if is_named else f"messages[{message.index}]: "


def _request_line(text: str, memories: tuple[str, ...], *, done: bool) -> str:
    what = "forgotten" if done else "asked to forget; to do so, run `memfort forget`"
    return f"{what}: {text} ({', '.join(memories) or 'nothing matches'})"


def _word(message: ObservedMessage) -> str:
    """What became of a message, in one word."""
    if message.skipped is not None:
        return f"skipped ({message.skipped})"
    if message.already_observed:
        return "observed before"
    outcomes = [one for one in (message.turn, *message.statements) if one is not None]
    if any(outcomes):
        return "kept"
    return "pending" if any(one.state is OutcomeState.PENDING for one in outcomes) else "refused"
