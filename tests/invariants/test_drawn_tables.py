"""Drawn tables are read as they are meant, or asked with the answer that is meant: `python -m tests.drawn 10000`."""

import pytest

from tests.drawn import FAULTS, Drawn, fault, judged, table

#: Tables of this seed are drawn anew with every change of the generator; `--seed` draws others.
SEED, TABLES = 1, 300


@pytest.fixture(scope="module")
def ended() -> list[tuple[Drawn, str]]:
    return list(judged(SEED, TABLES))


@pytest.mark.parametrize("wrong", FAULTS)
def test_of_drawn_tables_none_is(wrong: str, ended: list[tuple[Drawn, str]]) -> None:
    found = [f"{drawn.shown()}\n=> {said[:500]}" for drawn, said in ended if fault(said) == wrong]
    assert not found, f"{wrong}: {len(found)} of {TABLES}\n\n" + "\n\n".join(found[:3])


def test_a_number_draws_the_same_table_again() -> None:
    one, again, other = table(7, 30), table(7, 30), table(8, 30)
    assert (one.how, one.truths) == (again.how, again.truths)
    assert one.how != other.how
