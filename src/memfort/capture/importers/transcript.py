"""Plain text with speakers: `User: …`, `Assistant: …`, `我: …`. Lines without a speaker belong to the one before."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memfort.capture.importers.archive import EXCERPT, ArchiveFile, moment_of, place_in
from memfort.capture.importers.record import Excerpt, Imported, Said
from memfort.model.item import Origin
from memfort.model.moment import Moment

PLATFORM = "transcript"
MAX_LINE_CHARS = 1_000_000
_USER = frozenset(
    {"user", "me", "human", "you", "i", "我", "用户", "你", "nutzer", "ich", "utilisateur", "moi", "usuario", "yo",
     "utente", "io", "usuário", "eu", "пользователь", "я", "ユーザー", "私", "사용자", "나"}
)  # fmt: skip
_ASSISTANT = frozenset(
    {"assistant", "ai", "bot", "chatgpt", "gpt", "claude", "gemini", "copilot", "model", "llm", "助手", "助理",
     "机器人", "assistent", "assistante", "asistente", "ассистент", "アシスタント", "어시스턴트"}
)  # fmt: skip
# How a line with a speaker begins. Every repetition has a limit, so that no line takes long to look at.
_SPEAKER = re.compile(
    r"(?:[\[(]?(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?)[\])]?\s{0,8}+[-–]?\s{0,8}+)?"
    r"(?:\*\*)?([^\W\d_][\w .'’-]{0,39}?)(?:\*\*)?\s{0,8}+[:：](?:\*\*)?(?:\s|(?<=：)|\Z)"
)
_SPEAKER_CHARS = 200  # more than any match of it has
_HEAD_LINES = 400


def is_transcript(head: str) -> bool:
    """Whether a text begins as a conversation between a user and somebody else."""
    labels = _labels(head)
    spoken = [_origin(label) for label in labels.elements()]
    return len(labels) >= 2 and len(spoken) >= 2 and Origin.USER in spoken and _begins_with_speaker(head)


def _begins_with_speaker(head: str) -> bool:
    first = next((line for line in head.splitlines() if line.strip()), "")
    return _speaker_of(first) is not None


def _labels(head: str) -> Counter[str]:
    lines = head.splitlines()[:_HEAD_LINES]
    return Counter(found.label for line in lines if (found := _speaker_of(line)) is not None)


class _Speaker(NamedTuple):
    """The beginning of a line that names who speaks."""

    name: str
    at: str | None
    text: str  # the rest of the line

    @property
    def label(self) -> str:
        return self.name.casefold()


def _speaker_of(line: str) -> _Speaker | None:
    line = line.lstrip()
    found = _SPEAKER.match(line[:_SPEAKER_CHARS])
    return None if found is None else _Speaker(found[2].strip(), found[1], line[found.end() :].lstrip())


def _origin(label: str) -> Origin | None:
    if label in _USER:
        return Origin.USER
    return Origin.AI if label in _ASSISTANT else None


def read_transcript(file: ArchiveFile, head: str) -> Iterator[Imported]:
    """The messages of a text, as one conversation."""
    names = {label for label, count in _labels(head).items() if count > 1 and _origin(label) is None}
    said: list[Said] = []
    first_line = 0
    for number, (line, message) in enumerate(_messages(file.chunks(), names)):
        first_line = first_line or line
        if message.text:
            said.append(Said(message.origin, message.text, str(number), message.at, message.speaker))
        if len(said) == EXCERPT:
            yield _excerpt(file, first_line, said)
            said, first_line = [], 0
    if said:
        yield _excerpt(file, first_line, said)


def _excerpt(file: ArchiveFile, line: int, said: list[Said]) -> Imported:
    return Imported(place_in(file, f"line {line}"), excerpt=Excerpt(f"{PLATFORM}:{file.tag}", tuple(said)))


def text_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a text, without their ends. A line that is endless is cut; bytes that are not UTF-8 are replaced."""
    decoder, rest = codecs.getincrementaldecoder("utf-8-sig")(errors="replace"), ""
    for chunk in chunks:
        *ended, rest = (rest + decoder.decode(chunk).replace("\r\n", "\n")).split("\n")
        yield from ended
        if len(rest) > MAX_LINE_CHARS:
            yield rest
            rest = ""
    if rest:
        yield rest


class _Message:
    def __init__(self, origin: Origin, speaker: str | None, at: Moment | None, text: str) -> None:
        self.origin, self.speaker, self.at, self._lines, self._size = origin, speaker, at, [text], len(text)

    def add(self, line: str) -> None:
        """Add a line. Of a message that is endless only the beginning is held, which is too long to be kept."""
        if self._size <= MAX_LINE_CHARS:
            self._lines.append(line)
        self._size += len(line)

    @property
    def text(self) -> str:
        return "\n".join(self._lines).strip()


def _messages(chunks: Iterable[bytes], names: set[str]) -> Iterator[tuple[int, _Message]]:
    """Each message, with the line that it begins in."""
    current: tuple[int, _Message] | None = None
    at: Moment | None = None
    for number, line in enumerate(text_lines(chunks), start=1):
        found = _speaker_of(line)
        label = "" if found is None else found.label
        origin = _origin(label)
        if found is None or (origin is None and label not in names):
            if current is not None:
                current[1].add(line)
            continue
        if current is not None:
            yield current
        at = moment_of(found.at) or at
        speaker = None if origin is not None else found.name
        current = number, _Message(origin or Origin.USER, speaker, at, found.text)
    if current is not None:
        yield current
