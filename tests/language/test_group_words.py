"""A statement in the first person plural is about the group, in ten languages; one about its speaker or a person is
not."""

from __future__ import annotations

import pytest

from memfort.language.mentions import mentions
from memfort.language.sharing import is_about_no_person, is_about_the_group

ABOUT_THE_GROUP = {
    "english": ["our standup is at 9", "We use Postgres in production", "Our retro is on Thursday"],
    "german": ["unser Standup ist um 9", "Wir benutzen Postgres", "Unsere Retro ist am Donnerstag"],
    "french": ["notre standup est à 9h", "nous utilisons Postgres"],
    "spanish": ["nuestra reunión es a las 9", "tenemos la reunión a las 9"],
    "portuguese": ["nosso standup é às 9", "temos reunião às 9 horas"],
    "italian": ["il nostro standup è alle 9", "abbiamo la riunione alle 9"],
    "dutch": ["onze standup is om 9 uur", "we gebruiken Postgres"],
    "polish": ["nasz standup jest o 9", "mamy spotkanie o 9"],
    "chinese": ["我们的站会是九点", "我們的站會是九點"],
    "japanese": ["私たちのスタンドアップは9時です", "うちの定例は9時です"],
}
OTHERS = {
    "of nobody": ["the standup is at 9", "the US office is in Texas", "O evento é nos Estados Unidos"],
    "of the speaker": ["my standup is at 9", "mein Standup ist um 9", "mi reunión es a las 9"],
    "of the speaker, without spaces": ["我的会议是九点", "私の会議は9時です"],
    "of the speaker too": ["I think our standup is at 9", "ik denk dat onze standup om 9 is", "我觉得我们的站会是九点"],
    "of a person": ["our colleague Bob is ill", "our daughter started school", "we owe @bob 5 euros"],
    "eleven": ["La réunion est à onze heures", "A reunião é às onze horas"],
}  # fmt: skip


@pytest.mark.parametrize("text", [text for texts in ABOUT_THE_GROUP.values() for text in texts])
def test_the_first_person_plural_is_about_the_group(text: str) -> None:
    assert is_about_the_group(text)


@pytest.mark.parametrize("text", [text for texts in OTHERS.values() for text in texts])
def test_what_is_about_its_speaker_or_a_person_is_not(text: str) -> None:
    assert not is_about_the_group(text)


def test_there_are_ten_languages() -> None:
    assert len(ABOUT_THE_GROUP) == 10


RULES = [
    *("Refunds need approval", "Refunds need no approval", "Invoices need no stamp"),
    *(
        "Escalations go to Uma",
        "Holiday requests go through HR",
        "Most orders ship within a day",
    ),
    *("Search accounts for 7 percent of the spend", "The printer is broken", "Backups run over night"),
]
OF_PEOPLE = ["Max needs a badge", "Rita pays 20 euros", "I need approval", "Marta no come carne", "Luca porta la pizza"]


@pytest.mark.parametrize("text", RULES)
def test_a_short_rule_is_about_no_person(text: str) -> None:
    assert is_about_no_person(text, mentions(text))


@pytest.mark.parametrize("text", OF_PEOPLE)
def test_a_short_sentence_about_a_person_is_no_rule(text: str) -> None:
    assert not is_about_no_person(text, mentions(text))
