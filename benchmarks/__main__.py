"""Run every benchmark: `make bench`."""

from benchmarks import correlation, ranking, similarity

ranking.main()
similarity.main()
correlation.main()
