"""Define the state of a session: choices and address, data, and cached results."""
