"""`assay rubric format`: what it writes, what it leaves, and its exit codes."""

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from engine.cli.main import main

_UGLY = "﻿RUBRIC : A\r\ncriterion: B\r\n  check: the answer mentions “x”.\r\n"
_TIDY = 'rubric: A\n\ncriterion: B\n  check: answer contains "x"\n'
_BROKEN = "rubric: A\ncriterion: B\n     chek:  answer is empty\n\n\n  Weight: 3\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.rubric"
    path.write_bytes(_UGLY.encode())
    return path


def _run(*words: object) -> int:
    return main(["rubric", "format", *map(str, words)])


def test_a_file_is_rewritten_and_then_left(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(file) == 0
    assert file.read_bytes() == _TIDY.encode()
    assert capsys.readouterr().out == f"{file}: formatted\n"

    before = file.stat()
    assert _run(file) == 0
    assert capsys.readouterr().out == f"{file}: is formatted already\n"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in file.parent.iterdir()] == ["a.rubric"]


def test_permissions_stay_and_a_link_stays_a_link(file: Path) -> None:
    file.chmod(0o640)
    link = file.with_name("link.rubric")
    link.symlink_to(file.name)

    assert _run(link) == 0
    assert link.is_symlink()
    assert file.read_bytes() == _TIDY.encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_file_that_may_not_be_written_is_not(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write anything

    assert _run(file) == 2
    assert "may not be written" in capsys.readouterr().err
    assert file.read_bytes() == _UGLY.encode()


def test_work_that_somebody_saved_meanwhile_is_not_lost(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def saved(text: str, name: str) -> str:
        file.write_text("rubric: My new work\n", encoding="utf-8")
        return "formatted"

    monkeypatch.setattr("engine.cli.rubric.format.format_text", saved)

    assert _run(file) == 2
    assert "changed by somebody else" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "rubric: My new work\n"


def test_check_and_diff_change_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--check", file) == 1
    assert capsys.readouterr().out == f"{file}: would be formatted\n"
    assert _run("--diff", file) == 0
    assert '+  check: answer contains "x"' in capsys.readouterr().out.split("\n")
    assert _run("--check", "--diff", file) == 1
    assert file.read_bytes() == _UGLY.encode()

    file.write_text(_TIDY, encoding="utf-8")
    assert _run("--check", file) == 0
    capsys.readouterr()
    assert _run("--diff", file) == 0
    assert capsys.readouterr().out == ""


def test_the_end_of_lines_alone_is_a_difference(file: Path) -> None:
    file.write_bytes(_TIDY.replace("\n", "\r\n").encode())

    assert _run("--check", file) == 1


def test_lines_that_do_not_read_are_named_and_the_rest_is_formatted(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = file.with_name("b.rubric")
    other.write_text(_BROKEN, encoding="utf-8")

    assert _run(other, file) == 2
    said = capsys.readouterr()
    assert said.out == f"{other}: formatted, but for 1 place named below\n{file}: formatted\n"
    assert f'{other}:3:6: I don\'t know the keyword "chek"  [R102]' in said.err
    assert 'change "chek:" to "check:"' in said.err
    assert (
        other.read_text(encoding="utf-8") == "rubric: A\n\ncriterion: B\n     chek:  answer is empty\n\n  weight: 3\n"
    )
    assert file.read_bytes() == _TIDY.encode()


def test_a_file_that_is_not_there_does_not_stop_the_others(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("absent.rubric", file) == 2
    assert "absent" in capsys.readouterr().err
    assert file.read_bytes() == _TIDY.encode()


def _pipe(text: bytes, monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="ascii"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="ascii"))
    return out


def test_from_stdin_to_stdout_whatever_the_terminal_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    out = _pipe("Rubric:  Größe\r\n".encode(), monkeypatch)

    assert _run("-") == 0
    assert out.getvalue() == "rubric: Größe\n".encode()


def test_stdin_that_is_no_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _pipe(b"\xff\xfe", monkeypatch)

    assert _run("-") == 2
    assert "not UTF-8 text" in capsys.readouterr().err
