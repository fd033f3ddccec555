"""Turn a workspace into one file: a zip of Parquet tables and a JSON manifest with the SHA-256 of each."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import asdict

import pyarrow.parquet as pq

from kp_core.corpus import COLUMNS, arrow_table
from kp_core.reading.workspace_file import FORMAT, MANIFEST, VERSION, Saved
from kp_core.settings import __version__

#: The same workspace gives the same bytes at any time.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def workspace_file(saved: Saved) -> bytes:
    """Return the bytes of a workspace file; `kp_core.reading.workspace_file` reads them back as the same workspace.

    >>> from kp_core import load
    >>> from kp_core.reading import Source, read_workspace
    >>> data = workspace_file(Saved(load(gold={"d1": ["tide"]}), "one document"))
    >>> read_workspace(Source("mine.kpscope", data)).corpus.gold["phrase"].tolist()
    ['tide']
    """
    corpus, report = saved.corpus, saved.corpus.report
    frames = {name: getattr(corpus, name) for name in COLUMNS} | {"rejected": report.rejected, "ratings": saved.ratings}
    members: dict[str, bytes] = {}
    for name, frame in frames.items():
        buffer = io.BytesIO()
        pq.write_table(arrow_table(frame), buffer, compression="zstd")
        members[f"{name}.parquet"] = buffer.getvalue()
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "kpscope": __version__,
        "title": saved.title,
        "settings": {"signature": saved.signature, "query": dict(saved.query)},
        "names": dict(saved.names),
        "rankings": {name: asdict(ranking) for name, ranking in corpus.rankings.items()},
        "report": {
            "readings": [asdict(reading) for reading in report.readings],
            "notes": [note.as_dict() for note in report.notes],
            "fixes": list(report.fixes),
        },
        "members": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    # The manifest comes first and is not packed, so that the first bytes tell a workspace from any other zip. The
    # tables are packed by Parquet already.
    written = {MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False).encode(), **members}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, data in written.items():
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), data)
    return packed.getvalue()
