"""Turn results into Plotly figures, each with one sentence that says what is seen, and into tables for the screen."""
