"""Compute the share of gold keyphrases among the candidates of each kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, refuse_unknown
from kp_core.extraction.collection import Progress
from kp_core.extraction.texts import readable, stop_list, texts_of
from kp_core.text.candidates import Edges, Rules, Stems, Tokens, abbreviations, candidates, canonical, ngrams
from kp_core.text.normalise import Normaliser
from kp_core.text.places import pieces, places
from kp_core.typeset import say

#: Kind of candidates → the rules of its chunks; None for those without tags.
KINDS: dict[str, Rules | None] = {
    "NBAR": Rules("NBAR"),
    "NBAR and NBAR IN NBAR": Rules(),
    "the same with suffixes": Rules(parts="suffixes"),
    "the same with all sub-spans": Rules(parts="sub-spans"),
    "runs of 1 to 3 words, no stop word first or last": None,
    "runs of 1 to 3 words": None,
    "any place inside a sentence": None,
}
_CEILING = "any place inside a sentence"


def coverage(
    corpus: Corpus,
    stop_words: str | Iterable[str] = "english",
    gold_stemmed: bool = False,
    kinds: Sequence[str] | None = None,
    titles: str = "yes",
    progress: Progress = lambda share, words: None,
) -> pd.DataFrame:
    """Return how many gold keyphrases are candidates in their texts, one row per kind of candidates.

    A keyphrase counts once per document. It is reachable if a variant is among the candidates of the text; variants
    differ in case, endings, A of B or B A, possessives, and abbreviations that the text defines. Documents without an
    English text are left out, and data without such documents are refused.

    Parameters
    ----------
    stop_words : str or sequence of str
        Words that no run may begin or end with, for the kind “no stop word first or last”.
    gold_stemmed : bool
        Whether the gold standard was released as stems.
    titles : str or bool
        Whether the text of a document includes its title.
    kinds : sequence of str, optional
        Names of `KINDS`; by default all.

    Examples
    --------
    >>> from kp_core import load
    >>> corpus = load(gold={"d": ["hash tables", "sea"]}, documents={"d": "A hash table is fast."})
    >>> coverage(corpus, kinds=["NBAR"])[["keyphrases", "reachable", "coverage"]].values.tolist()
    [[2.0, 1.0, 0.5]]
    """
    names = list(KINDS if kinds is None else kinds)
    refuse_unknown(names, KINDS, "kind of candidates")
    stems, edges = Stems(), Edges(stop_list(stop_words)[0])
    gold = _gold(corpus, stems, gold_stemmed)
    english = readable(texts_of(corpus, titles), stop_list("english")[0])[0]
    texts = {doc_id: text for doc_id, text in english.items() if doc_id in gold}
    entries, reached, sizes = 0, dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for number, (doc_id, text) in enumerate(texts.items(), 1):
        tokens = Tokens.of(text, stems)
        long_forms = abbreviations(tokens)
        forms = [spelled | {canonical(form, long_forms) for form in spelled} for spelled in gold[doc_id]]
        entries += len(forms)
        for kind in names:
            if kind == _CEILING:
                line = " \n ".join(["", *(" ".join(sentence) for sentence in tokens.forms), ""])
                reached[kind] += sum(
                    any(f" {form} " in line for form in _with_reversed_forms(spelled)) for spelled in forms
                )
                continue
            rules, ends = KINDS[kind], Edges(None) if kind == "runs of 1 to 3 words" else edges
            forms_of_kind = set(candidates(text, rules, stems) if rules else map(tokens.form, ngrams(tokens, 3, ends)))
            sizes[kind] += len(forms_of_kind)
            matched = {canonical(form, long_forms) for form in forms_of_kind}
            reached[kind] += sum(not spelled.isdisjoint(matched) for spelled in forms)
        progress(number / len(texts), f"searching document {number:,} of {len(texts):,}")
    table = pd.DataFrame({"candidates": names, "keyphrases": entries, "reachable": [reached[kind] for kind in names]})
    table["coverage"] = table["reachable"] / table["keyphrases"]
    means = [float("nan") if kind == _CEILING or not texts else sizes[kind] / len(texts) for kind in names]
    return table.assign(**{"candidates a document": means})


def in_words(table: pd.DataFrame, kind: str = "NBAR and NBAR IN NBAR") -> str:
    """Describe the coverage of one kind of candidates in a sentence."""
    row = table.set_index("candidates").loc[kind]
    return say("coverage of chunks", kind=kind, **row[["keyphrases", "reachable", "coverage"]])


def marked_candidates(text: str, kind: str, keyphrases: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Split a text into pieces (kind, text): listed phrases, other candidates, rest; longer phrases take precedence."""
    rules = KINDS.get(kind)
    if rules is None:
        raise UsageError(f"'{kind}' has no chunks; choose among: {', '.join(name for name in KINDS if KINDS[name])}")
    phrases = {"listed": keyphrases, "candidate": list(candidates(text, rules).values())}
    return pieces(text, places(text, phrases, Normaliser.parse("nfc+lower+porter-nltk")))


def _gold(corpus: Corpus, stems: Stems, stemmed: bool) -> dict[str, list[set[str]]]:
    """Return document → distinct keyphrases, each as the forms of its spellings."""
    gold = corpus.gold[corpus.gold["relevance"].isna() | (corpus.gold["relevance"] >= 1)]
    variants = gold["variants"] if "variants" in gold else [None] * len(gold)
    keyphrases: dict[str, dict[str, set[str]]] = {}
    for doc_id, phrase, spellings in zip(gold["doc_id"], gold["phrase"], variants, strict=True):
        listed_spellings = spellings if isinstance(spellings, (tuple, list)) else (phrase,)
        forms = keyphrases.setdefault(doc_id, {}).setdefault(_form(phrase, stems, stemmed), set())
        forms.update(_form(spelling, stems, stemmed) for spelling in listed_spellings)
    return {doc_id: list(forms_of_keyphrase.values()) for doc_id, forms_of_keyphrase in keyphrases.items()}


def _with_reversed_forms(forms: set[str]) -> set[str]:
    """Return forms, and for each form B A also A of B and A of the B."""
    reversed_forms = set(forms)
    for form in forms:
        words = form.split(" ")
        for place in range(1, len(words)):
            head, tail = " ".join(words[place:]), " ".join(words[:place])
            reversed_forms |= {f"{head} of {tail}", f"{head} of the {tail}"}
    return reversed_forms


def _form(phrase: str, stems: Stems, stemmed: bool) -> str:
    tokens = Tokens.of(phrase, stems)
    if stemmed:
        return " ".join(token.lower() for sentence in tokens.raw for token in sentence)
    return " ".join(form for sentence in tokens.forms for form in sentence)
