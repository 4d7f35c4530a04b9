"""A run as people read it: the tables in `benchmarks/README.md`, made from the JSON and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.speed.report import duration

BEGIN = "<!-- `python -m benchmarks.peers --publish` writes from here -->\n"
NOTHING = "–"
BUSY = 0.5  # processes waiting to run, on average over a minute

Found = Mapping[str, Any]
Column = tuple[str, Callable[[Found], str]]


def render(run: Found) -> str:
    """What was measured, as Markdown."""
    sizes = [_size(run, memories) for memories in run["settings"]["sizes"]]
    return "\n\n".join([_origin(run), _versions(run), *_cautions(run), *sizes, _endings(run)]).strip() + "\n"


def pictures(name: str) -> str:
    """The two plots, as the page shows them."""
    return (
        f"![Median search time as the store grows, for each system](results/{name}-latency.svg)\n\n"
        f"![How often the memory that is meant is among the first k, for each system](results/{name}-recall.svg)\n\n"
    )


def _origin(run: Found) -> str:
    settings = run["settings"]
    return (
        f"Commit `{run['commit']}`, {run['started'][:10]}, Python {run['python']}, {run['cores']} cores. One machine, "
        f"one run, the same texts and vectors ({run['embedder']}, {run['dimensions']} dimensions, made beforehand: "
        f"embedding is in none of these times). {settings['questions']:,} questions of {settings['words']} words each."
    )


def _versions(run: Found) -> str:
    told = []
    for system in run["systems"]:
        versions = ", ".join(f"{package} {version}" for package, version in system["versions"].items())
        told.append(f"{system['title']} ({versions or 'not loaded'})")
    return "Versions: " + "; ".join(told) + "."


def _cautions(run: Found) -> list[str]:
    """What a reader has to know: who does not do what the others do, and whether the machine had other work."""
    cautions = []
    by_words = [system["title"] for system in run["systems"] if system["ranks_by"] == "words"]
    if by_words:
        does = "looks" if len(by_words) == 1 else "look"
        cautions.append(
            f"{' and '.join(by_words)} {does} at words and not at the vectors, so the order of the vectors is not "
            "expected there. Questions repeat words of the memory that is meant, which suits a search by words: that "
            "it finds more here is due to the questions, and it would find nothing that is said in other words."
        )
    if run["load"] >= BUSY:
        cautions.append(f"**The machine had other work**: its load was {run['load']} before this began.")
    return cautions


def _size(run: Found, memories: int) -> str:
    rows = [
        (system["title"], {**system, **store})
        for system in run["systems"]
        for store in system["stores"]
        if store["memories"] == memories
    ]
    first = rows[0][1]
    title = f"**{memories:,} memories** over {first['users']:,} users, {first['each']:,} visible to each"
    header = ["", *(name for name, _ in COLUMNS)]
    lines = [header, ["---"] * len(header), *([name, *(cell(store) for _, cell in COLUMNS)] for name, store in rows)]
    return title + "\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _endings(run: Found) -> str:
    """The steps that did not come to their end, each by name."""
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
    return f"failed, `{how['failed']}`"


def _of(step: str, cell: Callable[[Found], str]) -> Callable[[Found], str]:
    """The cell of a step; or how the step ended, or a dash where it was never begun."""

    def told(store: Found) -> str:
        value = store.get(step)
        if value is None:
            return NOTHING
        if "more_than_seconds" in value:
            return _ended(value)
        return "failed" if "failed" in value else cell(value)

    return told


def _only_kept(cell: Callable[[Found], str]) -> Callable[[Found], str]:
    return lambda store: cell(store) if store["keeps"] else "keeps nothing"


def _three(taken: Found) -> str:
    return " / ".join(duration(taken[name]) for name in ("p50", "p95", "p99"))


def _deletion(taken: Found) -> str:
    found = duration(taken["p50"])
    return found if not taken["found_after"] else f"{found}, **{taken['found_after']} still found**"


def _right(store: Found) -> str:
    return "by words" if store["ranks_by"] == "words" else _of("answers", lambda of: _part(of["right_top_10"]))(store)


def _part(part: float) -> str:
    return f"{part:.0%}" if part in {0, 1} else f"{part:.1%}"


def _foreign(answers: Found) -> str:
    return f"**{answers['foreign']:,}**" if answers["foreign"] else "none"


def _residue(residue: Found) -> str:
    if not residue["before"]:
        return "not readable before either"
    return f"**yes**, {residue['after']} of {residue['texts']}" if residue["after"] else "no"


COLUMNS: Sequence[Column] = (
    ("search, ms p50 / p95 / p99", _of("search", _three)),
    ("add one, ms p50", _of("add", lambda of: duration(of["p50"]))),
    ("add in bulk, per s", _of("bulk_add", lambda of: f"{of['per_second']:,}")),
    ("delete a user, ms", _of("delete_user", _deletion)),
    ("cold: load, open, search, ms", _only_kept(_of("cold_open", lambda of: duration(of["p50"])))),
    ("memory, MB", _of("memory", lambda of: f"{of['grown_megabytes']:,.0f}")),
    ("disk, MB", _only_kept(lambda store: f"{store['disk_megabytes']:,.0f}" if "disk_megabytes" in store else NOTHING)),
    ("nearest 10 right", _right),
    ("meant memory in 10", _of("answers", lambda of: _part(of["known"]["10"]))),
    ("foreign", _of("answers", _foreign)),
    ("deleted texts in the files", _only_kept(_of("residue", _residue))),
)
