"""The rules extractor: what the turns of a conversation leave, by words alone. Offline, deterministic and pure."""

from memfort.capture.extract.turns import extract

__all__ = ["extract"]
