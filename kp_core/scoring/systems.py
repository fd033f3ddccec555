"""Turn prepared data into the counts of every system and baseline, by matcher.

Sources: Kiritchenko, Matwin & Famili 2005, Functional annotation of genes using hierarchical text categorization; Wu,
Yin & Chang 2024 (KPEval), diversity; Chan et al. 2019, number of keyphrases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import memoize
from kp_core.errors import input_error, pluralize
from kp_core.scoring import codes
from kp_core.scoring.alignment import Hits, Lists, ideal_hits, ordered_hits, random_hits, ranked_lists
from kp_core.scoring.codes import Bools, CodedRun, Codes, Floats, Ints, owners, padded_blocks, ragged
from kp_core.scoring.counts import BASELINES, RANDOM, SILENT, Counts, SystemCounts, count, table_settings
from kp_core.scoring.gold import Gold
from kp_core.scoring.measures.registry import Matcher
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.semantic import semantic_counts, similarity_table_of
from kp_core.settings import Settings
from kp_core.text.normalise import Normaliser
from kp_core.text.places import occurs, token_lines

#: Maximum number of rows of the random baseline; with larger universes, it ends at the largest cutoff.
_RANDOM_ROWS = 5_000_000


def baseline_counts(name: str, gold: Gold, universe: Floats, settings: Settings) -> Counts:
    """Return the counts of a baseline."""
    zeros, below_rel = np.zeros_like(gold.size), gold.gain_below_rel if settings.gains == "all" else None
    silent = Lists(zeros, np.zeros(0, np.int32), zeros[:0], None, zeros[:0] > 0, zeros)
    hits = ideal = ideal_hits(gold, below_rel)
    counts = replace(count(silent, zeros == 0, gold, universe, settings), ideal=ideal, judged=None)
    if name == SILENT:
        return counts
    length, deepest = np.maximum(universe.astype(np.int64), gold.size), None
    if name == RANDOM:
        known_length = length
        if length.sum() > _RANDOM_ROWS:
            cutoffs = (cutoff for cutoff in settings.k if isinstance(cutoff, int))
            deepest = max(int(gold.size.max(initial=0)), *cutoffs, 0)
            known_length = np.minimum(length, deepest)
        document = codes.owners(known_length)
        hits = random_hits(document, codes.ranks(known_length), length[document].astype(float), gold)
    return replace(counts, hits=hits, length=length, rows=length, deepest=deepest)


def broader_concepts(data: Prepared) -> pd.DataFrame:
    """Return form and node, one row for each form and concept that it denotes or that is broader.

    Concepts without a form are numbered after the forms.
    """
    broader, n_forms = data.corpus.vocabulary.ancestors, len(data.identities.forms)
    index = codes.forms_of(data.identities, list(broader), "none", by_concept=True)
    index[index < 0] = n_forms + np.arange((index < 0).sum())
    node_of = dict(zip(broader, index.tolist(), strict=True))
    rows = [(node, node_of[name]) for concept, node in node_of.items() if node < n_forms for name in broader[concept]]
    return pd.DataFrame([*((form, form) for form in range(n_forms)), *rows], columns=["form", "node"])


def hierarchy_counts(data: Prepared, systems: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts with all broader concepts on both sides; an empty dictionary without a hierarchy.

    Cutoffs refer to the original lists: a broader concept has the rank of its first narrower suggestion.
    """
    if data.settings.by_concept == "no" or not len(data.corpus.vocabulary.broader):
        return {}
    concepts, documents, with_broader = broader_concepts(data), len(data.documents), dict[str, Counts]()
    for name, counts in systems.items():
        lists, gold, (row, subject) = counts.alignment.lists, counts.alignment.gold, counts.alignment.subjects()
        due = pd.DataFrame({"document": gold.document, "form": gold.subject}).merge(concepts)
        due = due[["document", "node"]].drop_duplicates()
        ranked = pd.DataFrame({"document": lists.owner[row], "form": subject, "rank": lists.rank[row]}).merge(concepts)
        ranked = ranked.groupby(["document", "node"], as_index=False)["rank"].min()
        ranked = ranked.merge(due, how="left", indicator="due").sort_values(["document", "rank"], kind="stable")
        document, rank, is_due = ranked["document"].to_numpy(), ranked["rank"].to_numpy(), ranked["due"] == "both"
        ones = np.ones(int(is_due.sum()))
        with_broader[name] = replace(
            counts,
            hits=ordered_hits(document[is_due], rank[is_due], ones, ones, ones),
            size=np.bincount(due["document"], minlength=documents),
            gold_size=counts.size,
            length=np.bincount(document, minlength=documents),
            returned_rows=(document, rank),
        )
    return with_broader


def returned_counts(
    data: Prepared, systems: Mapping[str, Counts], sides: Callable[[Lists], Ints] | None = None, index: int = 0
) -> dict[str, Counts]:
    """Return the counts of the lists as returned, or only of the rows that `sides` assigns to the number `index`.

    Every row is a hit. Further columns: whether the phrase is `repeated` (also higher up), its number of `words` and of
    `repeated words`, whether it is `present` in the text (NaN without a text), and its total similarity to all
    phrases above it, `alike` (NaN without a similarity).
    """
    settings, result = data.settings.changed(duplicates="keep"), dict[str, Counts]()
    for name, counts in systems.items():
        run = data.coded.runs[name]
        lists = ranked_lists(run, data.identities, settings)
        lists = lists if sides is None else lists.only(sides(lists) == index)
        words, repeated_words = _words(data, lists)
        with_text = np.array([bool(text) for text in data.texts], bool)[lists.owner]
        present = np.full(len(with_text), np.nan)
        present[with_text] = occurs_in_text(data)(lists.owner[with_text], lists.form[with_text])
        columns = {
            "found": np.ones(len(lists.form)),
            "repeated": lists.repeated.astype(float),
            "words": words,
            "repeated words": repeated_words,
            "present": present,
            "alike": _alike(data, run, lists),
        }
        rows = Hits(lists.owner, lists.rank, columns)
        result[name] = replace(
            counts, hits=rows, length=lists.length, rows=lists.length, returned_rows=None, judged=None
        )
    return result


def _words(data: Prepared, lists: Lists) -> tuple[Floats, Floats]:
    """Count the words of each row, in its normalized form, and those that occur earlier in its list."""
    words_of_form = pc.split_pattern(data.identities.forms.cast(pa.large_string()), " ")
    length = np.diff(words_of_form.offsets.to_numpy()).astype(np.int64)
    code = words_of_form.flatten().dictionary_encode().indices.to_numpy().astype(np.int64)
    start = np.cumsum(length) - length
    words = length[lists.form]
    row = np.repeat(np.arange(len(words)), words)
    key = lists.owner[row] * (code.max(initial=0) + 1) + code[ragged(start[lists.form], words)]
    first_occurrences = np.bincount(row[np.unique(key, return_index=True)[1]], minlength=len(words))
    return words.astype(float), (words - first_occurrences).astype(float)


def occurs_in_text(data: Prepared) -> Callable[[Ints, Ints | Codes], Bools]:
    """Return a function that tests whether forms, in any spelling, occur in texts."""
    normaliser, coded, identities = Normaliser.parse(data.settings.normalise), data.coded, data.identities
    key = (str(normaliser), data.settings.titles)
    texts = memoize(data.corpus, "text lines", key, lambda: token_lines(data.texts, normaliser))
    # Phrases are processed like texts: tokens first, stems last.
    raw = coded.phrases.to_pylist()
    predicted = gold = token_lines(raw, normaliser)
    if data.settings.gold_stemmed == "yes":
        gold = token_lines(raw, normaliser.without_stemmer())
    lines_of: list[dict[str, None]] = [{} for _ in range(len(identities.forms))]
    for forms, spellings in ((identities.predicted, predicted), (identities.gold, gold)):
        for form, line in zip(forms.tolist(), spellings, strict=True):
            lines_of[form][line] = None
    any_order, cache = "sort" in normaliser.steps, dict[int, bool]()

    def occurs_in(document: Ints, form: Ints | Codes) -> Bools:
        keys = (document.astype(np.int64) * len(lines_of) + form).tolist()
        for key in {*keys} - cache.keys():
            text, index = divmod(key, len(lines_of))
            cache[key] = any(occurs(line, texts[text], any_order) for line in lines_of[index])
        return np.array([cache[key] for key in keys], bool)

    return occurs_in


def _alike(data: Prepared, run: CodedRun, lists: Lists) -> Floats:
    """Return the sum of the similarities of each row to the rows above it in its list."""
    if not data.corpus.vocabulary.has_similarities:
        return np.full(len(lists.form), np.nan)
    similarities, sums = similarity_table_of(data.corpus, data.coded, data.settings), [np.empty(0)]
    phrase = run.phrase[run.start[lists.owner] + lists.position - 1]
    compared = phrase if similarities.vectors is not None else lists.form  # a table of pairs may lack equal phrases
    for block in padded_blocks(len(phrase), int(lists.length.max(initial=0))):
        n_above = lists.rank[block] - 1
        row, higher = owners(n_above), ragged(np.arange(len(phrase))[block] - n_above, n_above)
        lower = row + (block.start or 0)
        similarity = np.where(
            compared[lower] == compared[higher], 1.0, similarities.pairs(phrase[higher], phrase[lower])
        )
        sums.append(np.bincount(row, np.nan_to_num(similarity), minlength=len(n_above)).astype(float))
    return np.concatenate(sums)


#: Counts for less common measures, from the exact counts of all systems.
_OTHER_COUNTS: dict[Matcher, Callable[..., dict[str, Counts]]] = {
    "hierarchy": hierarchy_counts,
    "given": semantic_counts,
    "as-returned": returned_counts,
}


def count_unchecked(
    data: Prepared,
    matchers: Collection[Matcher] = ("exact", "sets"),
    baselines: bool = False,
    without: int | None = None,
    votes_needed: Ints | None = None,
) -> dict[str, SystemCounts]:
    """Return the counts of all systems and baselines, without checking N; other arguments as in `gold_items`.

    * `matchers`: required matchers; without `sets`, N and the slow count of n-grams in all texts are not needed
    """
    concordance, settings, tables = "sets" in matchers, data.settings, table_settings(data.settings)
    gold = gold_of_sets = data.standard(without, votes_needed)
    universe = data.universe if concordance else np.zeros(len(data.documents))
    if concordance and settings.gold_list != "unique":
        gold_of_sets = data.under(tables).standard(without, votes_needed)
    one_spelling = len(gold.spelling_item) == len(gold.grade)
    already_sets = (settings.duplicates, settings.hits_as, settings.gold_list) == ("before", "predictions", "unique")
    # If both sides are already sets with one spelling per item, tables share the exact counts.
    is_shared = not concordance or (one_spelling and already_sets)
    systems = dict[str, dict[Matcher, Counts]]()
    for system, run in data.coded.runs.items():
        if settings.missing == "error" and not run.listed.all():
            missing_ids = [data.documents[i] for i in np.flatnonzero(~run.listed)]
            documents, names = pluralize(len(run.listed), "document"), ", ".join(missing_ids[:5])
            raise input_error(f"system '{system}'", "no list", lost=len(missing_ids), documents=documents, names=names)
        exact = sets = count(ranked_lists(run, data.identities, settings), run.listed, gold, universe, settings)
        if not is_shared:
            lists = ranked_lists(run, data.identities, tables)
            sets = count(lists, run.listed, gold_of_sets, universe, tables, only_best=True)
        systems[system] = {"exact": exact, "sets": sets}
    exact_counts = {name: by_matcher["exact"] for name, by_matcher in systems.items()}
    for matcher in _OTHER_COUNTS.keys() & {*matchers}:
        for name, counts in _OTHER_COUNTS[matcher](data, exact_counts).items():
            systems[name][matcher] = counts
    for name in BASELINES if baselines else ():
        exact = sets = baseline_counts(name, gold, universe, settings)
        if concordance:
            sets = baseline_counts(name, gold_of_sets, universe, tables)
        systems[name] = {"exact": exact, "sets": sets}
    return {name: SystemCounts(by_matcher) for name, by_matcher in systems.items()}


def count_systems(
    data: Prepared,
    matchers: Collection[Matcher] = ("exact", "sets"),
    baselines: bool = False,
    without: int | None = None,
) -> dict[str, SystemCounts]:
    """Return the counts of every system; refuse a universe smaller than the number of phrases chosen."""
    systems = count_unchecked(data, matchers, baselines, without)
    if "sets" in matchers and data.settings.universe.isdigit():
        n_chosen = data.all_items.size.astype(float)  # and further phrases of systems, at the largest cutoff
        for name in data.coded.runs:
            parts = [part.at(data.settings.k) for part in systems[name].sets.blocks()]
            n_chosen = np.maximum(n_chosen, np.concatenate([(at.size + at.system_only).max(axis=1) for at in parts]))
        data.refuse_small_universe(n_chosen)
    return systems


def longest_lists(data: Prepared) -> dict[str, int]:
    """Return the length of the longest list of every system, at which its curve over k ends."""
    return {name: int(run.length.max(initial=0)) for name, run in data.coded.runs.items()}
