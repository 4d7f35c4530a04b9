"""`python -m benchmarks.speed.people`: tens of users in one chat, thousands of memories each, a good part about each
other. The cost of a recall in a room compared with a personal store, and the time of `doctor` and garbage
collection."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks.speed.__main__ import BENCHMARKS, in_its_own_process, surroundings
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.measure import memory_in_use
from benchmarks.speed.report import duration, placed
from benchmarks.speed.stores import BATCH, Progress, disk, fill, name_of
from benchmarks.speed.timing import LEAST, Action, in_turns, median_ratio, percentiles, timed
from memfort import FixedClock, Memory
from memfort.client import BoundMemory
from memfort.model.moment import Moment
from memfort.model.results import Recall
from memfort.operations.recall.search import ABOUT_ME

BEGIN = "<!-- `python -m benchmarks.speed.people --publish` writes from here -->\n"
ROOM_LIMIT = 2.0  # the allowed ratio of a recall in a chat to one in a personal store
UPKEEP_SECONDS = 60.0
UPKEEP_MEGABYTES = 256.0  # by which the process may grow, whatever the size of the store

GROUP = "everybody"
ASKER = 0
# Of a hundred statements: how many are made in which setting, and about how many others.
ALONE, BETWEEN_TWO, TO_GROUP, OF_ITSELF, OF_ONE, OF_TWO = range(6)
SETTINGS = {ALONE: 10, BETWEEN_TWO: 5, TO_GROUP: 2, OF_ITSELF: 3, OF_ONE: 60, OF_TWO: 20}
OTHERS = {OF_ONE: 1, OF_TWO: 2}
SENSITIVITIES = {"public": 80, "personal": 15, "sensitive": 5}
EXPIRING_PERCENT = 10
LIFETIME_SECONDS = 86_400 * 30
# Words that only others use about a person: they find memories that only others have.
RUMOURS = tuple(first + second + third for first in "prst" for second in ("na", "pe", "ri", "so", "tu") for third in
                ("nu", "po", "ra", "se", "ti"))  # fmt: skip
_WARM_UP = 50
_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Scale:
    """How many users there are, and how many memories each of them has."""

    users: int
    memories: int


@click.command(help=__doc__)
@click.option("--users", default=50, help="How many users are in the chat; three at the least.")
@click.option("--memories", default=5000, help="How many memories each of them has.")
@click.option("--times", default=500, help="How often a recall is timed.")
@click.option("--publish", is_flag=True, help="Keep the run and put its table into the README, if it keeps the limits.")
def main(users: int, memories: int, times: int, publish: bool) -> None:
    found = run(Scale(users, memories), times)
    broken = exceeded(found)
    published = publish and not broken
    name = "published-people" if published else f"people-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    write(found, BENCHMARKS, name, with_page=published)
    click.echo(render(found))
    if broken:
        sys.exit("; ".join(broken))


def run(scale: Scale, times: int) -> dict[str, Any]:
    """Fill a store with a chat and one with the asker's statements, and run each measurement in its own process."""
    found: dict[str, Any] = {"benchmark": "people", **surroundings(), "settings": {**asdict(scale), "times": times}}
    with tempfile.TemporaryDirectory(prefix="memfort-people-") as folder:
        personal, chat = Path(folder) / "personal.db", Path(folder) / "chat.db"
        fill(personal, scale.memories, 1, _say)
        found["store"] = fill_chat(chat, scale, _say)
        for name, function, arguments in (
            ("reads", reads, (personal, chat, times)),
            ("doctor", doctor, (chat,)),
            ("checkup", checkup, (chat,)),
            ("collect", collect, (chat,)),
        ):
            _say(f"measuring {name}")
            found[name] = in_its_own_process(function, *arguments)
    return found


def exceeded(found: Mapping[str, Any]) -> list[str]:
    """The limits that a run exceeds."""
    broken = [
        f"{ROWS[name]} costs {room[ratio]} times one in a personal store; at most {ROOM_LIMIT} is allowed"
        for name, room in ((name, found["reads"][name]) for name in ("private", "group"))
        for ratio in ("ratio", "ratio_p95")
        if room[ratio] > ROOM_LIMIT
    ]
    for work in ("doctor", "collect"):
        seconds, megabytes = found[work]["seconds"], found[work]["grown_megabytes"]
        if seconds > UPKEEP_SECONDS or megabytes > UPKEEP_MEGABYTES:
            broken.append(f"{work} takes {seconds} s and {megabytes} MB; "
                          f"at most {UPKEEP_SECONDS:g} s and {UPKEEP_MEGABYTES:g} MB are allowed")  # fmt: skip
    return broken


def write(found: Mapping[str, Any], folder: Path, name: str, *, with_page: bool) -> None:
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if with_page:
        page = folder / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    _say(f"written to {results / name}.json")


# -- the store -------------------------------------------------------------------------------------------------------


def fill_chat(path: Path, scale: Scale, progress: Progress) -> dict[str, Any]:
    """Make the store of a group of users who talk with each other; returns its counts."""
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    with Memory.open(path) as memory:
        _register(memory, scale.users)
        for user in range(scale.users):
            for chat, said in _by_chat(user, statements(user, scale)).items():
                bound = memory.as_user(name_of(user), chat=chat)
                for first in range(0, len(said), BATCH):
                    counts.update(_kept(bound, said[first : first + BATCH]))
            progress(f"filling {scale.users} × {scale.memories:,} memories: {counts['memories']:,}")
    return {**counts, "filled_per_second": round(counts["memories"] / (time.perf_counter() - start)), **disk(path)}


def _register(memory: Memory, users: int) -> None:
    names = [name_of(user) for user in range(users)]
    memory.chat.register(GROUP, kind="group", participants=names)
    for user, name in enumerate(names):
        memory.chat.register(_own_chat(user), kind="private", participants=[name])
        memory.chat.register(_pair_chat(user), kind="private", participants=[name, names[(user + 1) % users]])


def _own_chat(user: int) -> str:
    """Where a user is alone with the assistant."""
    return f"of-{name_of(user)}"


def _pair_chat(user: int) -> str:
    return f"{name_of(user)}-and-another"


Said = dict[str, Any]


def statements(user: int, scale: Scale) -> Iterator[tuple[int, Said]]:
    """The statements of a user with their settings, the same for the same user in a chat of the same size."""
    chance = random.Random(user)
    others = [other for other in range(scale.users) if other != user]
    for text in Corpus(seed=user).statements(scale.memories):
        setting = _choice(chance, SETTINGS)
        said: Said = {"text": text, "sensitivity": _choice(chance, SENSITIVITIES)}
        if about := chance.sample(others, OTHERS.get(setting, 0)):
            said["subjects"] = [f"@{name_of(other)}" for other in about]
            if user != ASKER:
                said["text"] = f"{text} {chance.choice(RUMOURS)}"
        if setting == TO_GROUP:
            said["space"] = {"chat": GROUP}
        if chance.randrange(100) < EXPIRING_PERCENT:
            said["ttl_seconds"] = LIFETIME_SECONDS
        yield setting, said


def _choice(chance: random.Random, shares: Mapping[Any, int]) -> Any:
    return chance.choices(list(shares), weights=list(shares.values()))[0]


def _by_chat(user: int, said: Iterator[tuple[int, Said]]) -> dict[str, list[Said]]:
    chats = {ALONE: _own_chat(user), BETWEEN_TWO: _pair_chat(user)}
    found: dict[str, list[Said]] = {}
    for setting, one in said:
        found.setdefault(chats.get(setting, GROUP), []).append(one)
    return found


def _kept(bound: BoundMemory, said: Sequence[Said]) -> Counter[str]:
    """Count the memories: a store with too few would be measured too fast."""
    asker, is_asker = f"@{name_of(ASKER)}", bound.actor.id == name_of(ASKER)
    counts: Counter[str] = Counter()
    for outcome in bound.remember_many(said):
        if outcome.item is not None:
            is_disclosed = not is_asker and outcome.item.portable and asker in outcome.item.subjects
            counts.update(memories=1, about_the_asker=is_disclosed, expiring=outcome.item.expires_at_us is not None)
    return counts


# -- measurements ----------------------------------------------------------------------------------------------------


def reads(personal: Path, chat: Path, times: int) -> dict[str, Any]:
    """The asker's questions in a room of the chat and in a store of the asker's own, in turns."""
    questions, rumours = Corpus(seed=-3).questions(times), random.Random(-3).choices(RUMOURS, k=times)
    name, few = name_of(ASKER), range(max(times // 10, LEAST))
    with Memory.open(personal) as own, Memory.open(chat) as shared:
        alone = own.as_user(name)
        private, group = shared.as_user(name, chat=_own_chat(ASKER)), shared.as_user(name, chat=GROUP)
        disclosed = [hits(private.recall(rumour)) for rumour in rumours[:_WARM_UP]]
        return {
            "private": _beside([(partial(alone.recall, one), partial(private.recall, one)) for one in questions]),
            "group": _beside([(partial(alone.recall, one), partial(group.recall, one)) for one in questions]),
            "list": _beside([(alone.list, private.list) for _ in few]),
            "about": asdict(percentiles(timed(partial(private.about, f"@{name}") for _ in few))),
            "only_others_know": asdict(percentiles(timed(partial(private.recall, one) for one in rumours))),
            "disclosed": round(sum(disclosed) / len(disclosed), 1),
        }


def _beside(pairs: Sequence[tuple[Action, Action]]) -> dict[str, Any]:
    """The same done in a personal store and in a room."""
    in_turns(pairs[:_WARM_UP])
    taken = in_turns(pairs)
    times = percentiles(first for first, _ in taken), percentiles(second for _, second in taken)
    return {
        "personal": asdict(times[0]),
        "room": asdict(times[1]),
        "ratio": median_ratio(taken),
        "ratio_p95": round(times[1].p95 / times[0].p95, 3),
    }


def hits(found: Recall) -> int:
    """How many hits were disclosed from other users' memories about the asker."""
    return sum(hit.level == ABOUT_ME for hit in found)


def doctor(path: Path) -> dict[str, Any]:
    """A full look over the contents of every space."""
    with Memory.open(path) as memory:
        taken, diagnosis = _worked(memory.as_system().doctor)
    return {**taken, "found": {one.check: one.count for one in diagnosis.checks}}


def checkup(path: Path) -> dict[str, Any]:
    """A full look over the structure of the store and the whole trail."""
    with Memory.open(path) as memory:
        taken, problems = _worked(lambda: memory.as_system().doctor(checks=["integrity"]).problems)
    return {**taken, "problems": len(problems)}


def collect(path: Path) -> dict[str, Any]:
    """Garbage collection after everything has expired: the clock is a year ahead."""
    ahead = Moment((int(time.time()) + 86_400 * 365) * _MICROSECONDS)
    with Memory.open(path, clock=FixedClock(ahead)) as memory:
        taken, collection = _worked(memory.store.gc)
    return {**taken, "expired": collection.expired, "batches": collection.batches}


def _worked(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """How long some upkeep takes, and by how much the process grew for it at most."""
    before = memory_in_use("VmRSS")
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    grown = max(memory_in_use("VmHWM") - before, 0.0)
    return {"seconds": round(seconds, 2), "grown_megabytes": round(grown, 1)}, result


# -- report ----------------------------------------------------------------------------------------------------------

ROWS = {"private": "recall in a private chat", "group": "recall in the group", "list": "list in a private chat"}


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    return "\n\n".join((_origin(found), _rooms(found["reads"]), _disclosed(found["reads"]), _upkeep(found))) + "\n"


def _origin(found: Mapping[str, Any]) -> str:
    store, settings = found["store"], found["settings"]
    return (
        f"Commit `{found['commit']}`, {found['started'][:10]}, Python {found['python']}, SQLite {found['sqlite']}, "
        f"{found['cores']} cores. {settings['users']} users in one group, {store['memories']:,} memories, "
        f"{store['about_the_asker']:,} of them about the asker by others; {store['database_megabytes']:,} MB."
    )


def _rooms(reads: Mapping[str, Any]) -> str:
    rows = [
        "| | personal store, ms p50 / p95 | there, ms p50 / p95 | times as long, median / p95 |",
        "|---|---|---|---|",
    ]
    for name, title in ROWS.items():
        one = reads[name]
        times = f"{_two(one['personal'])} | {_two(one['room'])}"
        rows.append(f"| {title} | {times} | **{one['ratio']:.2f}** / {one['ratio_p95']:.2f} |")
    return "\n".join(rows)


def _disclosed(reads: Mapping[str, Any]) -> str:
    return (
        f"In a chat a recall may take {ROOM_LIMIT:g} times as long. "
        f"Asked what only others know of the asker, it takes {_two(reads['only_others_know'])} ms and finds "
        f"{reads['disclosed']:g}. Everything about the asker, from the newest, takes {_two(reads['about'])} ms."
    )


def _upkeep(found: Mapping[str, Any]) -> str:
    work = {
        "doctor over the contents": (found["doctor"], f"{sum(found['doctor']['found'].values()):,} findings"),
        "doctor over structure and trail": (found["checkup"], f"{found['checkup']['problems']:,} problems"),
        "collecting": (found["collect"], f"{found['collect']['expired']:,} expired"),
    }
    rows = ["| over the whole store | seconds | memory MB more, at most | |", "|---|---|---|---|"]
    rows += [
        f"| {title} | {of['seconds']:,} | {of['grown_megabytes']:,} | {what} |" for title, (of, what) in work.items()
    ]
    return "\n".join(rows)


def _two(taken: Mapping[str, float]) -> str:
    return " / ".join(duration(taken[name]) for name in ("p50", "p95"))


def _say(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
