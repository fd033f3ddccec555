"""Compute attributes of sentences for a decision tree, and classes of sentences from the annotators' choices.

“Yes” sentences are the chosen ones that remain after trimming by agreement. Source: Nomoto & Matsumoto 1997, Table 8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, memoize
from kp_core.errors import Note, input_error, part_of, pluralize
from kp_core.scoring.accumulate import Ids
from kp_core.scoring.codes import Bools, Ints
from kp_core.scoring.prepare import prepare_annotators
from kp_core.scoring.sentence_ids import list_sentences, sentence_rows
from kp_core.settings import Settings
from kp_core.studies import WORDS
from kp_core.studies.facts import part_note
from kp_core.studies.trimming import Form, Levels, levels
from kp_core.text.stem import stem_words
from kp_core.text.tags import tag, word_class
from kp_core.text.tokenise import clean, tokens

#: Attribute → definition, assumptions, and name in rules, in the order of the source.
ATTRIBUTES: dict[str, dict[str, str]] = WORDS["attributes"]
CATEGORIES = ("group", "attitude")
ATTITUDE_WORDS: str = WORDS["attitude"]["words"]
_ATTITUDE = re.compile(WORDS["attitude"]["pattern"], re.IGNORECASE | re.VERBOSE)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_CLOSING = "\"'\u2019\u201d»)]"


def attitude(sentence: str) -> int:
    """Return the class of attitude of an English sentence: 3 for ? or !, 2 for one of `ATTITUDE_WORDS`, else 1.

    >>> [attitude(text) for text in ("Water rises.", "Ships must wait.", "Must ships wait?")]
    [1, 2, 3]
    """
    if sentence.rstrip(_CLOSING + " ").endswith(("?", "!")):
        return 3
    return 2 if _ATTITUDE.search(sentence) else 1


def attributes(corpus: Corpus, given: pd.DataFrame | None = None) -> tuple[pd.DataFrame, list[Note]]:
    """Return doc_id, sentence, text and `ATTRIBUTES` of each sentence, and notes; missing attributes count as 0.

    * `given`: table with a column `sentence` and attributes that replace computed ones (text for the document type,
      else numbers). Raises InputError if no text is loaded, or if a given value is invalid.
    """
    sentences = list_sentences(corpus)
    if not len(sentences):
        raise input_error("the documents", "no sentence")
    replaced = pd.DataFrame() if given is None else _check(given, sentences)
    documents = corpus.documents.set_index("doc_id")
    notes = []
    if empty := documents.index[~documents.index.isin(sentences["doc_id"])].tolist():
        text = f"no sentence in {pluralize(len(empty), 'document')}: {Ids.of(empty)}, so nothing can be chosen there"
        notes.append(Note("warning", "texts", text))
    by_text, by_paragraph = sentences.groupby("doc_id"), sentences.groupby(["doc_id", "paragraph"])
    frame = sentences[["doc_id", "sentence", "text"]].assign(
        group=sentences["doc_id"].map(documents["group"]).fillna("").astype("str"),
        location=by_text.cumcount() / by_text["text"].transform("size"),
        length=sentences["text"].str.len(),
        attitude=[attitude(text) for text in sentences["text"]],
        paragraph_location=by_paragraph.cumcount() / by_paragraph["text"].transform("size"),
    )
    if not {"title_similarity", "tf_idf"} <= set(replaced):
        titles = documents["title"].fillna("").astype(str).to_dict()
        nouns = memoize(corpus, "nouns", None, lambda: _nouns(sentences["text"].tolist()))
        from_nouns, missing = _from_nouns(sentences, titles, nouns)
        frame = frame.join(from_nouns)
        notes += [note for note in missing if note.where not in replaced]
    for name in replaced:
        if absent := int(replaced[name].isna().sum()):
            verbs = "has no given value and counts as 0", "have no given value and count as 0"
            notes.append(Note("warning", str(name), part_of(absent, len(frame), "sentence", *verbs)))
        frame[name] = (replaced[name].fillna(0) if absent else replaced[name]).to_numpy()
    return frame[["doc_id", "sentence", "text", *ATTRIBUTES]], notes


def _check(given_attributes: pd.DataFrame, sentences: pd.DataFrame) -> pd.DataFrame:
    """Return the given attributes in the order of sentences; refuse unknown sentences and non-numeric values."""
    names = [name for name in ATTRIBUTES if name in given_attributes]
    if "sentence" not in given_attributes or not names:
        facts = {"columns": ", ".join(map(str, given_attributes.columns)) or "(none)", "known": ", ".join(ATTRIBUTES)}
        raise input_error("the given attributes", "no attribute", **facts)
    for invalid, problem in (
        (~given_attributes["sentence"].isin(sentences["sentence"]), "no sentence of the loaded texts"),
        (given_attributes["sentence"].duplicated(), "a sentence given twice"),
    ):
        if invalid.any():
            sentence = given_attributes.loc[invalid, "sentence"].iloc[0]
            raise input_error("the given attributes", "not in the list", sentence=sentence, problem=problem)
    table = given_attributes.set_index("sentence")[names].reindex(sentences["sentence"])
    for name in names:
        if name == "group":
            table[name] = table[name].fillna("").astype("str")
            continue
        values = pd.to_numeric(table[name], errors="coerce").astype("float64")
        is_given = table[name].notna() & (table[name].astype("str").str.strip() != "")
        whole = "whole " if name == "attitude" else ""
        invalid = is_given & (~np.isfinite(values) | ((values % 1 != 0) & bool(whole)))
        if invalid.any():
            where = f"the given attributes, column {name}, sentence '{invalid.idxmax()}'"
            raise input_error(where, "attribute", value=table.loc[invalid, name].iloc[0], whole=whole)
        table[name] = values
    return table


def _from_nouns(
    listed: pd.DataFrame, titles: Mapping[str, str], nouns_of: Sequence[list[str]]
) -> tuple[pd.DataFrame, list[Note]]:
    """Return title_similarity and tf_idf of every sentence, and notes on values that are missing and therefore 0.

    The weight of a noun in a sentence is F / MAX_F · ln(N / DF) / ln N: F is its count and MAX_F the largest count in
    the sentence, and DF of the N sentences of the text have the noun.
    """
    pairs = [(row, noun) for row, spellings in enumerate(nouns_of) for noun in spellings]
    words = [(name, token.lower()) for name, title in titles.items() for token, _, _ in tokens(clean(title))]
    distinct = list(dict.fromkeys(word for _, word in (*pairs, *words)))
    stem = dict(zip(distinct, stem_words(distinct, "porter-nltk"), strict=True))
    title_words = {(name, stem[word]) for name, word in words}
    nouns = pd.DataFrame([(row, stem[noun]) for row, noun in pairs], columns=["row", "noun"])
    nouns = nouns.groupby(["row", "noun"], sort=False).size().rename("F").reset_index()
    nouns["MAX_F"] = nouns.groupby("row")["F"].transform("max")
    nouns["doc_id"] = listed["doc_id"].to_numpy()[nouns["row"]]
    nouns["DF"] = nouns.groupby(["doc_id", "noun"])["row"].transform("size")
    sizes = listed.groupby("doc_id", sort=False)["text"].size()
    nouns["N"] = nouns["doc_id"].map(sizes)
    nouns["tf_idf"] = nouns["F"] / nouns["MAX_F"] * np.log(nouns["N"] / nouns["DF"]) / np.log(nouns["N"])
    in_title = [pair in title_words for pair in zip(nouns["doc_id"], nouns["noun"], strict=True)]
    nouns["title_similarity"] = nouns["tf_idf"].where(in_title, 0.0)
    sums = nouns.groupby("row")[["title_similarity", "tf_idf"]].sum().reindex(listed.index, fill_value=0.0)
    both, with_title, with_nouns = "title_similarity and tf_idf", {name for name, _ in words}, set(nouns["doc_id"])
    missing = [
        ("title_similarity", "no title", [name for name in sizes.index if name not in with_title]),
        (both, "one sentence, whose weights are undefined", sizes.index[sizes == 1].tolist()),
        (both, "no English noun was found", [name for name in sizes.index[sizes > 1] if name not in with_nouns]),
    ]
    zero = "the attribute counts as 0 there"
    notes = [
        Note("warning", where, f"{why} in {pluralize(len(names), 'document')}: {Ids.of(names)}; {zero}")
        for where, why, names in missing
        if names
    ]
    return sums, notes


def _nouns(sentences: Sequence[str]) -> list[list[str]]:
    """Return each sentence's nouns in lower case, without words in other scripts, which the tagger labels as nouns."""
    token_lists = [[token for token, _, _ in tokens(text)] if _LATIN.search(text) else [] for text in sentences]
    tagged = (zip(words, names, strict=True) for words, names in zip(token_lists, tag(token_lists), strict=True))
    return [
        [word.lower() for word, name in pairs if word_class(name) == "N" and _LATIN.search(word)] for pairs in tagged
    ]


def columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return attributes as numeric columns (attribute, value), categories one-hot encoded unless they are constant."""
    numbers: dict[tuple[str, str], Any] = {}
    for name in ATTRIBUTES:
        if name not in CATEGORIES:
            numbers[name, ""] = frame[name].astype(float)
        elif len(values := sorted(frame[name].unique())) > 1:
            for value in values:
                label = f"{value:g}" if name == "attitude" else str(value)
                numbers[name, label] = (frame[name] == value).astype(float)
    return pd.DataFrame(numbers)


@dataclass(frozen=True)
class Extracts:
    """The S sentences of the documents that annotators saw, with their attributes and the annotators' choices.

    * `frame`: one row per sentence, as from `attributes`; `columns`: its attributes as numbers (S, F)
    * `document`, `position`, `votes`: (S,) index of the document, sentences before it, annotators who chose it
    * `documents`, `groups`: (D,) ids and types of the documents
    """

    frame: pd.DataFrame
    columns: pd.DataFrame
    document: Ints
    position: Ints
    votes: Ints
    levels: Levels
    documents: tuple[str, ...]
    groups: tuple[str, ...]
    notes: tuple[Note, ...]

    def majority(self, threshold: float) -> Ints:
        """Return per document (D,) how many votes a sentence needs at this threshold; 0 if it cannot be reached."""
        return self.levels.size(threshold)

    def left(self, majority: Ints) -> Bools:
        """Return a mask (S,) of sentences in documents that reach these majorities."""
        return np.asarray(majority[self.document] > 0)

    def yes(self, majority: Ints) -> Bools:
        """Return a mask (S,) of sentences that survive trimming to these majorities."""
        return np.asarray(self.left(majority) & (self.votes >= majority[self.document]))


def extracts(corpus: Corpus, given: pd.DataFrame | None = None, form: Form = "binary") -> Extracts:
    """Return sentences, attributes and choices of a corpus whose gold standard consists of sentence ids.

    Raises InputError if an id is not that of a sentence in its text, or if there are fewer than two annotators.
    """
    rows = sentence_rows(corpus.gold, corpus, "the gold standard")
    table, notes = attributes(corpus, given)
    data = prepare_annotators(corpus, Settings(normalise="none", universe="sentences", interval="none"))
    document = pd.Index(data.documents).get_indexer(pd.Index(table["doc_id"]))
    has_choices = document >= 0
    number = np.cumsum(has_choices) - 1
    if left_out := table.loc[~has_choices, "doc_id"].nunique():
        verbs = "has no extract and is left out", "have no extract and are left out"
        notes.append(Note("info", "extracts", part_of(left_out, left_out + len(data.documents), "document", *verbs)))
    item = number[rows][data.choices.position]
    # choices are in text order
    choices = replace(data.choices, item=item, position=item, document=document[has_choices].astype(np.int64))
    frame = table[has_choices].reset_index(drop=True)
    types = frame.groupby("doc_id", sort=False)["group"].unique()
    types = types.where(types.map(len) == 1).map(lambda group: group[0], na_action="ignore")
    without_type, why = Ids.of(types.index[types.isna()].tolist()), "in no row by document type"
    verbs = f"has sentences of several types and is {why}", f"have sentences of several types and are {why}"
    notes += part_note("warning", "group", without_type, len(data.documents), *verbs)
    position, groups = (
        frame.groupby("doc_id").cumcount().to_numpy(np.int64),
        types.reindex(list(data.documents)).fillna(""),
    )
    sentences = frame, columns(frame), choices.document, position, choices.votes
    return Extracts(*sentences, levels(choices, data.universe, form), data.documents, tuple(groups), tuple(notes))
