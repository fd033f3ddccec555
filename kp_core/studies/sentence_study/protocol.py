"""Learn sentence extracts with decision trees at each threshold of agreement.

Source: Nomoto & Matsumoto 1997: 40 “yes” and 200 “no” sentences at random, ten-fold cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import REASONS, Note, refuse_below
from kp_core.scoring import intervals
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.measures import concordance
from kp_core.scoring.order import reaches
from kp_core.studies import WORDS
from kp_core.studies.result import Numbers
from kp_core.studies.sentence_study.attributes import Extracts, extracts
from kp_core.studies.trimming import THRESHOLDS, Form, at_random

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

INNER_FOLDS = 3
#: Candidate pruning strengths: bits that each leaf must save.
PRUNING = (0.0, 0.005, 0.01, 0.02, 0.04)


def folds(yes: Bools, document: Ints, number: int, grouped: bool, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield training and test sentences of stratified folds; `grouped`: whether documents are kept together."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    number = min(number, int(yes.sum()), int((~yes).sum()), len(np.unique(document)) if grouped else len(yes))
    if number < 2:
        return
    splitter = StratifiedGroupKFold if grouped else StratifiedKFold
    yield from splitter(number, shuffle=True, random_state=seed).split(yes, yes, document if grouped else None)


def decision_tree(pruning: float, seed: int) -> DecisionTreeClassifier:
    """Return a tree to be trained; `pruning` is scikit-learn's ccp_alpha."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=pruning, random_state=seed)


def errors_by_pruning(full_tree: DecisionTreeClassifier, matrix: Floats, yes: Bools) -> Ints:
    """Return the errors of a tree at every strength of `PRUNING` (P,), as if it had been grown with this strength.

    A node becomes a leaf if this costs no more than its cheapest subtree; cost is entropy plus the strength per leaf
    (Breiman et al. 1984, ch. 3).
    """
    arrays = full_tree.tree_
    predicted = full_tree.classes_[arrays.value[:, 0].argmax(axis=1)]
    wrong = np.where(yes[:, None] != predicted, full_tree.decision_path(matrix).toarray(), 0).sum(axis=0)
    errors = np.tile(wrong[:, None], len(PRUNING))  # errors of each node as a leaf, then of its cheapest subtree
    share = arrays.weighted_n_node_samples / arrays.weighted_n_node_samples[0]
    cost = (arrays.impurity * share)[:, None] + np.array(PRUNING)
    for node in np.flatnonzero(arrays.children_left >= 0)[::-1]:  # children follow their parent
        children = [arrays.children_left[node], arrays.children_right[node]]
        becomes_leaf = reaches(cost[children].sum(axis=0), cost[node])
        errors[node] = np.where(becomes_leaf, errors[node], errors[children].sum(axis=0))
        cost[node] = np.minimum(cost[node], cost[children].sum(axis=0))
    return np.asarray(errors[0])


def grow_tree(matrix: Floats, yes: Bools, document: Ints, grouped: bool, seed: int) -> DecisionTreeClassifier:
    """Return a tree grown with the strongest pruning that makes the fewest errors in inner folds."""
    errors = np.zeros(len(PRUNING), np.int64)
    for train, test in folds(yes, document, INNER_FOLDS, grouped, seed):
        errors += errors_by_pruning(decision_tree(0.0, seed).fit(matrix[train], yes[train]), matrix[test], yes[test])
    best = len(PRUNING) - 1 - int(np.argmin(errors[::-1]))
    return decision_tree(PRUNING[best], seed).fit(matrix, yes)


def rules(tree: DecisionTreeClassifier, names: Sequence[tuple[str, str]], rows: Floats, yes: Bools) -> pd.DataFrame:
    """Return one row per leaf of a tree: decision, numbers of sentences in the draw that reach it, simplified rule.

    names: attribute and value (empty for a number) of each column of the rows. A tie means “no”.
    """
    arrays, reached, leaves = tree.tree_, tree.decision_path(rows).toarray(), []

    def follow(node: int, conditions: dict[tuple[str, str, bool], str]) -> None:
        left, right = int(arrays.children_left[node]), int(arrays.children_right[node])
        if left < 0:
            counts = int(reached[yes, node].sum()), int(reached[~yes, node].sum())
            decision = "yes" if counts[0] > counts[1] else "no"
            leaves.append((decision, *counts, " and ".join(conditions.values()) or "no condition"))
            return
        name, value = names[arrays.feature[node]]
        for child, holds in ((right, True), (left, False)) if value else ((left, True), (right, False)):
            condition = condition_of(name, value, float(arrays.threshold[node]), holds)
            follow(child, conditions | {(name, value, holds): condition})

    follow(0, {})
    return pd.DataFrame(leaves, columns=["decision", "yes", "no", "rule"])


def condition_of(attribute: str, value: str, cut: float, holds: bool) -> str:
    """Return the condition of a branch: that a category has the value, or that a number is at most the cut, or not.

    >>> condition_of("attitude", "2", 0.5, False), condition_of("length", "", 80.5, True)
    ('attitude is not 2', 'length ≤ 80.5')
    """
    name = WORDS["attributes"][attribute]["name"]
    if value:
        return f"{name} is {'' if holds else 'not '}{value}"
    # cuts are halfway between two numbers, so 123.5 must not be rounded
    return f"{name} {'≤' if holds else '>'} {cut:.{3 if abs(cut) < 100 else 7}g}"


#: Maximum number of “yes” sentences in a draw, “no” sentences per “yes”, and minimum number of each.
MOST_YES, NO_PER_YES, FEWEST_YES = 40, 5, 10
FOLDS, REPEATS = 10, 20
#: The last two baselines choose a tenth of the sentences, as did the annotators in the source.
CLASSIFIERS = ("C4.5-like tree", "tree, random trimming", "majority class", "lead 10 %", "random 10 %")
TREE, NULL, MAJORITY, LEAD, RANDOM = CLASSIFIERS
RESAMPLES = 1000
MEASURES: dict[str, Callable[[Cells], Floats]] = {
    "accuracy": concordance.observed,
    "P": lambda cells: ratio(cells.hits, cells.returned, np.nan),
    "R": lambda cells: ratio(cells.hits, cells.size, np.nan),
    "F1": concordance.positive,
    "kappa": concordance.kappa,
}
#: Reasons for undefined values, worded for sentences.
_REASONS = REASONS | WORDS["sentence_reasons"]
COLUMNS = ("threshold", "system", "measure", "subset", "value", "low", "high", "repeat_low", "repeat_high", "reason")


@dataclass(frozen=True)
class Design:
    """Design of the study; `grouped`: whether all sentences of a document are in the same fold."""

    form: Form = "binary"
    repeats: int = REPEATS
    grouped: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_below(self.repeats, 1, "repeats")
        refuse_below(self.seed, 0, "seed")


@dataclass(frozen=True)
class Left:
    """Numbers of documents and sentences left at a threshold, and the size of a draw, or why there is no draw."""

    documents: int
    dropped: int
    yes: int
    no: int
    drawn_yes: int
    drawn_no: int
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What remains at the majorities (D,), and R draws, if any.

    * `tables`: (R, systems, 4, D) hits, predicted “yes”, true “yes”, and sentences of each document
    * `importance`: (R, T, F) entropy that each attribute removes in each tree
    * `rules`: those of the tree of the first draw
    """

    majority: Ints
    left: Left
    tables: Floats | None = None
    importance: Floats | None = None
    rules: pd.DataFrame | None = None


def remaining_counts(majority: Ints, yes: Bools, remaining: Bools, grouped: bool = False) -> Left:
    """Return the numbers of sentences left (S,) and drawn: up to 40 “yes”, and up to five “no” per “yes”.

    >>> remaining_counts(np.array([2, 0]), np.arange(100) < 12, np.ones(100, bool))
    Left(documents=1, dropped=1, yes=12, no=88, drawn_yes=12, drawn_no=60, reason='')
    """
    documents, n_yes, n_no = int((majority > 0).sum()), int((yes & remaining).sum()), int((~yes & remaining).sum())
    reasons = {"few_yes": n_yes < FEWEST_YES, "few_no": n_no < FEWEST_YES, "one_document": grouped and documents < 2}
    reason = next((reason for reason, holds in reasons.items() if holds), "")
    drawn_yes = 0 if reason else min(MOST_YES, n_yes)
    dropped = len(majority) - documents
    return Left(documents, dropped, n_yes, n_no, drawn_yes, min(NO_PER_YES * drawn_yes, n_no), reason)


def draw(yes: Bools, remaining: Bools, size: Left, rng: np.random.Generator) -> Ints:
    """Return the sentences of one draw, in order."""
    sides = ((yes & remaining, size.drawn_yes), (~yes & remaining, size.drawn_no))
    return np.sort(np.concatenate([rng.choice(np.flatnonzero(side), number, replace=False) for side, number in sides]))


def cross_validated(
    matrix: Floats, yes: Bools, document: Ints, grouped: bool, rng: np.random.Generator
) -> tuple[Bools, Floats]:
    """Return cross-validated decisions on sentences (S,), and the importance of attributes by tree (T, F)."""
    predicted, importance = np.zeros(len(yes), bool), []
    for train, test in folds(yes, document, FOLDS, grouped, int(rng.integers(2**31))):
        tree = grow_tree(matrix[train], yes[train], document[train], grouped, int(rng.integers(2**31)))
        predicted[test] = tree.predict(matrix[test])
        importance.append(tree.feature_importances_)
    return predicted, np.array(importance)


def run_repeat(
    sentences: Extracts, majority: Ints, size: Left, grouped: bool, seed: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return the table (4, D) of every system on one draw, and the importance of attributes by tree (T, F).

    * `seed`: seed of the study and number of the repetition, also used to draw from the randomly trimmed gold standard
    """
    matrix, document, remaining = sentences.columns.to_numpy(), sentences.document, sentences.left(majority)
    documents = len(majority)

    def learn(yes: Bools) -> tuple[Ints, Bools, Floats]:
        rng = np.random.default_rng(seed)
        rows = draw(yes, remaining, size, rng)
        return rows, *cross_validated(matrix[rows], yes[rows], document[rows], grouped, rng)

    def table(predicted: Bools, yes: Bools, rows: Ints) -> Floats:
        counted = (predicted & yes[rows], predicted, yes[rows], np.ones(len(rows)))
        return np.stack([np.bincount(document[rows], flags, minlength=documents) for flags in counted])

    yes, trimming_rng = sentences.yes(majority), np.random.default_rng((*seed, 1))
    rows, predicted, importance = learn(yes)
    sizes = np.bincount(document, minlength=documents)
    tenths = np.maximum(1, np.floor(0.1 * sizes + 0.5)).astype(np.int64)  # rounded half up
    random_tenth = at_random(np.ones(len(yes), np.int64), document, tenths, trimming_rng)
    random_choice = at_random(sentences.votes, document, np.bincount(document[yes], minlength=documents), trimming_rng)
    random_rows, random_predicted, _ = learn(random_choice)
    baselines = (np.zeros(len(rows), bool), (sentences.position < tenths[document])[rows], random_tenth[rows])
    tables = [table(predicted, yes, rows), table(random_predicted, random_choice, random_rows)]
    return np.stack([*tables, *(table(other, yes, rows) for other in baselines)]), importance


def run_at_majority(sentences: Extracts, majority: Ints, design: Design) -> Outcome:
    """Return the outcome if a sentence of each document needs this many votes (D,), where 0 leaves the document out."""
    yes, remaining = sentences.yes(majority), sentences.left(majority)
    size = remaining_counts(majority, yes, remaining, design.grouped)
    if size.reason:
        return Outcome(majority, size)
    seeds = [(design.seed, number) for number in range(design.repeats)]
    draws = [run_repeat(sentences, majority, size, design.grouped, seed) for seed in seeds]
    rows = draw(yes, remaining, size, np.random.default_rng((design.seed, 0)))
    matrix = sentences.columns.to_numpy()[rows]
    tree = grow_tree(matrix, yes[rows], sentences.document[rows], design.grouped, design.seed)
    tables, importance = (np.stack(arrays) for arrays in zip(*draws, strict=True))
    return Outcome(majority, size, tables, importance, rules(tree, list(sentences.columns), matrix, yes[rows]))


@dataclass(frozen=True, kw_only=True)
class SentenceStudy(Numbers):
    """Sentence study over thresholds of agreement.

    Attributes
    ----------
    frame : DataFrame
        One row per threshold, system, measure and subset: value over all draws, 95% bootstrap interval over documents
        (trees fixed), and range of 95% of the draws.
    left : DataFrame
        One row per threshold: documents and sentences left and drawn, or the reason if there are no draws.
    used : DataFrame
        One row per threshold and attribute: share of the trees that use the attribute, and its mean importance.
    trees : dict
        Threshold → rules of the tree of the first draw.
    """

    left: pd.DataFrame
    used: pd.DataFrame
    trees: dict[float, pd.DataFrame]
    caption: str = "Sentence study"
    kind: str = "kps-sentences"


def sentence_study(
    corpus: Corpus,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    attributes: pd.DataFrame | None = None,
    form: Form = "binary",
    repeats: int = REPEATS,
    grouped: bool = False,
    seed: int = 0,
) -> SentenceStudy:
    """Learn which sentences people choose, at each threshold of agreement, and evaluate the predictions.

    Parameters
    ----------
    corpus : Corpus
        Texts, and a gold standard of sentence ids (see `list_sentences`) chosen by two or more annotators.
    thresholds : sequence of float
        Thresholds of K.
    attributes : DataFrame, optional
        Table with a column `sentence` and attributes that replace computed ones.
    form : "binary" or "choices"
        Form of trimming; see `trim`.
    repeats : int
        Number of draws per threshold.
    grouped : bool
        Whether all sentences of a document are in the same fold (stricter than the source).

    References
    ----------
    Nomoto & Matsumoto 1997, reconstructed where it lacks formulas; the tree is not C4.5.
    """
    design = Design(form, repeats, grouped, seed)
    sentences = extracts(corpus, attributes, form)
    by_majority: dict[tuple[int, ...], Outcome] = {}
    outcomes = {}
    for threshold in thresholds:
        majority = sentences.majority(threshold)
        votes = tuple(majority.tolist())
        if votes not in by_majority:
            by_majority[votes] = run_at_majority(sentences, majority, design)
        outcomes[float(threshold)] = by_majority[votes]
    return assemble(sentences, outcomes, design)


def assemble(sentences: Extracts, outcomes: dict[float, Outcome], design: Design) -> SentenceStudy:
    """Return the study from the outcomes of its thresholds."""
    rows, usage = [], []
    for threshold, outcome in outcomes.items():
        if outcome.tables is not None and outcome.importance is not None:
            rows += [(threshold, *row) for row in _rows(sentences, outcome.majority, outcome.tables, design.seed)]
            removed = pd.DataFrame(np.concatenate(outcome.importance), columns=sentences.columns.columns)
            removed = removed.T.groupby(level=0, sort=False).sum().T
            shares = zip(removed.columns, (removed > 0).mean(), removed.mean(), strict=True)
            usage += [(threshold, *row) for row in shares]
    left = pd.DataFrame([{"threshold": threshold} | vars(outcome.left) for threshold, outcome in outcomes.items()])
    left = left.assign(reason=[REASONS.get(reason) for reason in left["reason"]]).astype({"reason": object})
    settings = {"t": ",".join(f"{threshold:g}" for threshold in outcomes), "form": design.form}
    settings |= {"draw": f"{MOST_YES}+{MOST_YES * NO_PER_YES}", "folds": str(FOLDS), "repeats": str(design.repeats)}
    settings |= {"grouped": "yes" if design.grouped else "no", "seed": str(design.seed), "learner": "c4.5-like"}
    frame, notes = pd.DataFrame(rows, columns=list(COLUMNS)), (*sentences.notes, *_notes(outcomes))
    importance = pd.DataFrame(usage, columns=["threshold", "attribute", "share", "importance"])
    trees = {threshold: outcome.rules for threshold, outcome in outcomes.items() if outcome.rules is not None}
    return SentenceStudy(frame, settings, notes, left=left, used=importance, trees=trees)


def _rows(sentences: Extracts, majority: Ints, tables: Floats, seed: int) -> list[tuple[Any, ...]]:
    groups, kept = np.array(sentences.groups), majority > 0
    types = sorted(set(groups[kept]) - {""})
    subsets = {"all": kept}
    if len(types) > 1:
        subsets |= {f"group:{kind}": kept & (groups == kind) for kind in types}
    weights = {
        subset: intervals.resample(int(mask.sum()), RESAMPLES, np.random.default_rng(seed))
        for subset, mask in subsets.items()
    }
    rows: list[tuple[Any, ...]] = []
    for index, system in enumerate(CLASSIFIERS):
        for subset, mask in subsets.items():
            counts = tables[:, index][:, :, mask]
            sums = counts.sum(axis=(0, 2))[:, None], counts.sum(axis=2).T, (weights[subset] @ counts.sum(axis=0).T).T
            total, draws, resampled = (Cells(*table[[0, 1, 2, 3, 1]]) for table in sums)
            for measure, score in MEASURES.items():
                value = float(score(total)[0])
                tails: tuple[tuple[Cells, Floats | float], ...]
                tails = (resampled, intervals.expanded_tail(mask.sum())), (draws, 0.025)
                bounds = (x for cells, tail in tails for x in intervals.percentile(score(cells)[:, None], tail))
                reason = _REASONS[str(concordance.status(total)[0])] if np.isnan(value) else None
                rows.append((system, measure, subset, value, *(float(bound[0]) for bound in bounds), reason))
    return rows


def _notes(outcomes: dict[float, Outcome]) -> list[Note]:
    notes, left = [], {f"{threshold:g}": outcome.left for threshold, outcome in outcomes.items()}
    for reason in dict.fromkeys(size.reason for size in left.values() if size.reason):
        at = ", ".join(threshold for threshold, size in left.items() if size.reason == reason)
        notes.append(Note("warning", "draws", f"the study does not run at {at}: {REASONS[reason]}"))
    few_yes = {t: size.drawn_yes for t, size in left.items() if 0 < size.drawn_yes < MOST_YES}
    if at := ", ".join(f"{number} at {threshold}" for threshold, number in few_yes.items()):
        notes.append(Note("info", "draws", f"fewer than {MOST_YES} sentences are “yes”, so all are drawn: {at}"))
    few_no = {t: size.drawn_no for t, size in left.items() if size.drawn_no < NO_PER_YES * size.drawn_yes}
    if at := ", ".join(f"{number} at {threshold}" for threshold, number in few_no.items()):
        text = f"there are fewer than {NO_PER_YES} “no” for each “yes”, so all are drawn: {at}"
        notes.append(Note("warning", "draws", text))
    return notes
