"""Settings, each with its origin: flag, then environment, then `memfort.toml`, then the user's own file, then default.

A project's `memfort.toml` is looked for from the working directory upward, as far as the root of a git repository.
Nothing is guessed: an unknown key is an error that suggests the right one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memfort.errors import InvalidInput, did_you_mean

PROJECT_FILE = "memfort.toml"
PREFIX = "MEMFORT_"
Places = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be set, and how its value is read."""

    name: str
    summary: str
    read: Callable[[str, Any, Path], Any]  # name, value as given, directory that a relative path starts from
    default: str  # for people; the value itself is `None` or computed

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str | None:
        return None if self.name == "audit_reads" else "--" + self.name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Found:
    """A setting's value and where it was found."""

    name: str
    value: Any
    origin: str
    rank: int  # how strong the origin is: 0 is a flag, the highest a default


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, found."""

    found: Mapping[str, Found]

    def __getitem__(self, name: str) -> Any:
        return self.found[name].value

    def with_identity(self, name: str) -> Any:
        """`acting_for` or `owner`, which belong to `as`: one from a weaker origin was meant for somebody else."""
        return self[name] if self.found[name].rank <= self.found["as"].rank else None


def load(flags: Mapping[str, Any], environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """Find every setting. What cannot be understood is refused by name."""
    environment = os.environ if environ is None else environ
    here = (cwd or Path.cwd()).absolute()
    origins = list(_origins(flags, environment, here))
    return Settings({setting.name: _find(setting, origins) for setting in SETTINGS})


def user_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("memfort") / "config.toml"


def project_file(cwd: Path) -> Path | None:
    """The nearest `memfort.toml` at or above `cwd`, not looked for beyond the root of a repository."""
    for directory in (cwd, *cwd.parents):
        if (directory / PROJECT_FILE).is_file():
            return directory / PROJECT_FILE
        if (directory / ".git").exists():
            return None
    return None


def default_store() -> Path:
    from platformdirs import user_data_path

    return user_data_path("memfort") / "memfort.db"


def coordinate(text: object, field: str) -> tuple[str, str]:
    """A level and an id from `level=id`. Only the first `=` divides; an id may hold any other."""
    level, divider, id = str(text).partition("=")
    if not divider or not level:
        raise InvalidInput(field, f"`{text}` is not `level=id`", "write it like `project=apollo`")
    return level, id


@dataclass(frozen=True, slots=True)
class _Origin:
    """One place that settings come from, already in the settings' own names."""

    label: Callable[[Setting], str]
    values: Mapping[str, Any]
    directory: Path


def _origins(flags: Mapping[str, Any], environ: Mapping[str, str], here: Path) -> Iterator[_Origin]:
    yield _Origin(lambda setting: f"flag {setting.flag}", flags, here)
    yield _Origin(lambda setting: f"environment {setting.variable}", _from_environment(environ), here)
    for path in (project_file(here), user_file()):
        yield _Origin(lambda _, path=path: str(path), _from_file(path), path.parent if path else here)  # type: ignore[misc]


def _find(setting: Setting, origins: list[_Origin]) -> Found:
    for rank, origin in enumerate(origins):
        if setting.name in origin.values:
            value = setting.read(setting.name, origin.values[setting.name], origin.directory)
            return Found(setting.name, value, origin.label(setting), rank)
    return Found(setting.name, _DEFAULTS[setting.name](), "default", len(origins))


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
    """What an unknown variable was meant to be. Others may use our prefix for their own; a near miss is a mistake."""
    if not variable.startswith(PREFIX) or variable in _OTHER_VARIABLES:
        return []
    return get_close_matches(variable, sorted(known), n=1, cutoff=0.85)


def _from_file(path: Path | None) -> dict[str, Any]:
    if path is None or not path.is_file():
        return {}
    import tomllib

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(path), f"it is not valid TOML: {error}", "mend the line it names") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(path), "it cannot be read", "check its permissions and that it is UTF-8") from error
    known = [setting.name for setting in SETTINGS]
    for key in data:
        if key not in known:
            raise InvalidInput(f"{path}: {key}", "there is no such setting", did_you_mean(key, known))
    return data


def _text(name: str, value: Any, _: Path) -> str:
    if not isinstance(value, str):
        raise InvalidInput(name, f"a {type(value).__name__} is not a text", "write it as a text")
    return value


def _path(name: str, value: Any, directory: Path) -> Path:
    text = _text(name, value, directory)
    if not text.strip() or "\x00" in text:
        raise InvalidInput(name, "it names no file", "give the path of a file")
    return directory / Path(text).expanduser()


def _flag(name: str, value: Any, _: Path) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, bool):
        return value
    if str(value).lower() not in known:
        raise InvalidInput(name, f"`{value}` is neither yes nor no", "use true or false")
    return known[str(value).lower()]


def _one_of(*choices: str) -> Callable[[str, Any, Path], str]:
    def read(name: str, value: Any, _: Path) -> str:
        if value not in choices:
            raise InvalidInput(name, f"`{value}` is not possible", f"use one of {', '.join(choices)}")
        return str(value)

    return read


def _places(name: str, value: Any, _: Path) -> Places:
    """Places from one `level=id`, a list of them, or a table of levels and ids (in the environment: as JSON)."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise InvalidInput(name, "it is not JSON", 'write it like {"project": "apollo"}') from error
    if isinstance(value, Mapping):
        return tuple((str(level), _text(name, id, Path())) for level, id in value.items())
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        raise InvalidInput(name, f"a {type(value).__name__} names no places", "write it like `project=apollo`")
    return tuple(coordinate(one, name) for one in given)


SETTINGS: tuple[Setting, ...] = (
    Setting("store", "The file that memories are kept in.", _path, "`memfort.db` in the user's data directory"),
    Setting("as", "Who asks: `alice`, `user:alice`, `agent:helper` or `system`.", _text, "none; a verb needs it"),
    Setting("acting_for", "The user that an agent acts for.", _text, "nobody"),
    Setting("owner", "The owner of an agent that is not registered yet.", _text, "none"),
    Setting("at", "The places one stands at, each `level=id`.", _places, "none"),
    Setting("policy", "The file with the policy in force.", _path, "the built-in policy"),
    Setting("memberships", "Whose word counts for chats and groups: the host program's, or the directory's alone.",
            _one_of("trusted", "registered"), "`trusted`"),
    Setting("json", "Answer with one JSON document.", _flag, "`false`"),
    Setting("audit_reads", "How reads get into the trail, in place of what the policy says: `off`, `batched` or "
            "`durable`.", _one_of("off", "batched", "durable"), "as the policy says"),
)  # fmt: skip

_DEFAULTS: dict[str, Callable[[], Any]] = {
    "store": default_store,
    "as": lambda: None,
    "acting_for": lambda: None,
    "owner": lambda: None,
    "at": tuple,
    "policy": lambda: None,
    "memberships": lambda: "trusted",
    "json": lambda: False,
    "audit_reads": lambda: None,
}
_OTHER_VARIABLES = frozenset({"MEMFORT_DEBUG"})
