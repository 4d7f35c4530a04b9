"""Completion offers our words, and those memories that the one who asks may see. It makes nothing and never fails."""

from __future__ import annotations

import subprocess

import pytest

from memfort.model.item import Kind, Origin, Sensitivity, Status
from memfort.model.space import Level
from memfort.surfaces.cli.input.completion import KINDS, LEVELS, ORIGINS, SENSITIVITIES, STATUSES


def _offered(cli, *words: str, env: dict[str, str] | None = None) -> list[str]:
    line = {"_MEMFORT_COMPLETE": "bash_complete", "COMP_WORDS": "memfort " + " ".join(words)}
    answer = cli("", env={**line, "COMP_CWORD": str(len(words)), **(env or {})})
    assert "Traceback" not in answer.err
    return [one.partition(",")[2] for one in answer.out.split()]


def test_the_words_are_those_of_the_model():
    for words, enum in (
        (LEVELS, Level),
        (KINDS, Kind),
        (STATUSES, Status),
        (ORIGINS, Origin),
        (SENSITIVITIES, Sensitivity),
    ):
        assert set(words) == {one.value for one in enum}


@pytest.mark.parametrize(
    ("words", "offer"),
    [
        (["recall", "--at", "pro"], ["project="]),
        (["remember", "--space", "vis"], ["visibility="]),
        (["erase", "--scope", "use"], ["user="]),
        (["member", "add", "wor"], ["workspace="]),
        (["list", "--status", "pen"], ["pending"]),
        (["recall", "--kind", "sho"], ["short_term"]),
        (["remember", "--sensitivity", "sen"], ["sensitive"]),
        (["remember", "--type", "pref"], ["preference"]),
        (["check", "rem"], ["remember"]),
        (["chat", "register", "c", "--kind", "g"], ["group"]),
        (["completion", "f"], ["fish"]),
    ],
)
def test_values_are_offered(cli, words, offer):
    assert _offered(cli, *words) == offer
    assert not cli.store.exists()


def test_ids_are_completed_only_for_actors_who_see_them(world):
    mine = world.ids["memory"]
    assert mine in _offered(world, "--as", "alice", "get", "mem_")
    assert mine in _offered(world, "get", "mem_", env={"MEMFORT_AS": "alice"})
    assert _offered(world, "--as", "alice", "review", "approve", "mem_") == [world.ids["pending"]]
    assert world.ids["bob"] in _offered(world, "--as", "bob", "forget", "mem_")
    assert mine not in _offered(world, "--as", "bob", "get", "mem_")


def test_completion_is_silent_on_errors(cli, world):
    assert _offered(world, "get", "mem_") == []  # no actor is named
    assert _offered(world, "--as", "agent:nobody", "get", "mem_") == []
    assert _offered(world, "--as", "alice", "--store", "/no/such/store", "get", "mem_") == []
    (cli.folder / "work" / "memfort.toml").write_text("stor = 3")
    assert _offered(world, "--as", "alice", "get", "mem_") == []
    assert _offered(world, "--policy", "/no/such", "recall", "--type", "pre") == []


def test_no_space_follows_a_level_in_bash(cli):
    script = cli.ok("completion", "bash").out
    probe = (
        'compopt() { echo "$*"; }; memfort() { :; }; env() { echo plain,project=; }\n'
        f"{script}\nCOMP_WORDS=(memfort recall --at pro); COMP_CWORD=3; _memfort_completion memfort"
    )
    run = subprocess.run(["bash", "--norc", "-c", probe], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["-o", "nospace"]
