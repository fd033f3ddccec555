"""Define the building blocks of all pages: controls, tables, charts, messages, and texts."""
