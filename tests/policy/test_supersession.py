"""Knowledge evolves: a new value takes the place of the old one, and nothing else does."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.language import english
from memfort.model.item import MAX_TEXT_BYTES
from memfort.policy.gates import supersession
from memfort.policy.gates.supersession import THRESHOLD, Change, find_slot, similarity, supersedes

# The benchmarks are no part of the package; they are run from the root of the repository.
sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.supersession import __main__ as benchmark
from benchmarks.supersession import lives, pairs

PAGE = Path(__file__).parents[2] / "benchmarks" / "README.md"
PUBLISHED = PAGE.parent / "results" / "published-supersession.json"


@pytest.mark.parametrize(
    ("attribute", "value", "texts"),
    [
        ("lives_in", "paris", ["I live in Paris", "Bob lives in Paris", "She is now based in Paris", "Moved to Paris"]),
        ("works_at", "acme", ["Works at Acme", "I'm working for Acme", "Bob joined Acme", "Carol got a job at Acme"]),
        ("works_as", "nurse", ["Works as a nurse", "I am working as a nurse", "My job is nurse"]),
        ("name", "ada", ["My name is Ada", "I am called Ada", "Call me Ada"]),
        (
            "birthday",
            "15 mar",
            ["My birthday is March 15", "My birthday is Mar 15", "Sarah was born on the 15th of March"],
        ),
        (
            "favorite:color",
            "blue",
            ["Favorite color is blue", "Bob's favourite colour is blue", "Blue is my favorite color"],
        ),
        ("drives", "volvo", ["Drives a Volvo", "I now drive a Volvo"]),
        ("age", "34", ["I'm 34", "Bob is 34 years old", "Carol turned 34"]),
        ("timezone", "utc", ["My timezone is UTC", "Bob's time zone is UTC"]),
        ("prefers:coffee|tea", "tea", ["Prefers tea over coffee", "I prefer tea to coffee"]),
        ("prefers:mode", "dark", ["Prefers dark mode", "I prefer dark mode"]),
        ("count:cat", "2", ["Has two cats", "I have 2 cats"]),
        ("time:standup", "9am", ["Our standup is at 9am", "The standup is at 9am"]),
        ("date:deadlin", "1 mar", ["The deadline is March 1", "The deadline is on 1 March"]),
        ("marital_status", "married", ["I am married", "Bob is married"]),
        ("role:boss", "carol", ["My boss is Carol", "Carol is my boss"]),
        ("version:python", "3 12", ["Project X uses Python 3.12"]),
    ],
)
def test_paraphrases_yield_the_same_slot(attribute, value, texts):
    for text in texts:
        slot = find_slot(text)
        assert slot is not None, text
        assert (slot.attribute, slot.value) == (attribute, value), text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Likes coffee", id="one may like several things"),
        pytest.param("Has a dog", id="one may have several"),
        pytest.param("Speaks German", id="one may speak several"),
        pytest.param("Works at Acme and volunteers at the shelter", id="two things at once"),
        pytest.param("I live in Paris. My dog is called Max", id="two sentences"),
        pytest.param("Lives in Paris, vegetarian", id="something more behind a comma"),
        pytest.param("Works as a chef on weekends", id="a part of the time"),
        pytest.param("Bob also works at Globex", id="one of several"),
        pytest.param("Bob used to live in Rome", id="no longer so"),
        pytest.param("Bob lived in Rome", id="no longer so, in the past"),
        pytest.param("Bob was living in Rome", id="no longer so, in another past"),
        pytest.param("Bob wants to live in Rome", id="a wish"),
        pytest.param("Bob does not live in Rome", id="a denial"),
        pytest.param("I think Bob lives in Rome", id="a guess"),
        pytest.param("If Bob lives in Rome", id="a condition"),
        pytest.param("Bob lives in fear", id="no place"),
        pytest.param("Works at night", id="no employer"),
        pytest.param("I drive to work", id="no car"),
        pytest.param("My boss is tired", id="a state, not a person"),
        pytest.param("My boss is American", id="an attribute, not a person"),
        pytest.param("Call me tomorrow", id="no name"),
        pytest.param("Lives in " + "very " * 50 + "much", id="too long"),
    ],
)
def test_texts_without_a_single_current_value_have_no_slot(text):
    assert find_slot(text) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lives in SF", "Moved to New York last month"),
        ("I live in Paris", "I live in Rome"),
        ("Bob lives in Lyon", "He lives in Oslo now"),
        ("Favorite color is blue", "My favorite color is green"),
        ("Bob's boss is Carol", "Bob's boss is Alice"),
        ("My sister lives in Rome", "My sister lives in Oslo"),
        ("Bob Miller works at Acme", "Bob works at Globex"),
    ],
)
def test_another_value_of_the_same_attribute_supersedes(old, new):
    verdict = supersedes(new, old)
    assert (verdict.supersedes, verdict.reason) == (True, Change.SAME_SLOT)
    assert verdict.attribute == find_slot(old).attribute


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Paris", "I'm living in Paris"),
        ("Lives in Paris, France", "Lives in Paris"),
        ("Prefers tea over coffee", "Prefers tea to coffee"),
        ("Sarah's birthday is March 15", "Sarah was born on 15 March"),
        ("Bob loves pizza", "bob  loves pizza!"),
    ],
)
def test_the_same_value_or_less_of_it_is_a_duplicate(old, new):
    verdict = supersedes(new, old)
    assert (verdict.supersedes, verdict.reason) == (False, Change.DUPLICATE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Bob works from home on Fridays", "On Fridays Bob works from home"),
        ("Has a dog named Max", "Has a dog called Max"),
        ("I hate cilantro", "I really dislike cilantro"),
        ("Carol speaks German and French", "Carol speaks French and German"),
        ("Carol eats meat", "Carol no longer eats meat"),
        ("Bob likes coffee", "Bob doesn't like coffee anymore"),
    ],
)
def test_the_same_in_nearly_the_same_words_supersedes(old, new):
    verdict = supersedes(new, old)
    assert (verdict.supersedes, verdict.reason) == (True, Change.SIMILAR)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Likes coffee", "Likes tea"),
        ("Has a dog", "Has a cat"),
        ("Speaks German", "Speaks French"),
        ("Has a dog named Max", "Has a dog named Rex"),
        ("Has a dog named Max", "Has a dog"),
        ("I live in Paris", "My sister lives in Rome"),
        ("Bob works at Acme", "Bob's wife works at Globex"),
        ("Bob lives in Lyon", "Carol lives in Oslo"),
        ("My sister is 30", "My sister in law is 32"),
        ("Bob likes coffee", "Bob's brother likes coffee"),
        ("Bob gave Carol a book", "Carol gave Bob a book"),
        ("The cache depends on the database", "The database depends on the cache"),
        ("Bob read three books in May", "Bob read four books in May"),
        ("Bob has a dog", "Bob has a dog allergy"),
        ("Service A calls service B", "Service B calls service A"),
    ],
)
def test_another_fact_that_sounds_alike_leaves_the_first_alone(old, new):
    verdict = supersedes(new, old)
    assert (verdict.supersedes, verdict.reason) == (False, Change.DIFFERENT)


def test_nothing_is_superseded_by_similarity_below_the_threshold():
    old, new = "I hate cilantro", "I really dislike cilantro"
    assert supersedes(new, old, threshold=1.0).supersedes
    almost = (
        "The weekly report goes to Carol and the board by mail every Friday",
        "The weekly report goes to Carol and the whole board by mail every Friday",
    )
    score = similarity(*almost)
    assert THRESHOLD < score < 1
    assert supersedes(almost[1], almost[0], threshold=score).reason is Change.SIMILAR
    assert supersedes(almost[1], almost[0], threshold=score + 0.01).reason is Change.DIFFERENT


def test_compatible_facts_of_one_person_do_not_supersede_each_other():
    """A positive control stands in the tests above: the same rules do supersede."""
    found = benchmark.measured((), lives.CHOOSING, THRESHOLD)
    assert (found["life_pairs"], found["life_wrong"]) == (len(lives.CHOOSING) * (len(lives.CHOOSING) - 1), 0)


def test_the_threshold_is_the_lowest_without_a_false_pair():
    false = {
        threshold: found["wrong"]["alike"] + found["wrong"]["unrelated"]
        for threshold in benchmark.TRIED
        for found in [benchmark.measured(pairs.CHOOSING, (), threshold)]
    }
    assert min(threshold for threshold, count in false.items() if not count) == THRESHOLD


def test_the_page_is_that_of_the_published_run_and_the_run_that_of_the_code():
    published = json.loads(PUBLISHED.read_text())
    assert benchmark.render(published) in PAGE.read_text()
    again = json.loads(json.dumps(benchmark.measured(pairs.HELD_OUT, (), THRESHOLD)))
    assert again["wrong"] == published["held_out"]["wrong"]


@pytest.mark.parametrize("unit", ["bob and ", "not ", "a", "i live in ", "Bob gave ", "é"])
def test_the_longest_texts_there_can_be_are_compared(unit):
    text = unit * (MAX_TEXT_BYTES // len(unit.encode()))
    assert not supersedes("Lives in Rome", text).supersedes
    assert supersedes(text, text).reason is Change.DUPLICATE


@given(st.text(max_size=80), st.text(max_size=80))
def test_similarity_is_a_share_and_has_no_side(one, other):
    score = similarity(one, other)
    assert 0 <= score <= 1
    assert score == pytest.approx(similarity(other, one))


@given(st.text(max_size=80))
def test_nothing_supersedes_itself(text):
    assert supersedes(text, text).reason is Change.DUPLICATE


@given(st.data())
def test_a_statement_that_fills_a_slot_has_a_word_that_says_so(data):
    """Those without one are not looked at any further."""
    form = data.draw(st.sampled_from([form for rule in english().slots.slot for form in rule.forms]))
    said = data.draw(st.from_regex(re.compile(form, re.ASCII), fullmatch=True))
    assert not english().slots.words_of_forms.isdisjoint(said.split(" "))


@pytest.mark.parametrize("text", ["likes tea", "Bob swims on Fridays with Carol", "Oslo hat viel Regen"])
def test_others_have_none(text):
    assert english().slots.words_of_forms.isdisjoint(text.split())


WORDS = ("tea", "milk", "and", "or", "not", "never", "any", "more", "anymore", "no", "longer", "don", "t", "used", "to")


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_negation_stripping_matches_the_patterns(words):
    stripped = re.sub(r" any ?more ", " ", f" {' '.join(words)} ")
    stripped, denials = re.subn(r" (?:don t|not|never|no longer|used to) ", " ", stripped)
    stripped = re.sub(r" (\S+) (?:and|or) (\S+) ", lambda pair: " {} {} ".format(*sorted(pair.groups())), stripped)
    assert supersession._strip_negation(" ".join(words)) == (stripped.split(), denials % 2 == 1)
