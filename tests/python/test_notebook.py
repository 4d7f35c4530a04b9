"""Results in a notebook: small tables, in which every text is data."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from answers import HOSTILE

from memfort import Context, Explanation, Item, Memory, Outcome, Page, Recall, Receipt, Trace

SHOWN = {
    "recall": Recall, "list": Page, "get": Item, "remember": Outcome, "explain": Explanation, "context": Context,
    "trace.show": Trace, "erase": Receipt,
}  # fmt: skip
TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td"}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


@pytest.mark.parametrize("verb", sorted(SHOWN))
def test_results_render_as_html_tables(given: dict[str, list[Any]], verb: str) -> None:
    for answer in given[verb]:
        if answer is None:
            continue
        assert isinstance(answer, SHOWN[verb])
        found = read(answer._repr_html_())
        assert set(found.tags) <= TAGS
        assert found.tags[0] == "table"
        assert {name for name, _ in found.attributes} <= {"style", "colspan"}
        styles = " ".join(str(value) for _, value in found.attributes)
        assert not re.search(r"color:(?!inherit)|background|url", styles)


@pytest.mark.parametrize("hostile", [HOSTILE, "<img src=x onerror=alert(1)>", "</td></table><script>x</script>"])
def test_hostile_text_stays_text(memory: Memory, hostile: str) -> None:
    alice = memory.as_user("alice")
    outcome = alice.remember(f"tea {hostile}", meta={"<b>": "<i>"})
    assert outcome.item is not None
    shown: list[Any] = [outcome, outcome.item, alice.list(), alice.recall(f"tea {hostile}")]
    shown += [alice.context(f"tea {hostile}"), alice.trace.show(outcome.trace)]
    shown += [alice.explain(outcome.item.id, query=hostile)]
    for answer in shown:
        found = read(answer._repr_html_())
        assert set(found.tags) <= TAGS
        assert {name for name, _ in found.attributes} <= {"style", "colspan"}
    assert hostile in read(outcome._repr_html_()).text


def test_a_long_table_is_cut(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.remember_many([f"statement number {number}" for number in range(130)])
    assert "… and 30 more" in read(alice.list(limit=130)._repr_html_()).text
