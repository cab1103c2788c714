"""Files as people name them: what is no text, no file or too big; what is never written over; what CI would obey."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.rubric import read
from engine.rubric.source import MOST_LINES
from tests.rubric.build import ROOT

FINE = "rubric: Größe\nversion: 1\ncriterion: B\n  check: answer cites a source\nverdict: x otherwise\n"
ORDERS = "rubric: ::error::a\nversion: 1\ncriterion: ::add-mask::b\n  ask: ##[error]Is it good?\n  > Or not?\n"
LIBRARY = "library: L\ncriterion: X\n  check: answer cites a source\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.rubric"
    path.write_text(FINE, encoding="utf-8")
    return path


def _run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["rubric", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


# ---- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(FINE.encode("utf-16"), "stored as UTF-16", id="notepad-unicode"),
        pytest.param(FINE.encode("utf-16-le"), "stored as UTF-16", id="without-a-mark"),
        pytest.param(FINE.encode("latin-1"), "a.rubric:1: this rubric is not UTF-8 text", id="latin-1"),
        pytest.param(b"rubric: A\0\n  criterion: B\n", "no text file", id="binary"),
    ],
)
@pytest.mark.parametrize("words", [("format",), ("check", "--fix")], ids=" ".join)
def test_what_is_no_utf8_text_is_left_byte_for_byte(
    data: bytes, said: str, words: tuple[str, ...], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(data)

    code, out, err = _run(capsys, *words, file.name)
    assert (code, out) == (2, "")
    assert said in err
    assert "save it again as UTF-8" in err
    assert file.read_bytes() == data


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_file_without_an_end_is_too_big(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")

    assert _run(capsys, "check", file.name)[::2] == (
        2,
        "a.rubric: this file is too big for a rubric: at most 512 KiB\n  → is it the right file?\n",
    )


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="a folder of Unix")
def test_a_pipe_is_as_good_as_a_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`assay rubric diff <(git show HEAD:a.rubric) a.rubric`"""
    reader, writer = os.pipe()
    os.write(writer, file.read_bytes())
    os.close(writer)

    assert _run(capsys, "diff", f"/dev/fd/{reader}", file.name)[0] == 0
    os.close(reader)


def test_what_is_there_and_is_no_file_is_called_what_it_is(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.with_name("rubrics").mkdir()
    file.with_name("gone.rubric").symlink_to("nowhere")

    assert _run(capsys, "check", "rubrics")[::2] == (
        2,
        "rubrics: this is a folder, and a file is needed\n  → name the files in it: rubrics/*.rubric\n",
    )
    assert "this is a folder" in _run(capsys, "check", ".")[2]
    assert (
        "gone.rubric: this is a link, and the file it leads to is not there" in _run(capsys, "check", "gone.rubric")[2]
    )


def test_a_file_beside_it_is_meant_and_not_a_rubric_of_the_engine(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.rename(file.with_name("support.rubric"))

    assert "did you mean support.rubric?" in _run(capsys, "check", "suport.rubric")[2]
    assert 'did you mean "support"?' in _run(capsys, "check", "suport")[2]


def test_the_path_of_a_rubric_is_no_name_for_a_run_and_its_name_is_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "rubric=rubrics/search.rubric", "--dry-run"]) == 2
    assert 'did you mean "search"?' in capsys.readouterr().err


def test_a_library_without_a_version_has_none(file: Path) -> None:
    text = FINE.replace("criterion: B", 'use: [X] from "l.rubric" version 3\ncriterion: B')
    (problem,) = read(text, "a.rubric", lambda _: LIBRARY).errors
    assert (problem.code, problem.message, problem.edit) == ("R311", "l.rubric has no version", None)


def test_a_chain_of_files_is_not_called_a_circle() -> None:
    files = {
        f"{n}.rubric": LIBRARY.replace("X", f"X{n}") + f'use: everything from "{n + 1}.rubric"\n' for n in range(20)
    }
    (problem,) = read(files["0.rubric"], "0.rubric", files.get).errors
    assert problem.code == "R309"
    assert "circle" not in str(problem)
    assert "chain of more than" in str(problem)


def test_the_last_line_end_begins_no_line() -> None:
    rows = "# x\n" * MOST_LINES
    assert "R106" not in {problem.code for problem in read(rows, "a", lambda _: None).problems}
    (problem,) = read(f"{rows}#\n", "a", lambda _: None).problems
    assert problem.message == "This file has 10,001 lines; a rubric has at most 10,000"


# ---- writing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.txt", ("show",)),
        ("a.txt", ("export", "--to", "json")),
        ("a.html", ("playground",)),
        ("a.csv", ("import",)),
    ],
)
def test_force_never_costs_the_file_that_is_read(
    name: str, words: tuple[str, ...], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = file.with_name(name)
    text = "criterion,question\nTone,Is it polite?\n" if name.endswith("csv") else FINE
    source.write_text(text, encoding="utf-8")

    code, _, err = _run(capsys, *words, name, "--out", f"./{name}", "--force")
    assert code == 2
    assert "this is the file that is read, and it would be lost" in err
    assert source.read_text("utf-8") == text


def test_no_export_stands_where_a_rubric_stands(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = file.with_name("b.rubric")
    other.write_text(FINE, encoding="utf-8")

    assert _run(capsys, "export", file.name, "--to", "json", "--out", other.name, "--force")[0] == 2
    assert other.read_text("utf-8") == FINE


def test_a_dash_makes_no_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _run(capsys, "show", file.name, "--out", "-")
    assert (code, "leave --out away" in err) == (2, True)
    assert [path.name for path in file.parent.iterdir()] == ["a.rubric"]


def test_a_difference_that_cannot_be_seen_is_said(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(capsys, "format", file.name)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))

    said = "a.rubric: only what cannot be seen would change: line ends, or a mark at the start of the file\n"
    assert _run(capsys, "format", "--diff", file.name) == (0, said, "")


def test_too_much_for_one_rubric_is_said_of_the_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"Tone {number},{'Is it polite? ' * 40}\n" for number in range(1000))
    file.with_name("t.csv").write_text(f"criterion,question\n{rows}", encoding="utf-8")

    code, _, err = _run(capsys, "import", "t.csv")
    assert code == 2
    assert "too much in this file for one rubric" in err
    assert "cut the file into parts" in err


# ---- what is shown ------------------------------------------------------------------------------


def test_no_line_is_an_order_to_a_ci_system(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(ORDERS, encoding="utf-8")
    wrong = file.with_name("::warning::w.rubric")
    wrong.write_text("rubric: A\n", encoding="utf-8")

    for words in (("show", file), ("export", file, "--to", "promptfoo"), ("check", wrong.name)):
        out = "".join(_run(capsys, *words)[1:])
        assert "::" in out, words
        assert not [line for line in out.split("\n") if line.lstrip().startswith(("::", "##["))], words


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("my rubric.rubric", "'my rubric.rubric'"),
        ("$(touch x).rubric", "'$(touch x).rubric'"),
        ("-a.rubric", "./-a.rubric"),
    ],
)
def test_a_command_that_is_shown_can_be_copied(
    name: str, typed: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.with_name(name).write_text(FINE.replace("check:", "chek:"), encoding="utf-8")

    out = _run(capsys, "check", f"./{name}")[1]
    assert out.endswith(f"assay rubric check --fix {typed}\n")


def test_an_action_that_is_misspelt_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, "chek", "a.rubric") == (
        2,
        "",
        "command line: there is no action “chek” of assay rubric\n  → did you mean: assay rubric check\n",
    )


@pytest.mark.parametrize("words", [(), ("--workspace", "."), ("--color", "never")])
def test_without_an_action_the_actions_are_told(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, said = _run(capsys, *words)

    assert (code, out) == (2, "")
    assert said.startswith("command line: assay rubric needs to know what to do\n  → new, check, explain, ")


def test_a_workspace_may_be_called_like_an_action(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.with_name("test").mkdir()

    assert _run(capsys, "--workspace", "test", "check", file.name)[:2] == (0, "a.rubric: fine (1 criterion)\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
def test_ctrl_c_ends_the_language_server_in_a_terminal(tmp_path: Path) -> None:
    import pty  # not on Windows

    ours, theirs = pty.openpty()
    start = (sys.executable, "-c", "import sys; from engine.cli.main import main; sys.exit(main())", "rubric", "lsp")
    environment = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    server = subprocess.Popen(
        start, cwd=tmp_path, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    try:
        assert server.stderr is not None
        assert b"Ctrl-C ends it" in server.stderr.readline()
        time.sleep(0.3)  # it waits for an editor now
        server.send_signal(signal.SIGINT)
        assert server.wait(5) == -signal.SIGINT
    finally:
        server.kill()
        server.communicate()
        os.close(ours)
        os.close(theirs)
