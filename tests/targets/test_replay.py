"""The replay target: recorded answers, each found by its query, none made up."""

import asyncio
import hashlib
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.model.exchange import Answer, Hit, ToolCall, Turn
from engine.model.record import Failure, TargetFailure
from engine.model.target import Surroundings, Target
from engine.targets.replay import Replay
from tests.doubles import NoCalls, NoNetwork

RUN = "2026-01-31T09-15-00-1a2b"


@contextmanager
def _replay(folder: Path, lines: list[object] | bytes, said: list[str] | None = None) -> Iterator[Target]:
    """A target over a file of answers."""
    data = lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode()
    (folder / "answers.jsonl").write_bytes(data)
    with Replay(file="answers.jsonl").open(_surroundings(folder, said)) as target:
        yield target


@contextmanager
def _replay_run(folder: Path, journal: str, said: list[str] | None = None) -> Iterator[Target]:
    """A target over the journal of a run."""
    (folder / "runs" / RUN).mkdir(parents=True)
    (folder / "runs" / RUN / "results.jsonl").write_text(journal, encoding="utf-8")
    with Replay(run=RUN).open(_surroundings(folder, said)) as target:
        yield target


def _surroundings(folder: Path, said: list[str] | None = None) -> Surroundings:
    lines: list[str] = [] if said is None else said
    return Surroundings(folder, folder / ".assay", folder / "runs", lines.append, NoNetwork())


def _ask(target: Target, query_id: str) -> Answer:
    return asyncio.run(target.answer(Turn("whatever is said", query_id), (), NoCalls()))


def _trial(query_id: str, key: str, repeat: int = 1, **data: object) -> str:
    hits = [{"rank": 1, "source": f"{key}.md", "title": "T", "score": 2.5, "snippet": "s"}]
    turns = [{"say": "?", "answer": {"text": None, "hits": hits, "citations": None, "tool_calls": None}}]
    content = {"key": key, "query_id": query_id, "repeat": repeat, "status": "done", "turns": turns, **data}
    return json.dumps({"type": "trial", "v": 1, "at": "2026-01-31T09:15:00.000Z", "seq": 1, "data": content}) + "\n"


def test_a_whole_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    whole = {
        "id": "q-1",
        "hits": [{"source": "a", "title": "A", "snippet": "about a", "score": 2}, {"source": "b"}],
        "text": "It is a.",
        "citations": ["a"],
        "tool_calls": [{"name": "lookup", "arguments": {"id": "7"}}, {"name": "end"}],
    }
    with _replay(tmp_path, [{"id": "q-0", "results": ["x", "y"]}, whole, {"id": "q-2", "hits": []}]) as target:
        full, plain, empty = _ask(target, "q-1"), _ask(target, "q-0"), _ask(target, "q-2")

    assert full.hits == (Hit(1, "a", 2, "A", "about a"), Hit(2, "b"))
    assert (full.text, full.citations) == ("It is a.", ("a",))
    assert full.tool_calls == (ToolCall("lookup", {"id": "7"}), ToolCall("end"))
    assert plain.hits == (Hit(1, "x"), Hit(2, "y"))
    assert (plain.text, plain.citations, plain.tool_calls) == (None, None, None)
    assert empty.hits == ()
    assert full.latency_s["replay"] < 1


def test_a_query_without_an_answer_is_a_failure_not_a_zero(tmp_path: Path) -> None:
    """A65."""
    with _replay(tmp_path, [{"id": "q-1", "hits": []}]) as target, pytest.raises(TargetFailure) as raised:
        _ask(target, "q-2")

    assert raised.value.failure is Failure.OTHER
    assert "answers.jsonl holds no answer for q-2" in str(raised.value)


def test_a_document_returned_twice_counts_where_it_first_stands(tmp_path: Path) -> None:
    """F19."""
    answer = {"id": "q-1", "hits": [{"source": "a", "score": 3}, {"source": "a", "score": 2}, {"source": "b"}]}
    with _replay(tmp_path, [answer, {"id": "q-2", "results": ["a", "a", "a", "b", "b"]}]) as target:
        one, two = _ask(target, "q-1"), _ask(target, "q-2")

    assert one.hits == (Hit(1, "a", 3), Hit(2, "b"))
    assert one.notes == ("dropped 1 hit returned before: a",)
    assert two.notes == ("dropped 3 hits returned before: a, b",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "there are no answers in it", id="empty"),
        pytest.param(b'{"id": "q"', "answers.jsonl:1", id="torn"),
        pytest.param(b"[]", "answers.jsonl:1: a line must be an object", id="list"),
        pytest.param(b'{"hits": []}', '"id" is missing', id="no-id"),
        pytest.param(b'{"id": 1, "hits": []}', '"id" must be text', id="number-id"),
        pytest.param(b'{"id": "q", "hit": []}', 'did you mean "hits"?', id="typo"),
        pytest.param(b'{"id": "q"}', "neither hits, results nor text", id="nothing"),
        pytest.param(b'{"id": "q", "hits": [], "results": []}', "both given", id="both"),
        pytest.param(b'{"id": "q", "hits": [{"source": "a", "score": NaN}]}', "answers.jsonl:1", id="nan"),
        pytest.param(b'{"id": "q", "hits": [], "hits": []}', "answers.jsonl:1", id="key-twice"),
        pytest.param(b'\n{"id": "q", "text": "\xff"}', "answers.jsonl:2", id="invalid-utf-8"),
        pytest.param(
            b'{"id": "q", "hits": []}\r\n\r\n{"id": "q", "hits": []}',
            'answers.jsonl:3: "q" is answered twice; the first answer is answers.jsonl:1',
            id="answered-twice",
        ),
    ],
)
def test_a_file_with_a_mistake_is_refused_before_the_first_query(tmp_path: Path, data: bytes, message: str) -> None:
    """A56, J1-J4."""
    with pytest.raises(UsageError) as raised, _replay(tmp_path, data):
        pass

    assert message in str(raised.value)


@pytest.mark.parametrize(
    "part",
    [
        {"hits": {}},
        {"hits": [7]},
        {"hits": [{}]},
        {"hits": [{"source": ""}]},
        {"hits": [{"source": "a", "score": "1"}]},
        {"hits": [{"source": "a", "score": True}]},
        {"hits": [{"source": "a", "title": 1}]},
        {"hits": [{"source": "a", "snippet": []}]},
        {"results": [None]},
        {"results": [""]},
        {"text": 1},
        {"text": "", "citations": "a"},
        {"text": "", "citations": [1]},
        {"text": "", "tool_calls": {}},
        {"text": "", "tool_calls": [{}]},
        {"text": "", "tool_calls": [{"name": "x", "arguments": {"n": 1}}]},
    ],
    ids=repr,
)
def test_an_answer_of_another_shape_fails_its_trial_and_no_other(tmp_path: Path, part: dict[str, object]) -> None:
    with _replay(tmp_path, [{"id": "bad", **part}, {"id": "good", "hits": []}]) as target:
        with pytest.raises(TargetFailure, match=r"answers\.jsonl:1") as raised:
            _ask(target, "bad")
        assert raised.value.failure is Failure.SCHEMA_INVALID
        assert _ask(target, "good").hits == ()


def test_identity_is_the_content_of_the_file(tmp_path: Path) -> None:
    with _replay(tmp_path, b'\xef\xbb\xbf{"id": "q", "hits": []}\r\n') as target:
        data = (tmp_path / "answers.jsonl").read_bytes()
        assert target.identity == {"kind": "replay", "sha256": hashlib.sha256(data).hexdigest()}
        assert target.corpus_sha256 is None
        assert _ask(target, "q").hits == ()


def test_a_file_that_changes_while_it_is_replayed_is_noticed(tmp_path: Path) -> None:
    with _replay(tmp_path, [{"id": "q-1", "results": ["a"]}, {"id": "q-2", "results": ["b"]}]) as target:
        text = (tmp_path / "answers.jsonl").read_text(encoding="utf-8")
        (tmp_path / "answers.jsonl").write_text(text.replace('"b"', '"c"'), encoding="utf-8")
        with pytest.raises(TargetFailure, match="was changed"):
            _ask(target, "q-2")


def test_a_recorded_run_answers_again(tmp_path: Path) -> None:
    """Repeats, a trial written twice, a cut trial, a failed one, and the torn last line of a killed run."""
    journal = (
        '{"type": "run_start", "v": 1, "at": "", "seq": 0, "data": {}}\n'
        + _trial("cut", "cut-1", status="cut", turns=[])
        + _trial("q-1", "second", repeat=2)
        + _trial("q-1", "first", repeat=1)
        + _trial("q-1", "third", repeat=3)
        + _trial("q-2", "same", turns=[{"say": "?", "answer": {"hits": [], "extra": 1}}])
        + _trial("q-2", "same")
        + _trial("late", "late", status="failed", failure="timeout", turns=[])
        + _trial("cut", "cut-1")
        + _trial("torn", "torn")[:-40]
    )
    said: list[str] = []
    with _replay_run(tmp_path, journal, said) as target:
        assert _ask(target, "q-1").hits == (Hit(1, "first.md", 2.5, "T", "s"),)
        assert _ask(target, "q-2").hits == ()
        assert _ask(target, "cut").hits == (Hit(1, "cut-1.md", 2.5, "T", "s"),)
        with pytest.raises(TargetFailure) as late:
            _ask(target, "late")
        with pytest.raises(TargetFailure, match="no answer for torn"):
            _ask(target, "torn")
        assert target.identity["run"] == RUN

    assert late.value.failure is Failure.TIMEOUT
    assert any("last line is incomplete" in line for line in said)
    assert any("2 further repeats left out" in line for line in said)


def test_two_different_trials_of_one_query_are_ambiguous(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r'results\.jsonl:2: "q" is answered twice'),
        _replay_run(tmp_path, _trial("q", "baseline") + _trial("q", "candidate")),
    ):
        pass


def _begin(folder: Path, name: str, replayed: str = "null") -> None:
    run = folder / "runs" / name
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}", encoding="utf-8")
    (run / "config.yaml").write_text(f"target: {{kind: replay, run: {replayed}}}\n", encoding="utf-8")
    (run / "results.jsonl").write_text(_trial("q", name), encoding="utf-8")


def test_the_beginning_of_an_id_is_enough(tmp_path: Path) -> None:
    """A101: the identity has the id in full. Begun so, a run can go on although its own id begins so too."""
    _begin(tmp_path, RUN)
    _begin(tmp_path, "2026-02-01T09-15-00-1a2b")
    _begin(tmp_path, "2026-01-31T10-00-00-ffff", replayed="2026-01")

    with Replay(run="2026-01").open(_surroundings(tmp_path)) as target:
        assert target.identity["run"] == RUN
        assert target.sources is None
        assert _ask(target, "q").hits


def test_a_beginning_that_is_unknown_or_fits_several_lists_what_there_is(tmp_path: Path) -> None:
    """A101."""
    _begin(tmp_path, RUN)
    _begin(tmp_path, "2026-01-31T10-00-00-ffff", replayed=RUN)

    for wanted, message in (("2026-01", "is the beginning of 2 runs"), ("2027", "there is no run")):
        with pytest.raises(UsageError, match=message) as raised, Replay(run=wanted).open(_surroundings(tmp_path)):
            pass
        assert RUN in str(raised.value)


@pytest.mark.parametrize("run", ["../../etc", "a\0b", "", "C:\\x", "2026-01-31T09-15-00-ffff"])
def test_a_run_that_is_not_there_or_leads_elsewhere_is_refused(tmp_path: Path, run: str) -> None:
    """F53."""
    with pytest.raises(UsageError), Replay(run=run).open(_surroundings(tmp_path)):
        pass


@pytest.mark.parametrize("file", ["", "a\0b", "missing.jsonl", "."])
def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path, file: str) -> None:
    with pytest.raises(UsageError), Replay(file=file).open(_surroundings(tmp_path)):
        pass


def test_memory_does_not_follow_the_length_of_the_answers(tmp_path: Path) -> None:
    """F61: 10,000 answers of 2 KB are 20 MB on the disk."""
    many, snippet = 10_000, "word " * 40
    with (tmp_path / "answers.jsonl").open("w", encoding="utf-8") as file:
        for number in range(many):
            hits = [{"source": f"d{number}-{rank}", "snippet": snippet} for rank in range(8)]
            file.write(json.dumps({"id": f"q-{number}", "hits": hits}) + "\n")
    size = (tmp_path / "answers.jsonl").stat().st_size

    with Replay(file="answers.jsonl").open(_surroundings(tmp_path)):  # imports and caches are warm after this
        pass
    tracemalloc.start()
    try:
        with Replay(file="answers.jsonl").open(_surroundings(tmp_path)) as target:
            last = _ask(target, f"q-{many - 1}")
            _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert last.hits
    assert last.hits[0].source == f"d{many - 1}-0"
    assert size > 19_000_000
    assert peak < size / 4
