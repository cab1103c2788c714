"""`assay rubric playground`: what it writes, what it refuses, and that it never costs a file."""

import json
import re
from pathlib import Path

import pytest

from engine.cli.main import main
from tests.rubric.build import ROOT

SEARCH = str(ROOT / "rubrics" / "search.rubric")


def _data(path: Path) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="sheet">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def test_the_page_is_written_with_the_answer_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answer.txt").write_text("Für 30 Tage </script>", "utf-8")
    out = tmp_path / "page.html"

    assert main(["rubric", "playground", SEARCH, "--out", str(out), "--answer", str(tmp_path / "answer.txt")]) == 0
    assert "page.html" in capsys.readouterr().out
    assert _data(out)["answer"] == "Für 30 Tage </script>"


def test_without_an_answer_none_was_recorded(tmp_path: Path) -> None:
    assert main(["rubric", "playground", SEARCH, "--out", str(tmp_path / "page.html")]) == 0
    assert _data(tmp_path / "page.html")["answer"] is None


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    out.write_text("mine", "utf-8")

    assert main(["rubric", "playground", SEARCH, "--out", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_text("utf-8") == "mine"
    assert main(["rubric", "playground", SEARCH, "--out", str(out), "--force"]) == 0
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_not_even_force_writes_over_a_rubric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.rubric"
    file.write_text("rubric: A\ncriterion: B\n  check: answer is empty\n", "utf-8")

    assert main(["rubric", "playground", str(file), "--out", str(file), "--force"]) == 2
    assert ".html" in capsys.readouterr().err
    assert file.read_text("utf-8").startswith("rubric: A")


@pytest.mark.parametrize(
    ("rubric", "answer", "said"),
    [
        ("rubric: A\nwieght: 3\n", b"fine", "R102"),
        ("library: L\nmust: M\n  check: answer is empty\n", b"fine", "library"),
        ("rubric: A\ncriterion: B\n  check: answer is empty\n", b"\xff\xfe", "this answer is not UTF-8"),
        ("rubric: A\ncriterion: B\n  check: answer is empty\n", None, "this answer cannot be read"),
    ],
)
def test_a_mistake_is_said_and_nothing_is_written(
    rubric: str, answer: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.rubric").write_text(rubric, "utf-8")
    if answer is not None:
        (tmp_path / "answer.txt").write_bytes(answer)
    words = [str(tmp_path / "a.rubric"), "--out", str(tmp_path / "page.html"), "--answer", str(tmp_path / "answer.txt")]

    assert main(["rubric", "playground", *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
