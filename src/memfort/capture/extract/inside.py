"""Facts inside questions and requests: "can you book a table for me and my wife Ana?" says who the wife is."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from memfort.capture.extract.rules import Conversation
from memfort.capture.extract.sentences import Sentence
from memfort.language.fold import fold

_NAMED = ("relation_named", "relation_aged")  # whose name must be written as one


class FactInside(Struct, frozen=True):
    text: str
    quote: str
    rule: str


def facts_inside(rules: Conversation, sentence: Sentence) -> Iterator[FactInside]:
    """What a sentence that asks or instructs says in passing, each stretch of words once."""
    taken = list[tuple[int, int]]()
    for rule, form in rules.inside.found_in(sentence.folded):
        for found in form.finditer(sentence.folded):
            start, end = found.span()
            if any(start < last and first < end for first, last in taken):
                continue
            parts = _parts(rules, sentence, found)
            if parts is None or (rule == "being" and not rules.speaker.search(sentence.folded[end:])):
                continue
            text = rules.file.templates[rule][0].format_map(parts)
            taken.append((start, end))
            yield FactInside(" ".join(text.split()), sentence.text[start:end].strip(" ,"), rule)


def _parts(rules: Conversation, sentence: Sentence, found: object) -> dict[str, str] | None:
    """The groups of a match as they are written; None if what should be a name is not written as one."""
    parts = {}
    for name, number in found.re.groupindex.items():  # type: ignore[attr-defined]
        start, end = found.span(number)  # type: ignore[attr-defined]
        parts[name] = sentence.text[start:end] if start >= 0 else ""
    name = parts.get("name", "")
    if name and rules.is_spaced and not name[0].isupper():
        if "what" not in parts:
            return None
        parts["name"] = ""
    parts.setdefault("name", "")
    if "relation" in parts:
        gender = rules.gender(fold(parts["relation"]).split()[-1])
        parts["mine"] = rules.file.mine.get(gender or "other", ("",))[0]
    return parts
