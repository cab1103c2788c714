"""`assay rubric check` with its options: mending, watching, JSON."""

import io
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.cli.rubric.watch import EVERY_S, Key, Texts, watch

_FINE = "rubric: A\nversion: 1\ncriterion: B\n  measure: ndcg@10\nverdict: x otherwise\n"
_SLIP = _FINE.replace("measure", "mesure")
_WARNED = "rubric: A\nversion: 1\ncriterion: B\n  ask: Does the answer contain mistakes?\nverdict: x otherwise\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.rubric"
    path.write_text(_SLIP, encoding="utf-8")
    return path


def _run(*words: object) -> int:
    return main(["rubric", "check", *map(str, words)])


# ---- --fix ------------------------------------------------------------------------------------


def test_fix_mends_and_says_what_it_did(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + _SLIP.replace("\n", "\r\n").encode())

    assert _run("--fix", file) == 0
    assert capsys.readouterr().out == f"{file}, line 4: mesure: → measure:\n{file}: fine (1 criterion)\n"
    assert file.read_bytes() == b"\xef\xbb\xbf" + _FINE.replace("\n", "\r\n").encode()


def test_fix_says_what_is_left(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"{_SLIP}criterion: C\n  weight: many\n  check: answer contains foo\n", encoding="utf-8")

    assert _run("--fix", file) == 2
    out = capsys.readouterr().out
    assert out.startswith(f'{file}, line 4: mesure: → measure:\n{file}, line 8: foo → "foo"\n{file}:7:11: error: ')
    assert out.endswith(f"{file}: 1 error\n")


def test_without_fix_the_file_is_left_and_the_way_is_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(file) == 2
    assert file.read_text(encoding="utf-8") == _SLIP
    assert f"1 problem can be mended for you: assay rubric check --fix {file}" in capsys.readouterr().out


def test_fix_is_not_advised_again_where_it_could_do_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(_FINE.replace("version: 1", "version: 1\nwieght: 2"), encoding="utf-8")

    assert _run("--fix", file) == 2
    assert capsys.readouterr().out.endswith(
        f"{file}: 1 error\n  → what could be mended would be another mistake then: choose by hand what it should be\n"
    )


def test_fix_writes_only_what_it_mended(file: Path) -> None:
    file.write_text(_FINE, encoding="utf-8")
    before = file.stat()

    assert _run("--fix", file) == 0
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


# ---- exit codes -------------------------------------------------------------------------------


def test_warnings_fail_only_where_they_are_to(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(_WARNED, encoding="utf-8")

    assert _run(file) == 0
    assert f"{file}: fine (1 criterion, 1 warning)" in capsys.readouterr().out
    assert _run("--strict", file) == 1
    assert f"{file}: 1 warning, which --strict does not allow" in capsys.readouterr().out
    file.write_text(_SLIP, encoding="utf-8")
    assert _run("--strict", file) == 2


def test_several_files_end_with_one_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fine = file.with_name("fine.rubric")
    fine.write_text(_FINE, encoding="utf-8")

    assert _run(fine, "absent", file) == 2
    said = capsys.readouterr()
    assert said.out.endswith("3 files: 1 fine, 1 with problems, 1 not read\n")
    assert "absent" in said.err


def test_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(_SLIP.encode())))

    assert _run("-") == 2
    out = capsys.readouterr().out
    assert out.startswith("stdin:4:3: error: ")
    assert "--fix" not in out


@pytest.mark.parametrize("words", [("--fix", "-"), ("--watch", "-"), ("--fix", "--watch", "a.rubric")])
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(*words) == 2
    assert words[0] in capsys.readouterr().err


# ---- --json -----------------------------------------------------------------------------------


def test_json_is_one_object_with_everything(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    warned = file.with_name("warned.rubric")
    warned.write_text(_WARNED, encoding="utf-8")

    assert _run("--json", file, warned) == 2
    found = json.loads(capsys.readouterr().out)
    assert [each["criteria"] for each in found["files"]] == [None, 1]
    first, second = found["problems"]
    assert first == {
        "file": str(file),
        "line": 4,
        "column": 3,
        "end_column": 10,
        "code": "R102",
        "severity": "error",
        "message": 'I don\'t know the keyword "mesure"',
        "help": ['change "mesure:" to "measure:"'],
        "fix": {"line": 4, "column": 3, "end_column": 10, "text": "measure:"},
    }
    assert (second["file"], second["severity"], second["fix"]) == (str(warned), "warning", None)

    assert _run("--json", "--fix", file) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["problems"] == []
    assert found["files"][0]["fixed"] == [{"line": 4, "code": "R102", "before": "mesure:", "after": "measure:"}]


# ---- --watch ----------------------------------------------------------------------------------


class _Editor:
    """Stands in for the clock: each pause is a time in which somebody may save a file; then Ctrl-C."""

    def __init__(self, *saves: Callable[[], object] | None) -> None:
        self.saves = list(saves)

    def __call__(self, seconds: float) -> None:
        assert seconds == EVERY_S
        if not self.saves:
            raise KeyboardInterrupt
        save = self.saves.pop(0)
        if save is not None:
            save()


def _writes(path: Path, text: str) -> Callable[[], object]:
    return lambda: path.write_text(text, encoding="utf-8")


def test_watch_looks_again_when_a_file_or_one_it_uses_changes(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = file.with_name("gates.rubric")
    library = "library: S\nmust: M\n  check: answer is empty\n"
    using = _FINE.replace("version: 1\n", 'version: 1\nuse: [M] from "gates.rubric"\n')
    editor = _Editor(
        None, None, _writes(file, _FINE), None, None, _writes(file, _FINE), None, _writes(file, using), None,
        _writes(shared, library), None, shared.unlink, None, file.unlink, None,
    )  # fmt: skip
    monkeypatch.setattr("engine.cli.rubric.check.time.sleep", editor)

    assert _run("--watch", file) == 130
    said = capsys.readouterr()
    telling = ("R102", "fine (1 criterion)", "There is no file gates.rubric", "fine (2 criteria)", "there is no file")
    assert [word for line in said.out.split("\n") for word in telling if word in line] == [
        "R102",
        "fine (1 criterion)",
        "There is no file gates.rubric",
        "fine (2 criteria)",
        "There is no file gates.rubric",
        "there is no file",
    ]
    assert said.err == "stopped\n"


def test_a_file_that_an_editor_empties_before_it_writes_is_not_news() -> None:
    texts = iter(["old", "", "new", "new", "new", "new"])
    reports: list[str | None] = []
    now: dict[Key, str | None] = {("a", ""): "old"}

    def report() -> Texts:
        reports.append(now["a", ""])
        return dict(now)

    def look(keys: Iterable[Key]) -> Texts:
        now["a", ""] = next(texts)
        return {key: now[key] for key in keys}

    with pytest.raises(KeyboardInterrupt):
        watch(report, look, _Editor(None, None, None, None, None))
    assert reports == ["old", "new"]
