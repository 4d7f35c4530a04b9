"""Claude's memory tool. Its commands come from a script; with a key, `client.beta.messages.tool_runner(tools=[tool], …)`
lets Claude give them."""

from __future__ import annotations

from anthropic.lib.tools import ToolError

from memfort import Memory
from memfort.integrations.anthropic import MemfortMemoryTool

PATH = "/memories/tea.md"


def main() -> None:
    with Memory.open(":memory:") as memory:
        tool, bobs = (MemfortMemoryTool(memory.as_user(user)) for user in ("alice", "bob"))
        tool.call({"command": "create", "path": PATH, "file_text": "My favourite tea is Darjeeling"})
        print("alice:", tool.call({"command": "view", "path": PATH}))
        for command in (
            {"command": "create", "path": "/memories/login.md", "file_text": "my password is hunter2-Xk9Q"},
            {"command": "view", "path": "/memories/../bob/tea.md"},
        ):
            try:
                tool.call(command)
            except ToolError as refused:
                print("refused:", refused)
        try:
            bobs.call({"command": "view", "path": PATH})
        except ToolError as missing:
            print("bob:", missing)
        print("counts:", tool.counts)


if __name__ == "__main__":
    main()
