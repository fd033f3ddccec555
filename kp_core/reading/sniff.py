"""Turn files of unknown format into recognitions: which family each belongs to, by content first, then by name."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import cast

from kp_core.corpus import Role
from kp_core.errors import InputError, UsageError
from kp_core.reading import families
from kp_core.reading.decode import binary_kind
from kp_core.reading.family import Choice, Family, File, Recognition
from kp_core.reading.json_text import is_json
from kp_core.reading.limits import refuse_over
from kp_core.reading.source import Bundle, stem_of

#: A reading below this is offered, but never taken unasked.
_SURE_ENOUGH = 0.5
#: Endings of files that are meant to be read: a folder is refused rather than read without one of them.
_MEANT = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".ods", ".key", ".ann")
Grouping = Callable[[Sequence[File], Role | None], list[Recognition]]


@cache
def all_families() -> tuple[Family, ...]:
    """Return every module of `families` in the order of the numbers in their names."""
    modules = [
        importlib.import_module(f"{families.__name__}.{m.name}") for m in pkgutil.iter_modules(families.__path__)
    ]
    return tuple(sorted(modules, key=lambda module: (int(re.sub(r"\D", "", module.NAME) or 0), module.NAME)))


def family_named(name: str) -> Family:
    """Return the family of this name, such as `F3`."""
    for family in all_families():
        if name.upper() == family.NAME.upper():
            return family
    raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(f.NAME for f in all_families())}")


def recognise(files: Sequence[File], role: Role | None, left_out: dict[str, str] | None = None) -> list[Recognition]:
    """Recognise all files of one upload: groups of files that belong together first, then each file by itself.

    left_out  receives the files of a folder that hold no data, with the reason; without it they are refused
    """
    left = list(files)
    found: list[Recognition] = []
    for family in all_families():
        groups = cast("Grouping | None", getattr(family, "recognise_groups", None))
        if groups is None or not left:
            continue
        open_to = [
            file for file in left if file.choice.family in (None, family.NAME) and binary_kind(file.source.data) is None
        ]
        chosen = {file.choice.role for file in open_to}
        asked = (chosen.pop() if len(chosen) == 1 else None) or role
        for recognition in map(_as_chosen, groups(open_to, asked)):
            if recognition is not None:
                found.append(recognition)
                claimed = set(map(id, recognition.files))
                left = [file for file in left if id(file) not in claimed]
    if left:
        refuse_over(left[0].limits.sources, len(left), "files, each of many documents", left[0].name, "an upload")
    refused: list[InputError] = []
    for file in left:
        try:
            found.append(recognise_one(file, file.choice.role or role, file.choice))
        except InputError as refusal:
            if left_out is None or _is_meant(file):
                raise
            refused.append(refusal)
            left_out[file.name] = refusal.found
    if refused and not found:
        raise refused[0]
    return found


def _is_meant(file: File) -> bool:
    """Tell a file that is meant to be read from one that merely lies in the folder."""
    if file.choice != Choice():
        return True
    try:
        family_named("F0").recognise([file], None, Choice())
    except InputError:  # published results, XML
        return False
    return file.suffix in _MEANT


def _as_chosen(recognition: Recognition) -> Recognition | None:
    """Return a group with the role that the user chose for its files; None if they were said to be something else."""
    chosen = next((file.choice.role for file in recognition.files if file.choice.role), None)
    if chosen is None:
        return recognition
    if chosen != recognition.role and not {chosen, recognition.role} <= {"gold", "system"}:
        return None
    options = {name: value for name, value in recognition.options.items() if name != "role"}
    return replace(recognition, role=chosen, options=options)


def recognise_one(file: File, role: Role | None, choice: Choice) -> Recognition:
    """Recognise one file; of two families that fit equally the earlier is taken, and the evidence names both."""
    if choice.family:
        family = family_named(choice.family)
        chosen = family.recognise([file], role, choice)
        if chosen is None:
            raise InputError(
                file.name, _shown(file), f"a file of family {family.NAME} ({family.TITLE})", "Choose another family."
            )
        return chosen
    fitting = [reading for reading in readings_of(file, role, choice) if reading.confidence >= _SURE_ENOUGH]
    if not fitting:
        raise _unknown(file, role)
    best = max(fitting, key=lambda recognition: recognition.confidence)
    others = [other.family for other in fitting if other is not best and other.confidence == best.confidence]
    return replace(best, evidence=f"{best.evidence}; {', '.join(others)} would fit as well") if others else best


def readings_of(file: File, role: Role | None, choice: Choice | None = None) -> list[Recognition]:
    """Return every reading of a file that some family offers, in the order of the families."""
    fitting = []
    binary = binary_kind(file.source.data) is not None
    for family in all_families():
        if binary != getattr(family, "BINARY", False):
            continue
        recognition = family.recognise([file], role, choice or Choice())
        if recognition is not None:
            fitting.append(recognition)
            if recognition.confidence >= 1:
                break
    return fitting


def columns_of(file: File, choice: Choice) -> list[str]:
    """Return the names of the columns or fields of a file; empty if no family finds any."""
    binary = binary_kind(file.source.data) is not None
    for family in all_families():
        if hasattr(family, "column_names") and getattr(family, "BINARY", False) == binary:
            names: list[str] = family.column_names(file, choice)
            if names:
                return names
    return []


def settle_roles(recognitions: list[Recognition], notes: list[str]) -> list[Recognition]:
    """Settle roles that nothing tells: the first file is the gold standard if there is none, the rest are systems."""
    has_gold = any(r.role == "gold" if _sure(r) else _role_by_name(r.files[0].name) == "gold" for r in recognitions)
    settled = []
    for recognition in recognitions:
        if not _sure(recognition):
            by_name = _role_by_name(recognition.files[0].name)
            role: Role = by_name or ("system" if has_gold else "gold")
            has_gold = has_gold or role == "gold"
            notes.append(
                f"{recognition.files[0].name} was taken as {'gold standard' if role == 'gold' else 'system output'}."
            )
            recognition = replace(recognition, role=role)
        settled.append(recognition)
    return settled


def _sure(recognition: Recognition) -> bool:
    return recognition.options.get("role") != "guessed"


def _role_by_name(name: str) -> Role | None:
    words = set(re.split(r"[^a-z]+", name.lower()))
    if words & {"gold", "ref", "refs", "reference", "references", "goldstandard", "tgt", "targets"}:
        return "gold"
    return (
        "system"
        if words & {"system", "systems", "run", "runs", "pred", "preds", "predictions", "output", "candidats"}
        else None
    )


def _shown(file: File) -> str:
    first = next((line for line in file.sample), "")
    return f"a first line “{first.strip()[:60]}”" if first else "an empty file"


def _unknown(file: File, role: Role | None) -> InputError:
    binary = binary_kind(file.source.data)
    if binary and (names := columns_of(file, file.choice)):
        found = f"the columns {', '.join(names[:10])}"
        return InputError(file.name, found, "a column of document ids and one of phrases", "Name their roles.")
    if not file.text.strip():
        return InputError(file.name, "an empty file", "at least one document", "Check the file.")
    value = file.json
    lines = [record.broken for record in file.records]  # JSONL whose fields nobody knows is not broken
    if not is_json(value) and value.message and (any(lines) or not lines):
        return InputError(
            file.name, f"broken JSON ({value.message})", "JSON or one JSON object a line", "Save the file again."
        )
    what = {"gold": "keyphrases", "system": "ranked keyphrases", "documents": "texts", "judgements": "judged pairs"}
    expected = f"{what[role] if role else 'keyphrases'} in a known format, with document ids"
    remedy = "See docs/formats.md, or name the columns of the id and the phrase."
    return InputError(file.name, _shown(file), expected, remedy)


def name_of(recognition: Recognition, bundle: Bundle) -> str:
    """Return the annotator's or system's name that a file, or a folder of one file a document, suggests."""
    grouped = getattr(family_named(recognition.family), "GROUP_IS_ONE", False)
    return stem_of(bundle.name if (bundle.folder or bundle.loose) and grouped else recognition.files[0].name)
