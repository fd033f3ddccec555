"""Turn phrases and texts into comparable strings and tokens."""
