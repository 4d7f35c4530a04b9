"""Languages: a word is found in its other forms, in its own language and script, and nothing else is; what has a sign
inside is one thing; and how a text is encoded does not matter."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort import FixedClock, Memory, Policy
from memfort.language.detect import foreign_language, latin_languages, possible_languages, stop_words
from memfort.language.language import ENGLISH
from memfort.language.words import FOREIGN, query_languages, query_terms, split_words, text_terms
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore


def found(query: str, *texts: str) -> list[str]:
    """By words alone: the table of meanings that ships with the package knows what sounds alike in English."""
    policy = Policy(
        recall={"weights": {"meaning": 0.0, "nearby_meaning": 0.0}, "least_meaning": 1.0},
        conflict={"evolve": False}, privacy={"personal_private": "allow"},
    )  # fmt: skip
    memory = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000)), policy=policy)
    alice = memory.as_user("alice")
    alice.remember_many([*texts, "unrelatedword"])
    return sorted(alice.recall(query, limit=1000).texts)


# A question in other forms of the words of the first text, and a second text that it must not find.
PAIRS = {
    "german": ("Welche Häuser haben wir gekauft?", "Das Haus am See ist ein Kauf gewesen", "Der Hund schläft gern"),
    "german_without_umlauts": ("Wo sind die Bucher?", "Das Buch ist in der Küche", "Der Hund schläft gern"),
    "german_one_word": ("Bücher", "Das Buch ist nicht in der Küche", "Der Hund schläft gern"),
    "french": ("Où sont les chevaux de ma soeur ?", "Le cheval est dans le pré", "Il pleut sur la ville"),
    "french_one_word": ("chevaux", "Le cheval est dans le pré", "Il pleut sur la ville"),
    "spanish": ("¿Qué canciones le gustan a Marta?", "La canción preferida es de Madrid", "El perro duerme en casa"),
    "italian": ("Quali libri ha letto?", "Il libro della nonna è bello", "La macchina non parte"),
    "portuguese": ("Quais aviões são novos?", "O aviões da empresa não voam", "A casa é azul"),
    "portuguese_lazily": ("quais os avioes da empresa", "Os aviões não voam", "A casa é azul"),
    "dutch": ("Waar staan de boeken van mijn broer?", "Het boek staat voor het huis", "Ik eet geen vlees"),
    "swedish": ("Var är bilarna?", "Jag har en bil och den är röd", "Hunden sover inte"),
    "danish": ("Hvor er bøgerne?", "Jeg har en bog og bøgerne er gamle", "Hunden sover ikke"),
    "norwegian": ("Hvor er hundene?", "Jeg har en hund som ikke sover", "Bilen er rød"),
    "finnish": ("Missä talossa on sauna?", "Minun talo on vanha ja siinä on sauna", "Koira ei nuku"),
    "polish": ("Gdzie są książki?", "Nie mam już tej książki", "Pies śpi w domu"),
    "romanian": ("Unde sunt cărțile?", "Am pus cărțile în casă", "Câinele nu doarme"),
    "hungarian": ("Hol vannak a könyvek?", "Ez egy könyv, és nem az enyém", "A kutya alszik"),
    "turkish": ("Kitaplar nerede?", "Bu kitap çok eski ve benim", "Köpek uyuyor"),
    "russian": ("Какую книгу он читает?", "Она купила новые книги", "Собака спит"),
    "greek": ("Πού είναι τα βιβλία;", "Διαβάζω βιβλία", "Ο σκύλος κοιμάται"),
    "arabic": ("أين الكتاب؟", "هذا كتاب جديد", "الكلب نائم"),
    "hindi": ("किताबें कहाँ हैं?", "यह किताब नई है", "कुत्ता सो रहा है"),
    "korean": ("한국어 수업", "나는 한국어를 배운다", "강아지가 잔다"),
    "chinese": ("她喜欢什么茶？", "她每天喝绿茶", "狗在睡觉"),
    "japanese": ("どこで東京の写真を撮りましたか", "東京に住んでいます", "犬が寝る"),
    "thai": ("กาแฟ", "เขาชอบกาแฟมาก", "หมานอนหลับ"),
}


@pytest.mark.parametrize(("query", "text", "other"), PAIRS.values(), ids=PAIRS.keys())
def test_a_language_finds_the_other_forms_of_its_words(query, text, other):
    assert found(query, text, other) == [text]
    assert found(other, text, other) == [other]


def test_a_store_of_many_languages_answers_each_in_its_own():
    texts = [text for _, text, _ in PAIRS.values()]
    for query, text, _ in PAIRS.values():
        assert text in found(query, *texts), query


def test_a_name_is_found_across_languages():
    german, english = "Das Büro von Anna ist in Zürich", "Anna has an office in Zurich"
    for query in ("Where is the Zürich office of Anna?", "Wo ist das Büro von Anna in Zürich?", "Anna", "zurich"):
        assert found(query, german, english) == sorted([german, english]), query


def test_stems_of_another_language_meet_no_english_word():
    """In French `news` has the stem `new`, and `les` is nothing."""
    assert found("les news", "a new house") == []
    assert found("les news", "the news") == ["the news"]


@pytest.mark.parametrize("language", latin_languages())
def test_little_words_are_of_their_language_and_find_nothing(language):
    words = sorted(stop_words(language), key=lambda word: (-len(word), word))[:12]
    assert language in (possible_languages(words, " ".join(words)) or (ENGLISH,))
    text = " ".join(words)
    kept = query_terms(f"{text} zebra", (language,))
    assert [group[0] for group in kept] == ["zebra"]
    assert query_terms(text, (language,)), "of nothing else, they are all there is to go by"


def test_little_words_are_as_they_are_folded():
    for language in latin_languages():
        assert all(split_words(word) == [word] for word in stop_words(language)), language


@pytest.mark.parametrize(
    "text", ["tea", "Bern", "42", "", "Alice", "deploy key rotation", "The Über app is on my phone and it is slow"]
)
def test_text_of_no_other_language_has_english_terms_only(text):
    assert not any(term.startswith(FOREIGN) for term in text_terms(text))
    assert any(term.startswith(FOREIGN) for term in text_terms("das ist nicht so"))


def test_the_vote_is_the_same_with_and_without_the_short_way():
    for text in ("the dog is here", "der hund ist nicht hier", "no man is an island", "a b c", "me no die so"):
        words = text.split()
        assert foreign_language(words, text) == foreign_language([*words, "ł"], f"{text} 語"), text


# -- one thing although it has a sign inside --------------------------------------------------------------------------

WHOLE = {
    "error_code": ("ERR_CONN_42", "it fails with ERR_CONN_42 at night", "it fails with ERR_CONN_43 at night"),
    "version": ("v1.2.3", "we run v1.2.3 now", "we run v1.2.4 now"),
    "decimal": ("3.14", "it is 3.14 exactly", "it is 3.15 exactly"),
    "mail": ("alice@example.com", "write to alice@example.com", "write to bob@example.com"),
    "date": ("2024-05-03", "we met on 2024-05-03", "we met on 2024-05-04"),
    "time": ("10:30", "it starts at 10:30", "it starts at 10:45"),
    "c_plus_plus": ("C++", "the server is in C++", "vitamin C helps"),
    "c_sharp": ("C#", "the client is in C#", "vitamin C helps"),
    "thousands": ("1,500", "it costs 1,500 a year", "it costs 1,600 a year"),
}


@pytest.mark.parametrize(("query", "text", "other"), WHOLE.values(), ids=WHOLE.keys())
def test_a_word_with_an_inner_symbol_is_one_term(query, text, other):
    assert found(query, text, other) == [text]
    assert found(f"what about {query}?", text, other) == [text]


@pytest.mark.parametrize(
    ("query", "text"),
    [("conn", "ERR_CONN_42"), ("example", "alice@example.com"), ("2024", "on 2024-05-03"),
     ("user id", "the user_id column"), ("covid 19", "covid-19"), ("covid-19", "covid 19"), ("user_id", "the user id")],
)  # fmt: skip
def test_the_parts_of_a_symbol_word_are_terms_too(query, text):
    assert found(query, text) == [text]


def test_sentence_punctuation_is_not_part_of_a_word():
    assert query_terms("tea. Milk, jam: rye - ink") == query_terms("tea milk jam rye ink")
    assert {"v1.2.3", "tea"} <= set(text_terms("tea. We run v1.2.3."))


def test_a_very_long_run_takes_no_time_to_speak_of():
    """Were a word begun anew at each of its letters, this would not end."""
    for text in ("a" * 65_000, "a." * 32_000, "1-" * 32_000, "a_" * 32_000 + "!", "+" * 65_000):
        assert len(text_terms(text)) <= 4


# -- encodings --------------------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    | st.text("aeiounsß ÄÖÜäöüñçéèêàłśżąęőűğşıİṒ̈한국어ｶﾞが茶กาน้ําकिताबें", max_size=20)
)
def test_how_a_text_is_encoded_does_not_matter(text):
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    for form in forms:
        assert text_terms(form) == text_terms(text)
        assert query_terms(form, query_languages(form) or ()) == query_terms(text, query_languages(text) or ())
