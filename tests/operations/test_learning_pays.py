"""What `observe` leaves of a conversation is found at least as well as if each user message had been remembered."""

from __future__ import annotations

from statistics import fmean

from memfort import BoundMemory, Memory

# Written for this test: a message, what the assistant answers, and questions about the message.
TALK: list[tuple[str, str, tuple[str, ...]]] = [
    ("I started at a bakery in Ghent last month, mostly night shifts", "Congratulations!", ("Where do I work?",)),
    ("My daughter Lotte turned six in March", "Happy birthday to her!", ("How old is Lotte?", "Who is my daughter?")),
    ("Do you know a good stretch for a stiff neck? I sit on the bike two hours a day",
     "Try a slow chin tuck.", ("How long do I cycle every day?",)),
    ("We're thinking of painting the hall green, but Pieter wants grey", "Both can work.",
     ("Which colour does Pieter want for the hall?",)),
    ("I can't eat walnuts, they close my throat", "I'll keep that in mind.", ("What am I allergic to?",)),
    ("The boiler man comes on Tuesday at eight", "Noted.", ("When does the boiler man come?",)),
    ("Honestly the choir is the best part of my week, we sing Bach now", "Lovely.", ("What does my choir sing?",)),
    ("My landlord is called Mr Osei and he never answers the phone", "That is annoying.", ("Who is my landlord?",)),
    ("Please always answer in short sentences", "Will do.", ("How should you answer me?",)),
    ("I moved here from Bergen in 2019 because of Pieter's job", "A big step.", ("Where did I live before?",)),
    ("We have two cats, Mosterd and Saus, and Saus bites", "Careful with Saus!", ("What are my cats called?",)),
    ("My sister Ingrid is getting married in Oslo on 14 August", "How nice.", ("When is Ingrid's wedding?",)),
    ("Could you draft a note to the school? Lotte is off sick today", "Here is a draft.", ("Who is off sick?",)),
    ("The flour comes from a mill in Bruges, it's the only stone-ground one", "Good to know.",
     ("Where does the flour come from?",)),
    ("I dream of opening a place of my own, with eight tables", "A fine plan.", ("How many tables do I dream of?",)),
    ("My back is better since I see the physio in Station Street", "Glad to hear it.", ("Where is my physio?",)),
    ("Pieter is a structural engineer, he does bridges", "Impressive.", ("What does Pieter do for a living?",)),
    ("We lent the trailer to the Vermeulens next door until Sunday", "Noted.", ("Who has our trailer?",)),
]  # fmt: skip


def asked(by: BoundMemory, ids: dict[str, int]) -> list[int | None]:
    """For each question the rank of the first memory that comes from the message it asks about."""
    found: list[int | None] = []
    for place, (_, _, questions) in enumerate(TALK):
        for question in questions:
            ranks = [rank for rank, hit in enumerate(by.recall(question)) if ids.get(hit.id) == place]
            found.append(min(ranks, default=None))
    return found


def remembered() -> list[int | None]:
    with Memory.open(":memory:", classifier="none") as memory:
        by = memory.as_user("noor")
        kept = by.remember_many([said for said, _, _ in TALK])
        return asked(by, {one.item.id: place for place, one in enumerate(kept) if one.item is not None})


def observed() -> list[int | None]:
    with Memory.open(":memory:", classifier="none") as memory:
        by, ids = memory.as_user("noor"), dict[str, int]()
        for place, (said, answered, _) in enumerate(TALK):
            for role, text in (("user", said), ("assistant", answered)):
                [message] = by.observe([{"role": role, "content": text}], conversation="kitchen").messages
                for one in (message.turn, *message.statements) if role == "user" else ():
                    if one is not None and one.item is not None:
                        ids[one.item.id] = place
        return asked(by, ids)


def share(ranks: list[int | None], below: int) -> float:
    return fmean(rank is not None and rank < below for rank in ranks)


def test_what_is_observed_is_found_as_well_as_what_is_remembered():
    ours, theirs = observed(), remembered()
    assert share(theirs, 1) > 0.5  # the control: the questions can be answered
    for below in (1, 3, 10):
        assert share(ours, below) >= share(theirs, below), (below, ours, theirs)
