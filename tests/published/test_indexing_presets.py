"""Presets of subject indexing: the scripts' formulas, reimplemented, on random lists; equal values are counted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import precision_recall_fscore_support

import kp_core as kp

CUTOFFS = range(5, 51, 5)


def _drawn(documents: int, seed: int, labels: int = 120) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return gold headings and suggestions, of which some are repeated and some lists are empty."""
    rng = np.random.default_rng(seed)
    names = [f"gnd:{i}" for i in range(labels)]
    rare = 1 / np.arange(1, labels + 1)
    gold, lists = {}, {}
    for i in range(documents):
        gold[f"d{i}"] = [*rng.choice(names, rng.integers(1, 9), replace=False, p=rare / rare.sum())]
        lists[f"d{i}"] = [*rng.choice(names, 0 if i % 17 == 0 else 55, p=rare / rare.sum())]
    return gold, lists


def _share(preset: str, equal: int, compared: int) -> None:
    assert equal == compared
    assert f"{equal:,} / {compared:,}: " in kp.PRESETS[preset].reproduced


def test_llms4subjects() -> None:
    gold, lists = _drawn(250, 1)
    corpus = kp.load(gold=gold, systems={"run": lists})
    asked = {"preset": "llms4subjects", "interval": "none"}
    actual = kp.documents(corpus, measures="P@k,R@k", **asked).frame.set_index(["document", "measure"])["value"]
    equal = compared = 0
    mean = np.zeros((10, 2))
    for document, due in gold.items():
        for place, k in enumerate(
            CUTOFFS
        ):  # the script: len(set(true) & set(predicted[:k])), over k and over len(true)
            hits = len({*due} & {*lists[document][:k]})
            part = hits / k, hits / len(due)
            mean[place] += np.array(part) / len(gold)
            theirs = [round(value, 4) for value in part]
            equal += sum(
                round(actual[document, f"{name}@{k}"], 4) == value for name, value in zip("PR", theirs, strict=True)
            )
            compared += 2
    _share("llms4subjects", equal, compared)
    result = kp.evaluate(corpus, measures="P@k,R@k,F1@k,R@mean(5..50)", **asked).frame.set_index("measure")["value"]
    for place, k in enumerate(CUTOFFS):
        p, r = mean[place]
        assert [result[f"{name}@{k}"] for name in ("P", "R", "F1")] == pytest.approx([p, r, 2 * p * r / (p + r)])
    assert result["R@mean(5..50)"] == pytest.approx(mean[:, 1].mean())


def test_annif() -> None:
    gold, lists = _drawn(1_000, 2)
    lists = {document: list(dict.fromkeys(part)) for document, part in lists.items()}  # Annif suggests a subject once
    labels = sorted({item for side in (gold, lists) for part in side.values() for item in part})
    true = np.array([[label in part for label in labels] for part in gold.values()])
    said = np.array([[label in lists[document][:10] for label in labels] for document in gold])
    # Of transposed tables the values of labels are those of documents.
    theirs = np.stack(precision_recall_fscore_support(true.T, said.T, average=None, zero_division=0)[:3], axis=1)
    corpus = kp.load(gold=gold, systems={"run": lists})
    frame = kp.documents(corpus, measures="P@k,R@k,F1@k", preset="annif").frame
    ours = frame.pivot_table(index="document", columns="measure", values="value").loc[
        list(gold), ["P@10", "R@10", "F1@10"]
    ]
    _share("annif", int(np.isclose(ours, theirs, atol=1e-12).sum()), ours.size)
    weighted = precision_recall_fscore_support(true, said, average="macro", zero_division=0)[:3]
    by_subject = {"average": "subject", "measures": "P@k,R@k,F1@k", "interval": "none"}
    frame = kp.evaluate(corpus, preset="annif", **by_subject).frame
    assert frame["value"].tolist() == pytest.approx(list(weighted))


def test_casimir() -> None:
    """Of 200 drawn collections, each a type of documents in one corpus."""
    gold, lists = dict[str, list[str]](), dict[str, list[str]]()
    for seed in range(200):
        for side, drawn in zip((gold, lists), _drawn(12, seed, labels=25), strict=True):
            side |= {f"{seed}-{document}": list(dict.fromkeys(part)) for document, part in drawn.items()}
    seeds = [document.partition("-")[0] for document in gold]
    documents = pd.DataFrame({"doc_id": list(gold), "title": "t", "group": seeds})
    corpus = kp.load(gold=gold, systems={"run": lists}, documents=documents)
    asked = {"measures": "P@k,R@k,F1@k", "preset": "casimir", "by": "group", "interval": "none"}
    frame = kp.evaluate(corpus, **asked).frame
    equal = compared = 0
    for seed in dict.fromkeys(seeds):
        due_in, said_in = (
            {document: part for document, part in side.items() if document.partition("-")[0] == seed}
            for side in (gold, lists)
        )
        values: tuple[list[float], ...] = ([], [], [])
        for label in {item for side in (due_in, said_in) for part in side.values() for item in part}:
            due, said = ({d for d, part in side.items() if label in part} for side in (due_in, said_in))
            values[0].extend([len(due & said) / len(said)] if said else [])
            values[1].extend([len(due & said) / len(due)] if due else [])
            values[2].append(2 * len(due & said) / (len(due) + len(said)))
        result = frame.loc[frame["subset"] == f"group:{seed}", "value"]
        equal += int(np.isclose(result, [np.mean(part) for part in values], atol=1e-12).sum())
        compared += 3
    _share("casimir", equal, compared)
