"""The sensitivity of a statement that nobody labelled: what its words say at the write, and what words and encoder say
together later. What nothing has judged is as the policy says, which by default is not public."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from memfort.language.sensitivity import HeadJudgement, Thresholds, WordsJudgement, combine
from memfort.model.item import Sensitivity
from memfort.model.judgement import NOT_CLASSIFIED, SensitivityJudgement, SensitivityReason
from memfort.policy.settings.sections import SensitivityRules, SensitivityThresholds, WithoutEncoder

Judged = tuple[Sensitivity, SensitivityJudgement]

_RELAXED_PERSONAL_AT = 0.7
_UNSETTLED = "unsettled"


def judge_at_write(
    words: WordsJudgement, rules: SensitivityRules, *, has_encoder: bool, is_about_people: Callable[[], bool]
) -> Judged:
    """The sensitivity that a statement is written with. The encoder takes too long for a write, so what it has to
    judge waits; words that it may overrule count until then."""
    if words.reason == _UNSETTLED:
        return _unknown_level(rules, has_encoder=has_encoder, is_about_people=is_about_people), NOT_CLASSIFIED
    level, judgement = _by_words(words, rules)
    return level, replace(NOT_CLASSIFIED, category=words.category) if has_encoder and words.needs_encoder else judgement


def judge_with_encoder(words: WordsJudgement, head: HeadJudgement, rules: SensitivityRules) -> Judged:
    """The sensitivity that words and encoder give together."""
    found = combine(words, head, thresholds_of(rules))
    if found.reason != SensitivityReason.ENCODER:
        level, judgement = _by_words(words, rules)
        return level, replace(judgement, score_band=found.score_band, model=head.model_version)
    reason = SensitivityReason.ENCODER
    level = _level(found.level, found.category, rules)
    return level, SensitivityJudgement(reason, found.category, found.score_band, head.model_version)


def thresholds_of(rules: SensitivityRules) -> Thresholds:
    """The encoder's thresholds under a policy."""
    found = Thresholds()
    if rules.thresholds is SensitivityThresholds.RELAXED:
        found = replace(found, personal=_RELAXED_PERSONAL_AT)
    personal = found.personal if rules.personal_at is None else rules.personal_at
    sensitive = found.sensitive if rules.sensitive_at is None else rules.sensitive_at
    return replace(found, personal=personal, sensitive=sensitive)


def _by_words(words: WordsJudgement, rules: SensitivityRules) -> Judged:
    reason = SensitivityReason(words.reason)
    if reason is SensitivityReason.LANGUAGE_NOT_SUPPORTED:
        return rules.unknown_language, SensitivityJudgement(reason)
    return _level(words.level, words.category, rules), SensitivityJudgement(reason, words.category)


def _level(found: Sensitivity, category: str | None, rules: SensitivityRules) -> Sensitivity:
    return found if category is None else rules.categories.get(category, found)


def _unknown_level(rules: SensitivityRules, *, has_encoder: bool, is_about_people: Callable[[], bool]) -> Sensitivity:
    is_unknown = has_encoder or rules.without_encoder is WithoutEncoder.ALL
    if not is_unknown and rules.without_encoder is WithoutEncoder.PEOPLE:
        is_unknown = is_about_people()
    return rules.unknown if is_unknown else Sensitivity.PUBLIC
