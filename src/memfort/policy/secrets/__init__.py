"""Finding credentials in a text before anything of it is kept, logged or turned into a key."""

from memfort.policy.secrets.detect import MAX_TEXT_CHARS, RULES, SecretFinding, compile_pattern, find_secrets

__all__ = ["MAX_TEXT_CHARS", "RULES", "SecretFinding", "compile_pattern", "find_secrets"]
