"""`python -m benchmarks.capture`: labelled conversations go through `observe`; what it keeps is compared with the
labels, and ten days later on the clock it is asked for. No language model, unless `--extractor` names one."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.capture import labels
from benchmarks.capture.labels import SETS, Message
from benchmarks.capture.learn import WAYS, learn
from benchmarks.capture.report import render
from benchmarks.capture.score import Verdict, judge, summary
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed

BENCHMARKS = Path(__file__).parent.parent
BEGIN = {one: f"<!-- `python -m benchmarks.capture --set {one} --publish` writes from here -->\n" for one in SETS}


@click.command(help=__doc__)
@click.option("--set", "name", default="dev", help=f"Which conversations: {', '.join(SETS)}, or the path of a file.")
@click.option("--misses", is_flag=True, help="List what was judged wrong, by measure; not for the held-out set.")
@click.option("--only", metavar="MEASURE", help="With --misses: only this measure, for example `kept`.")
@click.option("--one-by-one", is_flag=True, help="A call for each message, in place of one for each conversation.")
@click.option("--extractor", metavar="URL#MODEL", help="A model reads the conversations too; such a run is marked.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(name: str, misses: bool, only: str | None, one_by_one: bool, extractor: str | None, publish: bool) -> None:
    if not labels.path_of(name).is_file():
        raise click.UsageError(
            f"there is no file `{labels.path_of(name)}`; name one of {', '.join(SETS)}, or give a path"
        )
    if publish and name not in SETS:
        raise click.UsageError("what is published has a name; copy the file to held_out.jsonl in benchmarks/capture")
    if misses and name == "held_out":
        raise click.UsageError("who has read the misses of the held-out set can no longer be judged by it")
    if one_by_one and publish:
        raise click.UsageError("what is published gives each conversation in one call; leave out --one-by-one")
    if extractor is not None and publish:
        raise click.UsageError("what is published needs no model; leave out --extractor")
    messages = labels.read(name)
    verdicts = judged(messages, "one by one" if one_by_one else "observe", extractor)
    found = {
        "benchmark": "capture",
        **surroundings(),
        "set": {"name": name, **counted(messages)},
        **({} if extractor is None else {"extractor": extractor}),
        "shares": summary(verdicts),
        "remembered": summary(judged(messages, "remember")),
    }
    write(found, name, publish=publish)
    if misses:
        click.echo("\n".join(missed(verdicts, only)))
    if extractor is not None:
        click.echo(f"With the extractor `{extractor}`; such a run is not published.\n")
    click.echo(render(found))


def judged(messages: Sequence[Message], way: str, extractor: str | None = None) -> list[Verdict]:
    return judge(messages, learn(messages, WAYS[way], lambda line: click.echo(f"{way}: {line}", err=True), extractor))


def counted(messages: Sequence[Message]) -> dict[str, int]:
    facts = [fact for message in messages for fact in message.required]
    return {
        "messages": len(messages),
        "conversations": len({message.conversation for message in messages}),
        "empty": sum(not message.required for message in messages),
        "facts": len(facts),
        "corrections": sum(1 for fact in facts if fact.replaces or fact.retracts)
        + sum(message.retracts is not None for message in messages),
        "dates": sum(fact.date is not None for fact in facts),
    }


def missed(verdicts: Sequence[Verdict], only: str | None) -> list[str]:
    wrong = sorted((one for one in verdicts if not one.right), key=lambda one: (one.measure, one.lang))
    return [
        f"{one.measure} | {one.lang} | {one.message} | {one.wanted} | {one.found}"
        for one in wrong
        if only is None or one.measure == only
    ]


def write(found: Mapping[str, Any], name: str, *, publish: bool, into: Path = BENCHMARKS) -> None:
    file = f"published-capture-{name}" if publish else f"capture-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (into / "results").mkdir(exist_ok=True)
    (into / "results" / f"{file}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = into / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN[name]))


if __name__ == "__main__":
    main()
