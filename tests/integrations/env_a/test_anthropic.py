"""Claude's memory tool: the story with the SDK's tool runner and a scripted server, every command, every path trick."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from tests.integrations.story import Agent, People, call_id, play

from memfort import Memory
from memfort.integrations.anthropic import AsyncMemfortMemoryTool, MemfortMemoryTool
from memfort.integrations.bound import AgentMemory, Counts


class Claude:
    """A server of messages that calls the memory tool as it is told to, then says "Noted."."""

    def __init__(self) -> None:
        self.commands: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        claude = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                claude.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                answer = json.dumps(claude._answer()).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self) -> dict[str, Any]:
        content: dict[str, Any] = {"type": "text", "text": "Noted."}
        if self.commands:
            content = {"type": "tool_use", "id": call_id(), "name": "memory", "input": self.commands.pop(0)}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-scripted",
            "content": [content],
            "stop_reason": "end_turn" if content["type"] == "text" else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


@pytest.fixture
def claude() -> Iterator[Claude]:
    server = Claude()
    yield server
    server.close()


class FileAgent(Agent):
    """Keeps each statement in a file of its own."""

    injects = captures = fences = False
    claude: Claude

    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.tool = MemfortMemoryTool(memory)
        self.files: dict[str, str] = {}

    @property
    def counts(self) -> Counts:
        return self.tool.counts

    async def say(self, text: str) -> str:
        return await self._run()

    async def _run(self, **command: Any) -> str:
        self.claude.commands[:] = [command] if command else []
        self.claude.requests.clear()
        with Anthropic(base_url=self.claude.url, api_key="none", max_retries=0) as client:
            self._turn(client)
        results = [
            block for one in self.claude.requests[-1]["messages"] for block in one["content"] if _is_result(block)
        ]
        return "\n".join(_text(one["content"]) for one in results)

    def _turn(self, client: Anthropic) -> None:
        runner = client.beta.messages.tool_runner(
            model="claude-scripted",
            max_tokens=100,
            messages=[{"role": "user", "content": [{"type": "text", "text": "Go on."}]}],
            tools=[self.tool],
            betas=["context-management-2025-06-27"],
        )
        last = runner.until_done()
        assert last.content[0].text == "Noted."

    async def remember(self, text: str, **more: Any) -> str:
        self.files[text] = f"/memories/notes/{len(self.files)}.md"
        return await self._run(command="create", path=self.files[text], file_text=text, **more)

    async def recall(self, query: str, **more: Any) -> str:
        """Claude looks into the folder and reads what is there."""
        listed = await self._run(command="view", path="/memories", **more)
        paths = [line.split("\t")[1] for line in listed.splitlines() if line.endswith(".md")]
        return "\n".join([await self._run(command="view", path=path, **more) for path in paths])

    async def correct(self, old: str, new: str) -> str:
        text = next(text for text in self.files if old in text)
        self.files[new] = self.files[text]
        return await self._run(command="str_replace", path=self.files[text], old_str=text, new_str=new)

    async def forget(self, text: str) -> str:
        return await self._run(command="delete", path=next(path for one, path in self.files.items() if text in one))


class AsyncFileAgent(FileAgent):
    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        self.tool: Any = AsyncMemfortMemoryTool(memory)

    async def _run(self, **command: Any) -> str:
        self.claude.commands[:] = [command] if command else []
        self.claude.requests.clear()
        async with AsyncAnthropic(base_url=self.claude.url, api_key="none", max_retries=0) as client:
            runner = client.beta.messages.tool_runner(
                model="claude-scripted",
                max_tokens=100,
                messages=[{"role": "user", "content": [{"type": "text", "text": "Go on."}]}],
                tools=[self.tool],
            )
            await runner.until_done()
        results = [
            block for one in self.claude.requests[-1]["messages"] for block in one["content"] if _is_result(block)
        ]
        return "\n".join(_text(one["content"]) for one in results)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(one["text"] for one in content)


@pytest.mark.parametrize("kind", [FileAgent, AsyncFileAgent])
def test_the_story(kind: type[FileAgent], people: People, run: Any, caplog: Any, claude: Claude) -> None:
    def make(memory: AgentMemory) -> FileAgent:
        agent = kind(memory)
        agent.claude = claude
        return agent

    run(play(make, people, caplog))


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        yield opened


@pytest.fixture
def tool(memory: Memory) -> MemfortMemoryTool:
    return MemfortMemoryTool(memory.as_user("alice"))


def test_it_is_the_tool_that_claude_knows(tool: MemfortMemoryTool) -> None:
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}


def test_a_file_is_written_and_read(tool: MemfortMemoryTool) -> None:
    assert do(tool, "create", path="/memories/a.md", file_text="one\ntwo\n") == (
        "File created successfully at: /memories/a.md"
    )
    assert do(tool, "view", path="/memories/a.md") == (
        "Here's the content of /memories/a.md with line numbers:\n     1\tone\n     2\ttwo\n     3\t"
    )
    assert do(tool, "view", path="/memories/a.md", view_range=[2, 2]).endswith("numbers:\n     2\ttwo")
    assert do(tool, "view", path="/memories/a.md", view_range=[2, -1]).endswith("     2\ttwo\n     3\t")


def test_a_folder_is_listed_two_levels_deep_without_hidden_files(tool: MemfortMemoryTool) -> None:
    assert do(tool, "view", path="/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n0B\t/memories"
    )
    for path in ("a.md", "b/c.md", "b/d/e.md", ".hidden"):
        do(tool, "create", path=f"/memories/{path}", file_text="x" * 10)
    assert do(tool, "view", path="/memories").splitlines()[2:] == [
        "10B\t/memories/a.md",
        "20B\t/memories/b/",
        "10B\t/memories/b/c.md",
        "10B\t/memories/b/d/",
    ]
    assert do(tool, "view", path="/memories/b").splitlines()[2:] == [
        "10B\t/memories/b/c.md",
        "10B\t/memories/b/d/",
        "10B\t/memories/b/d/e.md",
    ]


def test_replacing_shows_the_lines_around(tool: MemfortMemoryTool) -> None:
    do(tool, "create", path="/memories/a.md", file_text="1\n2\n3\n4\n5\n6\n7")
    assert do(tool, "str_replace", path="/memories/a.md", old_str="4", new_str="four") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t2\n     3\t3\n     4\tfour\n     5\t5\n     6\t6"
    )


def test_inserting_and_empty_files(tool: MemfortMemoryTool) -> None:
    do(tool, "create", path="/memories/a.md", file_text="")
    assert do(tool, "view", path="/memories/a.md").endswith("numbers:\n     1\t")
    assert do(tool, "insert", path="/memories/a.md", insert_line=0, insert_text="first\n") == (
        "The file /memories/a.md has been edited."
    )
    do(tool, "insert", path="/memories/a.md", insert_line=1, insert_text="second")
    assert do(tool, "view", path="/memories/a.md").endswith("     1\tfirst\n     2\tsecond\n     3\t")


def test_renaming_moves_a_file_and_a_folder(tool: MemfortMemoryTool) -> None:
    do(tool, "create", path="/memories/a/b.md", file_text="tea")
    assert do(tool, "rename", old_path="/memories/a/b.md", new_path="/memories/a/c.md") == (
        "Successfully renamed /memories/a/b.md to /memories/a/c.md"
    )
    do(tool, "rename", old_path="/memories/a", new_path="/memories/z")
    assert do(tool, "view", path="/memories/z/c.md").endswith("\ttea")
    assert refused(tool, "view", path="/memories/a") == (
        "The path /memories/a does not exist. Please provide a valid path."
    )


def test_deleting_a_file_and_a_folder(tool: MemfortMemoryTool) -> None:
    for path in ("a/b.md", "a/c.md", "d.md"):
        do(tool, "create", path=f"/memories/{path}", file_text="tea")
    assert do(tool, "delete", path="/memories/a") == "Successfully deleted /memories/a"
    assert do(tool, "view", path="/memories").splitlines()[2:] == ["3B\t/memories/d.md"]
    assert tool.clear_all_memory() == "All memory cleared"
    assert do(tool, "view", path="/memories").splitlines()[2:] == []


P = "/memories/a.md"
MISSING = "/memories/missing.md"


@pytest.mark.parametrize(
    ("command", "given", "said"),
    [
        ("view", {"path": MISSING}, f"The path {MISSING} does not exist. Please provide a valid path."),
        ("create", {"path": P, "file_text": "x"}, f"File {P} already exists"),
        ("create", {"path": f"{P}/b", "file_text": "x"}, f"File {P}/b already exists"),
        ("create", {"path": "/memories", "file_text": "x"}, "File /memories already exists"),
        ("create", {"path": P}, "Invalid `file_text` parameter: it has to be a text."),
        ("view", {}, "Invalid `path` parameter: it has to be a text."),
        ("view", {"path": P, "view_range": "1"}, "Invalid `view_range` parameter: it has to be two whole numbers."),
        (
            "str_replace",
            {"path": MISSING, "old_str": "a", "new_str": "b"},
            f"The path {MISSING} does not exist. Please provide a valid path.",
        ),
        ("str_replace", {"path": "/memories", "old_str": "a", "new_str": "b"}, "The path /memories is not a file."),
        (
            "str_replace",
            {"path": P, "old_str": "coffee", "new_str": "b"},
            f"No replacement was performed, old_str `coffee` did not appear verbatim in {P}.",
        ),
        (
            "str_replace",
            {"path": P, "old_str": "tea", "new_str": "b"},
            "No replacement was performed. Multiple occurrences of old_str `tea` in lines: 1, 2. "
            "Please ensure it is unique",
        ),
        (
            "insert",
            {"path": P, "insert_line": 7, "insert_text": "x"},
            "Invalid `insert_line` parameter: 7. It should be within the range [0, 2].",
        ),
        ("delete", {"path": "/memories"}, "Cannot delete the /memories directory itself"),
        ("delete", {"path": MISSING}, f"The path {MISSING} does not exist"),
        (
            "rename",
            {"old_path": "/memories", "new_path": "/memories/b"},
            "Cannot rename the /memories directory itself",
        ),
        ("rename", {"old_path": MISSING, "new_path": "/memories/b"}, f"The path {MISSING} does not exist"),
        ("rename", {"old_path": P, "new_path": P}, f"The destination {P} already exists"),
        ("explode", {}, "Unknown command: explode. Use one of view, create, str_replace, insert, delete, rename."),
    ],
)
def test_what_cannot_be_done_is_said_in_the_words_that_claude_knows(
    tool: MemfortMemoryTool, command: str, given: Any, said: str
) -> None:
    do(tool, "create", path=P, file_text="green tea\nblack tea")
    assert refused(tool, command, **given) == said
    assert do(tool, "view", path=P).endswith("     1\tgreen tea\n     2\tblack tea")


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../etc/passwd",
        "/memories/a/../../b",
        "/memories/./a",
        "/memories/..",
        "/memories/%2e%2e/b",
        "/memories/..%2fb",
        "/memories\\..\\b",
        "/memories/a\\..\\b",
        "/memories/a\0b",
        "/memories/a\nb",
        "/memories/a\u202eb",
        "/memoriesx/a",
        "/memory",
        "memories/a",
        "",
        "/",
        "/etc/passwd",
    ],
)
@pytest.mark.parametrize("command", ["view", "create", "delete"])
def test_path_tricks_are_refused(tool: MemfortMemoryTool, command: str, path: str) -> None:
    said = refused(tool, command, path=path, file_text="x")
    assert said.startswith(("Path must start with /memories", f"Path {path} would escape /memories directory"))


def test_a_refused_file_is_not_there(tool: MemfortMemoryTool) -> None:
    said = refused(tool, "create", path="/memories/key.md", file_text="my password is hunter2-Xk9Q")
    assert said.startswith("denied (secret)")
    assert "hunter2" not in said
    assert do(tool, "view", path="/memories").splitlines()[2:] == []
    assert tool.counts.refused == 1


def test_a_file_with_personal_data_says_that_it_waits(tool: MemfortMemoryTool, memory: Memory) -> None:
    said = refused(tool, "create", path="/memories/bob.md", file_text="Write to bob@example.com")
    assert "waits for review by alice" in said
    assert len(memory.as_user("alice").review.list()) == 1


def test_names_with_slashes_and_percent_signs_stay_apart(memory: Memory) -> None:
    tool = MemfortMemoryTool(memory.as_user("alice"))
    do(tool, "create", path="/memories/a%25b", file_text="one")
    do(tool, "create", path="/memories/a%b", file_text="two")
    assert do(tool, "view", path="/memories/a%25b").endswith("one")
    assert do(tool, "view", path="/memories/a%b").endswith("two")


def test_two_users_have_two_folders(memory: Memory) -> None:
    alices, bobs = MemfortMemoryTool(memory.as_user("alice")), MemfortMemoryTool(memory.as_user("bob"))
    do(alices, "create", path=P, file_text="tea")
    assert "does not exist" in refused(bobs, "view", path=P)
    do(bobs, "create", path=P, file_text="coffee")
    assert do(alices, "view", path=P).endswith("\ttea")


def do(tool: MemfortMemoryTool, command: str, **given: Any) -> str:
    answer = tool.call({"command": command, **given})
    assert isinstance(answer, str)
    return answer


def refused(tool: MemfortMemoryTool, command: str, **given: Any) -> str:
    with pytest.raises(ToolError) as error:
        tool.call({"command": command, **given})
    return str(error.value)
