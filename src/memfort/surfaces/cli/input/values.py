"""Parse the values of settings and options: names, places, paths. An invalid value is refused.

Nothing here knows where a value came from; the caller names it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memfort.errors import InvalidInput, a, did_you_mean

Places = tuple[tuple[str, str], ...]
Reader = Callable[[str, Any, Path], Any]  # name, value as given, directory that a relative path starts from

_KINDS_OF_ACTORS = ("agent", "user")  # `system` stands alone

# These levels say whose space it is. They identify an actor and are not places.
_NOT_PLACES = {
    "user": "say who asks with `{who}`",
    "system": "use `{who} system`",
    "visibility": "it belongs in a space: `--space agent=helper --space visibility=private`",
}


def coordinate(text: object, field: str) -> tuple[str, str]:
    """A level and an id from `level=id`. Only the first `=` divides; an id may hold any other."""
    level, divider, id = str(text).partition("=")
    if not divider or not level:
        raise InvalidInput(field, f"`{text}` is not `level=id`", "write it like `project=apollo`")
    return _level(level, field), id


def coordinates(given: tuple[str, ...], field: str) -> dict[str, str]:
    """The coordinates that a repeated option names, each level once."""
    return _once(tuple(coordinate(one, field) for one in given), field)


def places(given: Places, field: str, who: str = "--as") -> dict[str, str]:
    """The places of an actor. The option `who` names the actor; a place cannot."""
    from memfort.model.space import check_id

    for level, id in given:
        if _level(level, field) in _NOT_PLACES:
            raise InvalidInput(field, f"`{level}` is not a place", _NOT_PLACES[level].format(who=who))
        check_id(id, field)
    return _once(given, field)


def kind_and_name(identity: str, field: str) -> tuple[str, str]:
    """`user:` and `agent:` give the kind; without a colon it is a user's name. Another kind is refused: a slip such as
    `agnet:helper` must not make a user of that name. `user:agnet:helper` is how to name one."""
    from memfort.model.space import check_id

    if identity == "system":
        return "system", identity
    kind, divider, name = identity.partition(":")
    if not divider:
        kind, name = "user", identity
    elif kind not in _KINDS_OF_ACTORS:
        near = did_you_mean(kind, _KINDS_OF_ACTORS)
        remedy = f"{near} A user of that name is `user:{identity}`"
        raise InvalidInput(field, f"`{kind}` is no kind of actor", remedy)
    return kind, check_id(name, field)


def read_identity(name: str, value: Any, directory: Path) -> str:
    identity = _text(name, value, directory)
    kind_and_name(identity, name)
    return identity


def read_name(name: str, value: Any, directory: Path) -> str:
    from memfort.model.space import check_id

    return check_id(_text(name, value, directory), name)


def read_path(name: str, value: Any, directory: Path) -> Path:
    text = _text(name, value, directory)
    if not text.strip() or "\x00" in text:
        raise InvalidInput(name, "it names no file", "give the path of a file")
    try:
        return directory / Path(text).expanduser()
    except RuntimeError:  # a `~name` without a home directory
        raise InvalidInput(name, f"`{text}` begins in an unknown home directory", "write the whole path") from None


def read_store(name: str, value: Any, directory: Path) -> Path | str:
    """The path of a store, the address of one, or of a server. A store without a file would be lost at the end of the
    command."""
    if isinstance(value, str) and value.startswith(("http://", "https://")):
        return value
    if value == ":memory:":
        remedy = "name a file; in Python, `Memory.open(':memory:')` remembers for as long as it is open"
        raise InvalidInput(name, "`:memory:` would forget everything when the command ends", remedy)
    if not isinstance(value, str) or "://" not in value:
        return read_path(name, value, directory)
    from memfort.store.opening import DEFAULT, engine_at

    engine_at(value)  # or there is none
    return read_path(name, value.removeprefix(f"{DEFAULT}://"), directory) if value.startswith(DEFAULT) else value


def read_flag(name: str, value: Any, _: Path) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, bool):
        return value
    if str(value).lower() not in known:
        raise InvalidInput(name, f"`{value}` is neither yes nor no", "use true or false")
    return known[str(value).lower()]


def read_count(name: str, value: Any, _: Path) -> int:
    """A whole number above zero; in the environment it is text."""
    try:
        count = int(value) if isinstance(value, str) else value
    except ValueError:
        count = None
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InvalidInput(name, f"`{value}` is not a number of memories", "give at least 1, or leave it out")
    return count


def read_fraction(name: str, value: Any, _: Path) -> float:
    try:
        fraction = float(value) if isinstance(value, str) else value
    except ValueError:
        fraction = None
    if not isinstance(fraction, int | float) or isinstance(fraction, bool) or not 0 <= fraction <= 1:
        raise InvalidInput(name, f"`{value}` is not between 0 and 1", "give a number from 0 to 1")
    return float(fraction)


def model_setting(*words: str, path: str) -> Reader:
    """The word or the address of an embedder or a reranker. Whether it is available shows when it is used; a folder is
    relative to the file of the setting."""

    def read(name: str, value: Any, directory: Path) -> str:
        text = _text(name, value, directory)
        kind, _, rest = text.partition(":")
        if kind == "local" and "/" in rest:
            return f"local:{read_path(name, rest, directory)}"
        if text not in words and kind not in {"local", "http", "https"}:
            hint = did_you_mean(text, words)
            remedy = hint if hint.endswith("?") else f"{hint}, or give an address `https://…{path}`"
            raise InvalidInput(name, f"`{text}` is not possible", remedy)
        return text

    return read


def read_extractor(name: str, value: Any, directory: Path) -> str:
    """The word or the address of an extractor. Whether it is available shows when it is used."""
    text = _text(name, value, directory)
    if text != "none" and text.partition(":")[0] not in {"http", "https", "entry"}:
        raise InvalidInput(name, f"`{text}` is not possible", "use none, `https://…/v1#model` or `entry:NAME`")
    return text


def one_of(*choices: str) -> Reader:
    def read(name: str, value: Any, _: Path) -> str:
        if value not in choices:
            raise InvalidInput(name, f"`{value}` is not possible", did_you_mean(str(value), choices))
        return str(value)

    return read


def read_places(name: str, value: Any, directory: Path) -> Places:
    """Places from one `level=id`, a list of them, or a table of levels and ids (in the environment: as JSON)."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise InvalidInput(name, "it is not JSON", 'write it like {"project": "apollo"}') from None
    if isinstance(value, Mapping):
        table = tuple((str(level), _text(name, id, directory)) for level, id in value.items())
        return tuple(places(table, name).items())
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        raise InvalidInput(name, f"{a(_word(value))} names no places", "write it like `project=apollo`")
    return tuple(places(tuple(coordinate(one, name) for one in given), name).items())


def _text(name: str, value: Any, _: Path) -> str:
    if not isinstance(value, str):
        raise InvalidInput(name, f"{a(_word(value))} is not a text", "write it in quotes")
    return value


def _level(name: str, field: str) -> str:
    from memfort.model.space import level_of

    try:
        return level_of(name).value
    except InvalidInput as error:
        raise InvalidInput(field, error.problem, error.remedy) from None


def _once(given: Places, field: str) -> dict[str, str]:
    levels = [level for level, _ in given]
    for level in levels:
        if levels.count(level) > 1:
            raise InvalidInput(field, f"`{level}` is named twice", "name each level once")
    return dict(given)


def _word(value: object) -> str:
    """The type's name in TOML and JSON."""
    words = {bool: "boolean", int: "number", float: "number", list: "list", dict: "table", type(None): "null"}
    return words.get(type(value), "time")
