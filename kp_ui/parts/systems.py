"""Arrange the Systems page: head to head, concordance tables, measures, curves, near misses, parts, stability."""

from contextlib import suppress
from typing import Any, cast, get_args

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, heat_maps, screen_tables
from kp_core.charts.selection import NEAR, has_curve, named
from kp_core.scoring.measures import parse
from kp_core.scoring.order import exceeds
from kp_core.scoring.paired import CORRECTIONS, TESTS, Correction, Family
from kp_core.scoring.runs import OVER_RUNS, have_runs, runs_of
from kp_core.similarity.relation import TYPES
from kp_core.studies.compare import compare_parts
from kp_core.studies.document_values import tables_by_document
from kp_core.studies.evaluate import interval_table
from kp_core.studies.parts import DATASET, PARTS
from kp_core.studies.published_tables import LECTURE_SYSTEMS, describe_recovered, spans
from kp_core.studies.stability import By
from kp_core.takeaway import methods
from kp_core.typeset import CELLS, say
from kp_core.words import statements
from kp_ui.parts import results
from kp_ui.state import cached, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

GROUPS = {
    "Found among the first k": ("P@k", "R@k", "F1@k", "success@k", "hits@k"),
    "Order of the first k": ("nDCG@k", "nDCG-exp@k", "MAP@k", "MRR@k"),
    "Order of the whole list": ("MAP", "MRR", "nDCG", "nDCG-exp", "RBP", "bpref"),
    "At gold size, and the whole list": ("Rprec", "P@M", "R@M", "F1@M"),
}

OVER_K = ("P@k", "R@k", "F1@k", "kappa", "PABAK", "nDCG@k")
NEAR_VIEWS = ("What is nearly right", "If near misses counted")
_SIMILARITIES = (
    *("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1-F", "jaccard", "dice"),
    *("levenshtein", "jaro-winkler", "token-set", "chrF", "stem-exact"),
)
_ONE_SYSTEM = "One system is loaded. Load a second one to compare them."
VIEWS = ("Other measures, cutoffs, gold standards", "Other published conventions")


def measures() -> None:
    """Show a group of measures of ranked lists, and test the differences in the current measure."""
    grouped = sum(GROUPS.values(), ())
    others = [name for name in settings.measures() if kp.MEASURES[name].family != "concordance" and name not in grouped]
    groups = GROUPS | ({"Others": tuple(others)} if others else {})
    header, cutoff = st.container(), settings.cutoff()
    chosen = controls.views("Group of measures", groups, "group")
    people = results.people()
    all_measures = tuple(name for names in groups.values() for name in names if not name.endswith("@M"))
    result = cached.evaluation(all_measures, baselines=True, leave_one_out=people).at(cutoff)
    names = [named(name, cutoff) for name in groups[chosen]]
    tests = {named(name, cutoff): comparison for name in groups[chosen] if (comparison := cached.compare_pairs(name))}
    show.lead(statements.leaders(tests, "by"), header)
    table = screen_tables.in_order(screen_tables.with_intervals(result, names), results.best_first())
    marked_table = table if people else screen_tables.marked(table, tests)  # people are scored on another gold standard
    tables.table(marked_table, chosen, result.documents, best=screen_tables.best_cells(result, names))
    test = "t test over documents and runs" if have_runs(workspace.corpus().systems) else "paired randomization test"
    show.about("systems.measures", test=test)
    results.reasons(screen_tables.only(result, names))
    show.provenance(result, (result.frame, "Ranking measures"))
    _certainty()


def against() -> None:
    """Compare two systems: the difference over k and by document, and keyphrases that only one of them finds."""
    names = results.best_first()
    if len(names) < 2:
        raise kp.UsageError(_ONE_SYSTEM)
    header = st.container()
    with controls.folded("Systems", icon=":material/compare_arrows:"):
        a = results.choose_system("First system", "against_a", names)
        others = [name for name in names if name != a]
        runs = next(runs for runs in runs_of(names).values() if a in runs)
        start = next((index for index, name in enumerate(others) if name not in runs), 0)  # prefer another system
        b = results.choose_system("Second system", "against_b", others, start=start)
    pair = cached.on_screen(kp.head_to_head, settings.value("measure"), a=a, b=b)
    show.lead(statements.of_two(pair), header)
    results.few(pair)
    first, second = st.columns([3, 2], gap="medium")
    with first:
        show.choosing_k(curves.difference(pair, settings.cutoff()), "against_over_k", f"{a} minus {b} over k")
    with second:
        tables.document_table(pair.by_document, f"{a} and {b} by document")
    show.subheader("Keyphrases that only one of them finds")
    for column, name in zip(st.columns(2, gap="medium"), (a, b), strict=True):
        with column:
            phrases = pair.phrases[pair.phrases["found by"] == name].drop(columns="found by")
            st.markdown(f"**Only {show.plain(show.in_short(name))}**: {show.pluralize(len(phrases), 'keyphrase')}")
            tables.table(phrases, f"only {name}", take=f"keyphrases found by {name} alone")
    show.downloads(pair.frame, f"{a} minus {b} over k")
    show.signature(pair.signature)


def _certainty() -> None:
    measure, systems = settings.value("measure"), workspace.corpus().systems
    name = named(measure, settings.cutoff())
    show.subheader(f"Is the difference in {show.plain(show.head(name))} significant?")
    if len(systems) < 2:
        show.small(_ONE_SYSTEM)
        return
    with st.container(horizontal=True):
        tests = [name for name in TESTS if (name in OVER_RUNS) == have_runs(systems)]
        test = controls.select("Test", tests, "test")
        correction = cast(Correction, controls.select("Correction", CORRECTIONS, "correction"))
    paragraph = st.container()  # filled last, because the number of documents needed takes longer than all tests
    tested(cached.on_screen(kp.compare, measure, test=test, correction=correction), name)
    verdict = cached.on_screen(kp.answer, measure, family=Family(measure, test, correction))
    paragraph.markdown(show.plain(show.in_short(" ".join((verdict.claim, *verdict.caveats, verdict.why)))))


def over_k() -> None:
    """Show curves of measures over k in small charts, and precision against recall."""
    current, header = settings.value("measure"), st.container()
    offered = [name for name in dict.fromkeys((*OVER_K, current, *settings.measures())) if has_curve(name)][:10]
    pills: dict[str, Any] = {"selection_mode": "multi", "format_func": show.head, "label_visibility": "collapsed"}
    chosen = controls.several("Measures", offered, OVER_K, "over", st.pills, **pills)
    people = results.people()
    result = cached.evaluation(tuple(dict.fromkeys([*chosen, "P@k", "R@k"])), baselines=True, leave_one_out=people)
    if chosen:
        results.small_curves(result, chosen)
        lead_measure = current if current in chosen else chosen[0]
        show.lead(statements.leaders_over_k(lead_measure, cached.over_k(lead_measure)), header)
    with st.expander("Precision and recall as k grows"):
        show.chart(curves.precision_recall(result, settings.cutoff()), "precision_recall", "precision and recall")
    for name in chosen:
        show.downloads(screen_tables.curves(result, name), f"{name} over k", result.signature)
    show.provenance(result.at(settings.cutoff()))


def near_misses() -> None:
    """Show near misses by type and system with examples, or scores in which near misses count."""
    misses, header = cached.near_misses(), st.container()
    if controls.views("Look at", NEAR_VIEWS, "near") == NEAR_VIEWS[1]:
        _soft()
        return
    show.lead(statements.nearly_right(misses.shares(), results.best_first()), header)
    for note in misses.notes:
        if note.where in workspace.corpus().systems:  # why EXACT and MORPH differ from the hits
            show.small(show.in_short(f"{note.where}: {note.message.rstrip('.')}."))
    counted = controls.views("Count", ["predictions", "gold entries"], "side")
    counts = misses.counts("gold" if counted == "gold entries" else "predictions")
    counts, shares = (screen_tables.in_order(table, results.best_first()) for table in (counts, misses.shares()))
    show.downloads(counts, f"Types of near misses, {counted}")
    left, right = st.columns(2, gap="medium")
    with left:
        show.chart(dots.type_bars(counts, counted), "types")
    with right:
        tables.table(screen_tables.shown(shares, "near_shares"), "shares", note="near_misses.near")
        show.small(f"{'; '.join(f'{NEAR[name]}: {words}' for name, words in TYPES.items())}.")
    show.signature(cached.signature("F1@k"))
    show.subheader("The most frequent near misses")
    with st.container(horizontal=True):
        system = results.choose_system("System", "system")
        near_type = controls.select("Type", ["all", *list(NEAR.values())[1:-1]], "near_type")
    examples, near_miss_list = screen_tables.near_tables(misses, system, near_type)
    if not len(examples):
        raise kp.UsageError("this system has no such near miss")
    tables.table(examples, "examples")
    with st.expander("All of these near misses, with their documents"):
        tables.document_table(near_miss_list, f"Near misses of {system}")


def _soft() -> None:
    is_best, cutoff = settings.settings().matching == "best", settings.cutoff()
    show.about("near_misses.best" if is_best else "near_misses.soft")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = controls.select("What counts", [*kp.SOFT_PRESETS, "own choice"], "soft", 3)
        chosen = kp.SOFT_PRESETS.get(preset)
        if chosen is None:
            given_option = ("given",) if workspace.corpus().vocabulary.has_similarities else ()
            name = controls.select("Similarity", (*given_option, *_SIMILARITIES), "similarity")
            tau = controls.amount("Threshold", 0.05, 1.0, 0.8, "tau", st.slider, step=0.05, width=200)
            chosen = kp.Soft(name, tau, controls.select("A pair counts", ["weighted", "count"], "soft_hits"))
    meaning = methods.sentence(chosen.similarity)
    show.small(f"{chosen.similarity} of at least {chosen.tau:g}, {chosen.hits}. {meaning}")
    soft = cached.on_corpus(kp.soft_evaluate, cached.at_every_number(), chosen)
    exact = cached.evaluation(("P@k", "R@k", "F1@k"))
    left, right = st.columns(2, gap="medium")
    with left:
        comparison = screen_tables.beside_exact(soft.frame, exact.frame, cutoff)
        tables.table(screen_tables.in_order(comparison, results.best_first()), "soft_scores")
        show.provenance(soft, (soft.frame, "Soft scores"))
    with right:
        st.markdown("**Soft F1 over k**")
        show.chart(curves.over_k(soft, "F1@k", results.marks()), "soft_over_k", "Soft F1 over k")


def tested(comparison: kp.Comparison, name: str) -> None:
    """Show the results of the tests of all pairs, effect sizes, and ranks."""
    show.notes(note for note in comparison.notes if note.level == "warning")
    first, second, third = st.tabs(["Pairs", "Effect sizes", "Ranks"])
    with first:
        has_map = len(comparison.scores) >= heat_maps.FEWEST
        left, *right = st.columns([4, 3], gap="medium") if has_map else [st.container()]
        with left:
            tables.table(screen_tables.pairs(comparison), "pairs", comparison.documents)
        for column in right:
            with column:
                show.chart(heat_maps.pair_map(comparison, name), "pair_map", note="comparison.star")
    with second:
        effects = screen_tables.shown(comparison.wide(comparison.effects), "effects")
        tables.table(effects, "effects", note="comparison.effects")
    with third:
        tables.table(screen_tables.ranks(comparison), "ranks", note="comparison.ranks")
    show.small(f"Test: {comparison.test}; {statements.NOT_EQUAL}.")
    show.downloads(comparison.frame, f"Pairs of systems, {name}", comparison.signature)


def _conventions(measure: str) -> None:
    sensitivity = cached.sensitivity(measure)
    show.lead(statements.range_of(sensitivity))
    _printed(sensitivity)
    show.chart(dots.strip(sensitivity, statements.range_of(sensitivity)), "strip", note="comparison.spread")
    tables.table(sensitivity.ranges, "ranges", take=f"{measure} under other conventions, ranges")
    with st.expander("Effect of changing a single convention"):
        tables.table(screen_tables.effects(sensitivity), "effects_of_conventions")
    if len(sensitivity.rank_reversals):
        st.markdown("**Where the order of two systems changes**")
        tables.table(screen_tables.rank_reversals(sensitivity), "turns")
    show.downloads(sensitivity.frame, f"{measure} under other conventions", sensitivity.signature)
    show.downloads(sensitivity.changes, f"{measure} after one change of the conventions", sensitivity.signature)
    show.signature(sensitivity.signature)


def _printed(sensitivity: kp.Sensitivity) -> None:
    example = f"such as {sensitivity.ranges['low'].min():.3f}; or P@5=0.31, F1@5=0.348 of one system"
    input_options = {"placeholder": example, "help": prose.helps("printed"), **controls.linked("printed", "")}
    if not (typed := st.text_input("A published number to reproduce", width=420, **input_options).strip()):
        return
    candidates = cached.on_screen(kp.match_reported, typed) if "=" in typed else sensitivity.match_reported(typed)
    messages = {note.where: show.sentence(note.message) for note in candidates.notes}
    st.markdown(f"**{messages['printed']}**")
    displayed = candidates.frame if candidates.fitting else candidates.nearest
    settings_rows = displayed.drop_duplicates("signature").head(3)
    for position, row in enumerate(settings_rows.to_dict("records")):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            controls.button("Use this", f"use {position}", settings.use, row["signature"])
            conventions = statements.describe_conventions(row["preset"], row["changes"])
            words = f"{row['system']} {row['value']:.4f}: {conventions}"
            st.markdown(show.plain(words), width="stretch")
    if candidates.questions:
        questions = (f"* {show.plain(question)}" for question in candidates.questions)
        st.markdown("\n".join(("**What to ask the authors**", *questions)))
    st.caption(messages["not varied"])
    with st.expander(f"All settings, with their {'distances' if not candidates.fitting else 'values'}"):
        tables.table(candidates.wide(), "printed_table")
    table = candidates.wide().assign(signature=displayed["signature"])
    show.downloads(table, "Settings that give a printed number", "")


def parts() -> None:
    """Show the current measure on parts of the data, such as document types, or present and absent keyphrases."""
    measure = settings.value("measure")
    offered = [name for name in PARTS if name != DATASET]
    header = st.container()
    chosen = controls.select("Parts by", offered, "parts", len(offered) - 1)
    show.small(f"By {PARTS[chosen]}.")
    result = cached.on_screen(kp.evaluate, (measure,), by=chosen)
    table = screen_tables.by_part(result)
    if table.empty:
        raise kp.UsageError("this measure needs all phrases, so it cannot separate present from absent keyphrases")
    comparisons = dict[str, kp.Comparison]()
    with suppress(kp.UsageError):  # one system, or a measure without a test
        comparisons = cached.on_screen(compare_parts, measure, chosen)
    show.lead(statements.leaders(comparisons, "in"), header)
    show.chart(dots.by_part(result), "by_part", f"{measure} by {chosen}")
    tables.table(screen_tables.in_order(table, results.best_first()), "by_part_table", result.documents)
    show.provenance(result, (result.frame, f"{measure} by {chosen}"))


def stability() -> None:
    """Show how the ranking of the systems changes with the measure, cutoff, normalization, gold, or conventions."""
    measure = settings.value("measure")
    if controls.views("Look at", VIEWS, "stability") == VIEWS[1]:
        _conventions(measure)
    elif len(workspace.corpus().systems) < 2:
        show.small(_ONE_SYSTEM)
    else:
        _rankings(measure)


def _rankings(measure: str) -> None:
    by = controls.select("Compare rankings by", get_args(By), "views")
    study, chosen = cached.on_screen(kp.stability, by, measure=measure), prose.value("views", by)
    show.lead(study.leaders())
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show.chart(curves.rank_chart(study), "rank_chart", f"ranks by {chosen}")
    with right:
        if exceeds(1, study.pairs["tau"].min()):
            caption = f"agreement of rankings by {chosen}"
            show.chart(heat_maps.kendall(study), "kendall", caption, note="comparison.kendall")
        else:
            ties = "Where the systems are not tied, all" if len(study.alike()) > 1 else "All"
            st.caption(f"{ties} of these rankings are the same.")
    show.downloads(study.frame, f"Rankings by {chosen}")
    show.signature(cached.signature(measure))


AGREEMENT = ("kappa", "kappa_max", "P_pos", "P_neg", "PABAK", "AC1", "pi", "BI", "PI")


def concordance() -> None:
    """Show the concordance table of one system with a diagnosis, and below it the measures of all systems."""
    result = cached.evaluation(AGREEMENT, baselines=True).at(settings.cutoff())
    by_document = cached.on_screen(tables_by_document, (*CELLS, "kappa", "P_pos", "PABAK"))
    cells = by_document.groupby("system", sort=False)[list(CELLS)].sum().to_dict("index")
    header = st.container()
    left, right = st.columns([5, 6], gap="medium")
    with left:
        system = results.choose_system("System", "system")
        documents = by_document[by_document["system"] == system].drop(columns="system").reset_index(drop=True)
        others = {name: table for name, table in cells.items() if name != system}
        diagnosis = statements.diagnose(system, cells[system], others, float(documents["kappa"].mean()))
        counts = {name: round(cells[system][name]) for name in "abcd"}
        show.paragraph(show.in_short(say("table", system=system, **counts)))
        main_finding, *further_findings = diagnosis or [f"{system} against the gold standard."]
        show.lead(main_finding, header)
        if further_findings:
            with st.expander("Further remarks on this table"):
                st.markdown("\n".join(f"- {show.plain(sentence)}" for sentence in further_findings))
    with right:
        tables.text_table(screen_tables.concordance(cells[system]))
        show.small(screen_tables.universe(cached.evaluation_at_cutoff(("N",), "macro")))
        system_of_run = next(name for name, runs in runs_of(list(cells)).items() if system in runs)
        most_common = ("kappa", "P_pos", "P_neg", "PABAK", "AC1")  # the table of all systems has the others
        tables.table(screen_tables.rows_where(result, system_of_run, most_common), "measures", result.documents)
        results.few(result)
    average = parse("kappa").averages(settings.settings().average)[0]
    show.subheader(f"All systems and baselines ({average} average)")
    all_systems = cached.evaluation(AGREEMENT, baselines=True, leave_one_out=results.people()).at(settings.cutoff())
    table = screen_tables.in_order(screen_tables.numbers(all_systems, AGREEMENT), results.best_first())
    tables.table(table, "everybody", all_systems.documents, note="results.baselines")
    results.reasons(all_systems)
    show.provenance(result, (result.frame, "Systems against the gold standard"))
    with st.expander("How wide is the interval, and what if phrases were independent?"):
        table = cached.on_screen(interval_table, system=system, measures=AGREEMENT)
        intervals = screen_tables.intervals_side_by_side(table, result.documents)
        tables.table(intervals, "intervals", result.documents, note="agreement.intervals")
        show.downloads(table, f"Intervals of {system}")
    with st.expander("As the universe grows"):
        measure = controls.select("Measure against N", curves.LIMITS, "against_N", meaning=show.meanings(curves.LIMITS))
        limit = "P\\_pos, which kappa never exceeds" if measure in ("kappa", "pi") else "1, regardless of the systems"
        show.chart(curves.against_universe(cells, measure), "against_universe")
        show.about("agreement.universe", limit=limit)
    with st.expander("Document by document"):
        tables.document_table(documents, f"By document, {system}")
    with st.expander("Recover a table from published figures"), show.refusals():
        _from_published_figures()


def _from_published_figures() -> None:
    show.about("agreement.printed")
    chosen = controls.select("Figures", [*LECTURE_SYSTEMS, "your figures"], "figures")
    names, figures = ("kappa", "P_pos", "P_neg", "PABAK"), LECTURE_SYSTEMS.get(chosen, ("",) * 4)
    columns = zip(st.columns(4), names, figures, LECTURE_SYSTEMS["TF-IDF"], strict=True)
    texts = [
        column.text_input(show.plain(name), text, key=f"printed {chosen} {name}", placeholder=f"such as {example}")
        for column, name, text, example in columns
    ]
    if not all(texts):
        return
    if (recovered := kp.recover(*texts)) is None:
        st.warning("No concordance table gives all four values: at least one of them is misprinted.")
    else:
        tables.table(spans(recovered), "recovered", take="Shares recovered from printed figures")
        for sentence in describe_recovered(recovered):
            show.small(sentence)
