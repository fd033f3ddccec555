import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.errors import REASONS
from kp_core.similarity import MEASURES, SimilarityOptions, parse, score
from tests.cases import cases
from tests.corpora import corpus_of, settings

CASES = cases(__file__)


def value(keyphrase, candidate, measure, **choices):
    return kp.similarity([(keyphrase, candidate)], measure, **choices)["value"].item()


def test_a_table_in_and_a_tidy_table_out():
    pairs = pd.DataFrame(
        {
            "pair_id": ["p", "q"],
            "doc_id": [1, 2],
            "keyphrase": ["hash table", "tree"],
            "candidate": ["hash tables", ""],
            "mine": [0.25, np.nan],
        }
    )
    result = kp.similarity(pairs, ["exact", "stem-exact", "mine", "exact"])
    assert result.columns.tolist() == ["pair", "measure", "value", "reason"]
    assert result["pair"].tolist() == ["p"] * 3 + ["q"] * 3
    assert result["measure"].tolist() == ["exact", "stem-exact", "mine"] * 2
    assert result["value"].tolist() == pytest.approx([0, 1, 0.25, np.nan, np.nan, np.nan], nan_ok=True)
    assert result["reason"].tolist() == ["ok"] * 3 + ["empty_phrase"] * 2 + ["no_value"]
    assert set(result["reason"]) <= set(REASONS)


@pytest.mark.parametrize(("arguments", "said"), CASES["cannot_be_done"])
def test_impossible_requests_give_reasons(arguments, said):
    with pytest.raises(kp.UsageError) as raised:
        kp.similarity([("a", "b")], **arguments)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        *((name, name) for name in ("M-R-precision(alignment=ordered,weights=keyphrase)", "combined(rule=max,w=0.25)")),
        ("BLEU-4(smoothing=exp)", "BLEU"),
        ("combined(w=0.5)", "combined"),
    ],
)
def test_names_print_as_they_are_read_without_defaults(written, printed):
    assert parse(written).name == printed


def test_longer_phrase_is_reference_by_default():
    assert value("topic", "topic importance", "ROUGE-1") == 0.5
    assert value("topic", "topic importance", "ROUGE-1", direction="keyphrase") == 1.0
    assert value("topic", "topic importance", "BLEU", direction="keyphrase") == pytest.approx(np.sqrt(1 / 2 * 1 / 2))
    # R-precision and its weights look at the longer phrase, whichever is the reference
    for direction in ("longer", "keyphrase"):
        assert value("topic", "topic importance", "R-precision", direction=direction) == 0.5
        assert value("topic", "topic importance", "M-R-precision", direction=direction) == pytest.approx(1 / 3)
    assert value("topic", "topic importance", "R-precision(denominator=keyphrase)") == 1.0
    assert value("topic", "topic importance", "M-R-precision(weights=keyphrase)") == 1.0


def test_context_looks_phrases_up_in_sentences():
    texts = [
        "A hash table stores keys. The bucket array stores keys too. A red tree grows.",
        "Hash tables collide. Every bucket array may collide.",
    ]
    result = kp.similarity(
        [("hash table", "bucket arrays"), ("hash table", "red tree"), ("hash table", "graph")], "context", texts=texts
    )
    # sentences: hash table 1 and 4, bucket array 2 and 5; both hold store, key, collid; S = 5, df = 2 each
    assert result["value"].tolist() == pytest.approx([1.0, 0.0, np.nan], nan_ok=True)
    assert result["reason"].tolist() == ["ok", "ok", "no_context"]


def test_context_of_unequal_neighbours_by_hand():
    texts = ["Alpha likes beta. Gamma likes delta. Alpha likes delta."]
    # S = 3; like is in all (weight 0); alpha: beta ln 3, delta ln 1.5; gamma: delta ln 1.5
    a, d = np.log(3), np.log(1.5)
    expected = d * d / (np.hypot(a, d) * d)
    assert value("alpha", "gamma", "context", texts=texts) == pytest.approx(expected)
    mixed = value("alpha", "gamma", "combined(w=0.25)", texts=texts)
    assert mixed == pytest.approx(0.25 * value("alpha", "gamma", "levenshtein") + 0.75 * expected)
    best = value("alpha", "gamma", "combined(rule=max)", texts=texts)
    assert best == pytest.approx(max(value("alpha", "gamma", "levenshtein"), expected))


def test_combined_takes_the_table_of_the_user():
    vocabulary = kp.vocabulary(similar=pd.DataFrame({"a": ["sea"], "b": ["ocean"], "score": [0.8]}))
    assert value("sea", "ocean", "combined(meaning=given)", vocabulary=vocabulary) == pytest.approx(
        0.5 * 2 / 5 + 0.5 * 0.8
    )


def test_sentinels():
    names = ("exact", "stem-exact", "length-difference", "candidate-length", "random", "constant")
    result = score(["a b c", "a b c"], ["a", "a b cs"], names)
    assert result.table[:, :4].tolist() == [[0, 0, -2, 1], [0, 0, 0, 3]]
    assert result.table[:, 5].tolist() == [1, 1]
    same, other = (score(["a"] * 3, ["a"] * 3, ["random"], SimilarityOptions(seed=seed)).table[:, 0] for seed in (0, 1))
    assert len(set(same.tolist())) == 3  # by row, also where pairs repeat
    assert same.tolist() == score(["x"] * 3, ["y"] * 3, ["random"]).table[:, 0].tolist() != other.tolist()


def test_long_and_strange_phrases():
    long = " ".join(f"w{i % 40}" for i in range(60))
    measures = [name for name, item in MEASURES.items() if item.level != "pairs"]
    result = score([long, "’s", "漢字", " ", "a  b"], [long, "'s", "漢 字", "a", "a b"], measures)
    assert result.table[0, measures.index("R-precision")] == 1.0
    assert result.table[1, measures.index("R-precision")] == 0.0
    assert result.table[2, measures.index("exact")] == 1.0  # a blank between Chinese characters is no blank
    assert np.isnan(result.table[3]).all()
    assert result.table[4, measures.index("exact")] == 1.0
    with pytest.raises(kp.InputError, match="half a character"):
        score(["\ud83d"], ["x"], ["exact"])


CORPUS = corpus_of(
    {"d1": ["neural network training", "topic"], "d2": ["hash table"]},
    {"s": {"d1": ["neural network", "network training", "topics"], "d2": ["tree", "hash table lookup"]}},
)


def values(soft, measure, k, corpus=CORPUS, **options):
    return kp.soft_evaluate(corpus, settings(k, universe=10, **options), soft, [measure]).frame["value"].tolist()


def test_soft_matching_finds_keyphrase_once():
    # d1: 2/3 at rank 1, nothing new at 2 (the keyphrase is taken), 1 at 3; d2: 0, then 2/3
    half = kp.Soft("R-precision", 0.5)
    assert values(half, "P@k", "1-3") == pytest.approx([(2 / 3) / 2, (1 / 3 + 1 / 3) / 2, (5 / 9 + 2 / 9) / 2])
    assert values(half, "R@k", "1-3") == pytest.approx([(1 / 3) / 2, (1 / 3 + 2 / 3) / 2, (5 / 6 + 2 / 3) / 2])
    counted = kp.Soft("R-precision", 0.5, "count")
    assert values(counted, "R@k", "1-3") == pytest.approx([0.25, 0.75, 1.0])


def test_intervals_and_signature():
    made = settings("1-3", universe=10, interval="bootstrap", resamples=50)
    result = kp.soft_evaluate(CORPUS, made, kp.Soft("chrF", 0.4), direction="keyphrase")
    assert result.frame["measure"].tolist() == [f"{m}@{k}" for m in ("P", "R", "F1") for k in (1, 2, 3)]
    assert (result.frame["low"] <= result.frame["value"]).all()
    assert (result.frame["value"] <= result.frame["high"]).all()
    assert result.signature.endswith("|soft:chrF-0.4-weighted,direction=keyphrase")
    assert kp.settings_from(result.signature) == result.settings.changed(universe="")


@pytest.mark.parametrize(
    ("soft", "measures", "options", "said"),
    [
        ("exakt", ["P@k"], {}, "there is no soft matching 'exakt'"),
        ("exact", ["MAP"], {}, "'MAP' has no soft form"),
        ("exact", ["P@k"], {"ties": "expected"}, "soft matching needs a single order"),
    ],
)
def test_impossible_soft_requests_give_reasons(soft, measures, options, said):
    with pytest.raises(kp.UsageError, match=said):
        kp.soft_evaluate(CORPUS, settings(3, universe=10, **options), soft, measures)


@pytest.mark.parametrize(("tau", "hits"), [(0, "count"), (float("nan"), "count"), (0.5, "both")])
def test_choices_without_meaning_are_refused(tau, hits):
    with pytest.raises(kp.UsageError):
        kp.Soft("exact", tau, hits)
