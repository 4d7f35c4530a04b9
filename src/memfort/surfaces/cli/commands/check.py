"""check. Its argument is a text for one verb and the id of a memory for the others, which a row of the table cannot
express; its options are derived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memfort.errors import InvalidInput
from memfort.model.decision import Decision, Verdict
from memfort.model.reason import Reason
from memfort.operations.table import TABLE
from memfort.surfaces.cli.failure import Exit, error_document
from memfort.surfaces.cli.input.files import words
from memfort.surfaces.cli.session import Session
from memfort.surfaces.cli.verbs import VerbCommand

if TYPE_CHECKING:
    from memfort.client import BoundMemory, Memory

_BY_SPACE = {"recall", "list", "share"}  # these need no id


class CheckCommand(VerbCommand):
    def __init__(self) -> None:
        super().__init__(TABLE["check"])
        self.params.insert(0, click.Argument(["what"], nargs=-1))

    def _call(self, what: tuple[str, ...] = (), **given: Any) -> int:
        return super()._call(**given, **_subject(given["verb"], what))

    def _answer(self, session: Session, memory: BoundMemory | Memory, named: dict[str, Any], *, yes: bool) -> int:  # noqa: ARG002  # nothing is deleted
        verb: str = named["verb"]
        decision: Decision = self._run(session, memory, named)
        line = f"{verb}: {decision.verdict}, {decision.explanation} ({decision.reason})"
        document = decision.to_dict()
        if decision.verdict is not Verdict.DENIED:
            session.output.answer(document, line)
            return Exit.OK
        code = "not_found" if decision.reason is Reason.NOT_FOUND else "denied"
        error = {**error_document(code, decision.explanation), "reason": decision.reason.value}
        session.output.answer({**document, "error": error}, line)
        return Exit.NOT_FOUND if decision.reason is Reason.NOT_FOUND else Exit.DENIED


def _subject(verb: str, what: tuple[str, ...]) -> dict[str, str]:
    """The target of the verb: a text, the id of a memory, or only a space."""
    if verb == "remember":
        return {"text": words(what, "text")}
    if len(what) > 1:
        raise InvalidInput("what", "there are several", "check one at a time")
    if not what and verb not in _BY_SPACE:
        raise InvalidInput("what", "it is missing", "give the id of a memory")
    return {"id": what[0]} if what else {}


check_command = CheckCommand()
