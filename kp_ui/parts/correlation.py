"""Arrange the correlation study: its options, forest plot, subsets, and tests, and the published tables."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import dots, heat_maps, screen_tables
from kp_core.studies.answer import Answer
from kp_core.studies.correlation import kim2010 as paper_of_2010
from kp_core.studies.correlation.breakdowns import BREAKDOWNS, DEFAULT_BY, pooled_and_within
from kp_core.studies.correlation.coefficients import Correlation
from kp_core.studies.correlation.correlate import PAPER, SENTINELS, numeric_columns
from kp_core.studies.correlation.estimates import Study
from kp_core.studies.correlation.human import ordinal_alpha, pairwise_agreement, score_matrix
from kp_core.text.stem import SNOWBALL
from kp_core.typeset import number
from kp_core.words import statements
from kp_ui.parts import rating
from kp_ui.state import cached, workspace
from kp_ui.widgets import controls, prose, show, tables

_STEMMERS = ("porter-nltk", "porter-original", *(f"snowball-{code}" for code in SNOWBALL))


KINDS = {"All": "all", "Location": "location:", "Complexity": "complexity:", "Part of speech": "pos:", "Length": "L<="}


def section() -> None:
    """Show which measure agrees best with people, for all pairs and by subset, with tests of the differences."""
    judged = rating.with_ratings()
    if not len(judged):
        show.missing_data(prose.text("correlation.none"))
        return
    header = st.container()
    kind = KINDS[controls.views("Pairs", KINDS, "pairs")]
    left, right = st.columns([1, 1], gap="medium")
    with controls.folded("Measures, human score, correlation", icon=":material/tune:"):
        average, correlate = choose(judged)
    with left:  # values take much less time than tests
        plot = dots.correlations(correlate(kind != "all"), average, kind, paper_of_2010.printed_values(average))
        show.chart(plot, "forest", "correlation with people", note="correlation.read")
    with right:
        study = correlate(True)
        if kind == "all":
            _all_pairs(study, average)
        else:
            _subsets(study, average, kind)
    with header:
        claim, reason = statements.best_measure(study, average)
        show.answer(Answer(claim, "people", f"{reason} {cached.call((judged,), _ratings_key(), _data_in_words)}"))
    caption = "Judged pairs with the values of all measures"
    controls.tabs(
        "correlation_tab",
        {
            "Which measures differ": lambda: _certainty(study, average),
            "Pooled, and within subsets": lambda: _pooled(study, average),
            "Annotators": lambda: _raters(judged),
            "Every pair": lambda: tables.table(study.pairs, "judged_pairs", take=caption, height=400),
        },
    )
    show.provenance(study)


def _ratings_key() -> str:
    """Return a cache key for the judgments: the ratings of this session as text."""
    return str(rating.ratings().to_csv(index=False))


def _data_in_words(judged: pd.DataFrame) -> str:
    scores = score_matrix(judged)
    counts = [show.pluralize(len(scores.columns), "annotator")]
    if len(scores.columns) > 1:
        counts.append(f"Krippendorff's alpha {number(ordinal_alpha(scores.to_numpy()))} (ordered scores)")
    return f"{', '.join(counts)}."


def choose(judged: pd.DataFrame) -> tuple[str, Callable[[bool], kp.CorrelationStudy]]:
    """Let the user choose measures and options; return how scores are combined, and a function that runs the study.

    The function takes whether to test differences.
    """
    coefficients: list[Correlation] = ["spearman", "pearson", "kendall"]
    with st.container(horizontal=True):
        average = controls.select("Human score", ["average", "majority"], "human")
        name = controls.select("Correlation", coefficients, "correlation")
        preset = controls.select("Words", ["paper-like", "same-tokens"], "words")
        stemmer = controls.select("Stemmer", _STEMMERS, "pair_stemmer")
    columns = [f"column:{name}" if name in kp.SIMILARITIES else name for name in numeric_columns(judged)]
    unavailable = set() if workspace.corpus().vocabulary.has_similarities else {"given"}
    options = [*(name for name in kp.SIMILARITIES if name not in unavailable), *columns]
    measures = controls.several("Measures", options, [*PAPER, *SENTINELS], "similarities")
    with st.popover("What the measures mean"):
        st.markdown(show.meanings(measures))
    by = controls.several("Broken down by", BREAKDOWNS, DEFAULT_BY, "by")
    paper = controls.switch("Group the pairs as in the published study: contiguous near misses only", "paper")
    if not measures:
        raise kp.UsageError("choose at least one measure")
    further: dict[str, Any] = {"paper": paper, "preset": preset, "stemmer": stemmer}
    data = replace(workspace.corpus(), judgements=judged)

    def correlate(tested: bool) -> kp.CorrelationStudy:
        study, parts = Study(correlation=name, test="perm-both" if tested else "none"), tuple(by) if tested else ()
        return cached.call((data,), _ratings_key(), kp.correlate, tuple(measures), parts, study=study, **further)

    return average, correlate


def _all_pairs(study: kp.CorrelationStudy, average: str) -> None:
    tables.rows(screen_tables.overall(study, average), missing="–")
    show.about("correlation.overall")
    show.downloads(study.frame, "Correlation with human scores")
    not_better = study.found.not_beating(average=average) if "candidate-length" in set(study.frame["measure"]) else []
    if not_better := [name for name in not_better if name not in SENTINELS]:
        show.small(f"Not significantly better than the length of the candidate alone: {', '.join(not_better)}.")


def _subsets(study: kp.CorrelationStudy, average: str, kind: str) -> None:
    by_subset, best = screen_tables.by_subset(study.frame, average)
    subsets = study.frame[study.frame["average"] == average]["subset"].unique()
    positions = [position for position, name in enumerate(subsets) if name == "all" or str(name).startswith(kind)]
    # the table of all pairs has the sentinels, for which there is no room in this one
    shown = by_subset.drop(columns=list(SENTINELS), errors="ignore").iloc[positions].reset_index(drop=True)
    _show_marked(shown, best[[name for name in shown if name in best]].iloc[positions].reset_index(drop=True))
    if empty := shown.loc[shown.iloc[:, 2:].isna().all(axis=1), "pairs"].tolist():
        show.small(f"Subsets without a value: {', '.join(empty)}.")
    show.about("correlation.subsets")
    show.downloads(by_subset, "Correlation by subset")


def _pooled(study: kp.CorrelationStudy, average: str) -> None:
    show.about("correlation.pooled")
    for kind in (name for name in BREAKDOWNS if study.frame["subset"].str.startswith(f"{name}:").any()):
        st.markdown(f"**{show.plain(kind)}**: {show.plain(BREAKDOWNS[kind])}")
        tables.table(pooled_and_within(study.frame[study.frame["average"] == average], kind), f"within {kind}")


def _certainty(study: kp.CorrelationStudy, average: str) -> None:
    if (tests := study.found.tests).empty:
        st.caption("There are no two measures that can be compared.")
        return
    show.chart(heat_maps.p_map(study, average), "p_map")
    show.small(prose.text("correlation.tests", trials=study.found.study.trials, seed=study.found.study.seed))
    with st.expander("Table of the tests, and the majority under each tie rule"):
        tables.table(tests[tests["average"] == average].drop(columns="average"), "tests")
        show.about("correlation.ties", pairs=show.pluralize(study.found.tied, "pair"))
        tables.table(study.found.tie_range, "tie_range")


def _raters(judged: pd.DataFrame) -> None:
    names = {"a": "first", "b": "second", "n": "pairs", "equal": "same score", "kappa": "quadratic weighted kappa"}
    if len(pairs := pairwise_agreement(score_matrix(judged))):
        tables.table(pairs.rename(columns=names), "raters")


def published() -> None:
    """Show the published tables with suspected misprints marked, and the paper's claims checked against its numbers."""
    show.small(prose.text("correlation.published", source=paper_of_2010.SOURCE))
    average = controls.views("Human score of the paper", ["average", "majority"], "published_human")
    wide, marks, suspects = paper_of_2010.printed_table(average)
    _show_marked(wide, marks.map(lambda on: "suspect" if on else ""))
    st.caption("Marked cells look misprinted; they are shown as printed.")
    tables.table(suspects, "suspects")
    with st.expander("The paper’s claims about its tables, checked against the cells"):
        tables.table(paper_of_2010.table("claims"), "claims")
    with st.expander("Mean human scores, and sizes of the data"):
        tables.table(paper_of_2010.table("scores"), "published_scores")
        data = paper_of_2010.table("data")
        tables.table(data.assign(value=data["value"].map("{:,g}".format)), "published_data")


def _show_marked(shown: pd.DataFrame, css_classes: pd.DataFrame) -> None:
    tables.rows(shown, lambda row, column: str(css_classes.loc[row, column]) if column in css_classes else "", "")
