"""What is said about health, money, loves and troubles is noticed, and ordinary talk that sounds alike is not.

`SEEN` was looked at while the rules were written; `HELD_OUT` was written before them.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.language.sensitivity import EPHEMERAL_TYPES, classify, private_chat_floor, stricter
from memfort.model.item import MAX_TEXT_BYTES, Sensitivity

PUBLIC, PERSONAL, SENSITIVE = Sensitivity.PUBLIC, Sensitivity.PERSONAL, Sensitivity.SENSITIVE

Labelled = tuple[str, Sensitivity, str | None]

_RULES = {
    "health": SENSITIVE,
    "mental_health": SENSITIVE,
    "money": SENSITIVE,
    "sexuality": SENSITIVE,
    "legal": SENSITIVE,
    "abuse": SENSITIVE,
    "addiction": SENSITIVE,
    "immigration": SENSITIVE,
    "minor_health": PERSONAL,
    "career": PERSONAL,
    "family": PERSONAL,
    "religion": PERSONAL,
    "politics": PERSONAL,
}


def _labelled(by_rule: dict[str | None, tuple[str, ...]]) -> list[Labelled]:
    return [(text, _RULES[rule] if rule else PUBLIC, rule) for rule, texts in by_rule.items() for text in texts]


SEEN = _labelled(
    {
        "health": (
            "Is pregnant, due August",
            "Bob was diagnosed with diabetes last year",
            "I have high blood pressure",
            "Carol takes insulin twice a day",
            "She had a miscarriage in March",
            "My father has Parkinson's",
            "Alice is recovering from surgery on her knee",
            "He is HIV positive",
            "We are trying IVF",
            "Carol's cancer is back",
            "Uses a wheelchair since the accident",
        ),
        "mental_health": (
            "Has anxiety",
            "Bob has been struggling with depression",
            "I see a therapist on Thursdays",
            "Carol started taking antidepressants",
            "He had a panic attack at work",
            "I was diagnosed with ADHD as an adult",
            "Alice is bipolar",
            "Bob is burned out",
        ),
        "money": (
            "Salary is $150k",
            "Bob earns 90k a year",
            "I'm deep in debt",
            "Carol owes the bank twenty thousand",
            "My credit score is 580",
            "They filed for bankruptcy",
            "Can't afford the rent this month",
            "Alice makes $65 an hour",
            "Has $40,000 in student loans",
        ),
        "sexuality": (
            "Bob is gay",
            "Carol came out to her parents",
            "I am non-binary",
            "She is a trans woman",
        ),
        "legal": (
            "Bob was arrested in 2019",
            "I am being sued by my landlord",
            "Carol is on probation",
            "He has a criminal record",
        ),
        "abuse": (
            "Her ex-husband abused her",
            "Carol is a survivor of domestic violence",
            "I was sexually assaulted",
        ),
        "addiction": ("She is in rehab",),
        "immigration": ("His visa was denied",),
        "minor_health": (
            "Bob is allergic to peanuts",
            "Carol has the flu",
            "I am sick today",
            "Alice has a cold",
        ),
        "career": (
            "Looking for a new job",
            "Bob is interviewing at another company",
            "I'm thinking about quitting my job",
            "Carol got laid off in May",
            "Alice was put on a performance improvement plan",
            "He handed in his notice",
            "She is unhappy at work",
        ),
        "family": (
            "Bob is getting divorced",
            "Carol and her husband separated",
            "I broke up with my girlfriend",
            "His father died in spring",
        ),
        "religion": (
            "Bob is Muslim",
            "Carol converted to Judaism",
            "I go to church every Sunday",
        ),
        "politics": (
            "Bob voted for the Greens",
            "Carol is a Republican",
        ),
        None: (
            "Prefers dark mode",
            "Has a dog named Max",
            "The project health check runs every minute",
            "That was the stock answer",
            "There is a depression in the ground behind the house",
            "We want a healthy codebase",
            "The salary module in the payroll app needs tests",
            "Paying down technical debt takes a sprint",
            "Looking for a new job queue for the workers",
            "She quit the app and opened it again",
            "The event is fired when the button is pressed",
            "Bipolar transistors amplify current",
            "There was a pregnant pause in the meeting",
            "Separated by commas",
            "Bob broke up the module into three files",
            "The API is HTTP positive about caching",
            "Carol came out of the meeting at noon",
            "The film came out yesterday",
            "The Great Depression began in 1929",
            "Bob reads papers about cancer research",
            "Logging is disabled by default",
            "The process died last night",
            "Voted for option B in the poll",
            "Transitioning to Kubernetes next quarter",
            "We have high memory pressure on node two",
            "Bob works at the hospital as a nurse",
            "The burndown chart looks fine",
            "Rate limits stop abuse of the API",
            "The cold start takes three seconds",
            "Works as a software engineer",
            "Lives in SF",
            "Loves pizza",
            "The job runs at night and takes an hour",
            "The service makes 120k requests a day",
            "The battery is charged with a cable",
            "Carol is interviewing users about the new design",
            "My sister is called Carol",
            "The patient zero of this bug is the parser",
            "Savings of thirty percent in latency",
            "I have an appointment with the dentist on Monday",
        ),
    }
)

HELD_OUT = _labelled(
    {
        "health": (
            "I'm expecting a baby in October",
            "Carol has been diagnosed with multiple sclerosis",
            "Bob suffers from epilepsy",
            "My wife is undergoing chemotherapy",
            "He had a heart attack two years ago",
            "Alice needs a kidney transplant",
            "I take medication for my thyroid",
            "Sarah found out that she is having twins, she is 12 weeks pregnant",
            "She has endometriosis",
            "Bob's biopsy results came back on Friday",
        ),
        "mental_health": (
            "I have been feeling suicidal",
            "Carol was hospitalised for an eating disorder",
            "Alice has PTSD from the accident",
            "My depression is worse in winter",
            "He is seeing a psychiatrist",
            "She suffers from severe social anxiety",
            "I'm on Zoloft",
            "Bob is autistic",
        ),
        "money": (
            "Carol's annual income is about 70,000 euros",
            "I'm behind on my mortgage payments",
            "Bob got a raise to 120k",
            "She inherited half a million from her aunt",
            "My net worth is under ten thousand",
            "Alice is broke until payday",
            "I have maxed out my credit cards",
            "He gets paid £4,200 a month",
            "Bob lost his savings in crypto",
        ),
        "sexuality": (
            "My brother is bisexual",
            "Alice is a lesbian",
            "He told me he's queer and not out at work",
        ),
        "legal": (
            "Carol was convicted of fraud",
            "He got a DUI last summer",
            "My cousin is in prison",
            "She has a restraining order against her neighbour",
        ),
        "abuse": (
            "I grew up with an abusive father",
            "Carol was raped in college",
        ),
        "addiction": ("Bob goes to AA meetings because he is an alcoholic",),
        "immigration": ("Bob is undocumented",),
        "minor_health": (
            "I've got a sore throat",
            "Carol is lactose intolerant",
            "Bob called in sick",
        ),
        "career": (
            "I've been applying for jobs in Berlin",
            "Bob wants to leave the company",
            "Carol got fired yesterday",
            "I have a job interview on Tuesday",
            "Alice is planning to resign after the bonus",
            "She is talking to recruiters",
            "Bob was passed over for a promotion",
        ),
        "family": (
            "My parents are divorced",
            "Carol is cheating on her husband",
            "Bob lost his mother last year",
            "I am no longer on speaking terms with my brother",
        ),
        "religion": (
            "Alice is a practising Catholic",
            "I pray five times a day",
            "He is an atheist",
        ),
        "politics": (
            "I voted for Labour in the last election",
            "Bob is a member of the communist party",
        ),
        None: (
            "The health endpoint returns 200",
            "Health insurance forms are in the shared drive",
            "Bob is building an app for diabetes clinics",
            "A stroke of luck saved the demo",
            "The surgery on the schema went well",
            "Anxiety is a song by Carol's favourite band",
            "The debt ceiling debate was on the news",
            "Income statements are exported as CSV",
            "Credit for the fix goes to Bob",
            "The loan word comes from French",
            "The cron job is looking for new files",
            "Bob fired off a quick reply",
            "The resignation of the minister made headlines",
            "Interviewing candidates for the backend role takes all week",
            "Divorce the view from the model",
            "The state of affairs is fine",
            "Trans-Atlantic latency is 80 ms",
            "A straight line is the shortest path",
            "The Prison Break series has five seasons",
            "The exception was caught and charged to the retry budget",
            "The church in the town square is old",
            "Carol votes on pull requests",
            "The republic was founded in 1848",
            "Favorite color is blue",
            "Our standup is at 9am",
            "Project X uses Python",
            "Had dinner with Sarah Tuesday",
            "Needs to call dentist",
            "Mentioned being tired",
            "Bob likes cold brew",
            "The build is broken again",
            "Sick beats, great playlist",
            "The migration is pregnant with risk",
            "The team burned the whole budget on compute",
            "A worker died with signal 9",
            "Insulated cups keep tea warm",
            "The panic happened in the kernel",
            "Alice prefers tabs to spaces",
            "The operation on the list is linear",
            "The rent-a-bike station is closed",
        ),
    }
)


# Free paraphrases, added once the others had been measured: what words alone reach of them.
REWORDED = _labelled(
    {
        "health": (
            "The doctors found a lump in Carol's breast",
            "Bob's kidneys are failing",
            "I'm diabetic, type 1",
            "Alice lost the baby in the fifth month",
            "My blood pressure has been through the roof",
            "Carol needs a new hip",
            "Bob had a stroke last winter",
            "I've been on birth control since college",
            "She carries the BRCA gene",
            "Tested positive for chlamydia",
        ),
        "mental_health": (
            "I cry every day and can't get out of bed",
            "Bob relapsed and is drinking again",
            "Carol has been sober for two years",
            "My therapist says I should write more",
            "She cuts herself",
            "I get panic attacks in lifts",
            "Alice is on lithium",
        ),
        "money": (
            "We are living paycheck to paycheck",
            "Carol got a bonus of $12,000",
            "Bob can't make rent",
            "I make six figures",
            "They are about to lose the house",
            "Alice asked me to lend her money again",
            "My take-home pay is 3,100 euros",
        ),
        "sexuality": (
            "Bob has a boyfriend but his family does not know",
            "Carol likes women",
            "I'm attracted to men and women",
        ),
        "legal": (
            "Bob spent two years in jail",
            "Carol is going to court over the accident",
            "I got caught shoplifting",
        ),
        "abuse": (
            "Her boyfriend hits her",
            "My uncle touched me when I was little",
        ),
        "career": (
            "I gave my two weeks' notice",
            "Bob is about to be let go",
            "Carol is secretly talking to a competitor",
            "I can't stand my boss and want out",
        ),
        "family": (
            "My husband moved out",
            "Carol found out that Bob has a secret child",
            "We are going through a divorce",
        ),
        "religion": (
            "Carol keeps kosher",
            "Bob fasts during Ramadan",
        ),
        "politics": (
            "I'm a lifelong Tory",
            "Carol marched for Palestine",
        ),
        "minor_health": (
            "I have a terrible cold and no voice",
            "Bob threw up all night",
            "Carol can't eat gluten",
        ),
        None: (
            "The server is sick of retries",
            "Our stock is down two percent",
            "I have a meeting about health and safety",
            "Bob's talk is about debt funds",
            "The patient record table has no index",
            "My job failed with exit code 1",
            "The doctor command checks the store",
            "Bob fixed the broken test",
            "I had a great time at the beach",
            "Carol has three cats",
            "The payment service pays out on Fridays",
            "I like gay-friendly cities",
            "Bob is running the church-bell project",
            "The union of both sets is empty",
            "She is in the process of moving the data",
            "We have a panic button in the lift",
            "Alice is having lunch with Bob",
            "My therapist bot needs a new prompt",
            "The court ruled on the merger",
            "Bob is interviewing with the podcast at noon",
        ),
    }
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(text, expected, id=f"seed 002: {text}")
        for text, expected in (
            ("Prefers dark mode", (PUBLIC, None)),
            ("Looking for a new job", (PERSONAL, "career")),
            ("Has anxiety", (SENSITIVE, "mental_health")),
            ("Salary is $150k", (SENSITIVE, "money")),
            ("Is pregnant, due August", (SENSITIVE, "health")),
            ("Has a dog named Max", (PUBLIC, None)),
        )
    ],
)
def test_the_seeds_examples(text, expected):
    assert classify(text) == expected


@pytest.mark.parametrize(("text", "sensitivity", "rule"), SEEN)
def test_each_sentence_gets_its_level_and_its_rule(text, sensitivity, rule):
    assert classify(text) == (sensitivity, rule)


def shares(with_audience: list[Labelled]) -> tuple[float, float]:
    """Precision and recall of "not public"."""
    found = {text for text, _, _ in with_audience if classify(text)[0] is not PUBLIC}
    private = {text for text, sensitivity, _ in with_audience if sensitivity is not PUBLIC}
    return len(found & private) / len(found), len(found & private) / len(private)


def test_held_out_sentences_are_classified_correctly():
    assert shares(HELD_OUT) == (1.0, 1.0)
    assert all(classify(text) == (sensitivity, rule) for text, sensitivity, rule in HELD_OUT)


def test_free_paraphrases_are_reached_in_part_and_without_false_alarm():
    precision, recall = shares(REWORDED)
    assert precision == 1.0
    assert recall >= 0.65


def test_every_rule_has_sentences_on_both_sides():
    assert {rule for _, _, rule in SEEN} == {rule for _, _, rule in HELD_OUT} == {*_RULES, None}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("HAS ANXIETY", id="upper case"),
        pytest.param("has\n  anxiety", id="line break"),
        pytest.param("has an\u200bxi\u00adety", id="hidden characters"),
        pytest.param("\uff48\uff41\uff53 anxiety", id="full width"),
        pytest.param("He\u2019s got anxiety, I think.", id="in a sentence"),
        pytest.param("We spoke of the weather. Also, Bob has anxiety; then we left.", id="among others"),
    ],
)
def test_the_way_it_was_typed_does_not_matter(text):
    assert classify(text) == (SENSITIVE, "mental_health")


@pytest.mark.parametrize("text", ["has anxietyé", "has äanxiety", "has anxietylike", "phas anxiety"])
def test_a_word_is_a_whole_word(text):
    assert classify(text) == (PUBLIC, None)


def test_statements_about_hearing_and_court_hearings_are_sensitive():
    assert classify("I have hearing aids") == (Sensitivity.SENSITIVE, "health")
    assert classify("The custody hearing is on Monday") == (Sensitivity.SENSITIVE, "legal")
    assert classify("I have a hearing protector catalogue")[0] is Sensitivity.PUBLIC


def test_the_gravest_wins():
    assert classify("Bob is looking for a new job because he has cancer") == (SENSITIVE, "health")
    assert classify("Bob is looking for a new job because he has time") == (PERSONAL, "career")


@pytest.mark.parametrize("given", Sensitivity)
@pytest.mark.parametrize("found", Sensitivity)
def test_nothing_is_ever_lowered(given, found):
    order = [PUBLIC, PERSONAL, SENSITIVE]
    assert order.index(stricter(given, found)) == max(order.index(given), order.index(found))


@pytest.mark.parametrize("type", sorted(EPHEMERAL_TYPES))
def test_passing_statements_in_a_private_chat_are_at_least_personal(type):
    assert private_chat_floor(type, PUBLIC, learned_in_private=True) is PERSONAL
    assert private_chat_floor(type, PERSONAL, learned_in_private=True) is PERSONAL
    assert private_chat_floor(type, SENSITIVE, learned_in_private=True) is SENSITIVE
    assert private_chat_floor(type, PUBLIC, learned_in_private=False) is PUBLIC


@pytest.mark.parametrize("type", ["preference", "identity", "relationship", "knowledge", "fact"])
@pytest.mark.parametrize("sensitivity", Sensitivity)
def test_lasting_statements_in_a_private_chat_keep_their_sensitivity(type, sensitivity):
    assert private_chat_floor(type, sensitivity, learned_in_private=True) is sensitivity


@pytest.mark.parametrize("unit", ["has ", "my a ", "is a very so ", "owes a b c ", "a", "$1,000 ", "\u0301"])
def test_the_longest_text_there_can_be_is_public_without_a_word_of_it(unit):
    text = unit * (MAX_TEXT_BYTES // len(unit.encode()))
    assert classify(text) == (PUBLIC, None)
    assert classify(text + ". Bob has anxiety") == (SENSITIVE, "mental_health")


@given(st.text(max_size=200))
def test_any_text_has_a_sensitivity_and_always_the_same(text):
    sensitivity, rule = classify(text)
    assert (sensitivity, rule) == classify(text)
    assert (sensitivity is PUBLIC) == (rule is None)
