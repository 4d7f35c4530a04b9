"""Render a run: the tables in both READMEs, made from the JSON alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.peers.lives import MANNERS
from benchmarks.speed.report import duration

BEGIN = "<!-- `python -m benchmarks.peers --publish` writes from here -->\n"
NOTHING = "–"
_NOT_DONE = {"more_than_seconds", "expected_seconds", "meant_for"}
BUSY = 0.5  # processes waiting to run, on average over a minute

Found = Mapping[str, Any]
Column = tuple[str, Callable[[Found], str]]


def render(run: Found) -> str:
    """All results as Markdown."""
    sizes = [_size(run, memories) for memories in run["settings"]["sizes"]]
    parts = [_origin(run), _versions(run), *_cautions(run), *sizes, _explanations(run), _endings(run)]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(run: Found) -> str:
    """What of it stands in the README: one size, in one small table of those that were measured at it."""
    memories = compared(run)
    missing = [system["title"] for system, store in _at(run, memories) if not store["answers"]]
    measured = {**run, "systems": [system for system in run["systems"] if system["title"] not in missing]}
    parts = [
        f"{run['started'][:10]}, {_count(run, memories)}.",
        *_cautions(run),
        _table(measured, memories, GLANCE),
        f"Not measured at this size: {', '.join(missing)}." if missing else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def latency_picture(name: str, results: str) -> str:
    """A plot, as a page shows it that sees the results there."""
    return f"![Median search time as the store grows, for each system]({results}/{name}-latency.svg)\n\n"


def recall_picture(name: str, results: str) -> str:
    said = "How often the memory that is meant is among the first k, for each system"
    return f"![{said}]({results}/{name}-recall.svg)\n\n"


def compared(run: Found) -> int:
    """The largest size at which more than half of the systems answered."""
    answered = Counter(store["memories"] for system in run["systems"] for store in system["stores"] if store["answers"])
    return int(max(memories for memories, times in answered.items() if times > len(run["systems"]) / 2))


def _origin(run: Found) -> str:
    settings, embedding = run["settings"], run["embedding"]
    return (
        f"Commit `{run['commit']}`, {run['started'][:10]}, Python {run['python']}, {run['cores']} cores. One machine, "
        f"one run, the same texts, {settings['questions']:,} questions, the same embedder (`{run['embedder']}`, "
        f"{run['dimensions']} dimensions). The peers are handed the vectors. Memfort makes them itself, within its "
        f"times; by itself that takes {duration(embedding['question_p50'])} ms for a question, and a second for "
        f"{embedding['memories_per_second']:,} memories. A step may take {settings['limit_seconds']:g} s."
    )


def _versions(run: Found) -> str:
    versions_by_system = []
    for system in run["systems"]:
        versions = ", ".join(f"{package} {version}" for package, version in system["versions"].items())
        versions_by_system.append(f"{system['title']} ({versions or 'not loaded'})")
    return "Versions: " + "; ".join(versions_by_system) + "."


def _cautions(run: Found) -> list[str]:
    """Warnings for the reader: an incomplete run, or a busy machine."""
    cautions = []
    if run["settings"]["quick"]:
        cautions.append("**A quick run**: the largest store was left out.")
    if run["load"] >= BUSY:
        cautions.append(f"**The machine had other work**: its load was {run['load']} before this began.")
    return cautions


def _size(run: Found, memories: int) -> str:
    return "\n\n".join([f"**{_count(run, memories)}**", _table(run, memories, SPEED), _table(run, memories, ANSWERS)])


def _count(run: Found, memories: int) -> str:
    _, first = _at(run, memories)[0]
    return f"{memories:,} memories over {first['users']:,} users, {first['each']:,} visible to each"


def _table(run: Found, memories: int, columns: Sequence[Column]) -> str:
    header = ["", *(name for name, _ in columns)]
    rows = [
        [system["title"], *(cell({**system, **store}) for _, cell in columns)] for system, store in _at(run, memories)
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *rows])


def _at(run: Found, memories: int) -> list[tuple[Found, Found]]:
    """Each system with its store of this size."""
    return [(system, store) for system in run["systems"] for store in system["stores"] if store["memories"] == memories]


def _explanations(run: Found) -> str:
    """The names of the values that each system gives with its best answer."""
    by_fields: dict[str, list[str]] = {}
    for system in run["systems"]:
        abilities: Found = next((store["abilities"] for store in system["stores"] if store["abilities"]), {})
        if "explains" in abilities:
            by_fields.setdefault(", ".join(f"`{name}`" for name in abilities["explains"]), []).append(system["title"])
    return "An answer comes with: " + "; ".join(f"{' / '.join(who)}: {what}" for what, who in by_fields.items()) + "."


def _endings(run: Found) -> str:
    """The steps that did not finish, by name."""
    lines = [
        f"- {system['title']}, {store['memories']:,} memories, `{step}`: {_ended(how)}"
        for system in run["systems"]
        for store in system["stores"]
        for step, how in store["ended"].items()
    ]
    return "\n".join(["Did not come to an end:", "", *lines]) if lines else ""


def _ended(how: Found) -> str:
    if "more_than_seconds" in how:
        return f"more than {how['more_than_seconds']:g} s"
    if "expected_seconds" in how:
        return f"left out, about {how['expected_seconds']:,} s"
    if "meant_for" in how:
        return f"left out, not meant for more than {how['meant_for']:,}"
    return f"failed, `{how['failed']}`"


def _of(step: str, cell: Callable[[Found], str]) -> Callable[[Found], str]:
    """The cell of a step; or how it ended, or a dash if it was never started."""

    def rendered(store: Found) -> str:
        value = store.get(step)
        if value is None:
            return NOTHING
        if "failed" in value:
            return "failed"
        return _ended(value) if _NOT_DONE & value.keys() else cell(value)

    return rendered


def _only_kept(cell: Callable[[Found], str]) -> Callable[[Found], str]:
    return lambda store: cell(store) if store["keeps"] else "keeps nothing"


def _three(taken: Found) -> str:
    return " / ".join(duration(taken[name]) for name in ("p50", "p95", "p99"))


def _deletion(taken: Found) -> str:
    found = duration(taken["p50"])
    return found if not taken["found_after"] else f"{found}, **{taken['found_after']} still found**"


def _right(store: Found) -> str:
    cell = _of("answers", lambda of: _part(of["right_top_10"]))(store)
    return "ranks by more" if store["answers"] and store["ranks_by"] == "more" else cell


def _meant(answers: Found) -> str:
    return " / ".join(_part(answers["known_10"].get(manner, 0)) for manner in MANNERS)


def _part(part: float) -> str:
    return f"{part:.0%}" if part in {0, 1} else f"{part:.1%}"


def _foreign(answers: Found) -> str:
    return f"**{answers['foreign']:,}**" if answers["foreign"] else "none"


def _unnamed(abilities: Found) -> str:
    if abilities["refuses_unnamed"]:
        return "refused"
    if not abilities["unnamed_found"]:
        return "nothing found"
    return f"**{_part(abilities['unnamed_foreign'])} other users'**"


def _says(store: Found) -> str:
    def cell(deleted: Found) -> str:
        reported = set(deleted["deletions_reported"])
        if reported == {None}:
            return "no"
        return "yes" if reported == {store["each"]} else f"**wrongly**, {min(map(str, reported))}"

    return _of("delete_user", cell)(store)


def _looks(deleted: Found) -> str:
    left = [found for found in deleted["residue"] if found is not None]
    if not left:
        return "cannot"
    return f"**found {max(left)}**" if any(left) else "found nothing"


def _explains(abilities: Found) -> str:
    names = abilities["explains"]
    if len(names) > 1:
        return f"{len(names)} named values"
    return "a score" if names else "nothing"


def _residue(residue: Found) -> str:
    if not residue["before"]:
        return "not readable before either"
    return f"**yes**, {residue['after']} of {residue['texts']}" if residue["after"] else "no"


SPEED: Sequence[Column] = (
    ("search, ms p50 / p95 / p99", _of("search", _three)),
    ("add one, ms p50", _of("add", lambda of: duration(of["p50"]))),
    ("add in bulk, per s", _of("bulk_add", lambda of: f"{of['per_second']:,}")),
    ("delete a user, ms", _of("delete_user", _deletion)),
    ("cold: load, open, search, ms", _only_kept(_of("cold_open", lambda of: duration(of["p50"])))),
    ("memory, MB", _of("memory", lambda of: f"{of['grown_megabytes']:,.0f}")),
    ("disk, MB", _only_kept(lambda store: f"{store['disk_megabytes']:,.0f}" if "disk_megabytes" in store else NOTHING)),
)
ANSWERS: Sequence[Column] = (
    ("nearest 10 correct", _right),
    ("expected memory in the first 10, paraphrased / in its own words", _of("answers", _meant)),
    ("other users' memories returned", _of("answers", _foreign)),
    ("searched without a user", _of("abilities", _unnamed)),
    ("deleted texts in the files", _only_kept(_of("residue", _residue))),
    ("reports how many it deleted", _says),
    ("can verify a deletion", _of("delete_user", _looks)),
    ("explains an answer by", _of("abilities", _explains)),
)
GLANCE: Sequence[Column] = (
    ("search, ms p50", _of("search", lambda of: duration(of["p50"]))),
    *(column for column in ANSWERS if column[0].startswith(("expected", "searched", "deleted", "can verify"))),
)
