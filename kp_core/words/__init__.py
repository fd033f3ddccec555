"""Turn results into sentences."""
