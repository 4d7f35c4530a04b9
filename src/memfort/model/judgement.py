"""Why a memory has its sensitivity, where nobody stated it: what its words and the encoder said."""

from __future__ import annotations

from enum import StrEnum

from memfort.model.value import Value


class SensitivityReason(StrEnum):
    IDENTIFIER = "identifier"  # a number or an address that names a person
    LEXICON = "lexicon"  # a word of a category
    HARMLESS = "harmless"  # its words settle that it is not private
    BESIDE = "beside"  # a sentence beside it in its message is private
    ENCODER = "encoder"  # the encoder judged its meaning
    LANGUAGE_NOT_SUPPORTED = "language_not_supported"  # nothing here understands its language
    NOT_CLASSIFIED = "not_classified"  # its words settle nothing, and the encoder has not judged it yet
    UNSURE = "unsure"  # the encoder looked at it and settles nothing either


NOT_UNDERSTOOD = frozenset(
    {SensitivityReason.LANGUAGE_NOT_SUPPORTED, SensitivityReason.NOT_CLASSIFIED, SensitivityReason.UNSURE}
)


class SensitivityJudgement(Value, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The reason, and never a word of the text."""

    reason: SensitivityReason
    category: str | None = None
    score_band: str | None = None  # the tenth in which the encoder's probability lies, such as `0.4-0.5`
    model: str | None = None  # the name and version of the encoder's head

    @property
    def is_understood(self) -> bool:
        """Whether something judged it: a word of a category counts until the encoder overrules it."""
        return self.reason not in NOT_UNDERSTOOD or self.category is not None

    @property
    def waits(self) -> bool:
        """Whether the encoder is to judge it."""
        return self.reason is SensitivityReason.NOT_CLASSIFIED


NOT_CLASSIFIED = SensitivityJudgement(SensitivityReason.NOT_CLASSIFIED)
