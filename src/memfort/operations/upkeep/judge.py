"""Judge the sensitivity of memories whose words settled nothing: release those that are harmless, raise those that are
graver than was assumed.

The encoder works outside any transaction; each batch is then one commit, in which a memory that has changed meanwhile
is left alone. What waits is told by its own record, so the next run, or the next process, continues with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from memfort.capture.extract import extract
from memfort.capture.extraction import SpokenTurn
from memfort.embed.classifier import judge_texts
from memfort.engine.engine import Engine
from memfort.engine.indexing.embedding import SPEAKER
from memfort.engine.transaction import Session, Transaction
from memfort.errors import CorruptMemory
from memfort.language.beside import sentences_beside, speak_of_the_same
from memfort.language.sensitivity import (
    HeadJudgement,
    clauses,
    is_question,
    judge_words,
    private_chat_floor,
    sentences,
    stricter,
)
from memfort.model.item import Item, Kind, Sensitivity, Status, waits_for_judgement
from memfort.model.judgement import SensitivityJudgement
from memfort.model.learned import LearnedKind
from memfort.model.people.person import user_of_person
from memfort.model.reason import Reason
from memfort.model.results import SensitivityProgress
from memfort.model.space import Level, Space
from memfort.operations.admit.repartition import is_moved, with_place
from memfort.operations.admit.ticks import expire_by_tick
from memfort.operations.requests import Request
from memfort.operations.upkeep.background import BackgroundWorker
from memfort.policy.sensitivity import judge_beside, judge_turn, judge_with_encoder
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import SensitivityRules, StatementsFrom
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Scope

BATCH = 32  # memories in one transaction
MOST = 1000
Verdict = tuple[Sensitivity, SensitivityJudgement]
NO_ENCODER = "there is no encoder: install memfort[multilingual], or open the store with a `classifier`"
_IN_PRIVATE = frozenset(
    {LearnedKind.PRIVATE, LearnedKind.HEARD_AGAIN, LearnedKind.RELEASED, LearnedKind.RELEASED_AGAIN}
)


class JudgeRequest(Request, frozen=True):
    """Options of a run."""

    batch: Annotated[int, Meta(ge=1, le=MOST, description="How many memories in one step.")] = BATCH


def handle(session: Session, request: JudgeRequest) -> SensitivityProgress:
    """Judge every memory that waits for it, in small transactions. After an interruption the next call continues with
    the rest; until then those memories are as private as the policy says of what nothing has judged."""
    return judge(session, request.batch)


def judge(session: Session, batch: int = BATCH, stop: Callable[[], bool] = lambda: False) -> SensitivityProgress:
    """Judge what waits. A failing encoder ends the run: finished work stays."""
    engine = session.engine
    waiting = [(space, handles) for space in engine.store.spaces() if (handles := _waiting_in(engine, space))]
    found = SensitivityProgress(engine.classifier.name, total=sum(len(handles) for _, handles in waiting))
    if not engine.has_classifier:
        return replace(found, left=found.total, problem=NO_ENCODER)
    seen = 0
    for space, some in _batches(waiting, batch):
        if stop():
            break
        items = list(session.store.items_by_handle(maintenance_sight([space]), some).values())
        done = _judge_batch(session, space, items)
        found, seen = _add(found, done), seen + len(some)
        session.progress(seen, found.total)
    return replace(found, left=count_waiting(engine))


def _add(so_far: SensitivityProgress, judged: Sequence[_Judged]) -> SensitivityProgress:
    return replace(
        so_far,
        done=so_far.done + len(judged),
        released=so_far.released + sum(one.is_released for one in judged),
        raised=so_far.raised + sum(one.is_raised for one in judged),
    )


def count_waiting(engine: Engine) -> int:
    """How many memories of the whole store wait to be judged."""
    return sum(len(_waiting_in(engine, space)) for space in engine.store.spaces())


def _waiting_in(engine: Engine, space: Space) -> list[int]:
    return engine.store.unjudged(maintenance_sight([space]))


def _batches(waiting: Sequence[tuple[Space, list[int]]], size: int) -> Iterator[tuple[Space, list[int]]]:
    for space, handles in waiting:
        for start in range(0, len(handles), size):
            yield space, handles[start : start + size]


# -- one batch ---------------------------------------------------------------------------------------------------------


class _Judged(Struct, frozen=True):
    """A memory before, and the sensitivity it gets."""

    item: Item
    level: Sensitivity
    judgement: SensitivityJudgement

    @property
    def is_released(self) -> bool:
        return self.level is not self.item.sensitivity and not self.is_raised

    @property
    def is_raised(self) -> bool:
        return self.level is not self.item.sensitivity and stricter(self.level, self.item.sensitivity) is self.level


def _judge_batch(session: Session, space: Space, items: Sequence[Item]) -> list[_Judged]:
    """Judge some memories of one space, and write the result down unless they have changed meanwhile."""
    if not items:
        return []
    judged = {one.item.id: one for one in _judge_items(session, space, items)}

    def write(tx: Transaction) -> list[_Judged]:
        known = _read_current(session, space, list(judged))
        settled = [judged[item.id] for item in known if item == judged[item.id].item and waits_for_judgement(item)]
        for one in sorted(settled, key=lambda one: (one.item.created_at_us, one.item.number)):
            _write_down(tx.as_system(), one)
        return settled

    return session.write([space], write)


def _read_current(session: Session, space: Space, ids: Sequence[str]) -> list[Item]:
    sight, found = maintenance_sight([space]), list[Item]()
    for id in ids:  # one by one: a damaged one is a separate error
        try:
            found += session.store.items(sight, [id])
        except CorruptMemory:
            continue
    return found


def _judge_items(session: Session, space: Space, items: Sequence[Item]) -> list[_Judged]:
    """The sensitivity of memories by their words and the encoder; never less than that of what they were made of, nor
    than what was said beside them."""
    engine, lineage = session.engine, _lineage(session, space, items)
    everything = {item.id: item for item in (*lineage.values(), *items)}
    waiting = {id: one for id, one in everything.items() if one.judgement is not None and one.judgement.waits}
    beside = {id: _beside(session, one) for id, one in waiting.items()}
    stated = {id: _stated_in(session.policy, one) for id, one in waiting.items()}
    others = [text for some in (*beside.values(), *stated.values()) for text in some]
    texts = dict.fromkeys([*map(_as_said, waiting.values()), *others])
    assert engine.classifier.head is not None
    heads = dict(zip(texts, judge_texts(engine.classifier.head, list(texts)), strict=True))
    rules = session.policy.sensitivity.in_space(space)
    judged = {text: judge_with_encoder(judge_words(text), head, rules) for text, head in heads.items()}
    own = {
        id: _with_stated(
            _with_beside(one, _own(one, judged, heads, rules), [judged[text] for text in beside[id]], beside[id]),
            [judged[text] for text in stated[id]],
        )
        for id, one in waiting.items()
    }
    levels = _Levels(session.policy, everything, {id: level for id, (level, _) in own.items()})
    return [_Judged(item, levels.of(item), own[item.id][1]) for item in items]


def _own(
    item: Item, judged: Mapping[str, Verdict], heads: Mapping[str, HeadJudgement], rules: SensitivityRules
) -> Verdict:
    """The sensitivity of a memory by its own text."""
    said = _as_said(item)
    if not _is_of_group(item):
        return judged[said]
    return judge_with_encoder(judge_words(item.text), heads[said], rules, is_of_group=True)


def _as_said(item: Item) -> str:
    """The words of a statement without the speaker's name before them: it says nothing of how private they are, and the
    encoder takes many a harmless line with a name in front for one about a person."""
    if item.evidence is None:
        return item.text
    user = None if item.stated_by is None else user_of_person(item.stated_by)
    named = (name for name in (item.provenance.get(SPEAKER), user) if name is not None)
    return next((item.text.removeprefix(f"{name}: ") for name in named if item.text.startswith(f"{name}: ")), item.text)


def _is_of_group(item: Item) -> bool:
    """Whether a group said it first: no other wording or source has a judgement that counts."""
    is_first = not _sources(item) and item.judgement is not None and item.judgement.category is None
    return item.learned_kind is LearnedKind.GROUP and is_first


def _beside(session: Session, item: Item) -> list[str]:
    """The sentences beside a statement in the message that it was taken from, if that is still there."""
    if item.evidence is None:
        return []
    places = [item.space, *([Space.of({Level.CHAT: item.learned_in})] if item.learned_in else [])]
    turns = [turn for place in places for turn in _read_current(session, place, [item.evidence.turn])]
    return sentences_beside(turns[0].text, item.evidence.words) if turns else []


def _with_beside(item: Item, own: Verdict, others: Sequence[Verdict], beside: Sequence[str]) -> Verdict:
    """The sensitivity of a statement with what was said beside it. Where that is gone, a category that it was given
    then still counts."""
    if not beside:
        is_known = item.judgement is not None and item.judgement.category is not None
        return (stricter(own[0], item.sensitivity), own[1]) if item.evidence is not None and is_known else own
    level, judgement = judge_beside(own, others, is_settled=True, is_shared=speak_of_the_same(item.text, beside))
    assert judgement is not None  # those of the encoder have one
    return level, judgement


def _stated_in(policy: Policy, item: Item) -> list[str]:
    """What a turn says: its sentences, the clauses of its questions, and the statements that are taken from it."""
    if item.kind is not Kind.SHORT_TERM or item.conversation is None:
        return []
    said = [part for one in sentences(item.text) for part in (one, *(clauses(one) if is_question(one) else ()))]
    if policy.conversation.statements is StatementsFrom.SENTENCES:
        found = extract([SpokenTurn(item.text, item.origin, item.observed_at_us or item.created_at_us)]).proposals
        said += [one.text for one in found]
    return [text for text in dict.fromkeys(said) if text != item.text]


def _with_stated(own: Verdict, stated: Sequence[Verdict]) -> Verdict:
    level, judgement = judge_turn(own, stated)
    assert judgement is not None  # those of the encoder have one
    return level, judgement


def _lineage(session: Session, space: Space, items: Sequence[Item]) -> dict[str, Item]:
    """The memories of the same space that these are made from or reword, and those that those are."""
    known: dict[str, Item] = {}
    missing = {id for item in items for id in _sources(item)}
    while missing:
        found = _read_current(session, space, sorted(missing))
        known |= {item.id: item for item in found}
        missing = {id for item in found for id in _sources(item)} - known.keys()
    return known


def _sources(item: Item) -> tuple[str, ...]:
    return item.derived_from if item.supersedes is None else (*item.derived_from, item.supersedes)


class _Levels:
    """The sensitivity of memories with regard to their sources: that of an unjudged one is worked out too."""

    def __init__(self, policy: Policy, known: Mapping[str, Item], own: Mapping[str, Sensitivity]) -> None:
        self._policy, self._known, self._own = policy, known, own
        self._begun: set[str] = set()

    def of(self, item: Item) -> Sensitivity:
        if item.id not in self._own:
            return item.sensitivity
        level = private_chat_floor(item.type, self._own[item.id], learned_in_private=item.learned_kind in _IN_PRIVATE)
        if item.id in self._begun:
            return level  # a file can claim any lineage, also a circle
        self._begun.add(item.id)
        for id in _sources(item):
            if id in self._known:
                level = stricter(level, self.of(self._known[id]))
        self._begun.discard(item.id)
        return level


def _write_down(tx: Transaction, judged: _Judged) -> None:
    """Give a memory its sensitivity. In another partition it gets the next number and tick there, and it keeps its id;
    its words have not changed, so neither has the time of its last change."""
    before = judged.item
    after = replace(before, sensitivity=judged.level, judgement=judged.judgement, version=before.version + 1)
    after = with_place(tx, before, after)
    detail = {
        "from": before.sensitivity.value,
        "to": after.sensitivity.value,
        **{name: value for name, value in judged.judgement.to_dict().items() if value is not None and name != "reason"},
        "by": judged.judgement.reason.value,
    }
    tx.apply([tx.update(after)], [tx.event("judge", after, Reason.SENSITIVITY_JUDGED, **detail)], traced=False)
    if is_moved(before, after) and after.status is Status.APPROVED:
        expire_by_tick(tx.with_sight(maintenance_sight([before.space])), after)


# -- in the background -------------------------------------------------------------------------------------------------


class BackgroundJudge(BackgroundWorker):
    """Judges memories after they are written, and those that earlier processes left."""

    thread_name = "memfort-judge"
    batch = BATCH
    close_seconds = 0.0

    @property
    def _progress(self) -> SensitivityProgress:
        return self._session.engine.classifier.background

    def _work_on(self, space: Space, ids: list[str]) -> None:
        # In a write: whoever is writing them has done so, or has given it up.
        read = partial(_read_current, self._session, space, ids)
        found = self._session.engine.commit(Scope.of([space]), read)
        items = [item for item in found if waits_for_judgement(item)]
        self._note(_add(SensitivityProgress("", total=len(items)), _judge_batch(self._session, space, items)))

    def _work_on_all(self) -> None:
        self._note(judge(self._session, stop=self._must_stop))

    def _note(self, more: SensitivityProgress) -> None:
        before = self._progress
        self._update_progress(
            done=before.done + more.done,
            total=before.total + more.total,
            released=before.released + more.released,
            raised=before.raised + more.raised,
        )

    def _update_progress(self, **news: object) -> None:
        self._session.engine.classifier.background = replace(self._progress, **news)
