"""Make the ranked outputs of the sample data by running real extractors on the texts.

Not imported by the app. Needs its own environment with exactly

    yake==0.7.3  rake-nltk==1.0.6  nltk==3.10.4  summa==1.2.0  scikit-learn==1.9.1  numpy==2.4.6  scipy==1.17.1

and nothing else: no model, no NLTK data. From the folder that holds this file:

    python -m venv extractors
    extractors/bin/pip install yake==0.7.3 rake-nltk==1.0.6 nltk==3.10.4 summa==1.2.0 \
        scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
    extractors/bin/python make_systems.py

Reads `lectures/documents.jsonl` and `chinese/documents.jsonl`; writes `lectures/systems/*` and
`chinese/system_a.json`, `chinese/system_b.json`. A second run writes the same bytes. Each list is cut
after TOP phrases; otherwise it is what the extractor gave, in its order and spelling.
"""

import csv
import json
import re
from pathlib import Path

import yake
from rake_nltk import Rake
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfVectorizer
from summa import keywords as summa_keywords

HERE = Path(__file__).resolve().parent
TOP = 50


def read_documents(path):
    """Ids and full texts (the title, a full stop, a blank line, the text)."""
    with path.open(encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    return {d["id"]: f"{d['title']}.\n\n{d['text']}" for d in documents}


def write_csv(path, ranked):
    """`ranked`: {doc_id: [(phrase, score), ...]}, best first."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["doc_id", "rank", "keyphrase", "score"])
        for doc_id, pairs in ranked.items():
            for rank, (phrase, score) in enumerate(pairs[:TOP], start=1):
                writer.writerow([doc_id, rank, phrase, float(score)])


def run_yake(texts):
    """YAKE, up to three words, its own removal of similar phrases at 0.9. Lower scores are better."""
    extractor = yake.KeywordExtractor(lan="en", n=3, dedup_lim=0.9, dedup_func="seqm", window_size=1, top=TOP)
    return {doc_id: extractor.extract_keywords(text) for doc_id, text in texts.items()}


def run_rake(texts):
    """RAKE, degree over frequency, up to three words, each phrase once."""
    ranked = {}
    for doc_id, text in texts.items():
        rake = Rake(
            stopwords=set(ENGLISH_STOP_WORDS),
            max_length=3,
            include_repeated_phrases=False,
            sentence_tokenizer=lambda t: re.split(r"(?<=[.!?])\s+|\n+", t),
            word_tokenizer=lambda s: re.findall(r"\w+(?:[-'.+]+\w+)*|[^\w\s]", s),
        )
        rake.extract_keywords_from_text(text)
        ranked[doc_id] = [(phrase, score) for score, phrase in rake.get_ranked_phrases_with_scores()]
    return ranked


def run_textrank(texts):
    """TextRank as in summa with its defaults: the best fifth of the words, neighbours joined."""
    return {
        doc_id: [(phrase, round(float(score), 8)) for phrase, score in summa_keywords.keywords(text, scores=True)]
        for doc_id, text in texts.items()
    }


def rank_by_weight(vectoriser, texts):
    """The n-grams of each document by weight; equal weights: longer first, then alphabetical."""
    matrix = vectoriser.fit_transform(texts.values())
    names = vectoriser.get_feature_names_out()
    ranked = {}
    for row, doc_id in enumerate(texts):
        entries = matrix[row].tocoo()
        pairs = [(str(names[c]), round(float(w), 8)) for c, w in zip(entries.col, entries.data, strict=True)]
        ranked[doc_id] = sorted(pairs, key=lambda p: (-p[1], -len(p[0]), p[0]))[:TOP]
    return ranked


def run_tfidf(texts):
    """tf-idf of 1- to 3-grams over the texts themselves, English stop words."""
    return rank_by_weight(TfidfVectorizer(ngram_range=(1, 3), stop_words="english"), texts)


def chinese_ngrams(shortest, longest):
    """A function that finds all runs of so many Chinese characters, with no punctuation inside."""

    def find(text):
        return [
            run[i : i + n]
            for run in re.findall(r"[\u4e00-\u9fff]+", text)
            for n in range(shortest, longest + 1)
            for i in range(len(run) - n + 1)
        ]

    return find


def main():
    texts = read_documents(HERE / "lectures" / "documents.jsonl")
    systems = HERE / "lectures" / "systems"
    systems.mkdir(exist_ok=True)
    write_csv(systems / "yake.csv", run_yake(texts))
    write_csv(systems / "rake.csv", run_rake(texts))
    write_csv(systems / "textrank.csv", run_textrank(texts))
    with (systems / "tfidf.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for doc_id, pairs in run_tfidf(texts).items():
            record = {"id": doc_id, "predictions": [p for p, _ in pairs], "scores": [s for _, s in pairs]}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    texts = read_documents(HERE / "chinese" / "documents.jsonl")
    for name, vectoriser in (
        ("system_a.json", CountVectorizer(analyzer=chinese_ngrams(2, 4))),
        ("system_b.json", TfidfVectorizer(analyzer=chinese_ngrams(3, 5))),
    ):
        lists = {doc_id: [p for p, _ in pairs] for doc_id, pairs in rank_by_weight(vectoriser, texts).items()}
        with (HERE / "chinese" / name).open("w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(lists, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    main()
