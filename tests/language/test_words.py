"""Words: what a text is found by, in any script; and a query is words and never a language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort import FixedClock, Memory
from memfort.language.words import FOREIGN, MAX_QUERY_TERMS, MAX_WORD_CHARS, query_languages, query_terms, text_terms
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore


def found(query: str, *texts: str) -> list[str]:
    """Those of the texts that a recall gives, in a store that holds these and one that shares nothing with anything."""
    memory = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000)))
    alice = memory.as_user("alice")
    alice.remember_many([*texts, "unrelatedword"])
    return sorted(alice.recall(query, limit=1000, weak=False).texts)


FINDS = {
    "case": ("TEA", "likes tea"),
    "case_folding": ("STRASSE", "die Straße"),
    "plural": ("cats", "a cat"),
    "stem": ("running", "she runs"),
    "stem_of_an_adverb": ("quickly", "quick"),
    "number": ("42", "the answer is 42"),
    "decimal": ("3.14", "pi is 3.14"),
    "version": ("v2.0.1", "release v2.0.1"),
    "snake_case": ("user id", "the user_id column"),
    "snake_case_whole": ("user_id", "the user_id column"),
    "path": ("hosts", "see /etc/hosts"),
    "mail": ("example", "at support-example-desk"),
    "hyphen": ("well known", "a well-known fact"),
    "apostrophe": ("bob", "bob's hat"),
    "accent_typed": ("café", "the café"),
    "accent_left_out": ("cafe", "the café"),
    "accent_added": ("naïve", "a naive plan"),
    "accent_composed": ("cafe\u0301", "the caf\u00e9"),
    "accent_upper": ("ZURICH", "in Zürich"),
    "stroke": ("lodz", "w mieście Łódź"),
    "stroke_through": ("orsted", "Ørsted was here"),
    "letters_in_one": ("aeon", "an æon ago"),
    "soft_hyphen": ("window", "the win\u00addow"),
    "accents_of_vietnamese": ("tieng viet", "tiếng Việt"),
    "greek_accents": ("Αθηνα", "η Αθήνα"),
    "full_width": ("ｔｅａ", "likes tea"),
    "ligature": ("file", "the ﬁle"),
    "superscript": ("x2", "x² is"),
    "cyrillic": ("МОСКВА", "в москва"),
    "arabic": ("شاي", "يحب شاي"),
    "hindi": ("चाय", "उसे चाय पसंद है"),
    "korean": ("한국어", "나는 한국어 를 한다"),
    "chinese_word": ("喝茶", "她喜欢喝茶"),
    "chinese_character": ("茶", "她喜欢喝茶"),
    "japanese": ("東京", "私は東京に住む"),
    "katakana": ("コーヒー", "コーヒーが好き"),
    "half_width_katakana": ("ｺｰﾋｰ", "コーヒーが好き"),
    "thai": ("กาแฟ", "เขาชอบกาแฟมาก"),
    "mixed_scripts": ("iphone", "我的iPhone壞了"),
    "mixed_scripts_other_half": ("壞了", "我的iPhone壞了"),
    "beside_emoji": ("pizza", "pizza🍕time"),
    "emoji_in_the_query": ("pizza 🍕", "pizza time"),
    "keycap": ("1", "step 1️⃣"),
    "tag_like": ("urgent", "#urgent!"),
}


@pytest.mark.parametrize(("query", "text"), FINDS.values(), ids=FINDS.keys())
def test_the_query_finds_the_text(query, text):
    assert found(query, text) == [text]


MISSES = {
    "another_word": ("granite", "likes tea"),
    "part_of_a_word": ("art", "the party"),
    "beginning_of_a_word": ("part", "a partner"),
    "another_letter": ("йод", "иод"),  # in Cyrillic й is a letter, not an и with an accent
    "another_emoji": ("☀️", "❤️ it"),  # both hold U+FE0F, which is no word
    "only_an_emoji": ("🍕", "pizza 🍕"),
    "only_punctuation": ("?!…", "what?!"),
    "number_part": ("4", "the answer is 42"),
    "chinese_other": ("咖啡", "她喜欢喝茶"),
}


@pytest.mark.parametrize(("query", "text"), MISSES.values(), ids=MISSES.keys())
def test_the_query_does_not_find_the_text(query, text):
    assert found(query, text) == []
    assert found(text, text) == [text]


# -- a query is not a language ----------------------------------------------------------------------------------------

NOT_A_LANGUAGE = [
    'tea "', '"tea', "tea*", "te*", "tea AND coffee", "tea OR coffee", "NOT tea", "tea NEAR/2 milk", "NEAR(tea milk)",
    "(tea", "tea)", "((", "text:tea", "{text tags}: tea", "-tea", "+tea", "^tea", "tea^2", "tea~", "tea\\", "tea'; --",
    "' or 1=1 --", "tea; drop table item", "%tea%", "_ea", "tea\x00", "$tea", "{{tea}}", "<tea>", "tea\u202e", "|tea|",
]  # fmt: skip


@pytest.mark.parametrize("query", NOT_A_LANGUAGE)
def test_a_query_is_never_a_language(query):
    """What looks like syntax is words, or nothing: never an error, never everything, never fewer."""
    words = {term for group in query_terms(query) for term in group}
    expected = ["likes tea"] if "tea" in words else []
    assert [text for text in found(query, "likes tea", "zzz") if text == "likes tea"] == expected
    assert "unrelatedword" not in found(query, "likes tea")


@pytest.mark.parametrize("word", ["AND", "OR", "NOT", "NEAR"])
def test_the_words_of_other_query_languages_are_words(word):
    assert found(f"{word} {word}", f"{word.lower()} zebra") == [f"{word.lower()} zebra"]


def test_no_word_is_left_out_of_a_query_with_not():
    assert found("NOT tea", "likes tea") == ["likes tea"]


# -- stop words -------------------------------------------------------------------------------------------------------


def test_stop_words_do_not_find():
    assert found("what is the tea", "the weather is what it is", "tea time") == ["tea time"]


@pytest.mark.parametrize("query", ["does why tea", "Does he like tea", "why was there tea"])
def test_a_stop_word_is_one_in_any_form(query):
    assert found(query, "why does it rain, does it", "tea time") == ["tea time"]


@pytest.mark.parametrize("query", ["the who", "to be or not to be", "does", "it is"])
def test_a_query_of_stop_words_alone_still_finds(query):
    assert found(query, query, "zebra") == [query]


# -- bounds -----------------------------------------------------------------------------------------------------------


def test_a_query_has_a_bounded_number_of_terms():
    assert len(query_terms(" ".join(f"word{number}" for number in range(500)))) == MAX_QUERY_TERMS


def test_of_too_many_terms_the_identifiers_and_the_first_words_count():
    query = " ".join(["zebra", *(f"word{number}" for number in range(500)), "yak", "ERR_CONN_42"])
    terms = {group[0] for group in query_terms(query)}
    assert {"zebra", "err_conn_42"} <= terms
    assert "yak" not in terms


def test_a_very_long_word_is_found_by_itself():
    word = "x" * (MAX_WORD_CHARS * 3)
    assert found(word, word) == [word]
    assert set(text_terms(word)) == {"x" * MAX_WORD_CHARS}


def test_terms_are_counted():
    assert text_terms("tea, Tea and more teas") == {"tea": 3, "and": 1, "more": 1}


def test_the_terms_of_a_query_are_distinct_and_in_a_fixed_order():
    assert query_terms("zebra apple zebra Apple") == query_terms("apple zebra") == [("appl",), ("zebra",)]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_every_text_is_found_by_its_own_words(text):
    own = set(text_terms(text))
    assert all(own & set(group) for group in query_terms(text, query_languages(text) or ()))
    assert all(own & set(group) for group in query_terms(text))
    assert all(term and term == term.strip() for term in text_terms(text))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_a_space_between_two_texts_adds_up_their_words(left, right):
    both, apart = text_terms(f"{left} \n {right}"), Counter(text_terms(left)) + Counter(text_terms(right))
    assert not _own(both) ^ _own(apart)


def _own(terms: Mapping[str, int]) -> set[tuple[str, int]]:
    """Those that do not depend on the language of the whole text."""
    return {(term, often) for term, often in terms.items() if not term.startswith(FOREIGN)}


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_case_does_not_matter(text):
    assert set(query_terms(text.upper())) == set(query_terms(text.upper().lower().upper()))
