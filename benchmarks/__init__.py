"""Benchmarks, to be run by hand or by `make bench`; they are not part of the tests."""
