"""Open files: bytes become text, tables or JSON, within the limits."""
