"""One process that has imported the engine and forks for each command: as a fresh start, without its second of imports.

Each command still has a process, an environment and streams of its own, and nothing that one does reaches the next.
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

__all__ = ["run"]

_ROOT = Path(__file__).resolve().parents[1]
_MODULES = ("engine.cli.run", "engine.cli.one_run", "engine.cli.compare", "engine.rubric.reading", "pydoc_data.topics")
_PIECE = 2**16


def run(
    folder: Path, words: tuple[str, ...], environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `assay WORDS` in `folder`. Raises TimeoutExpired."""
    channel, process = _server()
    request = json.dumps([str(folder), words, dict(environment)]).encode() + b"\n"
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sent = socket.send_fds(channel, [request], [out.fileno(), err.fileno()])
        channel.sendall(request[sent:])
        if not select.select([channel], [], [], timeout)[0]:
            os.killpg(process.pid, signal.SIGKILL)
            _server.cache_clear()
            raise subprocess.TimeoutExpired(words, timeout)
        reply = channel.recv(_PIECE)
        assert reply, "the process that starts commands has ended"
        code = int(reply)
        said = [os.pread(stream.fileno(), os.fstat(stream.fileno()).st_size, 0).decode() for stream in (out, err)]
    return subprocess.CompletedProcess(words, code, *said)


@cache
def _server() -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    channel, other = socket.socketpair()
    with other:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.warm"],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            stdin=other.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        channel.close()
        process.wait()

    atexit.register(end)
    return channel, process


def _serve() -> None:
    """Answer until the tests are over. Only a child returns with words to run, in `sys.argv`."""
    for module in _MODULES:
        import_module(module)
    import_module("hydra.core.plugins").Plugins.instance()  # it looks for its plugins once a process
    gc.freeze()
    channel = socket.socket(fileno=os.dup(0))
    while True:
        request, streams, _, _ = socket.recv_fds(channel, _PIECE, 2)
        if not request:
            sys.exit()
        while not request.endswith(b"\n"):
            request += channel.recv(_PIECE)
        child = os.fork()
        if not child:
            channel.close()
            _become(request, streams)
            return
        for stream in streams:
            os.close(stream)
        channel.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _become(request: bytes, streams: list[int]) -> None:
    """A process as `python -m engine WORDS` would have found it."""
    folder, words, environment = json.loads(request)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for ours, theirs in zip((nothing, *streams), range(3), strict=True):
        os.dup2(ours, theirs)
        os.close(ours)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [str(_ROOT / "engine" / "__main__.py"), *words]


if __name__ == "__main__":
    _serve()
    from engine.cli.main import main  # by now in a child

    sys.exit(main())
