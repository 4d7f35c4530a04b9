"""subject export: hand-written, because it writes two files, one for people and one for programs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from memfort.errors import InvalidInput
from memfort.model.results import SubjectCopy
from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session

_NAMES = ("memories.md", "memories.json")


@click.command("export", cls=Verb)
@click.argument("person", metavar="PERSON")
@click.option("--to", "folder", metavar="FOLDER", type=click.Path(), help="Write memories.md and memories.json there.")
@click.pass_obj
def subject_export_command(session: Session, person: str, folder: str | None) -> int:
    """Copy everything by and about a person that you may see.

    PERSON is `me`, `@bob`, an id or a name. Without --to it is printed as Markdown, with --json as JSON. Only the owner
    of the files can read them; files that are there already are not overwritten.
    """
    with session.bound() as memory:
        copy = memory.subject.export(person)
    document = copy.to_dict()
    if folder is None:
        session.output.answer(document, *copy.markdown.splitlines())
        return Exit.OK
    written = _write(Path(folder), copy)
    count = count_noun(len(copy), "memory")
    session.output.answer({"files": written, "memories": len(copy)}, f"wrote {count} to {', '.join(written)}")
    return Exit.OK


def _write(folder: Path, copy: SubjectCopy) -> list[str]:
    for path in (folder / name for name in _NAMES):
        if path.exists():
            raise InvalidInput("to", f"`{path}` is already there", "name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(copy.to_dict(), ensure_ascii=False, indent=2)
    for name, text in zip(_NAMES, (copy.markdown, data), strict=True):
        handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    return [str(folder / name) for name in _NAMES]
