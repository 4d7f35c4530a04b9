"""An answer, ready to be shown: as JSON, or as lines and tables for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from memfort.operations.table import Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Output, Table


class Rendered(Struct, frozen=True):
    """An answer, ready to be shown."""

    parts: Sequence[str | Table] = ()
    notes: Sequence[str] = ()  # beside the answer, for people alone
    warnings: Sequence[str] = ()  # beside the answer, always
    exit: Exit = Exit.OK
    count: int = 0  # how many memories it is about
    preview: Sequence[str] = ()  # printed before the question whether to do it
    error: Mapping[str, Any] | None = None  # beside the result in the JSON document, if it is no success
    document: Any = None  # the result as JSON: what `to_dict()` gives in Python, and HTTP answers

    def show(self, output: Output) -> int:
        document = self.document if self.error is None else {**self.document, "error": self.error}
        output.answer(document, *self.parts)
        for line in self.warnings:
            output.note(line)
        self.show_notes(output)
        return self.exit

    def show_notes(self, output: Output) -> None:
        if not output.as_json:
            for line in self.notes:
                output.note(line)

    def show_preview(self, output: Output) -> None:
        for line in self.preview:
            output.note(line)


Renderers = dict[Any, Callable[[Operation, Any], Rendered]]  # by the type of the answer
