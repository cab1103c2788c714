"""An event loop in a thread of its own, for foreign code: what hangs in it keeps neither the run nor its end."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from engine.targets.foreign_code import ForeignError

__all__ = ["DaemonThreads", "OwnLoop", "own_loop"]

P = ParamSpec("P")
T = TypeVar("T")
_MOST_THREADS = 2_000
_LAST_WORDS_S = 1.0


class DaemonThreads(ThreadPoolExecutor):
    """A thread for each call. Python waits for none of them when it ends, which it does for those of other pools."""

    def __init__(self) -> None:
        super().__init__(1)
        self._busy, self._lock = 0, Lock()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Begin the call in a new thread. Raises ForeignError when too many calls before it never came back."""
        with self._lock:
            if self._busy >= _MOST_THREADS:
                raise ForeignError(f"{self._busy:,} earlier calls have not come back: no further one is begun")
            self._busy += 1
        future: Future[T] = Future()

        def call() -> None:
            try:
                if future.set_running_or_notify_cancel():
                    future.set_result(fn(*args, **kwargs))
            except (StopIteration, asyncio.CancelledError) as error:  # these mean something else to whoever waits
                future.set_exception(ForeignError(type(error).__name__))
            except BaseException as error:  # noqa: BLE001 (handed on to whoever waits)
                future.set_exception(error)
            finally:
                with self._lock:
                    self._busy -= 1

        Thread(target=call, name="assay-target-call", daemon=True).start()
        return future


class OwnLoop:
    """Runs coroutines in its own thread, and functions in threads of theirs.

    Whoever waits for one may stop waiting: a coroutine is cancelled then, and left alone when it does not listen;
    a thread cannot be stopped, and is left to itself.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: DaemonThreads) -> None:
        self._loop, self._threads = loop, threads

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the coroutine returns. Called from another loop.

        Raises:
            ForeignError: it cancelled itself.
        """
        begun = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return await asyncio.wrap_future(begun)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ForeignError("it cancelled itself") from None

    def now(self, work: Coroutine[Any, Any, T], within_s: float) -> T:
        """The same from outside of coroutines. Raises TimeoutError."""
        begun = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return begun.result(within_s)
        except NotYet:
            begun.cancel()
            raise
        except asyncio.CancelledError:
            raise ForeignError("it cancelled itself") from None

    async def in_thread(self, function: Callable[[], T]) -> T:
        """What a function returns that may block. Called from any loop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)


@contextmanager
def own_loop() -> Iterator[OwnLoop]:
    """A loop that runs until the end of the block. What is still under way then is cancelled, and not waited for long.

    Threads that are begun in it are daemons, as it is one itself: they cannot keep the process from ending.
    """
    loop, threads = asyncio.new_event_loop(), DaemonThreads()
    loop.set_default_executor(threads)
    loop.set_exception_handler(lambda _, __: None)  # it would print what foreign tasks raise that nobody waits for
    ending = False

    def serve() -> None:
        while not ending:
            with suppress(SystemExit, KeyboardInterrupt):  # raised by a task that nobody waits for
                loop.run_forever()
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_until_complete(_wound_up())
        loop.close()

    thread = Thread(target=serve, name="assay-target", daemon=True)
    thread.start()
    try:
        yield OwnLoop(loop, threads)
    finally:
        ending = True
        loop.call_soon_threadsafe(loop.stop)
        thread.join(2 * _LAST_WORDS_S)


async def _wound_up() -> None:
    """Cancel everything that is under way, and give it a moment to put things in order."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_LAST_WORDS_S)
    await asyncio.get_running_loop().shutdown_asyncgens()
