"""An interaction, and the candidates (drafts) extracted from it.

A draft says what could be written and why. The gates of policy decide on each draft separately whether and where it is
written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, structs

from memfort.capture.importance import BASE_IMPORTANCE, compute_importance
from memfort.capture.promotion_hints import Hint, read_hint
from memfort.errors import InvalidInput, a
from memfort.language.profile_facts import FACT_KEYS, find_facts
from memfort.language.types import infer_event_type
from memfort.model.item import MAX_TEXT_BYTES, EventType, Kind, Origin, check_size
from memfort.model.space import Level, check_id

MAX_TOOL_RESULTS = 64


class ToolResult(Struct, frozen=True, forbid_unknown_fields=True):
    """What one tool returned."""

    name: str
    text: str = ""  # a tool may return nothing
    ok: bool = True

    @property
    def statement(self) -> str:
        """The text to remember; it names the tool, and says if it failed."""
        subject = self.name if self.ok else f"{self.name} failed"
        return f"{subject}: {self.text if self.text.strip() else 'no output'}"


class Interaction(Struct, frozen=True):
    """What a user said, what was answered, and what tools returned in between. Any part may be missing, but not all."""

    said: str | None = None
    answer: str | None = None
    tools: tuple[ToolResult, ...] = ()

    def __post_init__(self) -> None:
        for name in ("said", "answer"):
            if (said := getattr(self, name)) is not None:
                _check_said(said, name)
        structs.force_setattr(self, "tools", _check_tools(self.tools))
        if self.said is None and self.answer is None and not self.tools:
            raise InvalidInput("interaction", "it is empty", "give at least one of `said`, `answer` and `tools`")


def _check_said(text: object, field: str) -> None:
    if not isinstance(text, str):
        raise InvalidInput(field, f"{a(type(text).__name__)} is not a text", "give the words as text")
    if not text.strip():
        raise InvalidInput(field, "it is empty", "give the words, or leave it out")
    check_size(text, field, MAX_TEXT_BYTES)


def _check_tools(tools: object) -> tuple[ToolResult, ...]:
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise InvalidInput("tools", "it is not a list", "give a list of tool results")
    results = tuple(tools)
    if len(results) > MAX_TOOL_RESULTS:
        raise InvalidInput("tools", f"there are {len(results)}", f"give at most {MAX_TOOL_RESULTS}")
    for place, result in enumerate(results):
        _check_tool(result, f"tools[{place}]")
    return results


def _check_tool(result: object, field: str) -> None:
    if not isinstance(result, ToolResult):
        raise InvalidInput(field, f"{a(type(result).__name__)} is not a tool result", "give a `ToolResult`")
    check_id(result.name, f"{field}.name")
    if not isinstance(result.text, str):
        raise InvalidInput(f"{field}.text", f"{a(type(result.text).__name__)} is not a text", "give it as text")
    if not isinstance(result.ok, bool):
        raise InvalidInput(f"{field}.ok", f"{a(type(result.ok).__name__)} is not a yes or no", "give true or false")
    check_size(result.statement, f"{field}.text", MAX_TEXT_BYTES)


class CapturedStatement(Struct, frozen=True, kw_only=True):
    """One memory that could be made from an interaction."""

    kind: Kind
    text: str
    origin: Origin
    event_type: EventType
    importance: float
    importance_reasons: tuple[str, ...]
    key: str | None = None  # the name of a profile fact
    promote_to: Level | None = None  # the wider space that was asked for
    promotion_reason: str | None = None
    derived_from: tuple[int, ...] = ()  # positions in the list of drafts

    @property
    def is_correction(self) -> bool:
        return self.event_type is EventType.CORRECTION


def capture_statements(
    interaction: Interaction,
    keys: Collection[str] = FACT_KEYS,
    base: Mapping[EventType, float] = BASE_IMPORTANCE,
) -> list[CapturedStatement]:
    """The drafts in order: the user's turn, the answer, the user's statements, profile facts, tool results.

    `keys` are the profile facts to look for, `base` is the importance of each event type.
    """
    said = None if interaction.said is None else _parse_user_turn(interaction.said, keys)
    made: list[CapturedStatement] = []
    if said is not None:
        made.append(_capture_statement(base, Kind.SHORT_TERM, said.whole, Origin.USER, said.event_type))
    if interaction.answer is not None:
        event_type = infer_event_type(interaction.answer, Origin.AI)
        made.append(_capture_statement(base, Kind.SHORT_TERM, interaction.answer, Origin.AI, event_type))
    if said is not None:
        made += [_capture_user_statement(said, base), *_capture_profile_facts(said, keys, base)]
    # A tool's result is not derived from the user's turn, whose authority would then limit it.
    made += [
        _capture_statement(base, Kind.SEMANTIC, tool.statement, Origin.TOOL, EventType.EXECUTION)
        for tool in interaction.tools
    ]
    return made


_USER_TURN = 0  # its position among the drafts, if there is one


class _UserTurn(Struct, frozen=True):
    """The user's text, analysed."""

    whole: str
    text: str  # without a hint in front
    hint: Hint | None
    event_type: EventType


def _parse_user_turn(said: str, keys: Collection[str]) -> _UserTurn:
    hinted = read_hint(said)
    return _UserTurn(said, hinted.text, hinted.hint, infer_event_type(hinted.text, Origin.USER, keys))


def _capture_statement(
    base: Mapping[EventType, float], kind: Kind, text: str, origin: Origin, event_type: EventType, **more: Any
) -> CapturedStatement:
    importance = compute_importance(text, event_type, origin, base)
    return CapturedStatement(
        kind=kind,
        text=text,
        origin=origin,
        event_type=event_type,
        importance=importance.value,
        importance_reasons=importance.reasons,
        **more,
    )


def _capture_user_statement(said: _UserTurn, base: Mapping[EventType, float]) -> CapturedStatement:
    return _capture_statement(
        base,
        Kind.SEMANTIC,
        said.text,
        Origin.USER,
        said.event_type,
        derived_from=(_USER_TURN,),
        **_promotion(said.hint),
    )


def _capture_profile_facts(
    said: _UserTurn, keys: Collection[str], base: Mapping[EventType, float]
) -> Iterator[CapturedStatement]:
    """Facts about the speaker. They belong only to the speaker: the `name` of a project is not the speaker's name."""
    event_type = EventType.CORRECTION if said.event_type is EventType.CORRECTION else EventType.FACT
    hint = said.hint if said.hint and said.hint.level is Level.USER else None
    for fact in find_facts(said.text, keys):
        yield _capture_statement(
            base,
            Kind.PROFILE,
            fact.value,
            Origin.USER,
            event_type,
            key=fact.key,
            derived_from=(_USER_TURN,),
            **_promotion(hint),
        )


def _promotion(hint: Hint | None) -> dict[str, Any]:
    return {"promote_to": hint.level, "promotion_reason": hint.reason} if hint else {}
