"""What foreign code raises, as one line for people: without a secret, and without a traceback."""

import json
import os
import traceback
from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread

from engine.model.record import Failure
from engine.providers.scrub import REMOVED, Scrubber
from engine.providers.secret_shapes import SHAPES, secret_values
from engine.targets.recorded import MalformedError
from engine.text import one_line

__all__ = ["ForeignError", "foreign", "said", "without_secrets"]

_LONGEST, _LONGEST_READ = 300, 10_000


class ForeignError(Exception):
    """Foreign code raised something. The text is one harmless line.

    Attributes:
        failure: which kind of failure it looks like.
    """

    def __init__(self, message: str, failure: Failure = Failure.TOOL_ERROR) -> None:
        self.failure = failure
        super().__init__(message)


@contextmanager
def foreign(folder: Path) -> Iterator[None]:
    """While inside, whatever is raised becomes a ForeignError; a cancellation stays one,
    and so does what is wrong with an answer.

    Args:
        folder: a file below it is named as the place of the error.
    """
    try:
        yield
    except (CancelledError, GeneratorExit, MalformedError):
        raise
    except BaseException as error:
        while isinstance(error, BaseExceptionGroup):  # the first of them says more than the group
            error = error.exceptions[0]
        if isinstance(error, ForeignError):
            raise error from None
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            raise  # the person's, not the code's
        # nothing is chained: what foreign code said stays out of every traceback
        raise ForeignError(said(error, folder), _failure(error)) from None


def said(error: BaseException, folder: Path) -> str:
    """`ValueError: no such page (shop.py:12)`."""
    try:
        text = _without_secrets(str(error)[:_LONGEST_READ], os.environ)
    except Exception:  # noqa: BLE001 (its own __str__ may fail too)
        text = ""
    parts = [type(error).__name__, "it wants to end the program" if isinstance(error, SystemExit) else "", text.strip()]
    place = _place(error, folder)
    return f"{one_line(': '.join(filter(None, parts)), _LONGEST)}{f' ({place})' if place else ''}"


def _failure(error: BaseException) -> Failure:
    if isinstance(error, TimeoutError):
        return Failure.TIMEOUT
    return Failure.TRANSPORT if isinstance(error, ConnectionError) else Failure.TOOL_ERROR


def without_secrets(answer: Mapping[str, object], environment: Mapping[str, str]) -> Mapping[str, object]:
    """An answer in JSON values without the secrets of the environment: code has them at hand, and may show one."""
    data = json.dumps(answer).encode()
    clean = Scrubber(secret_values(environment)).answer(data)
    if clean == data:
        return answer
    found = json.loads(clean)
    assert isinstance(found, dict)
    return found


def _without_secrets(text: str, environment: Mapping[str, str]) -> str:
    return SHAPES.sub(REMOVED, Scrubber(secret_values(environment)).text(text))


def _place(error: BaseException, folder: Path) -> str:
    """The last line below the folder that was run, or that is no Python."""
    if isinstance(error, SyntaxError) and error.filename:
        frames = [(error.filename, error.lineno)]
    else:
        frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    for file, line in reversed(frames):
        path = Path(file)
        if path.is_relative_to(folder) and "site-packages" not in path.parts:
            return f"{one_line(path.relative_to(folder).as_posix(), 100)}:{line}"
    return ""
