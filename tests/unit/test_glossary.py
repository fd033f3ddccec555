"""The glossary: one list of terms, in order, each with a meaning that is a sentence."""

from kp_core.words import glossary


def test_terms_stand_in_alphabetical_order_and_each_once() -> None:
    terms = [term for term, _, _ in glossary._ENTRIES]
    assert terms == sorted(set(terms), key=str.casefold)
    assert list(glossary.TERMS) == terms


def test_meanings_are_sentences() -> None:
    wrong = [term for term, meaning in glossary.TERMS.items() if not (meaning[0].isupper() and meaning.endswith("."))]
    assert not wrong
