"""Turn a corpus into TREC qrels and run files, for which trec_eval gives the values of the preset `trec`."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, Ranking, columns_of
from kp_core.errors import input_error
from kp_core.takeaway.tidy import Written, file_names
from kp_core.text.normalise import Normaliser

#: Characters to escape: those that separate fields, are not printable, or begin a comment.
_UNSAFE = re.compile(r"^#|[%\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]")


def escape(text: str) -> str:
    """Escape spaces of any kind, control characters and `%` as UTF-8 bytes `%XX`."""
    return _UNSAFE.sub(lambda match: _percent(match.group()), text)


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def trec(corpus: Corpus, normalise: str = "none", gold_stemmed: bool = False, union: bool = False) -> Written:
    """Return qrels, one file per annotator (or their union), and runs, one file per system.

    * `normalise`: `none` keeps phrases unchanged; any other pipeline writes normalized forms, with ties as in trec_eval
    * `union`: write one qrels file for all annotators; grades are the highest given, else the number of annotators
    Source: file formats of trec_eval 9.

    >>> from kp_core import load
    >>> written = trec(load(gold={"d1": ["tide table"]}, systems={"a": {"d1": ["sea", "tide table"]}}))
    >>> written.files["gold/gold.qrels"], written.files["systems/a.run"]
    (b'd1 0 tide%20table 1\\n', b'd1 Q0 sea 1 2 a\\nd1 Q0 tide%20table 2 1 a\\n')
    """
    written, pipeline = Written(), Normaliser.parse(normalise)
    gold = _with_forms(corpus.gold, pipeline.without_stemmer() if gold_stemmed else pipeline)
    annotators = [name for name in corpus.annotators if (gold["annotator"] == name).any()]
    if union and annotators:
        written.files["gold/union.qrels"] = _qrels(gold, "0", written, "union", votes=len(annotators) > 1)
    else:
        for name, file in zip(annotators, file_names(annotators, ".qrels"), strict=True):
            iteration = "0" if annotators == ["gold"] else _name(name)
            written.files[f"gold/{file}"] = _qrels(gold[gold["annotator"] == name], iteration, written, name)
    runs = _with_forms(corpus.runs, pipeline)
    systems = [name for name in corpus.systems if (runs["system"] == name).any()]
    for name, file in zip(systems, file_names(systems, ".run"), strict=True):
        ranked = _order(runs[runs["system"] == name], corpus.rankings[name], tied=bool(pipeline.steps))
        written.files[f"systems/{file}"] = _run(ranked, name, corpus.rankings[name], written)
    _note_losses(corpus, written)
    if not written.files:
        raise input_error("the corpus", "nothing to write")
    return written


def _note_losses(corpus: Corpus, written: Written) -> None:
    if "variants" in corpus.gold:
        spellings = int(corpus.gold["variants"].notna().sum())
        written.lacks("gold standard", spellings, "keyphrase", "with several spellings; the first is written")
    empty, known = corpus.empty["role"].tolist(), {*columns_of("gold"), *columns_of("runs")}
    tables = {"judgements": corpus.judgements, **corpus.vocabulary.given}
    lost = [("gold standard", empty.count("gold"), "empty list"), ("systems", empty.count("system"), "empty list")]
    lost.append(("documents", int(corpus.documents[["text", "title", "group"]].notna().sum().sum()), "cell"))
    lost += [(name, len(table), "row") for name, table in tables.items()]
    lost += [("gold standard", 1, f"column “{column}”") for column in corpus.gold if column not in known]
    lost += [("systems", 1, f"column “{column}”") for column in corpus.runs if column not in known]
    for where, count, noun in lost:
        written.lacks(where, count, noun, "left out, because TREC files contain only ids, phrases, grades and scores")


def _with_forms(table: pd.DataFrame, pipeline: Normaliser) -> pd.DataFrame:
    distinct = table["phrase"].unique().tolist()
    forms = {p: form or p for p, form in zip(distinct, pipeline.apply(distinct), strict=True)}
    return table.assign(form=table["phrase"].map(forms))


def _name(name: str) -> str:
    """Escape a name as a field, so that it does not look like an iteration number."""
    return _percent(name[0]) + escape(name[1:]) if name.isdigit() or name.upper() == "Q0" else escape(name)


def _qrels(gold: pd.DataFrame, iteration: str, written: Written, where: str, votes: bool = False) -> bytes:
    for broken in gold["relevance"].dropna().loc[lambda grade: grade % 1 != 0].head(1):
        raise input_error(f"gold standard of {where}", "no whole grade", grade=f"{broken:g}")
    items = gold.groupby(["doc_id", "form"], sort=False)
    table = items.agg(grade=("relevance", "max"), votes=("annotator", "nunique")).reset_index()
    grades = table["grade"].fillna(table["votes"] if votes else 1).astype("int64")
    if not votes:
        written.lacks(where, len(gold) - len(table), "keyphrase", "repeated in a list; each is written once")
    rows = zip(table["doc_id"], table["form"], grades, strict=True)
    return "".join(f"{escape(doc)} {iteration} {escape(phrase)} {grade}\n" for doc, phrase, grade in rows).encode()


def _order(run: pd.DataFrame, ranking: Ranking, tied: bool) -> pd.DataFrame:
    """Return the rows of a system in order; if `tied`, equal scores are ordered by descending normalized form."""
    if not (tied and ranking.ranked_by == "score") or run["score"].isna().any():
        return run
    score = run["score"].to_numpy(np.float64) * (-1 if ranking.higher_is_better else 1)
    keys = {"list": pd.factorize(run["doc_id"])[0], "score": score, "form": [form.encode() for form in run["form"]]}
    order = pd.DataFrame(keys).sort_values([*keys], ascending=[True, True, False], kind="stable").index
    return run.iloc[order]


def _run(run: pd.DataFrame, system: str, ranking: Ranking, written: Written) -> bytes:
    distinct = run.drop_duplicates(["doc_id", "form"])
    written.lacks(system, len(run) - len(distinct), "phrase", "repeated in a list; the first is written")
    lists = distinct.groupby("doc_id", sort=False)
    rank, reverse_rank = (lists.cumcount(ascending=ascending).to_numpy() + 1 for ascending in (True, False))
    # trec_eval sorts by score in single precision and then by name, so scores must decrease strictly.
    scores = distinct["score"].to_numpy(np.float64)
    rounded = scores.astype(np.float32)
    decreasing = bool(((np.diff(rounded) < 0) | (rank[1:] == 1)).all()) and not np.isnan(rounded).any()
    if not decreasing and not np.isnan(scores).all():
        written.lacks(system, len(distinct), "score", "replaced by n - rank + 1, to decrease strictly")
    tag, written_scores = escape(system), (scores if decreasing else reverse_rank).tolist()
    rows = zip(distinct["doc_id"], distinct["form"], rank, written_scores, strict=True)
    return "".join(f"{escape(d)} Q0 {escape(p)} {index} {score} {tag}\n" for d, p, index, score in rows).encode()
