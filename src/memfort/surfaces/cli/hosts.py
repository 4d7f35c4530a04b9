"""Programs that assistants run in, and their settings files: which file, which form, and how one entry is put in or
taken out while everything else in it stays as it is."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from memfort.errors import InvalidInput

NAME = "memfort"  # of the entry
_TOML_BEGIN, _TOML_END = "# memfort: begin", "# memfort: end"


class Host(Struct, frozen=True):
    """A program, and where it looks for MCP servers."""

    name: str
    user_file: tuple[str, ...]  # below the folder of its settings
    project_file: tuple[str, ...] = ()  # below the project; none: it has no settings of projects
    servers: str = "mcpServers"  # the key that holds the servers
    is_toml: bool = False
    in_settings: bool = False  # below the system's folder of settings, not below the home directory
    says_type: bool = False  # an entry names its transport

    def file(self, scope: str) -> Path:
        if scope == "project":
            if not self.project_file:
                raise InvalidInput("scope", f"{self.name} has no settings of projects", "use `--scope user`")
            return Path.cwd().joinpath(*self.project_file)
        return (_settings_folder() if self.in_settings else Path.home()).joinpath(*self.user_file)


HOSTS: Mapping[str, Host] = {
    one.name: one
    for one in (
        Host("claude-code", (".claude.json",), (".mcp.json",)),
        Host("claude-desktop", ("Claude", "claude_desktop_config.json"), in_settings=True),
        Host("cursor", (".cursor", "mcp.json"), (".cursor", "mcp.json")),
        Host(
            "vscode", ("Code", "User", "mcp.json"), (".vscode", "mcp.json"), "servers", in_settings=True, says_type=True
        ),
        Host("codex", (".codex", "config.toml"), (".codex", "config.toml"), "mcp_servers", is_toml=True),
        Host("gemini", (".gemini", "settings.json"), (".gemini", "settings.json")),
    )
}


def _settings_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming"))
    return Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config"))


def entry_of(host: Host, command: list[str]) -> dict[str, Any]:
    program, *arguments = command
    return {**({"type": "stdio"} if host.says_type else {}), "command": program, "args": arguments}


def snippet(host: Host, command: list[str]) -> str:
    """What belongs into the file of the program."""
    if host.is_toml:
        return _toml_block(host, command)
    return json.dumps({host.servers: {NAME: entry_of(host, command)}}, indent=2)


def install(host: Host, path: Path, command: list[str]) -> bool:
    """Put the entry into the file. Gives whether the file changed."""
    if host.is_toml:
        return _install_toml(host, path, command)
    document = read_json(path)
    servers = document.setdefault(host.servers, {})
    if not isinstance(servers, dict):
        raise InvalidInput("client", f"`{host.servers}` in `{path}` is not a mapping", "correct it, or use `--print`")
    if servers.get(NAME) == (entry := entry_of(host, command)):
        return False
    servers[NAME] = entry
    write_text(path, as_json(document))
    return True


def uninstall(host: Host, path: Path) -> bool:
    """Take the entry out of the file again. Gives whether it was there."""
    if host.is_toml:
        return _uninstall_toml(path)
    document = read_json(path)
    servers = document.get(host.servers)
    if not isinstance(servers, dict) or NAME not in servers:
        return False
    del servers[NAME]
    if not servers:
        del document[host.servers]
    write_text(path, as_json(document))
    return True


def read_json(path: Path) -> dict[str, Any]:
    """The settings in a file; none if there is no file. A file that is not plain JSON is left alone."""
    if not path.exists() or not (text := path.read_text("utf-8")).strip():
        return {}
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise InvalidInput("client", f"`{path}` is not plain JSON", "use `--print`, and put it in by hand")
    return document


def as_json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, with the rights that it had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()  # a link stays a link
    new = target.with_name(f".{target.name}.memfort")
    new.write_text(text, "utf-8")
    new.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o600)
    new.replace(target)


def _toml_block(host: Host, command: list[str]) -> str:
    program, *arguments = command
    lines = [
        _TOML_BEGIN,
        f"[{host.servers}.{NAME}]",
        f"command = {json.dumps(program)}",
        f"args = {json.dumps(arguments)}",
        _TOML_END,
    ]
    return "\n".join(lines) + "\n"


def _install_toml(host: Host, path: Path, command: list[str]) -> bool:
    text = path.read_text("utf-8") if path.exists() else ""
    kept = _without_block(text)
    try:
        known = tomllib.loads(kept)
    except tomllib.TOMLDecodeError:
        raise InvalidInput("client", f"`{path}` is not valid TOML", "use `--print`, and put it in by hand") from None
    if NAME in known.get(host.servers, {}):
        raise InvalidInput("client", f"`{path}` has an entry `{NAME}` of your own", "remove it first, or keep it")
    between = "" if not kept or kept.endswith("\n\n") else "\n" if kept.endswith("\n") else "\n\n"
    made = kept + between + _toml_block(host, command)
    if made == text:
        return False
    write_text(path, made)
    return True


def _uninstall_toml(path: Path) -> bool:
    text = path.read_text("utf-8") if path.exists() else ""
    if (kept := _without_block(text)) == text:
        return False
    write_text(path, kept)
    return True


def _without_block(text: str) -> str:
    return re.sub(rf"\n?^{_TOML_BEGIN}$.*?^{_TOML_END}$\n?", "", text, flags=re.MULTILINE | re.DOTALL)
