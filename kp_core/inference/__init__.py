"""Turn per-document values and counts into intervals and tests; documents are the sampling unit."""
