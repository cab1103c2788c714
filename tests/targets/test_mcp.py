"""A tool of an MCP server as a target, with a real server on its standard input and output."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.errors import UsageError
from engine.model.calls import CallFailure
from engine.model.exchange import Hit, Turn
from engine.model.record import Failure
from engine.model.usage import UsageSource
from engine.targets import mcp as module
from engine.targets.mcp import Mcp
from tests.targets.asking import Pays, ask, failing, from_conf, surroundings

pytest.importorskip("mcp")

SERVER = """
import os, sys, time, atexit
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import EmbeddedResource, TextResourceContents
server = MCPServer("kitchen")
print("\\x1b[31mnoise on standard error", file=sys.stderr)

@server.tool()
def search(query: str) -> dict:
    return {"results": [{"id": "tea", "title": query, "score": 0.5}], "usd": 0.25}
@server.tool()
def say(query: str) -> str:
    return f"{query} {os.environ.get('MCP_KEY', 'no key')}"
@server.tool(structured_output=False)
def as_text(query: str) -> str:
    return '{"results": [{"id": "tea"}]}'
@server.tool()
def fails(query: str) -> str:
    raise ToolError("no index for " + os.environ.get("MCP_WORD", "?"))
@server.tool(structured_output=False)
def nothing(query: str) -> None:
    return None
@server.tool(structured_output=False)
def document(query: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri="file:///tea.md", text="Tea is brewed."))
@server.tool()
def slow(query: str) -> str:
    time.sleep(60)
    return ""
@server.tool()
def leaves(query: str) -> str:
    os._exit(3)

server.run()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("mcp.client.stdio.PROCESS_TERMINATION_TIMEOUT", 0.2)  # how long a server may take to end
    (tmp_path / "server.py").write_text(SERVER)
    return tmp_path


def tool(name: str, **more: Any) -> Mcp:
    return Mcp(command=(sys.executable, "server.py"), tool=name, **{"free": True, **more})


def refused(settings: Mcp, folder: Path) -> str:
    with pytest.raises(UsageError) as found, settings.open(surroundings(folder)):
        pass
    return str(found.value)


def test_one_server_answers_with_texts_hits_and_errors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One start for several promises: a server takes a second to start."""
    monkeypatch.setenv("MCP_SECRET", "very-secret-key")
    text = ask(tool("say", environment={"MCP_KEY": "env:MCP_SECRET"}), surroundings(folder))
    assert text.text == "How is tea brewed? [secret removed]"
    assert text.usage is not None
    assert text.usage.source is UsageSource.NOT_APPLICABLE

    read = {"hits": "$.results[*]", "title": "$.title", "score": "$.score", "cost_usd": "$.usd"}
    found = ask(tool("search", read=read, free=False), surroundings(folder))
    assert found.hits == (Hit(1, "tea", 0.5, "How is tea brewed?"),)
    assert found.cost is not None
    assert found.cost.micro_usd == 250_000


def test_a_text_that_is_json_is_read_too(folder: Path) -> None:
    assert ask(tool("as_text", read={"hits": "$.results[*]"}), surroundings(folder)).hits == (Hit(1, "tea"),)


def test_the_text_of_a_document_is_text_and_nothing_is_no_answer(folder: Path) -> None:
    assert ask(tool("document"), surroundings(folder)).text == "Tea is brewed."
    found = failing(tool("nothing"), surroundings(folder))
    assert found.failure is Failure.SCHEMA_INVALID
    assert "the tool returned no text" in str(found)


def test_a_tool_that_fails_and_a_server_that_leaves(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_PRIVATE", "very-private-word")
    found = failing(tool("fails", environment={"MCP_WORD": "env:MCP_PRIVATE"}), surroundings(folder))
    assert found.failure is Failure.TOOL_ERROR
    assert "the tool failed: " in str(found)
    assert "no index for [secret removed]" in str(found)
    with tool("leaves").open(surroundings(folder)) as target:
        for _ in range(2):
            with pytest.raises(CallFailure, match=r"the server .* has ended") as caught:
                asyncio.run(target.answer(Turn("?", "q"), (), Pays()))
            assert caught.value.failure is Failure.TOOL_ERROR
    assert "noise" not in capfd.readouterr().err


def test_an_unknown_tool_is_told_with_the_one_that_was_meant(folder: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"no tool serch; did you mean search\?"),
        tool("serch").open(surroundings(folder)),
    ):
        pass


def test_a_call_that_hangs_ends_with_its_trial_and_the_server_with_the_run(folder: Path) -> None:
    async def limited() -> None:
        with tool("slow").open(surroundings(folder)) as target, pytest.raises(TimeoutError):
            async with asyncio.timeout(1.2):
                await target.answer(Turn("?", "q"), (), Pays())

    started = time.perf_counter()
    asyncio.run(limited())
    assert time.perf_counter() - started < 9


def test_a_server_that_does_not_start_says_its_last_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_SECRET", "very-secret-key")
    (folder / "server.py").write_text(
        "import os, sys; print('\\x1b[31mno config for', os.environ['MCP_KEY'], file=sys.stderr); sys.exit(3)"
    )
    said = refused(tool("say", environment={"MCP_KEY": "env:MCP_SECRET"}), folder)
    assert "did not start" in said
    assert "its last words: \ufffdno config for [secret removed]" in said
    assert "FileNotFoundError" in refused(Mcp(command=("no-such-program-here",), tool="x", free=True), folder)


def test_a_server_that_hangs_or_prints_something_else_does_not_start(
    folder: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for body in ("time.sleep(60)", "print('\\x1b[31mgarbage', flush=True); time.sleep(60)"):
        (folder / "server.py").write_text(f"import time\nopen('began', 'w').close()\n{body}")
        began = time.perf_counter()
        assert "it was not ready after 0.5 seconds" in refused(tool("say", start_s=0.5), folder)
        assert time.perf_counter() - began < 8
    assert "garbage" not in "".join(capfd.readouterr())
    assert not [record for record in caplog.records if record.name.startswith("mcp")]


def test_what_must_be_there_before_anything_is_started(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="--allow-code"), tool("say").open(surroundings(folder, allow_code=False)):
        pass
    keyed = tool("say", environment={"A": "env:NOT_SET_ANYWHERE"})
    with pytest.raises(UsageError, match="NOT_SET_ANYWHERE is not set"), keyed.open(surroundings(folder)):
        pass
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"assay-engine\[mcp\]"), tool("say").open(surroundings(folder)):
        pass
    with pytest.raises(ValidationError, match=r"did you mean \{query\}"):
        tool("say", arguments={"q": "{qury}"})


def test_the_shipped_settings() -> None:
    shipped = from_conf("mcp")
    assert set(shipped) == set(Mcp.model_fields)
    assert not Mcp(**{**shipped, "command": ("a",), "tool": "t"}).free
