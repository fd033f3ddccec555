"""A page of one table and one chart, as large as those of the Overview: the least that a visitor waits for."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

st.dataframe(pd.DataFrame({"system": list("abcdef"), "value": [0.1 * step for step in range(6)]}))
st.plotly_chart(go.Figure([go.Scatter(y=[step % 7 for step in range(50)], name=name) for name in "abcdef"]))
