"""Small stores, one for each user of the development conversations: nonsense finds nothing in most of them, what was
said is found."""

from __future__ import annotations

from benchmarks.capture import labels
from benchmarks.capture.learn import Source, observe_one_by_one
from benchmarks.capture.score import contains

from memfort import Memory

NONSENSE = (
    "zorp quux fnord",
    "the mitochondria of a teapot",
    "how tall is the Eiffel tower in bananas",
    "blue elephants on unicycles",
    "What is the airspeed velocity of an unladen swallow?",
    "Which knight guards the purple lighthouse?",
    "Does the moon taste of cinnamon?",
    "quantum tuba repair manual",
    "Who won the 1973 chess boxing cup?",
    "lorem ipsum dolor sit amet",
    "How many dragons fit in a sauna?",
    "penguin tax law of Atlantis",
)
MOST = 20  # messages of the user in each store
LEAST_EMPTY, LEAST_FOUND = 85, 70  # of a hundred


def test_nonsense_finds_nothing_in_most_small_stores_and_questions_find_their_answers() -> None:
    empty, found = list[bool](), list[bool]()
    for user, talks in labels.conversations(labels.read("dev")).items():
        said = [one for talk in talks for one in talk if one.role == "user"][:MOST]
        with Memory.open(":memory:") as memory:
            bound = memory.as_user(user)
            observe_one_by_one(bound, said, Source())
            empty += [not bound.recall(query) for query in NONSENSE]
            for fact in (one for message in said for one in message.facts if not one.optional):
                texts = [hit.text for hit in bound.recall(fact.query, limit=3)]
                found.append(any(contains(text, fact.must) for text in texts))
    assert len(empty) > 200
    assert 100 * sum(empty) / len(empty) >= LEAST_EMPTY
    assert 100 * sum(found) / len(found) >= LEAST_FOUND  # the control: the stores are not simply mute
