"""Programs that run agents and take plugins: OpenClaw and Hermes. What is changed in their settings when the plugin
goes in, so that the memory of the program itself is silent, and how that is taken back.

What was there before is kept in a file beside the plugin, so that `--undo` gives it back.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from memfort.errors import InvalidInput
from memfort.surfaces.cli.hosts import as_json, read_json, write_text

_BEFORE = "memfort-before.json"
_ABSENT = "memfort: it was not set"
# What Hermes keeps by itself, for whoever speaks: off, as long as Memfort is there.
_HERMES_MEMORY: Mapping[str, Any] = {"provider": "memfort", "memory_enabled": False, "user_profile_enabled": False}
_HERMES_LOADER = (
    '"""Memfort, put here by `memfort hermes install`."""\n\n'
    "from memfort.integrations.hermes import register  # it calls register_memory_provider\n\n"
    '__all__ = ["register"]\n'
)


# -- Hermes ------------------------------------------------------------------------------------------------------------


def hermes_home() -> Path:
    return Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")


def install_hermes(home: Path, settings: Mapping[str, Any]) -> list[Path]:
    """Put the provider and its settings into Hermes' folder, and make it the only memory."""
    folder = home / "plugins" / "memfort"
    written = [folder / "__init__.py", folder / "plugin.yaml", home / "memfort.json", home / "config.yaml"]
    config = _read_yaml(written[3])
    memory = config.setdefault("memory", {})
    if not isinstance(memory, dict):
        raise InvalidInput("home", f"`memory` in `{written[3]}` is not a mapping", "correct it first")
    if not (home / _BEFORE).exists():
        before = {name: memory.get(name, _ABSENT) for name in _HERMES_MEMORY}
        write_text(home / _BEFORE, as_json(before))
    write_text(written[0], _HERMES_LOADER)
    write_text(written[1], _shipped("hermes", "plugin.yaml"))
    write_text(written[2], as_json(dict(settings)))
    memory.update(_HERMES_MEMORY)
    _write_yaml(written[3], config)
    return written


def uninstall_hermes(home: Path) -> bool:
    """Take the provider out, and give Hermes back what it had. Gives whether it was there."""
    folder, before = home / "plugins" / "memfort", home / _BEFORE
    was_there = folder.exists()
    if before.exists():
        config = _read_yaml(home / "config.yaml")
        memory = config.setdefault("memory", {})
        for name, value in read_json(before).items():
            if value == _ABSENT:
                memory.pop(name, None)
            else:
                memory[name] = value
        if not memory:
            del config["memory"]
        _write_yaml(home / "config.yaml", config)
        before.unlink()
    if was_there:
        shutil.rmtree(folder)
    (home / "memfort.json").unlink(missing_ok=True)
    return was_there


def _read_yaml(path: Path) -> dict[str, Any]:
    import yaml

    if not path.exists():
        return {}
    try:
        found = yaml.safe_load(path.read_text("utf-8")) or {}
    except yaml.YAMLError:
        raise InvalidInput("home", f"`{path}` is not valid YAML", "correct it first") from None
    if not isinstance(found, dict):
        raise InvalidInput("home", f"`{path}` is not a mapping", "correct it first")
    return found


def _write_yaml(path: Path, document: Mapping[str, Any]) -> None:
    import yaml

    write_text(path, yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True))


# -- OpenClaw ----------------------------------------------------------------------------------------------------------


def openclaw_steps(folder: Path, config: Mapping[str, Any]) -> list[list[str]]:
    """The commands of OpenClaw that put the plugin in, and silence the memory beside it."""
    entry = {"enabled": True, "config": dict(config), "hooks": {"allowConversationAccess": True}}
    return [
        ["plugins", "install", "--link", "--force", "--accept-capabilities", str(folder)],
        ["config", "set", "plugins.slots.memory", json.dumps("memfort"), "--strict-json"],
        ["config", "set", "plugins.entries.memfort", json.dumps(entry), "--strict-json"],
        ["plugins", "disable", "memory-core"],
    ]


OPENCLAW_UNDO = [
    ["plugins", "enable", "memory-core"],
    ["config", "set", "plugins.slots.memory", json.dumps("memory-core"), "--strict-json"],
    ["plugins", "uninstall", "memfort", "--force"],
]


def openclaw_folder() -> Path:
    """Where the plugin's package is: in a wheel that is unpacked it is a folder."""
    with as_file(files("memfort") / "integrations" / "openclaw") as folder:
        return folder


def run_openclaw(program: str, steps: list[list[str]]) -> None:
    """Run the commands of OpenClaw one after the other, and say which failed and why."""
    for words in steps:
        try:
            done = subprocess.run([program, *words], capture_output=True, text=True, check=False)  # noqa: S603
        except OSError as error:
            raise InvalidInput("openclaw", f"`{program}` cannot be run", "name it with `--program`") from error
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise InvalidInput("openclaw", f"`{' '.join(words[:2])}` failed: {said[-1] if said else ''}", "see its log")


def _shipped(*names: str) -> str:
    return files("memfort").joinpath("integrations", *names).read_text("utf-8")
