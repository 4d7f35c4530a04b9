"""Every block of every page is run, and what it shows is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from .pages import DOCS, NOT_RUN, PAGES, ROOT, blocks, name
from .play import play

RUN = {"python", "console", "sh", "toml", "yaml", "json"}
SHOWN = {"text"}  # what a program wrote, and a diagram


@pytest.mark.fails_closed
@pytest.mark.parametrize("page", PAGES, ids=name)
@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("ignore:Using `httpx`")  # a matter between FastAPI's test client and Starlette
def test_every_block_of_a_page_runs_as_shown(page: Path) -> None:
    run = [block for block in blocks(page) if not block.title and not block.example and block.language in RUN]
    assert play(page) == len(run)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_declares_its_language(page: Path) -> None:
    generated = page == DOCS / "reference" / "cli.md"  # the help of each command
    allowed = RUN | SHOWN | ({""} if generated else set())
    assert [block for block in blocks(page) if not block.title and block.language not in allowed] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_file_that_a_page_writes_is_used_on_it(page: Path) -> None:
    found = blocks(page)
    for number, block in enumerate(found):
        if block.title:
            later = "".join(other.text for other in found[number + 1 :])
            assert Path(block.title).stem in later, f"{name(page)}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_block_from_an_example_is_in_it(page: Path) -> None:
    for block in blocks(page):
        if block.example:
            example = (ROOT / "examples" / block.example).read_text(encoding="utf-8")
            there = [line.strip() for line in example.splitlines()]
            for line in filter(None, map(str.strip, block.text.splitlines())):
                assert line in there, f"{name(page)}:{block.line}"
                there = there[there.index(line) + 1 :]  # in this order


def test_almost_every_line_is_run() -> None:
    lines = [line for page in PAGES for block in blocks(page) for line in block.text.splitlines() if NOT_RUN in line]
    assert len(lines) < 8
    assert all(line.partition(NOT_RUN)[2].strip() for line in lines)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "block",
    [
        "```python\n>>> 1 + 1\n3\n\n```",
        "```python\nassert False\n```",
        "```console\n$ memfort --as alice recall tea\nfound\n```",
        "```sh\nmemfort no-such-command\n```",
        "```toml\nkey = \n```",
    ],
)
def test_a_block_with_wrong_output_fails(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path("page.md").resolve()
    page.write_text(block + "\n")
    monkeypatch.setattr("docs.pages.ROOT", page.parent)
    with pytest.raises((AssertionError, ValueError)):
        play(page)
