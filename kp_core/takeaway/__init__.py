"""Turn a corpus and its results into files, reports and workspaces."""
