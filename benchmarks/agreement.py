"""Time agreement and its intervals from coded annotators and counted systems, compared with four other libraries.

Unless a row says otherwise, KPScope starts from a loaded and coded corpus. The other libraries start from the table of
488,000 items; making this table is a separate row. Not included: reading files and drawing charts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from benchmarks.timing import Task, equal, timed
from benchmarks.workload import annotator_choices, systems
from kp_core.scoring.cells import CELLS, Cells
from kp_core.scoring.codes import Floats

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "statsmodels", "krippendorff", "irrCAC")
DOCUMENTS, ANNOTATORS, CANDIDATES = 244, 3, 2_000
SYSTEMS, K, RESAMPLES = 6, tuple(range(1, 51)), 1_000
OF_SYSTEMS = ("kappa", "P_pos", "P_neg", "PABAK")
OF_ANNOTATORS = ("K", "alpha", "AC1", "PABAK")
SPARSE_DOCUMENTS, SPARSE_ANNOTATORS, SEEN_BY = 183, 338, (2, 15)
TABLES, SAMPLE = 20_000, 200
OF_TABLES = (*OF_SYSTEMS, "AC1", "pi")

Tools = dict[str, Callable[[], Any]]


T = TypeVar("T", bound=Cells)


def summed(cells: T, weights: Floats) -> T:
    """Return weighted sums over documents (B, K) of fields (D, K) under weights (B, D)."""
    return cells.mapped(lambda counts: weights @ counts)


def with_intervals() -> Task:
    """Time six systems at 50 cutoffs with bootstrap intervals of four measures."""
    from sklearn.metrics import cohen_kappa_score

    import kp_core as kp
    from kp_core.scoring import intervals
    from kp_core.scoring.accumulate import Accumulator
    from kp_core.scoring.measures import parse
    from kp_core.scoring.prepare import prepare
    from kp_core.scoring.systems import count_systems
    from kp_core.studies.evaluate import evaluate

    gold = annotator_choices(DOCUMENTS, 1, CANDIDATES, (1, 1))
    corpus = kp.load(gold=gold, systems=systems(gold, SYSTEMS, CANDIDATES))
    data = prepare(corpus, normalise="none", k=K, universe=CANDIDATES, resamples=RESAMPLES)
    settings, counted, measures = data.settings, count_systems(data), [parse(name) for name in OF_SYSTEMS]

    def weights() -> Any:
        return intervals.resample(DOCUMENTS, RESAMPLES, np.random.default_rng(settings.seed))

    def from_counts(average: str) -> dict[tuple[str, str], Any]:
        accumulator, result = Accumulator("bootstrap"), {}
        accumulator.begin(np.ones(DOCUMENTS, bool), weights())
        for number, (name, counts) in enumerate(counted.items()):
            view = counts.sets.at(K)
            for entry in measures:
                accumulator.add(number, entry, view, average)
                result[name, entry.card.name] = accumulator.estimate(number, entry, average, K)
        return result

    def one_by_one() -> tuple[float, float, float]:
        """Compute the intervals of one system at one cutoff with scikit-learn, from the table of each resample."""
        at, values = counted["system-3"].sets.at([10]), []
        tables = Cells(*(getattr(at, name) for name in CELLS))
        for row in np.vstack([np.ones(DOCUMENTS), weights()]):
            total = summed(tables, row[None])
            cells = [float(x.item()) for x in (total.hits, total.gold_only, total.system_only, total.neither)]
            values.append(cohen_kappa_score([1, 1, 0, 0], [1, 0, 1, 0], sample_weight=cells))
        tail = float(intervals.expanded_tail(DOCUMENTS))
        low, high = np.quantile(values[1:], [tail, 1 - tail])
        return values[0], low, high

    result = from_counts("micro")["system-3", "kappa"]
    equal("kappa and its interval", (result.value[9], result.low[9], result.high[9]), one_by_one())
    frame = evaluate(corpus, settings, measures=OF_SYSTEMS).frame
    row = frame[(frame["system"] == "system-3") & (frame["measure"] == "kappa") & (frame["k"] == 10)]
    equal(
        "kappa in the result",
        row[["value", "low", "high"]].to_numpy()[0],
        (result.value[9], result.low[9], result.high[9]),
    )
    peer = "scikit-learn, kappa alone, pooled tables"
    tools: Tools = {
        "KPScope from counts, micro": lambda: from_counts("micro"),
        "KPScope from counts, macro": lambda: from_counts("macro"),
        "KPScope from the coded corpus to the result, micro": lambda: evaluate(corpus, settings, measures=OF_SYSTEMS),
        peer: one_by_one,
    }
    title = "Intervals: 6 systems, 50 cutoffs, 4 measures, 1,000 resamples, 244 documents"
    return timed(title, tools, scale={peer: len(K) * SYSTEMS}, aim="150 ms")


def dense(gold: pd.DataFrame) -> np.ndarray:
    """Return the items × annotators table that the other libraries need: 1 if the annotator chose the item, else 0."""
    document, _ = pd.factorize(gold["doc_id"])
    annotator, _ = pd.factorize(gold["annotator"])
    candidate = gold["phrase"].str.removeprefix("phrase ").astype(int).to_numpy()
    ratings = np.zeros((DOCUMENTS * CANDIDATES, ANNOTATORS), np.int64)
    ratings[document * CANDIDATES + candidate, annotator] = 1
    return ratings


def of_annotators() -> Task:
    """Time the coefficients of three annotators on 488,000 items."""
    import krippendorff
    from irrCAC.raw import CAC
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    import kp_core as kp
    from kp_core.scoring.codes import code, identify
    from kp_core.scoring.gold import choices
    from kp_core.scoring.measures import parse
    from kp_core.scoring.measures.agreement import panel

    gold = annotator_choices(DOCUMENTS, ANNOTATORS, CANDIDATES, (ANNOTATORS, ANNOTATORS))
    corpus, record = kp.load(gold=gold), kp.Settings(normalise="none")
    coded = code(corpus)
    identities = identify(coded.phrases, record.normalise, False)
    universe, ones = np.full(DOCUMENTS, float(CANDIDATES)), np.ones((1, DOCUMENTS))
    measures = [parse(name) for name in OF_ANNOTATORS]

    def ours() -> dict[str, float]:
        total = summed(panel(choices(coded, identities, record), universe), ones)
        return {entry.card.name: float(entry.scores(total).item()) for entry in measures}

    def from_frames() -> pd.DataFrame:
        loaded = kp.load(gold=gold)
        return kp.agreement(
            loaded, measures=OF_ANNOTATORS, universe=CANDIDATES, normalise="none", interval="none"
        ).frame

    ratings = dense(gold)
    table, counts = pd.DataFrame(ratings), aggregate_raters(ratings, n_cat=2)[0]

    def irr_cac(names: tuple[str, ...]) -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = CAC(table, categories=[0, 1])
            return [float(getattr(peer, name)()["est"]["coefficient_value"]) for name in names]

    four = ("fleiss", "krippendorff", "gwet", "bp")
    tools: Tools = {
        "KPScope: K, alpha, AC1, PABAK": ours,
        "KPScope, from the frame to the whole result": from_frames,
        "the table of 488,000 items, which the peers need": lambda: dense(gold),
        "statsmodels: aggregate_raters, fleiss_kappa": lambda: fleiss_kappa(aggregate_raters(ratings, n_cat=2)[0]),
        "statsmodels: fleiss_kappa, from counts": lambda: fleiss_kappa(counts),
        "irrCAC: K, alpha, AC1, PABAK": lambda: irr_cac(four),
        "irrCAC: K alone": lambda: irr_cac(four[:1]),
        "krippendorff: alpha": lambda: krippendorff.alpha(ratings.T, level_of_measurement="nominal"),
        "krippendorff: alpha, from counts": lambda: krippendorff.alpha(
            value_counts=counts, level_of_measurement="nominal"
        ),
    }
    mine = ours()
    for name in ("statsmodels: aggregate_raters, fleiss_kappa", "statsmodels: fleiss_kappa, from counts"):
        equal(name, mine["K"], tools[name]())
    equal("statsmodels, randolph", mine["PABAK"], fleiss_kappa(counts, method="randolph"))
    for name in ("krippendorff: alpha", "krippendorff: alpha, from counts"):
        equal(name, mine["alpha"], tools[name]())
    equal("irrCAC", list(mine.values()), irr_cac(four), 6e-6)  # it has five digits
    result = from_frames()
    equal("agreement", list(mine.values()), result[result["system"] == "all"].set_index("measure")["value"][list(mine)])
    title = "Annotators: 3 of 244 documents, 488,000 items"
    return timed(title, tools, aim="200 × statsmodels with its aggregation, 100 × irrCAC")


def of_pairs() -> Task:
    """Time all pairs of hundreds of annotators who each saw a few documents."""
    from sklearn.metrics import cohen_kappa_score, f1_score

    import kp_core as kp
    from kp_core.scoring.codes import code, identify
    from kp_core.scoring.gold import choices
    from kp_core.scoring.measures import parse
    from kp_core.scoring.measures.agreement import pairs, pairs_together

    gold = annotator_choices(SPARSE_DOCUMENTS, SPARSE_ANNOTATORS, CANDIDATES, SEEN_BY)
    corpus, record = kp.load(gold=gold), kp.Settings(normalise="none")
    coded = code(corpus)
    identities = identify(coded.phrases, record.normalise, False)
    universe, ones = np.full(SPARSE_DOCUMENTS, float(CANDIDATES)), np.ones((1, SPARSE_DOCUMENTS))
    measures = [parse("kappa"), parse("P_pos")]

    def ours() -> list[np.ndarray]:
        cells, _ = pairs(choices(coded, identities, record), universe)
        total = summed(cells, ones)
        return [measure.scores(total)[0] for measure in measures]

    values, chosen_together = ours(), choices(coded, identities, record)
    first, second = pairs_together(chosen_together.seen)
    _, both_saw = pairs(chosen_together, universe)
    chosen: Mapping[Any, Any] = gold.groupby(["doc_id", "annotator"])["phrase"].agg(list).to_dict()
    labels = {key: np.zeros(CANDIDATES, np.int64) for key in chosen}
    for key, phrases in chosen.items():
        labels[key][[int(phrase.removeprefix("phrase ")) for phrase in phrases]] = 1
    sample = np.linspace(0, len(first) - 1, SAMPLE).astype(int)
    columns = []
    for pair in sample:
        both = [coded.documents[d] for d in np.flatnonzero(both_saw[:, pair])]
        sides = [coded.annotators[side[pair]] for side in (first, second)]
        columns.append([np.concatenate([labels[document, side] for document in both]) for side in sides])

    def peer() -> list[tuple[float, float]]:
        return [(cohen_kappa_score(one, two), f1_score(one, two, zero_division=np.nan)) for one, two in columns]

    equal("pairs", np.transpose([value[sample] for value in values]), peer())
    name = "scikit-learn, from finished labels of each pair"
    base = "KPScope: all pairs, kappa and P_pos"
    tools: Tools = {
        base: ours,
        # all together, each against the others and all pairs; intervals wherever the result has them
        "KPScope, from the coded corpus to the whole result": lambda: kp.agreement(
            corpus, universe=CANDIDATES, normalise="none"
        ),
        name: peer,
    }
    title = f"Annotators: 338 of 183 documents, {len(first):,} pairs with documents in common"
    return timed(title, tools, scale={name: len(first) / SAMPLE}, aim="1 s")


def of_tables() -> Task:
    """Time six measures of 20,000 tables."""
    from sklearn.metrics import cohen_kappa_score, f1_score
    from statsmodels.stats.inter_rater import cohens_kappa

    from kp_core.scoring.measures import parse
    from kp_core.scoring.measures.concordance import table

    rng = np.random.default_rng(0)
    a, b, c = rng.integers(1, 12, (3, TABLES))
    counts = np.stack([a, b, c, CANDIDATES - a - b - c], axis=1)
    columns, measures = counts.T.astype(float), [parse(name) for name in OF_TABLES]
    some = counts[:: TABLES // SAMPLE]
    labels = [(np.repeat([1, 1, 0, 0], row), np.repeat([1, 0, 1, 0], row)) for row in some]

    def ours() -> list[np.ndarray]:
        cells = table(*columns)
        return [one.scores(cells) for one in measures]

    def weighed() -> list[tuple[float, float, float]]:
        one, two = [1, 1, 0, 0], [1, 0, 1, 0]
        return [
            (
                cohen_kappa_score(one, two, sample_weight=row),
                f1_score(one, two, sample_weight=row),
                f1_score(one, two, pos_label=0, sample_weight=row),
            )
            for row in some
        ]

    def labelled() -> list[tuple[float, float, float]]:
        return [
            (cohen_kappa_score(one, two), f1_score(one, two), f1_score(one, two, pos_label=0)) for one, two in labels
        ]

    def statsmodels() -> list[float]:
        return [cohens_kappa(row.reshape(2, 2), return_results=False) for row in some]

    mine = np.transpose(ours())[:: TABLES // SAMPLE]
    equal("tables", mine[:, :3], weighed())
    equal("labels", mine[:, :3], labelled())
    equal("statsmodels", mine[:, 0], statsmodels())
    base = "KPScope: six measures of 20,000 tables"
    tools: Tools = {
        base: ours,
        "scikit-learn, three measures, table as weights": weighed,
        "scikit-learn, three measures, labels": labelled,
        "statsmodels, kappa without error": statsmodels,
    }
    return timed(f"{TABLES:,} concordance tables", tools, scale=dict.fromkeys(list(tools)[1:], TABLES / SAMPLE))


def tasks() -> list[Task]:
    """Return the tasks, after checking for each that its tools give the same values."""
    return [with_intervals(), of_annotators(), of_pairs(), of_tables()]
