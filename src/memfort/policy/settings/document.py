"""Read a policy from TOML text. An error names the line, the key and a remedy.

A document says only what differs from the preset it `extends`, which is `default` unless it says otherwise. Inherited
settings that it names in `unset` are switched off; then tables are merged, and lists are replaced. `extends =
"nothing"` starts from an empty document, as the presets themselves do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import fields

from memfort.errors import InvalidInput, did_you_mean
from memfort.model.serialize.decoding import decode
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.unset import is_set, remove_setting

NOTHING = "nothing"
_PRESETS = Path(__file__).parent.parent / "presets"
_NEVER = {"mode": "never"}  # a rule that sets no limit takes the place of one that does
_OF_DOCUMENTS = ("extends", "unset")  # keys of a document besides the settings of a policy


def preset_names() -> list[str]:
    return sorted(one.stem for one in _PRESETS.glob("*.toml"))


@lru_cache(maxsize=16)
def preset(name: str) -> Policy:
    """One of the policies that come with Memfort."""
    if name not in preset_names():
        raise InvalidInput("preset", f"there is no preset `{name}`", did_you_mean(name, preset_names()))
    return read_policy(_preset_text(name), name)


def preset_summary(name: str) -> str:
    """The description in the first line of a preset."""
    return _preset_text(name).partition("\n")[0].removeprefix("# ")


def _preset_text(name: str) -> str:
    return (_PRESETS / f"{name}.toml").read_text(encoding="utf-8")


def load_policy(path: Path) -> Policy:
    """The policy in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(str(path), "the policy file cannot be read", "check that it is there") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), f"byte {error.start} is not UTF-8", "save it as UTF-8") from error
    return read_policy(text, str(path))


def read_policy(text: str, where: str) -> Policy:
    """The policy in a TOML text; `where` names the text in errors."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(where, f"it is not valid TOML: {error}", "fix the line it names") from error
    try:
        return policy_of(data)
    except InvalidInput as error:
        line = line_of(text, error.field)
        place = where if line is None else f"{where} line {line}"
        raise InvalidInput(f"{place}: {error.field}", error.problem, error.remedy) from None


def policy_of(data: Mapping[str, Any]) -> Policy:
    """The policy in plain data, as parsed from TOML."""
    given = dict(data)
    _check_known(given)
    base, unset = given.pop("extends", "default"), given.pop("unset", ())
    inherited = _remove_unset({} if base == NOTHING else _base(base), given, unset)
    return decode(Policy, merge_tables(inherited, given), noun="setting")


def merge_tables(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` merged into `base`: tables are merged, everything else is replaced. A lifetime that `never` ends leaves
    nothing of an inherited limit."""
    result = dict(base)
    for name, value in over.items():
        under = result.get(name)
        both = isinstance(under, Mapping) and isinstance(value, Mapping) and value != _NEVER
        result[name] = merge_tables(under, value) if both else value  # type: ignore[arg-type]
    return result


def line_of(text: str, key: str) -> int | None:
    """The line of a TOML text that sets `key`, or the nearest thing above it: a list or table it lies in."""
    wanted = _parts(key)
    best, found = 0, None
    for number, path in _places(text):
        shared = next(
            (n for n, (a, b) in enumerate(zip(path, wanted, strict=False)) if a != b), min(len(path), len(wanted))
        )
        if shared == len(path) and shared > best:
            best, found = shared, number
    return found


def _check_known(given: Mapping[str, Any]) -> None:
    known = [*(one.name for one in fields(Policy)), *_OF_DOCUMENTS]
    for name in given:
        if name not in known:
            raise InvalidInput(str(name), "there is no such setting", did_you_mean(str(name), known))


def _base(name: Any) -> dict[str, Any]:
    if not isinstance(name, str) or name not in preset_names():
        hint = did_you_mean(str(name), [*preset_names(), NOTHING])
        raise InvalidInput("extends", f"there is no preset `{name}`", hint)
    return {**preset(name).to_dict(), "name": name}


def _remove_unset(inherited: dict[str, Any], given: Mapping[str, Any], unset: Any) -> dict[str, Any]:
    """The inherited settings without those that the document switches off."""
    for place, key in enumerate(decode(tuple[str, ...], unset, field="unset")):
        entry = f"unset[{place}]"
        if not (path := _parts(key)):
            raise InvalidInput(entry, f"`{key}` names nothing", "give the dotted name of a setting")
        if is_set(given, path, Policy):
            raise InvalidInput(entry, f"`{key}` is given a value here too", "keep one of the two")
        try:
            inherited = remove_setting(Policy, inherited, path)
        except InvalidInput as error:
            raise InvalidInput(entry, f"`{key}` cannot be switched off: {error.problem}", error.remedy) from None
    return inherited


def _places(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every line that opens a table or sets a key, with its full path."""
    table: tuple[str, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("[["):
            name = _parts(stripped[2:].split("]]")[0])
            counts[name] = counts.get(name, -1) + 1
            table = (*name, str(counts[name]))
            yield number, table
        elif stripped.startswith("["):
            table = _parts(stripped[1:].split("]")[0])
            yield number, table
        elif (found := _KEY.match(stripped)) is not None:
            yield number, (*table, *_parts(found.group(1)))


_KEY = re.compile(r"""((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[^.\[\]"'\s]+|"[^"]*"|'[^']*'""")


def _parts(key: str) -> tuple[str, ...]:
    """The parts of a dotted key, with list indexes as separate parts: `governance[0].effect` has three."""
    return tuple(part.strip("\"'") for part in _PART.findall(key))
