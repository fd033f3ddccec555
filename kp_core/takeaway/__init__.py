"""Turn a corpus and its results into what is taken along: files, a report, a workspace."""
