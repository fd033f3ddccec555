"""Say how many phrases could have been chosen in each document: the N of every concordance table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kp_core.conventions import Conventions
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.scoring.codes import Bools, Codes, Floats, Identities, Ints, code, distinct, identify
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.match import blocks, packed_forms, padded, ragged
from kp_core.scoring.sentence_ids import list_sentences, names_sentences, sentence_rows
from kp_core.text.candidates import Stems, candidates, has_english
from kp_core.text.normalise import Normaliser
from kp_core.text.tokenise import word_runs

KINDS = ("ngrams", "candidates", "rankings", "vocabulary", "sentences")
_REFUSED = ("selected", "selection", "chosen", "pair")


def parse(universe: str | float | None, corpus: Corpus) -> str:
    """Return the universe in its full spelling; None is n-grams where texts are loaded, else the pooled rankings.

    Where the gold standard names sentences of loaded texts, None is the sentences.

    The union of only the selected phrases is refused: it makes d = 0, so kappa <= 0 and P_neg = 0 by construction.
    """
    if universe is None or universe == "":
        return _default(corpus)
    name = str(universe).strip()
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


def _default(corpus: Corpus) -> str:
    if not corpus.has_texts:
        return "rankings"
    return "sentences" if names_sentences(corpus) else "ngrams:3"


def all_items(corpus: Corpus, conventions: Conventions) -> Gold:
    """Return the distinct items of all annotators, relevant or not: none of them may be missing from the universe."""
    everything = conventions.changed(gold_list="unique", rel=-np.inf)
    return gather(code(corpus), identify(corpus, conventions), everything)[0]


def sizes(corpus: Corpus, universe: str, conventions: Conventions) -> Floats:
    """Return N per document (D,) for a universe spelled as `parse` returns it; kept with the corpus."""
    key = (universe, conventions.normalise, conventions.gold_stemmed, conventions.variants)
    return corpus.recent("universe", key, lambda: _sizes(corpus, universe, conventions))


def _sizes(corpus: Corpus, universe: str, conventions: Conventions) -> Floats:
    coded, identities = code(corpus), identify(corpus, conventions)
    documents = len(coded.documents)
    if universe.isdigit():
        return np.full(documents, float(universe))
    if universe == "sentences":
        return _sentence_sizes(corpus)
    items = all_items(corpus, conventions)
    if universe == "vocabulary":
        used = np.zeros(len(identities.forms), bool)
        for run in coded.runs.values():
            used[identities.predicted[run.phrase]] = True
        first = np.diff(items.spelling_item, prepend=-1) > 0
        used[items.spelling_form[first]] = True
        return np.full(documents, float(used.sum()))
    if universe == "rankings":
        return _pooled_sizes(corpus, identities, items)
    if universe == "candidates":
        return _candidate_sizes(corpus, identities, items, conventions)
    return _ngram_sizes(corpus, identities, items, int(universe.partition(":")[2]), conventions)


def _sentence_sizes(corpus: Corpus) -> Floats:
    """Count the sentences of each text; refuses gold standards and systems that name anything else."""
    sentence_rows(corpus.gold, corpus, "the gold standard")
    for system, rows in corpus.runs.groupby("system", sort=False):
        sentence_rows(rows, corpus, f"system '{system}'")
    count = list_sentences(corpus).groupby("doc_id").size()
    return np.asarray(count.reindex(list(code(corpus).documents), fill_value=0), float)


def _pooled_sizes(corpus: Corpus, identities: Identities, items: Gold) -> Floats:
    """Count the union of all full rankings and all annotators; an item with its spellings counts once."""
    lists = [packed_forms(run, identities) for run in code(corpus).runs.values()]
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


def _ngram_sizes(corpus: Corpus, identities: Identities, items: Gold, n: int, conventions: Conventions) -> Floats:
    """Count the distinct 1..n-grams of each text, and the gold or predicted phrases that are not among them."""
    coded = code(corpus)
    documents = len(coded.documents)
    normaliser = Normaliser.parse(conventions.normalise)
    runs = [(document, run) for document, text in enumerate(texts_of(corpus)) for run in word_runs(text)]
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
    return total + _outside_text(corpus, identities, items, in_text, form_gram)


def texts_of(corpus: Corpus) -> list[str]:
    """Return the text of each document of the gold standard, empty where there is none."""
    texts = corpus.documents.set_index("doc_id")["text"].reindex(list(code(corpus).documents))
    return [str(text) for text in texts.fillna("")]


def _candidate_sizes(corpus: Corpus, identities: Identities, items: Gold, conventions: Conventions) -> Floats:
    """Count the distinct chunks of each text, and the gold or predicted phrases that are not among them."""
    texts, stems = texts_of(corpus), Stems()
    if "english" not in corpus.cache:
        refuse_without_english(texts)
    spelled = [
        (document, phrase) for document, text in enumerate(texts) for phrase in candidates(text, stems=stems).values()
    ]
    forms = Normaliser.parse(conventions.normalise).apply([phrase for _, phrase in spelled])
    known = identities.forms.to_pylist()
    number = {form: place for place, form in enumerate(dict.fromkeys([*known, *forms]))}
    in_text = distinct(
        np.array(
            [number[form] * len(texts) + document for (document, _), form in zip(spelled, forms, strict=True) if form],
            np.int64,
        )
    )
    total = np.bincount(in_text % len(texts), minlength=len(texts))
    outside = _outside_text(corpus, identities, items, in_text, np.array([number[form] for form in known], np.int64))
    return total + outside


def without_english(corpus: Corpus) -> tuple[str, ...]:
    """Return the documents of the gold standard in whose texts the tagger finds no candidate: they are not English."""
    texts = zip(code(corpus).documents, texts_of(corpus), strict=True)
    return tuple(name for name, text in texts if not has_english(text))


def refuse_without_english(texts: Iterable[str]) -> None:
    """Refuse the universe `candidates` for a collection without English."""
    if not any(map(has_english, texts)):
        found, remedy = "no English tokens in any text", "Choose the universe 'ngrams' or 'rankings'."
        raise InputError("universe candidates", found, "texts in English, which the tagger knows", remedy)


def _outside_text(corpus: Corpus, identities: Identities, items: Gold, in_text: Ints, form_gram: Ints) -> Floats:
    """Count the gold items and predicted phrases of each document that are no n-gram of its text."""
    coded = code(corpus)
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
        form = identities.predicted[run.phrase[ragged(run.start, run.length)]]
        keys.append(distinct(document * width + form))
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
