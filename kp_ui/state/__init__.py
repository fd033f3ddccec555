"""Define what a session knows: choices and address, data, and the answers of the engine."""
