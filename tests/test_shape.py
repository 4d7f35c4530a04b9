"""The measures of `tools/shape.py` mean what its docstring says, on a small tree in which each is easy to count."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path

import pytest
from tools import shape

# A product in a few lines: a client, a store, a command line, and one of everything that is counted.
FILES = {
    "pyproject.toml": '[project.scripts]\nmemfort = "memfort.surfaces.cli:main"\n',
    "src/memfort/__init__.py": "from memfort.client import Memory\n",
    "src/memfort/client.py": '''
from memfort.engine import Engine


class Memory:
    def __init__(self, path, a=1, b=2, c=3, d=4, e=5):
        self.engine = Engine(path)

    @classmethod
    def open(cls, path):
        return cls(path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def as_user(self, user):
        return self

    def remember(self, text):
        """Keep a text."""
        return self.engine.write(text)

    def remember_many(self, texts):
        return [self.engine.write(text) for text in texts]

    def recall(self, query, a=1, b=2, c=3, d=4, e=5):
        return self.engine.read(query)

    @property
    def people(self) -> "People":
        return People()


class People:
    def __init__(self):
        pass

    def list(self, a, b, c, d, e, f):
        pass
''',
    "src/memfort/engine.py": """
from typing import TYPE_CHECKING

from memfort.store.texts import Texts, strip

if TYPE_CHECKING:
    from memfort.client import Memory


class Engine:
    def __init__(self, path):
        self.store = Texts()

    def write(self, text):
        self.store.put(strip(text))
        return self.store.count()

    def read(self, query):
        return self.store.find(query)
""",
    "src/memfort/store/__init__.py": "",
    "src/memfort/store/texts.py": """
class Texts:
    def __init__(self):
        self._texts = []

    def put(self, text):
        self._texts.append(text)
        self.count()

    def count(self):
        return len(self._texts)

    def find(self, query):
        return self.count()


def strip(text):
    return text.strip()
""",
    "src/memfort/surfaces/__init__.py": "",
    "src/memfort/surfaces/cli.py": """
import sys

from memfort.client import Memory


def main():
    *_, verb, text = sys.argv
    with Memory.open("") as memory:
        print(getattr(memory, verb)(text))
""",
    "src/memfort/testing/__init__.py": "def f(a, b, c, d, e, f):\n    import yaml  # fmt: skip\n",
}
COMMENTED = "# A line of its own.\nx = 1  # beside code\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        put(tmp_path, name, text)
    return tmp_path


def put(tree: Path, name: str, text: str) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def add(tree: Path, text: str, name: str = "extra.py") -> shape.Shape:
    """The measures of the source after a file was added to the product."""
    put(tree, f"src/memfort/{name}", text)
    return shape.measure_source(tree)


def verb_files(tree: Path) -> list[str]:
    files: list[str] = shape.measure_source(tree)["new_verb_files"]["promote"]
    return files


def test_a_verb_touches_the_files_that_define_or_register_it(tree: Path) -> None:
    assert verb_files(tree) == []
    put(tree, "src/memfort/operations/promote.py", "def handle(tx, request):\n    pass\n")
    put(tree, "src/memfort/operations/table.py", 'TABLE = [("promote", "write")]\n')
    put(tree, "src/memfort/verbs.py", "class Verbs:\n    def promote(self):\n        pass\n")
    put(tree, "src/memfort/schemas/event.json", '{"enum": ["promote"]}')
    assert verb_files(tree) == ["operations/promote.py", "operations/table.py", "schemas/event.json", "verbs.py"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("caller.py", "memory.promote(1)\n"),
        ("prose.py", 'x = "promote a memory"\n'),
        ("generated.py", '"""Generated from the table."""\n\ndef promote():\n    pass\n'),
        ("testing/verbs.py", 'VERBS = ["promote"]\n'),
        ("schemas/other.json", '{"enum": ["promoted"]}'),
    ],
)
def test_a_verb_does_not_touch_callers_prose_generated_files_and_testing(tree: Path, name: str, text: str) -> None:
    put(tree, f"src/memfort/{name}", text)
    assert verb_files(tree) == []
    put(tree, "src/memfort/table.py", 'TABLE = ["promote"]\n')
    assert verb_files(tree) == ["table.py"]


def test_a_verb_of_two_words_is_found_with_either_sign() -> None:
    for text in ('x = "erase-source"', 'x = "erase_source"'):
        assert shape.is_edited_for(shape.Module(Path("table.py"), text), "erase_source")
    assert not shape.is_edited_for(shape.Module(Path("table.py"), 'x = "erase source"'), "erase_source")


def test_public_signatures_are_counted_and_not_avoidable(tree: Path) -> None:
    """`Memory.__init__`, `Memory.recall` and `People.list`, which a property of the client gives out."""
    assert shape.measure_source(tree)["many_parameters"] == {"all": 3, "avoidable": 0}


@pytest.mark.parametrize(
    ("text", "all", "avoidable"),
    [
        ("def f(a, b, c, d, e, f): ...", 1, 1),
        ("def f(a, b, c, d, e): ...", 0, 0),
        ("def f(a, b, c, d, e, *args, **kwargs): ...", 0, 0),
        ("def f(a, /, b, *, c, d, e, f): ...", 1, 1),
        ("class C:\n    def f(self, a, b, c, d, e): ...", 0, 0),
        ("class C:\n    async def f(self, a, b, c, d, e, f): ...", 1, 1),
        ("def g():\n    def f(a, b, c, d, e, f): ...", 1, 1),
        ("class Memory:\n    def _f(self, a, b, c, d, e, f): ...", 1, 1),
        ("@click.command()\ndef f(a, b, c, d, e, f): ...", 1, 0),
        ("@people.command('add')\ndef f(a, b, c, d, e, f): ...", 1, 0),
        ("@cached\ndef f(a, b, c, d, e, f): ...", 1, 1),
        ("def connect(a, b, c, d, e, f): ...", 1, 0),
        ("# Generated.\ndef f(a, b, c, d, e, f): ...", 1, 0),
    ],
)
def test_more_than_five_parameters(text: str, all: int, avoidable: int, tmp_path: Path) -> None:
    modules = [shape.Module(Path("one.py"), text)]
    assert len(shape.many_parameters(modules)) == all
    assert len(shape.avoidable_parameters(modules)) == avoidable


def test_fmt_skip_is_a_comment(tree: Path) -> None:
    assert shape.measure_source(tree)["fmt_skip"] == 0
    assert add(tree, "x = [\n    1]  # fmt: skip\ny = '# fmt: skip'\n")["fmt_skip"] == 1


def test_imports_inside_functions_are_counted_once_and_split(tree: Path) -> None:
    before = {"all": 0, "third_party": 0, "others": 0}
    assert shape.measure_source(tree)["imports_inside_functions"] == before
    text = """
import yaml

def f():
    def g():
        import numpy
    import json
    from memfort import client
    from . import engine
"""
    assert add(tree, text)["imports_inside_functions"] == {"all": 4, "third_party": 1, "others": 3}


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("from memfort.store import texts", {"memfort.store.texts"}),
        ("from memfort.store import Nothing, nobody", {"memfort.store"}),
        ("import memfort.engine, json", {"memfort.engine"}),
        ("from ..store import texts", {"memfort.store.texts"}),
        ("from memfort.engine import A\nfrom memfort.engine import B", {"memfort.engine"}),
        ("try:\n    import memfort.engine\nexcept ImportError:\n    pass", {"memfort.engine"}),
        ("if TYPE_CHECKING:\n    import memfort.engine\nelse:\n    import memfort.client", {"memfort.client"}),
        ("def f():\n    import memfort.engine", set()),
        ("import memfortress", set()),
    ],
)
def test_the_imports_of_a_module_are_what_it_loads(text: str, loaded: set[str]) -> None:
    names = {"memfort.store", "memfort.store.texts", "memfort.engine", "memfort.client"}
    assert shape.loaded_modules(shape.Module(Path("surfaces/cli.py"), text), names) == loaded


def test_imports_per_module_are_a_mean_and_a_maximum(tree: Path) -> None:
    assert shape.measure_source(tree)["imports_per_module"] == {"mean": 0.57, "max": 1}  # 4 in 7 modules
    assert add(tree, "import memfort.client, memfort.engine, memfort.store")["imports_per_module"]["max"] == 3


def test_lines_modules_and_packages_leave_testing_out(tree: Path) -> None:
    before = shape.measure_source(tree)
    assert before["lines"] == sum(
        len(text.splitlines()) for name, text in FILES.items() if "/memfort/" in name and "/testing/" not in name
    )
    assert (before["modules"], before["packages"]) == (7, 3)
    after = add(tree, "x = 1\n\n\n", "policy/rule.py")
    assert (after["lines"], after["modules"], after["packages"]) == (before["lines"] + 3, 8, 4)
    assert after["largest_packages"]["memfort"] == 3
    assert add(tree, "x = 1\n", "testing/more.py") == after


def test_comment_share_counts_lines_that_hold_nothing_else(tree: Path) -> None:
    before = shape.measure_source(tree)
    assert before["comment_share"] == 0
    after = add(tree, COMMENTED)
    assert after["comment_share"] == round(1 / (before["lines"] + 2), 4) > 0


def test_function_lines_leave_the_docstring_out(tree: Path) -> None:
    before = shape.measure_source(tree)["function_lines"]
    assert before == {"median": 2, "p90": 3, "max": 4}
    long = 'def f():\n    """One.\n\n    Two."""\n' + "    x = 1\n" * 9
    assert add(tree, long)["function_lines"]["max"] == 10


def test_a_run_counts_questions_calls_files_and_layers(tree: Path) -> None:
    found = shape.run_probe("client", tree)
    assert found["store_questions"] == {"remember": 2, "batch_of_100": 200}  # put and count; strip is no method
    # Memory.remember, Engine.write, strip, put, count inside put, count: to the engine once, to the store three times.
    assert found["of_the_client"]["remember"] == {"calls": 6, "files": 3, "layer_switches": 4}
    # Memory.recall, Engine.read, Texts.find, and Texts.count, which the store asks of itself.
    assert found["of_the_client"]["recall"] == {"calls": 4, "files": 3, "layer_switches": 2}


def test_a_command_is_counted_from_its_entry_point(tree: Path) -> None:
    """Besides what the client counts: main, open, three constructors, enter and exit."""
    found = shape.run_probe("commands", tree)["of_a_command"]
    assert found["remember"] == {"calls": 13, "files": 4, "layer_switches": 10}
    assert found["recall"] == {"calls": 11, "files": 4, "layer_switches": 8}


def test_loading_a_module_is_not_a_call(tree: Path) -> None:
    put(tree, "src/memfort/extra.py", "x = 1\n")
    put(tree, "src/memfort/busy.py", "def f():\n    pass\n\nf()\n")
    package = tree / "src" / "memfort"
    for name, calls in (("extra.py", 0), ("busy.py", 1)):
        assert shape.Recorder(package).run(lambda name=name: runpy.run_path(str(package / name))).calls == calls


def test_a_command_that_fails_is_an_error_and_no_measure(tree: Path) -> None:
    put(tree, "src/memfort/surfaces/cli.py", "def main():\n    print('no such verb')\n    raise SystemExit(2)\n")
    with pytest.raises(SystemExit, match=r"`remember The boiler is in the cellar` ended with 2: no such verb"):
        shape.run_probe("commands", tree)


def test_a_commit_is_measured_as_it_was(tree: Path) -> None:
    git = ["git", "-C", str(tree), "-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "--no-verify", "--no-gpg-sign", "-m", "Add a tree"]):
        subprocess.run([*git, *command], check=True)
    as_committed = shape.measure(tree)
    add(tree, COMMENTED)
    assert shape.measure_commit(tree, "HEAD") == as_committed
    assert shape.measure_source(tree)["modules"] == as_committed["modules"] + 1


def test_the_table_shows_every_measure(tree: Path) -> None:
    found = shape.measure(tree)
    assert json.loads(json.dumps(found)) == found
    table = shape.render(found)
    assert len(table.splitlines()) == 15
    assert "store questions, remember / batch of 100                  2 / 200" in table
