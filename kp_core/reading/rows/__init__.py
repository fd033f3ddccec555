"""Turn tables and lists into checked rows, and these into a corpus with a report."""
