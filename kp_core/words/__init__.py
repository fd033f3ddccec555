"""Turn results into sentences, and the registry into texts about methods."""
