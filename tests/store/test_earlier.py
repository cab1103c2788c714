"""Run files of an earlier tool: all of them load, and what they hold is counted, not believed."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.model.run import RunStatus
from engine.store import earlier, history
from engine.store.index import list_runs

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "search-quality-runs"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the real run files are not beside this checkout")


def evaluation(text: str, overall: float, **more: object) -> dict[str, object]:
    return {
        "type": "query_evaluation",
        "data": {
            "query": {"query": text, "intent": "i"},
            "searchResults": [{"source": "a.md", "snippet": "s", "score": 1}],
            "evaluation": {"scores": {"snippetQuality": 0.5, "overall": overall}},
            **more,
        },
    }


START: dict[str, object] = {
    "type": "run_start",
    "timestamp": "2025-01-01T00:00:00.000Z",
    "config": {"queryCount": 5, "querySet": "core", "corpusVersion": "1.0.0", "searchMode": "hybrid"},
}
SUMMARY: dict[str, object] = {"type": "run_summary", "data": {"totalQueries": 2}}


def written(path: Path, *lines: Mapping[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@real
def test_every_real_file_lists() -> None:
    """A99, A130, A68: each run with its set, count and mean; the two without a summary are interrupted."""
    found, problems = list_runs(DATA, keep=False)

    assert problems == ()
    assert len(found) == len(list(DATA.rglob("*.jsonl"))) >= 20
    listed = {run.id: run for run in found}
    first = listed["2025-12-17T22-32-30"]
    assert (first.queries, first.query_count, first.status, first.reviewed) == ("core", 15, RunStatus.COMPLETE, 0)
    overall = first.averages["overall"]
    assert (f"{overall.mean:.2f}", overall.total, overall.graded) == ("0.43", "6.52", 15)
    assert [run.id for run in found if run.status is RunStatus.INTERRUPTED] == [
        "2025-12-28T15-39-09",
        "2025-12-17T23-35-30",
    ]
    assert [run.id for run in found] == sorted(listed, reverse=True)
    assert {run.graded_by for run in found} == {"AI"}
    assert all(list(run.averages) == ["relevance", "ranking", "coverage", "snippet", "overall"] for run in found)


@real
def test_every_real_file_shows_and_agrees_with_its_own_summary() -> None:
    """The means that are added up here round to those that the earlier tool wrote."""
    for path in DATA.rglob("*.jsonl"):
        folded = earlier.fold(path)
        assert folded.problems == ()
        assert len({(result.query_id, result.repeat) for result in folded.results}) == len(folded.results) >= 1
        assert all(result.hits for result in folded.results)
        last = json.loads(path.read_bytes().splitlines()[-1])
        if last["type"] != "run_summary":
            continue
        assert last["data"]["totalQueries"] == len(folded.results)
        for name, mean in last["data"]["averageScores"].items():
            found = folded.averages[{"snippetQuality": "snippet"}.get(name, name)].mean
            assert found == pytest.approx(mean, abs=0.005001), (path, name)


@real
def test_a_declared_number_that_is_not_true_is_said() -> None:
    run = earlier.info(DATA / "runs" / "2025-12-18T12-26-55.jsonl")

    assert (run.query_count, run.done, run.planned) == (60, 60, 60)
    assert run.notes == ("declares 15 queries, holds 60 evaluations",)


@real
def test_runs_of_other_queries_have_other_content() -> None:
    """Early and late `core` are other queries; the same queries have the same content in every run."""
    content = {run.id: run.set_sha256 for run in list_runs(DATA, keep=False)[0]}

    assert content["2025-12-17T22-32-30"] == content["2025-12-17T23-45-05"]
    assert content["2025-12-17T22-32-30"] != content["2025-12-29T15-15-49"]
    assert content["2025-12-29T14-00-41"] == content["2025-12-29T15-15-49"]


@real
def test_a_run_is_found_by_the_beginning_of_its_id() -> None:
    """A101."""
    assert history.find(DATA, "2025-12-17T22").id == "2025-12-17T22-32-30"
    with pytest.raises(UsageError, match="is the beginning of 3 runs"):
        history.find(DATA, "2025-12-17")


@real
def test_nothing_is_written_beside_earlier_files(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(DATA / "archive", copy)
    before = sorted(path.name for path in copy.iterdir())

    list_runs(copy, keep=False)

    assert sorted(path.name for path in copy.iterdir()) == before


def test_a_query_without_an_id_is_named_by_its_words(tmp_path: Path) -> None:
    long = "how " * 40
    path = written(
        tmp_path / "r.jsonl", START, evaluation("Zod schema?", 0.5), evaluation(long, 0.5), evaluation("!", 1)
    )

    names = [result.query_id for result in earlier.fold(path).results]

    assert names[0] == "zod-schema"
    assert names[1].startswith("how-how-")
    assert len(names[1]) == 67
    assert len(names[2]) == 6


def test_the_same_query_twice_is_a_repeat(tmp_path: Path) -> None:
    """A126."""
    path = written(tmp_path / "r.jsonl", START, evaluation("a", 0.2), evaluation("a", 0.4))

    assert [(result.query_id, result.repeat) for result in earlier.fold(path).results] == [("a", 1), ("a", 2)]


def test_reviews_are_read(tmp_path: Path) -> None:
    """A112: `hil`, with and without a judgment; a summary over no reviews does not count as one."""
    path = written(
        tmp_path / "r.jsonl",
        START,
        evaluation("a", 0.2, hil={"reviewed": True, "judgment": "good", "humanScore": 1.0}),
        evaluation("b", 0.4, hil={"reviewed": False}),
        {"type": "run_summary", "data": {"totalQueries": 2, "hilReview": {"queriesReviewed": 0}}},
    )

    assert earlier.info(path).reviewed == 1
    assert [result.judgment for result in earlier.fold(path).results] == ["good", None]


def test_a_damaged_line_is_named_and_the_rest_is_usable(tmp_path: Path) -> None:
    """A102: damaged and blank lines; a torn last line is passed over."""
    path = written(tmp_path / "r.jsonl", START, evaluation("a", 0.2))
    text = path.read_text("utf-8")
    path.write_text(text + '{"half\n\n{"type":"odd"}\n' + json.dumps(evaluation("b", 0.4)) + '\n{"torn', "utf-8")

    folded = earlier.fold(path)

    assert [result.query_id for result in folded.results] == ["a", "b"]
    assert [problem.place.removeprefix(str(path)).split(":")[1] for problem in folded.problems] == ["3", "4", "5"]


@pytest.mark.parametrize("score", ['"0.5"', "true", "[]", "7", "-0.25"])
def test_a_score_that_is_no_number_is_no_score(tmp_path: Path, score: str) -> None:
    """A61: the evaluation is named as damaged, never counted as 0."""
    path = written(tmp_path / "r.jsonl", START, evaluation("a", 0.25), evaluation("b", 0.5))
    path.write_text(path.read_text("utf-8").replace('"overall": 0.25', f'"overall": {score}'), "utf-8")

    folded = earlier.fold(path)
    assert [result.query_id for result in folded.results] == ["b"]
    assert len(folded.problems) == 1


def test_failed_queries_are_counted_and_never_scored(tmp_path: Path) -> None:
    """A65: what the summary says failed keeps the run from looking whole."""
    ending = {"type": "run_summary", "data": {"totalQueries": 3, "failedQueries": 1}}
    run = earlier.info(written(tmp_path / "r.jsonl", START, evaluation("a", 0.5), evaluation("b", 0.5), ending))

    assert (run.planned, run.done, run.failed) == (3, 2, 1)
    assert run.averages["overall"].planned == 3


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "queries.jsonl", {"id": "a", "query": "b"})
    (tmp_path / "empty.jsonl").write_bytes(b"")

    found, problems = list_runs(tmp_path, keep=False)

    assert found == ()
    assert sum("no run_start line" in problem.message for problem in problems) == 2


def test_runs_one_level_below_are_found_and_links_are_not(tmp_path: Path) -> None:
    """S15."""
    (tmp_path / "archive" / "deep").mkdir(parents=True)
    written(tmp_path / "a.jsonl", START, SUMMARY)
    written(tmp_path / "archive" / "b.jsonl", START, SUMMARY)
    written(tmp_path / "archive" / "deep" / "c.jsonl", START, SUMMARY)
    (tmp_path / "d.jsonl").symlink_to(tmp_path / "a.jsonl")

    assert {run.id for run in list_runs(tmp_path, keep=False)[0]} == {"a", "b"}


def test_an_id_in_two_folders_is_ambiguous(tmp_path: Path) -> None:
    """A101."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        written(tmp_path / name / "a.jsonl", START, SUMMARY)

    with pytest.raises(UsageError, match="say which folder"):
        history.find(tmp_path, "a")
    assert history.find(tmp_path / "one", "a").id == "a"
