"""Define the building blocks of all pages: controls, displays of results, and texts."""
