"""The journal: nothing acknowledged is lost, nothing half stays, and damage is named."""

import errno
import multiprocessing
import os
import resource
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

from engine.errors import EngineError, Exit, Problem, UsageError
from engine.store import journal_end, strict_json
from engine.store.journal import Durability, Entry, Journal, is_held, open_journal, read, timestamp


def clock() -> float:
    return 1_796_068_986.5


def entries(path: Path) -> list[Entry]:
    return [item for _, item in read(path) if isinstance(item, Entry)]


def problems(path: Path) -> list[Problem]:
    return [item for _, item in read(path) if isinstance(item, Problem)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def filled(path: Path, count: int = 2) -> Path:
    with open_journal(path, clock) as journal:
        for number in range(count):
            journal.append("trial", {"key": f"k{number}", "text": "für 検索 🙂"})
    return path


def test_a_line_is_what_the_format_says(path: Path) -> None:
    """A67, A130: type, version, UTC with milliseconds, sequence, data; 0600 with nothing masked (S16)."""
    before = os.umask(0)
    try:
        with open_journal(path, clock) as journal:
            assert journal.append_synced("run_start", {"run": "x", "none": None, "score": 0.1}) == 1
            assert journal.append("trial", {}) == 2
    finally:
        os.umask(before)

    first, second = path.read_bytes().splitlines()
    assert first == (
        b'{"type":"run_start","v":1,"at":"2026-11-30T20:03:06.500Z","seq":1,"data":{"run":"x","none":null,"score":0.1}}'
    )
    assert second.startswith(b'{"type":"trial"')
    assert path.stat().st_mode & 0o777 == 0o600
    assert entries(path)[0].data == {"run": "x", "none": None, "score": 0.1}


def test_full_precision_is_kept(path: Path) -> None:
    """A70."""
    with open_journal(path, clock) as journal:
        journal.append("trial", {"score": 0.1 + 0.2})

    assert entries(path)[0].data == {"score": 0.1 + 0.2}


def test_order_is_by_sequence_when_the_clock_is_set_back(path: Path) -> None:
    """R9, F83: and the sequence goes on when the journal is opened again."""
    for now in (2e9, 1e9, 0.0):
        with open_journal(path, partial(float, now)) as journal:
            journal.append("trial", {"now": now})

    assert [entry.seq for entry in entries(path)] == [1, 2, 3]
    assert entries(path)[2].at == "1970-01-01T00:00:00.000Z"


def test_a_tail_torn_at_any_byte_is_mended(path: Path) -> None:
    """R2, F79: the line is cut at each byte; whole lines stay, the fragment is kept aside, the next line is whole."""
    filled(path, 3)
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    torn = path.with_name("results.jsonl.torn")
    for cut in range(start, len(whole) + 1):
        path.write_bytes(whole[:cut])
        torn.unlink(missing_ok=True)
        kept = 3 if cut >= len(whole) - 1 else 2

        assert len(entries(path)) == kept, "a reader passes over the fragment"
        assert not problems(path)
        with open_journal(path, clock) as journal:
            assert journal.append("trial", {"key": "next"}) == kept + 1

        keys = [entry.data["key"] for entry in entries(path)]
        assert keys == [*["k0", "k1", "k2"][:kept], "next"]
        assert not problems(path)
        assert torn.exists() == (start < cut < len(whole) - 1)
        if torn.exists():
            assert torn.read_bytes() == whole[start:cut] + b"\n"
            assert torn.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("after", [b"", b"\n", b"\n\n", b"\r\n"])
def test_a_fragment_with_blank_lines_after_it_is_no_line(path: Path, after: bytes) -> None:
    """F79: `{"case":"c7","sco`, with and without a blank line after it."""
    filled(path)
    with path.open("ab") as file:
        file.write(b'{"case":"c7","sco' + after)

    with open_journal(path, clock) as journal:
        journal.append("trial", {"key": "next"})

    assert [entry.data["key"] for entry in entries(path)] == ["k0", "k1", "next"]
    assert not problems(path)
    assert path.with_name("results.jsonl.torn").read_bytes() == b'{"case":"c7","sco\n'


def test_blank_lines_at_the_end_are_taken_away(path: Path) -> None:
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n\n")

    with open_journal(path, clock):
        pass

    assert path.read_bytes() == whole


def test_a_file_of_nothing_but_a_fragment(path: Path) -> None:
    path.write_bytes(b'{"type":"run_st')

    with open_journal(path, clock) as journal:
        assert journal.append("run_start", {}) == 1

    assert len(entries(path)) == 1


def test_a_long_last_line_is_found(path: Path) -> None:
    with open_journal(path, clock) as journal:
        journal.append("trial", {"text": "x" * 3_000_000})
        journal.append("trial", {"text": "y" * 1_000_000})

    with open_journal(path, clock) as journal:
        assert journal.append("trial", {}) == 3


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (b"", "blank"),
        (b'{"type":"trial","v":1,', "ends in the middle"),
        (b"\xff\xfe", "UTF-8"),
        (b"[1]", "not a line of a run"),
        (b'{"type":"trial","v":2,"at":"","seq":1,"data":{}}', "version 2"),
        (b'{"type":"new","v":1,"at":"","seq":1,"data":{}}', 'called "new"'),
        (b'{"type":"trial","v":1,"at":"","seq":1,"data":{"a":1,"a":2}}', "twice"),
        (b'{"type":"trial","v":1,"at":"","seq":1,"data":{"a":NaN}}', "NaN"),
        (b"[" * 100_000, "nested"),
    ],
)
def test_damage_in_the_middle_is_named_and_the_rest_is_usable(path: Path, damage: bytes, says: str) -> None:
    """A102, F79, J1-J4: file and line, and every other line is read."""
    first, second = filled(path).read_bytes().splitlines()
    path.write_bytes(first + b"\n" + damage + b"\n" + second + b"\n")

    assert [entry.data["key"] for entry in entries(path)] == ["k0", "k1"]
    (problem,) = problems(path)
    assert problem.place.startswith(f"{path}:2")
    assert says in problem.message


def test_lines_end_at_line_feeds_only(path: Path) -> None:
    """J4: U+2028 and U+0085 are text."""
    with open_journal(path, clock) as journal:
        journal.append("trial", {"text": "a\u2028b\u2029c\x85d\x0be"})

    assert [entry.data["text"] for entry in entries(path)] == ["a\u2028b\u2029c\x85d\x0be"]


def test_a_line_that_is_too_long_is_named_in_little_memory(path: Path) -> None:
    """J5: a sparse line above 64 MiB; the line after it is read."""
    line = filled(path, 1).read_bytes()
    with path.open("wb") as file:
        file.seek(strict_json.LONGEST_LINE + 2**21)
        file.write(b"\n" + line)

    found = list(read(path))

    assert [type(item) for _, item in found] == [Problem, Entry]
    assert "64 MiB" in str(found[0][1])


def test_only_one_type_is_read(path: Path) -> None:
    with open_journal(path, clock) as journal:
        journal.append("run_start", {})
        journal.append("trial", {"key": "k"})

    assert [(number, item.type) for number, item in read(path, "trial") if isinstance(item, Entry)] == [(2, "trial")]


def _race(path: Path, number: int, results: "multiprocessing.Queue[tuple[int, int]]") -> None:
    try:
        with open_journal(path, clock) as journal:
            for row in range(50):
                journal.append("trial", {"key": f"{number}-{row}", "text": "x" * 70_000})
        results.put((number, 50))
    except UsageError as error:
        assert "being written by another process" in str(error)  # noqa: PT017 - in another process
        results.put((number, 0))


def test_of_eight_writers_each_writes_all_or_nothing(path: Path) -> None:
    """R3: a second writer is refused; no line is lost, mixed or doubled."""
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[tuple[int, int]] = context.Queue()
    writers = [context.Process(target=_race, args=(path, number, results)) for number in range(8)]
    for writer in writers:
        writer.start()
    counts = dict(results.get(timeout=30) for _ in writers)
    for writer in writers:
        writer.join(30)

    found = entries(path)
    assert not problems(path)
    assert len(found) == len({entry.data["key"] for entry in found}) == sum(counts.values()) >= 50
    assert [entry.seq for entry in found] == list(range(1, len(found) + 1))


def test_a_second_writer_is_refused_and_told(path: Path) -> None:
    """R3, R10."""
    with open_journal(path, clock) as journal:
        journal.append("trial", {})
        assert is_held(path)
        with pytest.raises(UsageError, match="is being written by another process"):
            open_journal(path, clock)

    assert not is_held(path)
    assert len(entries(path)) == 1


def test_a_file_system_without_locks_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R11: never silently without a lock."""

    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", no_locks)

    with pytest.raises(EngineError, match="no file locks"):
        open_journal(path, clock)


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe"])
def test_only_a_plain_file_is_written(path: Path, tmp_path: Path, kind: str) -> None:
    """S15."""
    elsewhere = tmp_path / "elsewhere"
    if kind == "link":
        elsewhere.write_bytes(b"precious\n")
    if kind in {"link", "dangling"}:
        path.symlink_to(elsewhere)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)

    with pytest.raises(UsageError, match="not a plain file"):
        open_journal(path, clock)

    assert not elsewhere.exists() or elsewhere.read_bytes() == b"precious\n"


def test_a_link_is_not_read(path: Path, tmp_path: Path) -> None:
    """S15."""
    path.symlink_to(filled(tmp_path / "other.jsonl"))

    with pytest.raises(UsageError, match="cannot be read"):
        list(read(path))


def test_a_fragment_is_not_moved_through_a_link(path: Path, tmp_path: Path) -> None:
    """S15: `….torn` is a link; the fragment stays where it was and nothing is written elsewhere."""
    filled(path)
    with path.open("ab") as file:
        file.write(b'{"half')
    (tmp_path / "elsewhere").write_bytes(b"precious")
    path.with_name("results.jsonl.torn").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EngineError):
        open_journal(path, clock)

    assert (tmp_path / "elsewhere").read_bytes() == b"precious"
    assert path.read_bytes().endswith(b'{"half')


def _append_all(journal: Journal, keys: Iterable[int], acknowledged: list[int]) -> None:
    for key in keys:
        journal.append_synced("trial", {"key": key, "text": "ü" * 1_500})
        acknowledged.append(key)


def test_a_full_disk_loses_nothing(path: Path) -> None:
    """R4: a limit on the file's size stands in for a full disk; exit 4, then the next line is whole."""
    acknowledged: list[int] = []
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_journal(path, clock) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64_000, before[1]))
        try:
            with pytest.raises(EngineError) as caught:
                _append_all(journal, range(100), acknowledged)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

        assert caught.value.exit == Exit.FAILED
        assert caught.value.problems[0].help
        assert [entry.data["key"] for entry in entries(path)] == acknowledged
        assert path.read_bytes().endswith(b"\n"), "no half line stays"
        assert journal.append("trial", {"key": "room again"}) == len(acknowledged) + 1

    assert [entry.data["key"] for entry in entries(path)] == [*acknowledged, "room again"]
    assert not problems(path)


def _half(write: Callable[[int, bytes], int], nth: int, code: int) -> Callable[[int, bytes], int]:
    """A write that takes half of the n-th line and then fails, as a full disk does."""
    calls = 0

    def instead(descriptor: int, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls == nth:
            return write(descriptor, bytes(data[: len(data) // 2]))
        if calls == nth + 1:
            raise OSError(code, os.strerror(code))
        return write(descriptor, data)

    return instead


@pytest.mark.parametrize("nth", range(1, 7))
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_half_a_line_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch, nth: int, code: int) -> None:
    """R4, R8: the n-th write stops half-way."""
    acknowledged: list[int] = []
    with open_journal(path, clock) as journal:
        monkeypatch.setattr(os, "write", _half(os.write, nth, code))
        for number in range(6):
            try:
                journal.append("trial", {"key": number, "text": "検索"})
                acknowledged.append(number)
            except EngineError as error:
                assert error.exit == Exit.FAILED  # noqa: PT017 - it also must go on after it
        monkeypatch.undo()

    assert acknowledged == [number for number in range(6) if number != nth - 1]
    assert [entry.data["key"] for entry in entries(path)] == acknowledged
    assert not problems(path)


def test_half_a_line_that_cannot_be_taken_back_is_mended_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R8: write and truncate fail; this journal refuses to go on, the next one mends it."""

    def no_truncate(descriptor: int, length: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with open_journal(path, clock) as journal:
        journal.append("trial", {"key": "k0"})
        monkeypatch.setattr(os, "write", _half(os.write, 1, errno.EIO))
        monkeypatch.setattr(os, "ftruncate", no_truncate)
        with pytest.raises(EngineError):
            journal.append("trial", {"key": "half"})
        monkeypatch.undo()
        with pytest.raises(EngineError):
            journal.append("trial", {"key": "buried"})

    with open_journal(path, clock) as journal:
        journal.append("trial", {"key": "k1"})
    assert [entry.data["key"] for entry in entries(path)] == ["k0", "k1"]
    assert not problems(path)


@pytest.mark.parametrize("nth", range(1, 5))
def test_a_failed_sync_is_never_acknowledged(path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    """R8: after it the journal takes nothing more, because the system may have dropped lines."""
    calls = 0
    sync = os.fdatasync

    def instead(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    journal = open_journal(path, clock)
    monkeypatch.setattr(os, "fdatasync", instead)
    acknowledged: list[int] = []
    with pytest.raises(EngineError, match="disk reports an error"):
        _append_all(journal, range(5), acknowledged)
    with pytest.raises(EngineError):
        journal.append("human", {})
    journal.close()

    assert acknowledged == list(range(nth - 1))
    assert len(entries(path)) >= nth - 1
    assert not problems(path)


@pytest.mark.parametrize("name", ["open", "fstat", "ftruncate", "write", "fsync", "fdatasync", "pread"])
@pytest.mark.parametrize("nth", [1, 2])
def test_a_failure_while_mending_loses_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str, nth: int
) -> None:
    """R8: exit 4, no traceback, and the next start mends the rest."""
    filled(path)
    with path.open("ab") as file:
        file.write(b'{"half')
    call, calls = getattr(os, name), 0

    def instead(*args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return call(*args, **options)

    monkeypatch.setattr(os, name, instead)
    try:
        open_journal(path, clock).close()
    except EngineError as error:
        assert error.exit == Exit.FAILED  # noqa: PT017 - with some calls nothing fails
    monkeypatch.undo()

    with open_journal(path, clock) as journal:
        assert journal.append("trial", {"key": "next"}) == 3
    assert [entry.data["key"] for entry in entries(path)] == ["k0", "k1", "next"]
    assert not problems(path)


def _synced_at(path: Path, monkeypatch: pytest.MonkeyPatch, durability: Durability, steps: list[float]) -> list[int]:
    """After which appends the disk was synced, when the steady clock moves so."""
    now = iter(steps)
    current = 0.0
    syncs: list[int] = []
    done = 0
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: syncs.append(done))

    def steady() -> float:
        return current

    journal: Journal = open_journal(path, clock, durability, steady)
    for step in now:
        current += step
        done += 1
        journal.append("trial", {})
    done += 1
    journal.close()
    monkeypatch.undo()
    return syncs


@pytest.mark.parametrize(
    ("durability", "steps", "expected"),
    [
        pytest.param(Durability.ROW, [0.0] * 3, [1, 2, 3], id="row"),
        pytest.param(Durability.BATCH, [0.0] * 250, [100, 200, 251], id="100-records-and-close"),
        pytest.param(Durability.BATCH, [0.15] * 4, [2, 4], id="200-ms"),
        pytest.param(Durability.BATCH, [5.0], [1], id="a-slow-system-is-synced-each-time"),
        pytest.param(Durability.NONE, [1.0] * 300, [], id="none"),
    ],
)
def test_when_the_disk_is_synced(
    path: Path, monkeypatch: pytest.MonkeyPatch, durability: Durability, steps: list[float], expected: list[int]
) -> None:
    """Architecture, durability: every 100 records or 200 ms, and at the end."""
    assert _synced_at(path, monkeypatch, durability, steps) == expected


def test_what_json_cannot_say_is_refused(path: Path) -> None:
    """J2: NaN never reaches the file."""
    with open_journal(path, clock) as journal:
        with pytest.raises(EngineError, match="cannot be recorded"):
            journal.append("trial", {"score": float("nan")})
        journal.append("trial", {"key": "k"})

    assert len(entries(path)) == 1


def test_a_missing_file_is_said(path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        list(read(path))
    assert not is_held(path)


def test_time_is_utc_with_milliseconds() -> None:
    assert timestamp(0.0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1_796_068_986.9994) == "2026-11-30T20:03:06.999Z"


def test_writing_goes_on_where_the_system_took_a_part(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with open_journal(path, clock) as journal:
        monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data[:5])))
        journal.append("trial", {"key": "in pieces"})
        monkeypatch.undo()

    assert entries(path)[0].data == {"key": "in pieces"}


def test_a_write_that_takes_nothing_is_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda descriptor, data: 0)

    with pytest.raises(OSError, match="No space"):
        journal_end.write_rest(1, memoryview(b"x"))
