"""Index entries of memories: made from their text and fields, and again whenever the index is rebuilt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memfort.capture.turns import SELF_ROLES, Trait, Turn, find_traits, parse_turn, says_nothing
from memfort.embed.port import Embedder, Packed, Reranker, embed_texts, embedder_tag, rerank_texts
from memfort.engine.indexing.change_keys import change_keys_of
from memfort.engine.indexing.statement_text import StatementText, read_texts, with_labels
from memfort.errors import EmbedderFailed, RerankerFailed
from memfort.language.concepts import concept_terms
from memfort.language.words import ASSISTANTS, split_words, text_terms
from memfort.model.item import ChangeKeys, Item, Kind, Origin, is_in_force, turn_of
from memfort.model.learned import OUTSIDE
from memfort.model.moment import Moment
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.results import Reembedding
from memfort.policy.gates.supersession import Claims
from memfort.recall.packed_weight import SAYS_NOTHING, pack_lifetime, pack_weight
from memfort.recall.values import NO_VALUES, find_values
from memfort.store.port import Entry
from memfort.store.port.values.entries import pack_days

if TYPE_CHECKING:
    from memfort.store.port.values.columns import Vectors

_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1).toordinal()
_A_WORD = "memory"  # a neutral test word
_STATES_VALUES = int(Trait.TIME | Trait.NUMBER)  # as an integer: combining flags costs as much as finding values


class Embedding:
    """Analyses texts for the index, with the embedder in use."""

    def __init__(self, embedder: Embedder | None = None, reranker: Reranker | None = None) -> None:
        self._embedder, self._reranker = embedder, reranker
        self.name = "none" if embedder is None else embedder.name
        self.reranker = "none" if reranker is None else reranker.name
        self.tag = b"" if embedder is None else embedder_tag(embedder)
        self.length: int | None = None  # the length of its vectors, once known
        self.on_missing_vector: Callable[[Item], None] = lambda _: (
            None
        )  # called for each memory that is written without its vector
        self.background = Reembedding(self.name)  # the progress of background embedding
        self.is_quick = embedder is None or bool(getattr(embedder, "is_quick", False))
        self.reads_sentences = not getattr(embedder, "sums_words", False)
        self._is_remote = bool(getattr(embedder, "is_remote", False))
        self._last: tuple[str, Packed] = ("", b"")  # a disclosable text is analysed twice
        self._here = threading.local()

    def read(self, texts: Sequence[str]) -> list[StatementText]:
        """The texts of many statements, with their vectors as far as that is quick."""
        return read_texts(texts, self._vectors_if_quick)

    def _vectors_if_quick(self, texts: Sequence[str]) -> Sequence[Packed | None]:
        if self.is_quick and not self._is_remote:
            with suppress(EmbedderFailed):  # it is called again for each
                return self.vectors(texts)
        return [None] * len(texts)

    def entry_of(
        self,
        item: Item,
        vector: Packed | None = None,
        change_keys: ChangeKeys | None = None,
        text: StatementText | None = None,
    ) -> Entry | None:
        """The index entry of an item: its text, its tags and its key. Only a memory that can be recalled has an entry.
        Its vector and change keys are computed unless they are given."""
        if not is_in_force(item):
            return None
        labels = (*item.tags, item.key or "")
        if item.kind is not Kind.SEMANTIC:
            if text is not None and item.kind is Kind.SHORT_TERM and labels == ("",):
                return self._entry_of_text(item, None, text, vector)
            return self._entry(item, labels, None, vector, _weight(item))
        known = change_keys_of(Claims(item.text)) if change_keys is None else change_keys
        own = known.about(item.subjects)
        if text is None or labels != ("",):
            return self._entry(item, labels, own, vector, _weight(item))
        return self._entry_of_text(item, own, text, vector)

    def _entry_of_text(
        self, item: Item, change_keys: ChangeKeys | None, text: StatementText, vector: Packed | None
    ) -> Entry:
        if text.vector is not None:
            self._last = (text.turn.body, text.vector)
        known = (text.turn, text.traits, text.terms, vector, _weight(item))
        return self._make_entry(item, change_keys, *known)

    def disclosed_entry_of(self, item: Item, vector: Packed | None = None) -> Entry | None:
        """The index entry for disclosure from another space: only the statement, because tags, keys and importance are
        not disclosed, and nor is what it was taken from."""
        if not is_in_force(item):
            return None
        return replace(self._entry(item, (), None, vector, pack_weight(1.0)), name="", turn="", may_replace="")

    def entry_as_of(self, item: Item) -> Entry:
        """The index entry of a memory when it was in force. Only a quick embedder is used for all past memories. Its
        use count at that time is not known."""
        weight, vector = pack_weight(item.importance), None if self.is_quick else b""
        return self._entry(item, (*item.tags, item.key or ""), None, vector, weight)

    def _entry(
        self, item: Item, also: Sequence[str], change_keys: ChangeKeys | None, vector: Packed | None, weight: int
    ) -> Entry:
        turn = parse_turn(item.text)
        terms = text_terms(with_labels(turn.body, also))
        return self._make_entry(item, change_keys, turn, find_traits(turn.body), terms, vector, weight)

    def _make_entry(
        self,
        item: Item,
        change_keys: ChangeKeys | None,
        turn: Turn,
        traits: Trait,
        terms: Mapping[str, int],
        vector: Packed | None,
        weight: int,
    ) -> Entry:
        is_turn = item.kind is Kind.SHORT_TERM  # of an observed conversation, whatever its text
        speaker = _speaker_of_turn(item) if is_turn and turn.speaker is None else turn.speaker
        values = find_values(turn.body) if int(traits) & _STATES_VALUES else NO_VALUES
        if values.has_unstated and not values.bits:
            traits &= ~Trait.CHANGE  # an asked or supposed value has not changed
        is_assistant = speaker is not None and speaker.lower() in ASSISTANTS
        if is_assistant or (is_turn and item.origin is Origin.TOOL):
            # Only the user can state the user's own values.
            traits &= ~(Trait.INSTRUCTION | Trait.ANSWER_STYLE | Trait.CHANGE)
            values = NO_VALUES
        if is_turn and (says_nothing(turn.body) or _only_asks_to_forget(item, turn.body)):
            weight |= SAYS_NOTHING
        return Entry(
            terms=_with_concepts(item, turn, terms),
            change_keys=change_keys,
            speaker=_author(item) if speaker is None else _first_name(speaker),
            day=pack_days(turn.day or _day(item), _event_day(item)),
            in_talk=_is_in_talk(item, turn),
            name=item.id,
            turn=turn_of(item),
            may_replace=item.may_replace or "",
            traits=int(traits) | values.bits | weight,
            vector=self._vector_for_write(item, turn.body) if vector is None else vector,
        )

    def _vector_for_write(self, item: Item, text: str) -> Packed:
        """The vector that a memory is written with. No transaction waits for a remote embedder, and a failure of any
        other does not stop the write: the memory gets its vector later."""
        known, vector = self._last
        if known == text and vector:
            return vector
        if not self._is_remote:
            try:
                [vector] = self.vectors([text])
            except EmbedderFailed:
                pass
            else:
                self._last = (text, vector)
                return vector
        self.on_missing_vector(item)
        return b""

    def vectors(self, texts: Sequence[str]) -> list[Packed]:
        """The vectors of texts, computed now."""
        if self._embedder is None:
            return [b""] * len(texts)
        found = embed_texts(self._embedder, self.tag, texts)
        self.length = next((len(one) - len(self.tag) for one in found if len(one) > len(self.tag)), self.length)
        return found

    def check(self) -> None:
        """Embed a test word: an error shows that the embedder does not answer, and a vector shows its present
        length."""
        self.vectors([_A_WORD])

    def vectors_of(self, items: Sequence[Item]) -> list[Packed]:
        return self.vectors([parse_turn(item.text).body for item in items])

    def embed_query(self, text: str) -> Vectors | None:
        """The vector of a query. A failing embedder is noted, and the query uses only its words."""
        try:
            numbers = self.vectors([text])[0][len(self.tag) :]
        except EmbedderFailed as error:
            self.note(f"found by words alone: {error}")
            return None
        if not numbers:
            return None
        import numpy as np

        return np.frombuffer(numbers, np.int8)

    @property
    def has_reranker(self) -> bool:
        return self._reranker is not None

    def rerank(self, query: str, texts: Sequence[str]) -> list[float] | None:
        """How well texts answer a query, each from 0 to 1, by the reranker in use. A failing one is noted."""
        if self._reranker is None or not texts:
            return None
        try:
            return rerank_texts(self._reranker, query, texts)
        except RerankerFailed as error:
            self.note(f"not reranked: {error}")
            return None

    @property
    def has_noted(self) -> bool:
        return bool(getattr(self._here, "noted", ()))

    def note(self, said: str) -> None:
        """Note for this thread's recall what has failed."""
        getattr(self._here, "noted", []).append(said)

    @contextmanager
    def collect_notes(self) -> Iterator[list[str]]:
        """Collect the failures of queries inside, in this thread."""
        noted: list[str] = []
        self._here.noted = noted
        try:
            yield noted
        finally:
            self._here.noted = []


SPEAKER = "speaker"  # in the provenance of a turn: who spoke, if that is no user who is known to have


def _speaker_of_turn(item: Item) -> str | None:
    """Who spoke, as a query would name them: a name, a user in a chat (`None`: that of the memory), or a role."""
    named = item.provenance.get(SPEAKER)
    if isinstance(named, str):
        return named
    return None if _author(item) else _ROLES.get(item.origin)


_ROLES = {Origin.USER: "user", Origin.AI: "assistant"}  # the speaker of a turn without a name


def _first_name(speaker: str | None) -> str:
    """The name that a query would use: the first of a person's names."""
    words = [] if speaker is None else split_words(speaker)
    return words[0] if words else ""


def _author(item: Item) -> str:
    """The user who said it in a chat. Readers of a memory also see its speaker."""
    if item.origin is not Origin.USER or item.stated_by is None or item.learned_in in {None, OUTSIDE}:
        return ""
    user = user_of_person(item.stated_by)
    return "" if user is None else speaker_name(user)


def speaker_name(user: str) -> str:
    """The speaker name of a user: the first word of the user's name, as a query would name them. If that is a role or a
    generic word, it would merge many speakers into one; then an id is used, which no query contains, so that they are
    found by their names in the directory."""
    name = _first_name(user)
    is_name = len(name) > 1 and name.isalpha() and name not in SELF_ROLES | ASSISTANTS
    return name if is_name else person_of_user(user)


def _weight(item: Item) -> int:
    weight = pack_weight(item.importance, item.uses)
    return weight if item.fades_at_us is None else weight | pack_lifetime(_lifetime_days(item, item.fades_at_us))


def _lifetime_days(item: Item, fades_at: Moment) -> float:
    said_at = item.created_at_us if item.observed_at_us is None else item.observed_at_us
    return (fades_at - said_at) / _MICROSECONDS_A_DAY


def _day(item: Item) -> int:
    at = item.created_at_us if item.observed_at_us is None else item.observed_at_us
    return _EPOCH + at // _MICROSECONDS_A_DAY


def _event_day(item: Item) -> int:
    """The first day of its event, if that is known."""
    return 0 if item.occurred is None else _EPOCH + item.occurred.start_us // _MICROSECONDS_A_DAY


def _only_asks_to_forget(item: Item, body: str) -> bool:
    from memfort.capture.extract.requests import only_asks_to_forget  # it loads the rules for reading conversations

    return item.origin is Origin.USER and only_asks_to_forget(body)


def _is_in_talk(item: Item, turn: Turn) -> bool:
    """Whether it is a turn, or written like one. What was taken from a turn is none: "Anna: I have a dog"."""
    if item.kind is Kind.SHORT_TERM:
        return True
    return not turn_of(item) and (turn.speaker is not None or turn.day is not None)


def _with_concepts(item: Item, turn: Turn, terms: Mapping[str, int]) -> Mapping[str, int]:
    """The words of a memory, with its concepts if it is a statement, and not what somebody said in a conversation."""
    if _is_in_talk(item, turn):
        return terms
    return {**terms, **dict.fromkeys(concept_terms(turn.body), 1)}
