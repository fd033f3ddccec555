"""Turn a corpus into lists by document: JSON with or without variants, lines of phrases, or one file a document."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kp_core.corpus import Corpus, Role
from kp_core.errors import InputError
from kp_core.reading import Source, load
from kp_core.reading.written import Written, file_names

#: A keyphrase: its spellings, and its concept where there is one.
Entry = tuple[tuple[str, ...], str]
Lists = dict[str, list[Entry]]


@dataclass(frozen=True)
class _Form:
    """How one form is called, what it keeps beside phrases, what no phrase or id may hold, and how lists are written.

    written  lists of one annotator or system → its files, by their name inside a folder
    """

    name: str
    ending: str
    keeps: tuple[str, ...]
    forbidden: str
    forbidden_in_ids: str
    written: Callable[[Lists], dict[str, str]]


def lists(corpus: Corpus, form: str) -> Written:
    """Return files of lists: gold/… one an annotator, systems/… one a system; `keys` one folder each.

    Data that the form cannot hold are refused: everything is read back and compared before it is returned. What stays
    behind by nature (scores, texts) is said in the notes.

    >>> from kp_core import load
    >>> lists(load(gold={"d1": ["tide", "sea"], "d2": []}), "lines").files
    {'gold/gold.tsv': b'd1\\ttide;sea\\nd2\\t\\n'}
    """
    chosen, made = FORMS[form], Written()
    for role, folder in (("gold", "gold"), ("system", "systems")):
        by_source = _lists_of(corpus, role)  # type: ignore[arg-type]
        for source, own in by_source.items():
            _refuse_forbidden(chosen, source, own)
        names = file_names(list(by_source), chosen.ending)
        alone = role == "gold" and len(names) == 1
        files = {}
        for (source, own), name in zip(by_source.items(), names, strict=True):
            # One annotator's files stand in `gold` itself, so that its folder is no annotator's name.
            inner = "" if chosen.ending or alone else f"{name}/"
            for path, text in chosen.written(own).items():
                files[f"{inner}{name if chosen.ending else path}"] = text.encode()
            if (name.removesuffix(chosen.ending) != source and not alone) or (alone and source != "gold"):
                kept = "gold" if alone else name.removesuffix(chosen.ending)
                made.lacks(source, 1, f"name is read back as “{kept}”")
        if files:
            _refuse_misread(chosen, role, by_source, names, files)
        made.files |= {f"{folder}/{path}": data for path, data in files.items()}
    made.leaves(corpus, chosen.name, chosen.keeps)
    if not made.files:
        raise InputError("the corpus", "no list", "a gold standard or a system", "Name it with --gold or --system.")
    return made


def _lists_of(corpus: Corpus, role: Role) -> dict[str, Lists]:
    """Return the lists of every annotator or system, empty ones included."""
    table, column = (corpus.gold, "annotator") if role == "gold" else (corpus.runs, "system")
    sources = corpus.annotators if role == "gold" else corpus.systems
    found: dict[str, Lists] = {source: {} for source in sources}
    nothing = pd.Series([None] * len(table), index=table.index, dtype=object)
    columns = [table[column], table["doc_id"], table["phrase"], table.get("variants", nothing)]
    concepts = table["concept"].fillna("") if "concept" in table else nothing
    for source, doc_id, phrase, variants, concept in zip(*columns, concepts, strict=True):
        spellings = tuple(variants) if isinstance(variants, tuple | list) else (phrase,)
        found[source].setdefault(doc_id, []).append((spellings, concept or ""))
    empty = corpus.empty[corpus.empty["role"] == role]
    for source, doc_id in zip(empty["source"], empty["doc_id"], strict=True):
        found[source].setdefault(doc_id, [])
    return {source: own for source, own in found.items() if own}


def _refuse_forbidden(form: _Form, source: str, own: Lists) -> None:
    for doc_id, entries in own.items():
        for text, forbidden in [(doc_id, form.forbidden_in_ids), *((e[0][0], form.forbidden) for e in entries)]:
            held = next((character for character in text if character in forbidden), None)
            if held is not None:
                shown = {"\t": "a TAB", "\n": "a line break", "\r": "a line break"}.get(held, f"“{held}”")
                found = f"{shown} in “{text[:60].strip()}” of document “{doc_id[:60]}”"
                remedy = "Choose another form, such as tidy, which holds every phrase."
                raise InputError(source, found, f"text that {form.name} can hold", remedy)


def _refuse_misread(
    form: _Form, role: str, by_source: Mapping[str, Lists], names: Sequence[str], files: Mapping[str, bytes]
) -> None:
    """Read the files back and compare; some phrases and ids look like those of another format."""
    given: Any
    if form.ending:
        given = {source: Source(name, files[name]) for source, name in zip(by_source, names, strict=True)}
    elif role == "gold":
        given = Source("gold.zip", _packed(files))
    else:
        folders = {source: f"{name}/" for source, name in zip(by_source, names, strict=True)}
        given = {
            source: Source(
                f"{source}.zip", _packed({p.removeprefix(f): d for p, d in files.items() if p.startswith(f)})
            )
            for source, f in folders.items()
        }
    try:
        again = _lists_of(load(**{"gold" if role == "gold" else "systems": given}), role)  # type: ignore[arg-type]
    except InputError as error:
        raise _misread(form, f"lists that could not be read back ({error})") from None
    kept = dict(
        zip(by_source, names if not form.ending and len(names) > 1 and role == "gold" else by_source, strict=True)
    )
    only = len(by_source) == 1
    for source, own in by_source.items():
        read = next(iter(again.values()), {}) if only else again.get(kept[source], {})
        if _kept(form, read) != _kept(form, own):
            first = next((doc_id for doc_id in own if _kept(form, read).get(doc_id) != _kept(form, own)[doc_id]), "")
            raise _misread(form, f"the list of “{source}” for “{first[:60]}”, which would be read back as another one")


def _misread(form: _Form, found: str) -> InputError:
    return InputError(form.name, found, "lists that mean the same when they are read back", "Choose the form tidy.")


def _kept(form: _Form, own: Lists) -> dict[str, list[tuple[str, ...]]]:
    whole = "variants" in form.keeps
    return {doc_id: [spellings if whole else spellings[:1] for spellings, _ in own[doc_id]] for doc_id in own}


def _packed(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return buffer.getvalue()


def _json(value: dict[str, Any]) -> dict[str, str]:
    body = ",\n".join(
        f"{json.dumps(d, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}" for d, v in value.items()
    )
    return {"": f"{{\n{body}\n}}\n"}


def _variants(own: Lists) -> dict[str, str]:
    return _json({doc_id: [list(spellings) for spellings, _ in entries] for doc_id, entries in own.items()})


def _plain(own: Lists) -> dict[str, str]:
    return _json({doc_id: [spellings[0] for spellings, _ in entries] for doc_id, entries in own.items()})


def _lines(own: Lists) -> dict[str, str]:
    lines = (f"{doc_id}\t{';'.join(spellings[0] for spellings, _ in entries)}\n" for doc_id, entries in own.items())
    return {"": "".join(lines)}


def _keys(own: Lists) -> dict[str, str]:
    """Return one file a document; ids of concepts stand before the phrases if every phrase has one."""
    labelled = all(re.fullmatch(r"\d+|https?://\S+", concept) for entries in own.values() for _, concept in entries)
    return {
        f"{doc_id}.key": "".join(f"{concept}: {s[0]}\n" if labelled else f"{s[0]}\n" for s, concept in entries)
        for doc_id, entries in own.items()
    }


_BREAKS = "\n\r"
#: No character that some file system forbids or takes for a folder.
_UNSAFE = '/\\\0:*?"<>|\n\r\t'
FORMS: dict[str, _Form] = {
    "variants": _Form("the form variants", ".json", ("empty", "variants"), "", "", _variants),
    "lists": _Form("the form lists", ".json", ("empty",), "", "", _plain),
    "lines": _Form("the form lines", ".tsv", ("empty",), f";\t{_BREAKS}", f"\t{_BREAKS}", _lines),
    "keys": _Form("the form keys", "", ("empty", "concept"), _BREAKS, _UNSAFE, _keys),
}
