"""The language layer reads any text: it raises nothing that is not documented, in time proportional to the length, and
one message never loses those beside it. `python -m tests.language.fuzz --texts 50000 --growth` tries more texts."""

from __future__ import annotations

import os
from typing import Any

import pytest
from tests.generated import fresh_digest, fresh_number
from tests.language.fuzz.growth import growing_steps
from tests.language.fuzz.play import play
from tests.language.fuzz.readers import READERS
from tests.language.fuzz.texts import text_of, units, with_surrogate

from memfort import InvalidInput, Memory
from memfort.language.mentions import mentions
from memfort.language.sensitivity import classify
from memfort.language.words import query_terms
from memfort.recall.values import find_values

TEXTS = int(os.environ.get("MEMFORT_TEST_TEXTS") or 240)
BATCH = 20
FRESH = fresh_number()


@pytest.mark.parametrize(
    "first", [pytest.param(0, id="recorded"), pytest.param(FRESH, id="fresh", marks=pytest.mark.fresh)]
)
def test_every_text_is_read_and_none_loses_those_beside_it(first: int) -> None:
    for seed in range(first, first + TEXTS // 2, BATCH):
        assert [*map(str, play([text_of(number) for number in range(seed, seed + BATCH)], seed))] == []


def test_a_reader_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr("tests.language.fuzz.play.READERS", {**READERS, "broken": broken})
    [failure] = play(["I live in Hamburg"], 7)
    assert (failure.where, failure.problem, failure.seed) == ("broken", "RecursionError: too deep", 7)


def test_the_texts_of_a_number_are_always_the_same() -> None:
    assert [text_of(number) for number in range(50)] == [text_of(number) for number in range(50)]
    assert len({text_of(number) for number in range(500)}) > 480


@pytest.mark.fresh
@pytest.mark.parametrize("part", range(2))
def test_work_is_proportional_to_the_length(part: int) -> None:
    chosen = list(dict.fromkeys(units()))[int(fresh_digest(), 16) % 48 + part :: 48]
    assert [str(one) for unit in chosen for one in growing_steps(unit)] == []


def test_quadratic_work_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def quadratic(text: str) -> Any:
        return [at for at in range(len(text) // 100) for _ in range(len(text) // 100)]

    monkeypatch.setattr("tests.language.fuzz.growth.READERS", {"quadratic": quadratic})
    assert [one.reader for one in growing_steps("a ")] == ["quadratic"]


# -- what was found so -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Why?: my annual income is $65,000",
        "so?my annual income is $65,000",
        "Really?) I earn $65,000 a year",
        "¿Por qué?: gano 65.000 € al año",
        "Warum?, mein Jahresgehalt ist 65.000 €",
        "Pourquoi?– mon salaire est de 65 000 €",
        "为什么?我的年收入是65000美元",
    ],
)
def test_a_question_mark_before_a_private_matter_hides_nothing(memory: Memory, text: str) -> None:
    level, category = classify(text)
    assert (str(level), category) != ("public", None)
    assert memory.as_user("ada").remember(text).kept


def test_a_message_with_a_question_mark_inside_keeps_its_batch(memory: Memory) -> None:
    texts = ["I live in Hamburg", "Why?: my annual income is $65,000", "My desk is on the second floor"]
    assert all(outcome.kept for outcome in memory.as_user("ada").remember_many(texts))
    seen = memory.as_user("bob").observe(texts, conversation="c-1")
    assert [message.turn is not None and message.turn.kept for message in seen.messages] == [True] * 3


def test_a_private_matter_that_is_only_asked_about_is_not_stated() -> None:
    assert classify("Do you think my annual income is $65,000?")[1] is None
    assert classify("Is it late? My annual income is $65,000.")[1] is not None


def test_marks_without_letters_can_be_asked_for(memory: Memory) -> None:
    ada = memory.as_user("ada")
    ada.remember("My desk is on the second floor \u064b")
    assert all(term for group in query_terms("\u064b \u0640") for term in group)
    assert ada.recall("  \u064b  \u064b \u0640-4").query
    assert [hit.item.text for hit in ada.recall("desk \u064b").hits] == ["My desk is on the second floor \u064b"]


def test_somebody_who_is_their_own_relation_is_read(memory: Memory) -> None:
    for text in ("Ana is Ana's sister", "@bob is @bob's boss", "Carol is Carol's boss"):
        assert mentions(text).people
        assert memory.as_user("ada").remember(text).kept
    assert [one.name for one in mentions("Bob is Carol's boss").people] == ["Bob", "Carol"]


def test_many_relations_take_work_in_proportion() -> None:
    assert len(mentions("my sister Ana, my wife Eva, " * 2_000).people) == 2
    assert [str(one) for one in growing_steps("my sister ") if one.reader == "names"] == []


@pytest.mark.parametrize("unit", ["No wait, it is on Thursday. ", "No, espera, es el jueves. "])
def test_many_corrections_take_work_in_proportion(unit: str) -> None:
    assert [str(one) for one in growing_steps(unit) if one.reader == "extract"] == []


def test_an_arrow_ends_a_sentence_and_dashes_do_not() -> None:
    assert find_values("the rent -----> 900") == find_values("the rent. 900")
    assert find_values("my rent is --- 900") == find_values("my rent is 900")


@pytest.mark.parametrize("number", range(5))
def test_a_lone_surrogate_is_an_error_that_names_the_field_and_loses_nothing(memory: Memory, number: int) -> None:
    ada, broken = memory.as_user("ada"), with_surrogate(number)
    kept = ada.remember("My desk is on the second floor")
    for verb, field in ((ada.remember, "text"), (ada.recall, "query"), (ada.context, "query")):
        with pytest.raises(InvalidInput) as error:
            verb(broken)
        assert (error.value.field, "surrogate" in error.value.remedy) == (field, True)
    with pytest.raises(InvalidInput) as error:
        ada.correct(str(kept.id), broken)
    assert error.value.field == "text"
    for message in (broken, {"role": "tool", "content": broken}):
        with pytest.raises(InvalidInput) as error:
            ada.observe(["The printer needs blue ink", message], conversation="c-1")
        assert error.value.field == "messages[1]"
    for statement in (broken, {"text": broken}):
        first, refused, last = ada.remember_many(["The printer needs blue ink", statement, "The door is green"])
        assert (first.kept, refused.kept, refused.reason, last.kept) == (True, False, "invalid", True)
    assert [hit.item.id for hit in ada.recall("second floor desk").hits] == [kept.id]
