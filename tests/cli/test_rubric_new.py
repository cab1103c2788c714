"""`assay rubric new`: whatever is typed, it ends with a rubric without problems, or with nothing written."""

import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rubric as language
from engine.cli.main import main
from engine.cli.rubric.new import TEMPLATES
from engine.rubric.format import format_text
from engine.rubric.starting import LONGEST, Wishes, cleaned, score_typed, started
from engine.rubric.syntax import Rubric, criteria
from tests.workspaces import ROOT, assay

FOLDER = ROOT / "engine" / "rubric" / "templates"
Plain = Callable[[bytes], tuple[int, str]]
TEXTS = {name: (FOLDER / f"{name}.rubric").read_text("utf-8") for name in TEMPLATES}
NASTY = (
    'Say "hello" to {nobody} | and [everybody]',
    "# not a remark",
    "| a | b |",
    "> go on",
    "title: with a colon",
    "criterion: Another one",
    "verdict: pass otherwise",
    "@NEVER@ @GOOD@ @TITLE@ @OWNER@",
    "🦩🦩🦩",
    "x" * 10_000,
    "one\r\ntwo\n\nmust: Three\n  check: answer is empty",
    "\x1b[31mred\x1b[0m \x00\x07\u202e\u2028\ufeff\ud800",
    "Avoids errors and is it free of mistakes and does it hallucinate?",
    "Leaves a blank",
    "...",
    "—",
    "/.*/",
    "50%",
    "_",
)

EACH = list(zip(NASTY, cycle(TEMPLATES), strict=False))


def fine(text: str) -> Rubric:
    """The rubric of a text that has no problem at all, and is in its one spelling."""
    reading = language.read(text, "new.rubric", lambda _: None)
    assert [str(problem) for problem in reading.problems] == []
    assert reading.rubric is not None
    assert format_text(text, "new.rubric") == text
    return reading.rubric


# ---- what is made of answers ---------------------------------------------------------------------


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_clean_and_says_what_was_answered(template: str) -> None:
    wishes = Wishes("Help pages", "Docs team", ("promises money back", "Never shows a page for staff."), Decimal("0.8"))
    text = started(TEXTS[template], wishes).text
    rubric = fine(text)

    assert (rubric.title, rubric.owner, rubric.version) == ("Help pages", "Docs team", 1)
    assert sum(1 for _ in criteria(rubric.root)) == _usual(template) + 2
    assert "must not: Promises money back\n  ask: Does this happen: promises money back?\n" in text
    assert "must not: Shows a page for staff\n  ask: Does this happen: shows a page for staff?\n" in text
    assert "verdict: good when score is at least 0.8\nverdict: okay when score is at least 0.48\n" in text


@pytest.mark.parametrize(("said", "template"), EACH, ids=lambda said: ascii(said)[:30])
def test_no_answer_breaks_a_rubric(said: str, template: str) -> None:
    found = started(TEXTS[template], Wishes(said, said, (said, said)))
    rubric = fine(found.text)
    assert len(rubric.title) <= LONGEST
    assert len(rubric.verdicts) == 3
    assert not found.left_out or re.search(r"[^\W_]", said) is None
    asked = 0 if found.left_out or not cleaned(said) else 1  # the same thing twice is one thing
    assert sum(1 for _ in criteria(rubric.root)) == _usual(template) + asked


@cache
def _usual(template: str) -> int:
    return sum(1 for _ in criteria(fine(started(TEXTS[template], Wishes("x")).text).root))


@settings(max_examples=12, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=2), st.sampled_from(sorted(TEXTS)))
def test_no_text_at_all_breaks_a_rubric(title: str, never: list[str], template: str) -> None:
    fine(started(TEXTS[template], Wishes(title, title, tuple(never))).text)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("good", ["0.3", "0.55", "1"])
def test_every_score_that_is_taken_gives_a_clean_rubric(template: str, good: str) -> None:
    score = score_typed(good)
    assert score is not None
    text = started(TEXTS[template], Wishes("x", good=score)).text
    assert f"verdict: good when score is at least {good}\n" in text
    fine(text)


@pytest.mark.parametrize(
    ("typed", "score"),
    [
        ("0.75", "0.75"), ("0,75", "0.75"), ("75%", "0.75"), ("75", "0.75"), ("3/4", "0.75"), (" 1 ", "1"),
        ("100", "1"),
        ("", None), ("good", None), ("0", None), ("0.1", None), ("150%", None), ("101", None), ("-1", None),
        ("nan", None),
        ("1e9", None),
    ],
)  # fmt: skip
def test_a_score_is_read_as_people_write_it(typed: str, score: str | None) -> None:
    assert score_typed(typed) == (None if score is None else Decimal(score))


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_first_case_of_a_new_rubric_comes_out(
    template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--workspace", str(tmp_path)]
    assert main(["rubric", "new", "--template", template, "--title", "Mine", "--never", "lies", "--yes", *where]) == 0
    assert main(["rubric", "check", "mine", "--strict", *where]) == 0
    capsys.readouterr()
    assert main(["rubric", "test", "mine", *where]) == 0
    assert "1 of 1 case comes out as expected" in capsys.readouterr().out


# ---- without questions ---------------------------------------------------------------------------


def test_with_flags_nothing_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--title", "Help pages", "--owner", "Docs", "--never", "lies", "--never", "shouts", "--good", "80%"]
    assert main(["rubric", "new", "--template", "rag", *words, "--workspace", str(tmp_path)]) == 0
    rubric = fine((tmp_path / "rubrics" / "help-pages.rubric").read_text("utf-8"))
    assert (rubric.title, rubric.owner) == ("Help pages", "Docs")
    assert {"lies", "shouts"} <= {criterion.id for criterion in criteria(rubric.root)}
    out = capsys.readouterr().out
    assert "help-pages.rubric (6 criteria)" in out
    assert "assay rubric check help-pages" in out


def test_without_a_terminal_and_without_flags_it_names_the_flags(tmp_path: Path) -> None:
    done = assay(tmp_path, "rubric", "new")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'assay rubric new --template rag --title "Help pages" --yes' in done.stderr
    assert not (tmp_path / "rubrics").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--yes"], "--yes needs to know what is judged"),
        (["--template", "search", "--title", "a", "--good", "no"], "--good no: that is no score between 0.3 and 1"),
        (["--template", "serch"], "--template cannot be “serch”\n  → did you mean search?"),
    ],
)
def test_a_flag_that_makes_no_sense(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rubric", "new", *words, "--workspace", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["mine.rubric", "mine.cases.yaml"])
def test_nothing_is_overwritten(there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / there).write_text("precious", "utf-8")
    words = ["rubric", "new", "mine", "--template", "rag", "--yes", "--workspace", str(tmp_path)]
    assert main(words) == 2
    assert "is there already, and is left as it is" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "rubrics").iterdir()] == [there]
    assert (tmp_path / "rubrics" / there).read_text("utf-8") == "precious"


def test_a_link_to_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "mine.rubric").symlink_to(tmp_path / "elsewhere")
    assert main(["rubric", "new", "mine", "--template", "rag", "--yes", "--workspace", str(tmp_path)]) == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Help Pages!", "help-pages.rubric"),
        ("../../etc/passwd", "etc-passwd.rubric"),
        ("help.rubric", "help.rubric"),
        ("CON", "con-rubric.rubric"),
        ("🦩", "my-rag.rubric"),
        ("Größe", "grösse.rubric"),
        ("x" * 10_000, f"{'x' * 60}.rubric"),
    ],
)
def test_the_name_of_the_file_is_safe(name: str, file: str, tmp_path: Path) -> None:
    assert main(["rubric", "new", name, "--template", "rag", "--yes", "--workspace", str(tmp_path)]) == 0
    assert (tmp_path / "rubrics" / file).is_file()
    fine((tmp_path / "rubrics" / file).read_text("utf-8"))


def test_without_any_name_it_is_called_after_what_is_judged(tmp_path: Path) -> None:
    assert main(["rubric", "new", "--template", "support", "--yes", "--workspace", str(tmp_path)]) == 0
    text = (tmp_path / "rubrics" / "support-replies.rubric").read_text("utf-8")
    assert fine(text).title == "Support replies"


def test_a_name_that_hides_a_shipped_rubric_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "new", "search", "--template", "search", "--yes", "--workspace", str(tmp_path)]) == 0
    assert "used instead of the rubric search that comes with the engine" in capsys.readouterr().out


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Plain:
    """`assay rubric new --plain` with these bytes to read: its exit code, and what it printed."""

    def run(answers: bytes) -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answers), encoding="utf-8"))
        return main(["rubric", "new", "--plain", "--workspace", str(tmp_path)]), capsys.readouterr().out

    return run


def test_plain_reads_an_answer_a_line(tmp_path: Path, plain: Plain) -> None:
    code, out = plain(b"7\n4\nReplies\n\nshouts\n\n-5\n80%\n")
    assert code == 0
    assert "Please type a number from 1 to 5." in out
    assert "That is no score between 0.3 and 1. For example: 0.8" in out
    assert "\x1b" not in out
    assert fine((tmp_path / "rubrics" / "replies.rubric").read_text("utf-8")).title == "Replies"


@pytest.mark.parametrize("answers", [b"", b"1\n", b"1\nname\nme\nlies\n"])
def test_an_input_that_ends_early_writes_nothing(answers: bytes, tmp_path: Path, plain: Plain) -> None:
    code, out = plain(answers)
    assert code == 130
    assert "Nothing was written" in out
    assert not (tmp_path / "rubrics").exists()


def test_bytes_that_are_no_text_are_answers_too(tmp_path: Path, plain: Plain) -> None:
    assert plain(b"1\n\xff\xfe title\n\n\n\n")[0] == 0
    assert fine((tmp_path / "rubrics" / "title.rubric").read_text("utf-8")).title == "title"


def test_ten_thousand_characters_are_cut(tmp_path: Path, plain: Plain) -> None:
    assert plain(b"1\n" + b"word " * 2_000 + b"\n\n" + b"x" * 10_000 + b"\n\n\n")[0] == 0
    (file,) = (tmp_path / "rubrics").glob("*.rubric")
    assert len(fine(file.read_text("utf-8")).title) <= LONGEST
    assert len(file.stem) <= 60


# ---- in a terminal -------------------------------------------------------------------------------


@dataclass(slots=True)
class Person:
    """Somebody in front of a terminal."""

    process: "subprocess.Popen[bytes]"
    screen: int
    seen: str = field(default="")

    def waits(self, words: str) -> None:
        """Until these words are on the screen, after what was seen before."""
        self._until(lambda: words in self.seen)
        self.seen = self.seen[self.seen.index(words) + len(words) :]

    def types(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def ends(self) -> tuple[int, str]:
        """The exit code, and what was on the screen since."""
        self._until(lambda: False)
        return self.process.wait(timeout=30), self.seen

    def _until(self, enough: Callable[[], bool]) -> None:
        limit = time.monotonic() + 30
        while not enough():
            assert time.monotonic() < limit, self.seen
            if not select.select([self.screen], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self.screen, 65536)
            except OSError:  # Linux says so when the other side has gone
                data = b""
            if not data:
                assert not enough.__closure__ or enough(), self.seen
                return
            self.seen += data.decode("utf-8", "replace")


@contextmanager
def terminal(folder: Path, *words: str) -> Iterator[Person]:
    """`assay rubric new` in a pseudo terminal."""
    screen, inside = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "engine", "rubric", "new", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"},
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
        preexec_fn=_own_terminal,  # noqa: PLW1509 - no threads here, and Ctrl-C needs a terminal of its own
    )
    os.close(inside)
    try:
        yield Person(process, screen)
    finally:
        process.kill()
        process.wait()
        os.close(screen)


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_beginner_is_led_through_it(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "taken.rubric").write_text("precious", "utf-8")
    with terminal(tmp_path) as person:
        person.waits("A number from 1 to 5 (1): ")
        person.types("2\n")
        person.waits("What is it called? (Answers from documents): ")
        person.types("Taken\n")
        person.waits("rubrics/taken.rubric is there already, and is left as it is. Please choose another name.")
        person.waits("(Answers from documents): ")
        person.types('Help "pages" | [2]\n')
        person.waits("(nobody): ")
        person.types("\n")
        person.waits("Never 1: ")
        person.types("never makes up a price\n")
        person.waits("Never 2: ")
        person.types("\n")
        person.waits("(0.75): ")
        person.types("0,8\n")
        code, screen = person.ends()
    assert code == 0, screen
    assert "Written: rubrics/help-pages-2.rubric (5 criteria)" in screen
    assert "assay run rubric=help-pages-2" in screen
    assert "\x1b" not in screen
    rubric = fine((tmp_path / "rubrics" / "help-pages-2.rubric").read_text("utf-8"))
    assert rubric.title == 'Help "pages" | [2]'
    assert "makes-up-a-price" in {criterion.id for criterion in criteria(rubric.root)}
    assert (tmp_path / "rubrics" / "taken.rubric").read_text("utf-8") == "precious"


def test_the_rest_of_a_paste_answers_no_other_question(tmp_path: Path) -> None:
    with terminal(tmp_path, "--template", "search") as person:
        person.waits("What is it called? (Search results): ")
        person.types("Pasted title\nsecond line\nthird line\n")
        person.waits("(nobody): ")
        time.sleep(0.2)
        person.types("Me\n")
        person.waits("Never 1: ")
        person.types("\n")
        person.waits("(0.75): ")
        person.types("\n")
        code, screen = person.ends()
    assert code == 0, screen
    rubric = fine((tmp_path / "rubrics" / "pasted-title.rubric").read_text("utf-8"))
    assert (rubric.title, rubric.owner) == ("Pasted title", "Me")


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_it_can_be_left_at_any_question(key: str, tmp_path: Path) -> None:
    with terminal(tmp_path) as person:
        person.waits("A number from 1 to 5 (1): ")
        person.types("1\n")
        person.waits("(Search results): ")
        person.types(key)
        code, screen = person.ends()
    assert code == 130
    assert "Stopped. Nothing was written." in screen
    assert "Traceback" not in screen
    assert not (tmp_path / "rubrics").exists()
