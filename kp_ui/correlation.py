"""Arrange the correlation study: its options, the forest plot, subsets, tests, and the published tables."""

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
from kp_ui import cached, controls, prose, rating, results, show, workspace

_STEMMERS = ("porter-nltk", "porter-original", *(f"snowball-{code}" for code in SNOWBALL))


def section() -> None:
    """Show which measure agrees best with people, over all pairs and by what they are, and how certain that is."""
    judged = rating.with_ratings()
    if not len(judged):
        results.lacks(prose.text("correlation.none"))
        return
    said = st.container()
    left, right = st.columns([7, 4], gap="small")
    with st.expander("Measures, human score, correlation"):
        average, ask = choose(judged)
    if ask is None:
        return
    with right:  # the values are there long before the tests
        show.chart(dots.forest(ask(False), average), "forest")
    with left:
        study = ask(True)
        _overall(study, average)
    with said:
        why = cached.of((judged,), _told(), _rests_on)
        show.answer(Answer(statements.best_measure(study, average), "people", why))
    controls.tabs(
        "correlation_tab",
        {
            "Location, complexity, part of speech": lambda: _subsets(study, average),
            "Which measures differ": lambda: _certainty(study, average),
            "Annotators": lambda: _raters(judged),
            "Every pair": lambda: _behind(study),
        },
    )
    show.recipe(study)


def _told() -> str:
    """Tell judgements apart whose files are the same: by the ratings made here."""
    return str(rating.ratings().to_csv(index=False))


def _rests_on(judged: pd.DataFrame) -> str:
    """Say how many pairs and people are behind the numbers, and how far the people agree."""
    scores = score_matrix(judged)
    said = [show.counted(len(scores), "judged pair"), show.counted(len(scores.columns), "annotator")]
    if len(scores.columns) > 1:
        said.append(f"Krippendorff's alpha {number(ordinal_alpha(scores.to_numpy()))} (ordered scores)")
    return f"{', '.join(said)}."


def choose(judged: pd.DataFrame) -> tuple[str, Callable[[bool], kp.CorrelationStudy] | None]:
    """Let the user choose measures and options; return how scores are combined, and the study with or without tests."""
    first, second, third, fourth = st.columns(4)
    average = controls.choice("Human score", ["average", "majority"], "human", inside=first)
    kinds: list[Correlation] = ["spearman", "pearson", "kendall"]
    name = controls.choice("Correlation", kinds, "correlation", inside=second)
    preset = controls.choice("Words", ["paper-like", "same-tokens"], "words", inside=third)
    stemmer = controls.choice("Stemmer", _STEMMERS, "pair_stemmer", inside=fourth)
    columns = [f"column:{name}" if name in kp.SIMILARITIES else name for name in numeric_columns(judged)]
    options = [*(name for name in kp.SIMILARITIES if name != "embedding"), *columns]
    measures = controls.several("Measures", options, [*PAPER, *SENTINELS], "similarities")
    with st.popover("What the measures say"):
        st.markdown(show.meanings(measures))
    by = controls.several("Broken down by", BREAKDOWNS, DEFAULT_BY, "by")
    paper = controls.switch("Group the pairs as in the published study: contiguous near misses only", "paper")
    if not measures:
        st.info("Choose at least one measure.")
        return average, None
    options_of: dict[str, Any] = {"paper": paper, "preset": preset, "stemmer": stemmer}

    def ask(tested: bool) -> kp.CorrelationStudy:
        study = Study(correlation=name, test="perm-both" if tested else "none")
        parts = tuple(by) if tested else ()
        data = replace(workspace.corpus(), judgements=judged)
        return cached.of((data,), _told(), kp.correlate, tuple(measures), parts, study=study, **options_of)

    return average, ask


def _overall(study: kp.CorrelationStudy, average: str) -> None:
    results.table(screen_tables.overall(study, average), "overall")
    show.about("correlation.overall")
    show.downloads(study.frame, "correlation", "Correlation with human scores", study.signature)
    lost = study.found.not_beating(average=average) if "candidate-length" in set(study.frame["measure"]) else []
    lost = [name for name in lost if name not in SENTINELS]
    if lost:
        show.small(f"Not significantly better than the mere length of the candidate: {', '.join(lost)}.")


def _subsets(study: kp.CorrelationStudy, average: str) -> None:
    wide, marked = screen_tables.by_subset(study.frame, average)
    # the sentinels stand in the table of all pairs, and here would take the width of the screen
    shown = wide.drop(columns=list(SENTINELS), errors="ignore")
    _marked(shown, marked[shown.columns], "by_subset", 3)
    show.about("correlation.subsets")
    show.downloads(wide, "correlation_by_subset", "Correlation by subset", study.signature)
    with st.expander("Pooled, and within subsets"):
        st.caption("Where the two differ much, the pooled value comes from differences between the subsets.")
        for kind in (name for name in BREAKDOWNS if study.frame["subset"].str.startswith(f"{name}:").any()):
            st.markdown(f"**{show.plain(kind)}**: {show.plain(BREAKDOWNS[kind])}")
            results.table(pooled_and_within(study.frame[study.frame["average"] == average], kind), f"within {kind}")


def _certainty(study: kp.CorrelationStudy, average: str) -> None:
    if study.found.tests.empty:
        st.caption("There are not two measures that can be compared.")
        return
    show.chart(heat_maps.p_map(study, average), "p_map")
    show.small(prose.text("correlation.tests", trials=study.found.study.trials, seed=study.found.study.seed))
    with st.expander("Table of the tests, and the majority under each tie rule"):
        tests = study.found.tests
        results.table(tests[tests["average"] == average].drop(columns="average"), "tests")
        show.about("correlation.ties", pairs=show.counted(study.found.tied, "pair"))
        results.table(study.found.tie_range, "tie_range")


def _raters(judged: pd.DataFrame) -> None:
    scores = score_matrix(judged)
    if len(scores.columns) < 2:
        return
    names = {"a": "first", "b": "second", "n": "pairs", "equal": "same score", "kappa": "quadratic weighted kappa"}
    results.table(pairwise_agreement(scores).rename(columns=names), "raters")


def _behind(study: kp.CorrelationStudy) -> None:
    results.table(study.pairs, "judged_pairs", height=400)
    show.downloads(study.pairs, "judged_pairs", "Judged pairs with the values of all measures")


def published() -> None:
    """Show the published tables with suspected misprints marked, and the paper's claims against its cells."""
    show.small(prose.text("correlation.published", source=paper_of_2010.SOURCE))
    average = controls.views("Human score of the paper", ["average", "majority"], "published_human")
    wide, marks, suspects = paper_of_2010.printed(average)
    css = pd.DataFrame("", wide.index, wide.columns)
    css[marks.columns] = marks.map(lambda on: "background-color: rgba(230, 159, 0, 0.35)" if on else "")
    _marked(wide, css, "published", 4)
    st.caption("Marked cells look misprinted; they are shown as printed.")
    results.table(suspects, "suspects")
    with st.expander("What the paper says about its tables, checked against their cells"):
        results.table(paper_of_2010.table("claims"), "claims")
    with st.expander("Mean human scores, and sizes of the data"):
        results.table(paper_of_2010.table("scores"), "published_scores")
        results.table(paper_of_2010.table("data"), "published_data")


def _marked(shown: pd.DataFrame, css: pd.DataFrame, key: str, decimals: int) -> None:
    column = st.column_config.NumberColumn
    config = {name: column(name, format=f"%.{decimals}f", width=72) for name in shown.columns[1:]}
    look = shown.style.apply(lambda _: css, axis=None)
    st.dataframe(look, key=key, hide_index=True, column_config=config, placeholder="", height="content")
