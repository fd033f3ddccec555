"""Turn bytes of files into text, tables or JSON within the limits."""
