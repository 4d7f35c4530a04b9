"""`python -m benchmarks.supersession`: how often a statement replaces another wrongly, and how often it fails to. By
the text alone, without a language model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import click

from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from benchmarks.supersession import lives, pairs, said
from benchmarks.supersession.pairs import Pair, Relation
from memfort.policy.gates.supersession import THRESHOLD, Change, supersedes

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.supersession --publish` writes from here -->\n"
TRIED = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95)


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help="Keep the run, and put its table into the README.")
def main(publish: bool) -> None:
    found = {"benchmark": "supersession", **surroundings(), **run()}
    name = "published-supersession" if publish else f"supersession-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def run() -> dict[str, Any]:
    return {
        "threshold": THRESHOLD,
        "choosing": [measured(pairs.CHOOSING, lives.CHOOSING, threshold) for threshold in TRIED],
        "held_out": measured(pairs.HELD_OUT, lives.HELD_OUT, THRESHOLD),
        "spoken": measured(pairs.SPOKEN, (), THRESHOLD),
        "said": [of_language(name) for name in said.LANGUAGES],
    }


def of_language(name: str) -> dict[str, Any]:
    """What `observe` makes of pairs of messages in one language."""
    judged = list(said.judge([one for one in said.read() if one.language == name]))
    both = [one for one in judged if one.said.both_hold]
    updates = [one for one in judged if not one.said.both_hold]
    return {
        "language": name,
        "both_hold": len(both),
        "wrongly_ended": sum(one.is_ended for one in both),
        "others_ended": sum(one.is_wrong for one in judged),
        "updates": len(updates),
        "ended": sum(one.is_ended for one in updates),
        "below": sum(one.is_below for one in updates),
    }


def measured(labelled: Sequence[Pair], life: Sequence[str], threshold: float) -> dict[str, Any]:
    """The errors on these pairs, and on every two statements of a life. For a rewording both "duplicate" and
    "supersedes" are right; for two valid statements both are wrong."""
    wrong = [pair for pair in labelled if _is_wrong(pair, threshold)]
    return {
        "threshold": threshold,
        "pairs": {relation.value: _count(labelled, _of(relation)) for relation in Relation},
        "wrong": {relation.value: _count(wrong, _of(relation)) for relation in Relation},
        "wrong_pairs": [[pair.relation, pair.old, pair.new] for pair in wrong],
        "life_pairs": len(life) * (len(life) - 1),
        "life_wrong": sum(_is_one(new, old, threshold) for old, new in permutations(life, 2)),
    }


def _is_wrong(pair: Pair, threshold: float) -> bool:
    """Of a statement of which a part still holds, that part has to stay."""
    is_one = _is_one(pair.new, pair.old, threshold)
    if pair.relation is Relation.PARTLY:
        return not is_one or supersedes(pair.new, pair.old, threshold=threshold).reason is not Change.CLAUSE
    return is_one != pair.is_to_supersede


def _is_one(new: str, old: str, threshold: float) -> bool:
    verdict = supersedes(new, old, threshold=threshold)
    return verdict.supersedes or verdict.reason is Change.DUPLICATE


def _of(relation: Relation) -> Callable[[Pair], bool]:
    return lambda pair: pair.relation is relation


def _count(labelled: Sequence[Pair], wanted: Callable[[Pair], bool]) -> int:
    return sum(map(wanted, labelled))


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    origin = f"Commit `{found['commit']}`, {found['started'][:10]}. Threshold {found['threshold']:.2f}.\n\n"
    apart = "two facts that sound alike | unrelated | any two of a life"
    head = [f"| | threshold | {apart} | missed updates | missed rewordings | missed clauses |"]
    rows = [_row("choosing", tried) for tried in found["choosing"]] + [
        _row("**held out**", found["held_out"]),
        _row("**as spoken, five languages**", found["spoken"]),
    ]
    summary = _summary("Held out", found["held_out"]) + _summary("As spoken, in five languages", found["spoken"])
    table = "\n".join([*head, "|---|---|---|---|---|---|---|---|", *rows])
    return f"{origin}{table}\n\n{summary}\n{_of_messages(found['said'])}"


def _of_messages(languages: Sequence[Mapping[str, Any]]) -> str:
    """What `observe` makes of pairs of messages."""
    head = "through `observe` | both hold: one ended | something else ended | old value ended | old value below"
    rows = [f"| {head} |"]
    rows.append("|---|---|---|---|---|")
    rows += [
        f"| {one['language']} | {one['wrongly_ended']} of {one['both_hold']} | {one['others_ended']} "
        f"| {one['ended']} of {one['updates']} | {one['below']} of {one['updates']} |"
        for one in languages
    ]
    return "\n".join(rows) + "\n"


def _row(name: str, of: Mapping[str, Any]) -> str:
    wrong = {relation: f"{of['wrong'][relation]} of {of['pairs'][relation]}" for relation in Relation}
    life = f"{of['life_wrong']} of {of['life_pairs']:,}"
    apart = f"{wrong[Relation.ALIKE]} | {wrong[Relation.UNRELATED]} | {life}"
    missed = " | ".join(wrong[one] for one in (Relation.UPDATED, Relation.REWORDED, Relation.PARTLY))
    return f"| {name} | {of['threshold']:.2f} | {apart} | {missed} |"


def _summary(name: str, measured: Mapping[str, Any]) -> str:
    shares = [
        _share(measured, wanted)
        for wanted in ((Relation.ALIKE, Relation.UNRELATED), (Relation.UPDATED, Relation.REWORDED, Relation.PARTLY))
    ]
    return f"{name}: " + "**{:.1%}** superseded wrongly, **{:.1%}** missed.\n".format(*shares)


def _share(of: Mapping[str, Any], relations: Sequence[Relation]) -> float:
    return float(sum(of["wrong"][one] for one in relations) / sum(of["pairs"][one] for one in relations))


if __name__ == "__main__":
    main()
