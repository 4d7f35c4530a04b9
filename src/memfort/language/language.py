"""The languages that there is data for. A language is a folder here with a `language.txt`; what else it may have stands
in `files.py`. Each file is read when it is first asked for.

What belongs to no language in particular stands in the folder `shared/`.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

from memfort.language.data import read_file
from memfort.language.files import (
    AttributesFile,
    CommonWordsFile,
    ConceptsFile,
    ConversationFile,
    DatesFile,
    EndsFile,
    HintsFile,
    LanguageFile,
    NamesFile,
    OrdersFile,
    OtherLanguagesFile,
    OverviewFile,
    ProfileFile,
    QueryFile,
    SecretsFile,
    SensitivityFile,
    SharingFile,
    SlotsFile,
    StatementsFile,
    TurnsFile,
    TypesFile,
    UpdatesFile,
    ValuesFile,
)

ENGLISH = "english"  # whose rules read every text, and whose stems every text in Latin letters is found by
FOLDER = Path(__file__).parent
_LAST = 1_000  # the precedence of a language that says none

_FULL_OF_WORDS = ("conversation", "language", "names", "dates", "updates")
_SYNTAX = re.compile(r"\\[a-zA-Z]|\{[^}]*\}|\(\?P<[^>]*>|^[a-z_ ]+:", re.MULTILINE)  # of a pattern
VOTING_WORD = re.compile(r"[^\W\d_]+(?:'(?=\w))?")  # "j'" and "adore" of "j'adore"
_File = TypeVar("_File")


class Language:
    """One language, by its folder. A file that it does not have is empty."""

    def __init__(self, folder: Path) -> None:
        self.code = folder.name
        self._folder = folder

    def __repr__(self) -> str:
        return f"Language({self.code})"

    # -- what every language has -----------------------------------------------------------------------------------

    @cached_property
    def file(self) -> LanguageFile:
        return self._read("language", LanguageFile)

    @cached_property
    def name(self) -> str:
        """What the index calls it."""
        return self.file.about.get("name", (self.code,))[0]

    @cached_property
    def stemmer(self) -> str | None:
        """The Snowball stemmer for its words. None: they are found as they are written."""
        return self.file.about.get("stemmer", (None,))[0]

    @cached_property
    def precedence(self) -> tuple[int, str]:
        """Of two languages that a text may be in, the first by this counts."""
        return int(self.file.about.get("precedence", (_LAST,))[0]), self.code

    @cached_property
    def scripts(self) -> tuple[tuple[int, int], ...]:
        """The first and last character of each stretch of its own script. None: it is in Latin letters."""
        return tuple((int(low, 16), int(high, 16)) for low, _, high in self._script_ranges)

    @property
    def _script_ranges(self) -> list[tuple[str, str, str]]:
        return [written.partition("-") for written in self.file.about.get("script", ())]

    @cached_property
    def stop_words(self) -> frozenset[str]:
        return frozenset(self.file.stop_words)

    @cached_property
    def has_conversations(self) -> bool:
        """Whether it has rules for what a message of a conversation leaves."""
        return self.conversation != ConversationFile()

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that stand in its data, in lower case, but for names: they show that a text is in this language."""
        if not (self._folder / "conversation.txt").exists():
            return self.stop_words
        texts = ((self._folder / f"{name}.txt") for name in _FULL_OF_WORDS)
        lines = [line for path in texts if path.exists() for line in path.read_text(encoding="utf-8").split("\n")]
        written = "\n".join(line for line in lines if line[:1] not in ("#", "["))
        words = VOTING_WORD.findall(_SYNTAX.sub(" ", written).lower())
        return self.stop_words.union(words).difference(self.names.first_names)

    # -- what it may have besides ----------------------------------------------------------------------------------

    @cached_property
    def names(self) -> NamesFile:
        return self._read("names", NamesFile)

    @cached_property
    def relations(self) -> dict[str, str]:
        """Every word for a relation, and the one it is kept under: who has a mom has a mother."""
        return {word: kept for kept, words in self.names.relations.items() for word in words}

    @cached_property
    def attributes(self) -> AttributesFile:
        return self._read("attributes", AttributesFile)

    @cached_property
    def concepts(self) -> ConceptsFile:
        return self._read("concepts", ConceptsFile)

    @cached_property
    def overview(self) -> OverviewFile:
        return self._read("overview", OverviewFile)

    @cached_property
    def ends(self) -> EndsFile:
        return self._read("ends", EndsFile)

    @cached_property
    def dates(self) -> DatesFile:
        return self._read("dates", DatesFile)

    @cached_property
    def types(self) -> TypesFile:
        return self._read("types", TypesFile, relation_term=tuple(sorted({*self.relations, *self.names.pets})))

    @cached_property
    def sensitivity(self) -> SensitivityFile:
        return self._read("sensitivity", SensitivityFile)

    @cached_property
    def secrets(self) -> SecretsFile:
        return self._read("secrets", SecretsFile)

    @cached_property
    def common_words(self) -> CommonWordsFile:
        return self._read("common_words", CommonWordsFile)

    @cached_property
    def other_languages(self) -> OtherLanguagesFile:
        return self._read("other_languages", OtherLanguagesFile)

    @cached_property
    def sharing(self) -> SharingFile:
        return self._read("sharing", SharingFile)

    @cached_property
    def updates(self) -> UpdatesFile:
        return self._read("updates", UpdatesFile)

    @cached_property
    def slots(self) -> SlotsFile:
        return self._read("slots", SlotsFile)

    @cached_property
    def profile(self) -> ProfileFile:
        return self._read("profile", ProfileFile)

    @cached_property
    def query(self) -> QueryFile:
        return self._read("query", QueryFile)

    @cached_property
    def statements(self) -> StatementsFile:
        return self._read("statements", StatementsFile)

    @cached_property
    def values(self) -> ValuesFile:
        return self._read("values", ValuesFile)

    @cached_property
    def hints(self) -> HintsFile:
        return self._read("hints", HintsFile)

    @cached_property
    def orders(self) -> OrdersFile:
        return self._read("orders", OrdersFile)

    @cached_property
    def conversation(self) -> ConversationFile:
        terms = sorted({*self.relations, *self.names.pets}, key=lambda term: (-len(term), term))  # the longest first
        return self._read("conversation", ConversationFile, relation_term=tuple(terms))

    @cached_property
    def turns(self) -> TurnsFile:
        return self._read("turns", TurnsFile)

    def _read(self, name: str, kind: type[_File], **pieces: tuple[str, ...]) -> _File:
        try:
            return read_file(self._folder / f"{name}.txt", kind, pieces)
        except FileNotFoundError:
            return kind()


def find_languages(folder: Path = FOLDER) -> tuple[Language, ...]:
    """Every language with a folder inside this one, by precedence."""
    found = (_in_folder(path.parent) for path in folder.glob("*/language.txt"))
    return tuple(sorted(found, key=lambda language: language.precedence))


@cache
def _in_folder(folder: Path) -> Language:
    return Language(folder)


@cache
def languages() -> tuple[Language, ...]:
    return find_languages()


@cache
def naming_languages() -> tuple[Language, ...]:
    """Every language that says how people are named, English first."""
    others = (_in_folder(path.parent) for path in sorted(FOLDER.glob("*/names.txt")))
    return (english(), *(one for one in others if one not in (english(), shared())))


@cache
def language(name: str) -> Language:
    """The language that the index calls so."""
    return next(one for one in languages() if one.name == name)


@cache
def english() -> Language:
    return _in_folder(FOLDER / "en")


@cache
def shared() -> Language:
    """What belongs to no language in particular."""
    return _in_folder(FOLDER / "shared")
