"""Claude's memory tool: `client.beta.messages.tool_runner(tools=[MemfortMemoryTool(memory.as_user("alice"))], …)`.

The files that Claude writes are profile facts of the identity that the tool is bound to, under `/memories`. They pass
every gate; the messages are those that Claude knows from the file system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaCacheControlEphemeralParam

from memfort.integrations.bound import AgentMemory, AnyMemory, agent_memory
from memfort.integrations.named_texts import Name, NamedTexts

_ROOT = "/memories"
_MAX_LINES = 999_999
_WIDTH = len(str(_MAX_LINES))
_EMPTY = "(empty file)"  # a memory without words cannot be kept
_SHOWN_DEPTH = 2
_Files = dict[Name, str]


class MemfortMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `Anthropic`. What the policy refuses is an answer with `is_error` that says why."""

    def __init__(
        self, memory: AnyMemory | AgentMemory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._folder = _Folder(agent_memory(memory))

    @property
    def counts(self) -> Any:
        """How many files were written, and how many commands refused."""
        return self._folder.memory.counts

    def execute(self, command: Any) -> str:
        return self._folder.execute(command)

    def view(self, command: Any) -> str:
        return self._folder.execute(command, "view")

    def create(self, command: Any) -> str:
        return self._folder.execute(command, "create")

    def str_replace(self, command: Any) -> str:
        return self._folder.execute(command, "str_replace")

    def insert(self, command: Any) -> str:
        return self._folder.execute(command, "insert")

    def delete(self, command: Any) -> str:
        return self._folder.execute(command, "delete")

    def rename(self, command: Any) -> str:
        return self._folder.execute(command, "rename")

    def clear_all_memory(self) -> str:
        return self._folder.clear()


class AsyncMemfortMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`: the store works in a thread."""

    def __init__(
        self, memory: AnyMemory | AgentMemory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._folder = _Folder(agent_memory(memory))

    @property
    def counts(self) -> Any:
        """How many files were written, and how many commands refused."""
        return self._folder.memory.counts

    async def execute(self, command: Any) -> str:
        return await self._run(command, None)

    async def view(self, command: Any) -> str:
        return await self._run(command, "view")

    async def create(self, command: Any) -> str:
        return await self._run(command, "create")

    async def str_replace(self, command: Any) -> str:
        return await self._run(command, "str_replace")

    async def insert(self, command: Any) -> str:
        return await self._run(command, "insert")

    async def delete(self, command: Any) -> str:
        return await self._run(command, "delete")

    async def rename(self, command: Any) -> str:
        return await self._run(command, "rename")

    async def clear_all_memory(self) -> str:
        return await self._folder.memory.run(self._folder.clear)

    async def _run(self, command: Any, name: str | None) -> str:
        return await self._folder.memory.run(lambda: self._folder.execute(command, name))


class _Folder:
    """The commands over the files of one identity. A folder is there as long as a file is in it."""

    def __init__(self, memory: AgentMemory) -> None:
        self.memory = memory
        self._texts = NamedTexts(memory.verbs, "file")

    def execute(self, command: Any, name: str | None = None) -> str:
        """Payloads come as the model wrote them: nothing before this has checked them."""
        name = name or str(getattr(command, "command", None))
        work = _COMMANDS.get(name)
        if work is None:
            raise ToolError(f"Unknown command: {name}. Use one of {', '.join(_COMMANDS)}.")
        try:
            return work(self, _Arguments(command))
        except ToolError:
            raise
        except Exception as error:
            raise ToolError(self.memory.refused(name, error)) from error

    def view(self, given: _Arguments) -> str:
        path = given.text("path")
        name = _name(path)
        files = self._files(name)
        if name in files:
            return _numbered(path, files[name], given.line_range())
        if name and not files:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return _listing(path, name, files)

    def create(self, given: _Arguments) -> str:
        path = given.text("path")
        name, text = _name(path), given.text("file_text")
        there = self._files(name) or dict.fromkeys(self._parents(name), "")
        if there or not name:
            raise ToolError(f"File {path} already exists")
        self._write(name, text)
        return f"File created successfully at: {path}"

    def str_replace(self, given: _Arguments) -> str:
        path, old, new = given.text("path"), given.text("old_str"), given.text("new_str")
        name, text = self._file(path)
        lines = _lines_with(text, old)
        if not lines:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if len(lines) > 1:
            where = ", ".join(map(str, lines))
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {where}. "
                "Please ensure it is unique"
            )
        changed = text.replace(old, new)
        self._write(name, changed)
        shown, first = changed.split("\n"), max(1, lines[0] - 2)
        snippet = "\n".join(_numbered_lines(shown[first - 1 : lines[0] + 2], first))
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, given: _Arguments) -> str:
        path, at, added = given.text("path"), given.number("insert_line"), given.text("insert_text")
        name, text = self._file(path)
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= at <= len(lines):
            within = f"It should be within the range [0, {len(lines)}]."
            raise ToolError(f"Invalid `insert_line` parameter: {at}. {within}")
        lines.insert(at, added.rstrip("\n"))
        self._write(name, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, given: _Arguments) -> str:
        path = given.text("path")
        name = _name(path)
        if not name:
            raise ToolError(f"Cannot delete the {_ROOT} directory itself")
        files = self._files(name)
        if not files:
            raise ToolError(f"The path {path} does not exist")
        for one in files:
            self._texts.delete(one)
        return f"Successfully deleted {path}"

    def rename(self, given: _Arguments) -> str:
        old, new = given.text("old_path"), given.text("new_path")
        before, after = _name(old), _name(new)
        if not before:
            raise ToolError(f"Cannot rename the {_ROOT} directory itself")
        if not after or self._files(after) or self._parents(after):
            raise ToolError(f"The destination {new} already exists")
        files = self._files(before)
        if not files:
            raise ToolError(f"The path {old} does not exist")
        if after[: len(before)] == before:
            raise ToolError(f"Cannot rename {old} to {new}: it is a path inside itself")
        for name, text in files.items():
            self._write((*after, *name[len(before) :]), text)
        for name in files:
            self._texts.delete(name)
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> str:
        for name in self._files(()):
            self._texts.delete(name)
        return "All memory cleared"

    def _files(self, name: Name) -> _Files:
        """The file of this name, or all files in the folder of this name, by their names."""
        itself = self._texts.get(name) if name else None
        found = [itself] if itself is not None else self._texts.under(name)
        return {one.name: _content(one.text) for one in sorted(found, key=lambda one: one.name)}

    def _file(self, path: str) -> tuple[Name, str]:
        name = _name(path)
        files = self._files(name)
        if name and not files:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        if name not in files:
            raise ToolError(f"The path {path} is not a file.")
        return name, files[name]

    def _parents(self, name: Name) -> list[Name]:
        """Files that stand where a folder of this name would have to be."""
        return list(self._texts.get_many(name[:parts] for parts in range(1, len(name))))

    def _write(self, name: Name, text: str) -> None:
        self._texts.put(name, text if text.strip() else _EMPTY)
        self.memory.counts.add(remembered=1)


_COMMANDS: dict[str, Callable[[_Folder, _Arguments], str]] = {
    "view": _Folder.view,
    "create": _Folder.create,
    "str_replace": _Folder.str_replace,
    "insert": _Folder.insert,
    "delete": _Folder.delete,
    "rename": _Folder.rename,
}


class _Arguments:
    """What a command was given. Fields that a command does not have, such as a user, are not looked at."""

    def __init__(self, command: Any) -> None:
        self._command = command

    def text(self, name: str) -> str:
        value = getattr(self._command, name, None)
        if not isinstance(value, str):
            raise ToolError(f"Invalid `{name}` parameter: it has to be a text.")
        return value

    def number(self, name: str) -> int:
        value = getattr(self._command, name, None)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ToolError(f"Invalid `{name}` parameter: it has to be a whole number.")
        return value

    def line_range(self) -> tuple[int, int] | None:
        value = getattr(self._command, "view_range", None)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2 or not all(isinstance(one, int) for one in value):
            raise ToolError("Invalid `view_range` parameter: it has to be two whole numbers.")
        return value[0], value[1]


def _name(path: str) -> Name:
    """The parts of a path below `/memories`. Anything that a file system could read as another place is refused."""
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise ToolError(f"Path must start with {_ROOT}, got: {path}")
    parts = tuple(part for part in path[len(_ROOT) :].split("/") if part)
    is_trick = any(part in {".", ".."} or set(part) & {"\\", "\0"} or not part.isprintable() for part in parts)
    if is_trick or "%2e" in path.lower() or "%2f" in path.lower():
        raise ToolError(f"Path {path} would escape {_ROOT} directory")
    return parts


def _content(text: str) -> str:
    return "" if text == _EMPTY else text


def _lines_with(text: str, part: str) -> list[int]:
    """The line in which each occurrence begins."""
    lines, start = [], text.find(part) if part else -1
    while start != -1:
        lines.append(text.count("\n", 0, start) + 1)
        start = text.find(part, start + 1)
    return lines


def _numbered(path: str, text: str, wanted: tuple[int, int] | None) -> str:
    lines, first = text.split("\n"), 1
    if len(lines) > _MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of 999,999 lines.")
    if wanted is not None:
        first = max(1, wanted[0])
        lines = lines[first - 1 : None if wanted[1] == -1 else wanted[1]]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(_numbered_lines(lines, first))


def _numbered_lines(lines: Iterable[str], first: int) -> list[str]:
    return [f"{str(number).rjust(_WIDTH)}\t{line}" for number, line in enumerate(lines, first)]


def _listing(path: str, folder: Name, files: _Files) -> str:
    """Folders and files up to two levels deep, each with its size."""
    sizes: dict[str, int] = {}
    for name, text in files.items():
        below = name[len(folder) :]
        if any(part.startswith(".") for part in below):
            continue
        for depth in range(1, min(len(below), _SHOWN_DEPTH) + 1):
            shown = "/".join(below[:depth]) + ("/" if depth < len(below) else "")
            sizes[shown] = sizes.get(shown, 0) + len(text.encode())
    total = sum(len(text.encode()) for text in files.values())
    in_order = sorted(sizes, key=lambda name: name.rstrip("/").split("/"))
    lines = [f"{_size(total)}\t{path}", *(f"{_size(sizes[name])}\t{path}/{name}" for name in in_order)]
    header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join((header, *lines))


def _size(count: int) -> str:
    size, units = float(count), ["B", "K", "M", "G"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        units.pop(0)
    return f"{int(size)}{units[0]}" if size == int(size) else f"{size:.1f}{units[0]}"
