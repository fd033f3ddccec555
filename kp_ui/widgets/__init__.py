"""Define what all pages draw with: controls, ways to show results, texts."""
