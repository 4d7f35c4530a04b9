"""A name is found although it is a stop word in another language, and the stop words of a query's own language are not
searched for."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory, Policy
from memfort.language.language import languages
from memfort.language.words import query_languages, query_terms
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore

NAMES = tuple(
    """
    Abe Ada Aki Ali Amy Ana Ann Ari Ben Bea Bo Cat Cem Che Dan Dea Dee Del Den Dina Don Ea Ed Eli Ella Elle Ely Em
    Eva Flo Gil Gus Hal Han Hans Hon Ian Ida Ike Ina Ira Isa Ivy Jan Jay Jo Joe Jon Kai Kay Kim Lea Lee Lei Leo
    Les Lia Liv Liz Lou Mac Mai Mal Mar Max May Mei Mia Min Mina Moe Nan Ned Noa Noe Noi Ole Ona Pam Pia Ray Rob
    Ron Roy Sam Sara Sia Sue Tai Ted Tim Tom Tu Uma Ute Val Van Vi Will Yo Zoe
    """.split()  # noqa: SIM905  # a list of ninety names on ninety lines would be no better
)
# The store has texts in the languages that these names are stop words of.
FOREIGN_TEXTS = (
    "Das ist nicht der Hund von nebenan",
    "Uma casa com um jardim para voce",
    "Il cane della mia vicina non sta qui",
    "Bu kitap benim, kim bir gun sen de oku",
    "Han har inte sett hans bil, och dina saker",
    "Dan is het niet voor ons maar voor jou",
    "Ella no tiene nada para los ninos",
)


def found(query: str, *texts: str) -> list[str]:
    """By words alone."""
    policy = Policy(
        recall={"weights": {"meaning": 0.0, "nearby_meaning": 0.0}, "least_meaning": 1.0},
        conflict={"evolve": False}, privacy={"personal_private": "allow"},
    )  # fmt: skip
    memory = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000)), policy=policy)
    alice = memory.as_user("alice")
    alice.remember_many(list(texts))
    return list(alice.recall(query, limit=10).texts)


def test_there_are_ninety_names_and_many_are_stop_words_somewhere():
    stop_words = frozenset().union(*(language.stop_words for language in languages()))
    assert len(NAMES) >= 90
    assert len([name for name in NAMES if name.lower() in stop_words]) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_a_short_name_is_found(name):
    texts = (f"{name} works at OpenAI", "Gertrude works at Acme")
    for query in (f"{name} employer", f"Tell me about {name}", f"Where does {name} work?", name):
        assert found(query, *texts)[:1] == [texts[0]], query


@pytest.mark.parametrize("name", ["Uma", "Kim", "Mia", "Ella", "Dan", "Ben", "Mina", "Dina", "Jo", "Hans"])
def test_a_name_in_small_letters_is_found(name):
    texts = (f"{name} works at OpenAI", "Gertrude works at Acme")
    for query in (f"{name.lower()} employer", f"tell me about {name.lower()}"):
        assert found(query, *texts)[:1] == [texts[0]], query


@pytest.mark.parametrize("name", ["Uma", "Kim", "Mia", "Ella", "Dan", "Ben", "Will", "Mina", "Dina", "Jo", "Hans"])
def test_a_name_is_found_in_a_store_of_many_languages(name):
    texts = (f"{name} works at OpenAI", "Gertrude works at Acme", *FOREIGN_TEXTS)
    for query in (f"{name} employer", f"Tell me about {name}"):
        assert texts[0] in found(query, *texts), query


@pytest.mark.parametrize(
    ("query", "name"),
    [("Kim Ben employer", "kim"), ("Kim and Ben", "kim"), ("Hans and Dina", "dina"), ("Ella Núñez employer", "ella")],
)
def test_two_names_do_not_make_a_language(query, name):
    assert (name,) in [group[:1] for group in query_terms(query)]
    assert query_languages(query) in (None, ("english",))


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("Wo ist das Haus?", ["haus"]),
        ("Où est la maison de Ben ?", ["ben", "maison"]),
        ("¿Dónde está la casa de Mia?", ["casa", "mia"]),
        ("Onde está a casa da Ella?", ["casa", "ella"]),
        ("Will the train be late?", ["late", "train"]),
        ("When will it rain?", ["rain"]),
    ],
)
def test_stop_words_of_the_query_s_own_language_are_not_searched_for(query, content):
    assert [group[0] for group in query_terms(query, query_languages(query) or ())] == content
