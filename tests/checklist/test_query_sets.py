"""Query sets through `assay run`: by name, all of them, joined, and what a run keeps of them."""

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.errors import UsageError
from engine.store.query_document import read_file
from tests.workspaces import QUERIES, workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three sets: core, other with one query more, and a generated one."""
    other = QUERIES.replace("1.0.0", "2.0.0") + "  - {id: four, query: what is a set, intent: set, category: a}\n"
    return workspace(tmp_path, {"conf/query_sets/other.yaml": other, "conf/query_sets/generated/new.yaml": QUERIES})


def _run(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object], str]:
    code = main(["--workspace", str(folder), "run", "--json", *words])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else {}, err


def _content(report: dict[str, object]) -> dict[str, dict[str, object]]:
    content: dict[str, dict[str, object]] = json.loads((Path(str(report["folder"])) / "run.json").read_text("utf-8"))
    return content


@pytest.mark.parametrize(
    ("words", "queries", "planned"),
    [
        ((), "core", 3),
        (("--set", "other"), "other", 4),
        (("--set=other",), "other", 4),
        (("--set", "all"), "core+other", 7),
        (("--set", "core", "--set", "other"), "core+other", 7),
        (("--set", "generated/*"), "generated/new", 3),
        (("--set=generated/n*",), "generated/new", 3),
    ],
    ids=["none", "blank", "equals", "all", "twice", "pattern", "pattern-equals"],
)
def test_a_run_asks_the_set_it_was_told_to(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], queries: str, planned: int
) -> None:
    """A12, A13, A14, A15, A16: by name, with `=` or a blank; all curated ones; a pattern; core when nothing is said."""
    code, report, err = _run(folder, capsys, *words)

    assert code == 0, err
    assert (report["queries"], report["planned"], report["done"]) == (queries, planned, planned)


def test_a_run_of_several_sets_lists_each_with_its_hash(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A18, A21: `set:id` in the records, name, version and hash of every member in `run.json`."""
    _, report, _ = _run(folder, capsys, "--set", "all")
    content = _content(report)
    lines = (Path(str(report["folder"])) / "results.jsonl").read_text("utf-8").splitlines()
    trials = [entry["data"] for entry in map(json.loads, lines) if entry["type"] == "trial"]

    assert content["info"]["set_version"] == "core@1.0.0+other@2.0.0"
    assert content["details"]["query_sets"] == [
        {"name": name, "version": version, "sha256": read_file(path, name).sha256, "queries": number}
        for name, version, number in (("core", "1.0.0", 3), ("other", "2.0.0", 4))
        for path in [folder / "conf" / "query_sets" / f"{name}.yaml"]
    ]
    assert {(trial["set"], trial["query_id"]) for trial in trials} >= {("core", "core:one"), ("other", "other:four")}


def test_the_history_of_a_joined_set_is_found_by_the_original_id(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A18: `four` finds `other:four`, in every run of the same sets."""
    for _ in range(2):
        _run(folder, capsys, "--set", "all")

    assert main(["--workspace", str(folder), "runs", "trend", "four"]) == 0
    assert "(other:four), overall in" in capsys.readouterr().out


def test_an_edit_without_a_new_version_is_said_before_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A11: the set was run before under this version with other content; a new version is no such note."""
    core = folder / "conf" / "query_sets" / "core.yaml"
    _, _, first = _run(folder, capsys)
    core.write_text(QUERIES.replace("what is a lambda", "what are lambdas"), "utf-8")
    _, _, edited = _run(folder, capsys)
    core.write_text(QUERIES.replace("what is a lambda", "what are these").replace("1.0.0", "1.1.0"), "utf-8")
    _, _, bumped = _run(folder, capsys)

    assert "core 1.0.0 is not what was run before under this version" in edited
    assert "not what was run before" not in first + bumped


def test_an_id_is_never_made_up(tmp_path: Path) -> None:
    """F65: without an id there is no query, so no id can follow its position in the file."""
    path = tmp_path / "a.yaml"
    path.write_text("version: 1.0.0\nqueries:\n  - {query: q, intent: i, category: c}\n", "utf-8")

    with pytest.raises(UsageError) as caught:
        read_file(path, "a", "a.yaml")
    assert "a.yaml:3:5: queries.0.id: is missing" in str(caught.value)


def test_the_order_of_a_set_changes_no_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """F65: a trial is known by what it asks, not by its place."""

    def keys(report: dict[str, object]) -> dict[str, str]:
        plan = json.loads((Path(str(report["folder"])) / "plan.json").read_text("utf-8"))
        return {trial["query_id"]: trial["key"] for trial in plan["trials"]}

    _, first, _ = _run(folder, capsys)
    head, *rows = QUERIES.partition("queries:\n")[2].splitlines(keepends=True)
    text = QUERIES.partition("queries:\n")[0] + "queries:\n" + "".join([*reversed(rows), head])
    (folder / "conf" / "query_sets" / "core.yaml").write_text(text, "utf-8")
    _, turned, _ = _run(folder, capsys)

    assert keys(first) == keys(turned)
    assert len(set(keys(first).values())) == 3
