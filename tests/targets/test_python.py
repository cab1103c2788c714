"""A Python function as a target: how it is found, called and left, and what is made of what it returns."""

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UsageError
from engine.model.exchange import Answer, Exchange, Hit, Turn
from engine.model.query import Query
from engine.model.record import Failure
from engine.model.usage import CostStatus, UsageSource
from engine.targets.python import PythonFunction
from tests.targets.asking import Pays, ask, failing, from_conf, surroundings

CODE = """
import threading, time, asyncio
import neighbour

def text(question): return neighbour.PREFIX + question
async def later(question):
    await asyncio.sleep(0)
    return {"text": question, "usage": {"input": 3, "output": 4}, "cost_usd": "0.5", "model": "m"}
def hits(question): return {"hits": ({"source": "a", "score": 1.5}, {"source": "b"})}
def talks(question, history): return f"{len(history)}: {history[0]['content']}"
def limited(question, limit=3): return str(limit)
def thread(question): return str(threading.current_thread() is threading.main_thread())
def fails(question): raise KeyError("no \\x1b[31mindex")
async def fails_later(question): raise ValueError("two\\nlines")
def leaves(question): raise SystemExit(3)
def stops(question): raise StopIteration
def number(question): return 7
def odd(question): return {"txt": "x"}
def wrong(question): return {"hits": [{"title": "x"}]}
def shows(question): import os; return "the key is " + os.environ["SHOP_API_KEY"]
def hangs(question): time.sleep(60)
async def hangs_later(question): await asyncio.sleep(60)
def two(question, more): return ""
class Engine:
    async def __call__(self, question): return "called " + question
    def ask(self, question): return "method"
engine = Engine()
VALUE = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_code.py").write_text(CODE)
    (tmp_path / "neighbour.py").write_text("PREFIX = 'said '")
    return tmp_path


def function(name: str, **more: Any) -> PythonFunction:
    return PythonFunction(call=f"my_code:{name}", **{"free": True, **more})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("text", "said How is tea brewed?"),
        ("limited", "3"),
        ("thread", "False"),
        ("engine", "called How is tea brewed?"),
        ("engine.ask", "method"),
    ],
)
def test_a_function_answers(folder: Path, name: str, text: str) -> None:
    answer = ask(function(name), surroundings(folder))
    assert answer.text == text
    assert answer.usage is not None
    assert answer.usage.source is UsageSource.NOT_APPLICABLE
    assert answer.cost is not None
    assert answer.cost.status is CostStatus.DECLARED_FREE


def test_an_async_function_may_say_what_it_cost(folder: Path) -> None:
    answer = ask(function("later", free=False), surroundings(folder))
    assert answer.usage is not None
    assert (answer.usage.input_total, answer.usage.output_total) == (3, 4)
    assert answer.cost is not None
    assert answer.cost.micro_usd == 500_000
    assert answer.model == "m"


def test_a_secret_of_the_environment_is_no_part_of_an_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "hunter2-hunter2")
    assert ask(function("shows"), surroundings(folder)).text == "the key is [secret removed]"


def test_hits(folder: Path) -> None:
    assert ask(function("hits"), surroundings(folder)).hits == (Hit(1, "a", 1.5), Hit(2, "b"))


def test_history_goes_to_a_parameter_of_that_name(folder: Path) -> None:
    before = Exchange(Query("q-0", "Hi", "", ""), Turn("Hi", "q-0"), Answer(text="Hello"))
    assert ask(function("talks"), surroundings(folder), (before,)).text == "2: Hi"


@pytest.mark.parametrize("declared", [None, 0.25])
def test_what_nobody_says_is_not_known(folder: Path, declared: float | None) -> None:
    calls = Pays()
    answer = ask(function("text", free=False, cost_per_request_usd=declared), surroundings(folder), calls=calls)
    assert answer.cost is not None
    assert answer.cost.micro_usd == calls.calls[0].most == (None if declared is None else 250_000)


@pytest.mark.parametrize(
    ("name", "failure", "said"),
    [
        ("fails", Failure.TOOL_ERROR, "my_code:fails raised KeyError: 'no \\x1b[31mindex' (my_code.py:13)"),
        ("fails_later", Failure.TOOL_ERROR, "raised ValueError: two lines (my_code.py:14)"),
        ("leaves", Failure.TOOL_ERROR, "it wants to end the program: 3"),
        ("stops", Failure.TOOL_ERROR, "StopIteration"),
        ("number", Failure.SCHEMA_INVALID, "is expected, not int"),
        ("odd", Failure.SCHEMA_INVALID, 'not {txt: "x"}'),
        ("wrong", Failure.SCHEMA_INVALID, "hits[0] must be a source"),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(folder: Path, name: str, failure: Failure, said: str) -> None:
    found = failing(function(name), surroundings(folder))
    assert found.failure is failure
    assert said in str(found)
    assert "\n" not in str(found)
    assert "\x1b" not in str(found)


@pytest.mark.parametrize("name", ["hangs", "hangs_later"])
def test_a_function_that_never_returns_ends_with_the_time_of_its_trial(folder: Path, name: str) -> None:
    async def limited() -> None:
        with function(name).open(surroundings(folder)) as target, pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await target.answer(Turn("?", "q"), (), Pays())

    started = time.perf_counter()
    asyncio.run(limited())
    assert time.perf_counter() - started < 5
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "target")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("my_cod:text", "there is no module my_cod\n  → did you mean my_code?"),
        ("my_code:txt", "my_code has no txt\n  → did you mean text?"),
        ("my_code:VALUE", "is no function, it is int"),
        ("my_code:two", "cannot be called with one question"),
        ("broken:x", "importing broken failed: ZeroDivisionError: division by zero (broken.py:2)"),
        ("needs:x", "No module named 'not_there_at_all' (needs.py:1)"),
        ("bad:x", "importing bad failed: SyntaxError"),
        ("leaver:x", "importing leaver failed: SystemExit"),
        ("json:x", "json in the workspace has the name of another module"),
    ],
)
def test_code_that_cannot_be_used_is_told_before_anything_is_asked(folder: Path, call: str, said: str) -> None:
    (folder / "broken.py").write_text("x = 1\n1 / 0")
    (folder / "needs.py").write_text("import not_there_at_all")
    (folder / "bad.py").write_text("def x(:")
    (folder / "leaver.py").write_text("raise SystemExit(2)")
    (folder / "json.py").write_text("x = print")
    with pytest.raises(UsageError) as caught, PythonFunction(call=call).open(surroundings(folder)):
        pass
    assert said in str(caught.value)
    assert "target.call" in str(caught.value)


def test_code_runs_only_when_it_is_allowed(folder: Path) -> None:
    (folder / "my_code.py").write_text("raise AssertionError('it ran')")
    with (
        pytest.raises(UsageError, match="--allow-code"),
        function("text").open(surroundings(folder, allow_code=False)),
    ):
        pass


@pytest.mark.parametrize("call", ["my_code", "my_code:", "my code:x", "../x:y", "os.system", "a:b()"])
def test_only_names_are_names(call: str) -> None:
    with pytest.raises(ValueError, match="module:name"):
        PythonFunction(call=call)


def test_the_path_is_given_back_and_two_workspaces_have_their_own_code(folder: Path, tmp_path_factory: Any) -> None:
    path, modules = list(sys.path), set(sys.modules)
    assert ask(function("text"), surroundings(folder)).text == "said How is tea brewed?"
    assert sys.path == path
    assert not {"my_code", "neighbour"} & (set(sys.modules) - modules)
    other = tmp_path_factory.mktemp("other")
    (other / "my_code.py").write_text("def text(question): return 'other'")
    assert ask(function("text"), surroundings(other)).text == "other"


def test_the_shipped_settings(folder: Path) -> None:
    shipped = from_conf("python")
    assert set(shipped) == set(PythonFunction.model_fields)
    assert ask(PythonFunction(**{**shipped, "call": "my_code:text"}), surroundings(folder)).text
