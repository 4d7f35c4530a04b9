"""Corrections, retractions and requests to forget, linked to what they mean."""

from __future__ import annotations

import pytest

from memfort.capture.extract import extract
from memfort.capture.extract.ends import denies, is_compound, says_otherwise
from memfort.capture.extraction import Action, Proposal, SpokenTurn
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
        ("The meeting is at 2 pm", "make that 3 pm", "The meeting is at 3 pm"),
        ("My budget is 120 dollars", "hmm make that 150", "My budget is 150 dollars"),
        ("My sister Ana visits me on Saturday", "no wait, Thursday", "My sister Ana visits me on Thursday"),
        ("Mein Zahnarzttermin ist am Mittwoch", "Quatsch, Donnerstag", "Mein Zahnarzttermin ist am Donnerstag"),
        ("J'ai rendez-vous mercredi", "non attends, jeudi", "J'ai rendez-vous jeudi"),
        ("Tengo cita el miércoles", "no, perdón, el jueves", "Tengo cita el jueves"),
        ("我周三看牙医", "不对，是周四", "我周四看牙医"),
    ],
)
def test_a_value_alone_corrects_the_only_one_of_its_kind_and_is_marked_as_composed(first, correction, corrected):
    found = last(first, correction)
    assert (found.action, found.text) == (Action.UPDATE, corrected)
    assert found.target is not None
    assert found.target.words == first
    assert found.quote == correction
    assert found.composed is not None
    assert (found.composed.way, found.composed.turn, found.composed.words) == ("correction", -1, first)


@pytest.mark.parametrize(
    "said",
    [
        ["My dentist appointment is on Wednesday", "nope, Thursday"],  # an answer, as far as one can tell
        ["The dentist is on Wednesday", "My rent is due on Friday", "no wait, Thursday"],
        ["The dentist is on Wednesday", "I had pizza on Monday lol", "no wait, Thursday"],
        ["The dentist is on Wednesday", "I like tea", "I like jazz", "I like Rome", "no wait, Thursday"],
        ["My dentist is on Wednesday and Ana arrives", "no wait, Thursday"],
        ["I have swimming on Tuesdays", "no wait, Thursday"],
        ["My boss is Kate", "no wait, Daniel"],
        ["My boss is Kate", "she left, it's Daniel now"],
        ["We're moving to Geneva", "scratch that, not Geneva. Annemasse"],
        ["I take sertraline, 50mg", "100 sorry, they upped it in april"],
        ["My flight leaves on 3 May", "they moved it to 5 May"],
        ["My exam is on 15 January", "it's 69 euros"],
    ],
)
def test_in_doubt_nothing_is_put_together(said):
    found = extract([SpokenTurn(text, Origin.USER, AT) for text in said]).proposals
    assert all(one.composed is None for one in found)
    assert all(one.text.lower() in " ".join(said).lower() for one in found)


def test_a_full_correction_is_kept_as_it_was_said():
    found = last("I live in Berlin", "Actually I moved to Hamburg")
    assert (found.action, found.text, found.composed) == (Action.UPDATE, "I moved to Hamburg", None)


def test_the_same_words_without_a_statement_before_correct_nothing():
    found = extract([SpokenTurn("no wait, it's Thursday", Origin.USER, AT)])
    assert all(one.action is Action.ADD for one in found.proposals)


def test_a_correction_of_one_clause_changes_that_clause_only():
    found = last("I live in Rome and work at Acme", "Actually I now work at Globex")
    assert (found.action, found.text) == (Action.UPDATE, "I now work at Globex")
    assert says_otherwise(found.text, "I work at Acme", is_sure=False)
    assert not says_otherwise(found.text, "I live in Rome", is_sure=True)


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
    assert not says_otherwise(last(first, news).text, first, is_sure=True)


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
        ("I have a dog", "Never mind that"),
    ],
)
def test_a_retraction_names_what_does_not_hold(first, retraction):
    found = last(first, retraction)
    assert found.action is Action.RETRACT
    assert found.target is not None
    assert found.target.words == first


def test_a_retraction_of_something_far_away_says_what_to_look_for():
    nobody = extract([SpokenTurn("I misspoke, I have no sister", Origin.USER, AT)]).proposals[0]
    assert (nobody.action, nobody.target and nobody.target.query) == (Action.RETRACT, "sister")
    plan = last("actually, scratch that. The trip is off")
    assert (plan.action, plan.target and plan.target.query) == (Action.RETRACT, "trip")


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
    ("said", "query", "old"),
    [
        ("Helen left, it's Marcus now", "Helen", "Helen"),
        ("I misspoke before, Noah carries an Auvi-Q, not an EpiPen", "Noah carries EpiPen", "EpiPen"),
        ("Klara studiert nicht mehr in Wien, sondern in Graz", "Klara studiert Wien", "Wien"),
        ("算了，不去厦门了，改去青岛", "厦门", "厦门"),
        ("Agathe est partie, maintenant c'est mon cousin Bastien", "Agathe", "Agathe"),
        ("The doctor changed the metformin to once a day", "metformin", ""),
    ],
)
def test_a_change_of_what_was_said_long_before_says_what_it_is_of(said, query, old):
    found = last(said)
    assert found.action is Action.UPDATE
    assert found.target is not None
    assert (found.target.query, found.target.old) == (query, old)
    assert found.text in said


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I'm not vegetarian anymore", "I'm vegetarian"),
        ("I'm not allergic to nuts", "I am allergic to nuts"),
        ("I'm actually not allergic to nuts", "I am allergic to nuts"),
        ("I no longer work at Acme", "I work at Acme"),
        ("Ich arbeite nicht mehr bei Bosch", "Ich arbeite bei Bosch"),
        ("Je ne travaille plus chez Michelin", "Je travaille chez Michelin"),
        ("Ya no trabajo en Telefónica", "Trabajo en Telefónica"),
        ("我不再在腾讯工作了", "我在腾讯工作"),
    ],
)
def test_a_denial_of_all_that_a_statement_says_ends_it(newer, older):
    assert denies(newer, older)
    assert not denies(older, newer)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I'm not vegetarian anymore", "I'm vegetarian and I'm allergic to peanuts"),
        ("I no longer work as a nurse", "I work as a nurse in Leipzig"),
        ("My brother is not allergic to nuts", "I am allergic to nuts"),
        ("She is not allergic to nuts", "I am allergic to nuts"),
        ("I'm not allergic to nuts or milk", "I am allergic to nuts"),
        ("I do not work at Acme Labs", "I work at Acme"),
        ("Ich arbeite nicht mehr bei Bosch", "Ich arbeite bei Bosch in Ulm"),
    ],
)
def test_a_denial_of_something_else_or_of_a_part_ends_nothing(newer, older):
    assert not denies(newer, older)


@pytest.mark.parametrize(
    "statement",
    [
        "I'm vegetarian and I'm allergic to peanuts",
        "I live in Hamburg with my wife Anna",
        "I work for my brother at the docks",
        "I'm allergic to nuts, shellfish",
        "My brother, who lives in Oslo",
        "Ich wohne in Hamburg mit meiner Frau",
        "Je vis à Lyon avec ma femme",
        "Vivo en Sevilla con mi mujer",
        "我和妻子住在上海",
    ],
)
def test_a_statement_of_several_things_is_known_as_one(statement):
    assert is_compound(statement)


@pytest.mark.parametrize(
    "statement", ["I live in Hamburg", "My sister lives in Porto", "我住在上海", "Mi hermana vive aquí"]
)
def test_a_statement_of_one_thing_is_no_compound(statement):
    assert not is_compound(statement)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("They pushed the launch to the 9th", "The launch is on the 3rd"),
        ("Our rent is 950 euros now", "Our rent is 900 euros"),
        ("I moved to Berlin last week", "I live in Hamburg"),
        ("I work at Meta", "I work at Google"),
    ],
)
def test_the_same_with_another_value_says_otherwise(newer, older):
    assert says_otherwise(newer, older, is_sure=True)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("My mother is called Renate and turns 65 on 9 May", "My driving test is on 3 May"),
        ("The launch party moved to the 9th", "The launch is on the 3rd"),
        ("The bathroom will be another 14k", "The kitchen will be 12k"),
        ("Our rent is 950 euros now", "Our rent is due on 3 May"),
        ("My mother's new phone number is 555-1234", "My phone number is 555-0000"),
        ("My friend Luis is a butcher", "My friend Marco is a baker"),
    ],
)
def test_another_value_of_something_else_says_nothing_otherwise(newer, older):
    assert not says_otherwise(newer, older, is_sure=True)


def test_a_short_correction_does_not_change_the_language_of_what_follows():
    before = ("I live in Berlin", "My dentist appointment is on Wednesday", "no wait, Thursday")
    assert last(*before).text == "My dentist appointment is on Thursday"
    found = last(*before, "Actually I moved to Hamburg.")
    assert (found.action, found.text) == (Action.UPDATE, "I moved to Hamburg")


def turn(text: str, speaker: str | None = None) -> SpokenTurn:
    return SpokenTurn(text, Origin.USER, AT, speaker)


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
    found = extract([turn("I arrive on Saturday", "Gwen"), turn("no wait, Sunday", "Rhys")])
    assert [one.text for one in found.proposals if one.action is Action.UPDATE] == []
    own = extract([turn("I arrive on Saturday", "Gwen"), turn("no wait, Sunday", "Gwen")])
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
