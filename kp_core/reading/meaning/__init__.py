"""Infer the meaning of a table from column names, known exports and cells, or ask for it in a form."""
