"""Run every benchmark: `make bench`."""

from benchmarks import correlation, ranking

ranking.main()
correlation.main()
