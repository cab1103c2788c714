"""What judges said in earlier runs, so that the same question about the same answer is not paid for again.

One file for each judge, in the cache folder of the workspace: lines that are only ever added. It can be deleted
at any time.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from engine.errors import UsageError
from engine.model.grade import Vote
from engine.model.target import Scalar
from engine.store import strict_json
from engine.store.whole_file import make_private

__all__ = ["VoteCache", "open_vote_cache"]

_START = b'{"key":"'
_KEY = slice(len(_START), len(_START) + 32)
_LONGEST = 16_384  # bytes of a line: a reason is short


def open_vote_cache(folder: Path, identity: Mapping[str, Scalar], run: str) -> "VoteCache":
    """The votes of a judge.

    Never fails: a cache that cannot be read or written only costs what it would have saved.

    Args:
        folder: the cache folder of the workspace.
        identity: of the judge; another judge has another file.
        run: the run that asks. Its own votes stand in its journal and are not found here, so that a resumed
            run makes the same calls in the same order.
    """
    path = folder / "votes" / f"{strict_json.sha256({**identity})[:32]}.jsonl"
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = -1
    with suppress(OSError):
        make_private(path.parent)
        descriptor = os.open(path, flags, 0o600)
        _end_line(descriptor)
    return VoteCache(descriptor, run)


class VoteCache:
    """The open file of one judge, made by `open_vote_cache`. Memory grows with its lines, by about 150 bytes each."""

    def __init__(self, descriptor: int, run: str) -> None:
        self._descriptor, self._run = descriptor, run
        self._places: Mapping[int, int] = {} if descriptor < 0 else _index(descriptor)

    def find(self, key: str, judge: str) -> Vote | None:
        """The first vote that an earlier run was given. It says that it comes from here."""
        place = self._places.get(int(key, 16))
        if place is None:
            return None
        try:
            line = os.pread(self._descriptor, _LONGEST, place).partition(b"\n")[0]
            value = strict_json.loads(line, "")
        except (OSError, UsageError):
            return None
        match value:
            case {"key": str(found), "run": str(run), "said": said, "model": str(model), "reason": str(reason)}:
                usable = isinstance(said, str | int | float) and not isinstance(said, bool)
                if found == key and run != self._run and usable:
                    return Vote(said, judge, model, reason, cached=True)
        return None

    def keep(self, votes: Mapping[str, Vote]) -> None:
        """Add votes by their keys: 32 hexadecimal digits. Only usable ones are given here."""
        lines = b"".join(self._line(key, vote) for key, vote in votes.items() if not vote.cached)
        if self._descriptor >= 0 and lines:
            with suppress(OSError):
                os.write(self._descriptor, lines)  # one write, so that two runs cannot mix their lines

    def close(self) -> None:
        """Close the file. Nothing is found or kept from here on."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._places = -1, {}

    def _line(self, key: str, vote: Vote) -> bytes:
        entry = {"key": key, "run": self._run, "said": vote.said, "model": vote.model, "reason": vote.reason}
        return strict_json.encode(entry) + b"\n"


def _end_line(descriptor: int) -> None:
    """A line that was torn by a kill ends here, so that the next one begins by itself."""
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        os.write(descriptor, b"\n")


def _index(descriptor: int) -> Mapping[int, int]:
    """Where the first line of each key begins. A line that is none is passed over; a wrong one is seen when read."""
    found: dict[int, int] = {}
    place = 0
    with suppress(OSError, ValueError), os.fdopen(os.dup(descriptor), "rb", buffering=2**18) as file:
        file.seek(0)
        for line in file:
            if line.startswith(_START) and line.endswith(b"}\n"):
                with suppress(ValueError):
                    found.setdefault(int(line[_KEY], 16), place)
            place += len(line)
    return found
