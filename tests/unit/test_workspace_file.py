"""A workspace file gives back exactly what was saved, stays readable in later versions, and refuses what is damaged."""

import io
import json
import zipfile
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.cli import main
from kp_core.corpus import COLUMNS, Ranking, content_digest
from kp_core.reading import Limits, Mapping, Source
from kp_core.reading.open.source import packed
from kp_core.reading.uploads import Uploads
from kp_core.takeaway.workspace_file import Saved, is_workspace_file, read_workspace, workspace_file
from tests.forms import mappings
from tests.unit.test_cli import DATA, TEXTS, answered

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)


def back(saved: Saved) -> Saved:
    return read_workspace(Source("mine.kpscope", workspace_file(saved)))


@settings(max_examples=40)
@given(st.dictionaries(words, st.tuples(st.binary(), mappings)), st.lists(words), st.dictionaries(words, words))
def test_workspace_file_reads_back_unchanged(files, fixes, names):
    decided = {name: mapping for name, (_, mapping) in files.items() if mapping != Mapping()}
    uploads = Uploads(tuple(Source(name, data) for name, (data, _) in files.items()), decided, tuple(fixes), names)
    again = back(Saved(uploads, names, "kps|k:7"))
    assert (again.uploads, again.link, again.signature) == (uploads, names, "kps|k:7")
    assert workspace_file(again) == workspace_file(Saved(uploads, names, "kps|k:7"))


@given(st.data())
@settings(max_examples=15)
def test_the_digest_sees_every_change(lectures, data):
    corpus = lectures
    name = data.draw(st.sampled_from([name for name in COLUMNS if len(getattr(corpus, name))]))
    table = getattr(corpus, name).copy()
    column = data.draw(st.sampled_from([c for c in table if pd.api.types.is_string_dtype(table[c])]))
    row = data.draw(st.integers(0, len(table) - 1))
    table.loc[row, column] = "new" if table.loc[row, column] != "new" else "other"
    before = content_digest(corpus)
    assert content_digest(replace(corpus, **{name: table})) != before
    rankings = {**corpus.rankings, "one more": Ranking()}
    assert content_digest(replace(corpus, rankings=rankings)) != before


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: dict[str, bytes], **changes: object) -> Source:
    if changes:
        parts = {**parts, "kpscope.json": json.dumps(json.loads(parts["kpscope.json"]) | changes).encode()}
    return Source("mine.kpscope", packed("mine", parts.items()).data)


WHOLE = workspace_file(
    Saved(Uploads((Source("gold.csv", b"doc_id,keyphrase\nd1,tide\n"),), {"gold.csv": Mapping("gold")}))
)


@pytest.mark.parametrize("length", [0, 3, 29, 60, len(WHOLE) // 2, len(WHOLE) - 1])
def test_a_file_that_ends_early_is_refused(length):
    words = r"^mine\.kpscope: expected a whole workspace file.* Save the workspace again, or use another copy"
    with pytest.raises(kp.InputError, match=words):
        read_workspace(Source("mine.kpscope", WHOLE[:length]))


@pytest.mark.parametrize(
    "change",
    [
        *({"version": version} for version in (1, 0, -1, 1.5, "x", None, {})),
        {"format": "x"},
        *({"files": files} for files in (None, 1, [1], [{}], [{"name": "x", "member": "files/y", "as": []}])),
        {"files": [{"name": "gold.csv", "member": "files/gold.csv", "as": ["role=judge"]}]},
        {"files": [{"name": "gold.csv", "member": "files/gold.csv", "as": 1}]},
        *({name: 1} for name in ("fixes", "names", "link")),
    ],
)
def test_a_manifest_that_claims_nonsense_is_refused(change):
    with pytest.raises(kp.InputError, match="expected a workspace file of KPScope"):
        read_workspace(zipped(members(WHOLE), **change))


@pytest.mark.parametrize("manifest", [None, b"[]", b"\xff", b"{}", b"[" * 100_000])
def test_a_zip_without_a_manifest_is_refused(manifest):
    parts = {"gold.csv": b"x"} if manifest is None else {"kpscope.json": manifest}
    with pytest.raises(kp.InputError, match="expected a workspace file of KPScope"):
        read_workspace(zipped(parts))
    assert is_workspace_file(Source("renamed.zip", WHOLE))
    assert not is_workspace_file(Source("lists.zip", zipped({"gold.csv": b"x"}).data))


def test_limits_apply_to_workspace_files():
    with pytest.raises(kp.InputError, match="a file of"):
        read_workspace(Source("mine.kpscope", WHOLE), Limits(file_bytes=100))
    with pytest.raises(kp.InputError, match="a member that leaves the archive"):
        read_workspace(zipped({**members(WHOLE), "../x": b"x"}))


def test_the_command_line_saves_and_opens_a_workspace(tmp_path, capsys):
    data, asked, file = (*DATA, *TEXTS), ["--measures", "kappa,F1@7"], str(tmp_path / "workspace.kpscope")
    assert main(["convert", *data, "--to", "workspace", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith(file)
    first = answered(capsys, "evaluate", *data, *asked)
    assert answered(capsys, "evaluate", "--workspace", file, *asked) == first
    assert first["rows"][0]["value"] > 0
