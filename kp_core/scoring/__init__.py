"""Turn a corpus and settings into values: prepare, count, measure, average."""
