"""docs/governance.md is real: its sessions are run in order on one store, and every line is compared."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "governance.md"
MINIMAL = 'name = "minimal"\napprove_confidence = 0.9\n[retention]\ndefault_seconds = 86400\n'


def sessions(page: Path = PAGE) -> list[tuple[str, str]]:
    """Every command on the page, with what it says."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    runs = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, said) for command, _, said in (run.partition("\n") for run in runs)]


def play(cli, runs: list[tuple[str, str]], read: Callable[[str], str] = str) -> None:
    """Run the commands in order and compare every line, as `read` reads it."""
    for command, expected in runs:
        program, *words = shlex.split(command)
        assert program == "memfort"
        answer = cli(*words)
        said = re.sub(r"^made a new store: .*\n", "", answer.out + answer.err, flags=re.MULTILINE)
        checked = doctest.OutputChecker().check_output(read(expected), read(said), doctest.ELLIPSIS)
        assert checked, f"$ {command}\n{said}"


def test_the_sessions_on_the_page_are_what_happens(cli) -> None:
    Path("minimal.toml").write_text(MINIMAL)
    runs = sessions()
    assert len(runs) >= 15
    play(cli, runs)


def test_every_page_it_names_is_there() -> None:
    linked = [part.split(")")[0].split("#")[0] for part in PAGE.read_text().split("](")[1:]]
    assert linked
    assert [page for page in linked if not (PAGE.parent / page).exists()] == []
