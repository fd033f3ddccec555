"""Say how many phrases could have been chosen in each document: the N of every concordance table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.scoring.codes import Bools, Coded, Codes, Floats, Identities, Ints, blocks, distinct, padded
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
    documents = len(coded.documents)
    normaliser = Normaliser.parse(settings.normalise)
    runs = [(document, run) for document, text in enumerate(coded.texts) for run in word_runs(text)]
    words = list(dict.fromkeys(word for _, run in runs for word in run))
    spelled = dict(zip(words, (form.split(" ") for form in normaliser.apply(words)), strict=True))
    # The forms of all phrases go through the same coding as the texts, each as a run after the last document.
    sequences = [[token for word in run for token in spelled[word] if token] for _, run in runs]
    sequences += [form.split(" ") for form in identities.forms.to_pylist()]
    owner = np.array([document for document, _ in runs] + [documents] * len(identities.forms), np.int64)
    length = np.array([len(sequence) for sequence in sequences], np.int64)
    vocabulary: dict[str, int] = {}
    tokens = np.array([vocabulary.setdefault(token, len(vocabulary)) for s in sequences for token in s], np.int64)
    token_run = np.repeat(np.arange(len(length)), length)
    left = np.repeat(np.cumsum(length), length) - np.arange(len(tokens))  # tokens from here to the end of the run
    total, gram = np.zeros(documents), tokens
    in_text = np.zeros(0, np.int64)
    form_gram = np.full(len(identities.forms), -1, np.int64)
    is_form = owner[token_run] == documents
    offset = 0
    for order in range(1, n + 1):
        if order > 1:
            following = np.concatenate([tokens, np.zeros(order - 1, np.int64)])[order - 1 :]
            gram = np.unique(gram * (len(vocabulary) + 1) + following, return_inverse=True)[1]
        fits = left >= order
        whole = fits & is_form & (length[token_run] == order) & (left == order)
        form_gram[token_run[whole] - len(runs)] = gram[whole] + offset
        here = fits & ~is_form
        pairs = distinct((gram[here] + offset) * documents + owner[token_run[here]])
        total += np.bincount(pairs % documents, minlength=documents)
        in_text = np.concatenate([in_text, pairs])
        offset += int(gram.max(initial=0)) + 1
    return total + _outside_text(coded, identities, items, in_text, form_gram)


def _candidate_sizes(coded: Coded, identities: Identities, items: Gold, settings: Settings) -> Floats:
    """Count the distinct chunks of each text, and the gold or predicted phrases that are not among them."""
    texts, stems = coded.texts, Stems()
    spelled = [
        (document, phrase) for document, text in enumerate(texts) for phrase in candidates(text, stems=stems).values()
    ]
    forms = Normaliser.parse(settings.normalise).apply([phrase for _, phrase in spelled])
    known = identities.forms.to_pylist()
    number = {form: place for place, form in enumerate(dict.fromkeys([*known, *forms]))}
    in_text = distinct(
        np.array(
            [number[form] * len(texts) + document for (document, _), form in zip(spelled, forms, strict=True) if form],
            np.int64,
        )
    )
    total = np.bincount(in_text % len(texts), minlength=len(texts))
    outside = _outside_text(coded, identities, items, in_text, np.array([number[form] for form in known], np.int64))
    return total + outside


def without_english(coded: Coded) -> tuple[str, ...]:
    """Return the documents of the gold standard in whose texts the tagger finds no candidate: they are not English."""
    texts = zip(coded.documents, coded.texts, strict=True)
    return tuple(name for name, text in texts if not has_english(text))


def refuse_without_english(texts: Iterable[str]) -> None:
    """Refuse the universe `candidates` for a collection without English."""
    if not any(map(has_english, texts)):
        found, remedy = "no English tokens in any text", "Choose the universe 'ngrams' or 'rankings'."
        raise InputError("universe candidates", found, "texts in English, which the tagger knows", remedy)


def _outside_text(coded: Coded, identities: Identities, items: Gold, in_text: Ints, form_gram: Ints) -> Floats:
    """Count the gold items and predicted phrases of each document that are no n-gram of its text."""
    documents = len(coded.documents)

    def found(form: Ints | Codes, document: Ints) -> Bools:
        known = form_gram[form] >= 0
        return known & np.isin(form_gram[form] * documents + document, in_text)

    spelling_document = items.document[items.spelling_item]
    item_found = np.zeros(len(items.grade), bool)
    item_found[items.spelling_item[found(items.spelling_form, spelling_document)]] = True
    extra = np.bincount(items.document[~item_found], minlength=documents).astype(float)
    width = len(identities.forms)
    keys = []
    for run in coded.runs.values():
        document = np.repeat(np.arange(documents), run.length)
        keys.append(distinct(document * width + run.forms(identities)))
    predicted = distinct(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
    predicted = predicted[~np.isin(predicted, spelling_document * width + items.spelling_form)]
    outside = ~found(predicted % width, predicted // width)
    return extra + np.bincount((predicted // width)[outside], minlength=documents)


def check(universe: Floats, smallest: Floats, documents: tuple[str, ...], spelled: str) -> None:
    """Refuse a universe that is smaller than what was chosen, and say the smallest legal N."""
    short = np.flatnonzero(universe < smallest)
    if len(short):
        worst = int(short[np.argmax(smallest[short])])
        raise InputError(
            f"universe {spelled}",
            f"{int(smallest[worst])} phrases chosen in document '{documents[worst]}'",
            "at least as many phrases in the universe as gold standard and systems choose together",
            f"Choose N = {int(smallest.max())} or more, or the universe 'rankings'.",
        )
