"""The shape of the code, read from the code: one entry, one maker of sights, no actor's name in a verb."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

import memfort
from memfort.client import BoundMemory, Memory
from memfort.store.opening import ENGINES
from memfort.store.port import Store
from memfort.store.sqlite.migrate import shipped_migrations

SOURCE = Path(memfort.__file__).parent
SQLITE = "store/sqlite/"
POSTGRES = "store/postgres/"
MEMORY = "store/memory/"
SQL_STORES = ("store/sqlite/", "store/sql/", POSTGRES)
TESTING = "testing/"


@lru_cache(maxsize=1)
def modules() -> dict[str, ast.Module]:
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


@lru_cache(maxsize=1)
def nodes() -> dict[str, list[ast.AST]]:
    """Every node of every module. Walking them anew for each question would take longer than asking it."""
    return {name: list(ast.walk(tree)) for name, tree in modules().items()}


def outside(*places: str) -> Iterator[tuple[str, ast.AST]]:
    """Every node of every module that lies in none of these places, with the name of its module."""
    for name, found in nodes().items():
        if not name.startswith(places):
            yield from ((name, node) for node in found)


def inside(*places: str) -> Iterator[tuple[str, ast.AST]]:
    for name, found in nodes().items():
        if name.startswith(places):
            yield from ((name, node) for node in found)


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def called(node: ast.AST) -> str:
    """The name that is called, without what it is called on."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", None) or getattr(node.func, "attr", "")


def test_the_walk_finds_the_code() -> None:
    assert {"model/space.py", "policy/sight.py", "store/sqlite/store.py", "client/bound.py"} <= set(modules())


# -- one door to the memories -----------------------------------------------------------------------------------------

TABLES = {table for one in shipped_migrations() for table in re.findall(r"create table (\w+)", one.sql)} | {"migration"}
SQL = re.compile(
    rf"\b(from|join|insert\s+(or\s+\w+\s+)?into|update|table)\s+({'|'.join(sorted(TABLES))})\b(?=\s*$|\s+(set|where|order|values|as|join)\b|\s*\()",
    re.IGNORECASE,
)


def test_only_the_adapter_imports_the_engine() -> None:
    users = {
        name
        for name, node in outside(SQLITE)
        if any(one.split(".")[0] in {"apsw", "sqlite3"} for one in imported(node))
    }
    assert users <= {"surfaces/cli/diagnosis.py"}
    assert any("apsw" in imported(node) for _, node in inside(SQLITE))
    # The doctor says which engine is linked and knows its errors. It opens nothing.
    used = {
        node.attr
        for _, node in inside("surfaces/cli/")
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "apsw"
    }
    assert used <= {"sqlite_lib_version", "apsw_version", "Error"}


def test_only_the_adapter_of_postgresql_imports_its_library() -> None:
    users = {
        name
        for name, node in outside(POSTGRES)
        if any(one.split(".")[0] in {"psycopg", "psycopg_pool"} for one in imported(node))
    }
    assert users == set()
    assert any("psycopg" in imported(node) for _, node in inside(POSTGRES))


def test_only_the_adapter_holds_sql_on_its_tables() -> None:
    found = {
        (name, node.value)
        for name, node in outside(SQLITE, POSTGRES)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    }
    assert found == set()
    assert all(SQL.search((SOURCE / store / "queries.sql").read_text()) for store in (SQLITE, POSTGRES))
    for leak in (
        "select text from item where 1",
        "delete from entry",
        "insert or ignore into item (a)",
        "update item set x=1",
    ):
        assert SQL.search(leak)


def test_no_module_bypasses_the_port_of_a_store() -> None:
    private = {"_connection", "_connections", "_state", "_committed", "_in_sight", "_visible"}
    reaching = {
        (name, node.attr)
        for name, node in outside(*SQL_STORES, MEMORY, TESTING)
        if isinstance(node, ast.Attribute) and node.attr in private
    }
    assert reaching == set()


def test_every_write_can_be_started_again() -> None:
    """One place opens writes. It is given the work as a function, which it may call more than once."""
    opening = {name for name, node in outside("store/", TESTING) if called(node) in {"writing", "transaction"}}
    assert opening == {"engine/engine.py"}


def test_the_adapter_is_imported_where_a_store_is_opened_and_nowhere_else() -> None:
    users = {
        name for name, node in outside(SQLITE) if any(one.startswith("memfort.store.sqlite") for one in imported(node))
    }
    assert users == set()
    assert {name for name, node in outside(SQLITE) if called(node) == "import_module"} & {"store/opening.py"}
    assert all(module.startswith("memfort.store.") for module in ENGINES.values())


# -- a sight first ----------------------------------------------------------------------------------------------------

# What a store answers without a sight, and why that is no way round one.
WITHOUT_SIGHT = {
    "reading": "a view, not an answer",
    "writing": "a lock, not an answer",
    "apply": "the one way to write; policy decided before",
    "facts": "the directory: who stands where",
    "agent": "the directory",
    "agents_of": "the directory",
    "chat": "the directory",
    "members": "the directory",
    "trust": "the directory",
    "directory": "the directory, whole, to be compared with the trail",
    "policy": "a document of rules, which belong to no user",
    "authored_count": "how much the asking author has written; a count, for that author's own budget",
    "author_spaces": "where the asking author has written; names of spaces, for the same",
    "shares_of": "the directory",
    "access_key": "the directory: whose key it is, and a digest of it",
    "access_keys": "the directory",
    "reply": "an encrypted answer, found by whoever sent the request and has its key",
    "spaces": "names of spaces, for maintenance that walks them one by one",
    "chains": "the trail holds no contents",
    "links": "the trail",
    "checkpoints": "the trail",
    "erasures": "receipts hold no contents",
    "due_turns": "the worker's queue: ids and whose they are, no contents; each is then read with its own sight",
    "waiting_turns": "the worker's queue: ids and whose they are, no contents; each is then read with its own sight",
    "count_queued_turns": "upkeep, shows counts",
    "take_lease": "a name and a holder, no contents",
    "give_back_lease": "a name and a holder, no contents",
    "count_leases": "upkeep, shows counts",
    "scrub": "upkeep, shows nothing",
    "backup": "upkeep, copies the store for its host",
    "unlisted": "upkeep, shows names in the asker's own receipt",
    "residue": "upkeep, shows counts",
    "all_damaged": "upkeep, shows names",
    "checkup": "upkeep, shows problems",
    "info": "upkeep, shows sizes",
    "close": "upkeep",
}


def test_every_read_of_memories_takes_a_sight_first() -> None:
    first = {}
    for name, method in inspect.getmembers(Store, inspect.isfunction):
        if not name.startswith("_"):
            parameters = list(inspect.signature(method).parameters.values())[1:2]
            first[name] = parameters[0] if parameters else None
    reads = {name for name, parameter in first.items() if parameter is not None and parameter.name == "sight"}
    assert set(first) - reads == set(WITHOUT_SIGHT)
    for name in reads:
        parameter = first[name]
        assert parameter is not None
        assert (parameter.annotation, parameter.default) == ("Sight", inspect.Parameter.empty), name
    assert {
        "columns",
        "items_by_handle",
        "items",
        "page",
        "rivals",
        "derived",
        "overdue",
        "sources",
        "damaged",
    } <= reads


def test_a_sight_is_made_by_policy_alone() -> None:
    makers = {name for name, node in outside(TESTING) if called(node) == "Sight"}
    assert makers == {"policy/sight.py", "model/sight.py"}


def test_no_code_widens_a_sight_by_copying_it() -> None:
    widened = {
        name
        for name, node in outside(TESTING, "policy/sight.py")
        if isinstance(node, ast.Call)
        and called(node) in {"replace", "SeenSpace", "__setattr__"}
        and (called(node) == "SeenSpace" or {keyword.arg for keyword in node.keywords} & {"whole", "spaces"})
    }
    assert widened == set()


# -- no actor's name in a verb ----------------------------------------------------------------------------------------

IDENTITIES = re.compile(
    r"^(user|agent|actor|tenant|owner|identity|principal|subject|viewer|reader|who|author|acting_for|on_behalf_of|as_"
    r"|requester|caller|member|account)(_ids?|_names?)?s?$"
)
# A verb is bound to its actor. These parameters name another person, who gains by it or is asked about.
NAMING_ANOTHER_PERSON = {
    ("share", "user"),  # who may read from now on
    ("share", "agent"),
    ("remember", "subjects"),  # the people a statement is about
    ("correct", "subjects"),
    ("check", "subjects"),  # the same, when it is rehearsed
    ("forget", "author"),  # whose memories are chosen, among those that the caller may end
    ("erase", "author"),
    ("undo", "author"),
    ("list", "author"),  # whose memories are listed, among those that the caller sees
    ("compare", "viewers"),  # of the asker's own memories, and as far as the asker may know
    ("explain", "viewer"),  # a bound memory, made with an identity of its own; the asker must see the memory itself
}


def verbs(of: type) -> Iterator[tuple[str, inspect.Parameter]]:
    for name, method in inspect.getmembers(of, inspect.isfunction):
        if not name.startswith("_"):
            for parameter in list(inspect.signature(method).parameters.values())[1:]:
                yield name, parameter


def test_no_verb_takes_an_identity() -> None:
    naming = {(verb, parameter.name) for verb, parameter in verbs(BoundMemory) if IDENTITIES.match(parameter.name)}
    assert naming == NAMING_ANOTHER_PERSON


def test_identity_is_bound_in_three_places() -> None:
    naming = {verb for verb, parameter in verbs(Memory) if IDENTITIES.match(parameter.name)}
    assert naming == {"as_user", "as_agent"}
    assert "as_system" in dict(inspect.getmembers(Memory, inspect.isfunction))


def test_an_unbound_memory_has_no_verb_that_shows_contents() -> None:
    public = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    contents = {
        "recall",
        "get",
        "list",
        "history",
        "remember",
        "export",
        "explain",
        "forget",
        "erase",
        "share",
        "import_",
    }
    assert public & contents == set()
    assert contents <= {name for name, _ in inspect.getmembers(BoundMemory, inspect.isfunction)}


# -- what is imported when --------------------------------------------------------------------------------------------

HEAVY = frozenset(
    [
        "apsw",
        "re2",
        "rich",
        "click",
        "cryptography",
        "pydantic",
        "numpy",
        "opentelemetry",
        "yaml",
        "Stemmer",
        "simsimd",
        "sqlite3",
        "hypothesis",
        "pytest",
        "platformdirs",
    ]
)


def loaded_by(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_importing_memfort_imports_nothing_heavy() -> None:
    loaded = loaded_by("import memfort")
    assert "memfort" in loaded
    assert loaded & HEAVY == set()


def test_every_public_name_can_be_had() -> None:
    for name in memfort.__all__:
        assert getattr(memfort, name) is not None
    with pytest.raises(AttributeError, match="no attribute `Memroy`"):
        memfort.Memroy  # noqa: B018


def test_the_memory_store_needs_neither_pytest_nor_hypothesis() -> None:
    blocked = "sys.modules.update(dict.fromkeys(['pytest', 'hypothesis']))"
    loaded = loaded_by(
        f"{blocked}\nfrom memfort.store.memory import MemoryStore\nassert list(MemoryStore().spaces()) == []"
    )
    assert not loaded & {"apsw", "numpy"}


# -- what decides does no input or output -----------------------------------------------------------------------------

PURE = ("model/", "policy/", "recall/", "capture/", "trail/")
WORLDLY_MODULES = frozenset(
    [
        "os",
        "io",
        "sys",
        "time",
        "random",
        "secrets",
        "uuid",
        "socket",
        "ssl",
        "http",
        "urllib",
        "subprocess",
        "shutil",
        "tempfile",
        "threading",
        "asyncio",
        "multiprocessing",
        "logging",
        "sqlite3",
        "apsw",
        "signal",
        "platform",
        "getpass",
        "locale",
    ]
)
WORLDLY_CALLS = frozenset(
    [
        "open",
        "print",
        "input",
        "exec",
        "eval",
        "now",
        "utcnow",
        "today",
        "time_ns",
        "urandom",
        "getenv",
        "read_text",
        "read_bytes",
        "write_text",
        "write_bytes",
        "unlink",
        "mkdir",
    ]
)
# Reading is allowed here, and nowhere else below the facade.
# The policy file that the caller names, and documents that come with the package.
READS = {("policy/settings/document.py", "read_text")}


def test_pure_modules_import_nothing_impure() -> None:
    worldly = {
        (name, one) for name, node in inside(*PURE) for one in imported(node) if one.split(".")[0] in WORLDLY_MODULES
    }
    # The one part of urllib that only rewrites text.
    assert worldly - {("policy/secrets/views.py", f"urllib.parse{name}") for name in ("", ".unquote")} == set()


def test_pure_modules_read_neither_clock_nor_random_nor_disk() -> None:
    worldly = {(name, called(node)) for name, node in inside(*PURE) if called(node) in WORLDLY_CALLS}
    assert worldly - READS == set()


def test_the_world_is_somewhere() -> None:
    """The control of the two tests before: the walk does see what it looks for."""
    everything = [(name, node) for name, node in outside(*PURE)]
    assert {"os", "time", "threading"} <= {one for _, node in everything for one in imported(node)}
    assert {"open", "time_ns"} <= {called(node) for _, node in everything}


# -- one way to read a text -------------------------------------------------------------------------------------------

FOLDING = {
    "folding.py",
    # Tables that fold one character at a time, each for the rules of one kind. They are to become views of one `Text`.
    "language/fold.py",
    "language/normalise.py",
    "language/reading.py",
    "policy/secrets/fold.py",
    # What the models of embedders were trained with.
    "embed/bert.py",
    "embed/words.py",
}
VOTING = {
    "language/detect.py",  # by stop words, for stems, mentions, types and dates
    "language/vote.py",  # by all words, for conversations and questions
}
VOTES = {"foreign_language", "possible_languages", "language_of"}


def test_only_these_modules_fold_texts() -> None:
    found = {name for name, node in outside() if "unicodedata" in imported(node)}
    assert found == FOLDING


def test_only_these_modules_vote_on_the_language_of_a_text() -> None:
    found = {
        name
        for name, node in inside("language/", "capture/", "policy/", "recall/")
        if isinstance(node, ast.FunctionDef) and node.name in VOTES
    }
    assert found == VOTING | {"language/language_gate.py"}  # which says whether a language is known at all
