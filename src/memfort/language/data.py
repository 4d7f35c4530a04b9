"""Reads a data file of a language. The file is plain text in sections:

    # A line that begins with # is a comment.
    [stop words]
    a an and are as at

    [relations]
    mother: mom mum mama

    [pieces]
    illness: cancer, tumou?rs?, heart (disease|attack),
      diabetes

    [rule: health]
    (has|have) {illness}

The Struct of the file in `files.py` says which sections it may have and what each holds. A line that begins with a
space continues the line above it. In forms and phrases `(a|b)` stands for either, `?` after a letter for one that may
be missing, `{name}` for any entry of the piece of that name and `{end}` for the end of a clause; the rest is a regular
expression of RE2. A section of words or phrases is a piece too, by its own name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from memfort.errors import did_you_mean

CLAUSE_END = r"(?:\s*[.,;:!?)]|\s*$)"
NEVER = r"[^\s\S]"  # the pattern of a section that a language does not have: it fits nothing

_File = TypeVar("_File")


class Rule(NamedTuple):
    """The forms under one name, each a pattern."""

    name: str
    forms: tuple[str, ...]


# What a section may hold.
Words = Annotated[frozenset[str], "words"]  # separated by spaces or commas
OrderedWords = Annotated[tuple[str, ...], "ordered words"]
Phrases = Annotated[tuple[str, ...], "phrases"]  # separated by commas or line breaks, with spaces inside
WordGroups = Annotated[Mapping[str, tuple[str, ...]], "groups of words"]  # `name: words`
PhraseGroups = Annotated[Mapping[str, tuple[str, ...]], "groups of phrases"]  # `name: phrases`
Pattern = Annotated[str, "pattern"]  # phrases, any of which fits
Rules = Annotated[tuple[Rule, ...], "rules"]  # sections `[rule: name]` with one form a line, in their order


class LanguageDataError(ValueError):
    """A data file of a language cannot be read. The message names the file, the line and the remedy."""

    def __init__(self, path: Path, line: int, problem: str, remedy: str) -> None:
        super().__init__(f"{path.parent.name}/{path.name}, line {line}: {problem}; {remedy}")


class _Section(NamedTuple):
    name: str
    of: str  # what follows the colon in its heading
    line: int
    lines: list[tuple[int, str]]


def read_file(path: Path, kind: type[_File], given: Mapping[str, tuple[str, ...]] | None = None) -> _File:
    """The file as a Struct of this kind. What the file does not have is empty. `given` are pieces of other files."""
    known: Mapping[str, Any] = {name: kind.__annotations__[name] for name in kind.__struct_fields__}  # type: ignore[attr-defined]
    sections = _split(path)
    pieces = _Pieces(path, sections, given or {})
    found: dict[str, Any] = {}
    for section in sections:
        field = section.name.replace(" ", "_")
        if section.name == "pieces":
            continue
        if field not in known:
            names = [name.replace("_", " ") for name in (*known, "pieces")]
            raise LanguageDataError(
                path, section.line, f"`{section.name}` is no section of this file", did_you_mean(section.name, names)
            )
        if known[field] == Rules:
            found[field] = (*found.get(field, ()), _rule(section, pieces, path))
        elif field in found:
            raise LanguageDataError(path, section.line, f"`{section.name}` stands here twice", "join the two sections")
        else:
            found[field] = _READERS[known[field]](section, pieces, path)
    return kind(**found)


def _split(path: Path) -> list[_Section]:
    sections: list[_Section] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip() or line[0] == "#":
            continue
        if line[0] == "[" and (heading := _HEADING.fullmatch(line.rstrip())) is not None:
            sections.append(_Section(heading[1], heading[2] or "", number, []))
            continue
        if line[0] == "[" and _LIKE_A_HEADING.fullmatch(line.rstrip()):
            problem, remedy = f"`{line.rstrip()}` is no heading", "write it in small letters, as [name] or [name: what]"
            raise LanguageDataError(path, number, problem, remedy)
        if not sections:
            raise LanguageDataError(path, number, "this line is in no section", "put a heading such as [words] above")
        lines = sections[-1].lines
        if line[0] != " ":
            lines.append((number, line.rstrip()))
        elif not lines:
            raise LanguageDataError(path, number, "this line continues nothing", "remove the space before it")
        else:
            start, before = lines[-1]
            rest = line.strip()
            lines[-1] = (start, before + rest if rest[0] == "|" or before[-1] == "|" else f"{before} {rest}")
    return sections


_LIKE_A_HEADING = re.compile(r"\[[\w :]+\]")
_HEADING = re.compile(r"\[([a-z][a-z ]*)(?:: ([a-z0-9_]+))?\]")


class _Pieces:
    """The named parts of patterns that a file has. A piece may have others inside."""

    def __init__(self, path: Path, sections: list[_Section], given: Mapping[str, tuple[str, ...]]) -> None:
        self._path, self._sections = path, {one.name.replace(" ", "_"): one for one in sections}
        self._written = {
            name: (number, entries)
            for one in sections
            if one.name == "pieces"
            for number, name, entries in _named_lines(one, path)
        }
        self._made = {"end": CLAUSE_END, **{name: self.any_of(entries, 0) for name, entries in given.items()}}

    def fill(self, pattern: str, line: int) -> str:
        """The pattern with its pieces put in, and with groups that capture nothing."""
        grouped = _PLAIN_GROUP.sub("(?:", pattern) if "(" in pattern else pattern
        if "{" not in grouped:
            return grouped
        return _PIECE.sub(lambda found: self._pattern(found[1], line), grouped)

    def any_of(self, phrases: tuple[str, ...], line: int) -> str:
        return "(?:" + "|".join([self.fill(one, line) for one in phrases]) + ")" if phrases else NEVER

    def _pattern(self, name: str, line: int) -> str:
        if name not in self._made:
            number, entries = self._entries(name, line)
            self._made[name] = self.any_of(entries, number)
        return self._made[name]

    def _entries(self, name: str, line: int) -> tuple[int, tuple[str, ...]]:
        if name in self._written:
            number, written = self._written.pop(name)  # so that a piece inside itself is not found
            return number, _phrases(written)
        if name in self._sections:
            section = self._sections.pop(name)
            is_in_words = not any("," in text for _, text in section.lines)
            return section.line, tuple(_section_words(section)) if is_in_words else _section_phrases(section)
        remedy = did_you_mean(name, (*self._written, *self._sections, "end"))
        raise LanguageDataError(self._path, line, f"there is no piece `{name}`", remedy)


_PIECE = re.compile(r"\{([a-z][a-z_]*)\}")
_PLAIN_GROUP = re.compile(r"(?<!\\)\((?!\?)")


def _named_lines(section: _Section, path: Path) -> list[tuple[int, str, str]]:
    found = []
    for number, line in section.lines:
        name, colon, entries = line.partition(":")
        if not colon or not entries.strip():
            problem = f"a line of `{section.name}` needs a name, a colon and what belongs to it"
            raise LanguageDataError(path, number, problem, "write `name: one, two, three`")
        found.append((number, name.strip(), entries))
    return found


def _rule(section: _Section, pieces: _Pieces, path: Path) -> Rule:
    if not section.of:
        problem = f"`{section.name}` needs the name of what its forms are for"
        raise LanguageDataError(path, section.line, problem, f"write [{section.name}: name]")
    return Rule(section.of, tuple([pieces.fill(line, number) for number, line in section.lines]))


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _phrases(text: str) -> tuple[str, ...]:
    return tuple([phrase for one in text.split(", ") if (phrase := one.strip().removesuffix(","))])


def _section_words(section: _Section) -> list[str]:
    return [word for _, line in section.lines for word in _words(line)]


def _section_phrases(section: _Section) -> tuple[str, ...]:
    return tuple([phrase for _, line in section.lines for phrase in _phrases(line)])


_READERS: Mapping[Any, Callable[[_Section, _Pieces, Path], Any]] = {
    Words: lambda section, _, __: frozenset(_section_words(section)),
    OrderedWords: lambda section, _, __: tuple(_section_words(section)),
    Phrases: lambda section, _, __: _section_phrases(section),
    WordGroups: lambda section, _, path: {
        name: tuple(_words(entries)) for _, name, entries in _named_lines(section, path)
    },
    PhraseGroups: lambda section, _, path: {
        name: _phrases(entries) for _, name, entries in _named_lines(section, path)
    },
    Pattern: lambda section, pieces, _: pieces.any_of(_section_phrases(section), section.line),
}
