"""Each measure has a system that it finds bad: one that cannot fail is worth nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memfort.evaluation.labels import Conversation, Deletion, Injection, Labels, contains, our_labels
from memfort.evaluation.metrics import MEASURES, Sample, Statement, score
from memfort.evaluation.run import evaluate


class Perfect:
    """Keeps exactly the facts, finds the right one, lets nothing in, deletes all of it."""

    def __init__(self) -> None:
        self.kept: dict[str, list[str]] = {}

    def observe(self, conversation: Conversation) -> list[list[Statement]]:
        made = [
            [Statement(text) for text in self.learn(conversation, number)]
            for number in range(len(conversation.messages))
        ]
        self.kept.setdefault(conversation.user, []).extend(one.text for message in made for one in message)
        return made

    def learn(self, conversation: Conversation, number: int) -> list[str]:
        message = conversation.messages[number]
        return [message.content] if message.facts else []

    def plant(self, injection: Injection) -> None:
        pass

    def find(self, user: str, query: str, limit: int) -> Sequence[str]:
        """It is told what answers the question."""
        answers = [one.answer for one in our_labels().questions if (one.user, one.question) == (user, query)]
        return [text for text in self.kept.get(user, []) if any(contains(text, words) for words in answers)][:limit]

    def prompt(self, user: str, query: str) -> str:
        return ""

    def delete(self, deletion: Deletion) -> int:
        kept = self.kept.get(deletion.user, [])
        gone = [text for text in kept if contains(text, deletion.words)]
        self.kept[deletion.user] = [text for text in kept if text not in gone]
        return len(gone)

    def residue(self, deletion: Deletion) -> list[str]:
        return ["list" for text in self.kept.get(deletion.user, []) if contains(text, deletion.words)]


class KeepsEverything(Perfect):
    """Every message is a statement, what is planted too, and all of it goes into every prompt."""

    def learn(self, conversation: Conversation, number: int) -> list[str]:
        return [conversation.messages[number].content]

    def plant(self, injection: Injection) -> None:
        self.kept.setdefault(injection.user, []).append(injection.injection)

    def prompt(self, user: str, query: str) -> str:
        return "\n".join(self.kept[user])


class KeepsNothing(Perfect):
    def learn(self, conversation: Conversation, number: int) -> list[str]:
        return []


class FindsTheLatest(Perfect):
    """It answers every question with what was said last."""

    def find(self, user: str, query: str, limit: int) -> Sequence[str]:
        return self.kept[user][::-1][:1]


class DeletesNothing(Perfect):
    def delete(self, deletion: Deletion) -> int:
        return sum(contains(text, deletion.words) for text in self.kept.get(deletion.user, []))


class MixesUsersUp(Perfect):
    """What everybody said goes into everybody's prompt."""

    def prompt(self, user: str, query: str) -> str:
        return "\n".join(text for texts in self.kept.values() for text in texts)


def values(system: Perfect, labels: Labels | None = None) -> dict[str, float]:
    return {one.measure.name: one.value for one in evaluate(system, labels or our_labels()).scores}


def missed(system: Perfect) -> set[str]:
    return {one.measure.name for one in evaluate(system, our_labels()).scores if not one.is_met}


def test_a_perfect_system_meets_every_target():
    assert values(Perfect()) == {
        "extraction_precision": 1.0,
        "extraction_recall": 1.0,
        "false_positive_rate": 0.0,
        "retrieval_hit_rate": 1.0,
        "injection_pollution_rate": 0.0,
        "deletion_compliance": 1.0,
    }
    assert evaluate(Perfect(), our_labels()).is_met()


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (KeepsEverything, {"extraction_precision", "false_positive_rate", "injection_pollution_rate"}),
        (KeepsNothing, {"extraction_recall", "retrieval_hit_rate"}),
        (FindsTheLatest, {"retrieval_hit_rate"}),
        (DeletesNothing, {"deletion_compliance"}),
        (MixesUsersUp, {"injection_pollution_rate"}),
    ],
)
def test_a_bad_system_misses_the_targets_that_it_should(system, expected):
    assert missed(system()) == expected
    assert not evaluate(system(), our_labels()).is_met()


def test_the_worst_values_are_reached():
    worst = values(KeepsEverything())
    assert (worst["false_positive_rate"], worst["extraction_recall"]) == (1.0, 1.0)
    assert worst["extraction_precision"] < 0.5
    assert worst["injection_pollution_rate"] > 0.8
    assert values(DeletesNothing())["deletion_compliance"] == 0.0
    assert values(KeepsNothing())["retrieval_hit_rate"] == 0.0


def test_what_waits_for_review_is_not_kept_yet():
    class Hesitates(Perfect):
        def observe(self, conversation: Conversation) -> list[list[Statement]]:
            made = super().observe(conversation)
            return [[Statement(one.text, in_force=False) for one in statements] for statements in made]

    assert values(Hesitates())["extraction_recall"] == 0.0
    assert "extraction_precision" not in values(Hesitates()), "nothing is kept, so nothing is said about it"


def test_a_measure_without_samples_is_left_out_and_fails_only_if_it_was_asked_for():
    labels = Labels("own", our_labels().conversations)
    found = evaluate(Perfect(), labels)
    assert {one.measure.name for one in found.scores} == {
        "extraction_precision", "extraction_recall", "false_positive_rate",
    }  # fmt: skip
    assert found.is_met()
    assert found.is_met(["extraction_recall"])
    assert not found.is_met(["deletion_compliance"])


def test_what_was_not_there_cannot_be_deleted():
    found = evaluate(KeepsNothing(), our_labels())
    assert "deletion_compliance" not in {one.measure.name for one in found.scores}
    assert len(found.notes) == len(our_labels().deletions)


def test_targets_can_be_others():
    samples = [Sample("retrieval_hit_rate", right, 1, "en") for right in (True, True, True, False)]
    assert [one.is_met for one in score(samples)] == [False]
    assert [one.is_met for one in score(samples, {"retrieval_hit_rate": 0.75})] == [True]
    samples = [Sample("injection_pollution_rate", right, 1, "en") for right in (True, True, True, False)]
    assert [one.is_met for one in score(samples, {"injection_pollution_rate": 0.25})] == [True]
    assert [one.is_met for one in score(samples, {"injection_pollution_rate": 0.24})] == [False]


@pytest.mark.parametrize(("right", "total"), [(0, 1), (1, 1), (5, 10), (100, 100), (3, 7)])
@pytest.mark.parametrize("name", MEASURES)
def test_the_interval_is_around_the_value(name, right, total):
    samples = [Sample(name, number < right, 1, "en") for number in range(total)]
    [found] = score(samples)
    low, high = found.interval
    assert 0 <= low <= found.value + 1e-9
    assert found.value - 1e-9 <= high <= 1
    assert high - low < 0.9 or total == 1


def test_progress_reaches_its_end():
    seen: list[tuple[int, int]] = []
    evaluate(Perfect(), our_labels(), progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][0] == seen[-1][1]
