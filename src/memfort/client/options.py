"""What `Memory.open` takes beside the path, typed. The same as `Memory` itself takes; a test compares."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypedDict

from memfort.clock import Clock
from memfort.embed.classifier import SensitivityModel
from memfort.embed.extractor import ExtractFunction, ExtractorModel
from memfort.embed.port import Embedder, Reranker
from memfort.policy.settings.policy import Policy
from memfort.policy.standing import Memberships


class MemoryOptions(TypedDict, total=False):
    """How to open a store. What each says is in the description of `Memory`."""

    policy: Policy | Path | str | Mapping[str, Any] | None
    clock: Clock | None
    memberships: Memberships | Literal["trusted", "registered"]
    audit_reads: Literal["off", "batched", "durable"] | None
    max_entries: int | None
    extraction_enabled: bool
    extraction_confidence_threshold: float | None
    auto_gc: bool
    gc_every: float | None
    embedder: Embedder | str | None
    reembed: Literal["background"] | None
    reranker: Reranker | str | None
    classifier: SensitivityModel | str | None
    extractor: ExtractorModel | ExtractFunction | str | None
    judge: Literal["background", "on_demand"]
    surface: str
    policy_origin: str
