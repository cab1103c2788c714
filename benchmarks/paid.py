"""What a call of a model costs the engine: a run against a server on this machine, beside a bare loop of aiohttp."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.timing import ROOT, cpu_s, peak_mb, turns

__all__ = ["available", "memory", "ratios", "throughput"]

Row = tuple[str, float, str]
SERVER = ROOT.parent / "shared/tools/fake_llm_server.py"
AT_ONCE = 64

_RAW = """
import asyncio, json, sys
import aiohttp

url, number, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

async def main():
    left = iter(range(number))
    connector = aiohttp.TCPConnector(limit=at_once)
    async with aiohttp.ClientSession(connector=connector) as session:
        async def work():
            for n in left:
                body = json.dumps({"model": "fake", "messages": [{"role": "user", "content": f"Q{n} what is it?"}]})
                headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
                async with session.post(url, data=body.encode(), headers=headers) as reply:
                    json.loads(await reply.read())["choices"][0]["message"]["content"]
        await asyncio.gather(*(work() for _ in range(at_once)))

asyncio.run(main())
"""

_RUBRIC = """\
rubric: Short answers
version: 1
criterion: Says what it is
  check: answer contains "The answer is"
criterion: Short
  check: answer has at most 20 words
criterion: Does not apologise
  check: answer does not contain "sorry"
"""

_JUDGED = _RUBRIC + "criterion: Right\n  ask: Is the answer right?\n"


def available() -> str:
    """Why this cannot be measured here; empty when it can."""
    if not SERVER.exists():
        return f"{SERVER.name} is not there"
    try:
        import httptools  # noqa: F401 (the server needs them)
        import uvloop  # noqa: F401
    except ImportError as error:
        return str(error)
    return ""


def ratios(items: int = 3_000, repeats: int = 3) -> list[Row]:
    """Processor time of an item (call, checks, record) over that of a bare call; then the same with a judge.

    Both are slopes: a process at `items` minus one at a few, so that starting up is in neither.
    """
    few = AT_ONCE
    with _served() as port, _workspace(items, port, 0) as folder:
        url = f"http://127.0.0.1:{port}/l0/v1/chat/completions"

        def raw(number: int) -> float:
            return cpu_s(("-c", _RAW, url, str(number), str(AT_ONCE)), folder)

        def ours(number: int, *words: str) -> float:
            return cpu_s(("-m", "engine", *_WORDS, f"limit={number}", *(words or _CHECKS)), folder)

        seeds = count(1)

        def judged(number: int) -> float:
            # with another seed it is another judge: none of its votes is remembered
            return ours(number, "rubric=judged", "judge=fake", f"judge.seed={next(seeds)}")

        ours(few)
        judged(few)
        base_raw, base_ours, base_judged, all_raw, all_ours, all_judged = turns(
            repeats,
            lambda: raw(few),
            lambda: ours(few),
            lambda: judged(few),
            lambda: raw(items),
            lambda: ours(items),
            lambda: judged(items),
        )
        kilobytes = _record_bytes(folder) / 1000
    each = 1e3 / (items - few)
    bare, item, two = (all_raw - base_raw) * each, (all_ours - base_ours) * each, (all_judged - base_judged) * each
    said = f"{item:.2f} ms of processor an item here, {bare:.2f} ms a bare call; {kilobytes:.2f} kB a record on disk"
    more = f"{two:.2f} ms an item with a judge's call here, {bare:.2f} ms a bare call"
    return [
        (
            f"run over a model API, {items:,} items, {AT_ONCE} at once, against a bare loop of aiohttp",
            item / bare,
            said,
        ),
        ("the same with a judge", two / bare, more),
    ]


def throughput(items: int = 3_000, delay_ms: int = 50) -> list[Row]:
    """Answers a second at an answering time of 50 ms, over those of the bare loop."""
    with _served() as port, _workspace(items, port, delay_ms) as folder:
        url = f"http://127.0.0.1:{port}/l{delay_ms}/v1/chat/completions"
        _seconds((*_WORDS, *_CHECKS, f"limit={AT_ONCE}"), folder)
        start = _seconds((*_WORDS, *_CHECKS, f"limit={AT_ONCE}"), folder)
        whole = _seconds((*_WORDS, *_CHECKS, f"limit={items}"), folder)
        bare_start = _seconds(("-c", _RAW, url, str(AT_ONCE), str(AT_ONCE)), folder, engine=False)
        bare_whole = _seconds(("-c", _RAW, url, str(items), str(AT_ONCE)), folder, engine=False)
    ours, bare = (items - AT_ONCE) / (whole - start), (items - AT_ONCE) / (bare_whole - bare_start)
    said = f"{ours:.0f} answers a second here, {bare:.0f} there, {AT_ONCE} at once"
    return [(f"throughput at {delay_ms} ms, against a bare loop of aiohttp", ours / bare, said)]


def memory(items: int = 100_000) -> list[Row]:
    """Peak memory of a run of `items` over a model API, over that of a run of a few."""
    with _served() as port, _workspace(items, port, 0) as folder:
        words = (*_WORDS, *_CHECKS)
        _seconds((*words, f"limit={AT_ONCE}"), folder)
        few, all_ = peak_mb((*words, f"limit={AT_ONCE}"), folder), peak_mb((*words, f"limit={items}"), folder)
    said = f"{all_:.0f} MB at {items:,} items, {few:.0f} MB at {AT_ONCE}"
    return [(f"peak memory of a run over a model API, {items:,} items, against {AT_ONCE}", all_ / few, said)]


_WORDS = ("run", "queries=many", "target=fake", "--silent", "--exit-zero", f"concurrency={AT_ONCE}")
_CHECKS = ("rubric=short",)


@contextmanager
def _served() -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, str(SERVER), "--port", str(port), "--max-seconds", "1800"])
    try:
        until = perf_counter() + 20
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=1).read()
                break
            except OSError:
                if perf_counter() > until:
                    raise
                time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait()


@contextmanager
def _workspace(items: int, port: int, delay_ms: int) -> Iterator[Path]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        api = f"url: http://127.0.0.1:{port}/l{delay_ms}/v1\nmodel: fake\nkey: null\nlocal: true\nfree: true\n"
        for path, text in {
            "conf/target/fake.yaml": f"kind: openai_chat\n{api}",
            "conf/judge/fake.yaml": f"kind: openai_chat\n{api}",
            "rubrics/short.rubric": _RUBRIC,
            "rubrics/judged.rubric": _JUDGED,
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        (folder / "conf/query_sets").mkdir()
        with (folder / "conf/query_sets/many.jsonl").open("w", encoding="utf-8") as queries:
            head = {"version": "1.0.0", "description": "many", "source": "curated", "categories": ["a"]}
            queries.write(json.dumps(head) + "\n")
            for n in range(items):
                query = {"id": f"q{n}", "query": f"Q{n} what is it?", "intent": "know", "category": "a"}
                queries.write(json.dumps(query) + "\n")
        yield folder


def _seconds(words: tuple[str, ...], folder: Path, *, engine: bool = True) -> float:
    started = perf_counter()
    cpu_s(("-m", "engine", *words) if engine else words, folder)
    return perf_counter() - started


def _record_bytes(folder: Path) -> float:
    """Bytes of the longest journal for each trial in it, lines about calls included; without a judge."""
    journals = [path for path in (folder / "runs").glob("*/results.jsonl") if b'"who":"judge' not in path.read_bytes()]
    path = max(journals, key=lambda each: each.stat().st_size)
    return path.stat().st_size / path.read_bytes().count(b'{"type":"trial"')


if __name__ == "__main__":
    assert not available(), available()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    for part in (ratios, throughput, memory):
        for label, ratio, sentence in part():
            print(f"{label}: {ratio:.2f}x. {sentence}", flush=True)
