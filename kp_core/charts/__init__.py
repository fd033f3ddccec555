"""Turn results into Plotly figures with alternative texts, and into tables for the screen."""
