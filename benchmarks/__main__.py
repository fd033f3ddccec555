"""Run every benchmark: `make bench`."""

from benchmarks import ranking, similarity

ranking.main()
similarity.main()
