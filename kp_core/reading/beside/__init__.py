"""Read what accompanies keyphrases: vectors, tables of a vocabulary, several data sets."""
