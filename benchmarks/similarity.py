"""Time similarity values and soft hits of phrase pairs, compared with NLTK, rouge-score and sacreBLEU.

From lists of strings, KPScope computes BLEU-1 to 4, NIST, METEOR, ROUGE-1, 2, L and the R-precision family. The other
libraries compute the first nine; each is called once per pair for all of its measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from benchmarks.timing import Task, equal, grown, timed
from benchmarks.workload import rebuilt

PAIRS, WORDS, LONGEST = 100_000, 4_000, 5
DOCUMENTS, LISTED = 20_000, 10
#: Numbers in a vector.
LENGTH = 300
#: sacreBLEU sees one pair in so many.
SAMPLED = 50
PACKAGES = ("numpy", "scipy", "nltk", "rouge-score", "sacrebleu", "rapidfuzz")

BUNDLE = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU", "NIST", "METEOR", "ROUGE-1-F", "ROUGE-2-F", "ROUGE-L-F")
FAMILY = (
    "R-precision",
    "R-precision(overlap=contiguous)",
    "M-R-precision",
    "M-R-precision(alignment=ordered)",
    "M-R-precision(alignment=contiguous)",
)


def _words(number: int, seed: int) -> np.ndarray:
    """Return distinct invented words; a quarter of them are plurals of others, so that stems matter."""
    letters = np.array(list("bcdfgklmnprst"))
    stems = ["".join(row) + str(i) for i, row in enumerate(np.random.default_rng(seed).choice(letters, (number, 3)))]
    return np.array([f"{stems[i - 1]}s" if i % 4 == 3 else stem for i, stem in enumerate(stems)])


def pairs(number: int = PAIRS, seed: int = 0) -> pd.DataFrame:
    """Return keyphrases and candidates of 1 to 5 words: half are parts or extensions of the keyphrase."""
    rng = np.random.default_rng(seed)
    words = _words(WORDS, seed)
    rows = []
    for _ in range(number):
        key = words[rng.integers(0, WORDS, rng.integers(1, LONGEST + 1))].tolist()
        other = words[rng.integers(0, WORDS, rng.integers(1, LONGEST + 1))].tolist()
        draw = rng.random()
        if draw < 0.5:
            begin = int(rng.integers(0, len(key)))
            other = (key[begin : int(rng.integers(begin + 1, len(key) + 1))] + other[: int(draw < 0.25)])[:LONGEST]
        rows.append((" ".join(key), " ".join(other)))
    return pd.DataFrame(rows, columns=["keyphrase", "candidate"]).astype("str")


def ours(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute fourteen measures, defined for short phrases."""
    from kp_core.similarity import score

    wide = score(table["keyphrase"].tolist(), table["candidate"].tolist(), [*BUNDLE, *FAMILY])
    return dict(zip(wide.names, wide.table.T, strict=True))


class _NoWordNet:
    def synsets(self, word: str) -> list[Any]:
        """Return no synonyms, because WordNet would have to be downloaded; only the earlier stages are timed."""
        return []


def peers(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute nine measures; each library is called once per pair for all of its measures."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.meteor_score import single_meteor_score
    from nltk.translate.nist_score import sentence_nist
    from rouge_score.rouge_scorer import RougeScorer

    scorer, wordnet = RougeScorer(["rouge1", "rouge2", "rougeL"]), _NoWordNet()
    orders, smoothing = [(1 / n,) * n for n in (1, 2, 3, 4)], SmoothingFunction().method1
    rows = []
    for key, other in zip(table["keyphrase"].tolist(), table["candidate"].tolist(), strict=True):
        ref, hyp = key.split(), other.split()
        rouge = scorer.score(key, other)
        rows.append(
            [
                *sentence_bleu([ref], hyp, orders, smoothing),
                sentence_nist([ref], hyp, min(5, len(hyp))),
                single_meteor_score(ref, hyp, wordnet=wordnet),
                *(rouge[name].fmeasure for name in ("rouge1", "rouge2", "rougeL")),
            ]
        )
    return dict(zip(BUNDLE, np.array(rows).T, strict=True))


TOOLS: dict[str, Callable[[pd.DataFrame], dict[str, np.ndarray]]] = {
    "KPScope, 14 measures": ours,
    "NLTK and rouge-score, 9 measures": peers,
}


def corpus(documents: int = DOCUMENTS, listed: int = LISTED, seed: int = 1) -> Any:
    """Return a corpus with 10 predictions and 10 keyphrases per document, of 1 to 3 words from its small vocabulary."""
    import kp_core as kp

    rng = np.random.default_rng(seed)
    words = _words(WORDS, seed)
    ids = np.repeat([f"document-{i:06d}" for i in range(documents)], listed)
    topic, sides = np.repeat(rng.integers(0, WORDS, documents), listed), []
    for _ in range(2):
        pick = (topic[:, None] + rng.integers(0, 30, (len(ids), 3))) % WORDS
        length = rng.integers(1, 4, len(ids))
        sides.append([" ".join(row[:n]) for row, n in zip(words[pick].tolist(), length, strict=True)])
    gold, run = (pd.DataFrame({"doc_id": ids, "phrase": side}).astype("str") for side in sides)
    return kp.load(gold=gold, systems={"s": run})


def soft_matching(name: str, tau: float) -> Task:
    """Time soft P, R, F1 at k = 1 to 10 for 20,000 documents, with phrases already coded as integers."""
    import kp_core as kp
    from kp_core.scoring.prepare import prepare

    settings = kp.Settings(k=tuple(range(1, LISTED + 1)), interval="none")

    def fresh() -> tuple[Any]:
        data = corpus()
        prepare(data, settings)  # what it settles is kept with the corpus
        return (data,)

    title = f"Soft matching, {name} ≥ {tau:g}: 20,000 documents × 10 × 10, every k ≤ 10"
    tools = {"KPScope": lambda data: kp.soft_evaluate(data, settings, kp.Soft(name, tau))}
    return timed(title, tools, fresh=fresh, aim="2 s" if name != "levenshtein" else "")


def by_meaning(matching: Literal["one-to-one", "best"]) -> Task:
    """Time SemP, SemR, SemF1 at k = 1 to 10 for 20,000 documents with vectors of 300 numbers, without reading."""
    import kp_core as kp

    settings = kp.Settings(k=tuple(range(1, LISTED + 1)), interval="none", matching=matching)
    data = corpus()
    names = kp.phrases(data)
    vectors = np.random.default_rng(3).normal(size=(len(names), LENGTH)).astype(np.float32)
    table = kp.vocabulary(vectors=dict(zip(names, vectors, strict=True)))

    title = f"By meaning, {matching}: 20,000 documents × 10 × 10, {len(names):,} vectors of {LENGTH}, every k ≤ 10"
    tools = {"KPScope": lambda data: kp.evaluate(data, settings, ["SemP@k", "SemR@k", "SemF1@k"])}
    return timed(title, tools, fresh=lambda: (replace(data, vocabulary=table),), aim="3 s, 1.5 GB")


def letters(table: pd.DataFrame) -> Task:
    """Time chrF, compared with sacreBLEU, which is called once per pair on a sample."""
    from sacrebleu.metrics.chrf import CHRF

    from kp_core.similarity import SimilarityOptions, score

    key, other, peer = table["keyphrase"].tolist(), table["candidate"].tolist(), CHRF(lowercase=True)
    some = slice(0, len(table) // SAMPLED)

    def sacrebleu() -> np.ndarray:
        result = zip(other[some], key[some], strict=True)
        return np.array([peer.sentence_score(hypothesis, [reference]).score / 100 for hypothesis, reference in result])

    def kpscope() -> np.ndarray:
        return score(key, other, ["chrF"], SimilarityOptions(direction="keyphrase")).table[:, 0]

    equal("chrF", kpscope()[some], sacrebleu())
    tools = {"KPScope": kpscope, "sacreBLEU": sacrebleu}
    return timed(f"chrF of {len(table):,} pairs", tools, scale={"sacreBLEU": SAMPLED})


def _agree(table: pd.DataFrame) -> None:
    """Raise an error unless measures with equal definitions have equal values; tests compare the others."""
    mine, theirs = ours(table), peers(table)
    for name in ("ROUGE-1-F", "ROUGE-L-F"):
        equal(name, mine[name], theirs[name])


def tasks() -> list[Task]:
    """Return the tasks, after checking that KPScope's values equal those of the libraries."""
    table = pairs()
    _agree(table)
    title = f"Similarity of {PAIRS:,} phrase pairs of 1 to 5 words"
    sizes = {f"KPScope, {size:,} pairs": (pairs(size),) for size in (PAIRS // 10, PAIRS, PAIRS * 10)}
    soft = [soft_matching(*choice) for choice in (("R-precision", 0.5), ("jaccard", 0.3), ("levenshtein", 0.8))]
    return [
        timed(title, TOOLS, fresh=lambda: (rebuilt(table),), aim="290 ms, 40 × NLTK and rouge-score"),
        letters(table),
        grown("Growth with pairs, 14 measures", sizes, ours),
        *soft,
        by_meaning("best"),
        by_meaning("one-to-one"),
    ]
