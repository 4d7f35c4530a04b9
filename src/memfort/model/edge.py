"""Edges: how memories, people and chats hang together. They are read from what is kept, and nothing else is meant by
them: what a relation means stands in its edge alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memfort.model.item import Item


class EdgeKind(StrEnum):
    ABOUT = "about"  # a memory, and a person it is about
    STATED_BY = "stated_by"  # a memory, and the person who said it
    LEARNED_IN = "learned_in"  # a memory, and the chat where it was said
    SUPERSEDES = "supersedes"  # a memory, and one that gave way to it
    TAKES_PART_IN = "takes_part_in"  # a person, and a chat
    IS_PERSON = "is_person"  # a user, and the person they are
    MERGED_INTO = "merged_into"  # a person, and who they turned out to be
    RELATES_TO = "relates_to"  # a person, and somebody who is something to them


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    kind: EdgeKind
    source: str
    target: str
    term: str = ""  # of a relation: what the one is to the other


def edges_of(item: Item) -> list[Edge]:
    """The edges that begin at a memory."""
    found = [Edge(EdgeKind.ABOUT, item.id, person) for person in item.subjects]
    if item.stated_by is not None:
        found.append(Edge(EdgeKind.STATED_BY, item.id, item.stated_by))
    if item.learned_in:
        found.append(Edge(EdgeKind.LEARNED_IN, item.id, item.learned_in))
    older = dict.fromkeys((*item.replaces, *([] if item.supersedes is None else [item.supersedes])))
    return [*found, *(Edge(EdgeKind.SUPERSEDES, item.id, id) for id in older)]
