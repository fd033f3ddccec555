"""Run every benchmark but the simulation of coverage: `make bench`."""

from benchmarks import agreement, correlation, ranking, similarity

ranking.main()
agreement.main()
similarity.main()
correlation.main()
