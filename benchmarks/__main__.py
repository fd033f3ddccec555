"""Run the benchmarks that take times: `make bench`. Coverage takes none: python -m benchmarks.coverage."""

from benchmarks import agreement, ranking

ranking.main()
agreement.main()
