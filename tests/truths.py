"""Judge whether files are read correctly, or asked about with the truth at most three choices away."""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as field_of
from itertools import islice
from typing import Any

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading import Form, Question, Source, form_for, load
from kp_core.reading import Mapping as Meaning
from kp_core.reading.meaning.mapping import SWITCHES
from tests.forms import changed, choices

Lists = Mapping[tuple[str, str], Sequence[str]]
#: Fields that a true mapping may leave to the prefill: they change no keyphrase, or only how the file is opened.
LEFT_OPEN = (
    *("role", "title", "text", "group", "higher_is_better", "split", "inner", "header", "delimiter", "sheet"),
    *("encoding", "fill_down", "scale", "format", "as_read", *SWITCHES),
)
#: Questions about several files that may follow a mapping.
QUESTIONS = 2


@dataclass(frozen=True)
class Truth:
    """The lists that files contain: (annotator or system, document) → phrases; `*` is the only annotator or system.

    texts    document → text, if texts are compared
    partial  only these documents are compared
    higher   whether high scores are better, if that is compared
    """

    gold: Lists = field_of(default_factory=dict)
    systems: Lists = field_of(default_factory=dict)
    texts: Mapping[str, str] = field_of(default_factory=dict)
    partial: bool = False
    higher: bool | None = None

    def differs(self, corpus: Corpus) -> str:
        """Describe how a corpus differs from the truth; empty if it does not."""
        result = corpus.empty[["role", "source", "doc_id"]].to_numpy().tolist()
        for role, lists, table, who in (
            ("gold", self.gold, corpus.gold, "annotator"),
            ("system", self.systems, corpus.runs, "system"),
        ):
            read: dict[tuple[str, str], list[str]] = {(w, d): [] for part, w, d in result if part == role}
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
        ways = {item.higher_is_better for item in corpus.rankings.values()}
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


def settles(given: Mapping[str, Any], truths: Sequence[Truth], change: str = "") -> str:
    """Load files and answer questions; return `read`, `asked first`, `asked`, or why no truth resulted.

    change: the choices in the form of the only file, if no answer leads to a truth
    """
    try:
        corpus = load(**given)
    except Question as question:
        asked = question
    except (InputError, UsageError) as refusal:
        return f"refused: {refusal}"
    else:
        differences = [truth.differs(corpus) for truth in truths]
        return "read" if "" in differences else f"misread: {differences[0]}"
    said = {form.file: changed(form.mapping, change) for form in asked.forms}
    if change and sum(choices(form.mapping, said[form.file], [*form.columns]) for form in asked.forms) > 3:
        return f"asked wrong: more than three choices away: {asked}"
    for mapping in ({}, said) if change else ({},):
        for clicks, corpus in loaded({**given, "mapping": {**given.get("mapping", {}), **mapping}}):
            if any(not truth.differs(corpus) for truth in truths):
                return "asked" if clicks or mapping else "asked first"
    return f"asked wrong: {asked}"


def reached(given: Mapping[str, Any], file: Source, truths: Sequence[Truth], meanings: Sequence[Meaning]) -> str:
    """Return nothing if files are read correctly, after at most three choices in the form of `file`; else why not.

    meanings  true mappings, the shortest first; fields of `LEFT_OPEN` that are empty are left to the prefill
    """
    try:
        corpus = load(**given)
    except Question as question:
        reason, forms = str(question), {form.file: form for form in question.forms}
    except (InputError, UsageError) as refusal:
        role = next((name.removesuffix("s") for name in ("gold", "systems") if file in given.get(name, ())), "")
        reason, forms = str(refusal), {file.name: form_for(file, Meaning(role))}
    else:
        differences = [difference(truth, corpus) for truth in truths]
        return "" if "" in differences else f"read wrong: {differences[0]}"

    def fewest_choices(form: Form | None) -> int | None:
        """Return the fewest choices in prefilled forms that load a truth; any answer but the first is a choice."""
        prefill, columns = (form.mapping, [*form.columns]) if form else (Meaning(), [])
        prefilled = {name: other.mapping for name, other in forms.items()}
        counts, candidates = list[int](), (left_open(prefill, entry) for entry in meanings)
        distances = {prefill: 0, **{entry: choices(prefill, entry, columns) for entry in candidates}}
        for meaning, count in sorted(distances.items(), key=lambda item: item[1]):
            if counts and count >= min(counts):
                break
            said = {**given.get("mapping", {}), **prefilled, **({file.name: meaning} if form or count else {})}
            right = (
                count + clicks
                for clicks, corpus in loaded({**given, "mapping": said})
                if any(not difference(truth, corpus) for truth in truths)
            )
            counts += [*islice(right, 1)]
        return min(counts, default=None)

    count = fewest_choices(forms.get(file.name))
    if (count is None or count > 3) and file.name in forms:  # to choose the head or the format fills the form anew
        role = forms[file.name].mapping.role
        starts = [Meaning(role, header="yes"), Meaning(role, header="no")]
        starts += [Meaning(role, format=name) for name in form_for(file, Meaning(role)).formats[1:]]
        anew = [fewest_choices(form_for(file, start)) for start in starts]
        count = min((entry + 1 for entry in anew if entry is not None), default=count)
    return "" if count is not None and count <= 3 else f"{count} choices after: {reason}"


def difference(truth: Truth, corpus: Corpus) -> str:
    """Describe how a corpus differs from the truth, which includes grades that the files do not contain."""
    if not corpus.gold["relevance"].isna().all():
        return "grades of relevance, which are not meant"
    return truth.differs(corpus)


def left_open(prefill: Meaning, meaning: Meaning) -> Meaning:
    """Return a true mapping in which the prefill fills the fields that are left open."""
    kept: dict[str, Any] = {}
    for field in fields(Meaning):
        before, after = getattr(prefill, field.name), getattr(meaning, field.name)
        if field.name in LEFT_OPEN and after == field.default and before not in meaning.columns:
            kept[field.name] = before
    return replace(meaning, **kept)


def loaded(given: Mapping[str, Any], clicks: int = 0, questions: int = QUESTIONS) -> Iterator[tuple[int, Corpus]]:
    """Yield the corpora to which answers to questions about several files lead; the first answer is not a choice."""
    try:
        yield clicks, load(**given)
    except Question as question:
        forms = {form.file: form.mapping for form in question.forms if form.file not in given["mapping"]}
        for number, answer in enumerate(question.answers if questions else ()):
            mapping = {**given["mapping"], **forms, **answer.mapping}
            fixes = [*given.get("fixes", ()), *answer.fixes]
            yield from loaded({**given, "mapping": mapping, "fixes": fixes}, clicks + (number > 0), questions - 1)
        if forms and not question.answers and questions:
            yield from loaded({**given, "mapping": {**given["mapping"], **forms}}, clicks, questions - 1)
    except (InputError, UsageError):
        return
