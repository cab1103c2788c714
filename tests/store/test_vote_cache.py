"""The memory of votes: private, only added to, and never wrong because of what happened to its file."""

import json
import stat
from pathlib import Path

import pytest

from engine.model.grade import Vote
from engine.store.vote_cache import VoteCache, open_vote_cache

_KEYS = tuple(f"{number:032x}" for number in range(1, 6))
_VOTE = Vote("good", "llm", "m-2026", "Grüße “you”.")


def _open(folder: Path, run: str = "r2", **identity: str) -> VoteCache:
    return open_vote_cache(folder, {"model": "m", **identity}, run)


def _file(folder: Path) -> Path:
    (found,) = (folder / "votes").glob("*.jsonl")
    return found


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    cache = _open(tmp_path, "r1")
    cache.keep({_KEYS[0]: _VOTE, _KEYS[1]: Vote(3.5, "llm", "", "")})
    cache.keep({_KEYS[2]: Vote("n/a", "llm", "m", "no")})
    cache.close()
    return tmp_path


def test_another_run_finds_what_was_said(kept: Path) -> None:
    cache = _open(kept)

    assert cache.find(_KEYS[0], "other") == _VOTE._replace(judge="other", cached=True)
    assert cache.find(_KEYS[1], "llm") == Vote(3.5, "llm", cached=True)
    assert cache.find(_KEYS[3], "llm") is None
    assert _open(kept, "r1").find(_KEYS[0], "llm") is None
    assert _open(kept, "r2", model="n").find(_KEYS[0], "llm") is None


def test_it_is_private_and_says_nothing_of_the_judge(kept: Path) -> None:
    assert stat.S_IMODE(_file(kept).stat().st_mode) == 0o600
    assert stat.S_IMODE((kept / "votes").stat().st_mode) == 0o700


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_a_torn_last_line_costs_that_line_alone(kept: Path, cut: int) -> None:
    file = _file(kept)
    file.write_bytes(file.read_bytes()[:-cut])
    cache = _open(kept)
    cache.keep({_KEYS[3]: _VOTE})
    cache.close()
    after = _open(kept, "r3")

    assert after.find(_KEYS[0], "llm") is not None
    assert after.find(_KEYS[2], "llm") is None
    assert after.find(_KEYS[3], "llm") is not None


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense\n",
        b"\n",
        b"\xff\xfe\n",
        b'{"key":"zz"}\n',
        b'{"key":"' + _KEYS[4].encode() + b'","run":"r1","said":true,"model":"m","reason":""}\n',
        b'{"key":"' + _KEYS[4].encode() + b'","run":"r1","said":null,"model":"m","reason":""}\n',
        b'{"key":"' + _KEYS[4].encode() + b'","run":"r1","said":NaN,"model":"m","reason":""}\n',
        b'{"key":"' + _KEYS[4].encode() + b'","said":"good"}\n',
        b'{"key":"'
        + _KEYS[4].encode()
        + b'","run":"r1","said":"good","model":"m","reason":"'
        + b"x" * 40_000
        + b'"}\n',
    ],
)
def test_a_damaged_line_is_no_vote_and_hides_no_other(kept: Path, line: bytes) -> None:
    file = _file(kept)
    file.write_bytes(line + file.read_bytes())
    cache = _open(kept)

    assert cache.find(_KEYS[4], "llm") is None
    assert cache.find(_KEYS[0], "llm") is not None
    assert cache.find(_KEYS[2], "llm") is not None


def test_a_file_that_was_changed_meanwhile_gives_no_vote_on_something_else(kept: Path) -> None:
    cache, file = _open(kept), _file(kept)
    with file.open("r+b") as open_file:
        open_file.write(file.read_bytes().replace(_KEYS[0].encode(), _KEYS[4].encode()))

    assert cache.find(_KEYS[0], "llm") is None


def test_the_first_that_was_said_stays(kept: Path) -> None:
    cache = _open(kept)
    cache.keep({_KEYS[0]: Vote("poor", "llm")})
    cache.close()

    found = _open(kept, "r3").find(_KEYS[0], "llm")
    assert found is not None
    assert found.said == "good"


def test_what_was_remembered_is_not_written_again(kept: Path) -> None:
    cache, before = _open(kept), _file(kept).read_bytes()
    found = cache.find(_KEYS[0], "llm")
    assert found is not None
    cache.keep({_KEYS[0]: found})

    assert _file(kept).read_bytes() == before


def test_a_link_in_its_place_is_neither_read_nor_written(kept: Path, tmp_path: Path) -> None:
    file = _file(kept)
    elsewhere = tmp_path / "elsewhere"
    file.rename(elsewhere)
    before = elsewhere.read_bytes()
    file.symlink_to(elsewhere)
    cache = _open(kept)
    cache.keep({_KEYS[3]: _VOTE})

    assert cache.find(_KEYS[0], "llm") is None
    assert elsewhere.read_bytes() == before


def test_without_a_place_nothing_is_remembered_and_nothing_fails(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    cache = _open(blocked)
    cache.keep({_KEYS[0]: _VOTE})

    assert cache.find(_KEYS[0], "llm") is None
    cache.close()
    cache.close()


def test_two_runs_at_once_do_not_mix_their_lines(tmp_path: Path) -> None:
    caches = [_open(tmp_path, f"r{number}") for number in (1, 2)]
    for number in range(200):
        caches[number % 2].keep({f"{number + 1:032x}": _VOTE})
    lines = [json.loads(line) for line in _file(tmp_path).read_bytes().splitlines()]

    assert len(lines) == 200
    assert _open(tmp_path, "r3").find(f"{200:032x}", "llm") is not None


def test_a_closed_one_finds_and_keeps_nothing(kept: Path) -> None:
    cache, before = _open(kept), _file(kept).read_bytes()
    cache.close()
    cache.keep({_KEYS[3]: _VOTE})

    assert cache.find(_KEYS[0], "llm") is None
    assert _file(kept).read_bytes() == before
