"""remember, correct, restore, used."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from memfort.cli.commands.recall import not_in_force
from memfort.cli.completing import KINDS, ORIGINS, SENSITIVITIES, STATUSES, OneOf, memories, types
from memfort.cli.failure import Exit, error_document
from memfort.cli.options import Verb, space_option
from memfort.cli.plain import counted
from memfort.cli.reading import json_object, read_text, words
from memfort.cli.session import Session, space_from
from memfort.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from memfort.model.decision import Outcome


@click.command("remember", cls=Verb)
@click.argument("text", nargs=-1)
@click.option(
    "--file",
    "file",
    metavar="FILE",
    type=click.Path(),
    help="Many at once: one text a line, or one JSON object a line, never mixed; `-` is stdin.",
)
@space_option
@click.option(
    "--type",
    "type_",
    metavar="TYPE",
    shell_complete=types,
    help="What sort of statement it is, from the policy's table; the policy's default if not given.",
)
@click.option("--kind", type=OneOf(*KINDS), metavar="KIND", help="short_term, semantic (the default) or profile.")
@click.option("--key", help="The name of a profile fact, for example `timezone`.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeat it for more.")
@click.option(
    "--origin", type=OneOf(*ORIGINS), metavar="WHO", help="Who the words came from: user, ai, tool or system."
)
@click.option("--observed-at", metavar="TIME", help="When it was so, in ISO 8601 with a zone.")
@click.option(
    "--sensitivity",
    type=OneOf(*SENSITIVITIES),
    metavar="HOW",
    help="public, personal or sensitive; else as its words say.",
)
@click.option("--reader-user", "users", multiple=True, help="Only this user may read it; repeat it for more.")
@click.option("--reader-agent", "agents", multiple=True, help="Only this agent may read it; repeat it for more.")
@click.option("--confidence", type=float, help="From 0 to 1; below the policy's threshold it waits for review.")
@click.option("--importance", type=float, help="From 0 to 10, in place of what its type brings with it.")
@click.option("--status", type=OneOf(*STATUSES[:3]), metavar="STATUS", help="Ask for pending, approved or rejected.")
@click.option("--ttl", "ttl_seconds", type=float, metavar="SECONDS", help="How long it lives.")
@click.option("--ttl-ticks", type=int, metavar="COUNT", help="How many more memories may come into force beside it.")
@click.option("--expires-at", metavar="TIME", help="When its time runs out, in ISO 8601 with a zone.")
@click.option("--subject", "subjects", multiple=True, metavar="WHO",
              help="Whom it is about: `me`, `@bob`, an id or a name; repeat it for more.")  # fmt: skip
@click.option("--portable/--stays-here", default=None, help="Whether those it is about may be told of it elsewhere.")
@click.option(
    "--derived-from",
    multiple=True,
    metavar="ID",
    shell_complete=memories(),
    help="A memory it was made from; repeat it for more.",
)
@click.option("--provenance", metavar="JSON", help="Where the words came from.")
@click.option("--meta", metavar="JSON", help="Anything else worth keeping beside it.")
@click.pass_obj
def remember_command(session: Session, /, text: tuple[str, ...], file: str | None, **given: Any) -> int:
    """Keep a statement, if policy admits it.

    TEXT is the statement; `-` reads it from standard input. Unless --space says otherwise it goes to the actor's own
    space. What is denied has exit code 3; what waits for review is kept, and the reason is shown.
    """
    if text and file is not None:
        raise InvalidInput("text", "`--file` is given too", "give one of the two")
    if not text and file is None:
        raise InvalidInput("text", "it is missing", "give the statement, or --file with many")
    fields = _fields(**given)
    if file is not None:
        return _remember_many(session, _batch(read_text(file, "file"), fields))
    statement = words(text, "text")
    with session.bound(make=True) as memory:
        outcome = memory.remember(statement, **{"type": memory.default_type, **fields})
    return show_outcome(session, outcome)


@click.command("correct", cls=Verb)
@click.argument("id", shell_complete=memories())
@click.argument("text", nargs=-1, required=True)
@click.option("--confidence", type=float, help="From 0 to 1.")
@click.option(
    "--origin", type=OneOf(*ORIGINS), metavar="WHO", help="Who the words came from: user, ai, tool or system."
)
@click.pass_obj
def correct_command(
    session: Session, id: str, text: tuple[str, ...], confidence: float | None, origin: str | None
) -> int:
    """Say what is right instead of a memory.

    The old one is superseded, linked and kept in the history. TEXT may be `-` for standard input.
    """
    fields = {name: value for name, value in (("confidence", confidence), ("origin", origin)) if value is not None}
    statement = words(text, "text")
    with session.bound() as memory:
        try:
            outcome = memory.correct(id, statement, **fields)
        except NotFound:
            raise not_in_force(memory, id) from None
    return show_outcome(session, outcome)


@click.command("restore", cls=Verb)
@click.argument("id", shell_complete=memories("superseded"))
@click.pass_obj
def restore_command(session: Session, id: str) -> int:
    """Bring back what a superseded memory said.

    It is a correction of what took its place, and passes every gate; both stay in the history.
    """
    with session.bound() as memory:
        outcome = memory.restore(id)
    return show_outcome(session, outcome)


@click.command("used", cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=memories())
@click.pass_obj
def used_command(session: Session, ids: tuple[str, ...]) -> int:
    """Say that memories were of use.

    They come a little sooner from then on, for everybody who recalls them. The weight `use` of the policy says how
    much.
    """
    from memfort.cli.documents import memory_document

    with session.bound() as memory:
        try:
            items = memory.used(*ids)
        except NotFound as error:
            raise not_in_force(memory, error.name) from None
    document = {"memories": [memory_document(item) for item in items]}
    session.output.answer(document, *(f"{item.id} was of use {counted(item.uses, 'time')}" for item in items))
    return Exit.OK


def show_outcome(session: Session, outcome: Outcome) -> int:
    """Show what came of a write. A refusal goes to stderr, where errors go."""
    from memfort.cli.documents import outcome_document, outcome_line
    from memfort.model.decision import Verdict

    document, line = outcome_document(outcome), outcome_line(outcome)
    if outcome.decision.verdict is not Verdict.DENIED:
        session.output.answer(document, line)
        return Exit.OK
    error = {**error_document("denied", outcome.decision.explanation), "reason": outcome.reason.value}
    session.output.answer({**document, "error": error})
    if not session.output.as_json:
        session.output.note(f"memfort: {line}")
    return Exit.DENIED


def _remember_many(session: Session, batch: Sequence[dict[str, Any]]) -> int:
    from memfort.cli.documents import outcome_document, outcome_line
    from memfort.model.reason import Reason

    output = session.output
    with session.bound(make=True) as memory, output.progress("remembering") as progress:
        outcomes = memory.remember_many([{"type": memory.default_type, **one} for one in batch], progress)
    counts = Counter(_came_of(outcome) for outcome in outcomes)
    document = {"counts": dict(counts), "outcomes": [outcome_document(outcome) for outcome in outcomes]}
    lines = [f"{number}: {outcome_line(outcome)}" for number, outcome in enumerate(outcomes, start=1)]
    output.answer(document, *lines, ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    if counts["denied"]:
        return Exit.DENIED
    return Exit.USAGE if any(outcome.reason is Reason.INVALID for outcome in outcomes) else Exit.OK


def _came_of(outcome: Outcome) -> str:
    from memfort.model.reason import Reason

    if outcome.item is None:
        return "invalid" if outcome.reason is Reason.INVALID else "denied"
    if outcome.reason is Reason.DUPLICATE:
        return "duplicate"
    return "pending" if outcome.item.status.value == "pending" else "kept"


def _fields(
    *,
    space: tuple[str, ...],
    type_: str | None,
    users: tuple[str, ...],
    agents: tuple[str, ...],
    provenance: str | None,
    meta: str | None,
    tags: tuple[str, ...],
    subjects: tuple[str, ...],
    derived_from: tuple[str, ...],
    **plain: Any,
) -> dict[str, Any]:
    """What was given for a memory, by the names the facade has; what was not given is left to the policy."""
    access = {"users": list(users) or None, "agents": list(agents) or None} if users or agents else None
    fields = {
        "space": space_from(space),
        "type": type_,
        "access": access,
        "tags": tags or None,
        "subjects": subjects or None,
        "derived_from": derived_from or None,
        "provenance": json_object(provenance, "provenance"),
        "meta": json_object(meta, "meta"),
        **plain,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _batch(text: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
    """One statement for each line. They are texts, or they are JSON objects; a mixture is most likely a mistake."""
    # Not `splitlines`: a JSON text may hold the other characters that divide lines for it.
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise InvalidInput("file", "it holds no lines", "give one text a line, or one JSON object a line")
    if lines[0][1].lstrip().startswith("{"):
        return [{**fields, **_json_line(number, line)} for number, line in lines]
    for number, line in lines:
        if _json_object(line) is not None:
            problem = f"line {number} is a JSON object, and line {lines[0][0]} is a text"
            raise InvalidInput("file", problem, "make all lines the one or the other; nothing was remembered")
    return [{**fields, "text": line} for _, line in lines]


def _json_line(number: int, line: str) -> dict[str, Any]:
    value = _json_object(line)
    if value is None:
        problem = f"line {number} is not a JSON object"
        raise InvalidInput("file", problem, "mend it: where the first line is one, all are; nothing was remembered")
    return value


def _json_object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line) if line.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
