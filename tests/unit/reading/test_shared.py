"""A folder of shared data sets: what is listed, what is opened, and that nothing outside it is read."""

import shutil
from pathlib import Path

import pytest

import kp_core as kp
from kp_core.reading import Limits
from kp_core.reading.open.source import shared, shared_names

GOLD = "doc_id,keyphrase\nd1,hash table\nd1,collision\nd2,tide\n"
RUN = "doc_id,rank,keyphrase\nd1,1,Hash Tables\nd2,1,tide\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with a data set in a folder, one in a file, a hidden file, and a secret file next to it."""
    inside = tmp_path / "shared"
    (inside / "wiki10").mkdir(parents=True)
    (inside / "wiki10" / "gold.csv").write_text(GOLD, "utf-8")
    (inside / "wiki10" / "mine.csv").write_text(RUN, "utf-8")
    (inside / "wiki2.csv").write_text(GOLD, "utf-8")
    (inside / ".hidden").write_text("x", "utf-8")
    (inside / "README.md").write_text("x", "utf-8")
    (tmp_path / "secret.csv").write_text(GOLD, "utf-8")
    return inside


def test_folders_and_files_are_listed_by_name(root: Path) -> None:
    assert shared_names(root) == ["wiki2.csv", "wiki10"]


def test_a_data_set_is_read_like_an_upload(root: Path) -> None:
    folder = kp.load(files=[shared(root, "wiki10")])
    assert (folder.annotators, folder.systems, len(folder.gold)) == (["gold"], ["mine"], 3)
    assert len(kp.load(files=[shared(root, "wiki2.csv")]).gold) == 3


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", ".hidden", "wiki10/gold.csv", "..", "", "nothing"])
def test_only_listed_data_sets_are_opened(root: Path, name: str) -> None:
    with pytest.raises(kp.InputError, match="Choose one that is listed"):
        shared(root, name)


@pytest.mark.parametrize("link", ["leak.csv", "wiki10/leak.csv"])
@pytest.mark.parametrize("target", ["../secret.csv", ".."])
def test_a_link_that_leaves_the_folder_is_refused(root: Path, link: str, target: str) -> None:
    (root / link).symlink_to(root / target)
    with pytest.raises(kp.InputError) as refused:
        shared(root, link.split("/")[0])
    assert f"a link that leads elsewhere (“{link}”)" in str(refused.value)
    assert str(root.parent) not in str(refused.value)


def test_link_within_folder_is_followed(root: Path) -> None:
    (root / "again.csv").symlink_to(root / "wiki2.csv")
    assert len(kp.load(files=[shared(root, "again.csv")]).gold) == 3


def test_limits_apply_before_reading(root: Path) -> None:
    for name in ("wiki2.csv", "wiki10"):
        with pytest.raises(kp.InputError, match="at most 20"):
            shared(root, name, Limits(file_bytes=20))


def test_missing_folder_is_reported_without_path(root: Path) -> None:
    shutil.rmtree(root)
    with pytest.raises(kp.InputError, match="KPSCOPE_DATA") as refused:
        shared_names(root)
    assert str(root) not in str(refused.value)
