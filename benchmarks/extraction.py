"""Run the lecture systems on two public data sets, and write their scores to benchmarks/lecture_systems.md.

Needs the data sets beside the project (see README, Real data) and about five minutes. External sources never come from
the gold standard that is scored: SemEval-2010 gets the texts of wiki20, wiki20 those of SemEval-2010, both get the
keyphrases of the training part of SemEval-2010 as a list.
Run: python -m benchmarks.extraction
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import kp_core as kp
from benchmarks.workload import machine
from kp_core.extraction import RECONSTRUCTED
from kp_core.extraction.texts import read_phrases
from kp_core.studies.published_tables import LECTURE_SYSTEMS
from kp_core.typeset import markdown

HERE = Path(__file__).parent
ROOT = HERE.parent
DATA = ROOT.parent / "shared" / "data"
MEASURES = ("kappa", "P_pos", "P_neg", "PABAK")
ABSTRACTS, WORDS, PAPERS = 2_000, 200, 100
#: Length of the lists, well beyond every gold standard.
LISTED = 100


def semeval() -> kp.Corpus:
    """Return the test part of SemEval-2010 with the combined gold as stems; 99 of its 100 documents have a text."""
    folder = DATA / "semeval2010"
    corpus = kp.load(folder / "references/test.combined.stem.json", documents=folder / "test_documents_liaad.zip")
    kept = corpus.documents.dropna(subset=["text"])
    gold = corpus.gold[corpus.gold["doc_id"].isin(kept["doc_id"])].reset_index(drop=True)
    return kp.Corpus(documents=kept.reset_index(drop=True), gold=gold)


def wiki20() -> kp.Corpus:
    """Return wiki20 with its 15 annotators; disambiguations in parentheses after titles are removed."""
    corpus = kp.load(DATA / "wiki20/teams", documents=DATA / "wiki20/documents")
    phrases = corpus.gold["phrase"].str.replace(r"\s*\([^()]*\)$", "", regex=True)
    return replace(corpus, gold=corpus.gold.assign(phrase=phrases))


def texts(corpus: kp.Corpus) -> dict[str, str]:
    """Return id → text."""
    return dict(zip(corpus.documents["doc_id"], corpus.documents["text"], strict=True))


def scored(corpus: kp.Corpus, external: kp.External, stemmed: bool) -> tuple[pd.DataFrame, str]:
    """Return one row per system with its measures at the average gold size, and the signature."""
    actual = kp.extract(corpus, list(kp.SYSTEMS), LISTED, external)
    systems = kp.load(systems=actual.as_source())
    whole = replace(corpus, runs=systems.runs, rankings=systems.rankings)
    asked = kp.Settings(k="average", universe="ngrams:3", interval="none", gold_stemmed="yes" if stemmed else "no")
    result = kp.evaluate(whole, asked, MEASURES)
    table = result.frame.pivot_table(index="system", columns="measure", values="value", sort=False)
    return table[list(MEASURES)], result.signature


def printed() -> pd.DataFrame:
    """Return the published table in the order of the registry."""
    by_title = {item.title: name for name, item in kp.SYSTEMS.items()}
    rows = {by_title[title]: [float(value) for value in values] for title, values in LECTURE_SYSTEMS.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(MEASURES)).loc[list(kp.SYSTEMS)]


def abstracts(corpus: kp.Corpus) -> dict[str, str]:
    """Return 2,000 texts of 200 words each, cut from the papers."""
    words = " ".join(texts(corpus).values()).split()
    return {f"a{n}": " ".join(words[n * WORDS : (n + 1) * WORDS]) for n in range(ABSTRACTS)}


def timed(corpus: kp.Corpus) -> dict[str, float]:
    """Return the processor seconds of TF-IDF on 2,000 abstracts in one thread, median, minimum and maximum of five."""
    given, times = abstracts(corpus), []
    for _ in range(6):
        begun = time.process_time()
        kp.extract(given, "tfidf")
        times.append(time.process_time() - begun)
    return {"median": float(np.median(times[1:])), "min": min(times[1:]), "max": max(times[1:])}


def peak_memory() -> float:
    """Return the peak memory (MB) of a new process that runs the systems without external sources on 100 papers."""
    code = (
        "import kp_core as kp; from benchmarks import extraction as e; "
        "papers = e.texts(e.semeval()) | dict(list(e.texts(e.wiki20()).items())[:1]); "
        f"assert len(papers) == {PAPERS}; kp.extract(papers, 'tfidf,tfidf-chunks'); "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def page(parts: dict[str, pd.DataFrame], coverages: dict[str, pd.DataFrame], signatures: dict[str, str]) -> str:
    """Return the text of benchmarks/lecture_systems.md."""
    printed, *part = (
        table.rename(columns=lambda measure, name=name: f"{measure}, {name}").rename_axis("system").reset_index()
        for name, table in parts.items()
    )
    ours = part[0].merge(part[1], on="system")
    reached = pd.DataFrame({"candidates": next(iter(coverages.values()))["candidates"]})
    for name, item in coverages.items():
        reached[f"coverage, {name}"] = item["coverage"]
        sizes = item["candidates a document"]
        reached[f"candidates a document, {name}"] = ["–" if np.isnan(size) else f"{size:,.0f}" for size in sizes]
    lines = "\n".join(f"{name}: `{line}`\n" for name, line in signatures.items())
    return f"""# The lecture systems on other data

Written by `python -m benchmarks.extraction`. Every system here is
{RECONSTRUCTED}.
Definitions and formulas: [methods.md](../docs/methods.md).

## As published

Kappa, positive and negative agreement and PABAK of the lecture-keyword results section: lectures, several annotators,
the union as gold standard, k = the average number of keyphrases that an annotator gives a lecture.

{markdown(printed, 3)}
## Reconstructed systems, different data

**These are different data and reconstructed systems, so no row below confirms or contradicts a row above.**

SemEval-2010: 99 papers of the test part that have a text, keyphrases of authors and readers together, released as
stems. wiki20: 20 computer science papers, the union of 15 annotators (titles of an encyclopaedia, without brackets at
the end). k is the average number of keyphrases that an annotator gives a document, the universe all runs of 1 to 3
words of each text, tables are pooled. External documents: the texts of the other set. External list: the keyphrases of
the training part of SemEval-2010, each with weight 1. m = 5, λ = 0.5, β = 1.

{markdown(ours, 3)}
{lines}
## How many keyphrases can be reached

Keyphrases with a variant among the candidates of their document, as a share of all; a system that chooses among these
candidates cannot find more. Chunks are those of HanTa's tags with participles repaired; a single word must occur twice.

{markdown(reached, 3)}"""


def main() -> None:
    """Write benchmarks/lecture_systems.md and benchmarks/extraction.json."""
    papers, articles = semeval(), wiki20()
    phrases = read_phrases(DATA / "semeval2010/references/train.combined.json")
    part, signatures = {}, {}
    part["SemEval-2010"], signatures["SemEval-2010"] = scored(papers, kp.External(texts(articles), phrases), True)
    part["wiki20"], signatures["wiki20"] = scored(articles, kp.External(texts(papers), phrases), False)
    coverages = {"SemEval-2010": kp.coverage(papers, gold_stemmed=True), "wiki20": kp.coverage(articles)}
    text = page({"published": printed()} | part, coverages, signatures)
    (HERE / "lecture_systems.md").write_text(text, encoding="utf-8")
    report = {
        "machine": machine(("numpy", "scikit-learn", "HanTa")),
        "tfidf of 2,000 abstracts of 200 words, processor s": timed(papers),
        "peak memory of tfidf and tfidf-chunks on 100 papers, MB": peak_memory(),
    }
    (HERE / "extraction.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(text)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
