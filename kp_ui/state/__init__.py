"""Define the state of a session: its choices and address, its data, and its cached results."""
