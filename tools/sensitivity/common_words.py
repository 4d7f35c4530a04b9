"""Writes `shared/common_words.txt`: the commonest words of the training templates by language, for the language gate.

    python tools/sensitivity/common_words.py

A word that several languages share shows none of them and is left out.
"""

from __future__ import annotations

import re
from collections import Counter

from statements import read_statements

from memfort.language.language import FOLDER, languages
from memfort.language.reading import folded

MOST, FEWEST_USES, MOST_LANGUAGES = 600, 2, 2
HEADING = """# The commonest words of each language in talk, folded. By tools/sensitivity/common_words.py.
[words]
"""


def main() -> None:
    names = {one.code: one.name for one in languages()}
    counts: dict[str, Counter[str]] = {}
    for one in read_statements():
        if one.is_template and one.language not in ("zh", "ja"):
            words = re.findall("[a-z]{2,}", folded(one.text))
            counts.setdefault(one.language, Counter()).update(words)
    spread = Counter(word for words in counts.values() for word in words)
    lines = []
    for code, words in sorted(counts.items()):
        kept = [word for word, uses in words.items() if uses >= FEWEST_USES and spread[word] <= MOST_LANGUAGES]
        chosen = sorted(sorted(kept, key=lambda word: (-words[word], word))[:MOST])
        lines.append(f"{names[code]}: {' '.join(chosen)}\n")
    (FOLDER / "shared" / "common_words.txt").write_text(HEADING + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
