"""`assay rubric check`: what it prints and its exit codes."""

from pathlib import Path

import pytest

from engine.cli.main import main
from tests.rubric.build import ROOT


def test_a_good_file_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "check", str(ROOT / "rubrics" / "search.rubric")]) == 0
    assert capsys.readouterr().out.rstrip().endswith("search.rubric: fine (5 criteria)")


def test_every_problem_of_every_file_is_printed_safely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.rubric").write_text(
        "rubric: A\nwieght\x1b[31m: 3\ncriterion: B\n  measure: nDGC\n", encoding="utf-8"
    )
    (tmp_path / "b.rubric").write_text("rubric: B\n", encoding="utf-8")

    assert main(["rubric", "check", str(tmp_path / "a.rubric"), str(tmp_path / "b.rubric")]) == 2
    out = capsys.readouterr().out
    assert "R103" in out
    assert "R305" in out
    assert "b.rubric:1:9: error: This rubric has no criteria  [R213]" in out
    assert "\x1b" not in out


def test_used_files_are_found_beside_the_rubric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rubrics" / "shared").mkdir(parents=True)
    (tmp_path / "rubrics" / "shared" / "s.rubric").write_text(
        "library: S\nmust: M\n  check: answer is empty\n", encoding="utf-8"
    )
    file = tmp_path / "rubrics" / "a.rubric"
    file.write_text('rubric: A\nuse: [M] from "shared/s.rubric"\nverdict: x otherwise\n', encoding="utf-8")

    assert main(["rubric", "check", str(file)]) == 0
    assert "fine (1 criterion)" in capsys.readouterr().out


def test_a_file_that_is_not_text_or_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.rubric").write_bytes(b"rubric: \xff\xfe")

    assert main(["rubric", "check", str(tmp_path / "a.rubric")]) == 2
    assert "UTF-8" in capsys.readouterr().err
    assert main(["rubric", "check", "serch"]) == 2
    assert 'did you mean "search"?' in capsys.readouterr().err
