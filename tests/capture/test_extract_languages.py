"""The rules of the other languages: what is kept, what is not, and of which type it is."""

from __future__ import annotations

import pytest

from memfort.capture.extract import extract
from memfort.capture.extract.denials import is_about_own
from memfort.capture.extraction import Action, Extraction, SpokenTurn
from memfort.language.fold import fold, fold_pattern
from memfort.model.item import Origin
from memfort.model.moment import to_moment

AT = to_moment("2026-05-01T12:00:00Z", "at")


def said(*texts: str) -> Extraction:
    return extract([SpokenTurn(text, Origin.USER, AT) for text in texts])


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Übrigens, ich wohne in Köln und arbeite bei Bosch", ["Ich wohne in Köln", "Ich arbeite bei Bosch"]),
        ("Ich wurde 1988 in Quito geboren", ["Ich wurde 1988 in Quito geboren"]),
        ("Schreib meiner Chefin Karen eine Mail", []),
        ("Meine Schwester heißt Anna. Sie wohnt in Köln.", ["Meine Schwester heißt Anna"]),
        ("Merk dir: der Schlüssel liegt bei Frau Roth", ["Der Schlüssel liegt bei Frau Roth"]),
        ("Au fait, j'habite à Lyon", ["J'habite à Lyon"]),
        ("Quel ordinateur choisir ? Mon budget est de 900 euros", ["Mon budget est de 900 euros"]),
        ("Écris à ma cheffe Karen", []),
        ("Note : le code de l'immeuble est 4711", ["Le code de l'immeuble est 4711"]),
        ("Por cierto, vivo en Sevilla", ["Vivo en Sevilla"]),
        ("Escribe a mi jefa Karen", []),
        ("No bebo alcohol", ["No bebo alcohol"]),
        ("对了，我住在成都", ["我住在成都"]),
        ("我老公姓陈，是中学老师", ["我老公姓陈，是中学老师"]),
        ("我养了一只猫，叫年糕", ["我养了一只猫，叫年糕"]),
        ("记住：我对花生过敏", ["我对花生过敏"]),
    ],
)
def test_a_fact_is_kept_in_its_own_language(message, kept):
    assert [one.text for one in said(message).proposals] == kept


@pytest.mark.parametrize(
    "message",
    [
        "Kannst du mir erklären, wie Photosynthese funktioniert?",
        "Schreib mir ein Gedicht über den Herbst",
        "Angenommen, ich wohne in Berlin und verdiene 50.000",
        "Stell dir vor, du bist ein Pirat",
        "Ich bin heute total müde",
        "Danke, das hat geholfen!",
        "Peux-tu m'expliquer la photosynthèse ?",
        "Écris-moi un poème sur l'automne",
        "Supposons que j'habite à Berlin",
        "Si j'étais riche j'achèterais un yacht",
        "Je suis crevé aujourd'hui",
        "Merci, ça m'a aidé !",
        "¿Puedes explicarme la fotosíntesis?",
        "Escríbeme un poema sobre el otoño",
        "Supongamos que vivo en Berlín y gano 50.000",
        "Si fuera rico compraría un yate",
        "Hoy estoy muy cansado",
        "¡Gracias, me ha ayudado mucho!",
        "你能解释一下光合作用吗？",
        "帮我写一首关于秋天的诗",
        "假设我住在柏林，年薪五万",
        "今天好累啊",
        "谢谢，很有帮助！",
        "他说：“我再也不去西班牙了，太远了，太热了，真的”",
    ],
)
def test_what_is_no_fact_leaves_nothing_in_any_language(message):
    found = said(message)
    assert not found.proposals
    assert found.demoted


@pytest.mark.parametrize(
    ("message", "type"),
    [
        ("Ich trinke keinen Alkohol", "preference"),
        ("Ich bin Tierpfleger in Leipzig", "identity"),
        ("Mein Bruder heißt Paul", "relationship"),
        ("Ich muss vor Juli meinen Pass verlängern", "task"),
        ("Letzte Woche habe ich mein Auto verkauft", "event"),
        ("Wir haben uns gegen Kubernetes entschieden", "decision"),
        ("Antworte mir bitte immer auf Englisch", "preference"),
        ("J'adore le thé", "preference"),
        ("Je suis infirmière à Lyon", "identity"),
        ("J'ai deux chats, Miso et Tofu", "relationship"),
        ("Je dois renouveler mon passeport avant juillet", "task"),
        ("Ma fille entre à l'école lundi prochain", "event"),
        ("On a décidé de ne pas utiliser Kubernetes", "decision"),
        ("Me encanta el té", "preference"),
        ("Soy enfermera en Sevilla", "identity"),
        ("Mi hermana se llama Ana", "relationship"),
        ("Tengo que renovar el pasaporte antes de julio", "task"),
        ("Mañana tengo una entrevista de trabajo", "event"),
        ("Decidimos no usar Kubernetes", "decision"),
        ("我不喝酒", "preference"),
        ("我在成都当护士", "identity"),
        ("我有两只猫，米索和豆腐", "relationship"),
        ("七月前我要续签护照", "task"),
        ("明天我有个面试", "event"),
        ("我们决定不用Kubernetes", "decision"),
    ],
)
def test_each_statement_has_its_type_in_any_language(message, type):
    assert [one.type for one in said(message).proposals] == [type]


def test_a_few_words_are_read_in_the_language_of_the_turns_before():
    first, second = said("Ich habe am Mittwoch einen Termin beim Zahnarzt", "ach quatsch, Freitag").proposals
    assert second.text == first.text.replace("Mittwoch", "Freitag")


def test_folding_keeps_every_place():
    text = "Größe: “J’étais là” – 我住在北京，对吗？ İ ﬁ ½"
    assert len(fold(text)) == len(text)
    assert fold("Größe") == fold("GROSE") == "grose"
    assert fold("là，") == "la,"


def test_a_pattern_is_folded_without_its_classes():
    assert fold_pattern(r"größe\S+\pL") == r"grose\S+\pL"


@pytest.mark.parametrize(
    ("said_before", "denial"),
    [
        ("I have a sister in Porto", "I do not have a sister"),
        ("I have a sister", "I misspoke, I have no sister"),
        ("Ich habe eine Schwester", "Ich habe keine Schwester"),
        ("J'ai une sœur à Lyon", "Je me suis trompé, je n'ai pas de sœur"),
        ("Tengo una hermana en Vigo", "No tengo hermana"),
        ("我有个妹妹在成都", "我没有妹妹"),
    ],
)
def test_a_denial_of_somebody_is_looked_for_among_all_that_the_speaker_said(said_before, denial):
    found = said(said_before, denial).proposals[1:]
    assert [one.action for one in found if one.target is not None and one.target.is_denied] == [Action.RETRACT]
    assert is_about_own(said_before, str(found[0].target and found[0].target.query))


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Pendle jeden Tag von Olten nach Bern", "Pendle jeden Tag von Olten nach Bern"),
        ("me operaron de cataratas en abril", "Me operaron de cataratas en abril"),
        ("Maëlle est enceinte", "Maëlle est enceinte"),
        ("苏教练怀孕休假了", "苏教练怀孕休假了"),
        ("I take sertraline, 50mg, does that mess with sleep?", "I take sertraline, 50mg"),
        ("My daughter Zaynab, who is nine, starts school on the 24th",
         "My daughter Zaynab, who is nine, starts school on the 24th"),
    ],
)  # fmt: skip
def test_a_clause_is_kept_by_its_substance(message, kept):
    assert kept in [one.text for one in said(message).proposals]


@pytest.mark.parametrize(
    "message", ["whats for dinner", "who ate my hummus", "c quoi la différence", "多少钱一斤", "ok"]
)
def test_a_question_without_its_mark_leaves_nothing(message):
    assert not said(message).proposals
