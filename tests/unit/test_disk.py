"""A file on disk is either the old or the new one, even if the process is killed during writing."""

import os

import pytest

from kp_core.cli import main
from kp_core.scale.disk import write_files


def test_unwritable_file_keeps_all_old_files(tmp_path):
    old, blocked = tmp_path / "a.csv", tmp_path / "file" / "b.csv"
    old.write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"no folder")
    with pytest.raises(OSError, match="Not a directory"):
        write_files({old: b"new", blocked: b"new"})
    assert old.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "file"]


def test_links_and_permissions_stay(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_files({link: b"new"})
    assert link.is_symlink()
    assert (real.read_bytes(), real.stat().st_mode & 0o777) == (b"new", 0o640)


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_files({pipe: b"new"})
    assert os.read(reader, 9) == b"new"
    os.close(reader)


def test_the_command_line_saves_so(tmp_path, monkeypatch, capsys):
    out = tmp_path / "methods.md"
    out.write_text("old")
    assert main(["methods", "--format", "markdown", "--out", str(out)]) == 0
    new = out.read_text("utf-8")
    assert "kappa" in new

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kp_core.scale.disk.Path.replace", fail)
    assert main(["methods", "--format", "json", "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"kpscope: cannot write to {out}: No space left on device\n"
    assert out.read_text("utf-8") == new
    assert list(tmp_path.iterdir()) == [out]
