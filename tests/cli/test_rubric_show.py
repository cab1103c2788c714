"""`assay rubric show`, `diff` and `publish`: what they print, what they write, and their exit codes."""

import json
import stat
from pathlib import Path

import pytest

from engine.cli.main import main

TEXT = """rubric: Support
version: 3
criterion: Tone
  weight: 2
  ask: Is it kind?
criterion: Sourced
  check: answer cites a source
verdict: good when score is at least 0.7
verdict: poor otherwise
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A rubric in the rubrics folder of a workspace, which is where one stands."""
    (tmp_path / "rubrics").mkdir()
    path = tmp_path / "rubrics" / "support.rubric"
    path.write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# ---- show -------------------------------------------------------------------------------------


def test_show_prints_a_page(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "show", "support"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Support\n=======\n")
    assert "66.7% of the total" in out
    assert "\x1b" not in out


def test_show_writes_the_review_copy(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "review.md"

    assert main(["rubric", "show", str(file), "--markdown", "--out", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("# Support\n")
    assert "review.md" in capsys.readouterr().out
    assert main(["rubric", "show", str(file), "--markdown", "--out", str(page)]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["rubric", "show", str(file), "--out", str(page), "--force"]) == 0
    assert page.read_text(encoding="utf-8").startswith("Support\n=====")


def test_a_page_never_takes_the_place_of_a_rubric(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "show", str(file), "--out", str(file), "--force"]) == 2
    assert "where a rubric stands" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == TEXT


def test_a_rubric_with_mistakes_is_not_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(file, "weight: 2", "wieght: 2")
    _edit(file, "0.7", "7.5")

    assert main(["rubric", "show", str(file)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "[R102]" in shown.err
    assert "[R401]" in shown.err


def test_authors_texts_cannot_reach_the_terminal(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(file, "Is it kind?", "Is it \x1b[31mkind\u202e?")

    assert main(["rubric", "show", str(file)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


# ---- diff -------------------------------------------------------------------------------------


def test_diff_says_what_is_different_and_what_labels_are_worth(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = file.parent / "new.rubric"
    other.write_text(TEXT.replace("weight: 2", "weight: 4").replace("cites a source", "cites at least 2 sources"))

    assert main(["rubric", "diff", str(file), str(other)]) == 1
    assert capsys.readouterr().out == (
        '- "Tone" weighs 4 instead of 2 (labels stay valid)\n'
        '- "Sourced" has another check: earlier labels no longer count\n'
        "    before: answer cites a source\n"
        "    now:    answer cites at least 2 sources\n"
        "\n"
        "Scores or verdicts can come out differently.\n"
        "Labels of 1 criterion of the old rubric stay valid; those of 1 no longer count.\n"
    )


def test_diff_of_the_same_meaning(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = file.parent / "new.rubric"
    other.write_text(TEXT.replace("criterion: Tone", "criterion: Tone\n  note: from the workshop"), encoding="utf-8")

    assert main(["rubric", "diff", str(file), str(other)]) == 0
    assert capsys.readouterr().out.startswith("Nothing is different.\n")


def test_diff_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = file.parent / "new.rubric"
    other.write_text(TEXT.replace("kind", "polite"), encoding="utf-8")

    assert main(["rubric", "diff", str(file), str(other), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "assay.rubric-diff/1"
    assert found["same_meaning"] is False
    assert [(each["what"], each["id"], each["labels"]) for each in found["changes"]] == [("question", "tone", "lost")]
    assert found["labels"] == {"criteria_that_keep_theirs": 1, "criteria_that_do_not": 1}


# ---- publish ----------------------------------------------------------------------------------


def test_publish_writes_ids_and_remembers(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.chmod(0o664)

    assert main(["rubric", "publish", "rubrics/support.rubric"]) == 0
    assert "version 3 of “Support” is published" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == TEXT.replace("Support\n", "Support\nid: support\n").replace(
        "Tone\n", "Tone\n  id: tone\n"
    ).replace("Sourced\n", "Sourced\n  id: sourced\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o664
    lock = tmp_path / "rubrics.lock"
    assert stat.S_IMODE(lock.stat().st_mode) == 0o644
    assert list(json.loads(lock.read_text(encoding="utf-8"))["rubrics"]["support"]) == ["3"]


def test_publishing_again_changes_nothing(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["rubric", "publish", str(file)])
    before = {path.name: path.read_bytes() for path in (file, tmp_path / "rubrics.lock")}

    assert main(["rubric", "publish", str(file)]) == 0
    assert "was published on" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in (file, tmp_path / "rubrics.lock")} == before


def test_a_published_version_keeps_its_meaning(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R801 from publish and from check; the new version is accepted, and the old one is still remembered."""
    main(["rubric", "publish", str(file)])
    _edit(file, "kind", "polite")
    before = {path.name: path.read_bytes() for path in (file, tmp_path / "rubrics.lock")}

    assert main(["rubric", "publish", str(file)]) == 2
    assert "[R801]" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in (file, tmp_path / "rubrics.lock")} == before
    assert main(["rubric", "check", str(file)]) == 2
    assert "[R801]" in capsys.readouterr().out

    _edit(file, "version: 3", "version: 4")
    assert main(["rubric", "check", str(file)]) == 0
    assert main(["rubric", "publish", str(file)]) == 0
    assert list(json.loads((tmp_path / "rubrics.lock").read_text())["rubrics"]["support"]) == ["3", "4"]


def test_a_version_does_not_go_back(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["rubric", "publish", str(file)])
    _edit(file, "version: 3", "version: 2")

    assert main(["rubric", "publish", str(file)]) == 2
    assert "[R802]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("slip", "said"), [(("version: 3\n", ""), "only a version can be published"), (("0.7", "7.5"), "[R401]")]
)
def test_what_cannot_be_published(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], slip: tuple[str, str], said: str
) -> None:
    _edit(file, *slip)
    before = file.read_bytes()

    assert main(["rubric", "publish", str(file)]) == 2
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
    assert file.read_bytes() == before
    assert not (tmp_path / "rubrics.lock").exists()


def test_a_damaged_lock_stops_before_anything_is_written(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rubrics.lock").write_text("{\n  oops", encoding="utf-8")

    assert main(["rubric", "publish", str(file)]) == 2
    assert "rubrics.lock:2" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == TEXT


def test_a_rubric_of_the_engine_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["rubric", "publish", "search"]) == 2
    assert "comes with the engine" in capsys.readouterr().err
