"""Read what stands beside keyphrases: vectors, tables of a vocabulary, several data sets."""
