"""Run every benchmark: `make bench`."""

from benchmarks import ranking

ranking.main()
