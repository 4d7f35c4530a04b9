"""explain, check, spaces."""

from __future__ import annotations

from typing import Any

import click

from memfort.cli.completing import OneOf, levels, memories, types
from memfort.cli.failure import Exit, error_document
from memfort.cli.options import Verb, filter_options, space_option
from memfort.cli.output import Table
from memfort.cli.reading import words
from memfort.cli.session import Session, check_standpoint, space_from, stand
from memfort.cli.values import coordinate, places
from memfort.errors import InvalidInput

CHECKED = ("remember", "get", "history", "used", "forget", "erase", "correct", "approve", "reject", "edit", "recall",
           "list", "share")  # fmt: skip


@click.command("explain", cls=Verb)
@click.argument("id", shell_complete=memories())
@click.option("--viewer", metavar="ACTOR", help="Explain it for somebody else, written as for --as.")
@click.option("--viewer-acting-for", metavar="USER", help="The user that the viewer, an agent, acts for.")
@click.option("--viewer-at", multiple=True, metavar="LEVEL=ID", shell_complete=levels,
              help="A place the viewer stands at; repeat it.")  # fmt: skip
@click.option("--query", metavar="TEXT", help="Say why it comes or does not come when this is recalled.")
@click.option("--limit", type=int, help="With --query: how many come at most.  [default: 10; for a prompt 50]")
@click.option("--budget-tokens", type=int, help="With --query: for a prompt with this budget, as in `context`.")
@filter_options
@click.pass_obj
def explain_command(
    session: Session,
    id: str,
    viewer: str | None,
    viewer_acting_for: str | None,
    viewer_at: tuple[str, ...],
    query: str | None,
    limit: int | None,
    budget_tokens: int | None,
    space: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
) -> int:
    """Say why a memory is or is not shown.

    ID is a memory's, or the trace of a recall of your own. With --query, say why the memory comes or does not come when
    that is recalled, with this limit, space and filter. You must be able to see the memory yourself; what you may not
    see does not exist, also here.
    """
    from memfort.cli.documents import explanation_document
    from memfort.model.reason import Reason

    if viewer is None and (viewer_at or viewer_acting_for is not None):
        raise InvalidInput("viewer", "nobody is named", "say for whom with --viewer")
    at = tuple(places(tuple(coordinate(one, "viewer_at") for one in viewer_at), "viewer_at", "--viewer").items())
    if viewer is not None:
        check_standpoint(viewer, at, acting_for=viewer_acting_for, who="viewer")
    with session.asking() as (store, asker):
        subject = None if viewer is None else stand(store, viewer, at, acting_for=viewer_acting_for)
        found = asker.explain(id, subject, query=query, limit=limit, space=space_from(space), types=types or None,
                              tags=tags, kinds=kinds or None, budget_tokens=budget_tokens)  # fmt: skip
    if found.reason is not Reason.NOT_FOUND:
        session.output.answer(explanation_document(found), *found.lines)
        return Exit.OK
    error = error_document("not_found", found.lines[0], field="id")
    session.output.answer({**explanation_document(found), "error": error})
    if not session.output.as_json:
        session.output.note(f"memfort: {found.lines[0]}")
    return Exit.NOT_FOUND


@click.command("check", cls=Verb)
@click.argument("verb", type=OneOf(*CHECKED))
@click.argument("what", nargs=-1)
@space_option
@click.option(
    "--type", "type_", metavar="TYPE", shell_complete=types, help="With `remember`: the type of the statement."
)
@click.option("--confidence", type=float, help="With `remember`: from 0 to 1.")
@click.pass_obj
def check_command(
    session: Session,
    verb: str,
    what: tuple[str, ...],
    space: tuple[str, ...],
    type_: str | None,
    confidence: float | None,
) -> int:
    """Say whether something would be allowed, without doing it.

    WHAT is the text for `remember` (`-` for standard input), and a memory's id for get, history, forget, erase,
    correct, approve, reject and edit; recall, list and share are checked for --space. Exit code 0 if it would be
    allowed or would wait for review, 3 if it would be denied, 4 if there is no such memory.
    """
    from memfort.cli.documents import decision_document
    from memfort.model.decision import Verdict
    from memfort.model.reason import Reason

    given = _given(verb, what, space, type_, confidence)
    with session.bound() as memory:
        decision = memory.check(verb, **given)
    line = f"{verb}: {decision.verdict}, {decision.explanation} ({decision.reason})"
    document: dict[str, Any] = {"verb": verb, "decision": decision_document(decision)}
    if decision.verdict is not Verdict.DENIED:
        session.output.answer(document, line)
        return Exit.OK
    code = "not_found" if decision.reason is Reason.NOT_FOUND else "denied"
    error = {**error_document(code, decision.explanation), "reason": decision.reason.value}
    session.output.answer({**document, "error": error}, line)
    return Exit.NOT_FOUND if decision.reason is Reason.NOT_FOUND else Exit.DENIED


@click.command("spaces", cls=Verb)
@click.pass_obj
def spaces_command(session: Session) -> None:
    """Show the spaces in sight, in the order of recall.

    Then how far you get at each place you stand at, and why.
    """
    from memfort.cli.documents import standing_document
    from memfort.model.reason import explanation
    from memfort.model.space import Space

    with session.bound() as memory:
        spaces, held = memory.spaces(), memory.standings()
    rows = [(number, Space.of(space)) for number, space in enumerate(spaces, start=1)]
    why = [(str(one.coordinate), one.reach.name.lower(), f"{explanation(one.reason)} ({one.reason})") for one in held]
    session.output.answer(
        {"spaces": spaces, "standings": [standing_document(one) for one in held]},
        Table(("", "space"), rows),
        Table(("place", "reach", "why"), why),
    )


def _given(
    verb: str, what: tuple[str, ...], space: tuple[str, ...], type_: str | None, confidence: float | None
) -> dict[str, Any]:
    if verb == "remember":
        fields = {"text": words(what, "text"), "space": space_from(space), "type": type_, "confidence": confidence}
        return {name: value for name, value in fields.items() if value is not None}
    if len(what) > 1:
        raise InvalidInput("what", "there are several", "check one at a time")
    if not what and verb not in {"recall", "list", "share"}:
        raise InvalidInput("what", "it is missing", "give the id of a memory")
    return {"space": space_from(space), **({"id": what[0]} if what else {})}
