"""Write uploaded files with their mappings, settings and ratings as one zip file, and read such files."""

from __future__ import annotations

import io
import json
import zipfile
from collections import abc
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pandas as pd

from kp_core.corpus import Corpus, Role, empty_table
from kp_core.errors import InputError, UsageError, input_error, usage_error
from kp_core.reading import LIMITS, Limits, Mapping, Source, load, renamed
from kp_core.reading.limits import refuse_over
from kp_core.reading.open.source import stem_of, unpack
from kp_core.reading.uploads import Uploads
from kp_core.settings import __version__
from kp_core.takeaway.tidy import FORMS, Written, file_names, form_of_vocabulary, parquet, tables, tidy

FORMAT, VERSION = "kpscope-workspace", 2
MANIFEST, ENDING = "kpscope.json", ".kpscope"
_FILES, _RATINGS = "files/", "ratings/"
#: A fixed date, so that equal workspaces have equal bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Saved:
    """The content of a workspace file.

    * `link`: the parameters of the page's address; `signature`: for human readers; `ratings`: rated pairs
    """

    uploads: Uploads
    link: abc.Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    ratings: pd.DataFrame = field(default_factory=lambda: empty_table("judgements"))


def is_workspace_file(source: Source) -> bool:
    """Recognize a workspace file by its name or by its first member."""
    first = source.data[:2] == b"PK" and source.data[30:].startswith(MANIFEST.encode())
    return first or source.name.lower().endswith(ENDING)


def workspace_file(saved: Saved) -> bytes:
    """Return the bytes of a workspace file; inverse of `read_workspace`.

    >>> data = workspace_file(Saved(Uploads((Source("gold.csv", b"doc_id,phrase\\nd1,tide\\n"),))))
    >>> read_workspace(Source("mine.kpscope", data)).uploads.load().gold["phrase"].tolist()
    ['tide']
    """
    uploads = saved.uploads
    members = dict(zip(file_names([file.name for file in uploads.files], ""), uploads.files, strict=True))
    entries = [
        {"name": file.name, "member": f"{_FILES}{member}", "as": str(uploads.mappings.get(file.name, ""))}
        for member, file in members.items()
    ]
    manifest = {"format": FORMAT, "version": VERSION, "kpscope": __version__, "signature": saved.signature}
    manifest |= {"link": dict(saved.link), "files": entries, "fixes": list(uploads.fixes), "names": dict(uploads.names)}
    # The manifest comes first, uncompressed, so that the first bytes identify a workspace.
    written = {MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=1).encode()}
    written |= {f"{_FILES}{member}": file.data for member, file in members.items()}
    if len(saved.ratings):
        rated = tidy(Corpus(judgements=saved.ratings)).files
        written |= {f"{_RATINGS}{name}": data for name, data in rated.items()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in written.items():
            method = zipfile.ZIP_STORED if name == MANIFEST else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), data, method)
    return packed.getvalue()


def read_workspace(item: str | Path | Source, limits: Limits = LIMITS) -> Saved:
    """Read a workspace file; raise `InputError` if it is damaged or of a newer format."""
    file = item.name if isinstance(item, Source) else Path(item).name
    try:
        data = item.data if isinstance(item, Source) else Path(item).read_bytes()
        refuse_over(limits.file_bytes, len(data), "bytes", file)
        members = dict(unpack(file, data, limits, archives=True)[0])
    except OSError:
        raise InputError(file, "no such file", "a whole workspace file", "Check the path.") from None
    except InputError as error:
        raise input_error(file, "damaged workspace", found=error.found) from None
    try:
        manifest = json.loads(members[MANIFEST])
        if manifest["format"] == FORMAT and manifest["version"] > VERSION:
            raise input_error(file, "newer", version=manifest["version"], writer=str(manifest.get("kpscope"))[:20])
        if (manifest["format"], manifest["version"]) == (FORMAT, VERSION):
            return _saved(file, manifest, members, limits)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, UsageError):
        pass
    raise input_error(file, "no manifest", manifest=MANIFEST)


def _saved(file: str, manifest: abc.Mapping[str, Any], members: abc.Mapping[str, bytes], limits: Limits) -> Saved:
    sources = tuple(Source(str(entry["name"]), members[entry["member"]]) for entry in manifest["files"])
    mapping_texts = {str(entry["name"]): str(entry["as"]) for entry in manifest["files"]}
    mappings = {name: Mapping.read(mapping) for name, mapping in mapping_texts.items() if mapping}
    uploads = Uploads(sources, mappings, tuple(map(str, manifest["fixes"])), _texts(manifest["names"]))
    rated = [Source(f"{file}: {name}", data) for name, data in members.items() if name.startswith(_RATINGS)]
    ratings = load(judgements=rated, limits=limits).judgements if rated else empty_table("judgements")
    return Saved(uploads, _texts(manifest["link"]), str(manifest["signature"]), ratings)


def _texts(mapping: abc.Mapping[Any, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in mapping.items()}


def uploads_of(corpus: Corpus) -> Uploads:
    """Return the tidy tables of a corpus as uploads that give the same ranks."""
    if corpus.vocabulary.directed:
        raise usage_error("directed")
    tidied, columns = tables(corpus, Written()), ["system", "doc_id", "phrase"]
    systems = tidied.pop("systems", pd.DataFrame({name: pd.Series(dtype="str") for name in columns}))
    if "gold" in tidied and tidied["gold"]["variants"].isna().all():
        tidied["gold"] = tidied["gold"].drop(columns="variants")
    parts = [(name, Mapping(cast(Role, name.partition("_")[0])), table) for name, table in tidied.items()]
    for name, ranking in corpus.rankings.items():
        rows = systems[systems["system"] == name]
        # Without a column of ranks, ranks are derived again from scores or order.
        rows = rows if ranking.ranked_by == "rank" else rows.drop(columns="rank", errors="ignore")
        rows = rows if len(rows) else rows[columns]  # a system without lists is named after its file
        parts.append((name, Mapping("system", higher_is_better=ranking.higher_is_better), rows))
    by_name = dict(zip(file_names([name for name, _, _ in parts], ".parquet"), parts, strict=True))
    files = {file: parquet(table) for file, (_, _, table) in by_name.items()}
    for name, table in corpus.vocabulary.given.items():
        form = form_of_vocabulary(name)
        files[f"{name}.{form}"] = FORMS[form](table)
    mappings = {file: mapping for file, (_, mapping, _) in by_name.items()}
    without_lists = {stem_of(file): name for file, (name, _, table) in by_name.items() if not len(table)}
    return Uploads(tuple(map(Source, files, files.values())), mappings, corpus.report.fixes, without_lists)


def rater_file(corpus: Corpus, link: abc.Mapping[str, str]) -> bytes:
    """Return a workspace file for one rater, without judgments and with numbers instead of system names."""
    # Zero-padded, so that the systems keep their order.
    numbered = {name: f"system {index:03}" for index, name in enumerate(corpus.systems, 1)}
    blind = renamed(replace(corpus, judgements=empty_table("judgements")), numbered)
    return workspace_file(Saved(uploads_of(blind), link))
