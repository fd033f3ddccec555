"""Turn bad input and undefined values into words that a user can act on."""

from __future__ import annotations


class InputError(ValueError):
    """Say what is wrong with the data: where, what was found, what was expected, what to do.

    >>> print(InputError("gold.csv, line 3", "an empty id", "a document id", "Fill the cell, or remove the row."))
    gold.csv, line 3: expected a document id, found an empty id. Fill the cell, or remove the row.
    """

    def __init__(self, where: str, found: str, expected: str, remedy: str) -> None:
        self.where, self.found, self.expected, self.remedy = where, found, expected, remedy
        super().__init__(f"{where}: expected {expected}, found {found}. {remedy}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str, str]]:
        """Go from process to process whole: an error is otherwise rebuilt from its one message."""
        return type(self), (self.where, self.found, self.expected, self.remedy)


class UsageError(ValueError):
    """Say that an option, a measure or a convention was named wrongly (exit status 2 on the command line)."""


#: Why a value is undefined, or what is special about a document; the keys stand in exports as `reason`.
REASONS: dict[str, str] = {
    "ok": "defined",
    "missing_document": "the system has no list for this document",
    "gold_empty": "the gold standard has no keyphrase for this document",
    "system_empty": "the system returned no phrase",
    "both_empty": "neither the gold standard nor the system chose anything",
    "all_yes": "both sides chose every phrase of the universe",
    "constant_yes": "one side chose every phrase of the universe",
    "no_items": "the universe holds no phrase",
    "no_true_negatives": "every phrase of the universe was chosen by somebody (d = 0)",
    "perfect": "both sides chose the same phrases",
    "no_hits": "no chosen phrase is a keyphrase",
    "no_judged_negatives": "bpref needs phrases judged as not relevant, and the gold standard has none",
    "universe_too_large": "the universe is too large to follow a random order to its end; ask for a cutoff",
    "no_documents": "no document is left to average over",
    "no_majority": "no majority of annotators reaches the threshold",
    "unequal_choices": "the annotators did not choose equally many phrases, which the choice-matrix form needs",
    "all_tied": "all systems have the same value, so there is no order to compare",
    "few_systems": "fewer than two systems have a value in both",
    "one_item": "only one phrase is left, so that the choices cannot differ",
    "nobody_else": "nobody else chose anything that counts here",
    "single_annotator": "fewer than two annotators saw the document",
    "too_few": "fewer than three pairs have both values",
    "one_annotator": "agreement among people needs at least two annotators",
    "constant": "one side has the same value for every pair, so nothing can vary with it",
    "empty_phrase": "one of the two phrases has no word",
    "too_short": "the measure needs two words in both phrases, and one has a single word",
    "library_error": "the library stops with an error here, because the phrase is too short",
    "no_context": "no sentence of the texts holds one of the two phrases, or it holds nothing else",
    "no_information": "the longer phrase holds no information: it is all that the references say",
    "few_yes": "fewer than 10 sentences are “yes”",
    "few_no": "fewer than 10 sentences are “no”",
    "one_document": "fewer than two documents are left, so no fold can leave one out",
    "no_value": "no value was given or could be computed for this pair",
}
