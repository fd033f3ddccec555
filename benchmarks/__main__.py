"""Run every benchmark but the simulation of coverage: `make bench`."""

from benchmarks import agreement, comparison, correlation, ranking, similarity

ranking.main()
agreement.main()
comparison.main()
similarity.main()
correlation.main()
