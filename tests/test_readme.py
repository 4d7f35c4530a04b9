"""The README's session is real: it is run, and every line of output is compared."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_session_in_the_readme_is_what_happens(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(README.read_text(), {}, "README", str(README), 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(session)
    assert runner.tries >= 10
    assert runner.failures == 0


def test_every_page_the_readme_names_is_there() -> None:
    linked = [part.split(")")[0] for part in README.read_text().split("](")[1:]]
    assert linked
    assert [page for page in linked if not (README.parent / page).exists()] == []
