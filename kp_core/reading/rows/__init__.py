"""Turn tables and lists into checked rows, and rows into a corpus with a report."""
