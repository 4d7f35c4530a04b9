"""Synthetic statements of users about people they know, and later questions: generated English from a fixed random
state and word list.

Each memory is about one topic of one person, and each pair occurs once per user, so that a question has one answer. A
question names the person and either paraphrases, sharing only the name with the memory, which suits semantic search; or
uses the memory's two longest words, which suits word search.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

PEOPLE = (
    "Alice", "Bruno", "Clara", "Diego", "Elena", "Farid", "Greta", "Hugo", "Ingrid", "Jonas", "Karin", "Leo", "Maria",
    "Nadia", "Oscar", "Paula", "Quentin", "Rosa", "Simon", "Teresa", "Ursula", "Victor", "Wendy", "Xavier", "Yusuf",
    "Zoe", "Anton", "Bianca", "Cedric", "Daphne", "Emil", "Fiona", "Gustav", "Helena", "Ivan", "Julia",
)  # fmt: skip
OTHER_WORDS, OWN_WORDS = MANNERS = ("other words", "own words")
NEWCOMERS = ("Kenji", "Laila", "Marcus", "Noemi")  # people who are not mentioned when a store is filled

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic about a person: its statement, its question, and its possible values."""

    said: tuple[str, ...]
    asked: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and the questions that it answers."""

    text: str
    asked: Mapping[str, str]  # by manner


def statements(seed: int, count: int, people: tuple[str, ...] = PEOPLE) -> list[Statement]:
    """So many memories, the same for the same seed; a larger set begins with the smaller one."""
    chance = random.Random(seed)
    pairs = list(product(people, TOPICS))
    if count > len(pairs):
        raise ValueError(f"a user has at most {len(pairs)} things to say, not {count}")
    chance.shuffle(pairs)
    return [_statement(name, topic, chance) for name, topic in pairs[:count]]


def new_statements(count: int) -> Iterator[str]:
    """Later additions, about other people than before."""
    return (one.text for one in statements(-1, count, NEWCOMERS))


def _statement(name: str, topic: Topic, chance: random.Random) -> Statement:
    said = chance.choice(topic.said).format(name=name, value=chance.choice(topic.values))
    own = sorted((word for word in _WORD.findall(said) if word != name), key=len)[-2:]
    return Statement(said, {OTHER_WORDS: topic.asked.format(name=name), OWN_WORDS: " ".join((name, *own))})


TOPICS = (
    Topic(
        ("{name} works as {value} these days", "{name} told me she has been hired as {value}"),
        "What is the profession of {name}?",
        ("a dentist", "a carpenter", "a nurse", "a pilot", "a baker", "a translator", "an architect", "a plumber"),
    ),
    Topic(
        ("{name} moved into {value} last month", "{name} lives in {value} now"),
        "Where is the home of {name}?",
        ("a flat in Porto", "a cottage near Bergen", "a loft in Chicago", "a farmhouse outside Lyon", "Kyoto", "Quito"),
    ),
    Topic(
        ("{name} adopted {value} from the shelter", "{name} has got {value} called Biscuit"),
        "Which pet does {name} keep?",
        ("a greyhound", "two kittens", "an old parrot", "a rabbit", "a tortoise", "a terrier", "a cockatoo"),
    ),
    Topic(
        ("{name} breaks out in a rash after eating {value}", "{name} must never be served {value}"),
        "What food is {name} allergic to?",
        ("peanuts", "shellfish", "strawberries", "walnuts", "soy", "celery", "sesame"),
    ),
    Topic(
        ("{name} practises {value} every evening", "{name} plays {value} in a quartet"),
        "Which musical instrument is {name} learning?",
        ("the cello", "the oboe", "the trumpet", "the banjo", "the harp", "the clarinet", "the viola"),
    ),
    Topic(
        ("{name} flew to {value} for two weeks", "{name} is just back from {value} with a suitcase of souvenirs"),
        "Where did {name} travel on holiday?",
        ("Iceland", "Morocco", "Vietnam", "Sicily", "Patagonia", "Crete", "Zanzibar"),
    ),
    Topic(
        ("{name} broke {value} on the ice", "the doctors put {name} in plaster because of {value}"),
        "What injury did {name} suffer?",
        ("an ankle", "a wrist", "a collarbone", "an elbow", "a kneecap", "two ribs"),
    ),
    Topic(
        ("{name} goes to the gym for {value} twice a week", "{name} trains hard at {value} with a club"),
        "Which sport keeps {name} fit?",
        ("rowing", "fencing", "badminton", "boxing", "volleyball", "judo", "climbing"),
    ),
    Topic(
        ("{name} drives {value} to the office", "{name} bought {value} second hand"),
        "What car does {name} own?",
        ("a red Volvo", "a small Fiat", "an electric Renault", "an old Saab", "a Toyota pickup", "a grey Skoda"),
    ),
    Topic(
        ("{name} is reading {value} in bed", "{name} could not put down {value}"),
        "Which book does {name} enjoy?",
        ("Dracula", "Middlemarch", "Moby Dick", "Emma", "The Odyssey", "Jane Eyre", "Ulysses"),
    ),
    Topic(
        ("{name} borrowed {value} and owes it to the bank", "{name} is paying back {value} in instalments"),
        "How much debt is {name} in?",
        ("two thousand euros", "nine hundred dollars", "forty thousand pounds", "six thousand francs"),
    ),
    Topic(
        ("{name} gave birth to {value} in the spring", "{name} became a mother: {value}"),
        "Does {name} have children?",
        ("twins", "a girl", "a boy", "triplets", "a second daughter", "a third son"),
    ),
    Topic(
        ("{name} speaks fluent {value} with her grandparents", "{name} takes evening classes in {value}"),
        "Which foreign language does {name} know?",
        ("Portuguese", "Arabic", "Swedish", "Korean", "Greek", "Hungarian", "Hindi"),
    ),
    Topic(
        ("{name} always orders {value} at the restaurant", "{name} could eat {value} every single day"),
        "What is the favourite dish of {name}?",
        ("ramen", "lasagne", "falafel", "paella", "goulash", "dumplings", "mushroom risotto"),
    ),
    Topic(
        ("{name} drinks nothing but {value} in the morning", "{name} asked the waiter for {value}"),
        "Which beverage does {name} like for breakfast?",
        ("black coffee", "green tea", "hot chocolate", "oat milk", "grapefruit juice", "espresso"),
    ),
    Topic(
        ("{name} painted the kitchen {value}", "{name} wears {value} from head to toe"),
        "What colour does {name} prefer?",
        ("turquoise", "crimson", "lavender", "mustard yellow", "olive green", "navy blue"),
    ),
    Topic(
        ("{name} studied {value} at university", "{name} wrote a thesis in {value}"),
        "Which subject did {name} graduate with a degree from college?",
        ("chemistry", "philosophy", "economics", "astronomy", "law", "geology", "linguistics"),
    ),
    Topic(
        ("{name} had a violent quarrel with {value}", "{name} is not on speaking terms with {value}"),
        "Who is in a conflict and angry dispute against {name}?",
        ("the landlord", "a cousin", "the neighbours upstairs", "her brother", "a former boss"),
    ),
    Topic(
        ("{name} is going to marry {value} in June", "{name} put a ring on the finger of {value}"),
        "Who is the fiancé at the wedding of {name}?",
        ("a sailor", "a school friend", "a violinist", "somebody from the choir", "a vet"),
    ),
    Topic(
        ("{name} grows {value} on the balcony", "{name} planted {value} behind the shed"),
        "What vegetables are in the garden of {name}?",
        ("tomatoes", "courgettes", "radishes", "pumpkins", "spinach", "carrots", "beans"),
    ),
    Topic(
        ("{name} spends the nights watching {value}", "{name} saw {value} at the cinema for the fifth time"),
        "Which film or movie does {name} love?",
        ("Casablanca", "Alien", "Amadeus", "Vertigo", "Metropolis", "Jaws"),
    ),
    Topic(
        ("{name} is frightened of {value}", "{name} screams at the sight of {value}"),
        "What phobia is {name} afraid of?",
        ("spiders", "thunderstorms", "heights", "snakes", "needles", "wasps"),
    ),
    Topic(
        ("{name} was robbed of {value} on the tram", "thieves took {value} from {name}"),
        "What was stolen in the crime against {name}?",
        ("a wallet", "a laptop", "a passport", "a silver watch", "a bicycle", "a camera"),
    ),
    Topic(
        ("{name} knits {value} in her spare time", "{name} unwinds by making {value}"),
        "What hobby or craft does {name} pursue?",
        ("pottery", "scarves", "model ships", "candles", "birdhouses", "jewellery", "quilts"),
    ),
    Topic(
        ("{name} prays at {value} on feast days", "{name} sings the hymns in {value}"),
        "Which religion does {name} believe in?",
        ("the mosque", "the synagogue", "the cathedral", "the Hindu temple", "a Lutheran church"),
    ),
    Topic(
        ("{name} takes {value} twice a day", "the chemist gave {name} {value}"),
        "Which medicine was {name} prescribed?",
        ("ibuprofen", "insulin", "antibiotics", "iron tablets", "beta blockers", "cough syrup"),
    ),
    Topic(
        ("{name} votes for {value} and hands out leaflets", "{name} joined {value} as a candidate"),
        "What political party does {name} support in elections?",
        ("the greens", "the liberals", "the socialists", "the conservatives", "the pirates"),
    ),
    Topic(
        ("{name} sets the alarm clock to {value}", "{name} is out of bed at {value}"),
        "When does {name} wake up?",
        ("five thirty", "six sharp", "a quarter past seven", "half past four", "noon"),
    ),
)  # fmt: skip
