"""Random tables are read correctly, or the truth is at most three choices away in their form."""

from collections.abc import Callable

import pytest

from tests.truths import difference, loaded, reached
from tests.unit.reading.drawn_tables import Drawn, table

#: The last two: a final list of several lines looked like a note, and a first row without digits like an explanation.
TABLES = [*(table(1, number) for number in range(80)), table(291202, 11517), table(291202, 2393)]


def ends(drawn: Drawn) -> str:
    return reached(drawn.given, drawn.file, drawn.truths, drawn.meanings)


def true_mapping_fails(drawn: Drawn) -> str:
    said = [{**drawn.given, "mapping": {drawn.file.name: meaning}} for meaning in reversed(drawn.meanings)]
    corpora = (corpus for given in said for _, corpus in loaded(given))
    right = any(difference(truth, corpus) == "" for corpus in corpora for truth in drawn.truths)
    return "" if right else "no true mapping gives the truth"


@pytest.mark.parametrize("check", [ends, true_mapping_fails])
def test_drawn_tables_need_at_most_three_choices(check: Callable[[Drawn], str]) -> None:
    failed = [f"{drawn.words} => {reason[:300]}" for drawn in TABLES if (reason := check(drawn))]
    assert not failed, "\n".join(failed)
