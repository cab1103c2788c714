"""Files replaced whole: the old content or the new one, whatever fails in between."""

import errno
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from engine.errors import EngineError, Exit
from engine.store.whole_file import write_parts, write_whole


def failing(call: Callable[..., object], nth: int, code: int) -> Callable[..., object]:
    """The call, which raises the n-th time."""
    seen = 0

    def instead(*args: object, **options: object) -> object:
        nonlocal seen
        seen += 1
        if seen == nth:
            raise OSError(code, os.strerror(code))
        return call(*args, **options)

    return instead


def test_what_is_written_can_be_read_and_is_private(tmp_path: Path) -> None:
    """S16: 0600 even when nothing is masked."""
    before = os.umask(0)
    try:
        write_whole(tmp_path / "run.json", b"one")
        write_whole(tmp_path / "run.json", b"two")
    finally:
        os.umask(before)

    assert (tmp_path / "run.json").read_bytes() == b"two"
    assert (tmp_path / "run.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_parts_are_joined_and_hashed(tmp_path: Path) -> None:
    parts = [b"x" * 100_000 for _ in range(7)]

    digest = write_parts(tmp_path / "plan.json", iter(parts))

    assert (tmp_path / "plan.json").read_bytes() == b"".join(parts)
    assert digest == sha256(b"".join(parts)).hexdigest()


@pytest.mark.parametrize("name", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, nth: int, code: int
) -> None:
    """R8, R4: the n-th call of each kind fails."""
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    parts = [b"n" * 300_000, b"e" * 300_000, b"w" * 300_000]

    monkeypatch.setattr(os, name, failing(getattr(os, name), nth, code))
    try:
        write_parts(path, parts)
        failure = None
    except EngineError as error:
        failure = error
    monkeypatch.undo()

    assert [found.name for found in tmp_path.iterdir()] == ["run.json"]
    if failure is None:
        assert path.read_bytes() == b"".join(parts)
    else:
        assert failure.exit == Exit.FAILED
        assert failure.problems[0].place == str(path)
        assert failure.problems[0].help
        # only the last fsync, that of the folder, comes after the new content is in place
        assert path.read_bytes() in (b"old", b"".join(parts))
        assert path.read_bytes() == b"old" or (name == "fsync" and nth == 2)


def test_short_writes_are_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data[:7])))

    write_whole(tmp_path / "run.json", b"0123456789" * 10)
    monkeypatch.undo()

    assert (tmp_path / "run.json").read_bytes() == b"0123456789" * 10


def test_content_that_cannot_be_made_leaves_no_file(tmp_path: Path) -> None:
    def parts() -> object:
        yield b"a beginning"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parts(tmp_path / "plan.json", parts())  # type: ignore[arg-type]

    assert not list(tmp_path.iterdir())


def test_a_link_is_refused_and_what_it_points_to_is_untouched(tmp_path: Path) -> None:
    """S15."""
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (tmp_path / "run.json").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EngineError, match="link"):
        write_whole(tmp_path / "run.json", b"new")

    assert (tmp_path / "elsewhere").read_bytes() == b"precious"


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no such file or directory"):
        write_whole(tmp_path / "nowhere" / "run.json", b"new")
