"""Ordinary text without secrets. Public corpora are read in place and never copied into the repository."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STRUCTURED = {
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "ssn",
    "IP_ADDRESS": "ip_address",
    "PHONE_NUMBER": "phone",
}


def data_directory(given: str | None) -> Path | None:
    """Where the corpora are: the argument, then MEMFORT_DATA, then ../shared/data beside the repository."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    chosen = Path(given or os.environ.get("MEMFORT_DATA") or beside)
    return chosen if chosen.is_dir() else None


def half(text: str) -> str:
    """Which half a text belongs to. Rules were written looking at `tune`; only `report` is published."""
    return "tune" if hashlib.sha256(text.encode()).digest()[0] % 2 else "report"


def prose(data: Path) -> dict[str, list[str]]:
    """Texts by corpus. Sentences that contain a card number on purpose are left out: those must be refused."""
    return {
        "locomo": list(_locomo(data / "locomo" / "locomo-dev.json")),
        "beam": list(_beam(data / "beam-100k" / "beam-100k.json")),
        "gatemem": list(_gatemem(data / "gatemem")),
        "pii": [entry["full_text"] for entry in labelled(data) if "CREDIT_CARD" not in _types(entry)],
    }


def holds_credential(text: str) -> bool:
    """GateMem's office stories contain invented staging tokens (`xx_stg_...`), which must be refused."""
    return any("_stg_" in word and any(character.isdigit() for character in word) for word in text.split())


def labelled(data: Path) -> list[dict[str, Any]]:
    path = data / "pii" / "synth_dataset_v2.json"
    return list(json.loads(path.read_text())) if path.exists() else []


def _types(entry: dict[str, Any]) -> set[str]:
    return {span["entity_type"] for span in entry["spans"]}


def _locomo(path: Path) -> Iterator[str]:
    for conversation in json.loads(path.read_text()) if path.exists() else []:
        for session in conversation["conversation"].values():
            if isinstance(session, list):
                yield from (turn["text"] for turn in session)


def _beam(path: Path) -> Iterator[str]:
    for chat in json.loads(path.read_text()) if path.exists() else []:
        for batch in chat["chat"]:
            for turns in batch["turns"]:
                yield from (turn["content"] for turn in turns)


def _gatemem(directory: Path) -> Iterator[str]:
    for path in sorted(directory.glob("*/*.jsonl")):
        for line in path.read_text().splitlines():
            yield from _strings(json.loads(line))


def _strings(value: Any) -> Iterator[str]:
    """Sentences anywhere in a record; identifiers and labels are skipped."""
    if isinstance(value, str) and value.count(" ") >= 3:
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
