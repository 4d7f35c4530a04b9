"""Draw the diagrams of the documents as SVG. `make generate` runs it, and a test compares.

Each picture has a background of its own and follows the reader's light or dark setting, so it can be read on any page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from memfort import FixedClock, Memory
from memfort.model.reason import Reason
from memfort.policy.disclosure import HEARD_IN_GROUPS, TABLE, Column, Row

IMAGES = Path(__file__).parent.parent / "docs" / "images"
STYLE = """
    .card { fill: #ffffff; stroke: #d0d7de }
    text { font: 14px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 15px }
    .small { font-size: 12px; fill: #57606a }
    .note { font-size: 12px }
    .code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
    .middle { text-anchor: middle }
    .box { fill: #f6f8fa; stroke: #8c959f }
    .first { fill: #ddf4ff; stroke: #0969da }
    .second { fill: #fff1e5; stroke: #bc4c00 }
    .yes { fill: #dafbe1; stroke: #1a7f37 }
    .some { fill: #fff8c5; stroke: #9a6700 }
    .no { fill: #ffebe9; stroke: #cf222e }
    .line { stroke: #57606a; stroke-width: 1.5; fill: none }
    .of-first { stroke: #0969da; stroke-width: 2; fill: none }
    .of-second { stroke: #bc4c00; stroke-width: 2; fill: none }
    .point { fill: #57606a }
    @media (prefers-color-scheme: dark) {
      .card { fill: #0d1117; stroke: #30363d }
      text { fill: #e6edf3 }
      .small { fill: #9198a1 }
      .box { fill: #151b23; stroke: #656c76 }
      .first { fill: #0c2d6b; stroke: #4493f8 }
      .second { fill: #4d2000; stroke: #db6d28 }
      .yes { fill: #0f3d1e; stroke: #3fb950 }
      .some { fill: #3d3000; stroke: #d29922 }
      .no { fill: #4c1216; stroke: #f85149 }
      .line { stroke: #9198a1 }
      .of-first { stroke: #4493f8 }
      .of-second { stroke: #db6d28 }
      .point { fill: #9198a1 }
    }
"""


def pictures() -> dict[str, str]:
    return {"answers": answers(), "sight": sight(), "write": write(), "disclosure": disclosure()}


# -- one question, three answers ---------------------------------------------------------------------------------------

QUESTION = "When do we meet at the noodle bar, and who has diabetes?"
DIABETES, DINNER, HOURS = (
    "I have diabetes and count my carbs",
    "We meet at the noodle bar at seven",
    "The noodle bar closes at ten",
)
LEARNED = {DIABETES: "Alice said it to her agent alone", DINNER: "said in the group", HOURS: "Alice published it"}
ASKED: tuple[
    tuple[str, str, dict[str, str], dict[str, str]], ...
] = (  # who asks Alice's agent, and what becomes of each memory
    ("Alice asks, alone", "alice", {}, {DINNER: "said in the group, asked outside it"}),
    (
        "Bob asks, alone",
        "bob",
        {},
        {DIABETES: "only Alice reads her own space", DINNER: "said in the group, asked outside it"},
    ),
    ("Alice asks in the group", "alice", {"chat": "dinner"}, {DIABETES: "sensitive: Bob is listening"}),
)


def told() -> list[list[str]]:
    """What Alice's agent answers each of them, from a store that was just made."""
    with Memory.open(":memory:", clock=FixedClock("2026-01-05T09:00:00Z"), classifier="none") as memory:
        memory.agent.register("helper", owner="alice")
        memory.chat.register("dinner", kind="group", participants=["alice", "bob"])
        memory.as_user("alice").observe([f"{DIABETES}."])
        memory.as_user("alice", chat="dinner").observe([f"{DINNER}."])
        memory.as_user("alice", agent="helper").remember(HOURS, visibility="public", sensitivity="public")
        return [
            [text.rstrip(".") for text in memory.as_agent("helper", acting_for=who, **places).recall(QUESTION).texts]
            for _, who, places, _ in ASKED
        ]


def answers() -> str:
    """The same question, asked by two people and in a group: what each hears, and why not the rest."""
    width, column, top = 880, 286, 62
    parts = [_text(440, 30, f"“{QUESTION}”", "title middle")]
    for number, ((title, _, _, withheld), heard) in enumerate(zip(ASKED, told(), strict=True)):
        x = 12 + number * column
        assert set(heard) == set(LEARNED) - set(withheld), (title, heard)
        parts += [_box(x, top, column - 10, 246, "box"), _text(x + 138, top + 26, title, "title middle")]
        for row, (said, learned) in enumerate(LEARNED.items()):
            y = top + 42 + row * 66
            is_heard = said in heard
            parts.append(_box(x + 10, y, column - 30, 56, "yes" if is_heard else "no"))
            parts.append(_text(x + 22, y + 23, said if is_heard else "withheld", "note"))
            parts.append(_text(x + 22, y + 43, learned if is_heard else withheld[said], "small"))
    parts.append(
        _text(440, top + 272, "What may not be said here looks exactly like what does not exist.", "small middle")
    )
    return _svg(
        width,
        top + 286,
        parts,
        "One question to Alice's agent. Alice alone hears of her diabetes, not Bob, and not a group with him.",
    )


# -- spaces and sight --------------------------------------------------------------------------------------------------

SPACES = (
    ("{user: alice, session: monday}", "this morning's conversation", "first"),
    ("{user: alice}", "“I prefer window seats”", "first"),
    ("{project: apollo}", "“Apollo launches on Friday”", "both"),
    ('{system: ""}', "“The office closes at six”", "both"),
    ("{user: bob}", "“My badge number has changed”", "second"),
)


def sight() -> str:
    """Two standpoints, and the spaces that each of them sees."""
    width, height, top, row = 880, 412, 76, 62
    parts = [_text(440, 30, "You see a memory when you stand where it stands", "title middle")]
    parts.append(
        _text(440, 50, "A space is seen by a standpoint that has every coordinate of the space", "small middle")
    )
    parts += _standpoint(20, 150, "first", "alice", ("user = alice", "project = apollo", "session = monday"))
    parts += _standpoint(680, 180, "second", "bob", ("user = bob", "project = apollo"))
    for number, (space, said, seen_by) in enumerate(SPACES):
        y = top + number * row
        parts.append(_box(300, y, 280, 50, "box" if seen_by == "both" else seen_by))
        parts.append(_text(440, y + 21, space, "code middle"))
        parts.append(_text(440, y + 40, said, "note middle"))
        if seen_by in {"first", "both"}:
            parts.append(_curve(200, 205, 300, y + 25, "of-first"))
        if seen_by in {"second", "both"}:
            parts.append(_curve(680, 225, 580, y + 25, "of-second"))
    parts.append(
        _text(
            440,
            height - 14,
            "Everybody reads the system space; only the system writes there. Nobody sees a space without a line.",
            "small middle",
        )
    )
    return _svg(
        width,
        height,
        parts,
        "Alice sees her session, her own space, the project and the system; Bob his own space and the last two.",
    )


def _standpoint(x: int, y: int, style: str, name: str, coordinates: tuple[str, ...]) -> Iterator[str]:
    height = 42 + 20 * len(coordinates)
    yield _box(x, y, 180, height, style)
    yield _text(x + 90, y + 25, f"{name} asks", "title middle")
    for number, one in enumerate(coordinates):
        yield _text(x + 90, y + 48 + 20 * number, one, "code middle")


# -- the way of a write ------------------------------------------------------------------------------------------------

GATES = (
    ("border", "may this actor write here?"),
    ("secrets", "a password, key or card?"),
    ("governance", "do the rules admit it?"),
    ("personal data", "may it stand in this space?"),
    ("status", "keep, or wait for review?"),
    ("rejected values", "was it rejected before?"),
    ("duplicates", "is it there already?"),
    ("conflicts", "which statement stands?"),
    ("retention", "how long is it kept?"),
    ("budget", "what makes room for it?"),
)


def write() -> str:
    """The gates that a statement passes, in two rows of five."""
    width, height, wide = 1000, 300, 176
    parts = [_text(500, 30, "Every write passes the same gates, in this order", "title middle")]
    for number, (gate, question) in enumerate(GATES):
        x, y = 20 + (number % 5) * 196, 56 + (number // 5) * 96
        parts.append(_box(x, y, wide, 60, "box"))
        parts.append(_text(x + wide // 2, y + 26, f"{number + 1}. {gate}", "middle"))
        parts.append(_text(x + wide // 2, y + 46, question, "small middle"))
        if number % 5 < 4:
            parts.append(_arrow(x + wide, y + 30, x + 194, y + 30))
    parts.append('<path class="line" d="M892 116 V134 H108 V150" />' + _head(108, 150, down=True))
    for x, style, title, said in (
        (120, "yes", "kept", "one transaction: memory, index, event"),
        (390, "some", "pending", "kept, and waits for a person"),
        (660, "no", "denied", "recorded without a word of it"),
    ):
        parts.append(_box(x, 234, 250, 50, style))
        parts.append(_text(x + 125, 255, title, "middle"))
        parts.append(_text(x + 125, 273, said, "note middle"))
    return _svg(
        width,
        height,
        parts,
        "The ten gates of a write: "
        + ", ".join(gate for gate, _ in GATES)
        + ". The outcome is kept, pending or denied.",
    )


# -- who may hear it ---------------------------------------------------------------------------------------------------

ROOMS = {
    Column.ALONE: "outside\nany chat",
    Column.ONE: "private chat,\none person",
    Column.TWO: "private chat,\ntwo persons",
    Column.GROUP: "group",
}
# How the reasons of a cell are said: for one listener, for each of two, and for the asker in a group.
WHO = {
    Reason.ABOUT_LISTENER: "only subject",
    Reason.OWNED_BY_LISTENER: "owner",
    Reason.STATED_BY_LISTENER: "speaker",
}


def disclosure() -> str:
    """The table of who may hear what, under the rule `strict`, drawn from the data that decides."""
    width, left, top, wide, high = 880, 120, 104, 182, 60
    height = top + len(TABLE) * (high + 8) + 66
    parts = [_text(440, 30, "Who may hear a memory that is in sight", "title middle")]
    for number, room in enumerate(ROOMS.values()):
        parts += _lines(left + number * (wide + 6) + wide // 2, 66, room, "small middle")
    for place, row in enumerate(TABLE):
        y = top + place * (high + 8)
        parts.append(_text(left - 14, y + high // 2 + 5, row.value, "title end"))
        for number, column in enumerate(ROOMS):
            said = cell(row, column)
            style = {"yes": "yes", "no": "no"}.get(said, "some")
            x = left + number * (wide + 6)
            parts.append(_box(x, y, wide, high, style))
            parts += _lines(x + wide // 2, y + high // 2 + (5 if "\n" not in said else -4), said, "note middle")
    notes = (
        f"In a chat, what everyone who listens heard in a group is said again while it is {' or '.join(heard_rows())}.",
        "What was said in a private chat is said there to those who heard it, and to nobody else unless promoted.",
        "Shares, and public spaces of other people's agents, are read by the column \u201cone person\u201d.",
    )
    parts += [_text(440, height - 48 + 17 * number, note, "small middle") for number, note in enumerate(notes)]
    said = "; ".join(f"{row.value}: {', '.join(cell(row, column) for column in ROOMS)}" for row in TABLE)
    rooms = ", ".join(ROOMS.values())
    return _svg(width, height, parts, f"Columns: {rooms}. {said}. {' '.join(notes)}".replace("\n", " "))


def heard_rows() -> list[str]:
    return [row.value for row in TABLE if row in HEARD_IN_GROUPS]


def cell(row: Row, column: Column) -> str:
    """What a cell of the table says, in up to two lines."""
    reasons = TABLE[row][column]
    if reasons is None:
        return "yes"
    if not reasons:
        return "no"
    if not reasons.keys() <= WHO.keys():
        return "each listener\nhas a reason"
    who = [WHO[reason] for reason in reasons]
    if column is Column.GROUP:
        return f"the asker is its\n{' or '.join(who)}"
    lead = "each is its " if column is Column.TWO else "its "
    return f"{lead}{who[0]},\n{' or '.join(who[1:])}" if len(who) > 2 else f"{lead}{who[0]}\nor {' or '.join(who[1:])}"


# -- shapes ------------------------------------------------------------------------------------------------------------


def _svg(width: int, height: int, parts: list[str], description: str) -> str:
    body = "\n  ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img">\n'
        f"  <title>{escape(description)}</title>\n  <style>{STYLE}    .end {{ text-anchor: end }}\n  </style>\n"
        f'  <rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" />\n  {body}\n</svg>\n'
    )


def _box(x: int, y: int, width: int, height: int, style: str) -> str:
    return f'<rect class="{style}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6" />'


def _text(x: int, y: int, said: str, style: str) -> str:
    return f'<text class="{style}" x="{x}" y="{y}">{escape(said)}</text>'


def _lines(x: int, y: int, said: str, style: str) -> Iterator[str]:
    for number, line in enumerate(said.split("\n")):
        yield _text(x, y + 17 * number, line, style)


def _curve(x1: int, y1: int, x2: int, y2: int, style: str) -> str:
    middle = (x1 + x2) // 2
    return f'<path class="{style}" d="M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}" />'


def _arrow(x1: int, y1: int, x2: int, y2: int) -> str:
    return f'<path class="line" d="M{x1} {y1} H{x2 - 6}" />' + _head(x2, y2)


def _head(x: int, y: int, *, down: bool = False) -> str:
    corners = f"{x},{y} {x - 5},{y - 8} {x + 5},{y - 8}" if down else f"{x},{y} {x - 8},{y - 5} {x - 8},{y + 5}"
    return f'<polygon class="point" points="{corners}" />'


def main() -> int:
    IMAGES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (IMAGES / f"{name}.svg").write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
