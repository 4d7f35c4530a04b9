"""An evaluation for people and for programs: rows of a table, a JSON document, a page of Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memfort.evaluation.metrics import MEASURES, Sample, Score, score
from memfort.evaluation.run import Evaluation

HEADERS = ("measure", "value", "target", "samples", "95 %", "")
_MISSED = {
    "extraction_precision": "kept, and not worth keeping",
    "extraction_recall": "not kept",
    "false_positive_rate": "left something, though there is nothing to keep",
    "retrieval_hit_rate": "answer not found",
    "injection_pollution_rate": "in the prompt, and must not be",
    "deletion_compliance": "left something",
}


def rows(scores: Sequence[Score]) -> list[tuple[str, ...]]:
    """A row for each measure, and for those that have no sample."""
    measured = {one.measure.name: one for one in scores}
    return [
        _row(measured[name]) if name in measured else (name, "–", "", f"no {measure.samples}", "", "not measured")
        for name, measure in MEASURES.items()
    ]


def _row(one: Score) -> tuple[str, ...]:
    low, high = one.interval
    counted = one.total - one.right if one.measure.is_error_rate else one.right
    sign = "≤" if one.measure.is_error_rate else "≥"
    return (
        one.measure.name,
        f"{one.value:.2f}",
        f"{sign} {one.target:.2f}",
        f"{counted} of {one.total} {one.measure.samples}",
        f"{low:.2f}–{high:.2f}",
        "ok" if one.is_met else "MISSED",
    )


def missed_lines(found: Evaluation, most: int) -> list[str]:
    """What was wrong, by measure, with the line of the file; at most so many of each."""
    lines: list[str] = []
    for name in MEASURES:
        own = [one for one in found.misses if one.measure == name]
        lines += [f"{_MISSED[name]}:", *(f"  {_missed(one)}" for one in own[:most])] if own else []
        if len(own) > most:
            lines.append(f"  … and {len(own) - most} more")
    return lines


def _missed(one: Sample) -> str:
    wanted, found = one.wanted, one.found
    if one.measure in {"extraction_precision", "false_positive_rate"}:
        return f"line {one.line} ({one.lang}): {found}"
    return f"line {one.line} ({one.lang}): {wanted}" + (f" – found: {found}" if found else "")


def document(found: Evaluation) -> dict[str, Any]:
    return {
        "labels": found.labels,
        "top": found.top,
        "met": found.is_met(),
        "measures": [_score_document(one) for one in found.scores],
        "by_language": {
            lang: {one.measure.name: round(one.value, 4) for one in scores} for lang, scores in by_language(found)
        },
        "misses": [
            {"measure": one.measure, "line": one.line, "lang": one.lang, "wanted": one.wanted, "found": one.found}
            for one in found.misses
        ],
        "notes": list(found.notes),
    }


def _score_document(one: Score) -> dict[str, Any]:
    low, high = one.interval
    return {
        "name": one.measure.name,
        "value": round(one.value, 4),
        "target": one.target,
        "better": "lower" if one.measure.is_error_rate else "higher",
        "right": one.right,
        "total": one.total,
        "interval": [round(low, 4), round(high, 4)],
        "met": one.is_met,
    }


def by_language(found: Evaluation) -> list[tuple[str, list[Score]]]:
    languages = dict.fromkeys(one.lang for one in found.samples)
    return [(lang, score(one for one in found.samples if one.lang == lang)) for lang in languages]


def markdown(found: Evaluation) -> str:
    """A page to keep or to send: the table, the languages, and what was missed."""
    languages = [
        (lang, *({one.measure.name: f"{one.value:.2f}" for one in scores}.get(name, "–") for name in MEASURES))
        for lang, scores in by_language(found)
    ]
    parts = [
        f"# Evaluation on `{found.labels}`",
        _table(HEADERS, rows(found.scores)),
        "## By language",
        _table(("language", *MEASURES), languages),
        "## Missed",
        *([f"- {_escaped(_MISSED[one.measure])}: {_escaped(_missed(one))}" for one in found.misses] or ["Nothing."]),
    ]
    return "\n\n".join(parts[:5]) + "\n\n" + "\n".join(parts[5:]) + "\n"


def _table(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    shown = [headers, ["---"] * len(headers), *lines]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in shown)


def _escaped(text: str) -> str:
    """Words of a file of labels are no Markdown, no HTML and no second line."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return plain.replace("|", "\\|").replace("`", "\\`")
