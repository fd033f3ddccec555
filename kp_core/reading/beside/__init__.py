"""Read data that accompany keyphrases: vectors, vocabulary tables, and several data sets."""
