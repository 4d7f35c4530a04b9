"""LangGraph: a graph keeps values in a store that belongs to one user. A node follows a script in place of a model."""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from memfort import Denied, Memory
from memfort.integrations.langgraph import MemfortStore

NAMESPACE = ("memories", "preferences")


class State(TypedDict, total=False):
    keep: str
    ask: str
    found: list[str]


def work(state: State, runtime: Runtime) -> State:
    if keep := state.get("keep"):
        runtime.store.put(NAMESPACE, "tea", {"text": keep})
    found = runtime.store.search(NAMESPACE, query=state.get("ask", ""))
    return {"found": [one.value["text"] for one in found]}


def main() -> None:
    graph = StateGraph(State).add_node("work", work).add_edge(START, "work").compile()
    with Memory.open(":memory:") as memory:
        stores = {user: MemfortStore(memory.as_user(user)) for user in ("alice", "bob")}
        # compiled once, bound for each request
        alices, bobs = (graph.copy({"store": store}) for store in stores.values())
        alices.invoke({"keep": "My favourite tea is Darjeeling", "ask": "tea"})
        print("alice:", alices.invoke({"ask": "Which tea do I like?"})["found"])
        print("bob:", bobs.invoke({"ask": "Which tea does alice like?"})["found"])
        try:
            alices.invoke({"keep": "my password is hunter2-Xk9Q"})
        except Denied as refused:
            print("refused:", refused)
        print("counts:", stores["alice"].counts)


if __name__ == "__main__":
    main()
