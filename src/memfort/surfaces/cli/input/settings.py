"""Settings, each with its origin: flag, then environment, then `memfort.toml`, then the user's own file, then default.

A project's `memfort.toml` is looked for from the working directory upward, as far as the root of a git repository, and
is obeyed only if the user owns it, because it can name another store and another policy. An unknown key is an error
that suggests the right one, and an unusable value is an error that names its origin.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.errors import InvalidInput, did_you_mean
from memfort.surfaces.cli.input.values import (
    Reader,
    model_setting,
    one_of,
    read_count,
    read_extractor,
    read_flag,
    read_fraction,
    read_identity,
    read_name,
    read_path,
    read_places,
    read_store,
)

PROJECT_FILE = "memfort.toml"
PREFIX = "MEMFORT_"
_IN_HOME = {"config": (".config",), "data": (".local", "share")}
NAMED_FILE = "MEMFORT_CONFIG"  # names a project's file explicitly


class Setting(Struct, frozen=True):
    """One setting, and how its value is read."""

    name: str
    summary: str
    read: Reader
    default: str  # shown to people; the value itself is `None` or computed
    table: str | None = None  # its table in a settings file

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str | None:
        return (
            None
            if self.table or self.name in {"audit_reads", "classifier", "extractor"}
            else "--" + self.name.replace("_", "-")
        )

    @property
    def key(self) -> str:
        """How a file names it."""
        return self.name if self.table is None else f"{self.table}.{self.name}"


class Found(Struct, frozen=True):
    """A setting's value and where it was found."""

    name: str
    value: Any
    origin: str
    rank: int  # how strong the origin is: 0 is a flag, the highest a default


class Settings(Struct, frozen=True):
    """The value of every setting."""

    found: Mapping[str, Found]

    def __getitem__(self, name: str) -> Any:
        return self.found[name].value


def load(flags: Mapping[str, Any], environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """Find the value in force of every setting. An error names the setting."""
    environment = os.environ if environ is None else environ
    here = (cwd or Path.cwd()).absolute()
    origins = list(_origins(flags, environment, here))
    found = {setting.name: _find(setting, origins) for setting in SETTINGS}
    return Settings({name: _with_identity(one, found["as"]) for name, one in found.items()})


def user_file() -> Path:
    return _user_folder("config") / "config.toml"


def project_file(cwd: Path, environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that is named, or the nearest `memfort.toml` at or above `cwd`, as far as the root of a repository."""
    named = (os.environ if environ is None else environ).get(NAMED_FILE)
    if named is not None:
        return read_path(NAMED_FILE, named, cwd)
    for directory in (cwd, *cwd.parents):
        if (directory / PROJECT_FILE).is_file():
            return directory / PROJECT_FILE
        if (directory / ".git").exists():
            return None
    return None


def default_store() -> Path:
    return _user_folder("data") / "memfort.db"


def _user_folder(kind: str) -> Path:
    """The directory for a user's settings or data on this system. Two common cases are handled here, because importing
    platformdirs, which knows the others, is slow."""
    given, home = os.environ.get(f"XDG_{kind.upper()}_HOME", ""), os.environ.get("HOME", "")
    if given.startswith("/"):
        return Path(given, "memfort")
    if sys.platform == "linux" and home.startswith("/"):
        return Path(home, *_IN_HOME[kind], "memfort")
    import platformdirs

    return platformdirs.user_config_path("memfort") if kind == "config" else platformdirs.user_data_path("memfort")


class _Origin(Struct, frozen=True):
    """One source of settings, with its values keyed by the settings' own names."""

    label: Callable[[Setting], str]  # for `config show`
    name: Callable[[Setting], str]  # for errors: what to look at
    values: Mapping[str, Any]
    directory: Path


def _origins(flags: Mapping[str, Any], environ: Mapping[str, str], here: Path) -> Iterator[_Origin]:
    yield _Origin(lambda one: f"flag {one.flag}", lambda one: str(one.flag), flags, here)
    yield _Origin(lambda one: f"environment {one.variable}", lambda one: one.variable, _from_environment(environ), here)
    is_named = NAMED_FILE in environ  # a file that the user named explicitly is trusted
    yield _file_origin(project_file(here, environ), here, must_exist=is_named, any_owner=is_named)
    yield _file_origin(user_file(), here, must_exist=False, any_owner=True)


def _file_origin(path: Path | None, here: Path, *, must_exist: bool, any_owner: bool) -> _Origin:
    values = {} if path is None or not (must_exist or path.is_file()) else _from_file(path, any_owner=any_owner)
    directory = here if path is None else path.parent
    return _Origin(lambda _: str(path), lambda one: f"{path}: {one.key}", values, directory)


def _find(setting: Setting, origins: list[_Origin]) -> Found:
    for rank, origin in enumerate(origins):
        if setting.name in origin.values:
            try:
                value = setting.read(setting.name, origin.values[setting.name], origin.directory)
            except InvalidInput as error:
                raise InvalidInput(origin.name(setting), error.problem, error.remedy) from None
            return Found(setting.name, value, origin.label(setting), rank)
    return Found(setting.name, _DEFAULTS[setting.name](), "default", len(origins))


def _with_identity(found: Found, identity: Found) -> Found:
    """`acting_for` and `owner` belong to `as`: one from a weaker origin belongs to a different actor."""
    if found.name not in {"acting_for", "owner"} or found.rank <= identity.rank or found.value is None:
        return found
    return replace(found, value=None, origin=f"default; the one in {found.origin} belongs to another `as`")


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    variables = {setting.variable: setting.name for setting in SETTINGS}
    found = {}
    for variable, value in environ.items():
        if variable in variables:
            found[variables[variable]] = value
        elif close := _near_miss(variable, variables):
            raise InvalidInput(variable, "there is no such setting", f"did you mean `{close[0]}`?")
    return found


def _near_miss(variable: str, known: Mapping[str, str]) -> list[str]:
    """The setting that an unknown variable was probably meant for. Other programs may use our prefix; only a near miss
    is a mistake."""
    if not variable.startswith(PREFIX) or variable in _OTHER_VARIABLES:
        return []
    from difflib import get_close_matches

    return get_close_matches(variable, sorted({*known, *_OTHER_VARIABLES}), n=1, cutoff=0.85)


def _from_file(path: Path, *, any_owner: bool) -> dict[str, Any]:
    import tomllib

    try:
        with path.open("rb") as file:
            if not any_owner:
                _check_owner(path, file.fileno())
            data = tomllib.loads(file.read().decode())
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(path), f"it is not valid TOML: {error}", "fix the line it names") from error
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InvalidInput(str(path), f"it cannot be read: {problem}", "fix that, or name another file") from error
    return _known(data, path)


def _known(data: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The values of a file by the settings' own names. Settings of a table are read from that table."""
    keys = {setting.key: setting.name for setting in SETTINGS}
    found: dict[str, Any] = {}
    for name, value in data.items():
        inside = {f"{name}.{key}": one for key, one in value.items()} if name in _TABLES and _is_table(value) else None
        for key, one in ({name: value} if inside is None else inside).items():
            if key not in keys:
                meant = next((known for known in keys if known.endswith(f".{key}")), None)
                hint = did_you_mean(key, keys) if meant is None else f"did you mean `{meant}`?"
                raise InvalidInput(f"{path}: {key}", "there is no such setting", hint)
            found[keys[key]] = one
    return found


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _check_owner(path: Path, descriptor: int) -> None:
    """Refuse a file of another user: it could send memories to that user's store. The administrator's files are
    trusted."""
    if not hasattr(os, "getuid"):
        return
    owners = {path.lstat().st_uid, os.fstat(descriptor).st_uid}  # of a link and of its target
    if owners - {os.getuid(), 0}:
        raise InvalidInput(
            str(path),
            "it belongs to another user, so it is not obeyed",
            f"if you trust it set {NAMED_FILE}={path}, otherwise remove it or work in another directory",
        )


SETTINGS: tuple[Setting, ...] = (
    Setting("store", "The file that memories are kept in.", read_store, "`memfort.db` in the user's data directory"),
    Setting(
        "as", "Who asks: `alice`, `user:alice`, `agent:helper` or `system`.", read_identity, "none; operations need it"
    ),
    Setting("acting_for", "The user that an agent acts for.", read_name, "nobody"),
    Setting("owner", "The owner of an agent that is not registered yet.", read_name, "none"),
    Setting("at", "The places where the caller stands, each `level=id`.", read_places, "none"),
    Setting(
        "policy",
        "The policy in force: a file, or the name of a preset.",
        read_path,
        "the one in use in the store, else the built-in",
    ),
    Setting(
        "memberships",
        "Which memberships of chats and groups count: also those that the host program names, or only registered ones.",
        one_of("trusted", "registered"),
        "`trusted`",
    ),
    Setting("json", "Answer with one JSON document.", read_flag, "`false`"),
    Setting(
        "embedder",
        "The embedder for semantic search: `words`, `none`, `local`, `local:NAME`, or the address "
        "of a server, `https://…/v1/embeddings#model`.",
        model_setting("words", "none", "local", path="/v1/embeddings"),
        "`words`",
    ),
    Setting(
        "reranker",
        "The reranker of the first hits of a recall: `none`, the folder of a cross-encoder, "
        "`local:./folder`, or the address of a server, `https://…/v1/rerank#model`.",
        model_setting("none", "local:./folder", path="/v1/rerank"),
        "`none`",
    ),
    Setting(
        "classifier",
        "The encoder that judges how private a statement is that its words do not settle: `auto` (that of the extra "
        "`multilingual`, where it is installed), `none` or `local:multilingual`.",
        one_of("auto", "none", "local:multilingual"),
        "`auto`",
    ),
    Setting(
        "extractor",
        "The model that reads conversations once more: `none`, the address of a server, `https://…/v1#model`, or "
        "`entry:NAME` for one that an installed package brings.",
        read_extractor,
        "`none`",
    ),
    Setting(
        "audit_reads",
        "How reads are recorded in the trail, overriding the policy: `off`, `batched` or `durable`.",
        one_of("off", "batched", "durable"),
        "as the policy says",
    ),
    Setting(
        "auto_gc",
        "Collect expired memories when a command that adds something opens the store.",
        read_flag,
        "`false`",
        "memory",
    ),
    Setting(
        "max_entries",
        "How many memories one author may keep in all spaces, overriding the policy's `budget.owner`.",
        read_count,
        "as the policy says",
        "memory",
    ),
    Setting(
        "extraction_enabled",
        "Whether `observe` extracts more than the turns from a conversation.",
        read_flag,
        "`true`",
        "memory",
    ),
    Setting(
        "extraction_confidence_threshold",
        "Statements extracted from a conversation with less confidence are not kept, in "
        "place of the policy's `discard_confidence`.",
        read_fraction,
        "as the policy says",
        "memory",
    ),
)
_TABLES = frozenset(setting.table for setting in SETTINGS if setting.table)

_DEFAULTS: dict[str, Callable[[], Any]] = {
    "store": default_store,
    "as": lambda: None,
    "acting_for": lambda: None,
    "owner": lambda: None,
    "at": tuple,
    "policy": lambda: None,
    "memberships": lambda: "trusted",
    "json": lambda: False,
    "embedder": lambda: "words",
    "reranker": lambda: "none",
    "classifier": lambda: "auto",
    "extractor": lambda: "none",
    "audit_reads": lambda: None,
    "auto_gc": lambda: False,
    "max_entries": lambda: None,
    "extraction_enabled": lambda: True,
    "extraction_confidence_threshold": lambda: None,
}
_OTHER_VARIABLES = frozenset(
    {
        "MEMFORT_DEBUG",
        NAMED_FILE,
        "MEMFORT_EMBEDDER_MODEL",
        "MEMFORT_EMBEDDER_KEY",
        "MEMFORT_RERANKER_MODEL",
        "MEMFORT_RERANKER_KEY",
        "MEMFORT_EXTRACTOR_MODEL",
        "MEMFORT_EXTRACTOR_KEY",
    }
)
