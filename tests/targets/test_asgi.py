"""An ASGI app as a target: called in this process, with its start, its end and its faults."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.errors import UsageError
from engine.model.exchange import Hit, Turn
from engine.model.record import Failure
from engine.targets import asgi as module
from engine.targets.asgi import Asgi
from tests.targets.asking import Pays, ask, failing, from_conf, surroundings

APP = """
import asyncio, json, time
from pathlib import Path
log = Path(__file__).with_name("log.txt")
def note(text):
    with log.open("a") as file: file.write(text + "\\n")

async def reply(send, status, value, headers=()):
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"x"), *headers]})
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    await send({"type": "http.response.body", "body": body[:5], "more_body": True})
    await send({"type": "http.response.body", "body": body[5:]})

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        assert (await receive())["type"] == "lifespan.startup"
        scope["state"]["index"] = "ready"
        note("up")
        await send({"type": "lifespan.startup.complete"})
        assert (await receive())["type"] == "lifespan.shutdown"
        await asyncio.sleep(0.01)
        note("down")
        await send({"type": "lifespan.shutdown.complete"})
        return
    asked = await receive()
    path, headers = scope["path"], dict(scope["headers"])
    if path == "/search":
        found = [{"id": scope["state"]["index"], "text": json.loads(asked["body"])["query"]}]
        await reply(send, 200, {"results": found})
        note("after")
    elif path == "/echo":
        said = [scope["path"], scope["query_string"].decode(), headers[b"x-key"].decode(), scope["method"]]
        await reply(send, 200, {"results": [{"id": each} for each in said]})
    elif path == "/raises":
        raise KeyError("index")
    elif path == "/raises500":
        await reply(send, 500, {"detail": "no"})
        raise ValueError("the reason")
    elif path == "/raises_after":
        await reply(send, 200, {"results": []})
        raise ValueError("too late")
    elif path == "/silent":
        return
    elif path == "/half":
        await send({"type": "http.response.start", "status": 200, "headers": []})
    elif path == "/500":
        await reply(send, 500, {"detail": "no"})
    elif path == "/long":
        await reply(send, 200, b"x" * (32 * 2**20 + 1))
    elif path == "/hangs":
        try: await asyncio.sleep(60)
        finally: note("cancelled")
    elif path == "/body_first":
        await send({"type": "http.response.body", "body": b"{}"})
    elif path == "/tells":
        raise ValueError(headers[b"x-key"].decode())
    elif path == "/watches":
        try: await asyncio.wait_for(receive(), 0.01)
        except TimeoutError: await reply(send, 200, {"results": [{"id": "still there"}]})
    elif path == "/blocks":
        time.sleep(1)
    elif path == "/disconnect":
        await reply(send, 200, {"results": []})
        note((await receive())["type"])

async def fails(scope, receive, send):
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "Traceback\\n\\x1b[31mOSError: no index\\n"})

def create(): return app
def create_not(): raise ValueError("no settings")
def create_none(): return None

async def waits(scope, receive, send):
    await asyncio.sleep(60)

async def plain(scope, receive, send):
    assert scope["type"] == "http"
    await receive()
    await reply(send, 200, {"results": [{"id": "x"}]})

async def untidy(scope, receive, send):
    if scope["type"] == "http":
        return await plain(scope, receive, send)
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.failed", "message": "the pool hangs"})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_app.py").write_text(APP)
    return tmp_path


def app(path: str = "/search", name: str = "app", **more: Any) -> Asgi:
    read = {"hits": "$.results[*]", "snippet": "$.text"}
    return Asgi(app=f"my_app:{name}", path=path, **{"body": {"query": "{query}"}, "read": read, "free": True, **more})


def log(folder: Path) -> list[str]:
    return (folder / "log.txt").read_text().split()


def test_an_app_is_started_asked_and_closed(folder: Path) -> None:
    notices: list[str] = []
    answer = ask(app(), surroundings(folder, notices=notices))
    assert answer.hits == (Hit(1, "ready", snippet="How is tea brewed?"),)
    assert log(folder) == ["up", "after", "down"]
    assert notices == []


def test_many_questions_at_once_share_one_life(folder: Path) -> None:
    async def many() -> None:
        with app().open(surroundings(folder)) as target:
            await asyncio.gather(*(target.answer(Turn(str(at), "q"), (), Pays()) for at in range(20)))

    asyncio.run(many())
    assert log(folder).count("up") == 1


def test_data_stays_data_and_keys_are_filled_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASGI_KEY", "very-secret-key")
    answer = ask(
        app("/echo", body=None, method="GET", parameters={"q": "{query}&a"}, headers={"X-Key": "env:ASGI_KEY"}),
        surroundings(folder),
    )
    assert answer.hits is not None
    sources = [hit.source for hit in answer.hits]
    assert sources == ["/echo", "q=How%20is%20tea%20brewed%3F%26a", "[secret removed]", "GET"]


@pytest.mark.parametrize(
    ("path", "failure", "said"),
    [
        ("/raises", Failure.TOOL_ERROR, "the app raised KeyError: 'index' (my_app.py:"),
        ("/raises500", Failure.TOOL_ERROR, "the app raised ValueError: the reason (my_app.py:"),
        ("/500", Failure.PROVIDER_ERROR, "status 500: the other side failed (no)"),
        ("/body_first", Failure.TOOL_ERROR, "http.response.body came before http.response.start"),
        ("/silent", Failure.TRANSPORT, "the app ended before its reply was whole"),
        ("/half", Failure.TRANSPORT, "the app ended before its reply was whole"),
        ("/long", Failure.TRANSPORT, "is longer than 32 MiB"),
    ],
)
def test_what_goes_wrong(folder: Path, path: str, failure: Failure, said: str) -> None:
    found = failing(app(path), surroundings(folder))
    assert found.failure is failure
    assert said in str(found)


def test_a_key_is_in_no_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASGI_WORD", "very-private-word")
    found = failing(app("/tells", headers={"X-Key": "env:ASGI_WORD"}), surroundings(folder))
    assert "the app raised ValueError: [secret removed]" in str(found)


def test_an_app_may_watch_for_the_end_of_the_request_while_it_works(folder: Path) -> None:
    assert ask(app("/watches"), surroundings(folder)).hits == (Hit(1, "still there"),)


def test_what_an_app_raises_after_its_answer_does_not_take_it_back(folder: Path) -> None:
    assert ask(app("/raises_after"), surroundings(folder)).hits == ()


def test_the_other_side_is_gone_when_the_answer_is_whole(folder: Path) -> None:
    ask(app("/disconnect"), surroundings(folder))
    assert "http.disconnect" in log(folder)


def test_an_app_that_hangs_is_cancelled_with_its_trial(folder: Path) -> None:
    async def limited() -> None:
        with app("/hangs").open(surroundings(folder)) as target, pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await target.answer(Turn("?", "q"), (), Pays())

    asyncio.run(limited())
    assert log(folder)[:2] == ["up", "cancelled"]


def refused(settings: Asgi, folder: Path) -> str:
    with pytest.raises(UsageError) as found, settings.open(surroundings(folder)):
        pass
    return str(found.value)


def test_an_app_that_does_not_start_says_why_before_anything_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = refused(app(name="fails"), folder)
    assert "the app my_app:fails did not start" in said
    assert "OSError: no index" in said
    assert "\x1b" not in said
    monkeypatch.setattr(module, "_START_S", 0.1)
    assert "was not ready after 0.1 seconds" in refused(app(name="waits"), folder)


def test_a_factory_makes_the_app(folder: Path) -> None:
    assert ask(app(name="create", factory=True), surroundings(folder)).hits
    assert "factory: true" in refused(app(name="create"), folder)
    assert "made no app: it raised TypeError" in refused(app(name="app", factory=True), folder)
    assert "ValueError: no settings (my_app.py:" in refused(app(name="create_not", factory=True), folder)
    assert "is no ASGI app, it is NoneType" in refused(app(name="create_none", factory=True), folder)


def test_an_app_that_blocks_stops_neither_the_run_nor_its_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F85: the loop of the app stands still, the loop of the run does not."""
    monkeypatch.setattr(module, "_END_S", 0.1)
    monkeypatch.setattr("engine.targets.own_loop._LAST_WORDS_S", 0.1)
    notices: list[str] = []

    async def limited() -> None:
        with app("/blocks").open(surroundings(folder, notices=notices)) as target, pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await target.answer(Turn("?", "q"), (), Pays())

    started = time.perf_counter()
    asyncio.run(limited())
    assert time.perf_counter() - started < 0.9
    assert notices == ["the app my_app:app did not close well: it took longer than 0.1 seconds"]
    time.sleep(1)  # it is a thread of this process


def test_an_app_may_know_no_lifespan(folder: Path) -> None:
    notices: list[str] = []
    assert ask(app(name="plain"), surroundings(folder, notices=notices)).hits == (Hit(1, "x"),)
    assert notices == []


def test_an_app_that_does_not_close_well_is_noticed(folder: Path) -> None:
    notices: list[str] = []
    ask(app(name="untidy"), surroundings(folder, notices=notices))
    assert notices == ["the app my_app:untidy did not close well: the pool hangs"]


def test_code_runs_only_when_it_is_allowed(folder: Path) -> None:
    with pytest.raises(UsageError, match="--allow-code"), app().open(surroundings(folder, allow_code=False)):
        pass
    with pytest.raises(UsageError, match="no ASGI app"), app(name="log").open(surroundings(folder)):
        pass


def test_wrong_settings() -> None:
    with pytest.raises(ValidationError, match=r"a path begins with /: /search"):
        app("search")
    with pytest.raises(ValidationError, match=r"did you mean \{query\}"):
        app("/{qury}")


def test_the_shipped_settings(folder: Path) -> None:
    shipped = from_conf("asgi")
    assert set(shipped) == set(Asgi.model_fields)
    chosen = Asgi(**{**shipped, "app": "my_app:app", "path": "/search"})
    assert len(ask(chosen, surroundings(folder)).hits or ()) == 1
