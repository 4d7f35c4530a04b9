"""Find credentials in a text before any of it is kept, logged or turned into a key. A finding names the rule; the
secret itself never leaves this package."""

from memfort.errors import hide_from_errors
from memfort.policy.secrets.detect import (
    MAX_TEXT_CHARS,
    RULES,
    SecretFinding,
    compile_pattern,
    find_secrets,
    has_secret,
)

__all__ = ["MAX_TEXT_CHARS", "RULES", "SecretFinding", "compile_pattern", "find_secrets", "has_secret"]

hide_from_errors(has_secret)
