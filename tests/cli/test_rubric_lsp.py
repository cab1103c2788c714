"""The language server, spoken to over standard input and output as an editor does."""

import asyncio
import json
import queue
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

from engine.cli.rubric.lsp.checking import Checking
from engine.cli.rubric.lsp.documents import Document, opened
from engine.rubric import Reading
from engine.store.workspace import Workspace
from tests.rubric.build import ROOT, shared

_START = (sys.executable, "-c", "import sys; from engine.cli.main import main; sys.exit(main())", "rubric", "lsp")
_PATIENCE_S = 20.0
_WRONG = "rubric: 🙂 A\ncriterion: B\n  wieght: 3\n  measure: ndgc@10\n"
_RIGHT = "rubric: 🙂 A\ncriterion: B\n  weight: 3\n  measure: ndcg@10\n"


class Editor:
    """A small client. Answers and notifications are kept in the order in which they came."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            _START, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        )  # fmt: skip
        self.came: queue.Queue[Any] = queue.Queue()
        self.kept: list[Any] = []
        self.last = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            length = 0
            while header.strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
                header = out.readline()
            self.came.put(json.loads(out.read(length)))
        self.came.put(None)

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def tell(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> Any:
        self.last += 1
        number = self.last
        self.send({"id": number, "method": method, "params": params})
        answer = self.until(lambda message: message.get("id") == number)
        assert "error" not in answer, answer
        return answer["result"]

    def until(self, fits: Callable[[Any], bool]) -> Any:
        """The first message that fits and that nobody has asked for yet."""
        for index, message in enumerate(self.kept):
            if fits(message):
                return self.kept.pop(index)
        end = time.monotonic() + _PATIENCE_S
        while True:
            message = self.came.get(timeout=max(0.01, end - time.monotonic()))
            assert message is not None, self.process.stderr and self.process.stderr.read().decode()
            if fits(message):
                return message
            self.kept.append(message)

    # what editors do

    def start(self) -> Any:
        can = {"textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}}}
        found = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": can})
        self.tell("initialized", {})
        return found

    def uri(self, name: str = "a.rubric") -> str:
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "a.rubric") -> list[Any]:
        document = {"uri": self.uri(name), "languageId": "rubric", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.said(1, name)

    def change(self, text: str, version: int, name: str = "a.rubric") -> None:
        document = {"uri": self.uri(name), "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def said(self, version: int | None, name: str = "a.rubric") -> list[Any]:
        """The messages about one version of a document."""

        def fits(message: Any) -> bool:
            params = message.get("params", {})
            said: bool = message.get("method") == "textDocument/publishDiagnostics"
            return said and (params["uri"], params.get("version")) == (self.uri(name), version)

        found: list[Any] = self.until(fits)["params"]["diagnostics"]
        return found

    def errors(self, version: int, name: str = "a.rubric") -> list[str]:
        """The codes of what keeps one version of a document from being used."""
        return [problem["code"] for problem in self.said(version, name) if problem["severity"] == 1]

    def at(self, method: str, line: int, character: int, **more: Any) -> Any:
        position = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", {**_document(self), "position": position, **more})

    def stop(self) -> int:
        self.ask("shutdown")
        self.tell("exit", None)
        return self.ended()

    def ended(self) -> int:
        """Waits for the end. Nothing has been said outside the protocol."""
        code = self.process.wait(timeout=_PATIENCE_S)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever happened, no process and no pipe is left behind."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


def _document(client: Editor) -> dict[str, Any]:
    return {"textDocument": {"uri": client.uri()}}


def _range(line: int, start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def _applied(text: str, edits: list[Any]) -> str:
    """As an editor does it: positions are lines and UTF-16 units."""
    for edit in sorted(edits, key=lambda edit: (edit["range"]["start"]["line"], edit["range"]["start"]["character"]))[
        ::-1
    ]:
        start, end = (_offset(text, edit["range"][side]) for side in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def _offset(text: str, at: Any) -> int:
    rows = text.split("\n")
    units = rows[at["line"]].encode("utf-16-le")[: at["character"] * 2]
    return sum(len(row) + 1 for row in rows[: at["line"]]) + len(units.decode("utf-16-le"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One server for all tests that leave it well; each opens its document anew."""
    with Editor(tmp_path_factory.mktemp("rubrics")) as client:
        client.start()
        yield client
        assert client.stop() == 0


@pytest.fixture
def client(server: Editor) -> Iterator[Editor]:
    yield server
    server.tell("textDocument/didClose", _document(server))
    server.said(None)


def test_messages_have_place_code_and_steps(client: Editor) -> None:
    first, second = client.open(_WRONG)

    assert first["range"] == _range(2, 2, 9)
    assert (first["code"], first["severity"], first["source"]) == ("R102", 1, "assay")
    assert first["message"].endswith('→ change "wieght:" to "weight:"')
    assert second["range"] == _range(3, 11, 18)


def test_columns_count_utf_16_units_both_ways(client: Editor) -> None:
    text = "rubric: A\ncriterion: 🙂𝒳 B\n  measure: ap\ncap: 40% when [🙂𝒳 C] fails or [🙂𝒳 b] is below 0.5\n"
    (problem,) = client.open(text)

    assert problem["range"] == _range(3, 14, 22)
    assert client.at("definition", 3, 34)["range"] == _range(1, 11, 17)


def test_a_second_place_is_related_information(client: Editor) -> None:
    (problem,) = client.open("rubric: A\ncriterion: B\n  measure: ap\n  measure: rr\n")

    (related,) = problem["relatedInformation"]
    assert related == {"location": {"uri": client.uri(), "range": _range(2, 2, 10)}, "message": "first one"}


def test_a_quick_fix_and_then_all_of_them(client: Editor) -> None:
    client.open(_WRONG)
    here = {**_document(client), "range": _range(2, 3, 3), "context": {"diagnostics": []}}

    fix, every = client.ask("textDocument/codeAction", here)
    assert (fix["title"], fix["kind"], fix["isPreferred"]) == ("Change wieght: to weight:", "quickfix", True)
    once = _applied(_WRONG, fix["edit"]["changes"][client.uri()])
    client.change(once, 2)
    assert [problem["code"] for problem in client.said(2)] == ["R305"]

    assert (every["kind"], "edit" in every) == ("source.fixAll", False)
    resolved = client.ask("codeAction/resolve", every)
    mended = _applied(once, resolved["edit"]["changes"][client.uri()])
    assert mended == _RIGHT
    client.change(mended, 3)
    assert client.errors(3) == []
    assert client.ask("textDocument/codeAction", here) == []


def test_only_the_kind_of_action_that_was_asked_for(client: Editor) -> None:
    client.open(_WRONG)
    for only, kinds in (["source"], ["source.fixAll"]), (["quickfix"], ["quickfix"]), (["refactor"], []):
        context = {"diagnostics": [], "only": only}
        found = client.ask(
            "textDocument/codeAction", {**_document(client), "range": _range(2, 0, 0), "context": context}
        )
        assert [action["kind"] for action in found] == kinds


def test_completion_hover_outline_and_references(client: Editor) -> None:
    client.open(f"{_RIGHT}cap: 40% when [b] fails\n  check: answer ci")

    items = client.at("completion", 5, 18)
    assert items[0]["textEdit"] == {"newText": "cites", "range": _range(5, 16, 18)}
    hover = client.at("hover", 3, 13)
    assert "How close the order" in hover["contents"]["value"]
    assert hover["range"] == _range(3, 11, 18)
    assert [
        place["range"]["start"]["line"]
        for place in client.at("references", 1, 11, context={"includeDeclaration": True})
    ] == [1, 4]
    symbols = client.ask("textDocument/documentSymbol", _document(client))
    assert [symbol["name"] for symbol in symbols] == ["🙂 A", "B", "40% when [b] fails"]
    assert symbols[0]["selectionRange"] == _range(0, 8, 12)


def test_rename_keeps_the_meaning_and_warns_about_labels(client: Editor) -> None:
    text = f"{_RIGHT}cap: 40% when [b] is below 0.5\n"
    client.open(text)

    assert client.at("prepareRename", 4, 15) == _range(4, 15, 16)
    assert client.at("prepareRename", 0, 2) is None
    changes = client.at("rename", 4, 15, newName="Found 🙂")["changes"][client.uri()]
    client.change(_applied(text, changes), 2)
    assert client.errors(2) == []
    said = client.until(lambda message: message.get("method") == "window/showMessage")
    assert said["params"]["message"].endswith("id: b")
    assert client.at("rename", 0, 2, newName="x") is None
    assert "nothing here" in client.until(lambda m: m.get("method") == "window/showMessage")["params"]["message"]


def test_formatting_makes_the_file_what_the_formatter_makes_it(client: Editor) -> None:
    from engine.rubric.format import format_text

    text = "rubric: 🙂 A\ncriterion:   B\nWEIGHT : 3\n measure: ap\n"
    client.open(text)

    edits = client.ask(
        "textDocument/formatting", {**_document(client), "options": {"tabSize": 2, "insertSpaces": True}}
    )
    assert _applied(text, edits) == format_text(text, "a.rubric") != text


def test_used_files_are_read_as_they_stand_in_the_editor(server: Editor) -> None:
    client = server
    folder = client.folder / "rubrics"
    folder.mkdir()
    (folder / "b.rubric").write_text("library: B\ncriterion: Stored\n  measure: ap\n", "utf-8")
    text = 'rubric: A\nuse: [Stored] from "b.rubric"\ncap: 40% when [stored] is below 0.5\n'
    assert not [problem for problem in client.open(text, "rubrics/a.rubric") if problem["severity"] == 1]
    where = {"textDocument": {"uri": client.uri("rubrics/a.rubric")}, "position": {"line": 2, "character": 16}}

    found = client.ask("textDocument/definition", where)
    assert found == {"uri": (folder / "b.rubric").resolve().as_uri(), "range": _range(1, 11, 17)}
    client.open("library: B\ncriterion: Typed\n  measure: ap\n", "rubrics/b.rubric")
    assert client.errors(1, "rubrics/a.rubric")[:1] == ["R310"]
    client.tell("textDocument/didClose", {"textDocument": {"uri": client.uri("rubrics/b.rubric")}})
    assert client.errors(1, "rubrics/a.rubric") == []
    client.tell("textDocument/didClose", {"textDocument": {"uri": client.uri("rubrics/a.rubric")}})


def test_a_rubric_that_is_stored_nowhere_yet(client: Editor) -> None:
    document = {"uri": "untitled:Untitled-1", "languageId": "rubric", "version": 1, "text": _WRONG}
    client.tell("textDocument/didOpen", {"textDocument": document})

    said = client.until(lambda m: m.get("params", {}).get("uri") == "untitled:Untitled-1")
    assert len(said["params"]["diagnostics"]) == 2
    client.open(_RIGHT)


def test_messages_come_soon_after_a_change(client: Editor, capsys: pytest.CaptureFixture[str]) -> None:
    text = (shared("data/rubrics") / "support-answers.rubric").read_text("utf-8")
    assert len(text.splitlines()) >= 55
    client.open(text)
    took = []
    for version in range(2, 22):
        start = time.perf_counter()
        client.change(text.replace("weight: 3", "wieght: 3") if version % 2 else text, version)
        said = client.said(version)
        took.append((time.perf_counter() - start) * 1000)
        assert bool(said) == bool(version % 2)

    with capsys.disabled():
        print(f"\nmessages after a change, 60 lines: median {statistics.median(took):.0f} ms, best {min(took):.0f} ms")
    assert min(took) < 50
    assert statistics.median(took) < 300, "the wanted 50 ms, with room for a busy machine"


def test_after_a_burst_of_changes_only_the_last_text_counts(client: Editor) -> None:
    client.open(_RIGHT)
    for version in range(2, 62):
        client.change(_RIGHT.replace("weight: 3", f"wieght: {version}"), version)

    assert len(client.said(61)) == 1
    client.kept.clear()
    assert client.at("hover", 2, 3)["contents"]["value"].startswith("**I don't know")


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are checked, in order. A text that says so is slow, or breaks the checker."""
    texts: list[str] = []

    def read(document: Document) -> Reading:
        text = document.page.text
        texts.append(text)
        if "slow" in text:
            time.sleep(0.1)
        if "broken" in text:
            raise RuntimeError(text)
        return Reading(None, ())

    monkeypatch.setattr(Document, "read", read)
    return texts


async def _typed(folder: Path, pauses: list[tuple[str, float]]) -> tuple[list[str], list[str]]:
    """What is said, and what is complained about, while texts follow each other."""
    document = opened("file:///a.rubric", "", Workspace(folder), dict)
    said: list[str] = []
    failed: list[str] = []
    checks = Checking({"u": document}.get, lambda document, _: said.append(document.page.text), failed.append)
    for text, pause in pauses:
        document.rewritten(text, None)
        checks.wanted("u")
        await asyncio.sleep(pause)
    await asyncio.sleep(0.3)
    return said, failed


def test_a_text_is_checked_when_it_has_been_quiet(tmp_path: Path, checked: list[str]) -> None:
    said, _ = asyncio.run(_typed(tmp_path, [(f"{number}", 0.0) for number in range(60)]))

    assert checked == said == ["59"]


def test_an_older_text_is_never_said_after_a_newer_one(tmp_path: Path, checked: list[str]) -> None:
    said, _ = asyncio.run(_typed(tmp_path, [("slow 1", 0.05), ("2", 0.0), ("3", 0.0)]))

    assert checked == ["slow 1", "3"]
    assert said == ["3"]


def test_a_fault_of_the_checker_is_told_and_does_not_end_it(tmp_path: Path, checked: list[str]) -> None:
    said, failed = asyncio.run(_typed(tmp_path, [("broken", 0.05), ("2", 0.0)]))

    assert len(failed) == 1
    assert "a fault of the engine" in failed[0]
    assert said == ["2"]


def test_a_huge_file_does_not_hang(client: Editor) -> None:
    block = 'criterion: C{}\n  weight: 1\n  check: answer contains "a" or "b"\n  note: x\n'
    text = "rubric: A\n" + "".join(map(block.format, range(2_499)))
    assert text.count("\n") > 9_990
    client.tell(
        "textDocument/didOpen",
        {"textDocument": {"uri": client.uri(), "languageId": "rubric", "version": 1, "text": text + "rubrik: x"}},
    )
    time.sleep(0.1)  # the check has begun
    assert client.at("completion", 5_000, 2)
    assert not client.kept, "it answers while it checks"
    assert client.at("hover", 1, 2) is not None
    assert [problem["code"] for problem in client.said(1)][-1] == "R102"
    assert len(client.ask("textDocument/documentSymbol", _document(client))) == 2_500


def test_malformed_messages_do_not_kill_it(client: Editor) -> None:
    client.open(_RIGHT)
    for data in (
        b"Content-Length: 3\r\n\r\n{]}",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Nonsense: here\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n[]",
    ):
        client.raw(data)
    deep = b"[" * 100_000
    client.raw(b"Content-Length: %d\r\n\r\n%s" % (len(deep), deep))
    client.send({"id": 9001, "method": "textDocument/hover", "params": {"textDocument": 5}})
    client.send({"id": 9002, "method": "no/such/method", "params": {}})
    client.tell(
        "textDocument/didChange", {"textDocument": {"uri": "file:///nowhere", "version": 1}, "contentChanges": []}
    )
    client.tell(
        "textDocument/didChange", {"textDocument": {"uri": "x:[", "version": 1}, "contentChanges": [{"text": ""}]}
    )
    client.tell(
        "textDocument/didOpen", {"textDocument": {"uri": "http://[", "languageId": "", "version": 1, "text": ""}}
    )

    assert "error" in client.until(lambda message: message.get("id") == 9002)
    client.last = 10_000
    assert client.at("hover", 400, 400) is None
    assert client.ask("textDocument/documentSymbol", {"textDocument": {"uri": "file:///not/open"}}) == []
    client.change(_WRONG, 2)
    assert len(client.said(2)) == 2


def test_it_ends_with_one_when_the_editor_did_not_say_goodbye(tmp_path: Path) -> None:
    with Editor(tmp_path) as client:
        client.start()
        client.tell("exit", None)

        assert client.ended() == 1


def test_it_ends_when_the_editor_goes_away(tmp_path: Path) -> None:
    with Editor(tmp_path) as client:
        assert client.process.stdin is not None
        client.process.stdin.close()

        assert client.ended() == 1


def test_without_pygls_it_says_what_to_install(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['pygls'] = None; import importlib.util as u; f = u.find_spec; "
    hide += "u.find_spec = lambda name, *a: None if name == 'pygls' else f(name, *a); "
    done = subprocess.run(
        (sys.executable, "-c", hide + _START[2], *_START[3:]), cwd=tmp_path, capture_output=True, text=True,
        env={"PYTHONPATH": str(ROOT)}, check=False, timeout=_PATIENCE_S,
    )  # fmt: skip

    assert done.returncode == 2
    assert "pip install 'assay-engine[editor]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_other_command_pays_for_it() -> None:
    program = (
        "import sys; from engine.cli.main import main; main(['rubric', '--help'])\n"
        "assert not {'pygls', 'lsprotocol', 'pygments', 'engine.rubric.editor'} & set(sys.modules)"
    )
    done = subprocess.run(
        (sys.executable, "-c", program), env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )

    assert done.returncode == 0, done.stderr
