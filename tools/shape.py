"""Measure the shape of the code: how much a change touches, how much a reader has to hold in mind.

    python tools/shape.py [COMMIT] [--json]

Without COMMIT it measures the working tree that holds this file; with one, the files of that commit, extracted to a
temporary folder. It imports nothing of the product itself: the last measures run the product in a process of its own.

*Product* is every `*.py` under `src/memfort` except `src/memfort/testing`. A *module* is one such file, `__init__.py`
included. A *layer* is the first name under `src/memfort` (`policy/…`, `errors.py`). A *generated* file has
"Generated" in its first line; it counts everywhere except for new verbs and for avoidable parameters.

new verb
    Files of the product, and its `.json` and `.toml` files, that define or register an existing verb: a function or
    class with its name, a module with its name, or a string equal to it (`promote`; `-` for `_` allowed). A file that
    only calls it (`memory.promote(…)`) does not count. `promote` has events of its own, `restore` has none; both are
    given. It is a search for a word: a verb that is also an everyday word (`used`) would be counted too often.
parameters
    Functions, methods and nested functions with more than 5 parameters; `self`, `cls`, `*args` and `**kwargs` do not
    count. *Avoidable* are those that are not a public method of a client class, its `__init__` or `open`, a function
    called `connect`, a command (a decorator that is called `command` or `group`, or comes from `click`), or generated.
    Client classes are `Memory`, `BoundMemory`, `AsyncMemory`, `RemoteMemory`, and the classes that they give out: the
    type of a property, or what `__init__` assigns to a public attribute, if it has an `__init__` of its own.
fmt: skip
    Lines with a comment `# fmt: skip`.
imports inside functions
    Import statements anywhere inside a function, each once. *Third-party* ones load neither the standard library nor
    memfort: they delay a heavy or optional package. The others are what the layers did not solve.
imports per module
    Distinct memfort modules that a module imports when it is loaded: not inside functions, not under `TYPE_CHECKING`.
    `from memfort.memory import audit` is the module `memfort.memory.audit` if there is one, otherwise `memfort.memory`.
store questions
    Calls of a public method (first parameter `self`) in the layer `store` by product code of another layer, while
    `Memory.open(…).as_user(…)` does one `remember` and one `remember_many` of 100 statements, each after others of its
    kind. `writing` and `apply` count. What the store does inside itself does not, nor do methods of the values in
    `store/port`.
calls, files, layers
    Entries into Python functions of the product during one `remember` and one `recall`, after three of each in the same
    process, so that imports are done and caches are full: on the command line (the entry point `memfort` of
    `pyproject.toml`; settings, opening and closing the store included), and of the client alone, on a store that is
    open. Statements and queries are always the same ones. A comprehension is a function on Python 3.11, and resuming a
    generator is an entry: compare only what the same Python has counted. Files are those that hold an entered function.
    A layer switch is an entry from another layer than that of the nearest product function below it on the stack.
lines
    All lines of the product. Comment lines hold a comment and nothing else. The lines of a function are those from
    `def` to its end, without its docstring.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

PACKAGE = "memfort"
VERBS = ("promote", "restore")
CLIENTS = frozenset({"Memory", "BoundMemory", "AsyncMemory", "RemoteMemory"})
MANY = 5  # parameters
LARGEST = 5  # packages that are named
STATEMENTS = (
    "The boiler is in the cellar",
    "The spare key hangs at the back door",
    "The ladder is in the garage",
    "The bicycle pump is under the stairs",
)
QUERIES = ("where is the boiler?", "where is the spare key?", "where is the ladder?", "where is the pump?")
PLACES = ("Shelf", "Drawer")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Shape = dict[str, Any]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the shape of the code.")
    parser.add_argument("commit", nargs="?", help="a commit; without it, the working tree")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--probe", nargs=2, help=argparse.SUPPRESS)  # how this program starts itself
    given = parser.parse_args(arguments)
    if given.probe:
        part, tree = given.probe
        print(json.dumps(PROBES[part](Path(tree))))
        return
    root = Path(__file__).resolve().parents[1]
    shape = measure(root) if given.commit is None else measure_commit(root, given.commit)
    print(json.dumps(shape, indent=2) if given.json else render(shape))


def measure(tree: Path) -> Shape:
    """Every measure of a tree that holds `src/memfort` and `pyproject.toml`."""
    return {**measure_source(tree), **run_probe("commands", tree), **run_probe("client", tree)}


def measure_commit(repository: Path, commit: str) -> Shape:
    """Every measure of the files of a commit."""
    command = ["git", "-C", str(repository), "archive", "--format=tar", commit, "--", "src", "pyproject.toml"]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
        return measure(Path(folder))


# -- what the source says --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """One file of the product."""

    path: Path  # relative to the package
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        parts = [PACKAGE, *self.path.with_suffix("").parts]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        return ".".join([PACKAGE, *self.path.parent.parts])

    @property
    def is_generated(self) -> bool:
        return "Generated" in self.text.partition("\n")[0]

    @cached_property
    def functions(self) -> list[tuple[Function, str | None]]:
        """Every function, with the name of its class if it is a method."""
        owners = {
            id(child): node.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ClassDef)
            for child in node.body
        }
        return [(node, owners.get(id(node))) for node in ast.walk(self.tree) if isinstance(node, Function)]


def read_product(tree: Path) -> list[Module]:
    package = tree / "src" / PACKAGE
    paths = (path.relative_to(package) for path in sorted(package.rglob("*.py")))
    return [Module(path, (package / path).read_text("utf-8")) for path in paths if path.parts[0] != "testing"]


def measure_source(tree: Path) -> Shape:
    """The measures that need only the source."""
    modules = read_product(tree)
    inside = [node for module in modules for node in imports_inside_functions(module)]
    third_party = sum(is_third_party(node) for node in inside)
    names = {module.name for module in modules}
    imports = [len(loaded_modules(module, names)) for module in modules]
    lengths = sorted(length(function) for module in modules for function, _ in module.functions)
    comments = [comment_lines(module.text) for module in modules]
    lines = sum(len(module.text.splitlines()) for module in modules)
    packages = Counter(module.package for module in modules)
    return {
        "new_verb_files": {verb: files_of_verb(tree, modules, verb) for verb in VERBS},
        "many_parameters": {"all": len(many_parameters(modules)), "avoidable": len(avoidable_parameters(modules))},
        "fmt_skip": sum(skips for _, skips in comments),
        "imports_inside_functions": {
            "all": len(inside), "third_party": third_party, "others": len(inside) - third_party,
        },
        "imports_per_module": {"mean": round(statistics.mean(imports), 2), "max": max(imports)},
        "lines": lines,
        "modules": len(modules),
        "packages": len(packages),
        "largest_packages": dict(packages.most_common(LARGEST)),
        "function_lines": {
            "median": statistics.median(lengths), "p90": lengths[int(0.9 * len(lengths))], "max": lengths[-1],
        },
        "comment_share": round(sum(own for own, _ in comments) / lines, 4),
    }  # fmt: skip


def files_of_verb(tree: Path, modules: Iterable[Module], verb: str) -> list[str]:
    """The files edited to add a verb like this one."""
    package = tree / "src" / PACKAGE
    found = [module.path for module in modules if not module.is_generated and is_edited_for(module, verb)]
    quoted = re.compile(f'"{spelled(verb)}"')
    data = (path for ending in ("json", "toml") for path in package.rglob(f"*.{ending}"))
    found += [path.relative_to(package) for path in data if quoted.search(path.read_text("utf-8"))]
    return sorted(path.as_posix() for path in found if path.parts[0] != "testing")


def is_edited_for(module: Module, verb: str) -> bool:
    word = re.compile(spelled(verb))
    if word.fullmatch(module.path.stem):
        return True
    for node in ast.walk(module.tree):
        if isinstance(node, Function | ast.ClassDef) and node.name == verb:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and word.fullmatch(node.value):
            return True
    return False


def spelled(verb: str) -> str:
    return re.escape(verb).replace("_", "[-_]")


def many_parameters(modules: Iterable[Module]) -> list[tuple[Module, Function, str | None]]:
    return [
        (module, function, owner)
        for module in modules
        for function, owner in module.functions
        if len(parameters(function)) > MANY
    ]


def avoidable_parameters(modules: list[Module]) -> list[str]:
    """Those of them that no public signature asks for, by name."""
    clients = client_classes(modules)
    return [
        f"{module.name}.{function.name}"
        for module, function, owner in many_parameters(modules)
        if not (module.is_generated or is_command(function) or is_public(function, owner, clients))
    ]


def parameters(function: Function) -> list[str]:
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return [one.arg for one in every if one.arg not in {"self", "cls"}]


def is_public(function: Function, owner: str | None, clients: set[str]) -> bool:
    """Whether it is a verb of a client class, or takes its settings."""
    if owner is None:
        return function.name == "connect"
    return owner in clients and (function.name == "__init__" or not function.name.startswith("_"))


def is_command(function: Function) -> bool:
    names = [ast.unparse(one.func if isinstance(one, ast.Call) else one) for one in function.decorator_list]
    return any(name.startswith("click.") or name.rpartition(".")[2] in {"command", "group"} for name in names)


def client_classes(modules: Iterable[Module]) -> set[str]:
    """The client classes and the classes that they give out."""
    classes = {
        node.name: node for module in modules for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set()
    waiting = [name for name in CLIENTS if name in classes]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [given for given in given_out(classes[name]) if is_group(given, classes)]
    return found


def is_group(name: str, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether a class is a group of verbs: it has a written constructor, which a value does not."""
    return name in classes and any(isinstance(one, Function) and one.name == "__init__" for one in classes[name].body)


def given_out(client: ast.ClassDef) -> Iterator[str]:
    for function in client.body:
        if not isinstance(function, Function):
            continue
        decorators = {ast.unparse(one) for one in function.decorator_list}
        if decorators & {"property", "cached_property"} and function.returns is not None:
            yield ast.unparse(function.returns).strip("'\"")
        if function.name == "__init__":
            yield from (name for node in ast.walk(function) if (name := made_attribute(node)))


def made_attribute(node: ast.AST) -> str:
    """The class in `self.public = Class(…)`."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
        return ""
    is_open = any(isinstance(one, ast.Attribute) and not one.attr.startswith("_") for one in node.targets)
    return ast.unparse(node.value.func) if is_open else ""


def imports_inside_functions(module: Module) -> list[ast.Import | ast.ImportFrom]:
    found = {
        id(node): node
        for function, _ in module.functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    return list(found.values())  # by identity: a nested function is walked twice


def is_third_party(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = [] if node.level else [node.module or ""]
    else:
        names = [alias.name for alias in node.names]
    return any(name.partition(".")[0] not in {PACKAGE, *sys.stdlib_module_names} for name in names)


def loaded_modules(module: Module, names: set[str]) -> set[str]:
    """The memfort modules that it imports when it is loaded."""
    found: set[str] = set()
    for node in statements_at_load(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom) and is_ours(source := source_of(node, module)):
            full = {alias.name: f"{source}.{alias.name}" for alias in node.names}
            found |= {name if name in names else source for name in full.values()}
    return found


def statements_at_load(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).rpartition(".")[2] == "TYPE_CHECKING":
            yield from (found for other in child.orelse for found in (other, *statements_at_load(other)))
            continue
        yield child
        yield from statements_at_load(child)


def is_ours(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


def source_of(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    base = module.package.split(".")
    base = base[: len(base) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def length(function: Function) -> int:
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def comment_lines(text: str) -> tuple[int, int]:
    """How many lines hold only a comment, and how many say `fmt: skip`."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token for token in tokens if token.type == tokenize.COMMENT]
    own = sum(token.line.lstrip().startswith("#") for token in comments)
    return own, sum(re.search(r"#\s*fmt:\s*skip", token.string) is not None for token in comments)


# -- what a run says -------------------------------------------------------------------------------------------------


def run_probe(part: str, tree: Path) -> Shape:
    """Run the product of a tree in a process of its own, whose caches know no text yet, in an empty home."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "cli").mkdir()  # a store's directory has to be there
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMFORT_", "XDG_"))}
        own = {
            "HOME": home,
            "PYTHONPATH": str(tree.resolve() / "src"),
            "PYTHONHASHSEED": "0",
            "MEMFORT_STORE": f"{home}/cli/memory.db",
        }
        command = [sys.executable, str(Path(__file__).resolve()), "--probe", part, str(tree.resolve())]
        done = subprocess.run(command, cwd=home, env={**kept, **own}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the product of this tree did not run:\n{done.stderr}")
    shape: Shape = json.loads(done.stdout)
    return shape


class Recorder:
    """Counts what happens in the product while it is running."""

    def __init__(self, package: Path) -> None:
        self._root = f"{package}{os.sep}"
        self.calls = self.switches = 0
        self.files: set[str] = set()
        self.questions: Counter[str] = Counter()

    def run(self, action: Callable[[], object]) -> Recorder:
        sys.setprofile(self._note)
        try:
            action()
        finally:
            sys.setprofile(None)
        return self

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>" or not code.co_filename.startswith(self._root):
            return
        self.calls += 1
        self.files.add(code.co_filename)
        layer, below = self._layer(frame), frame.f_back
        is_question = layer == "store" and is_method(frame) and "store/port" not in code.co_filename
        if is_question and below is not None and self._layer(below) not in {"", "store"}:
            self.questions[code.co_name] += 1
        while below is not None and not self._layer(below):
            below = below.f_back
        self.switches += below is not None and self._layer(below) != layer

    def _layer(self, frame: FrameType) -> str:
        """The layer of a function; empty outside the product."""
        path = frame.f_code.co_filename
        return path[len(self._root) :].partition(os.sep)[0].removesuffix(".py") if path.startswith(self._root) else ""

    def to_dict(self) -> Shape:
        return {"calls": self.calls, "files": len(self.files), "layer_switches": self.switches}


def is_method(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_argcount > 0 and code.co_varnames[0] == "self" and not code.co_name.startswith(("_", "<"))


def probe_commands(tree: Path) -> Shape:
    _, package = import_product(tree)
    entry = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]["scripts"][PACKAGE]
    module, _, name = entry.partition(":")
    start = getattr(import_module(module), name)
    counted = {
        verb: record(package, [partial(run_command, start, verb, text) for text in texts]).to_dict()
        for verb, texts in (("remember", STATEMENTS), ("recall", QUERIES))
    }
    return {"of_a_command": counted}


def probe_client(tree: Path) -> Shape:
    product, package = import_product(tree)
    batches = [[f"{place} {number} holds the screws of size {number * 7}" for number in range(100)] for place in PLACES]
    with product.Memory.open(Path.cwd() / "client.db") as memory:
        alice = memory.as_user("alice")
        remember = record(package, [partial(alice.remember, text) for text in STATEMENTS])
        recall = record(package, [partial(alice.recall, text) for text in QUERIES])
        batch = record(package, [partial(alice.remember_many, texts) for texts in batches])
    return {
        "store_questions": {"remember": remember.questions.total(), "batch_of_100": batch.questions.total()},
        "of_the_client": {"remember": remember.to_dict(), "recall": recall.to_dict()},
    }


PROBES = {"commands": probe_commands, "client": probe_client}


def import_product(tree: Path) -> tuple[Any, Path]:
    """The product of this tree and no other, and its folder."""
    product: Any = import_module(PACKAGE)
    package = Path(product.__file__).parent
    if package != tree / "src" / PACKAGE:
        raise SystemExit(f"{PACKAGE} was imported from {package}, not from {tree}")
    return product, package


def record(package: Path, actions: list[Callable[[], object]]) -> Recorder:
    """Count the last of several actions; those before it fill the caches."""
    *before, last = actions
    for action in before:
        action()
    return Recorder(package).run(last)


def run_command(start: Callable[[], None], *words: str) -> None:
    """One command line in this process. A command that fails would be counted for what it did not do."""
    said, sys.argv = io.StringIO(), [PACKAGE, "--as", "user:alice", *words]
    try:
        # A command may end its process at once, which would end this one before its caches are full.
        with redirect_stdout(said), redirect_stderr(said), patch.object(os, "_exit", sys.exit):
            start()
    except SystemExit as end:
        if end.code:
            raise SystemExit(f"`{' '.join(words)}` ended with {end.code}: {said.getvalue()}") from end


# -- the table -------------------------------------------------------------------------------------------------------


def render(shape: Shape) -> str:
    rows = list(rows_of(shape))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def rows_of(shape: Shape) -> Iterator[tuple[str, str]]:
    verbs, many, inside = shape["new_verb_files"], shape["many_parameters"], shape["imports_inside_functions"]
    imports, questions, lengths = shape["imports_per_module"], shape["store_questions"], shape["function_lines"]
    touched = " / ".join(str(len(files)) for files in verbs.values())
    yield f"files that a new verb touches ({' / '.join(verbs)})", touched
    yield f"functions with more than {MANY} parameters, all / avoidable", f"{many['all']} / {many['avoidable']}"
    yield "lines with fmt: skip", str(shape["fmt_skip"])
    split = f"{inside['all']} / {inside['third_party']} / {inside['others']}"
    yield "imports inside functions, all / third-party / others", split
    yield "imports per module, mean / max", f"{imports['mean']:.1f} / {imports['max']}"
    yield "store questions, remember / batch of 100", f"{questions['remember']} / {questions['batch_of_100']}"
    for where, how in (("of_a_command", "command line"), ("of_the_client", "client")):
        for verb, counts in shape[where].items():
            yield f"calls / files / layer switches of {verb}, {how}", " / ".join(map(str, counts.values()))
    yield "product lines", f"{shape['lines']:,}"
    yield "modules / packages", f"{shape['modules']} / {shape['packages']}"
    yield "largest packages", ", ".join(f"{name} {count}" for name, count in shape["largest_packages"].items())
    yield "function lines, median / p90 / max", f"{lengths['median']:g} / {lengths['p90']} / {lengths['max']}"
    yield "comment share of lines", f"{shape['comment_share']:.1%}"


if __name__ == "__main__":
    main()
