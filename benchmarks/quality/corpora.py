"""The conversations and their questions. Most may not be shipped with the project: they are read from beside the
repository, or from `MEMFORT_BENCH_DATA`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.peers.lives import MANNERS, NEWCOMERS, OTHER_WORDS, statements

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
UNANSWERABLE = "adversarial"
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_MOST_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    kind: str
    gold: frozenset[int]  # positions of the turns that answer it
    updated: tuple[frozenset[int], frozenset[int]] | None = None  # the positions of the old and of the new value
    parts: tuple[frozenset[int], ...] = ()  # the position of each required part of an answer, if known


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as `observe` is given it."""

    role: str
    text: str
    at: datetime
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    turns: tuple[str, ...]
    questions: tuple[Question, ...]
    unanswerable: tuple[str, ...] = ()  # on what it talks about, but without an answer in it
    said: tuple[Said, ...] = ()  # the same turns with their speakers and times, if known


class Absent(Exception):
    """A set of conversations that is not on this machine."""


def folder() -> Path:
    return Path(os.environ.get("MEMFORT_BENCH_DATA", BESIDE))


def locomo() -> list[Conversation]:
    """Every turn as `[date] Speaker: text`, with the caption of a picture that it shares."""
    return [_of_locomo(one) for one in _read("locomo/locomo-dev.json")]


def beam() -> list[Conversation]:
    """Every message as `role: text`, up to 2,000 characters; unanswerable questions are left out."""
    return [_of_beam(one) for one in _read("beam-100k/beam-100k.json")]


def lives() -> list[Conversation]:
    """Independent statements, a thousand per user: our own, so they are always available. Questions about unmentioned
    people have no answer."""
    return [_of_life(seed) for seed in range(1, 6)]


def gatemem() -> list[Conversation]:
    """The useful questions of GateMem, each with the conversation so far, as `[day] Speaker: text`. A turn answers if
    it contains what the judge looks for. Questions of one episode carry its name."""
    return [one for domain in ("medical", "office") for one in _of_gatemem(domain)]


def _read(name: str) -> Any:
    return json.loads(_text(name))


def _text(name: str) -> str:
    path = folder() / name
    if not path.exists():
        raise Absent(f"`{path}` is not there: put the set in place, or say with MEMFORT_BENCH_DATA where it is")
    return path.read_text()


def _of_locomo(given: Mapping[str, Any]) -> Conversation:
    talk: Mapping[str, Any] = given["conversation"]
    turns: list[str] = []
    said: list[Said] = []
    places: dict[tuple[int, int], int] = {}
    numbers = sorted(int(name.removeprefix("session_")) for name in talk if re.fullmatch(r"session_\d+", name))
    for number in numbers:
        date_time = talk[f"session_{number}_date_time"]
        start = datetime.strptime(date_time, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for seconds, turn in enumerate(talk[f"session_{number}"]):
            shown = f" [shares image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            places[_id(turn["dia_id"])] = len(turns)
            turns.append(f"[{date_time}] {turn['speaker']}: {turn['text']}{shown}")
            said.append(Said("user", turn["text"] + shown, start + timedelta(seconds=seconds), turn["speaker"]))
    questions = [
        Question(one["question"], LOCOMO_KINDS[one["category"]], gold)
        for one in given["qa"]
        if LOCOMO_KINDS[one["category"]] != UNANSWERABLE
        and (gold := frozenset(places[id] for id in _ids(one.get("evidence", ())) if id in places))
    ]
    without = (one["question"] for one in given["qa"] if LOCOMO_KINDS[one["category"]] == UNANSWERABLE)
    return Conversation(given["sample_id"], tuple(turns), tuple(questions), tuple(without), tuple(said))


def _id(text: str) -> tuple[int, int]:
    return next(_ids([text]))


def _ids(texts: Any) -> Iterator[tuple[int, int]]:
    return ((int(session), int(turn)) for text in texts for session, turn in _EVIDENCE.findall(text))


def _of_beam(given: Mapping[str, Any]) -> Conversation:
    messages = [message for batch in given["chat"] for turn in batch["turns"] for message in turn]
    places = {message["id"]: place for place, message in enumerate(messages)}
    turns = tuple(f"{message['role']}: {message['content'][:_MOST_CHARACTERS]}" for message in messages)
    questions = [
        Question(one["question"], kind.replace("_", " "), gold, _updated(one.get("source_chat_ids"), places))
        for kind, asked in given["probing_questions"].items()
        if kind != "abstention"
        for one in asked
        if (gold := _placed(one.get("source_chat_ids"), places))
    ]
    without = (one["question"] for one in given["probing_questions"]["abstention"])
    said = tuple(_said_in_beam(messages))
    return Conversation(f"chat {given['chat_id']}", turns, tuple(questions), tuple(without), said)


def _said_in_beam(messages: Sequence[Mapping[str, Any]]) -> Iterator[Said]:
    """A message without a day of its own comes a minute after the one before it."""
    at = datetime(2024, 1, 1, 12, tzinfo=UTC)
    for message in messages:
        day = message.get("time_anchor")
        on_its_day = datetime.strptime(day, "%B-%d-%Y").replace(hour=12, tzinfo=UTC) if day else at
        at = max(at + timedelta(minutes=1), on_its_day)
        yield Said(message["role"], message["content"][:_MOST_CHARACTERS], at)


def _updated(sources: Any, places: Mapping[int, int]) -> tuple[frozenset[int], frozenset[int]] | None:
    if not isinstance(sources, Mapping) or "updated_info" not in sources:
        return None
    return _placed(sources["original_info"], places), _placed(sources["updated_info"], places)


def _placed(sources: Any, places: Mapping[int, int]) -> frozenset[int]:
    return frozenset(places[id] for id in _numbers(sources) if id in places)


def _numbers(value: Any) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, str) and value.isdigit():
        yield int(value)
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(one)


def _of_life(seed: int) -> Conversation:
    said = statements(seed, 1000)
    questions = (Question(one.asked[manner], manner, frozenset({place}))
                 for manner in MANNERS for place, one in enumerate(said[:100]))  # fmt: skip
    unanswerable = tuple(one.asked[OTHER_WORDS] for one in statements(seed, 50, NEWCOMERS))
    return Conversation(f"life {seed}", tuple(one.text for one in said), tuple(questions), unanswerable)


def _of_gatemem(domain: str) -> Iterator[Conversation]:
    episodes = {
        one["episode_id"]: one for one in map(json.loads, _text(f"gatemem/{domain}/episodes.jsonl").splitlines())
    }
    for asked in map(json.loads, _text(f"gatemem/{domain}/checkpoints.jsonl").splitlines()):
        if asked["query_type"] != "utility":
            continue
        episode = episodes[asked["episode_id"]]
        turns = list(_said_until(episode, asked["as_of_turn_id"]))
        wanted = [re.compile(pattern, re.IGNORECASE) for pattern in asked["judge_spec"]["include"]]
        held = [frozenset(place for place, turn in enumerate(turns) if one.search(turn)) for one in wanted]
        parts = tuple(filter(None, held))
        if parts:
            question = Question(asked["query_text"], domain, frozenset[int]().union(*parts), None, parts)
            yield Conversation(asked["episode_id"], tuple(turns), (question,))


def _said_until(episode: Mapping[str, Any], last: str) -> Iterator[str]:
    names = {
        one["principal_id"]: _SHORT.sub("", one["display_name"]).strip() for one in episode["entities"]["principals"]
    }
    day = "2026-01-01"
    for turn in episode["turns"]:
        day = (turn.get("timestamp") or day)[:10]
        speaker = turn["speaker"]["principal_id"]
        yield f"[{day}] {names.get(speaker, speaker)}: {turn['text']}"
        if turn["turn_id"] == last:
            return


_SHORT = re.compile(r"\(.*?\)")
