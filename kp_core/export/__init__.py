"""Turn plain tables into text that other programs read; all escaping lives here."""
