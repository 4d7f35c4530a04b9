"""The histories of a run: half of them recorded, half of them from the digest of the code, and all playable again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import generated
from tests.generated import AT_ONCE, FRESH, HISTORIES, Seeds, digest_of_the_code, half_fresh

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def own_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HISTORIES, raising=False)
    monkeypatch.setattr(generated, "fresh_digest", lambda: "0abcdef")


def seeds(*given: int, **options: int) -> list[Seeds]:
    return [one.values[0] for one in half_fresh(*given, **options)]


def test_half_of_the_histories_are_fresh() -> None:
    recorded, fresh = seeds(120, 1_600, first=1_000_000)
    assert list(recorded) == list(range(1_000_000, 1_000_060))
    assert (len(fresh), fresh.numbers[0]) == (60, 0x0ABCDEF * 10_000_000 + 1_000_000)
    assert not set(recorded) & set(fresh)
    assert (recorded.show_everything, fresh.show_everything) == (True, False)


def test_the_long_mode_plays_many_in_several_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HISTORIES, "2000")
    parts = seeds(120, 1_600)
    assert [len(one) for one in parts] == [AT_ONCE] * 8
    assert len({number for one in parts for number in one}) == 1_600
    assert all(one.show_everything for one in parts)
    monkeypatch.setenv(HISTORIES, "100000")
    assert sum(map(len, seeds(120, 1_600))) == 80_000


def test_the_digest_is_of_what_the_files_say_and_nothing_else(tmp_path: Path) -> None:
    code, test = tmp_path / "src" / "one.py", tmp_path / "tests" / "two.py"
    for file in (code, test):
        file.parent.mkdir()
        file.write_text("1")
    digest = digest_of_the_code(tmp_path)
    compiled = tmp_path / "src" / "__pycache__" / "one.pyc"
    compiled.parent.mkdir()
    for file in (compiled, tmp_path / "src" / ".one.py.swp", tmp_path / "README.md"):
        file.write_text("1")
    code.touch()
    assert digest_of_the_code(tmp_path) == digest
    found = {digest}
    for change in (lambda: test.write_text("2"), lambda: code.rename(code.with_name("three.py")), test.unlink):
        change()
        found.add(digest_of_the_code(tmp_path))
    assert len(found) == 4


def test_a_failure_of_fresh_histories_says_how_to_play_them_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = run_of_two_tests(pytester, monkeypatch)
    again = r".*MEMFORT_TEST_FRESH=0000007 .*pytest.*test_histories\[fresh-0\].*"
    outcome.stdout.re_match_lines([again, r"Fresh histories are from MEMFORT_TEST_FRESH=0000007\."])
    assert outcome.stdout.str().count("play them again") == 1  # a recorded one is the same in every run


def run_of_two_tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run in which recorded and fresh histories fail, under the same settings as all tests."""
    monkeypatch.setenv(FRESH, "0000007")
    monkeypatch.setenv("PYTHONPATH", str(generated.ROOT))
    pytester.makeini("[pytest]\nmarkers = fresh: histories of this run\n")
    pytester.makeconftest(
        "from tests.conftest import pytest_configure, pytest_runtest_makereport, pytest_terminal_summary"
    )
    pytester.makepyfile(
        """
        import pytest
        from tests.generated import half_fresh

        @pytest.mark.parametrize("seeds", half_fresh(4, 4))
        def test_histories(seeds):
            assert not seeds.numbers
        """
    )
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist")
