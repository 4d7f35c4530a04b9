"""Everyday questions to sixty statements of one person: most are found first, and few not at all, although hardly any
has a word of its answer; and most of those that nothing here answers bring nothing.

The numbers are what is held to, not what is best: a floor or a weight that loses more than that loses what people
ask for.
"""

from __future__ import annotations

import pytest

from memfort import Memory
from memfort.store.memory import MemoryStore

STATEMENTS = """My name is Nina and I live in Hamburg
I work as a physiotherapist at a sports clinic
My husband Tom is a high school chemistry teacher
We have two children, Leo and Mia
Leo is nine and plays the cello
Mia is six and loves dinosaurs
Our dog is a beagle called Biscuit
I am allergic to penicillin
Tom cannot eat gluten
I drink my coffee black, without sugar
My favourite author is Ursula Le Guin
I run ten kilometres along the Elbe every Sunday morning
I have had knee trouble since the marathon in 2019
We drive a blue Skoda Octavia
The car's inspection is due in March
My sister Petra lives in Vienna and works as an architect
My parents moved to a small house near Lübeck
My mother had a hip operation in January
My father keeps bees
I took Spanish lessons at the community college
I am planning a trip to Andalusia in October
We flew to Iceland for our honeymoon
I am afraid of heights
Tom snores and we bought a white noise machine
Mia's best friend is called Amelie
Leo's cello teacher is Mrs Brandt
The school holidays begin on 24 June
Our wifi router is in the hallway cupboard
The plumber is called Mr Yilmaz
The spare key is with our neighbour Gisela
We pay 1450 euros of rent each month
The landlord wants to renovate the bathroom in spring
I switched from a PC to a MacBook last year
I use the dark theme in every editor
Please answer me in short sentences
I prefer trains to planes
My birthday is on 3 September
Tom's birthday is on 12 May
We got married in 2014
I studied in Leipzig
I quit smoking seven years ago
I don't like mushrooms
My favourite dish is potato soup
We celebrate Christmas with Tom's parents in Kassel
I sing alto in the parish choir
Choir practice is on Wednesday evening
I lent my drill to Jonas
Jonas is our upstairs neighbour and a paramedic
I decided to take fewer shifts on weekends
Our insurance is with Allianz
My dentist is Dr. Keller in Eimsbüttel
I wear glasses for driving
I want to learn to sail
We cancelled the streaming subscription
The washing machine broke and we ordered a new one from Bosch
Biscuit's vet is at the corner of our street
I read every evening before I go to sleep
I sold my motorbike after the accident
Mia needs a costume for the school play
My boss is called Dr. Sommer""".splitlines()

ANSWERED = {  # a question, and what only its answer has
    "Where do I live?": "Hamburg",
    "What is my job?": "physiotherapist",
    "What does my husband do for a living?": "chemistry",
    "What are my kids called?": "Leo and Mia",
    "Which instrument does my son play?": "cello",
    "What kind of pet do we have?": "beagle",
    "Do I have any drug allergies?": "penicillin",
    "What should I keep in mind when cooking for Tom?": "gluten",
    "How do I take my coffee?": "black",
    "Who is my favourite writer?": "Le Guin",
    "What exercise do I do on weekends?": "Elbe",
    "What car do we own?": "Skoda",
    "When does the car have to be checked?": "inspection",
    "Where does my sister live?": "Petra",
    "What is my dad's hobby?": "bees",
    "Which languages have I been learning?": "Spanish",
    "Where are we going on vacation this autumn?": "Andalusia",
    "Where did we go after the wedding?": "honeymoon",
    "What am I scared of?": "heights",
    "Who has our spare key?": "Gisela",
    "How much do we pay for the apartment?": "1450",
    "Which computer do I use?": "MacBook",
    "How should you reply to me?": "short sentences",
    "When was I born?": "3 September",
    "When is our wedding anniversary?": "2014",
    "Where did I go to university?": "Leipzig",
    "What food do I hate?": "mushrooms",
    "Who borrowed my power tool?": "Jonas",
    "Who do I call when the sink leaks?": "plumber",
    "What is the name of my dentist?": "Keller",
    "When do I sing?": "Choir practice",
    "Who is my manager?": "Sommer",
    "Which appliances did we buy recently?": "Bosch",
    "Did I use to smoke?": "smoking",
    "Where does my mum live?": "Lübeck",
    "How old is my daughter?": "six",
    "What did I decide about work?": "fewer shifts",
    "Do I need glasses?": "glasses",
    "Which insurance company are we with?": "Allianz",
    "Where do we spend Christmas?": "Kassel",
}
UNANSWERED = [
    "What is my blood type?",
    "Which football team do I support?",
    "What is the capital of Peru?",
    "How tall is the Eiffel tower?",
    "What is my passport number?",
    "Explain quantum computing",
    "Did I ever visit Japan?",
    "What is Leo's shoe size?",
]


@pytest.fixture(scope="module")
def places() -> dict[str, int]:
    """At which place each question finds its answer; 0: not at all. Of those without one, how many memories come."""
    with Memory(MemoryStore()) as memory:
        nina = memory.as_user("nina")
        assert all(outcome.kept for outcome in nina.remember_many(STATEMENTS))
        found = {question: nina.recall(question).texts for question in ANSWERED}
        strict = {question: nina.recall(question, weak=False).texts for question in UNANSWERED}
    asked = {question: [answer in text for text in found[question]] for question, answer in ANSWERED.items()}
    came = {question: len(texts) for question, texts in strict.items()}
    return {question: right.index(True) + 1 if True in right else 0 for question, right in asked.items()} | came


def test_most_questions_find_their_answer(places: dict[str, int]) -> None:
    found = [places[question] for question in ANSWERED if places[question]]
    assert len(found) >= 32, f"of {len(ANSWERED)}: {[question for question in ANSWERED if not places[question]]}"
    assert sum(place == 1 for place in found) >= 22


def test_most_questions_without_an_answer_bring_nothing(places: dict[str, int]) -> None:
    assert sum(places[question] == 0 for question in UNANSWERED) >= 6
