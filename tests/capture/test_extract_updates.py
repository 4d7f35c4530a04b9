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
    ("said", "later", "now"),
    [
        ("The budget for the kitchen is 12k.", "14k, the fitter got back to me", "14k"),
        ("The launch stays on 1 October.", "not 1 October, 8 October", "8 October"),
        ("Das Budget für die Küche liegt bei 9000 Euro.", "11000, der Schreiner hat sich gemeldet", "11000"),
        ("Le budget de la cuisine est de 8000 euros.", "9500, le cuisiniste a rappelé", "9500"),
        ("Tengo seis nietos.", "siete que se me olvida el de la Marta", "siete"),
        ("考试是6月12号。", "票没抢到，得19号了", "19号"),
    ],
)
def test_a_value_alone_takes_the_place_of_the_last_of_its_kind(bound, said, later, now):
    say(bound, said, later)
    [kept] = in_force(bound)
    assert now in kept


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
        ("Me estoy preparando para el maratón de Valencia.", "He dejado lo del maratón, la rodilla no aguanta."),
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


def test_of_two_things_in_one_statement_the_other_still_holds(bound):
    say(bound, "Tocamos el sábado 30 en el Ateneo y otra vez el 13 de junio en Bernal")
    say(bound, "se pinchó lo de Bernal, cerraron el lugar", days=5, conversation="another")
    assert "Tocamos el sábado 30 en el Ateneo" in in_force(bound)
    assert not any("13 de junio" in one for one in in_force(bound))


def test_nobody_ends_what_another_said(bound):
    say(bound, "I'm training for the Berlin marathon.", speaker="Gwen")
    say(bound, "Berlin is off, my knee is shot.", days=20, conversation="another", speaker="Rhys")
    assert any("Berlin marathon" in one for one in in_force(bound))


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("My dentist is Dr. Alvarez on Pine Street.", "I've got a new dentist, Dr. Kwan, much gentler."),
        ("We live in Bristol, near the harbour.", "We're in Lisbon since June and the kids adore it."),
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


@pytest.mark.parametrize(
    ("said", "later", "now"),
    [
        ("My landlord is Bob", "he retired, now it's Carol", "My landlord is Carol"),
        ("Meine Chefin ist Petra", "sie ist weg, jetzt ist es Daniel", "Meine Chefin ist Daniel"),
        ("Ma cheffe s'appelle Julie", "elle est partie, c'est Daniel maintenant", "Ma cheffe s'appelle Daniel"),
        ("Mi jefa es Julia", "se fue, ahora es Daniel", "Mi jefa es Daniel"),
        ("我的经理是李娜", "她走了，现在是王强", "我的经理是王强"),
    ],
)
def test_whoever_has_come_takes_the_place_of_whoever_has_gone(bound, said, later, now):
    say(bound, said, later)
    assert in_force(bound) == [now]


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
    ("said", "later", "now"),
    [
        ("I take sertraline, 50mg", "100 sorry, they upped it in april", "I take sertraline, 100mg"),
        ("The budget for the hall is capped at 60k", "Finance came back: 52, not 60", "is capped at 52k"),
        ("I go in for the operation on the 16th", "They've brought me forward to Monday, someone cancelled", "Monday"),
        ("Me contrataron en el Hospital Ángeles", "corrijo, no es el Ángeles sino el ABC, qué cabeza", "Hospital ABC"),
        ("小航被录取了，学焊接", "孩子说我没听清，专业是自动化，不是焊接", "学自动化"),
        ("La obra es en la calle Uría 31", "ah y no es el 31, es el 13", "calle Uría 13"),
    ],
)
def test_the_statement_of_a_correction_is_the_whole_one(bound, said, later, now):
    say(bound, said, later)
    [kept] = in_force(bound)
    assert now in kept
    assert kept[:4] == said[:4]


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
        ("The exam is on 12 June", "no wait, the 19th", "The exam is on 19th June"),
        ("Die Prüfung ist am 12. Juni", "sorry, am 19.", "Die Prüfung ist am 19. Juni"),
        ("L'examen est le 12 juin", "pardon, le 19", "L'examen est le 19 juin"),
        ("El examen es el 12 de junio", "perdón, el 19", "El examen es el 19 de junio"),
        ("考试是6月12号", "说错了，19号", "考试是6月19号"),
        ("The exam is on 30 June", "no wait, the 2nd", "The exam is on the 2nd"),
    ],
)
def test_a_day_in_a_correction_keeps_the_month_of_what_it_corrects(bound, said, later, now):
    say(bound, said, later)
    assert in_force(bound) == [now]


def test_the_successor_of_somebody_who_left_is_found_under_what_they_were(bound):
    say(bound, "my supervisor is dr hallam", "I like peat bogs")
    say(
        bound,
        "hallam left for norway!! so it's Professor Adeyemi looking after me from now on",
        days=20,
        conversation="b",
    )
    assert in_force(bound) == ["I like peat bogs", "My supervisor is Professor Adeyemi"]


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


def test_what_ends_something_says_what_it_was(bound):
    say(bound, "I've enrolled in a welding course on Tuesdays")
    later = "So much for welding. Dropped out after one go, the fumes got me"
    say(bound, later, days=20, conversation="later")
    assert in_force(bound) == [later]
