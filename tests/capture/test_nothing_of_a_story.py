"""What stands in a story, a quotation, a supposition or a joke is no fact about who writes it, in every language with
rules for conversations; what is stated beside it is one."""

from __future__ import annotations

import pytest

from memfort.capture.extract import extract
from memfort.capture.extraction import SpokenTurn
from memfort.model.item import Origin
from memfort.model.moment import to_moment

AT = to_moment("2026-05-01T12:00:00Z", "at")


def kept(message: str) -> list[str]:
    return [one.text for one in extract([SpokenTurn(message, Origin.USER, AT)]).proposals]


@pytest.mark.parametrize(
    "message",
    [
        "In my novel the hero says: I live in a castle.",
        "In meinem Roman sagt der Held: Ich wohne in einem Schloss.",
        "Dans mon roman, le héros dit : j'habite un château.",
        "En mi novela el héroe dice: vivo en un castillo.",
        "我的小说里主人公说：我住在城堡里。",
        "My boss wrote: I am moving to Paris next month.",
        "Let's role-play. I'm a patient called Bob. I have had asthma for two years.",
        "Let's pretend I'm rich. I own three yachts and live in Monaco.",
        "Suppose I'm a student in Berlin. I earn 500 euros a month. What taxes do I pay?",
        "Hypothetically, I earn 200k. I have three kids. What is my tax?",
        "Angenommen, ich bin Student in Berlin. Ich verdiene 500 Euro. Was zahle ich?",
        "Imaginons que je sois étudiant. Je gagne 500 euros par mois. Quels impôts ?",
        "Supongamos que soy estudiante. Gano 500 euros al mes. ¿Qué impuestos pago?",
        "假设我是学生。我每月赚500元。要交多少税？",
        "Here is my story so far. I am a pirate. I live on a ship.",
        "Continue this story: I am a pirate and I live on a ship.",
        "For my character sheet: I'm an elf and I live in the forest.",
        "Lyrics: I was born in the USA",
        "Yeah right, because I totally own a yacht.",
        "Wow, great, another parking ticket for my car this week.",
        "Na klar, ich bin ja auch Millionär.",
        "Bien sûr, je suis millionnaire et je vis sur la lune.",
        "Sí, claro, soy millonario y vivo en la luna.",
        "我可是亿万富翁呢，呵呵。",
    ],
)
def test_what_is_told_is_no_fact(message):
    assert kept(message) == []


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("Suppose I'm a student. What do I pay? I live in Ulm.", ["I live in Ulm"]),
        ("Hypothetically, I earn 200k.\n\nI live in Ulm.", ["I live in Ulm"]),
        ("Angenommen, ich bin reich. Was dann? Ich wohne in Ulm.", ["Ich wohne in Ulm"]),
        ("Act as a nutritionist. I'm vegetarian.", ["I'm vegetarian"]),
        ("My doctor said: no salt", ["My doctor said: no salt"]),
        ("In my book club we read Middlemarch in June", ["In my book club we read Middlemarch in June"]),
        ("- I am allergic to nuts;\n- I live in Ghent;", ["I am allergic to nuts", "I live in Ghent"]),
    ],
)
def test_what_is_stated_beside_it_is_kept(message, facts):
    assert kept(message) == facts


@pytest.mark.parametrize(
    ("message", "statements"),
    [
        ("I'm Maria, I work as a nurse in Leipzig", ["I'm Maria", "I work as a nurse in Leipzig"]),
        ("I'm vegetarian and allergic to peanuts", ["I'm vegetarian", "I'm allergic to peanuts"]),
        ("I am divorced, vegan and diabetic", ["I am divorced", "I am vegan", "I am diabetic"]),
        ("My sister is vegan and allergic to cats", ["My sister is vegan", "My sister is allergic to cats"]),
        ("Ich bin Vegetarier und gegen Nüsse allergisch", ["Ich bin Vegetarier", "Ich bin gegen Nüsse allergisch"]),
        ("Je suis végétarien et allergique aux noix", ["Je suis végétarien", "Je suis allergique aux noix"]),
        ("Soy vegetariano y alérgico a las nueces", ["Soy vegetariano", "Soy alérgico a las nueces"]),
        ("我吃素，对花生过敏", ["我吃素", "我对花生过敏"]),
        ("我叫玛丽，在上海做护士", ["我叫玛丽", "我在上海做护士"]),
        ("我今年34岁，住在杭州，养了两只猫", ["我今年34岁", "我住在杭州", "我养了两只猫"]),
    ],
)
def test_clauses_stand_apart_with_their_subject(message, statements):
    assert kept(message) == statements


@pytest.mark.parametrize(
    "message",
    [
        "I'm married to Tom and allergic to nuts",
        "I'm friends with a vet and a painter",
        "My neighbour is a nurse with a son and a dog",
        "我养了一只猫，叫年糕",
        "我老婆叫小红，在银行上班",
        "我有个姐姐，在北京当医生",
    ],
)
def test_a_subject_is_never_taken_past_a_nearer_noun(message):
    assert kept(message) == [message]
