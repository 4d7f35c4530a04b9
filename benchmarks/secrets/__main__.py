# ruff: noqa: A005 - this is never imported by the bare name
"""Measure the detection of credentials and of personal data, print a table and write one JSON.

`python -m benchmarks.secrets [--data DIRECTORY] [--per-format N] [--set FILE] [--misses] [--publish]`
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.secrets import benign, corpora, sets
from benchmarks.secrets.evasions import ACCIDENTS, EVASIONS, ON_PURPOSE, TOKENS_ONLY
from benchmarks.secrets.samples import SAMPLES
from benchmarks.speed.report import placed
from memfort.policy.gates.personal_data import PersonalFinding, find_personal
from memfort.policy.secrets import MAX_TEXT_CHARS, RULES, find_secrets

RESULTS = Path(__file__).parents[1] / "results"
BEGIN = "<!-- `python -m benchmarks.secrets --publish` writes from here -->\n"
SEED = 20_251  # the rules were written against other seeds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets", description=__doc__)
    parser.add_argument(
        "--data", help="directory with locomo, beam-100k, gatemem and pii; default MEMFORT_DATA or ../shared/data"
    )
    parser.add_argument("--per-format", type=int, default=20, help="made-up tokens for each format")
    parser.add_argument("--set", type=Path, action="append", default=[], help="score this file of sentences, and stop")
    parser.add_argument("--misses", action="store_true", help="with --set: show the sentences that went wrong")
    parser.add_argument("--publish", action="store_true", help="keep the run, and put its table into the README")
    given = parser.parse_args()
    if given.set:
        score(given.set, show_misses=given.misses)
        return
    data = corpora.data_directory(given.data)
    result: dict[str, Any] = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "rules": len(RULES),
        "per_format": given.per_format,
        "recall": recall(given.per_format),
        "phrasings": phrasings(given.per_format),
        "accidents": disguised(ACCIDENTS, given.per_format),
        "on_purpose": disguised(ON_PURPOSE, given.per_format),
        "sets": {name: sets.measure(sets.read(sets.HERE / file)) for name, file in sets.OWN.items()},
        "false_positives": false_positives(data),
        "speed": speed(data),
        "personal": personal(data),
    }
    RESULTS.mkdir(exist_ok=True)
    kept = "published-secrets" if given.publish else f"secrets-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    path = RESULTS / f"{kept}.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    if given.publish:
        page = RESULTS.parent / "README.md"
        page.write_text(placed(page.read_text(), table(result), BEGIN))
    show(result, data is not None)
    print(f"\nwritten to {path}")


def score(paths: list[Path], *, show_misses: bool) -> None:
    """Sentences of files, by class and language, with intervals."""
    for path in paths:
        entries = sets.read(path)
        print(f"{path.name}\n  {'':24}{'found':42}flagged by mistake")
        for group, row in sets.measure(entries).items():
            print(f"  {group:24}{sets.shown(row['found']):42}{sets.shown(row['flagged'])}")
        for one in sets.misses(entries) if show_misses else ():
            print(f"  {one['language']} {one['class']}: {one['text']}")


PHRASINGS = {
    "our K token is X": "our {} token is {}",
    'K_api_key = "X"': '{}_api_key = "{}"',
    "my K key: X": "my {} key: {}",
    "bare": "{1}",
}


def phrasings(per_format: int) -> dict[str, Any]:
    """Tokens with a form of their own, and hex and UUIDs without one, in four phrasings."""
    rng = random.Random(SEED + 1)
    formed = [(one.rule.split("_")[0], one.make(rng)) for one in SAMPLES if not one.is_prose for _ in range(per_format)]
    formless = [("acme", made) for _ in range(per_format * 20) for made in (rng.randbytes(16).hex(), _uuid(rng))]
    return {
        kind: {
            name: sets.rate(sum(bool(find_secrets(said.format(*pair))) for pair in pairs), len(pairs))
            for name, said in PHRASINGS.items()
        }
        for kind, pairs in (("with a form of their own", formed), ("hex and UUID", formless))
    }


def _uuid(rng: random.Random) -> str:
    return str(UUID(bytes=rng.randbytes(16), version=4))


def disguised(ways: Mapping[str, Callable[[str], str]], per_format: int) -> dict[str, Any]:
    """Tokens on which something happened, in a sentence."""
    rng = random.Random(SEED + 2)
    tokens = [one.make(rng) for one in SAMPLES if not one.is_prose for _ in range(max(1, per_format // 4))]
    return {
        name: sets.rate(sum(bool(find_secrets(f"note to self: {way(token)} thanks")) for token in tokens), len(tokens))
        for name, way in ways.items()
    }


def table(result: dict[str, Any]) -> str:
    """What is published, with n and intervals."""
    lines = ["| What | Found, or flagged by mistake |", "|---|---|"]
    for kind, rows in result["phrasings"].items():
        lines += [f"| {kind}, `{name}` | {sets.shown(row)} |" for name, row in rows.items()]
    for name, groups in result["sets"].items():
        lines += [
            f"| {name}, {group} | {sets.shown(row['found'] or row['flagged'])} |" for group, row in groups.items()
        ]
    for title, key in (("by accident", "accidents"), ("on purpose, without an aim", "on_purpose")):
        lines += [f"| {title}: {name} | {sets.shown(row)} |" for name, row in result[key].items()]
    for name, row in result["false_positives"].items():
        lines.append(f"| prose flagged, {name} | {sets.shown(sets.rate(row['flagged'], row['texts']))} |")
    return "\n" + "\n".join(lines) + "\n"


def recall(per_format: int) -> dict[str, Any]:
    """Recall by evasion and, for plain tokens, by format. A token is put into a sentence; prose is used as it is."""
    rng = random.Random(SEED)
    made: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    missed_by: Counter[str] = Counter()
    near = 0
    for sample in SAMPLES:
        for _ in range(per_format):
            secret = sample.make(rng)
            near += bool(find_secrets(sample.near_miss(rng)))
            for name, evade in EVASIONS.items():
                if sample.is_prose and name in TOKENS_ONLY:
                    continue
                text = evade(secret) if sample.is_prose else f"note to self: {evade(secret)} thanks"
                made[name] += 1
                if not find_secrets(text):
                    missed[name] += 1
                    missed_by[f"{sample.rule} / {name}"] += 1
    return {
        "by_evasion": {name: 1 - missed[name] / made[name] for name in EVASIONS},
        "made_per_evasion": dict(made),
        "missed": dict(missed_by),
        "near_misses_flagged": near,
        "near_misses": len(SAMPLES) * per_format,
    }


def false_positives(data: Path | None) -> dict[str, dict[str, Any]]:
    counted = {"templates": _flagged(benign.sentences(10_000, SEED))}
    if data is None:
        return counted
    for name, texts in corpora.prose(data).items():
        report = [text for text in texts if corpora.half(text) == "report" and len(text) <= MAX_TEXT_CHARS]
        real = [text for text in report if corpora.holds_credential(text)]
        counted[name] = _flagged([text for text in report if not corpora.holds_credential(text)])
        if real:
            counted[name] |= {"labelled_credentials": len(real), "found": _flagged(real)["flagged"]}
    return counted


def _flagged(texts: list[str]) -> dict[str, Any]:
    rules = Counter(finding.rule for text in texts for finding in find_secrets(text)[:1])
    return {"texts": len(texts), "flagged": rules.total(), "rules": dict(rules)}


def speed(data: Path | None) -> dict[str, float]:
    """Processor time: microseconds for 200 clean characters, and milliseconds per thousand at the 99th percentile."""
    clean = "Caroline went to the support group yesterday and said that it was powerful. " * 3
    find_secrets(clean)
    texts = (
        [text for texts in corpora.prose(data).values() for text in texts] if data else benign.sentences(5_000, SEED)
    )
    per_thousand = [_seconds(text) / max(1.0, len(text) / 1000) * 1e3 for text in texts if len(text) <= MAX_TEXT_CHARS]
    worst = [min(_seconds((unit * 20_000)[:20_000]) for _ in range(5)) / 20 * 1e3 for unit in PUMPED]
    return {
        "clean_200_characters_us": sorted(_seconds(clean[:200]) for _ in range(2_000))[1_000] * 1e6,
        "p50_ms_per_thousand": _percentile(per_thousand, 0.50),
        "p99_ms_per_thousand": _percentile(per_thousand, 0.99),
        "worst_pumped_ms_per_thousand": max(worst),
    }


PUMPED = (
    "the password is required. ", "password = password : ", "token: key: secret: ", "%67%68", "&#x67;", "\\x67", "=67",
    "aGVsbG8gd29ybGQgaGVsbG8gd29y ", "a b c d e ", "a.b.c.", "4111 1111 1111 1112 ", "a\u200b", "пароль ",
    "abcd\nefgh\n",
    "%2567&amp;#x67;\\u0025 a b c d =67 aGVsbG8gd29ybGQgaGVsbG8gd29y ", "eyJaaaaaaaaaaa.", "\ufdfa",
)  # fmt: skip


def _seconds(text: str) -> float:
    start = time.process_time()
    find_secrets(text)
    return time.process_time() - start


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def personal(data: Path | None) -> dict[str, dict[str, float]]:
    """Recall and precision by type on the labelled sentences, over the report half and over everything."""
    if data is None or not corpora.labelled(data):
        return {}
    entries = corpora.labelled(data)
    report = [entry for entry in entries if corpora.half(entry["full_text"]) == "report"]
    return {"report_half": _personal(report), "all": _personal(entries)}


def _personal(entries: list[dict[str, Any]]) -> dict[str, Any]:
    labels: Counter[str] = Counter()
    found: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for entry in entries:
        findings = set(find_personal(entry["full_text"]))
        right: set[PersonalFinding] = set()
        for span in entry["spans"]:
            kind = corpora.STRUCTURED.get(span["entity_type"])
            if kind is None:
                continue
            start, end = span["start_position"], span["end_position"]
            touching = {it for it in findings if it.type == kind and it.start < end and it.end > start}
            labels[kind] += 1
            found[kind] += bool(touching)
            exact[kind] += PersonalFinding(kind, start, end) in touching
            right |= touching
        wrong.update(finding.type for finding in findings - right)
    return {
        kind: {
            "labels": labels[kind],
            "recall": found[kind] / max(1, labels[kind]),
            "exact_span": exact[kind] / max(1, labels[kind]),
            "precision": found[kind] / max(1, found[kind] + wrong[kind]),
        }
        for kind in sorted(labels)
    }


def show(result: dict[str, Any], has_data: bool) -> None:
    print(table(result))
    print(f"{result['rules']} rules, {result['per_format']} made-up tokens each\n\nrecall")
    for name, share in result["recall"]["by_evasion"].items():
        print(f"  {name:24}{share:9.2%}  of {result['recall']['made_per_evasion'][name]}")
    print(f"  near misses flagged     {result['recall']['near_misses_flagged']:8} of {result['recall']['near_misses']}")
    print("\nfalse positives")
    for name, row in result["false_positives"].items():
        print(f"  {name:24}{row['flagged']:8} of {row['texts']}  {row['rules'] or ''}")
        if "found" in row:
            print(f"    real credentials found{row['found']:8} of {row['labelled_credentials']}")
    if not has_data:
        print("  the public corpora are absent: give --data or set MEMFORT_DATA to measure on them")
    print("\nspeed")
    for name, value in result["speed"].items():
        print(f"  {name:32}{value:8.2f}")
    for scope, rows in result["personal"].items():
        print(f"\npersonal data, {scope}\n  {'type':12}{'labels':>8}{'recall':>9}{'exact':>9}{'precision':>11}")
        for kind, row in rows.items():
            print(f"  {kind:12}{row['labels']:8}{row['recall']:9.1%}{row['exact_span']:9.1%}{row['precision']:11.1%}")


def _commit() -> str:
    ran = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return ran.stdout.strip() or "none"


if __name__ == "__main__":
    main()
