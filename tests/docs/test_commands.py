"""Every command in README.md and docs/ is run, in a workspace made by `assay init`, and does what the page says.

How a page is read: a fenced `sh` block is run, line by line, and has to exit with 0 or with the number in
`<!-- exit: 2 -->` before it. The block after `<!-- file: PATH -->` is written there first. Each line of the block after
`<!-- output -->` has to occur in what the commands before it printed: up to a `…` at its end, and with RUN for any run.
In commands RUN is the newest run and EARLIER the one before it. `python server.py &` starts a program that the page has
written, waits until it listens, and stops it at the end of the page; the port 8765 of pages is a free one then. `export
NAME=value` holds until the end of the page. Commands run in this process: starting Python and Hydra for each of them
would take ten times as long, and `tests/cli/` does it anyway.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.cli.main import main
from tests.workspaces import ROOT, SHARED, assay

PAGES = (
    "README.md",
    "rubrics/README.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")),
)
FROM_NOTHING = {"docs/rubric-guide.md", "docs/connect-your-system.md"}
"""Pages that begin in an empty folder, as their reader does."""
_REMARK = r"(?:^<!-- (?P<order>file|exit|output)(?:: (?P<what>\S+))? -->\n)?"
_BLOCK = re.compile(_REMARK + r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PORT = "8765"
_RUN = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{4}")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, what the remark before it asks for, and its line in the page."""

    kind: str
    order: str
    what: str
    text: str
    line: int

    @property
    def exit(self) -> int:
        """The exit code that every command of the block has to have."""
        return int(self.what) if self.order == "exit" else 0


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = (ROOT / page).read_text("utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(found["kind"], found["order"] or "", found["what"] or "", found["text"], line)


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return str(held.getsockname()[1])


@dataclass(slots=True)
class Reader:
    """Somebody who does what a page says, one line after the other."""

    folder: Path
    outside: Path
    printed: str = ""
    port: str = field(default_factory=_free_port)
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def follow(self, page: str) -> None:
        """Everything on the page."""
        before = dict(os.environ)
        try:
            self._follow(page)
        finally:
            os.environ.clear()
            os.environ.update(before)
            for program in self.programs:
                program.terminate()
                program.wait(10)

    def _follow(self, page: str) -> None:
        for block in blocks(page):
            place = f"{page}:{block.line}"
            if block.order == "file":
                self._write(block)
            elif block.order == "output":
                self._compare(block, place)
            elif block.kind == "sh":
                self.printed = ""
                for line in block.text.splitlines():
                    self._do(shlex.split(line, comments=True), block.exit, f"{place}: {line}")

    def _write(self, block: Block) -> None:
        path = self.folder / block.what
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text.replace(_PORT, self.port), "utf-8")

    def _compare(self, block: Block, place: str) -> None:
        printed = _RUN.sub("RUN", self.printed).replace(self.port, _PORT)
        missing = [line for line in block.text.splitlines() if line.strip().removesuffix("…") not in printed]
        assert not missing, f"{place}: {missing} was not printed; this was:\n{printed}"

    def _do(self, words: list[str], code: int, place: str) -> None:
        match words:
            case []:
                return
            case ["assay", *rest]:
                found, printed = _assay(self.folder, [self._filled(word) for word in rest])
                self.printed += printed
                assert found == code, f"{place}: exit {found}\n{printed}"
            case ["cd", name]:
                self.folder /= name
                assert self.folder.is_dir(), place
            case ["pip", "install", name]:
                project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
                assert name in (".", project["name"]), place
            case ["python", program, "&"]:
                self._start(program, place)
            case ["export", setting]:
                name, _, value = setting.partition("=")
                os.environ[name] = value
            case ["python", script, *rest]:
                self._script(script, rest, place)
            case [script, *_]:
                # They make an environment of their own and run this very test; .ci/run starts them.
                assert os.access(ROOT / script, os.X_OK), place

    def _start(self, program: str, place: str) -> None:
        """Start a program that the page has written, and wait until it listens."""
        started = subprocess.Popen([sys.executable, program], cwd=self.folder, stdin=subprocess.DEVNULL)
        self.programs.append(started)
        deadline = time.monotonic() + 10
        while started.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(self.port))):
                return
            time.sleep(0.02)
        raise AssertionError(f"{place}: it does not listen on port {_PORT}")

    def _script(self, script: str, rest: list[str], place: str) -> None:
        if any(word.startswith("../shared") for word in rest) and not SHARED.is_dir():
            pytest.skip("the real files (../shared) are not beside this checkout")
        command = [sys.executable, str(ROOT / script), *map(self._filled, rest)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"{place}\n{done.stderr}"

    def _filled(self, word: str) -> str:
        word = word.replace(_PORT, self.port)
        if "RUN" in word or "EARLIER" in word:
            runs = [path.name for path in (self.folder / "runs").iterdir() if _RUN.fullmatch(path.name)]
            runs.sort(key=lambda name: (self.folder / "runs" / name / "plan.json").stat().st_mtime_ns)
            word = word.replace("RUN", runs[-1])
            word = word.replace("EARLIER", runs[-2] if len(runs) > 1 else "there is no earlier run")
        return word.replace("/tmp/", f"{self.outside}/") if word.startswith("/tmp/") else word


def _assay(folder: Path, words: list[str]) -> tuple[int, str]:
    """The exit code and everything that was printed."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(words)
    printed.seek(0)
    return code, printed.read()


@pytest.fixture(autouse=True)
def _no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace as `assay init` makes it, with the index that its first run builds."""
    folder = tmp_path_factory.mktemp("starter")
    assert assay(folder, "init", "shop").returncode == 0
    build = assay(folder / "shop", "corpus", "build")
    assert build.returncode == 0, build.stderr
    return folder / "shop"


@pytest.mark.parametrize("page", PAGES)
def test_every_command_does_what_the_page_says(page: str, starter: Path, tmp_path: Path) -> None:
    """A1, A99: a person who copies a line from a page gets what the page promises."""
    folder = tmp_path / "workspace"
    if page in FROM_NOTHING:
        folder.mkdir()
    else:
        shutil.copytree(starter, folder)

    Reader(folder, tmp_path).follow(page)


def test_the_pages_hold_commands() -> None:
    """The reader of pages finds what is there; a page without a remark would prove nothing."""
    found = [block for page in PAGES for block in blocks(page)]

    assert len([block for block in found if block.kind == "sh"]) > 30
    assert {block.order for block in found} == {"", "file", "exit", "output"}
    assert not [page for page in PAGES if (ROOT / page).read_text("utf-8").count("```") % 2]


def test_a_false_promise_is_seen(starter: Path) -> None:
    """The reader fails for a wrong exit code, for a line that was not printed, and for a script that is not there."""
    reader = Reader(starter, starter)

    for text in (
        *("assay nonsense", "assay --help", "scripts/nothing", "python nothing.py &", "cd nowhere"),
        "pip install something",
    ):
        with pytest.raises(AssertionError):
            reader._do(text.split(), 1 if text == "assay --help" else 0, text)
    with pytest.raises(AssertionError):
        reader._compare(Block("text", "output", "", "this was never printed\n", 1), "here")
