"""Judge how files end: read as they are meant, asked with the answer that is meant, or why not."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading import Question, load
from tests.forms import one_choice

Lists = Mapping[tuple[str, str], Sequence[str]]
#: So many questions may follow one another, and so many combinations of answers to one of them are tried.
QUESTIONS, ANSWERS = 3, 40
#: So many choices are made in one form, so many mappings are tried for each, and so many of them are changed again.
CHOICES, MAPPINGS, NEXT = 3, 1500, 60
#: What a file may end as; anything else that `settles` says is a reason.
ENDS = ("read", "asked first", "asked")


@dataclass(frozen=True)
class Truth:
    """The lists that a person finds in files: (whose, document) → phrases; `*` is the only annotator or system.

    texts    document → text, where texts are looked at
    partial  only these documents are looked at
    higher   whether high scores are better, where that is looked at
    """

    gold: Lists = field(default_factory=dict)
    systems: Lists = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False
    higher: bool | None = None

    def differs(self, corpus: Corpus) -> str:
        """Say in what a corpus is not as it should be, or nothing."""
        found = corpus.empty[["role", "source", "doc_id"]].to_numpy().tolist()
        for role, lists, table, who in (
            ("gold", self.gold, corpus.gold, "annotator"),
            ("system", self.systems, corpus.runs, "system"),
        ):
            read: dict[tuple[str, str], list[str]] = {(w, d): [] for part, w, d in found if part == role}
            for source, doc_id, phrase in zip(table[who], table["doc_id"], table["phrase"], strict=True):
                read.setdefault((source, doc_id), []).append(phrase)
            if any(source == "*" for source, _ in lists) and len({source for source, _ in read}) == 1:
                read = {("*", doc_id): phrases for (_, doc_id), phrases in read.items()}
            if said := _difference(role, lists, read, partial=self.partial):
                return said
        texts = dict(zip(corpus.documents["doc_id"], corpus.documents["text"].astype(object), strict=True))
        for doc_id, text in self.texts.items():
            if texts.get(doc_id) != text:
                return f"text of “{doc_id}”: {texts.get(doc_id)!r} in place of {text!r}"
        ways = {one.higher_is_better for one in corpus.rankings.values()}
        return f"higher is better: {ways}" if self.higher is not None and ways != {self.higher} else ""


def _difference(role: str, lists: Lists, read: Lists, *, partial: bool) -> str:
    def comparable(phrases: Sequence[str]) -> list[str]:
        plain = [html.unescape(phrase) for phrase in phrases]
        return plain if role == "system" else sorted(plain)

    # An empty list that nobody looks for is no fault: a cell without a phrase may say so, or nothing.
    documents = {doc_id for _, doc_id in lists}
    further = [key for key, phrases in read.items() if phrases and key not in lists]
    further = [key for key in further if not partial or key[1] in documents]
    if further:
        return f"{role} has {further[0]}: {list(read[further[0]])[:4]}, which is not meant"
    for key, phrases in lists.items():
        if key not in read and phrases:
            return f"{role} lacks {key}: {list(phrases)[:4]}"
        if comparable(read.get(key, ())) != comparable(phrases):
            return f"{role} of {key}: {list(read[key])[:6]} in place of {list(phrases)[:6]}"
    return ""


def settles(given: Mapping[str, Any], truths: Sequence[Truth], questions: int = QUESTIONS) -> str:
    """Load files and answer what is asked; return one of `ENDS`, or why none of the truths came out.

    A reason begins with `misread`, `refused`, or `asked wrong`: no answer and no three choices lead to a truth.
    """
    try:
        corpus = load(**given)
    except Question as question:
        return _answered(given, truths, question, questions)
    except (InputError, UsageError) as refusal:
        return f"refused: {refusal}"
    said = [truth.differs(corpus) for truth in truths]
    return "read" if "" in said else f"misread: {said[0]}"


def _answered(given: Mapping[str, Any], truths: Sequence[Truth], question: Question, questions: int) -> str:
    if not questions:
        return f"asked wrong: more than {QUESTIONS} questions, the last: {question}"
    proposed = {form.file: form.mapping for form in question.forms}
    every = product(*(finding.answers for finding in question.findings))
    for number, replies in enumerate(islice(every, ANSWERS)):
        mapping, fixes = {**given.get("mapping", {}), **proposed}, list(given.get("fixes", ()))
        for reply in replies:
            mapping |= reply.mapping
            fixes += reply.fixes
        ended = settles({**given, "mapping": mapping, "fixes": fixes}, truths, questions - 1)
        if ended in ENDS:
            return "asked first" if number == 0 and ended != "asked" else "asked"
    return _filled_in(given, truths, question)


def _filled_in(given: Mapping[str, Any], truths: Sequence[Truth], question: Question) -> str:
    """Change the form of the first file until a truth comes out, by at most three choices."""
    proposed = {form.file: form.mapping for form in question.forms}
    for form in question.forms:
        tried, now = {form.mapping}, [form.mapping]
        for _ in range(CHOICES):
            further = list(
                dict.fromkeys(one for mapping in now for one in one_choice(form, mapping) if one not in tried)
            )
            for mapping in further[:MAPPINGS]:
                tried.add(mapping)
                said = {**given.get("mapping", {}), **proposed, form.file: mapping}
                try:
                    corpus = load(**{**given, "mapping": said})
                except (InputError, UsageError):
                    continue
                if any(not truth.differs(corpus) for truth in truths):
                    return "asked"
            now = further[:NEXT]
    return f"asked wrong: {question}"
