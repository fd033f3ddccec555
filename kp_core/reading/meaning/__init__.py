"""Find out what a table means: words, exports, a proposal, and the form of a file whose meaning is not certain."""
