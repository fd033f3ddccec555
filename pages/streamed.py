"""What does a run say whose data are larger than memory?"""

import streamlit as st

from kp_core.charts.selection import named
from kp_core.words import statements
from kp_ui import comparison as comparing
from kp_ui import shell, show, streamed

shell.enter()

st.title("Streamed run", anchor=False)
run = streamed.opened()
if run is None:
    streamed.how_to()
    st.stop()
streamed.about(run)
result, settings = run.result, run.plan.settings

if run.plan.agreement is not None and result is not None:
    streamed.agreement(run, result)
else:
    measure, cutoff = streamed.choose(run)
    name, settings = named(measure, cutoff), settings.changed(k=cutoff)
    comparison = streamed.comparison_at(run, name)
    if comparison is not None:
        st.markdown(f"#### {show.plain(statements.verdict(comparison, name))}")
    if result is not None:
        result = streamed.of_one_average(result)
        if measure in run.plan.measures:
            streamed.values(result, measure, cutoff, comparison)
        streamed.all_measures(run, result, measure, cutoff)
    if comparison is not None:
        st.subheader(f"Is the difference in {show.plain(name)} certain?", anchor=False)
        comparing.tested(comparison, name)
    else:
        st.caption("This run holds no tests of pairs by this measure; the command kpscope compare makes them.")

streamed.documents(run, settings)
streamed.recipe(run)
