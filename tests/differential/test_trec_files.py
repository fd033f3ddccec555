"""Exported TREC files, scored by pytrec_eval (trec_eval 9), give the numbers of the preset `trec`."""

import io

import numpy as np
import pytest
import pytrec_eval

from kp_core.takeaway.trec_files import trec
from tests.corpora import corpus_of, document_values
from tests.measure_names import TREC, TREC_AT

PAIRS = TREC | {f"{name}_5": measure.format(5) for name, measure in TREC_AT.items()}
#: Blanks, escapes, inflected forms that stem alike, capitals, and characters that sort differently as bytes.
WORDS = ["hash table", "hash tables", "Hash Table", "50% off", "50%", "a_b", "a b", "été", "ete", "漢字", "表\u3000記"]
WORDS += ["naïve", "data\u00a0base", "data base", "Ω", "tide", "tides", "zz top", "Q0", "sea|level"]


def drawn(seed, tied, graded, annotators=1):
    rng = np.random.default_rng(seed)

    def some(most):
        return [str(word) for word in rng.choice(WORDS, rng.integers(0, most), replace=False)]

    documents = [f"d {number}" for number in range(30)]
    gold = {f"a{n}": {d: some(8) for d in documents} for n in range(annotators)}
    grades = {d: {word: int(rng.integers(0, 4)) for word in WORDS} for d in documents} if graded else None
    runs = {d: some(15) for d in documents if rng.random() < 0.9}
    scores = {d: [float(s) / 8 for s in rng.integers(0, 5 if tied else 10_000, len(p))] for d, p in runs.items()}
    return corpus_of(gold, {"s": runs}, scores={"s": scores}, grades=grades)


def theirs(corpus, **options):
    made = trec(corpus, **options)
    qrels, run = (next(data for path, data in made.files.items() if path.endswith(end)) for end in (".qrels", ".run"))
    evaluator = pytrec_eval.RelevanceEvaluator(
        pytrec_eval.parse_qrel(io.StringIO(qrels.decode())), pytrec_eval.supported_measures
    )
    return evaluator.evaluate(pytrec_eval.parse_run(io.StringIO(run.decode())))


def differing(corpus, found, compared_at_least, **options):
    wrong, compared = [], 0
    frame = document_values(corpus, list(PAIRS.values()), 5, preset="trec", **options)
    by_measure = {measure: rows.set_index("document")["value"] for measure, rows in frame.groupby("measure")}
    for name, measure in PAIRS.items():
        ours = by_measure[measure]
        for document, values in found.items():
            value = ours[document.replace("%20", " ")]
            compared += 1
            if np.isnan(value):  # no relevant keyphrase: trec_eval prints 0 where we say undefined
                wrong += [] if values[name] == 0 else [(document, name, values[name])]
            elif not abs(value - values[name]) <= 1e-9:
                wrong.append((document, name, value, values[name]))
    assert compared >= compared_at_least
    return wrong


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("normalise", ["nfkc+lower+space+porter-nltk", "lower", "nfkc+casefold+punct-strip+sort"])
def test_normalised_forms_give_our_numbers(normalise, tied, graded):
    corpus = drawn(1, tied, graded)
    assert not differing(corpus, theirs(corpus, normalise=normalise), 200, normalise=normalise)


def test_raw_phrases_give_the_numbers_of_no_normalisation():
    corpus = drawn(2, tied=False, graded=True)
    assert not differing(corpus, theirs(corpus), 200, normalise="none")


@pytest.mark.parametrize("graded", [False, True])
def test_the_union_gives_the_numbers_of_votes(graded):
    corpus = drawn(3, tied=True, graded=graded, annotators=3)
    result = theirs(corpus, normalise="lower", union=True)
    assert not differing(corpus, result, 200, normalise="lower", annotators="votes")
