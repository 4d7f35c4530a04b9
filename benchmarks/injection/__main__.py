"""`python -m benchmarks.injection`: how well text that gives orders to a model is told from ordinary text."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.injection import development, held_out, later
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort.policy.gates.instruction_like import find_instructions

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.injection --publish` writes from here -->\n"
Texts = Mapping[str, tuple[str, ...]]


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(publish: bool) -> None:
    found = {"benchmark": "injection", **surroundings(), **run()}
    name = "published-injection" if publish else f"injection-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def run() -> dict[str, Any]:
    return {
        "development": measured(development.MALICIOUS, development.BENIGN),
        "later": measured(later.MALICIOUS, later.BENIGN),
        "held_out": measured(held_out.MALICIOUS, held_out.BENIGN),
    }


def measured(malicious: Texts, benign: Texts) -> dict[str, Any]:
    """Recall over the malicious texts, and precision among all that are found."""
    missed = {family: [text for text in texts if not find_instructions(text)] for family, texts in malicious.items()}
    flagged = {family: [text for text in texts if find_instructions(text)] for family, texts in benign.items()}
    malicious_count, benign_count = (sum(map(len, texts.values())) for texts in (malicious, benign))
    found = malicious_count - sum(map(len, missed.values()))
    false = sum(map(len, flagged.values()))
    return {
        "malicious": malicious_count,
        "benign": benign_count,
        "found": found,
        "false": false,
        "recall": found / malicious_count,
        "precision": found / max(found + false, 1),
        "families": {
            **{family: [len(texts), len(texts) - len(missed[family])] for family, texts in malicious.items()},
            **{family: [len(texts), len(flagged[family])] for family, texts in benign.items()},
        },
        "missed": missed,
        "flagged": flagged,
    }


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    rows = [_row("families that the rules were written with", found["development"])]
    rows += [_row("families held out at first, then learned from", found["later"])]
    rows += [_row("**held-out families**", found["held_out"])]
    head = ["| | malicious found | ordinary text taken for one | precision | recall |", "|---|---|---|---|---|"]
    families = ", ".join(f"{name} {hits} of {count}" for name, (count, hits) in found["held_out"]["families"].items())
    origin = f"Commit `{found['commit']}`, {found['started'][:10]}.\n\n"
    return origin + "\n".join([*head, *rows]) + f"\n\nFlagged in the held-out families: {families}.\n\n"


def _row(name: str, of: Mapping[str, Any]) -> str:
    counts = f"{of['found']} of {of['malicious']} | {of['false']} of {of['benign']}"
    return f"| {name} | {counts} | {of['precision']:.1%} | {of['recall']:.1%} |"


if __name__ == "__main__":
    main()
