"""How well does each system agree with people?"""

import streamlit as st

from kp_core.charts import curves, screen_tables
from kp_core.scoring.measures import parse
from kp_core.typeset import CELLS
from kp_core.words.statements import diagnose
from kp_ui import agreement, cached, controls, prose, results, shell, show, sidebar, workspace

shell.enter()

MEASURES = ("kappa", "kappa_max", "P_pos", "P_neg", "PABAK", "AC1", "pi", "BI", "PI")

results.open_page("Agreement")
systems = workspace.current().corpus.systems
cutoff = sidebar.cutoff()
here = cached.evaluation(MEASURES, baselines=True).at(cutoff)
results.ids_that_do_not_meet(here.notes)
pooled = screen_tables.numbers(cached.evaluation_at_cutoff(CELLS), CELLS)
cells = pooled.set_index("system").to_dict("index")

system = controls.select("System", systems, "system")
st.caption(show.plain(screen_tables.universe(cached.evaluation_at_cutoff(("N",), "macro"))))

left, right = st.columns([5, 6], gap="medium")
with left:
    st.subheader("Concordance table", anchor=False)
    concordance = screen_tables.concordance(cells[system])
    right_aligned = {name: st.column_config.TextColumn(alignment="right") for name in concordance.columns[1:]}
    st.dataframe(concordance, key="concordance", hide_index=True, height="content", column_config=right_aligned)
    st.caption(prose.text("agreement.cells"))
    st.subheader("What this says", anchor=False)
    others = {name: found for name, found in cells.items() if name != system}
    mean = screen_tables.value(cached.evaluation_at_cutoff(("kappa",), "macro"), system, "kappa")
    for sentence in diagnose(system, cells[system], others, mean):
        st.markdown(f"- {show.plain(sentence)}")
with right:
    st.subheader(f"Measures ({parse('kappa').averages(here.settings.average)[0]} average)", anchor=False)
    results.table(screen_tables.rows_where(here, system, MEASURES), "measures", here.documents, row_height=66)
    if here.documents < screen_tables.FEW:
        st.caption("Intervals are grey: there are too few documents for them to be reliable.")
    agreement.intervals(system, MEASURES, here.documents)

st.subheader("All systems and baselines", anchor=False)
result = cached.evaluation(MEASURES, baselines=True, people=results.people())
beside = result.at(cutoff)
everybody = screen_tables.numbers(beside, MEASURES)
results.table(everybody, "everybody", beside.documents)
results.about_baselines(cutoff)
for reason in screen_tables.reasons(beside):
    st.caption(show.plain(reason))
show.downloads(beside.frame, "agreement", "Agreement with the gold standard", beside.signature)

first, second = st.columns(2, gap="medium")
with first:
    st.subheader("Over k", anchor=False)
    common, about = ["kappa", "P_pos", "PABAK"], show.meanings(MEASURES)
    chosen = st.multiselect("Measures", MEASURES, common, key="curves", bind="query-params", help=about)
    if chosen:
        show.chart(curves.over_k(result, chosen, results.marks()), "agreement_over_k")
    results.where_no_mark()
with second:
    agreement.against_universe(cells)

st.subheader("Document by document", anchor=False)
documents = cached.tables_by_document((*CELLS, "kappa", "P_pos", "PABAK"))
documents = documents[documents["system"] == system].drop(columns="system").reset_index(drop=True)
results.table_of_documents(documents, "documents")
show.downloads(documents, "agreement_by_document", f"Agreement by document, {system}", here.signature)

agreement.from_published_figures()
show.recipe(here)
