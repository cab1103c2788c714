"""`assay target check`: one live call, and a sentence with a next step for whatever can go wrong."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.loopback import Loopback, serving
from tests.workspaces import assay, workspace

KEY = "s3cret-key-of-a-person"


@pytest.fixture(scope="module")
def loopback() -> Iterator[Loopback]:
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHECK_KEY", KEY)
    return workspace(tmp_path)


def check(folder: Path, base: str, *words: str, kind: str = "openai_chat", ask: str = "What is Q7?") -> tuple[int, str]:
    """The exit code and everything that was printed."""
    usual = {
        "target": kind,
        "target.model": "loopback",
        "target.url": base,
        "target.local": "true",
        "target.key": "env:CHECK_KEY",
        "target.price": "{input: 1.0, output: 4.0}",
    }
    given = dict(word.split("=", 1) for word in words)
    overrides = [f"{name}={value}" for name, value in {**usual, **given}.items()]
    done = assay(folder, "target", "check", *overrides, "--ask", ask)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("openai_chat", "/v1"),
        ("openai_responses", "/v1"),
        ("anthropic", ""),
        ("ollama", ""),
        ("azure", "/openai/v1"),
        ("vllm", "/v1"),
    ],
)
def test_what_came_back_is_shown(folder: Path, loopback: Loopback, kind: str, path: str) -> None:
    before = loopback.stats()["charged"]

    code, printed = check(folder, loopback.url(key=KEY) + path, "target.stream=true", "target.free=false", kind=kind)

    assert code == 0, printed
    for line in (
        f"target    {kind}, url {loopback.url(key=KEY)}{path}, model loopback",
        'asked     "What is Q7?"',
        'text      "The answer is A49."',
        "tools     none was called",
        f"model     loopback{'-2026-01-01' if kind == 'azure' else ''}, as it names itself",
        "usage     tokens: 3 read, 5 written; as the answer tells",
        "cost      $0.000023, as the settings say",
        f"it answers; run it: assay run target={kind} target.model=loopback",
    ):
        assert line in printed
    assert re.search(r"answered  in \d+\.\d\d s, its first word after \d+\.\d\d s", printed)
    assert loopback.stats()["charged"] == int(str(before)) + 1
    assert not (folder / "runs").exists()


AGENT = """\
kind: http_json
local: true
body: {query: '{query}'}
read:
  text: $.answer
  hits: $.retrieved[*]
  title: $.title
  citations: $.citations[*].id
  tool_calls: $.tool_calls[*]
  input_tokens: $.usage.prompt_tokens
  output_tokens: $.usage.completion_tokens
  cost_usd: $.cost_usd
  model: $.model
"""


def test_an_agent_of_ones_own_is_shown(tmp_path: Path, loopback: Loopback) -> None:
    folder = workspace(tmp_path, {"conf/target/agent.yaml": f"{AGENT}url: {loopback.url()}/agent\n"})

    done = assay(folder, "target", "check", "target=agent", "--ask", "how to brew tea")

    assert done.returncode == 0, done.stderr
    for line in (
        'text      "Pour water of ninety degrees over the leaves',
        "hits      2\n  → 1. tea  How to brew tea\n",
        "citations tea\n",
        "tools     search(query=how to brew tea, limit=3)\n",
        "model     loopback-agent, as it names itself\n",
        "as the answer tells\n",
    ):
        assert line in done.stdout
    lost = assay(folder, "target", "check", "target=agent", "target.read.text=$.reply", "--ask", "how to brew tea")
    assert lost.returncode == 4
    assert "nothing at $.reply" in lost.stdout
    assert "answer: " in lost.stdout  # what it has instead
    assert "do the paths in target.read fit what comes back" in lost.stdout


def test_code_of_ones_own_runs_only_when_it_may(tmp_path: Path) -> None:
    files = {
        "conf/target/mine.yaml": "kind: python\ncall: mine:ask\nfree: true\n",
        "mine.py": "def ask(question):\n    open('ran', 'w').close()\n    return question.upper()\n",
    }
    folder = workspace(tmp_path, files)

    refused = assay(folder, "target", "check", "target=mine")

    assert (refused.returncode, "add --allow-code" in refused.stderr) == (2, True)
    assert not (folder / "ran").exists()
    done = assay(folder, "target", "check", "target=mine", "--allow-code", "--ask", "why")
    assert (done.returncode, 'text      "WHY"' in done.stdout) == (0, True), done.stderr
    assert done.stdout.splitlines()[-1].endswith("run it: assay run target=mine --allow-code")


def test_the_first_query_is_asked_and_hits_are_shown(folder: Path) -> None:
    done = assay(folder, "target", "check", "target=python_docs")

    assert done.returncode == 0, done.stderr
    assert 'asked     "how does with work"' in done.stdout
    assert re.search(r"→ 1\. \[\d+\.\d\d\] \S+", done.stdout)
    assert "cost" not in done.stdout
    assert done.stdout.splitlines()[-1].endswith("it answers; run it: assay run target=python_docs")


class Trouble(NamedTuple):
    """How the server behaves, further settings, and what is told."""

    words: tuple[str, ...]
    values: dict[str, object]
    more: tuple[str, ...]
    code: int
    said: str
    step: str


TROUBLES = (
    Trouble(
        (),
        {"key": "other"},
        (),
        4,
        "unauthorized: status 401: the key was refused",
        "is the key in CHECK_KEY one for",
    ),
    Trouble(
        ("e403",), {}, (), 4, "unauthorized: status 403: the key may not do this", "is the key in CHECK_KEY one for"
    ),
    Trouble((), {"key": "other"}, ("target.key=null",), 4, "status 401", "it wants a key: export NAME=…"),
    Trouble((), {}, ("target.key=env:CHECK_KEI",), 2, "variable CHECK_KEI is not set", "export CHECK_KEI="),
    Trouble(
        (), {}, ("target.model=missing",), 4, "The model `missing` does not exist", "target.model what it is called"
    ),
    Trouble(
        (), {"to": "http://elsewhere.example/v1"}, (), 4, "it points to elsewhere.example", "write its address into"
    ),
    Trouble(("e429",), {"retry": 3}, (), 4, "rate_limited: status 429", "wait 3 seconds, or ask less often"),
    Trouble(
        ("e400",), {}, (), 4, "provider_error: status 400: the request was refused", "a setting that is null is left"
    ),
    Trouble(("e503",), {}, (), 4, "provider_error: status 503: the other side failed", "try again later"),
    Trouble(("html",), {}, (), 4, "schema_invalid: the reply is a web page", "does target.url lead to"),
    Trouble(("never",), {}, ("target.read_s=0.1",), 4, "timeout: ", "target.read_s, target.total_s and timeout_s"),
    Trouble(("never",), {}, ("timeout_s=0.3",), 4, "no answer within 0.3 seconds", "it may have been charged"),
    Trouble(("close",), {}, (), 4, "transport: ", "try again; if it stays so"),
    Trouble((), {"usage": "none"}, (), 5, "usage     not known: no usage in the answer", "cost_allow_unknown=true"),
    Trouble(
        (), {}, ("target.price=null",), 5, "cost      not known, because its price is not", "'target.price={input: 0.15"
    ),
    Trouble((), {}, ("cost_limit_usd=0",), 5, "nothing was asked: the limit of $0.00", ""),
)


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.said[:30])
def test_a_failure_has_a_next_step(folder: Path, loopback: Loopback, trouble: Trouble) -> None:
    url = loopback.url(*trouble.words, **trouble.values)

    found, printed = check(folder, f"{url}/v1", *trouble.more)

    assert found == trouble.code, printed
    assert trouble.said in printed
    assert trouble.step in printed
    assert KEY not in printed
    assert "Traceback" not in printed


def test_a_wrong_address_is_told(folder: Path, loopback: Loopback) -> None:
    code, printed = check(folder, loopback.origin + "/apis")
    assert (code, "status 404: there is nothing at this address" in printed) == (4, True)
    assert "is target.url right, up to its version" in printed
    with serving() as gone:
        address = gone.url()
    code, printed = check(folder, address)
    assert (code, "nothing listens there (refused)" in printed) == (4, True)
    assert f"does something listen there? It is {address}" in printed
    assert "charged" not in printed
    code, printed = check(folder, "http://169.254.169.254/v1")
    assert (code, "is never reached" in printed) == (2, True)
    code, printed = check(folder, "http://127.0.0.1:1/v1", "target.local=false")
    assert (code, "say local: true" in printed) == (2, True)


def test_the_judge_is_not_asked_and_needs_no_key(folder: Path, loopback: Loopback) -> None:
    judge = ("judge=openai_chat", "judge.model=m", "judge.key=env:NOT_SET_ANYWHERE")

    code, printed = check(folder, loopback.url() + "/v1", *judge)

    assert code == 0, printed


def test_what_came_back_is_harmless_and_short(folder: Path, loopback: Loopback) -> None:
    nasty = "\x1b]0;title\x07::error:: \x1b[31mred\u202e " + "long " * 500
    code, printed = check(folder, loopback.url(say=nasty, model="\x1b[2Jm") + "/v1", ask="\x1b[2Jq\n::add-mask::x")

    assert code == 0, printed
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", printed)
    assert not re.search(r"^(::|##\[)", printed, re.MULTILINE)
    assert max(map(len, printed.splitlines()[:-1])) < 600  # the last line is the command as it was typed


def test_an_echoed_key_is_not_shown(folder: Path, loopback: Loopback) -> None:
    for words in (("echo",), ("echo", "e401"), ("echo", "e500")):
        _, printed = check(folder, loopback.url(*words) + "/v1")
        assert "authorization" in printed
        assert KEY not in printed


def test_a_slip_of_the_finger_is_told_before_anything_is_asked(folder: Path, loopback: Loopback) -> None:
    before = loopback.stats()["requests"]

    for words in (("target=openai_chta",), ("target.ulr=x",), ("target.key=sk-123456789012345678901234",)):
        code, printed = check(folder, loopback.url() + "/v1", *words)
        assert code == 2, printed
        assert re.search("did you mean|environment variable", printed, re.IGNORECASE), printed
    assert loopback.stats()["requests"] == before
    done = assay(folder, "target", "chek")
    assert (done.returncode, "did you mean check?" in done.stderr) == (2, True)
