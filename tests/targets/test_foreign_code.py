"""Foreign code in this process: it may do anything but stop the run, keep it from ending, or tell a secret."""

import asyncio
import importlib
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.errors import UsageError
from engine.execute.budget import Budget, Guard
from engine.execute.paying import Payer
from engine.model.calls import CallFailure, Ended, GuardStop
from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.query import Query
from engine.model.record import Failure
from engine.model.target import Surroundings
from engine.model.usage import CostBasis, CostStatus, UsageSource
from engine.targets.python import PythonFunction, PythonTarget
from tests.doubles import JustCalls, NoNetwork, Remembers
from tests.workspaces import ROOT


def _surroundings(folder: Path, *, allow: bool = True) -> Surroundings:
    return Surroundings(folder, folder / ".assay", folder / "runs", lambda _: None, NoNetwork(), allow_code=allow)


@contextmanager
def _opened(folder: Path, code: str, call: str = "shop:answer", **settings: Any) -> Iterator[PythonTarget]:
    (folder / "shop.py").write_text(textwrap.dedent(code), "utf-8")
    values = {"call": call, "free": True, **settings}
    with PythonFunction.model_validate(values).open(_surroundings(folder)) as target:
        yield target


def _ask(target: PythonTarget, say: str = "Where?", history: tuple[Exchange, ...] = ()) -> Answer:
    return asyncio.run(target.answer(Turn(say, "q"), history, JustCalls()))


def _answered(folder: Path, code: str, **settings: Any) -> Answer:
    with _opened(folder, code, **settings) as target:
        return _ask(target)


def _failed(folder: Path, code: str, **settings: Any) -> CallFailure:
    with _opened(folder, code, **settings) as target, pytest.raises(CallFailure) as raised:
        _ask(target)
    return raised.value


def _refused(folder: Path, code: str, call: str = "shop:answer") -> str:
    with pytest.raises(UsageError) as raised, _opened(folder, code, call):
        pass
    return str(raised.value)


# What is answered


@pytest.mark.parametrize(
    "function",
    [
        "def answer(question): return question.upper()",
        "async def answer(question): return question.upper()",
        "answer = lambda question: question.upper()",
        "class Bot:\n  def __call__(self, question): return question.upper()\nanswer = Bot()",
        "class Bot:\n  async def __call__(self, question): return question.upper()\nanswer = Bot()",
        "async def real(question): return question.upper()\ndef answer(question): return real(question)",
        "import functools\nasync def real(mark, q): return q.upper()\nanswer = functools.partial(real, 1)",
    ],
)
def test_text_from_every_kind_of_function(tmp_path: Path, function: str) -> None:
    answer = _answered(tmp_path, function)

    assert answer.text == "WHERE?"
    assert answer.hits is None
    assert 0 < answer.latency_s["answer"] < 1


def test_a_whole_answer_with_what_it_cost(tmp_path: Path) -> None:
    code = """
        def answer(question):
            return {
                "text": "In the shop.", "hits": ({"source": "a.md", "title": "A", "snippet": "s", "score": 2}, "b.md"),
                "citations": ["a.md"], "tool_calls": [{"name": "look", "arguments": {"in": "shop"}}],
                "numbers": {"steps": 3}, "usage": {"input": 120, "output": 40}, "cost_usd": 0.0004, "model": "small-1",
            }
    """
    answer = _answered(tmp_path, code, free=False)

    assert answer.text == "In the shop."
    assert answer.hits == (Hit(1, "a.md", 2, "A", "s"), Hit(2, "b.md"))
    assert (answer.citations, answer.tool_calls) == (("a.md",), (ToolCall("look", {"in": "shop"}),))
    assert answer.numbers == {"steps": 3}
    assert answer.usage is not None
    assert (answer.usage.input_total, answer.usage.output_total) == (120, 40)
    assert answer.cost is not None
    assert (answer.cost.micro_usd, answer.cost.basis) == (400, CostBasis.PROVIDER)
    assert answer.model == "small-1"


def test_a_list_is_a_list_of_hits_and_numbers_of_another_library_are_numbers(tmp_path: Path) -> None:
    code = """
        from decimal import Decimal
        from fractions import Fraction
        def answer(question): return [{"source": "a", "score": Fraction(1, 4)}]
    """
    assert _answered(tmp_path, code).hits == (Hit(1, "a", 0.25),)


def test_the_turns_before_are_handed_over_as_messages(tmp_path: Path) -> None:
    before = Exchange(Query("q", "Where?", "fact", "places"), Turn("Where?", "q"), Answer(text="There."))
    with _opened(tmp_path, "def answer(question, history): return repr(history)") as target:
        first, second = _ask(target), _ask(target, "When?", (before,))

    assert first.text == "[]"
    assert second.text == str([{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "There."}])


def test_what_it_is_tells_one_version_of_the_code_from_another(tmp_path: Path) -> None:
    with _opened(tmp_path, "def answer(question): return 'one'") as target:
        one = dict(target.identity)
    with _opened(tmp_path, "def answer(question): return 'two'") as target:
        two = dict(target.identity)
        assert _ask(target).text == "two"

    assert (one["kind"], one["call"]) == ("python", "shop:answer")
    assert one["code_sha256"] != two["code_sha256"]


# What it costs


@pytest.mark.parametrize(
    ("settings", "returned", "most", "cost"),
    [
        ({"free": True}, "'x'", 0, (0, CostStatus.DECLARED_FREE)),
        ({"free": False, "cost_per_request_usd": 0.002}, "'x'", 2000, (2000, CostStatus.KNOWN)),
        (
            {"free": False, "cost_per_request_usd": 0.002},
            "{'text': 'x', 'cost_usd': 0.001}",
            2000,
            (1000, CostStatus.KNOWN),
        ),
        ({"free": False}, "{'text': 'x', 'cost_usd': 0.001}", None, (1000, CostStatus.KNOWN)),
        ({"free": False}, "{'text': 'x', 'cost_usd': -1}", None, (None, CostStatus.UNKNOWN_USAGE)),
        ({"free": False}, "{'text': 'x', 'cost_usd': True}", None, (None, CostStatus.UNKNOWN_USAGE)),
        ({"free": False}, "'x'", None, (None, CostStatus.UNKNOWN_USAGE)),
    ],
)
def test_a_cost_is_declared_or_told_or_not_known(
    tmp_path: Path, settings: dict[str, Any], returned: str, most: int | None, cost: tuple[int | None, CostStatus]
) -> None:
    with _opened(tmp_path, f"def answer(question): return {returned}", **settings) as target:
        calls = JustCalls()
        answer = asyncio.run(target.answer(Turn("?", "q"), (), calls))

        assert target.most(Turn("?", "q")) == most
    assert calls.made == [("target", most)]
    assert answer.cost is not None
    assert (answer.cost.micro_usd, answer.cost.status) == cost


def test_a_run_stops_after_an_answer_whose_cost_nobody_knows(tmp_path: Path) -> None:
    with _opened(tmp_path, "def answer(question): return 'x'", free=False) as target:
        payer = Payer(Budget(Guard(1_000_000)), Remembers())

        async def twice() -> None:
            await target.answer(Turn("?", "1"), (), payer.trial("1"))
            with pytest.raises(GuardStop):
                await target.answer(Turn("?", "2"), (), payer.trial("2"))

        asyncio.run(twice())


def test_what_was_paid_for_is_answered_again_without_a_call(tmp_path: Path) -> None:
    code = """
        made = []
        def answer(question):
            made.append(question)
            assert len(made) == 1
            return {"hits": ["a", "a", "b"], "text": "x", "cost_usd": 0.5, "usage": {"input": 1, "output": 2}}
    """
    with _opened(tmp_path, code, free=False) as target:
        ledger = Remembers()
        first = asyncio.run(target.answer(Turn("?", "q"), (), Payer(Budget(), ledger).trial("t")))
        ended = ledger.lines[-1]
        assert isinstance(ended, Ended)
        payer = Payer(Budget(), Remembers(), {("t", "target", 1): ended})
        again = asyncio.run(target.answer(Turn("?", "q"), (), payer.trial("t")))

    assert again == first
    assert again.notes == ("dropped 1 hit returned before: a",)


# What goes wrong


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_an_exception_is_a_failed_trial_with_its_type_and_place_in_one_line(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "hunter2-hunter2")
    code = f"""
        import os
        {kind} answer(question):
            raise ValueError("no such page\\n\\x1b[31m" + os.environ["SHOP_TOKEN"] + " sk-abcdefghijklmnop1234")
    """
    error = _failed(tmp_path, code)

    assert error.failure is Failure.TOOL_ERROR
    assert str(error).startswith("shop:answer raised ValueError: no such page")
    assert str(error).endswith("(shop.py:4)")
    assert "\n" not in str(error)
    assert "\x1b" not in str(error)
    assert "hunter2" not in str(error)
    assert "sk-abc" not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(
    ("raised", "failure", "said"),
    [
        ("TimeoutError('slow')", Failure.TIMEOUT, "TimeoutError: slow"),
        ("ConnectionRefusedError('down')", Failure.TRANSPORT, "ConnectionRefusedError: down"),
        ("SystemExit(3)", Failure.TOOL_ERROR, "SystemExit: it wants to end the program: 3"),
        ("KeyboardInterrupt()", Failure.TOOL_ERROR, "KeyboardInterrupt"),
        ("asyncio.CancelledError()", Failure.TOOL_ERROR, "ancelled"),
        ("Evil()", Failure.TOOL_ERROR, "Evil"),
    ],
)
def test_nothing_that_is_raised_stops_the_run(
    tmp_path: Path, kind: str, raised: str, failure: Failure, said: str
) -> None:
    code = f"""
        import asyncio
        class Evil(BaseException):
            def __str__(self): raise RuntimeError("not even this")
        {kind} answer(question):
            if question != "again":
                raise {raised}
            return "still here"
    """
    with _opened(tmp_path, code) as target:
        with pytest.raises(CallFailure) as found:
            _ask(target)
        assert _ask(target, "again").text == "still here"

    assert found.value.failure is failure
    assert said in str(found.value)


@pytest.mark.parametrize(
    "function",
    [
        "def answer(question): return next(iter(()))",
        "import asyncio\nasync def answer(question): return await asyncio.to_thread(next, iter(()))",
    ],
)
def test_a_stop_iteration_is_not_lost(tmp_path: Path, function: str) -> None:
    async def limited(target: PythonTarget) -> None:
        async with asyncio.timeout(2):
            await target.answer(Turn("?", "q"), (), JustCalls())

    with _opened(tmp_path, function) as target, pytest.raises(CallFailure, match="StopIteration"):
        asyncio.run(limited(target))


def test_of_a_group_of_exceptions_the_first_is_told(tmp_path: Path) -> None:
    error = _failed(tmp_path, "def answer(question): raise ExceptionGroup('several', [ValueError('the reason')])")
    assert "ValueError: the reason" in str(error)


def test_a_type_that_raises_when_it_is_looked_at_is_a_failed_trial(tmp_path: Path) -> None:
    code = """
        class Odd(dict):
            def items(self): raise RuntimeError("not now")
        def answer(question): return Odd(text="x")
    """
    assert "RuntimeError: not now" in str(_failed(tmp_path, code))


def test_threads_that_never_come_back_do_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.targets.own_loop._MOST_THREADS", 2)
    code = "import threading\ngo_on = threading.Event()\ndef answer(question): go_on.wait(30); return 'x'"

    async def limited(target: PythonTarget) -> None:
        async with asyncio.timeout(0.05):
            await target.answer(Turn("?", "q"), (), JustCalls())

    with _opened(tmp_path, code) as target:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                asyncio.run(limited(target))
        with pytest.raises(CallFailure, match="2 earlier calls have not come back"):
            asyncio.run(limited(target))
        sys.modules["shop"].go_on.set()


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("None", "is expected, not NoneType"),
        ("7", "is expected, not int"),
        ("object()", "of a type that cannot be kept: object"),
        ("{'answer': 'x'}", 'not {answer: "x"}'),
        ("{'texts': 'x'}", "did you mean text?"),
        ("{}", "not {}"),
        ("{'text': 7}", "text must be text"),
        ("{'hits': [{'id': 'a'}]}", "hits[0] must be a source"),
        ("{'hits': [{'source': 'a', 'score': float('nan')}]}", "the answer.hits[0].score is no finite number"),
        ("{'numbers': {'n': 10**400}}", "is no finite number"),
        ("{1: 'x'}", "a name that is no text"),
        ("loop", "nested too deep"),
        ("(x for x in 'ab')", "of a type that cannot be kept: generator"),
    ],
)
def test_what_is_no_answer_says_what_it_should_be(tmp_path: Path, returned: str, said: str) -> None:
    code = f"""
        loop = []
        loop.append(loop)
        def answer(question): return {returned}
    """
    error = _failed(tmp_path, code)

    assert error.failure is Failure.SCHEMA_INVALID
    assert said in str(error)


def test_what_failed_may_have_cost_something(tmp_path: Path) -> None:
    broken = "def answer(question): raise ValueError"
    free, declared, unknown = (
        _failed(tmp_path, broken, **settings)
        for settings in ({}, {"free": False, "cost_per_request_usd": 0.1}, {"free": False})
    )

    assert [failure.spent and failure.spent[1].micro_usd for failure in (free, declared, unknown)] == [0, 100_000, None]
    told = _failed(tmp_path, "def answer(question): return {'text': 7, 'cost_usd': 0.25}", free=False)
    assert told.spent is not None
    assert told.spent[1].micro_usd == 250_000
    assert unknown.spent is not None
    assert unknown.spent[0].source is UsageSource.MISSING


# F85: calls that never return


@pytest.mark.parametrize(
    "function",
    [
        "def answer(question): hang(question)",
        "async def answer(question): hang(question)",
        "async def answer(question):\n    if question == 'hang': await asyncio.sleep(3600)\n    return 'x'",
        "async def answer(question):\n    await asyncio.to_thread(hang, question)\n    return 'x'",
        (
            "async def answer(question):\n"
            "    while question == 'hang':\n"
            "        try: await asyncio.sleep(3600)\n"
            "        except asyncio.CancelledError: pass\n"
            "    return 'x'"
        ),
    ],
    ids=["sync", "async-that-blocks", "async", "thread-of-its-own", "does-not-listen"],
)
def test_a_call_that_never_returns_ends_by_the_time_limit_and_the_process_can_end(
    tmp_path: Path, function: str
) -> None:
    """F85. In a process of its own: its end is what is looked at."""
    hang = "def hang(question):\n    if question == 'hang': time.sleep(3600)\n    return 'x'\n"
    (tmp_path / "shop.py").write_text(f"import asyncio, time\n{hang}{function}\n")
    script = """
import asyncio, time
from pathlib import Path
from engine.model.exchange import Turn
from tests.doubles import JustCalls
from tests.targets.test_foreign_code import _surroundings
from engine.targets.python import PythonFunction

async def main():
    async def limited(say):
        try:
            async with asyncio.timeout(0.2):
                return await target.answer(Turn(say, "q"), (), JustCalls())
        except TimeoutError:
            return "timeout"
    return (await asyncio.gather(limited("hang"), limited("hang")))

with PythonFunction(call="shop:answer", free=True).open(_surroundings(Path.cwd())) as target:
    started = time.perf_counter()
    print(asyncio.run(main()), time.perf_counter() - started < 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "['timeout', 'timeout'] True\n"), done.stderr
    assert done.stderr == ""


def test_a_function_that_blocks_holds_up_no_other(tmp_path: Path) -> None:
    code = """
        import time
        def answer(question):
            time.sleep(0.2)
            return question
    """
    with _opened(tmp_path, code) as target:

        async def eight() -> list[Answer]:
            return await asyncio.gather(*(target.answer(Turn(str(n), "q"), (), JustCalls()) for n in range(8)))

        started = time.perf_counter()
        texts = [answer.text for answer in asyncio.run(eight())]

    assert texts == [str(n) for n in range(8)]
    assert time.perf_counter() - started < 1


def test_an_async_function_keeps_its_loop_from_one_call_to_the_next(tmp_path: Path) -> None:
    """A client that was opened in the first call can be used in the second, though the engine's loop is another."""
    code = """
        import asyncio
        loops = set()
        async def answer(question):
            loops.add(asyncio.get_running_loop())
            return f"{len(loops)}"
    """
    with _opened(tmp_path, code) as target:
        assert [_ask(target).text, _ask(target).text] == ["1", "1"]


def test_no_loop_is_left_behind(tmp_path: Path) -> None:
    _answered(tmp_path, "def answer(question): return 'x'")
    _answered(
        tmp_path, "import asyncio\nasync def answer(question):\n    asyncio.create_task(asyncio.sleep(9)); return 'x'"
    )

    assert "assay-target" not in {thread.name for thread in threading.enumerate()}


# What is refused before anything is asked


def test_nothing_is_imported_without_permission(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()")
    with pytest.raises(UsageError, match="--allow-code"):
        PythonFunction(call="shop:answer", free=True).open(_surroundings(tmp_path, allow=False)).__enter__()

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("code", "call", "said"),
    [
        ("", "shpo:answer", "did you mean shop?"),
        ("", "nothing_like_it:answer", "put its file into the workspace, or install its package"),
        ("def answers(question): ...", "shop:answer", "did you mean answers?"),
        ("x = 1", "shop:answer", "shop has no answer"),
        ("answer = 7", "shop:answer", "is no function, it is int"),
        ("class answer: ...", "shop:answer", "is a class"),
        ("def answer(): ...", "shop:answer", "cannot be called with one question"),
        ("def answer(question, index): ...", "shop:answer", "missing a required argument: 'index'"),
        ("1 +", "shop:answer", "SyntaxError: invalid syntax (shop.py, line 1) (shop.py:1)"),
        ("import not_installed_here", "shop:answer", "No module named 'not_installed_here' (shop.py:1)"),
        ("\nraise SystemExit(1)", "shop:answer", "SystemExit: it wants to end the program: 1 (shop.py:2)"),
        ("", "json:answer", "json has no answer"),
    ],
)
def test_a_mistake_is_told_before_anything_is_asked(tmp_path: Path, code: str, call: str, said: str) -> None:
    assert said in _refused(tmp_path, code, call)


def test_a_file_with_the_name_of_another_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("def answer(question): return 'mine'")

    assert "give the file another name" in _refused(tmp_path, "", "json:answer")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("shop.py:answer", "such as shop:answer"),
        ("./shop.py", "such as shop:answer"),
        ("shop.search.answer", "such as shop.search:answer"),
        ("shop", "such as shop:answer"),
        ("shop:__import__('os')", "such as my_app:answer"),
        ("shop:a b", "such as my_app:answer"),
        ("", "such as my_app:answer"),
    ],
)
def test_a_name_of_another_form_says_how_it_is_written(call: str, said: str) -> None:
    with pytest.raises(ValidationError, match="module:name") as raised:
        PythonFunction(call=call)
    assert said in str(raised.value)


def test_free_and_a_price_contradict_each_other() -> None:
    with pytest.raises(ValidationError, match="contradict"):
        PythonFunction(call="shop:answer", free=True, cost_per_request_usd=0.1)


# Modules


def test_the_path_is_put_back_and_the_modules_of_a_workspace_are_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "lib").mkdir(parents=True)
    two.mkdir()
    (one / "lib" / "__init__.py").write_text("def word(): return 'one'")
    (two / "lib.py").write_text("def word(): return 'two'")
    code = """
        import sys
        def answer(question):
            import lib  # only now: the workspace can still be imported from
            return lib.word()
        sys.path.insert(0, "somewhere")
    """
    path, modules = [*sys.path], {*sys.modules}
    assert [_answered(folder, code).text for folder in (one, two)] == ["one", "two"]

    assert sys.path == path
    assert not {"lib", "shop"} & {*sys.modules} - modules
    assert not [*tmp_path.rglob("shop*.pyc")]  # within a second it would be taken for what was edited since
    assert "engine.targets.python" in sys.modules


def test_the_path_is_put_back_after_a_failure_too(tmp_path: Path) -> None:
    path = [*sys.path]
    _refused(tmp_path, "raise ValueError")

    assert sys.path == path
    assert "shop" not in sys.modules


def test_a_module_that_was_there_before_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there_before.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    there = importlib.import_module("there_before")
    try:
        _answered(tmp_path, "import there_before\ndef answer(question): return 'x'")
        assert sys.modules["there_before"] is there
    finally:
        del sys.modules["there_before"]
