"""docs/reference/events.md says what the schemas say, and its example is what the code writes."""

from __future__ import annotations

import re

import pytest
from trace_document import PAGE, rendered, story
from trace_story import MAIL

from memfort.trail.public.plain import plain_events
from memfort.trail.public.schema import EVENT_TYPES, schema_of

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_matches_the_schemas() -> None:
    """Stale: run `python tests/trail/trace_document.py`."""
    assert rendered(TEXT) == TEXT
    assert rendered(TEXT.replace("the memory that stands", "something else")) == TEXT


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_every_key_of_every_event_is_explained(type: str) -> None:
    section = re.search(rf"### {type}\n(.*?)(?=\n### |\n<!-- end)", TEXT, re.DOTALL)
    assert section is not None
    head = ("type", "trace_version", "ai_profile", "session")
    for key in schema_of(type)["properties"]:
        table = TEXT if key in head else section[1]
        assert re.search(rf"^\| `{key}` \| (yes|no) \| \S.*", table, re.MULTILINE), key


def test_the_example_matches_the_code() -> None:
    assert f"```text\n{plain_events(story())}\n```" in TEXT
    assert "[REDACTED_EMAIL]" in TEXT
    assert MAIL not in TEXT
