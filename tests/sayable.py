"""Count the choices that lead from the prefill of a form to what a file means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading import Mapping as Meaning
from kp_core.reading import Question, Source, form_for, load
from tests.forms import choices
from tests.settled import Truth

#: Fields that a true mapping may leave to the prefill: they change no keyphrase, or only how the file is opened.
LEFT_OPEN = (
    *("role", "title", "text", "group", "higher_is_better", "split", "inner", "header", "delimiter", "sheet"),
    *("encoding", "fill_down", "scale", "format", "switches", "as_read"),
)
#: Questions about several files that may follow a mapping.
QUESTIONS = 2


def reached(given: Mapping[str, Any], file: Source, truths: Sequence[Truth], meanings: Sequence[Meaning]) -> str:
    """Return nothing if files are read right, or if at most three choices in the form of `file` do so; else a reason.

    meanings  true mappings, the shortest first; fields of `LEFT_OPEN` that are empty are left to the prefill
    """
    try:
        corpus = load(**given)
    except Question as question:
        reason, forms = str(question), {form.file: form.mapping for form in question.forms}
    except (InputError, UsageError) as refusal:
        role = next((name.removesuffix("s") for name in ("gold", "systems") if file in given.get(name, ())), "")
        reason, forms = str(refusal), {file.name: form_for(file, Meaning(role)).mapping}
    else:
        differences = [difference(truth, corpus) for truth in truths]
        return "" if "" in differences else f"read wrong: {differences[0]}"
    count = fewest_choices(given, file.name, forms, truths, meanings)
    if (count is None or count > 3) and file.name in forms:  # to say where the head is fills the form anew
        count = min((one for one in anew(given, file, forms, truths, meanings) if one is not None), default=count)
    return "" if count is not None and count <= 3 else f"{count} choices after: {reason}"


def difference(truth: Truth, corpus: Corpus) -> str:
    """Describe how a corpus differs from the truth; grades that nobody gave differ, too."""
    if not corpus.gold["relevance"].isna().all():
        return "grades of relevance, which are not meant"
    return truth.differs(corpus)


def anew(
    given: Mapping[str, Any],
    file: Source,
    forms: Mapping[str, Meaning],
    truths: Sequence[Truth],
    meanings: Sequence[Meaning],
) -> Iterator[int | None]:
    """Give the choices after one that says whether the first row has the column names, and so fills the form anew."""
    for header in ("yes", "no"):
        form = form_for(file, Meaning(forms[file.name].role, header=header))
        count = fewest_choices(given, file.name, {**forms, file.name: form.mapping}, truths, meanings)
        yield None if count is None else count + 1


def fewest_choices(
    given: Mapping[str, Any],
    file: str,
    forms: Mapping[str, Meaning],
    truths: Sequence[Truth],
    meanings: Sequence[Meaning],
) -> int | None:
    """Return the fewest choices after which a truth is loaded; an answer that is not the first is a choice.

    forms  the prefill of each form
    """
    prefill = forms.get(file, Meaning())
    counts: list[int] = []
    candidates = {meaning: choices(prefill, meaning) for meaning in (left_open(prefill, one) for one in meanings)}
    for meaning, count in sorted({prefill: 0, **candidates}.items(), key=lambda item: item[1]):
        if counts and count >= min(counts):
            break
        said = {**given.get("mapping", {}), **forms, **({file: meaning} if file in forms or count else {})}
        for clicks, corpus in loaded({**given, "mapping": said}):
            if any(not difference(truth, corpus) for truth in truths):
                counts.append(count + clicks)
                break
    return min(counts, default=None)


def left_open(prefill: Meaning, meaning: Meaning) -> Meaning:
    """Return a true mapping in which the prefill fills the fields that are left open."""
    kept: dict[str, Any] = {}
    for field in fields(Meaning):
        before, after = getattr(prefill, field.name), getattr(meaning, field.name)
        if field.name in LEFT_OPEN and after == field.default and before not in meaning.columns:
            kept[field.name] = before
    return replace(meaning, **kept)


def loaded(given: Mapping[str, Any], clicks: int = 0, questions: int = QUESTIONS) -> Iterator[tuple[int, Corpus]]:
    """Give the corpora that the answers to questions about several files lead to; the first answer is no choice."""
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
