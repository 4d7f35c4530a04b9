"""observe: hand-written, since tools are given as `NAME=TEXT` in two lists, and a file is observed line by line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from memfort.errors import InvalidInput, did_you_mean
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.completion import VISIBILITIES, OneOf
from memfort.surfaces.cli.input.files import read_text
from memfort.surfaces.cli.options import Verb, space_option
from memfort.surfaces.cli.session import Session, space_from

if TYPE_CHECKING:
    from memfort.model.decision import Outcome
    from memfort.operations.capture.observe import Observation

_FIELDS = ("said", "answer", "tools")


@click.command("observe", cls=Verb)
@click.option("--said", metavar="TEXT", help="What the user said.")
@click.option("--answer", metavar="TEXT", help="What was answered.")
@click.option("--tool", "tools", multiple=True, metavar="NAME=TEXT", help="What a tool returned; repeat it for more.")
@click.option("--failed-tool", "failed", multiple=True, metavar="NAME=TEXT", help="What a tool that failed returned.")
@click.option(
    "--file",
    "file",
    metavar="FILE",
    type=click.Path(),
    help="Many at once: one JSON object per line, with said, answer and tools; `-` is stdin.",
)
@space_option
@click.option(
    "--visibility", type=OneOf(*VISIBILITIES), metavar="VISIBILITY", help="In place of a space: private or shared."
)
@click.pass_obj
def observe_command(
    session: Session,
    said: str | None,
    answer: str | None,
    tools: tuple[str, ...],
    failed: tuple[str, ...],
    file: str | None,
    space: tuple[str, ...],
    visibility: str | None,
) -> int:
    """Record an interaction, and keep the statements in it.

    Its turns go into the window of the conversation; its statements, and what it asks to be remembered, are kept as
    memories of their own. Every gate decides on each of them separately, so some may be kept and others not: exit code
    3 only if all were denied. It goes to your session (--at session=ID), else to your own space.
    """
    where: dict[str, Any] = {"space": space_from(space), "visibility": visibility}
    given = [_tool(one, "tool", ok=True) for one in tools] + [_tool(one, "failed_tool", ok=False) for one in failed]
    if file is not None:
        if said is not None or answer is not None or given:
            raise InvalidInput("file", "an interaction is given too", "give one of the two")
        return _observe_many(session, list(_interactions(read_text(file, "file"))), where)
    if said is None and answer is None and not given:
        raise InvalidInput("said", "there is no interaction", "give --said, --answer or --tool, or --file with many")
    with session.bound(make=True) as memory:
        seen = memory.observe(said, answer, given, **where)
    return _show(session, seen)


def _tool(text: str, field: str, *, ok: bool) -> dict[str, Any]:
    name, divider, result = text.partition("=")
    if not divider or not name:  # the value is not repeated: it may be a text that must not be shown
        raise InvalidInput(field, "it is not `name=text`", "write it like `weather=sunny`")
    return {"name": name, "text": result, "ok": ok}


def _interactions(text: str) -> Iterator[dict[str, Any]]:
    """One interaction for each line. All of them are read before the first is observed."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise InvalidInput("file", "it has no lines", "give one JSON object per line")
    for number, line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            problem = f"line {number} is not a JSON object"
            raise InvalidInput("file", problem, 'write it like {"said": "…"}; nothing was observed')
        for name in value:
            if name not in _FIELDS:
                problem = f"line {number} has an unknown field"
                raise InvalidInput("file", problem, f"{did_you_mean(str(name), _FIELDS)}; nothing was observed")
        yield {"tools": (), **{name: one for name, one in value.items() if one is not None}}


def _observe_many(session: Session, interactions: list[dict[str, Any]], where: dict[str, Any]) -> int:
    from memfort.surfaces.cli.output.documents import observation_document

    output, observed, problems = session.output, [], {}
    with session.bound(make=True) as memory, output.progress("observing") as progress:
        for number, one in enumerate(interactions, start=1):
            try:
                observed.append(memory.observe(**one, **where))
            except InvalidInput as error:
                problems[number] = str(error)
            if progress is not None:
                progress(number, len(interactions))
    counts = Counter(_outcome_text(outcome) for one in observed for outcome in one.outcomes)
    document = {
        "counts": dict(counts),
        "observations": [observation_document(one) for one in observed],
        "problems": [{"interaction": number, "problem": problem} for number, problem in problems.items()],
    }
    problem_lines = [f"interaction {number}: {problem}" for number, problem in problems.items()]
    output.answer(document, *problem_lines, ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    if problems:
        return Exit.USAGE
    return Exit.DENIED if set(counts) == {"denied"} else Exit.OK


def _show(session: Session, seen: Observation) -> int:
    from memfort.surfaces.cli.output.documents import observation_document, outcome_line

    lines = [outcome_line(one) for one in seen.outcomes]
    lines += [f"promotion: {outcome_line(one)}" for one in seen.promotions]
    session.output.answer(observation_document(seen), *lines)
    return Exit.DENIED if all(_outcome_text(outcome) == "denied" for outcome in seen.outcomes) else Exit.OK


def _outcome_text(outcome: Outcome) -> str:
    if outcome.item is None:
        return "denied"
    return "kept" if outcome.kept else outcome.item.status.value
