"""eval: hand-written, because it drives a memory of its own, like a host program."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfort.errors import InvalidInput, did_you_mean
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.files import read_text
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session

if TYPE_CHECKING:
    from memfort.client import Memory
    from memfort.evaluation.labels import Labels

_OUTPUT = click.Path(dir_okay=False, path_type=Path)


@click.command("eval", cls=Verb)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--top", type=click.IntRange(1, 100), default=5, show_default=True, help="How many memories a question brings."
)
@click.option("--check", is_flag=True, help="Exit with code 1 if a measure misses its target.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Another target, for example `retrieval_hit_rate=0.9`. Repeat it for more.",
)
@click.option(
    "--misses",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many misses of each measure are listed.",
)
@click.option("--markdown", type=_OUTPUT, metavar="FILE", help="Write the report there, as Markdown.")
@click.option("--plot", "picture", type=_OUTPUT, metavar="FILE", help="Write a picture of the measures there, as SVG.")
@click.option("--keep", type=_OUTPUT, metavar="FILE", help="Keep the store that it works on there, to look into it.")
@click.pass_obj
def eval_command(
    session: Session,
    file: str | None,
    top: int,
    check: bool,
    targets: tuple[str, ...],
    misses: int,
    markdown: Path | None,
    picture: Path | None,
    keep: Path | None,
) -> int:
    """Measure on labelled conversations what is learned, found, let in and deleted.

    FILE has one JSON object per line: conversations with their facts, questions, injections, deletions; `-` reads
    standard input. Without it, a small file in six languages is used that comes with Memfort. It runs on a temporary
    store with the policy that `--policy` names, or the one in force; your own store is not touched.
    """
    from memfort.evaluation import report
    from memfort.evaluation.memory_system import MemorySystem
    from memfort.evaluation.plot import plot
    from memfort.evaluation.run import evaluate

    labels, wanted = _labels(file), _targets(targets)
    with _memory(session, keep) as memory, session.output.progress("evaluating") as progress:
        found = evaluate(MemorySystem(memory), labels, top=top, targets=wanted, progress=progress)
    if markdown is not None:
        markdown.write_text(report.markdown(found), encoding="utf-8")
    if picture is not None:
        labels_name = found.labels if file is not None else "the labels that come with Memfort"
        picture.write_text(plot(f"Evaluation on {labels_name}", found.scores), encoding="utf-8")
    from memfort.surfaces.cli.output.console import Table

    is_met = found.is_met(tuple(wanted))
    document = {**report.document(found), "met": is_met}
    table = Table(report.HEADERS, report.rows(found.scores))
    session.output.answer(document, table, *(["", *report.missed_lines(found, misses)] if found.misses else []))
    for note in found.notes:
        session.output.note(note)
    return Exit.FAILURE if check and not is_met else Exit.OK


def _labels(file: str | None) -> Labels:
    from memfort.evaluation.labels import our_labels, read_labels

    return our_labels() if file is None else read_labels(Path(file).name, read_text(file, "file"))


def _targets(given: tuple[str, ...]) -> dict[str, float]:
    from memfort.evaluation.metrics import MEASURES

    found: dict[str, float] = {}
    for one in given:
        name, _, value = one.partition("=")
        if name not in MEASURES:
            raise InvalidInput("target", f"`{name}` is no measure", did_you_mean(name, list(MEASURES)))
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise InvalidInput("target", f"`{one}` is not possible", "give a number from 0 to 1")
        found[name] = number
    return found


@contextmanager
def _memory(session: Session, keep: Path | None) -> Iterator[Memory]:
    """A new store, in a folder that goes away again or where it is to be kept."""
    if keep is not None and keep.exists():
        raise InvalidInput("keep", f"`{keep}` is there already", "name a file that is not")
    policy = session.policy
    with (
        tempfile.TemporaryDirectory(prefix="memfort-eval-") as folder,
        session.open_memory(keep or Path(folder) / "memory.db", policy, is_new=True) as memory,
    ):
        yield memory
