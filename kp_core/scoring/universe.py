"""Say how many phrases could have been chosen in each document: the N of every concordance table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.scoring.codes import Coded, Floats, Identities, Ints, blocks, distinct, padded
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.sentence_ids import list_sentences, names_sentences, sentence_rows
from kp_core.settings import Settings
from kp_core.text.candidates import Stems, candidates, has_english
from kp_core.text.normalise import Normaliser
from kp_core.text.tokenise import word_runs

_REFUSED = ("selected", "selection", "chosen", "pair")


def parse_universe(universe: str, corpus: Corpus) -> str:
    """Return the universe in its full spelling; empty is n-grams where texts are loaded, else the pooled rankings.

    Where the gold standard names sentences of loaded texts, empty is the sentences.

    The union of only the selected phrases is refused: it makes d = 0, so kappa <= 0 and P_neg = 0 by construction.
    """
    name = universe
    if not name:
        if not corpus.has_texts:
            return "rankings"
        return "sentences" if names_sentences(corpus) else "ngrams:3"
    if name in _REFUSED:
        raise UsageError(
            "the union of only the selected phrases cannot be the universe: it leaves no phrase that both sides "
            "rejected (d = 0), so kappa is never above 0 and P_neg is 0 whatever the system does; choose rankings, "
            "ngrams, candidates, vocabulary or a number"
        )
    if name in ("rankings", "vocabulary"):
        return name
    kind, _, size = name.partition(":")
    in_range = not size or (size.isdigit() and 1 <= int(size) <= 10)
    if name in ("candidates", "sentences") or (kind == "ngrams" and in_range):
        if not corpus.has_texts:
            raise UsageError(f"the universe '{kind}' needs the texts of the documents; load them, or choose rankings")
        return name if kind != "ngrams" else f"ngrams:{int(size or 3)}"
    try:
        number = float(name)
    except ValueError:
        number = np.nan
    if np.isfinite(number) and number > 0 and number == int(number):
        return str(int(number))
    raise UsageError(
        f"there is no universe '{name}'; choose ngrams, ngrams:n, candidates, rankings, vocabulary, sentences, or a "
        "number of phrases"
    )


def all_items(coded: Coded, identities: Identities, settings: Settings) -> Gold:
    """Return the distinct items of all annotators, relevant or not: none of them may be missing from the universe."""
    return gather(coded, identities, settings.changed(annotators="union", gold_list="unique", rel=-np.inf))[0]


def sizes(corpus: Corpus, coded: Coded, identities: Identities, settings: Settings) -> Floats:
    """Return N per document (D,) for the universe of settled settings."""
    universe = settings.universe
    documents = len(coded.documents)
    if universe.isdigit():
        return np.full(documents, float(universe))
    if universe == "sentences":
        return _sentence_sizes(corpus, coded)
    items = all_items(coded, identities, settings)
    if universe == "vocabulary":
        used = np.zeros(len(identities.forms), bool)
        for run in coded.runs.values():
            used[identities.predicted[run.phrase]] = True
        first = np.diff(items.spelling_item, prepend=-1) > 0
        used[items.spelling_form[first]] = True
        return np.full(documents, float(used.sum()))
    if universe == "rankings":
        return _pooled_sizes(coded, identities, items)
    if universe == "candidates":
        return _candidate_sizes(coded, identities, items, settings)
    return _ngram_sizes(coded, identities, items, int(universe.partition(":")[2]), settings)


def _sentence_sizes(corpus: Corpus, coded: Coded) -> Floats:
    """Count the sentences of each text; refuses gold standards and systems that name anything else."""
    sentence_rows(corpus.gold, corpus, "the gold standard")
    for system, rows in corpus.runs.groupby("system", sort=False):
        sentence_rows(rows, corpus, f"system '{system}'")
    count = list_sentences(corpus).groupby("doc_id").size()
    return np.asarray(count.reindex(list(coded.documents), fill_value=0), float)


def _pooled_sizes(coded: Coded, identities: Identities, items: Gold) -> Floats:
    """Count the union of all full rankings and all annotators; an item with its spellings counts once."""
    lists = [(run.forms(identities), run.length) for run in coded.runs.values()]
    columns = [*lists, (items.spelling_form, items.spelling_count)]
    total = np.zeros(len(items.size))
    for block in blocks(np.sum([length for _, length in columns], axis=0)):
        matrices = [padded(form, (np.cumsum(length) - length)[block], length[block], -1) for form, length in columns]
        total[block] = _distinct(np.hstack(matrices)) - _distinct(matrices[-1]) + items.size[block]
    return total


def _distinct(matrix: np.ndarray) -> Ints:
    """Count the distinct values of every row, -1 apart."""
    if matrix.shape[1] == 0:
        return np.zeros(len(matrix), np.int64)
    ordered = np.sort(matrix, axis=1)
    further = (ordered[:, 1:] != ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    return np.asarray((ordered[:, 0] >= 0) + np.count_nonzero(further, axis=1))


def _ngram_sizes(coded: Coded, identities: Identities, items: Gold, n: int, settings: Settings) -> Floats:
    """Count the distinct 1..n-grams of each text, and the gold or predicted phrases that are not among them."""
    texts = [word_runs(text) for text in coded.texts]
    words = list(dict.fromkeys(word for runs in texts for run in runs for word in run))
    forms = Normaliser.parse(settings.normalise).apply(words)
    spelled = {word: [token for token in form.split(" ") if token] for word, form in zip(words, forms, strict=True)}
    grams = [set[str]() for _ in texts]
    for own, runs in zip(grams, texts, strict=True):
        for run in runs:
            tokens = [token for word in run for token in spelled[word]]
            for order in range(1, n + 1):
                own.update(map(" ".join, zip(*(tokens[first:] for first in range(order)), strict=False)))
    return _with_outside(coded, identities, items, grams)


def _candidate_sizes(coded: Coded, identities: Identities, items: Gold, settings: Settings) -> Floats:
    """Count the distinct chunks of each text, and the gold or predicted phrases that are not among them."""
    stems, normaliser = Stems(), Normaliser.parse(settings.normalise)
    chunks = [list(candidates(text, stems=stems).values()) for text in coded.texts]
    phrases = list(dict.fromkeys(phrase for own in chunks for phrase in own))
    form_of = dict(zip(phrases, normaliser.apply(phrases), strict=True))
    return _with_outside(coded, identities, items, [{form_of[phrase] for phrase in own} - {""} for own in chunks])


def without_english(coded: Coded) -> tuple[str, ...]:
    """Return the documents of the gold standard in whose texts the tagger finds no candidate: they are not English."""
    texts = zip(coded.documents, coded.texts, strict=True)
    return tuple(name for name, text in texts if not has_english(text))


def refuse_without_english(texts: Iterable[str]) -> None:
    """Refuse the universe `candidates` for a collection without English."""
    if not any(map(has_english, texts)):
        found, remedy = "no English tokens in any text", "Choose the universe 'ngrams' or 'rankings'."
        raise InputError("universe candidates", found, "texts in English, which the tagger knows", remedy)


def _with_outside(coded: Coded, identities: Identities, items: Gold, in_text: Sequence[Set[str]]) -> Floats:
    """Count the forms in each text, and the gold items and predicted phrases of the document that are not in it."""
    documents, width = len(coded.documents), len(identities.forms)
    number = {form: place for place, form in enumerate(identities.forms.to_pylist())}
    found = np.array(
        [document * width + number[form] for document, own in enumerate(in_text) for form in own if form in number],
        np.int64,
    )
    spelled = items.document[items.spelling_item] * width + items.spelling_form
    item_found = np.zeros(len(items.grade), bool)
    item_found[items.spelling_item[np.isin(spelled, found)]] = True
    keys = [np.repeat(np.arange(documents), run.length) * width + run.forms(identities) for run in coded.runs.values()]
    predicted = distinct(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
    outside = predicted[~np.isin(predicted, np.concatenate([spelled, found]))] // width
    total = np.array([len(own) for own in in_text])
    for extra in (items.document[~item_found], outside):
        total += np.bincount(extra, minlength=documents)
    return total.astype(float)
