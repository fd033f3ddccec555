"""The glossary: one list of terms, in order, on the page of the documentation as it is in the program."""

from pathlib import Path

from kp_core import glossary

PAGE = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"


def test_terms_stand_in_alphabetical_order_and_each_once() -> None:
    terms = [term for term, _, _ in glossary._ENTRIES]
    assert terms == sorted(set(terms), key=str.casefold)
    assert list(glossary.TERMS) == terms


def test_meanings_are_sentences() -> None:
    wrong = [term for term, meaning in glossary.TERMS.items() if not (meaning[0].isupper() and meaning.endswith("."))]
    assert not wrong


def test_the_page_is_that_of_the_terms() -> None:
    assert PAGE.read_text(encoding="utf-8") == glossary.markdown(), "write glossary.markdown() into docs/glossary.md"
