"""What people say of something that is otherwise now, without calling it a correction: the old value ends, what still
holds does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memfort import Kind, Memory, Status
from memfort.clock import FixedClock
from memfort.model.moment import to_moment

STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def clock():
    return FixedClock(to_moment(STARTED + timedelta(days=60), "clock"))


@pytest.fixture(params=["memory", "sqlite"])
def bound(request, tmp_path, clock):
    where = ":memory:" if request.param == "memory" else tmp_path / "memory.db"
    with Memory.open(where, clock=clock) as memory:
        yield memory.as_user("ada")


def say(bound, *texts, days=0, conversation="talk", **also):
    start = STARTED + timedelta(days=days)
    said = [
        {"role": "user", "content": text, "at": (start + timedelta(minutes=place)).isoformat(), **also}
        for place, text in enumerate(texts)
    ]
    return bound.observe(said, conversation=conversation)


def in_force(bound):
    items = bound.list(limit=100).items
    return sorted(one.text for one in items if one.kind is not Kind.SHORT_TERM and one.status is Status.APPROVED)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("The budget for the kitchen is 12k.", "14k, the fitter got back to me"),
        ("Das Budget für die Küche liegt bei 9000 Euro.", "11000, der Schreiner hat sich gemeldet"),
        ("I take sertraline, 50mg", "100 sorry, they upped it in april"),
        ("I go in for the operation on the 16th", "They've brought me forward to Monday, someone cancelled"),
        ("My landlord is Bob", "he retired, now it's Carol"),
        ("考试是6月12号。", "票没抢到，得19号了"),
    ],
)
def test_a_value_that_nobody_calls_a_correction_writes_no_sentence_and_ends_nothing(bound, said, later):
    say(bound, said, later)
    assert said.rstrip(".。") in in_force(bound)
    assert all(one.lower() in f"{said} {later}".lower() for one in in_force(bound))


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("The budget for the kitchen is 12k.", "The bathroom will be another 14k."),
        ("The launch is on the 3rd.", "The launch party is on the 9th."),
        ("Zum Grillen kommen zehn Leute.", "Ich hab zwölf Bratwürste gekauft."),
    ],
)
def test_a_value_of_something_else_ends_nothing(bound, clock, said, later):
    say(bound, said, later)
    assert said.rstrip(".") in in_force(bound)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("I'm training for the Berlin marathon.", "Had to drop out of Berlin, my knee is shot."),
        ("I have judo on Tuesdays.", "My judo is no more, alas."),
        ("Im Oktober fliege ich nach Australien.", "Aus Australien wird nichts, Visum abgelehnt."),
        ("Je prépare le marathon de Paris.", "J'abandonne le marathon, mon genou a lâché."),
        ("我在准备上海马拉松。", "马拉松不跑了，膝盖伤了。"),
    ],
)
def test_what_is_over_ends_weeks_later_by_its_name(bound, said, later):
    say(bound, said)
    assert said.rstrip(".。") in in_force(bound)
    say(bound, later, days=20, conversation="another")
    assert said.rstrip(".。") not in in_force(bound)
    [old] = bound.list(limit=100, statuses=[Status.SUPERSEDED]).items
    assert old.superseded_by is not None


@pytest.mark.parametrize(
    "later",
    [
        "Thursday's yoga has been cancelled.",  # another thing on the same day
        "My friend Emil stopped smoking.",  # another thing of the same person
        "The judo film was cancelled, they say, if it rains.",
    ],
)
def test_what_is_over_ends_nothing_else(bound, later):
    said = ["Rehearsal is in the church hall on Thursday.", "My friend Emil lives in Ghent."]
    say(bound, *said)
    say(bound, later, days=20, conversation="another")
    assert {one.rstrip(".") for one in said} <= set(in_force(bound))


def test_of_two_things_in_one_statement_none_ends(bound):
    both = "Tocamos el sábado 30 en el Ateneo y otra vez el 13 de junio en Bernal"
    say(bound, both)
    seen = say(bound, "se pinchó lo de Bernal, cerraron el lugar", days=5, conversation="another")
    assert both in in_force(bound)
    assert [bound.get(id).text for id in seen.messages[0].may_replace] == [both]


def test_nobody_ends_what_another_said(bound):
    say(bound, "I'm training for the Berlin marathon.", speaker="Gwen")
    say(bound, "Berlin is off, my knee is shot.", days=20, conversation="another", speaker="Rhys")
    assert any("Berlin marathon" in one for one in in_force(bound))


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("My dentist is Dr. Alvarez on Pine Street.", "I've got a new dentist, Dr. Kwan, much gentler."),
        ("We live in Bristol.", "We're in Lisbon since June and the kids adore it."),
        ("My landlord is called Mr. Petrov.", "The building was sold, our landlord is a Ms. Okoro these days."),
        ("Ich arbeite bei Siemens in der Montage.", "Hab bei Bosch angefangen, Siemens ist Geschichte."),
        ("Mein Sohn Emil ist fünf.", "Emil ist letzte Woche sechs geworden."),
        ("On habite à Rennes.", "On est à Bordeaux depuis avril."),
        ("Vivimos en Zaragoza.", "Estamos en Vigo desde marzo."),
        ("我们住在南京。", "五月起我们就在厦门了。"),
    ],
)
def test_another_value_of_an_attribute_ends_the_old_one_in_other_words(bound, clock, said, later):
    say(bound, said)
    clock.advance(86_400)
    say(bound, later, days=20, conversation="another")
    assert said.rstrip(".。") not in in_force(bound)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("My dentist is Dr. Alvarez on Pine Street.", "My doctor is Dr. Singh, also on Pine Street."),
        ("We live in Bristol, near the harbour.", "My brother lives in Lisbon since June."),
        ("Mein Sohn Emil ist fünf.", "Meine Tochter Lena ist letzte Woche sechs geworden."),
        ("On habite à Rennes.", "On est à table depuis midi."),
        ("Vivimos en Zaragoza.", "Mis padres viven en Vigo desde marzo."),
        ("我的牙医是王医生。", "我的眼科医生是陈医生。"),
    ],
)
def test_an_attribute_of_somebody_or_something_else_ends_nothing(bound, clock, said, later):
    say(bound, said)
    clock.advance(86_400)
    say(bound, later, days=20, conversation="another")
    assert said.rstrip(".。") in in_force(bound)


def test_somebody_who_left_and_no_name_behind_it_replaces_nobody(bound):
    say(bound, "My flatmate is Ana", "she left, now I am alone")
    assert "My flatmate is Ana" in in_force(bound)


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        (["My sister's a vet in Derby", "My sister lives near the sea"], "I don't have a sister, I was testing you"),
        (["Meine Schwester ist Tierärztin in Kiel"], "Ich habe gar keine Schwester"),
        (["Mon frère travaille à Lyon"], "je n'ai pas de frère"),
        (["Mi hermana vive en Sevilla"], "No tengo hermana"),
        (["我姐姐住在上海"], "我没有姐姐"),
    ],
)
def test_a_denial_weeks_later_ends_all_that_was_said_of_somebody(bound, said, denied):
    other = "Ana's sister paints houses in Leeds"
    say(bound, other, conversation="before")
    say(bound, *said)
    assert set(in_force(bound)) >= {*said, other}
    say(bound, denied, days=20, conversation="later")
    assert not set(in_force(bound)) & set(said)
    assert other in in_force(bound)


@pytest.mark.parametrize("later", ["I don't have a car", "If I don't have a sister, who calls?", "I have no time"])
def test_a_denial_of_something_else_ends_nothing(bound, later):
    say(bound, "My sister's a vet in Derby")
    say(bound, later, days=20, conversation="later")
    assert "My sister's a vet in Derby" in in_force(bound)


@pytest.mark.parametrize(
    "asked",
    [
        "Please delete everything about my diagnosis",
        "oh and delete the thing about who plays what",
        "could you take the clinic visits out of my reminders",
        "Vergiss übrigens bitte die Adresse, die ich dir letzte Woche gegeben habe",
        "lösch bitte, was ich über Ognjen gesagt habe",
        "efface aussi le numéro de Salomé",
        "supprime tout ce qui concerne mon divorce",
        "borra porfa lo de la psicóloga",
        "quítame el teléfono de Marta por favor",
        "把我姐姐的电话删了吧",
    ],
)
def test_a_request_to_forget_is_no_statement(bound, asked):
    assert say(bound, asked).forget_requests
    assert in_force(bound) == []


@pytest.mark.parametrize(
    "said",
    [
        "I need to remove everything from the garage on Saturday",
        "Take the cake out of the oven",
        "Lösch den letzten Absatz",
        "Ich habe die Nummer von Sabine gelöscht",
        "Il faut que je retire mon colis à la poste",
        "supprime le paragraphe sur Paris",
        "quita el azúcar de la receta",
        "我忘了带钥匙",
    ],
)
def test_what_is_done_to_other_things_is_no_request_to_forget(bound, said):
    assert not say(bound, said).forget_requests


@pytest.mark.parametrize(
    ("said", "later", "now"),
    [
        ("The exam is on 12 June", "no wait, the 19th", "The exam is on the 19th"),
        ("Die Prüfung ist am 12. Juni", "Quatsch, am 19. Juni", "Die Prüfung ist am 19. Juni"),
        ("L'examen est le 12 juin", "non, pardon, le 19 juin", "L'examen est le 19 juin"),
        ("El examen es el 12 de junio", "no, perdón, el 19 de junio", "El examen es el 19 de junio"),
        ("考试是6月12号", "说错了，6月19号", "考试是6月19号"),
    ],
)
def test_a_corrected_value_is_kept_with_both_turns_as_evidence(bound, said, later, now):
    first = say(bound, said).messages[0].turn.item
    second = say(bound, later, days=1).messages[0].turn.item
    assert in_force(bound) == [now]
    [kept] = [one for one in bound.list(limit=100) if one.text == now]
    assert kept.evidence.turns == (second.id, first.id)
    assert kept.evidence.all_words == (later, said)
    assert kept.evidence.composed.way == "correction"
    bound.erase(first.id)
    assert in_force(bound) == []


def test_the_successor_of_somebody_who_left_is_kept_as_it_was_said(bound):
    say(bound, "My supervisor is Hallam", "I like peat bogs", "My sister is Helen")
    later = "Hallam left for Norway, so it's Professor Adeyemi looking after me from now on"
    say(bound, later, days=20, conversation="b")
    assert set(in_force(bound)) == {"I like peat bogs", "My sister is Helen", later}
    say(bound, "Helen left, it's Marcus now", days=21, conversation="c")
    assert "My sister is Helen" in in_force(bound)  # a sister is not replaced


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Who would have thought, I've enrolled in a welding course", "I've enrolled in a welding course"),
        ("Stell dir vor, ich ziehe nach Bremen", "Ich ziehe nach Bremen"),
        ("Tu sais quoi, je déménage à Lyon", "Je déménage à Lyon"),
        ("Quién lo diría, me mudo a Sevilla", "Me mudo a Sevilla"),
    ],
)
def test_an_exclamation_in_the_form_of_a_question_asks_nothing(bound, said, kept):
    say(bound, said)
    assert in_force(bound) == [kept]
