"""Alice's agent and Bob's agent ask each other by A2A. Each gets what the other one knows publicly, and fails to get
what is private."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import get_text_parts, new_text_message
from a2a.types import Role, SendMessageRequest

from memfort import Memory


def prepare(store: Path) -> dict[str, str]:
    """Two agents with memories, and a key for each."""
    with Memory.open(store, policy="agents") as memory:
        memory.policy.use("agents")
        memory.agent.register("alices-agent", owner="alice")
        memory.agent.register("bobs-agent", owner="bob")
        alices = memory.as_agent("alices-agent", acting_for="alice")
        alices.remember("The bakery opens at seven", visibility="public")
        alices.remember("The bakery owes its landlord three months of rent", visibility="private")
        bobs = memory.as_agent("bobs-agent", acting_for="bob")
        bobs.remember("The ferry leaves from pier four", visibility="public")
        bobs.remember("The ferry captain is looking for another job", visibility="private")
        return {name: memory.keys.create(agent=name, scopes=["read"]).token for name in ("alices-agent", "bobs-agent")}


async def ask(url: str, key: str, agent: str, question: str) -> str:
    """What an agent answers to the holder of a key."""
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {key}"}) as http:
        config = ClientConfig(httpx_client=http, streaming=False)
        client = await create_client(f"{url}/a2a/{agent}", client_config=config)
        sent = SendMessageRequest(message=new_text_message(question, role=Role.ROLE_USER))
        [event] = [one async for one in client.send_message(sent)]
    return "\n".join(text for artifact in event.task.artifacts for text in get_text_parts(artifact.parts))


async def talk(url: str, keys: dict[str, str]) -> None:
    for asker, asked, questions in (
        ("bobs-agent", "alices-agent", ("When does the bakery open?", "Does the bakery owe rent?")),
        ("alices-agent", "bobs-agent", ("Where does the ferry leave?", "Is the captain looking for a job?")),
    ):
        for question in questions:
            print(f"{asker} asks {asked}: {question}")
            print(await ask(url, keys[asker], asked, question))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        keys = prepare(store)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        program = str(Path(sys.executable).with_name("memfort"))
        command = [program, "--store", str(store), "serve", "--port", str(port)]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/readyz")
            asyncio.run(talk(f"http://127.0.0.1:{port}", keys))
        finally:
            server.terminate()
            server.wait()


def wait_for(url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("the server does not start")


if __name__ == "__main__":
    main()
