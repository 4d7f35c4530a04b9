"""Hermes Agent: a memory provider. `memfort hermes install --as alice` puts it into Hermes' folder of plugins.

Hermes names a sender once, when a session begins. The provider binds the memory then, to the person whom its settings
list for that sender, and to nobody where they list none: no recall, no capture, and tools that say why. In a group
every later speaker would be taken for the first, so a group has no memory here.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from agent.memory_provider import MemoryProvider
from msgspec import Struct, field

from memfort import Memory, connect
from memfort.errors import InvalidInput
from memfort.integrations.bound import AgentMemory, AnyMemory

log = logging.getLogger("memfort.integrations")

SETTINGS = "memfort.json"
_TOOLS = {f"memory_{verb}": verb for verb in ("recall", "remember", "correct", "forget")}
_DIRECT = "dm"  # the type of a chat with one person
_NOBODY = "There is no memory in this conversation: {reason}. Go on without it, and keep nothing."


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which store, and who is who. The file is the user's: it names people."""

    store: str  # a path, or the address of a server
    local_user: str | None = None  # who sits at the machine
    senders: dict[str, str] = field(default_factory=dict)  # `telegram:123` to a user
    agent: str = "hermes"
    key_file: str | None = None  # of the server


class MemfortProvider(MemoryProvider):
    """The memory of whoever speaks in a session."""

    def __init__(self) -> None:
        self._memory: AgentMemory | None = None
        self._host: Any = None
        self._reason = "the session has not begun"
        self._captures = False

    @property
    def name(self) -> str:
        return "memfort"

    @property
    def counts(self) -> Any:
        """What was captured, kept, injected and refused; `None` where there is no memory."""
        return None if self._memory is None else self._memory.counts

    def is_available(self) -> bool:
        return (_home() / SETTINGS).exists()

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Bind the memory of who speaks. It never raises: Hermes would go on calling a provider that has failed, so
        that one without an identity has to answer with nothing."""
        self.shutdown()
        try:
            settings = read_settings(Path(kwargs.get("hermes_home") or _home()) / SETTINGS)
            user = user_of(settings, kwargs)
            self._host, bound = _opened(settings, user)
            self._memory = AgentMemory(bound, conversation=session_id)
            self._captures = kwargs.get("agent_context", "primary") == "primary"
        except InvalidInput as error:
            self._reason = error.problem
        except Exception as error:  # noqa: BLE001  # whatever it is, nobody is bound
            self._reason = f"it cannot be opened ({type(error).__name__})"
        if self._memory is None:
            log.warning("no memory in this session: %s", self._reason)

    def system_prompt_block(self) -> str:
        return "" if self._memory is None else self._memory.instructions

    def prefetch(self, query: str, *, session_id: str = "") -> str:  # noqa: ARG002  # bound when it began
        return "" if self._memory is None else self._memory.context(query)

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,  # noqa: ARG002  # what tools gave back is nobody's words
    ) -> None:
        if self._memory is None or not self._captures:
            return
        said = [{"role": "user", "content": user_content}, {"role": "assistant", "content": assistant_content}]
        self._memory.capture(said, session_id or None)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return [_schema(name, verb) for name, verb in _TOOLS.items()]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **_: Any) -> str:
        if self._memory is None:
            return json.dumps({"error": _NOBODY.format(reason=self._reason)})
        verb = _TOOLS.get(tool_name)
        tool = next((one for one in self._memory.tools() if one.__name__ == verb), None)
        return json.dumps({"error": "there is no such tool"} if tool is None else {"result": tool(**args)})

    def on_session_switch(self, new_session_id: str, **_: Any) -> None:
        if self._memory is not None:
            self._memory.conversation = new_session_id

    def shutdown(self) -> None:
        host, self._host, self._memory = self._host, None, None
        if host is not None:
            host.close()


def register(ctx: Any) -> None:
    """What Hermes calls when it loads the plugin."""
    ctx.register_memory_provider(MemfortProvider())


def read_settings(path: Path) -> Settings:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Settings)
    except (OSError, msgspec.MsgspecError) as error:
        remedy = "run `memfort hermes install`"
        raise InvalidInput(SETTINGS, f"its settings cannot be read ({type(error).__name__})", remedy) from None


def user_of(settings: Settings, session: Mapping[str, Any]) -> str:
    """The person who speaks in a session: whoever sits at the machine, or the sender of a direct chat whom the settings
    list. Anybody else is nobody."""
    platform, sender = session.get("platform"), session.get("user_id")
    if platform == "cli":
        if settings.local_user is None:
            raise InvalidInput("local_user", "nobody is named who sits at the machine", "name them")
        return settings.local_user
    if session.get("chat_type") != _DIRECT:
        raise InvalidInput("chat_type", "Hermes names no speakers in groups", "use a direct chat")
    user = settings.senders.get(f"{platform}:{sender}") if sender else None
    if user is None:
        raise InvalidInput("senders", "the sender is not known", "list them in the settings")
    return user


def _opened(settings: Settings, user: str) -> tuple[Any, AnyMemory]:
    """The store, and the memory of that person in it."""
    if "://" in settings.store and settings.store.startswith("http"):
        key = Path(settings.key_file or "").read_text("utf-8").strip()
        remote = connect(settings.store, key)
        return remote, remote.as_agent(settings.agent, acting_for=user)
    memory = Memory.open(settings.store)
    try:
        owner = None if memory.agent.get(settings.agent) else settings.local_user or user
        return memory, memory.as_agent(settings.agent, owner=owner, acting_for=user)
    except BaseException:
        memory.close()
        raise


def _schema(name: str, verb: str) -> dict[str, Any]:
    """A tool in the form of function calling. It names no user."""
    described, arguments = AgentMemory.described(verb)
    properties: dict[str, Any] = {one: {"type": "string", "description": text} for one, text in arguments.items()}
    if "origin" in properties:
        properties["origin"]["enum"] = ["user", "ai"]
    required = [one for one in arguments if one != "origin"]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"name": name, "description": described, "parameters": schema}


def _home() -> Path:
    return Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")
