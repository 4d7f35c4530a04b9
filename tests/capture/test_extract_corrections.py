"""Corrections, retractions and requests to forget, linked to what they mean."""

from __future__ import annotations

import pytest

from memfort.capture.extract import extract
from memfort.capture.extract.corrections import with_new_value
from memfort.capture.extraction import Action, Proposal, SpokenTurn, Target
from memfort.model.item import Origin
from memfort.model.moment import to_moment

AT = to_moment("2026-05-01T12:00:00Z", "at")


def last(*texts: str) -> Proposal:
    """The last proposal of a conversation in which the user says this."""
    *before, turn = [SpokenTurn(text, Origin.USER, AT) for text in texts]
    return extract([turn], before).proposals[-1]


@pytest.mark.parametrize(
    ("first", "correction", "corrected"),
    [
        ("My dentist appointment is on Wednesday", "no wait, it's Thursday", "My dentist appointment is on Thursday"),
        ("The meeting is at 2 pm tomorrow", "make that 3 pm", "The meeting is at 3 pm tomorrow"),
        ("My budget is 120 dollars", "hmm make that 150", "My budget is 150"),
        ("My boss is Kate", "she left, it's Daniel now", "My boss is Daniel"),
        (
            "My GP is Dr Patel at the Fore Street surgery",
            "Dr Patel has retired, it's Dr Singh now",
            "My GP is Dr Singh at the Fore Street surgery",
        ),
        ("My flight leaves on 3 May", "they moved it to 5 May", "My flight leaves on 5 May"),
        ("We're moving to Geneva", "scratch that, not Geneva. Annemasse", "We're moving to Annemasse"),
        ("I live in Berlin", "Actually I moved to Hamburg", "I moved to Hamburg"),
        ("Mein Zahnarzttermin ist am Mittwoch", "Quatsch, Donnerstag", "Mein Zahnarzttermin ist am Donnerstag"),
        ("J'ai rendez-vous mercredi", "non attends, jeudi", "J'ai rendez-vous jeudi"),
        ("Tengo cita el miércoles", "no, perdón, el jueves", "Tengo cita el jueves"),
        ("我周三看牙医", "不对，是周四", "我周四看牙医"),
    ],
)
def test_a_correction_gives_the_whole_statement_and_what_it_replaces(first, correction, corrected):
    found = last(first, correction)
    assert (found.action, found.text) == (Action.UPDATE, corrected)
    assert found.target is not None
    assert found.target.words == first
    assert found.quote == correction


def test_the_same_words_without_a_statement_before_correct_nothing():
    found = extract([SpokenTurn("no wait, it's Thursday", Origin.USER, AT)])
    assert all(one.action is Action.ADD for one in found.proposals)


def test_a_correction_of_one_clause_changes_that_clause_only():
    found = last("I live in Rome and work at Acme", "Actually I now work at Globex")
    assert (found.action, found.text) == (Action.UPDATE, "I now work at Globex")
    assert found.target is not None
    assert found.target.words == "work at Acme"


def test_of_several_statements_the_one_that_shares_words_is_corrected():
    found = last("Ruby has swimming on Tuesdays", "Ruby lost a tooth on Sunday", "Ruby's swimming is on Wednesdays now")
    assert found.target is not None
    assert found.target.words == "Ruby has swimming on Tuesdays"


@pytest.mark.parametrize(
    ("first", "news"),
    [
        ("My sister Ana lives in Porto", "Ana now has a dog"),
        ("I live in Rome", "Actually, I also have a flat in Milan"),
        ("I love tea", "Actually I love coffee too"),
        ("Meine Schwester Anna wohnt in Köln", "Anna hat jetzt einen Hund"),
    ],
)
def test_news_about_the_same_person_ends_nothing_that_still_holds(first, news):
    found = last(first, news)
    assert found.target is None or found.target.words is None


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("I no longer work at Acme", "work Acme"),
        ("My new phone number is 555-1234", "phone number"),
        ("Ruby's swimming is on Wednesdays now", "Ruby swimming"),
        ("Ich arbeite nicht mehr bei Bosch", "arbeite Bosch"),
        ("Je ne travaille plus chez Michelin", "travaille Michelin"),
        ("Ya no trabajo en Telefónica", "trabajo Telefónica"),
        ("我不再在腾讯工作了", "腾讯工作"),
    ],
)
def test_what_has_to_be_looked_for_is_named_without_its_new_value(message, query):
    found = last(message)
    assert found.target is not None
    assert (found.target.words, found.target.query) == (None, query)


def test_what_is_corrected_in_the_same_message_was_never_meant():
    found = extract([SpokenTurn("I work at Google, no wait, I work at Meta", Origin.USER, AT)])
    assert [(one.action, one.text) for one in found.proposals] == [(Action.ADD, "I work at Meta")]


def test_an_end_is_an_update_that_has_to_be_looked_for():
    found = last("I no longer work at Acme")
    assert found.action is Action.UPDATE
    assert found.target is not None
    assert found.target.words is None
    assert "Acme" in found.target.query


@pytest.mark.parametrize(
    ("first", "retraction"),
    [
        ("I have a dog", "scratch that"),
        ("My sister is Ana", "I misspoke, I have no sister"),
        ("The trip to Iceland is in February", "actually, scratch that. The trip is off"),
    ],
)
def test_a_retraction_names_what_does_not_hold(first, retraction):
    found = last(first, retraction)
    assert found.action is Action.RETRACT
    assert found.target is not None
    assert found.target.words == first


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("please delete my PIN from memory", "pin"),
        ("Please forget my address", "address"),
        ("Vergiss bitte meine Adresse", "adresse"),
        ("Oublie mon adresse", "adresse"),
        ("Olvida mi dirección", "dirección"),
        ("忘了我的地址吧", "地址"),
    ],
)
def test_a_request_to_forget_is_no_statement_and_says_what(message, query):
    found = last(message)
    assert found.action is Action.FORGET
    assert found.target is not None
    assert found.target.query.lower() == query


@pytest.mark.parametrize(
    ("first", "request_"),
    [
        ("I'm allergic to peanuts", "forget that"),
        ("I'm allergic to peanuts", "please don't remember this"),
        ("Ich bin gegen Nüsse allergisch", "Vergiss das bitte"),
        ("Je suis allergique aux noix", "oublie ça s'il te plaît"),
        ("Soy alérgica a las nueces", "olvida eso"),
        ("我对花生过敏", "忘了这件事"),
    ],
)
def test_a_request_to_forget_that_means_what_was_said_last(first, request_):
    found = last(first, request_)
    assert found.action is Action.FORGET
    assert found.target is not None
    assert found.target.words is not None
    assert found.target.words in first


@pytest.mark.parametrize("message", ["Don't forget to call mum", "forget it", "Delete the second paragraph"])
def test_talk_of_forgetting_is_no_request(message):
    found = extract([SpokenTurn(message, Origin.USER, AT)])
    assert all(one.action is not Action.FORGET for one in found.proposals)


@pytest.mark.parametrize(
    "before",
    ["Our wedding anniversary is on 14 June", "My budget is 120 dollars", "We live at 14 Cromwell Rise"],
)
def test_who_has_come_in_the_place_of_somebody_changes_nothing_else(before):
    found = last(before, "Helen left, it's Marcus now")
    assert (found.action, found.text) == (Action.UPDATE, "Helen left, it's Marcus now")
    assert found.target is not None
    assert (found.target.words, found.target.old, found.target.new) == (None, "Helen", "Marcus")
    assert last("My manager is Helen", before, "Helen left, it's Marcus now").text == "My manager is Marcus"


def test_somebody_who_left_without_a_name_is_no_day_and_no_place():
    before = ["My sister Ana lives in Porto", "The dentist is on Monday"]
    turns = [SpokenTurn(text, Origin.USER, AT) for text in [*before, "she left, it's Daniel now"]]
    named = [one.text for one in extract(turns).proposals if "Daniel" in one.text]
    assert not any("Porto" in one or "dentist" in one or "lives in Daniel" in one for one in named)
    assert last("My dentist is Kate", before[1], "she left, it's Daniel now").text == "My dentist is Daniel"


def test_an_amount_does_not_take_the_place_of_a_day():
    found = last("Die Verteidigung ist am 15. Januar", "Eigentlich war das mit dem Strom falsch, es sind 69 Euro")
    assert "Verteidigung" not in found.text
    assert found.target is not None
    assert (found.target.query, found.target.new) == ("Strom", "69 Euro")
    alone = extract([SpokenTurn(text, Origin.USER, AT) for text in ("My exam is on 15 January", "it's 69 euros")])
    assert [one.text for one in alone.proposals] == ["My exam is on 15 January"]


@pytest.mark.parametrize(
    ("said", "query", "old", "new"),
    [
        ("I misspoke before, Noah carries an Auvi-Q, not an EpiPen", "Noah carries EpiPen", "EpiPen", "Auvi-Q"),
        ("Klara studiert nicht mehr in Wien, sondern in Graz", "Klara studiert Wien", "Wien", "Graz"),
        ("Al final no vamos a Asturias, vamos a Menorca", "Asturias", "Asturias", "Menorca"),
        ("算了，不去厦门了，改去青岛", "厦门", "厦门", "青岛"),
        ("Agathe est partie, maintenant c'est mon cousin Bastien", "Agathe", "Agathe", ""),
        ("Herr Wendt ist weg, jetzt ist Frau Aydin meine Chefin", "Herr Wendt", "Herr Wendt", ""),
        ("The doctor changed the metformin to once a day", "metformin", "", ""),
        ("年度目标调整了，改成七百万", "年度目标", "", "七百万"),
    ],
)
def test_a_change_of_what_was_said_long_before_says_what_it_is_of(said, query, old, new):
    found = last(said)
    assert found.action is Action.UPDATE
    assert found.target is not None
    assert (found.target.query, found.target.old, found.target.new) == (query, old, new)


def test_a_change_of_one_thing_does_not_end_a_statement_of_several():
    several = "I take metformin twice a day for my diabetes, and something for blood pressure, ramipril"
    found = last(several, "The doctor changed the metformin to once a day")
    assert found.target is not None
    assert found.target.words is None
    one = last("I take metformin twice a day", "The doctor changed the metformin to once a day")
    assert one.target is not None
    assert one.target.words == "I take metformin twice a day"


@pytest.mark.parametrize(
    ("statement", "target", "corrected"),
    [
        ("My manager is Helen", Target(old="Helen", new="Marcus"), "My manager is Marcus"),
        ("Rent is 900 euros, bills are 80", Target(query="rent", new="950 euros"), "Rent is 950 euros, bills are 80"),
        ("My manager is Helena", Target(old="Helen", new="Marcus"), None),
        ("The exam is on 15 January", Target(query="exam", new="69 euros"), None),
        ("My manager is Helen", Target(old="Helen"), None),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one(statement, target, corrected):
    assert with_new_value(statement, target) == corrected


def test_a_day_is_replaced_as_a_whole():
    assert last("下周一我要去广州出差三天", "改了，下周二才出发").text == "下周二我要去广州出差三天"


def test_a_short_correction_does_not_change_the_language_of_what_follows():
    before = ("I live in Berlin", "My dentist appointment is on Wednesday", "no wait, Thursday")
    assert last(*before).text == "My dentist appointment is on Thursday"
    found = last(*before, "Actually I moved to Hamburg.")
    assert (found.action, found.text) == (Action.UPDATE, "I moved to Hamburg")
    assert last("Tengo cita el miércoles", "no, perdón, el jueves").text == "Tengo cita el jueves"


def turn(text: str, speaker: str | None = None) -> SpokenTurn:
    return SpokenTurn(text, Origin.USER, AT, speaker)


SLIPS = {
    ("Rent is going up to 2150 from April", "hang on, misread my own notes. 2050"):
        "Rent is going up to 2050 from April",
    ("My boiler job at Mrs Acht is at 9am", "9am no good for her. 11"): "My boiler job at Mrs Acht is at 11",
    ("We bill Brightwell quarterly, net 45", "net 30. my bad, 45 is the other lot"):
        "We bill Brightwell quarterly, net 30",
    ("I see the audiologist on Wednesday", "Oh how silly, it is the Thursday, I was on the wrong line"):
        "I see the audiologist on Thursday",
    ("Herr Çelik macht montags und donnerstags den Empfang", "dienstags und donnerstags, Entschuldigung"):
        "Herr Çelik macht dienstags und donnerstags den Empfang",
    ("Der TÜV ist am 17. fällig", "ach quatsch, am 27., hab die Brille nicht auf"): "Der TÜV ist am 27. fällig",
    ("On arrive le 23 au soir", "finalement le 22 plutôt, les billets étaient moins chers"): "On arrive le 22 au soir",
    ("公开课是这周五上午", "哎呀看错了，是下周五"): "公开课是下周五",
}  # fmt: skip


@pytest.mark.parametrize("said", SLIPS)
def test_a_message_that_says_something_was_wrong_has_the_value_that_holds(said):
    correction = extract([turn(one) for one in said]).proposals[-1]
    assert (correction.action, correction.text) == (Action.UPDATE, SLIPS[said])
    assert correction.target is not None
    assert correction.target.words is not None


@pytest.mark.parametrize(
    "second",
    [
        "Sorry, my sister Ana arrives at the station on Friday",
        "Sorry for the delay, I was ill on Friday last week",
        "wait, is it Friday?",
    ],
)
def test_another_day_for_something_else_corrects_nothing(second):
    found = extract([turn("The dentist is on Wednesday"), turn(second)])
    assert [one.text for one in found.proposals if one.action is Action.UPDATE] == []


def test_others_are_not_corrected_by_what_one_says_of_oneself():
    found = extract([turn("I arrive on Saturday", "Gwen"), turn("sorry, Sunday", "Rhys")])
    assert [one.text for one in found.proposals if one.action is Action.UPDATE] == []
    own = extract([turn("I arrive on Saturday", "Gwen"), turn("sorry, Sunday", "Gwen")])
    assert own.proposals[-1].text == "I arrive on Sunday"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Physio says no way, so I've pulled out of Lisbon", "Lisbon"),
        ("la vente de Douarnenez est tombée à l'eau", "Douarnenez"),
        ("the picnic got cancelled", "picnic"),
    ],
)
def test_a_plan_that_is_off_is_looked_for_by_its_name(text, query):
    [found] = extract([turn(text)]).proposals
    assert found.target is not None
    assert (found.target.query, found.target.is_plan) == (query, True)


def test_a_plan_is_not_off_because_it_might_be():
    found = extract([turn("If the picnic gets cancelled, we go to the cinema")])
    assert [one for one in found.proposals if one.action is not Action.ADD] == []


def test_an_article_is_no_amount_to_be_corrected():
    found = extract([turn("Trabajo los findes en una heladería"), turn("perdón, farmaco pasó al 16!! recién avisan")])
    assert [one.text for one in found.proposals if "16 heladería" in one.text] == []
    assert last("Pago 620 euros de alquiler", "perdón, 640 euros").text == "Pago 640 euros de alquiler"
