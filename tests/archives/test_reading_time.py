"""A file costs time in proportion to its size: nobody holds up a process, and everyone in it, with a few kilobytes."""

from __future__ import annotations

import time

import pytest
from tests.archives.builders import as_json, chatgpt, claude, message

from memfort.model.moment import Moment
from memfort.operations.transfer.archive_files import open_archive
from memfort.operations.transfer.import_archive import contents_of

NOW = Moment(1_800_000_000_000_000)
SMALL, TIMES = 1_000, 16


def html(text: str) -> bytes:
    page = f'<html class="mdl-grid">Gemini Apps <div class="outer-cell">Prompted hello<br>{text}</div></html>'
    return page.encode()


def gemini(text: str) -> bytes:
    known = {"header": "Gemini Apps", "title": "Prompted hello", "time": "2024-01-01T00:00:00Z"}
    return as_json([{**known, "safeHtmlItem": [{"html": text}]}])


def saved(text: str) -> bytes:
    content = {"content_type": "model_editable_context", "model_set_context": text}
    return as_json([chatgpt(message("assistant", content, "m1"))])


def instructions(text: str) -> bytes:
    content = {"content_type": "user_editable_context", "user_profile": text}
    return as_json([chatgpt(message("user", content, "m1"))])


def spoken(text: str) -> bytes:
    return f"User: hello\n{text}\nAssistant: fine\n".encode()


FILES = {
    "spaces after a date": lambda n: spoken("2024-01-01" + " " * n + "!"),
    "spaces around a dash": lambda n: spoken("2024-01-01" + " " * n + "-" + " " * n + "!"),
    "spaces before a line": lambda n: spoken(" " * n + "!"),
    "spaces after a name": lambda n: spoken("Carol" + " " * n + "!"),
    "a name without an end": lambda n: spoken("Carol " * n),
    "spaces after a colon": lambda n: spoken("User:" + " " * n + "!"),
    "many short lines": lambda n: spoken("\n" * n),
    "citations that begin": lambda n: as_json([chatgpt(("user", "\ue200" * n + "hello"))]),
    "citations in brackets": lambda n: as_json([chatgpt(("user", "【" * n + "hello"))]),
    "spaces in a saved memory": lambda n: saved("1." + " " * n + "[2024-01-01]" + " " * n),
    "digits of a saved memory": lambda n: saved("1" * n),
    "lines of a custom instruction": lambda n: instructions("word\n" * n),
    "a rule that is none": lambda n: instructions("- " * n + "."),
    "spaces before a custom instruction": lambda n: instructions(" " * n + "x"),
    "stars in a custom instruction": lambda n: instructions("*" * n + "x"),
    "lines of a note": lambda n: b"# Notes\n" + b"word\n" * n,
    "empty lines before a note": lambda n: b"x" + b"\n" * n + b"# Notes\nword\n",
    "bullets without words": lambda n: b"# Notes\n" + b"-\n" * n + b"word\n",
    "front matter without an end": lambda n: b"---\n" + b"a: b\n--- \n---x\n" * n,
    "spaces in front matter": lambda n: b"---\na" + b" " * n + b"\n---\nword\n",
    "list entries in front matter": lambda n: b"---\ntags:\n" + b" " * n + b"-x\n---\nword\n",
    "tags that begin": lambda n: gemini("<" * n),
    "comments that begin": lambda n: gemini("<!--" * n),
    "attributes without an end": lambda n: gemini("<a" + " b=" * n),
    "tags without an end": lambda n: gemini("<a " * n),
    "end tags without an end": lambda n: gemini("</a " * n),
    "declarations without an end": lambda n: gemini("<![x" * n),
    "instructions without an end": lambda n: gemini("<?x" * n),
    "scripts without an end": lambda n: gemini("<script>" * n),
    "references without an end": lambda n: gemini("&amp" * n),
    "tags of a page": lambda n: html("<a " * n),
    "messages in a cycle": lambda n: as_json(
        [claude(*({"uuid": str(k), "parent_message_uuid": str(k + 1), "sender": "human"} for k in range(n // 20)))]
    ),
    "a deep list": lambda n: b'[{"mapping": {}, "x": ' + b"[" * n + b"]" * n + b"}]",
    "a text without an end": lambda n: b'[{"mapping": {}}, "' + b"\\" * n,
}


@pytest.mark.parametrize("made", FILES.values(), ids=FILES)
def test_a_file_that_is_16_times_larger_takes_less_than_64_times_as_long(made):
    small, large = (seconds_for(made(size)) for size in (SMALL, SMALL * TIMES))
    assert large / max(small, 0.0005) < 64


def seconds_for(data: bytes) -> float:
    """Processor time to recognise and read a file, the least of three."""
    found = []
    for _ in range(3):
        begun = time.process_time()
        with open_archive(data, None) as archive:
            for file, shape in contents_of(archive, NOW).files:
                list(shape.read(file))
        found.append(time.process_time() - begun)
        if found[-1] > 1:
            break
    return min(found)
