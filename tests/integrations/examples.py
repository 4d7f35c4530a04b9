"""Runs an example as it is, and looks at what it shows."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "examples"
EXAMPLES = {
    "a": [
        "agent_framework_agent.py",
        "anthropic_memory_tool.py",
        "google_adk_agent.py",
        "graphiti_mirror.py",
        "haystack_agent.py",
        "langchain_agent.py",
        "langgraph_store.py",
        "llama_index_agent.py",
        "mcp_knowledge_graph.py",
        "mem0_client.py",
        "openai_agents_sdk.py",
        "pydantic_ai_agent.py",
    ],
    "b": ["crewai_crew.py", "strands_agent.py"],
}


def shows_memory_of_one_user_alone(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "frameworks" / name), run_name="__main__")
    shown = capsys.readouterr().out
    alices, _, bobs = shown.partition("bob:")
    if name == "langgraph_store.py":
        bobs = bobs.partition("\n")[0]
    assert "Darjeeling" in alices
    assert bobs.strip()
    assert "Darjeeling" not in bobs
    assert "never stored" in shown
    assert "hunter2" not in shown
    assert "counts: " in shown
