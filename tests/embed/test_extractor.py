"""Choosing an extractor: an address, a function, an entry point, or one of your own."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from memfort.embed import extractor
from memfort.embed.extractor import Question, as_extractor, open_extractor
from memfort.errors import ExtractorFailed, InvalidInput


def read_nothing(_: Question) -> Any:
    return []


def test_an_address_names_the_endpoint_and_the_model() -> None:
    for address in ("https://host.example/v1#small", "https://host.example/v1/chat/completions#small"):
        found = open_extractor(address, {})
        assert found is not None
        assert (found.name, found.endpoint) == ("remote:small", "host.example small")
    named = open_extractor("https://host.example/v1", {"MEMFORT_EXTRACTOR_MODEL": "big"})
    assert named is not None
    assert named.name == "remote:big"
    assert open_extractor("none") is None


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("https://host.example/v1", "the model is not named"),
        ("https://me:secret@host.example/v1#small", "a password"),
        ("gpt", "there is no extractor"),
        ("entry:", "there is no extractor"),
        ("entry:missing", "no installed package"),
        ("https://#small", "this is not an address"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(address: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem) as raised:
        open_extractor(address, {})
    assert "secret" not in str(raised.value)


def test_a_key_is_not_sent_in_the_clear_to_another_machine() -> None:
    with pytest.raises(InvalidInput, match="unencrypted"):
        open_extractor("http://host.example/v1#small", {"MEMFORT_EXTRACTOR_KEY": "sk-1"})
    assert open_extractor("http://127.0.0.1:1/v1#small", {"MEMFORT_EXTRACTOR_KEY": "sk-1"}) is not None


def test_a_package_can_bring_one(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", f"{__name__}:read_nothing", extractor.ENTRY_POINTS)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: EntryPoints([point]))
    found = open_extractor("entry:mine")
    assert found is not None
    assert found.name == "read_nothing"
    assert found.ask(Question([], {}, 1.0), lambda _: None) == []


def test_a_function_that_fails_shows_only_the_kind_of_its_error() -> None:
    def fails(_: Question) -> Any:
        raise RuntimeError("a text that somebody said")

    found = as_extractor(fails)
    assert found is not None
    with pytest.raises(ExtractorFailed, match="RuntimeError") as raised:
        found.ask(Question([], {}, 1.0), lambda _: None)
    assert "somebody said" not in str(raised.value)
