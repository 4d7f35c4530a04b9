"""Whether a text says a name, in any language and script. The name is given by whoever asks, so nothing has to be known
of names: it stands there as a word of its own, with a capital where the script has capitals, and with the endings that
its language puts behind names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from memfort.folding import compose, without_invisible
from memfort.language.detect import script_of, stem
from memfort.language.fold import fold
from memfort.language.mentions import mentions
from memfort.language.people_words import not_names
from memfort.language.words import stop_words_of_all

_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_SPACELESS = re.compile(f"[{_NO_SPACES}]")
_ENDINGS = (  # of one word, by its script: particles behind it, and what is written in front of it as one word
    (re.compile("[\uac00-\ud7af]"), "", "[\uac00-\ud7af]{0,3}"),
    (re.compile("[\u0590-\u05ff]"), "[והבלמשכ]?", ""),
    (re.compile("[\u0600-\u06ff]"), "[وفبلك]{0,2}", ""),
)
_LATIN_ENDING = "s?"  # "Bellas Hund"
_FEWEST_SIGNS = 2  # of a name in a script without spaces


class NameSearch:
    """Looks for some names in texts."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(one for one in map(_plain, names) if _is_usable(one)))
        self._forms = [_form(one) for one in self.names]
        self._stems = {found for one in self.names if (found := _stem(fold(one))) is not None}

    def __bool__(self) -> bool:
        return bool(self.names)

    def is_in(self, text: str) -> bool:
        shown = _plain(text)
        folded = fold(shown)
        has_capitals = not shown.islower()
        for name, form in zip(self.names, self._forms, strict=True):
            places = [one.start("name") for one in form.finditer(folded)]
            if any(_may_begin_name(shown[at], has_capitals=has_capitals) for at in places) and _is_meant(name, shown):
                return True
        return bool(self._stems) and self._has_stem(shown, folded)

    def _has_stem(self, shown: str, folded: str) -> bool:
        """Whether a word is one of the names in another case: "Екатерины"."""
        words = _WORD.finditer(folded)
        return any(_stem(one.group()) in self._stems and not shown[one.start()].islower() for one in words)


def _plain(text: str) -> str:
    """A text without invisible characters, in the form in which accents are part of their letters."""
    return without_invisible(compose(text))


def _is_usable(name: str) -> bool:
    letters = sum(map(str.isalpha, name))
    return letters >= _FEWEST_SIGNS or (letters == 1 and len(name) > 1)


def _form(name: str) -> re.Pattern[str]:
    """A pattern for a name in folded texts."""
    words = r"\s+".join(map(re.escape, fold(name).split()))
    if _SPACELESS.search(name):
        return re.compile(f"(?P<name>{words})")
    before, behind = next(((front, end) for script, front, end in _ENDINGS if script.search(name)), ("", _LATIN_ENDING))
    return re.compile(rf"(?<![^\W{_NO_SPACES}]){before}(?P<name>{words}){behind}(?![^\W{_NO_SPACES}])")


def _may_begin_name(letter: str, *, has_capitals: bool) -> bool:
    """Whether a name may begin so. A text without any capital may have names without them."""
    return not letter.islower() or not has_capitals


def _is_meant(name: str, text: str) -> bool:
    """Whether a name that is also a word ("Will", "Joy") is one in this text."""
    folded = fold(name)
    if folded not in not_names() and folded not in stop_words_of_all():
        return True
    place = fold(text).find(folded)
    with_another = f"{text[:place]}{_SURELY_A_NAME}{text[place + len(name) :]}"
    return _SURELY_A_NAME in mentions(with_another).names


@lru_cache(maxsize=4096)
def _stem(word: str) -> str | None:
    """The stem of a name in a script of its own whose language bends names; None for all others."""
    language = script_of(word[0]) if word else None
    return None if language is None or " " in word or len(word) <= _FEWEST_SIGNS else stem(word, language)


_SURELY_A_NAME = "Zorvana"  # and no word of any language
_WORD: Any = re.compile(r"[^\W\d_]+")
