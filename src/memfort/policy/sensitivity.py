"""The sensitivity of a statement that nobody labelled: what its words say at the write, and what words and encoder say
together later. What nothing has judged is as the policy says, which by default is not public."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from memfort.language.sensitivity import HeadJudgement, Thresholds, WordsJudgement, combine, score_band
from memfort.model.item import Sensitivity
from memfort.model.judgement import NOT_CLASSIFIED, SensitivityJudgement, SensitivityReason
from memfort.policy.settings.sections import SensitivityRules, SensitivityThresholds, WithoutEncoder

Judged = tuple[Sensitivity, SensitivityJudgement | None]

_RELAXED_PERSONAL_AT = 0.7
_UNSETTLED = "unsettled"
_UNSURE_BELOW = 0.5  # the encoder's probability of not public, for what a group said


def judge_at_write(words: WordsJudgement, rules: SensitivityRules, *, has_encoder: bool) -> Judged:
    """The sensitivity that a statement is written with. The encoder takes too long for a write, so what it has to
    judge waits; words that it may overrule count until then."""
    if words.reason == _UNSETTLED:
        is_unknown = has_encoder or rules.without_encoder is WithoutEncoder.ALL
        return rules.unknown if is_unknown else Sensitivity.PUBLIC, NOT_CLASSIFIED
    level, judgement = _by_words(words, rules)
    return level, replace(NOT_CLASSIFIED, category=words.category) if has_encoder and words.needs_encoder else judgement


def judge_beside(own: Judged, beside: Iterable[Judged], *, is_settled: bool, is_shared: bool) -> Judged:
    """The sensitivity of a statement with that of the sentences beside it in its message: at least theirs, unless it is
    settled to be harmless and shares no person or pronoun with them. What is unjudged beside it leaves it unjudged."""
    if is_settled and own[0] is Sensitivity.PUBLIC and not is_shared:
        return own
    gravest = max(beside, key=_gravity, default=own)
    if _gravity(gravest) <= _gravity(own):
        return own
    level, why = gravest
    if why is not None and not why.is_understood:
        return level, why
    category = None if why is None else why.category
    if own[1] is not None and own[1].waits and not is_shared:  # released if the encoder finds it harmless
        return level, replace(NOT_CLASSIFIED, category=category or SensitivityReason.BESIDE.value)
    return level, SensitivityJudgement(SensitivityReason.BESIDE, category)


def judge_turn(own: Judged, stated: Iterable[Judged]) -> Judged:
    """The sensitivity of a turn: at least that of each statement in it. It waits as long as one of them does that may
    turn out to be graver."""
    found = [own, *stated]
    level, why = gravest = max(found, key=_gravity)
    is_open = any(one[1] is not None and one[1].waits for one in found)
    if not is_open or level is Sensitivity.SENSITIVE or why is None or why.waits:
        return gravest
    return level, replace(NOT_CLASSIFIED, category=why.category or SensitivityReason.BESIDE.value)


def _gravity(judged: Judged) -> tuple[int, bool]:
    level, why = judged
    return tuple(Sensitivity).index(level), level is not Sensitivity.PUBLIC and (why is None or why.is_understood)


def judge_with_encoder(
    words: WordsJudgement, head: HeadJudgement, rules: SensitivityRules, *, is_of_group: bool = False
) -> tuple[Sensitivity, SensitivityJudgement]:
    """The sensitivity that words and encoder give together. Of what a group said (`is_of_group`), a low probability
    settles nothing: it stays unjudged, so those who heard it hear it again, and nobody else."""
    if (
        is_of_group
        and words.reason == _UNSETTLED
        and thresholds_of(rules).personal <= head.p_non_public < _UNSURE_BELOW
    ):
        band = score_band(head.p_non_public)
        return Sensitivity.PERSONAL, SensitivityJudgement(SensitivityReason.UNSURE, None, band, head.model_version)
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


def _by_words(words: WordsJudgement, rules: SensitivityRules) -> tuple[Sensitivity, SensitivityJudgement]:
    reason = SensitivityReason(words.reason)
    if reason is SensitivityReason.LANGUAGE_NOT_SUPPORTED:
        return rules.unknown_language, SensitivityJudgement(reason)
    return _level(words.level, words.category, rules), SensitivityJudgement(reason, words.category)


def _level(found: Sensitivity, category: str | None, rules: SensitivityRules) -> Sensitivity:
    return found if category is None else rules.categories.get(category, found)
