"""The data of every language can be read, what a language lacks is empty, and a mistake says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
import re2

from memfort.capture.promotion_hints import _LEVELS
from memfort.language.data import NEVER, LanguageDataError, Pattern, Rules, read_file
from memfort.language.files import (
    DatesFile,
    LanguageFile,
    NamesFile,
    QueryFile,
    SensitivityFile,
    StatementsFile,
    TypesFile,
)
from memfort.language.language import FOLDER, Language, english, find_languages, languages, shared
from memfort.language.words import split_words
from memfort.model.item import EventType, Sensitivity

FILES = sorted(path for path in FOLDER.glob("*/*.txt"))


def content(path: Path) -> object:
    folder = Language(path.parent)
    return folder.file if path.name == "language.txt" else getattr(folder, path.stem)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_file_can_be_read_and_its_patterns_fit_something(path):
    file = content(path)
    assert file != type(file)(), "it has nothing"
    for field in type(file).__struct_fields__:
        kind, value = type(file).__annotations__[field], getattr(file, field)
        forms = [value] if kind == Pattern else [form for rule in value for form in rule.forms] if kind == Rules else []
        for form in forms:
            assert re2.compile(form.replace(" ", r"\s+")), (field, form)
            assert re2.compile(form).match("") is None or form.startswith("^"), f"{field} fits everything: {form}"


def test_there_are_languages_and_english_comes_first():
    assert len(languages()) >= 20
    assert languages()[0] is english()
    assert len({one.name for one in languages()}) == len({one.code for one in languages()}) == len(languages())


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.code)
def test_stop_words_are_written_as_they_are_folded(language):
    words = language.file.stop_words
    assert len(set(words)) == len(words), "a word stands there twice"
    if not language.scripts:
        assert all(split_words(word) == [word] for word in words)


def test_every_category_of_a_language_has_a_level():
    known = {name for names in shared().sensitivity.levels.values() for name in names}
    assert {Sensitivity(level) for level in shared().sensitivity.levels}
    for language in languages():
        assert {rule.name for rule in language.sensitivity.rule} <= known, language
    assert {rule.name for rule in english().sensitivity.rule} == known


def test_language_rules_use_only_names_known_to_the_code():
    assert {EventType(rule.name) for rule in english().types.event}
    assert {rule.name for rule in english().hints.hint} == set(_LEVELS)
    assert {"until", "before", "after", "since"} == set(english().dates.sides)
    assert len(english().dates.months) == 12
    assert len(english().dates.weekdays) == 7


# -- a new language ---------------------------------------------------------------------------------------------------


def test_a_language_is_a_folder(tmp_path):
    write(tmp_path / "ca" / "language.txt", "[about]\nname: catalan\nstemmer: catalan\n\n[stop words]\nel la els\n")
    write(tmp_path / "xx" / "language.txt", "# nothing yet\n")
    (tmp_path / "shared").mkdir()
    found = {one.code: one for one in find_languages(tmp_path)}
    assert list(found) == ["ca", "xx"]
    assert (found["ca"].name, found["ca"].stemmer) == ("catalan", "catalan")
    assert found["ca"].stop_words == {"el", "la", "els"}
    assert (found["xx"].name, found["xx"].stemmer, found["xx"].scripts) == ("xx", None, ())


def test_missing_language_data_is_empty_and_matches_nothing(tmp_path):
    write(tmp_path / "xx" / "language.txt", "[stop words]\nla\n")
    write(tmp_path / "xx" / "query.txt", "[now]\nara\n")
    (language,) = find_languages(tmp_path)
    assert language.names == NamesFile()
    assert language.dates == DatesFile()
    assert language.query.past == NEVER
    assert re2.compile(language.query.now).search("i ara")
    assert re2.compile(rf"\b{language.query.past}\b").search("any text at all") is None


# -- the format -------------------------------------------------------------------------------------------------------


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_words_phrases_groups_and_comments(tmp_path):
    path = write(
        tmp_path / "names.txt",
        "# a comment\n[speaker]\ni, me my\n  mine\n# another\nwe\n\n[naming]\nis called, is named\ncalled\n"
        "\n[relations]\nmother: mom mum,\n  mama\n",
    )
    assert read_file(path, NamesFile) == NamesFile(
        speaker=frozenset({"i", "me", "my", "mine", "we"}),
        naming=("is called", "is named", "called"),
        relations={"mother": ("mom", "mum", "mama")},
    )


def test_pieces_are_put_into_forms(tmp_path):
    path = write(
        tmp_path / "sensitivity.txt",
        "[pieces]\nwhose: my, ({other}'s|her)\nother: [a-z]+\n[rule: health]\n"
        "{whose} (cold\n  |flu){0,1}{end}\n[rule: health]\nill\n",
    )
    first, second = read_file(path, SensitivityFile).rule
    assert (first.name, second.name, second.forms) == ("health", "health", ("ill",))
    fits = re2.compile(first.forms[0]).search
    assert fits("her flu.")
    assert fits("ann's cold")
    assert not fits("her flute")


def test_a_section_of_words_is_a_piece_too(tmp_path):
    path = write(tmp_path / "dates.txt", "[weekdays]\nmon tue\n[relative days]\nlast {weekdays}\n")
    assert re2.compile(read_file(path, DatesFile).relative_days).fullmatch("last tue")


@pytest.mark.parametrize(
    ("text", "line", "problem", "remedy"),
    [
        ("[labls]\na\n", 1, "`labls` is no section of this file", "did you mean `labels`?"),
        ("[own]\ni\n[Labels]\na\n", 3, "`[Labels]` is no heading", "in small letters"),
        ("a b\n", 1, "in no section", "put a heading"),
        ("[labels]\n  a\n", 2, "continues nothing", "remove the space"),
        ("[labels]\na\n[labels]\nb\n", 3, "`labels` stands here twice", "join the two sections"),
        ("[now]\n", 1, "`now` is no section of this file", "own"),
        ("[own]\ni\n{wee}\n[pieces]\nwe: we\n", 1, "there is no piece `wee`", "did you mean `we`?"),
        ("[own]\n{a}\n[pieces]\na: b{a}\n", 4, "there is no piece `a`", "use one of"),
        ("[pieces]\na b\n", 2, "needs a name, a colon", "write `name: one, two, three`"),
    ],
)
def test_a_mistake_names_the_file_the_line_and_the_remedy(tmp_path, text, line, problem, remedy):
    path = write(tmp_path / "xx" / "statements.txt", text)
    with pytest.raises(LanguageDataError) as raised:
        read_file(path, StatementsFile)
    assert str(raised.value).startswith(f"xx/statements.txt, line {line}: ")
    assert problem in str(raised.value)
    assert remedy in str(raised.value)
    assert read_file(write(path, "[labels]\na b\n"), StatementsFile).labels == {"a", "b"}


def test_a_rule_needs_a_name(tmp_path):
    with pytest.raises(LanguageDataError, match=r"write \[type: name\]"):
        read_file(write(tmp_path / "types.txt", "[type]\nlikes\n"), TypesFile)


def test_an_empty_file_is_an_empty_language(tmp_path):
    assert read_file(write(tmp_path / "language.txt", ""), LanguageFile) == LanguageFile()
    assert read_file(write(tmp_path / "query.txt", "\n# x\n"), QueryFile) == QueryFile()
