"""Turn the terms of the field, as KPScope uses them, into the glossary of the Methods page and the documentation."""

from __future__ import annotations

from pathlib import PurePosixPath

from kp_core import tables

#: Term, what it means here, and the page of the documentation on which it is computed or explained.
_ENTRIES: tuple[tuple[str, str, str], ...] = (
    (
        "absent keyphrase",
        "A keyphrase whose words do not stand together in the text of its document, after "
        "normalisation. A system that only copies from the text cannot find it.",
        "guide/ranking.md",
    ),
    (
        "annotator",
        "A person who chose keyphrases for documents, or scored pairs of phrases; also called indexer, judge "
        "or rater. What an annotator did not choose in a document that he or she saw counts as “no”.",
        "guide/annotators.md",
    ),
    (
        "average gold size",
        "The mean number of keyphrases that one annotator gives a document, rounded, halves up. It "
        "is the default cutoff k.",
        "guide/overview.md",
    ),
    (
        "baseline",
        "A system that everybody can imagine, for comparison. “says nothing” returns no phrase, “random k” "
        "draws k phrases of the universe at random, and “oracle k” is the best that any list of k phrases can reach.",
        "guide/overview.md",
    ),
    (
        "bias",
        "How unequally gold standard and system choose: the bias index BI is (b − c) / N, above 0 where the gold "
        "standard has more phrases.",
        "methods.md#bi",
    ),
    (
        "candidate",
        "A phrase of a text that a system may rank, such as a run of words or a chunk of nouns and "
        "adjectives. In judged pairs: the phrase that is compared with a keyphrase.",
        "guide/extract.md",
    ),
    (
        "concordance table",
        "Four counts of phrases: a, chosen by both gold standard and system; b, by the gold standard "
        "only; c, by the system only; d, by neither. Their sum is N.",
        "guide/agreement.md",
    ),
    (
        "convention",
        "A choice that changes a number without changing the files, such as what becomes of duplicates or "
        "what precision is divided by. Every convention is a field of the signature.",
        "methods.md#conventions",
    ),
    (
        "convention spread",
        "The lowest and highest value that the same files give under published conventions and their combinations.",
        "guide/overview.md",
    ),
    (
        "coverage",
        "The share of the gold keyphrases that are among the candidates of their document: the highest recall "
        "that a system choosing among these candidates can reach.",
        "guide/extract.md",
    ),
    (
        "cutoff k",
        "How many phrases of the beginning of each list count. Besides a number it may be the gold size of "
        "each document, or the whole list.",
        "guide/overview.md",
    ),
    (
        "document",
        "The unit for which keyphrases are chosen: an article, a lecture, a record. Means, intervals and "
        "tests are taken over documents.",
        "guide/data.md",
    ),
    ("gold size", "The number of gold keyphrases of a document.", "methods.md#rprec"),
    (
        "gold standard",
        "The keyphrases against which systems are scored: what any annotator chose (union), more than "
        "half of them (majority), all of them (intersection), or what one annotator chose. With “votes” the number of "
        "annotators is the grade.",
        "guide/annotators.md",
    ),
    (
        "grade",
        "How important a gold keyphrase is, as a number; votes of annotators are grades too. Measures "
        "such as nDCG weigh keyphrases by it.",
        "guide/ranking.md",
    ),
    (
        "hit",
        "A phrase of a system that is the same as a gold keyphrase of the document, under the conventions in use.",
        "guide/documents.md",
    ),
    (
        "human ceiling",
        "The value that people reach as if they were systems: each annotator in turn is scored against "
        "what the others chose, and the values are averaged. Systems beside it are scored against the same keyphrases.",
        "guide/annotators.md",
    ),
    (
        "interval",
        "The range in which a value would probably lie if other documents of the same kind had been drawn: "
        "the middle 95 % of the values of 1,000 resamples of the documents, where nothing else is said.",
        "guide/overview.md",
    ),
    (
        "judged pair",
        "A keyphrase and a candidate whose likeness people have scored, for example from 0 to 4.",
        "guide/correlation.md",
    ),
    (
        "K",
        "Agreement of several annotators on “yes” and “no” beyond chance: Fleiss' kappa, which is Siegel and "
        "Castellan's K.",
        "methods.md#k",
    ),
    (
        "kappa",
        "Cohen's kappa: agreement of gold standard and system on “yes” and “no”, beyond what chance would give. "
        "It depends on N.",
        "methods.md#kappa",
    ),
    (
        "keyphrase",
        "A word or phrase that a person chose because it says what a document is about. Keywords are "
        "meant too; they need not be one word.",
        "guide/data.md",
    ),
    (
        "load report",
        "What KPScope understood of the files: formats, rows, documents, lists, duplicates, ids that do "
        "not match, and every rejected row with its reason.",
        "guide/data.md",
    ),
    (
        "macro average",
        "The mean of the values of the documents, so every document weighs the same. Compare micro average.",
        "methods.md#conventions",
    ),
    ("measure", "A rule that gives a system, an annotator or a pair of phrases a number.", "methods.md"),
    (
        "micro average",
        "The value of the sums: hits, lists and tables of all documents are added up first, so documents "
        "with many phrases weigh more. Compare macro average.",
        "methods.md#conventions",
    ),
    (
        "missing list",
        "A document for which a system has no list at all; an empty list is an answer, a missing one is "
        "none. By default it counts as 0.",
        "methods.md#conventions",
    ),
    (
        "near miss",
        "A phrase that is no hit but has a word in common with a keyphrase of the document. Types: MORPH, "
        "another form of it; INCLUDE, longer; PARTOF, shorter; OVERLAP, neither.",
        "guide/near_misses.md",
    ),
    (
        "normalisation",
        "The steps after which two phrases count as the same if they are equal, such as lower case and "
        "stemming. The gold standard and the system go through the same steps.",
        "guide/data.md",
    ),
    (
        "P_neg",
        "Negative agreement: the agreement on phrases that are no keyphrases, 2d / (2d + b + c). Where N is "
        "large it is near 1 for every system.",
        "methods.md#p_neg",
    ),
    (
        "P_pos",
        "Positive agreement: the agreement on keyphrases, 2a / (2a + b + c). It is F1 of the same table and does "
        "not depend on N.",
        "methods.md#p_pos",
    ),
    (
        "PABAK",
        "Kappa as it would be if “yes” and “no” were equally frequent: twice the observed agreement minus 1. "
        "Because most phrases are no keyphrases, a system that says nothing has a high one.",
        "methods.md#pabak",
    ),
    (
        "present keyphrase",
        "A keyphrase whose words stand together in the text of its document, after normalisation.",
        "guide/ranking.md",
    ),
    (
        "preset",
        "Conventions under one name, as a data set or an evaluation script published them.",
        "methods.md#presets",
    ),
    (
        "prevalence",
        "How frequent “yes” is among all phrases. The prevalence index PI is (a − d) / N, near −1 where few "
        "phrases are chosen; then kappa is low and PABAK high for the same agreement.",
        "guide/agreement.md",
    ),
    (
        "rank cluster",
        "Systems that the test does not tell apart, read from the best one down. A reading aid: not to be "
        "told apart does not mean to be equal.",
        "guide/ranking.md",
    ),
    (
        "ranking",
        "The order in which a system lists its phrases, the best first. In the dashboard also the page of the "
        "measures that read it.",
        "guide/ranking.md",
    ),
    (
        "rejected row",
        "A row of a file that is part of no number; the load report gives its line and the reason.",
        "guide/data.md",
    ),
    (
        "sentence extract",
        "The sentences that people or a tree choose as those that say most about a text.",
        "guide/sentences.md",
    ),
    (
        "sentinel",
        "A measure of similarity too simple to be right, such as the length of the phrase. A measure that "
        "agrees with people no better than a sentinel says nothing.",
        "guide/correlation.md",
    ),
    (
        "signature",
        "One line under every result that names all conventions, the cutoff, the number of documents and the "
        "version. Two results are comparable if their signatures agree in all but k, docs and v.",
        "python.md",
    ),
    (
        "significant",
        "Said of a difference that swapping the two systems at random, document by document, would seldom "
        "bring about: p, corrected for the number of pairs, is below .05.",
        "guide/ranking.md",
    ),
    ("similarity", "How alike two phrases are, as a number.", "methods.md#similarity-of-two-phrases"),
    (
        "soft matching",
        "Counting a phrase as a hit if its similarity to a keyphrase reaches a threshold, each keyphrase at most once.",
        "guide/near_misses.md",
    ),
    (
        "stability",
        "How far the order of the systems stays the same under other measures, cutoffs, normalisations or "
        "gold standards.",
        "guide/ranking.md",
    ),
    (
        "stem",
        "A word without its inflection, as a stemmer cuts it: “tables” and “table” have the same one.",
        "guide/data.md",
    ),
    (
        "streamed run",
        "An evaluation of tables larger than memory, part by part; its sums are one small file that the "
        "dashboard opens.",
        "scale.md",
    ),
    (
        "system",
        "A program that lists phrases for documents. Its system output is one ranked list a document.",
        "guide/data.md",
    ),
    (
        "trimming",
        "Asking for more votes for a keyphrase, document by document, until the annotators agree on what is "
        "left as far as a threshold of K says.",
        "guide/annotators.md",
    ),
    (
        "undefined",
        "Said of a value that the formula does not give, such as kappa where nobody chose anything. It is "
        "shown with its reason, and is never 0.",
        "methods.md#reasons",
    ),
    (
        "universe N",
        "The number of phrases that could have been chosen in a document. Nobody can count them, so N is an "
        "assumption, for example all runs of one to three words of the text.",
        "guide/agreement.md",
    ),
    (
        "variant",
        "Another accepted spelling of the same gold keyphrase; whichever a system gives, it is one hit.",
        "formats.md",
    ),
    (
        "workspace",
        "The data on screen with settings and ratings; saved, it is one file that opens everything again.",
        "workspace.md",
    ),
)

#: Term → meaning, in alphabetical order.
TERMS: dict[str, str] = {term: meaning for term, meaning, _ in _ENTRIES}


def markdown() -> str:
    """Return the glossary as Markdown; `docs/glossary.md` is this text."""
    parts = ["# Glossary", "The terms of the field as KPScope uses them, each with the page that says more."]
    for term, meaning, page in _ENTRIES:
        title = PurePosixPath(page.partition("#")[0]).stem.replace("_", " ").capitalize()
        parts.append(f"## {tables.escape_markdown(term)}\n\n{tables.escape_markdown(meaning)} More: [{title}]({page}).")
    return "\n\n".join(parts) + "\n"
