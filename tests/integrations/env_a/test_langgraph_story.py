"""The story in a graph whose node uses the store."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from tests.integrations.story import Agent, People, play

from memfort import MemfortError
from memfort.integrations.bound import AgentMemory, Counts
from memfort.integrations.langgraph import MemfortStore

MINE = ("memories",)


class State(TypedDict, total=False):
    said: str
    do: Any
    read: Annotated[list[str], operator.add]


class GraphAgent(Agent):
    captures = False
    fences = False

    def __init__(self, memory: AgentMemory) -> None:
        super().__init__(memory)
        graph = StateGraph(State)
        graph.add_node("act", act)
        graph.add_edge(START, "act")
        self.store = MemfortStore(memory)
        self.graph = graph.compile(store=self.store)
        self.keys: dict[str, str] = {}

    @property
    def counts(self) -> Counts:
        return self.store.counts

    async def _run(self, **state: Any) -> str:
        try:
            return "\n".join((await self.graph.ainvoke({"read": [], **state}))["read"])
        except MemfortError as error:  # a refusal stops the graph, with its reason
            return str(error)

    async def say(self, text: str) -> str:
        return await self._run(said=text)

    async def recall(self, query: str, user_id: str | None = None) -> str:
        namespace = ("memories", user_id) if user_id else MINE
        found = await self._run(do=("search", namespace, query))
        return found or "refused"

    async def remember(self, text: str, user_id: str | None = None) -> str:
        self.keys[text] = f"key{len(self.keys)}"
        namespace = ("memories", user_id) if user_id else MINE
        return await self._run(do=("put", namespace, self.keys[text], {"text": text}))

    async def correct(self, old: str, new: str) -> str:
        key = next(key for text, key in self.keys.items() if old in text)
        self.keys[new] = key
        return await self._run(do=("put", MINE, key, {"text": new}))

    async def forget(self, text: str) -> str:
        key = next(key for one, key in self.keys.items() if text in one)
        return await self._run(do=("delete", MINE, key))


async def act(state: State, runtime: Runtime[None]) -> State:
    store = runtime.store
    assert store is not None
    what, *arguments = state.get("do") or ("search", MINE, state.get("said"))
    if what == "search":
        namespace, query = arguments
        found = await store.asearch(namespace, query=query)
        return {"read": [one.value["text"] for one in found]}
    await getattr(store, f"a{what}")(*arguments)
    return {"read": [f"{what}: done"]}


def test_the_story(people: People, run: Any, caplog: Any) -> None:
    run(play(GraphAgent, people, caplog))
