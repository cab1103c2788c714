"""A run over recorded answers: what is shown and kept of empty, odd, missing and failed ones."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.execute.session import focus
from engine.model.run import Average
from tests.workspaces import ROOT, assay, workspace

SETS = """\
version: 1.0.0
queries:
  - {id: one, query: how does with work, intent: i, category: a, relevant: {with: 3}}
  - {id: two, query: what is a lambda, intent: i, category: a, relevant: {lambda: 3}}
  - {id: three, query: nobody judged this, intent: i, category: a}
"""


class Desk:
    """A workspace whose target replays the answers it was given last."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = {"conf/query_sets/core.yaml": SETS, "conf/target/played.yaml": "kind: replay\nfile: answers.jsonl\n"}
        self.folder, self._capsys = workspace(folder, files), capsys

    def answers(self, hits: Mapping[str, Sequence[object]]) -> None:
        lines = (json.dumps({"id": name, "hits": found}) + "\n" for name, found in hits.items())
        (self.folder / "answers.jsonl").write_text("".join(lines), "utf-8")

    def do(self, *words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(self.folder), *words])
        out, err = self._capsys.readouterr()
        return code, out, err

    def run(self, *words: str) -> tuple[int, dict[str, object]]:
        code, out, _ = self.do("run", "--json", "target=played", *words)
        report: dict[str, object] = json.loads(out)
        return code, report


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


GOOD = {"source": "with", "title": "with", "snippet": "how with works"}


def test_a_query_that_finds_nothing_is_listed_and_counts_0(desk: Desk) -> None:
    """A64, F23: shown as "no results", recorded with an empty list, coverage 0, in the denominator, exit 0."""
    desk.answers({"one": [GOOD], "two": []})

    code, out, _ = desk.do("run", "target=played", "cases=[one,two]")
    _, report = desk.run("cases=[one,two]")
    lines = (Path(str(report["folder"])) / "results.jsonl").read_text("utf-8").splitlines()
    trials = {e["data"]["query_id"]: e["data"] for e in map(json.loads, lines) if e["type"] == "trial"}

    assert code == 0
    assert "  → no results\n" in out
    assert trials["two"]["turns"][0]["answer"]["hits"] == []
    assert trials["two"]["scores"]["coverage"] == trials["two"]["scores"]["overall"] == 0
    assert trials["two"]["measures"]["recall@10"] == 0
    averages = report["averages"]
    assert isinstance(averages, dict)
    coverage = averages["coverage"]
    assert (coverage["mean"], Decimal(coverage["total"]), coverage["graded"], coverage["planned"]) == (
        0.5,
        Decimal(1),
        2,
        2,
    )


def test_what_cannot_be_graded_or_answered_leaves_the_mean_and_is_counted(desk: Desk) -> None:
    """F01, F03, F05, A65: of three queries one is graded, one ungraded, one failed; no minimum of 0, exit 3."""
    desk.answers({"one": [GOOD], "three": [GOOD]})

    code, report = desk.run()
    _, out, _ = desk.do("run", "target=played", "--silent")

    assert code == 3
    assert (report["planned"], report["done"], report["failed"]) == (3, 2, 1)
    averages = report["averages"]
    assert isinstance(averages, dict)
    assert (averages["coverage"]["mean"], averages["coverage"]["graded"], averages["coverage"]["planned"]) == (1, 1, 3)
    assert report["ungraded"] == {"nobody judged this query": 1}
    assert "(1 of 3 graded, 1 failed)" in out


def test_a_run_without_any_answer_is_no_evaluation(desk: Desk) -> None:
    """A81, A65: exit 4, status failed, no mean, and it can be no baseline."""
    desk.answers({"other": []})

    code, report = desk.run()

    assert code == 4
    assert (report["status"], report["failed"], report["averages"]) == ("failed", 3, {})
    refused, _, said = desk.do("baseline", "set", str(report["run"]))
    assert refused == 2
    assert "failed" in said


def test_odd_scores_and_long_snippets_are_shown_in_one_line(desk: Desk) -> None:
    """A76, A80: negative and missing scores; newlines gone, cut at 120; a score that is no number fails its trial."""
    long = "with\nline two\r\n\tthree " + "x" * 500
    desk.answers(
        {
            "one": [{"source": "with", "score": -3.25, "snippet": long}, {"source": "b", "snippet": "s"}],
            "two": [{"source": "a", "score": "1.5"}],
            "three": [{"source": f"d{n}", "score": 0} for n in range(8)],
        }
    )

    code, out, _ = desk.do("run", "target=played")
    lines = out.splitlines()

    assert code == 3
    assert "  → 1. [-3.25] with" in lines
    assert "  → 2. b" in lines
    (snippet,) = (line for line in lines if "line two" in line)
    assert snippet.startswith('       "with line two three xxx')
    assert snippet.endswith('…"')
    assert len(snippet.strip().strip('"')) <= 120
    assert any(line.startswith("  ✗ failed: schema_invalid: answers.jsonl:2: hits[0]") for line in lines)
    assert lines.count("  → 5. [0.00] d4") == 1
    assert "  … 3 more" in lines
    assert not any("] d5" in line for line in lines)


def _means(**means: float | None) -> dict[str, Average]:
    return {name: Average(None, mean, 1, 1) for name, mean in means.items()}


@pytest.mark.parametrize(
    ("averages", "lowest"),
    [
        (_means(relevance=0.5, ranking=0.4, coverage=0.6, overall=0.1), "ranking"),
        (_means(relevance=0.5, ranking=0.4, coverage=0.4, overall=0.4), "ranking"),
        (_means(coverage=0.4, ranking=0.4), "coverage"),
        (_means(relevance=None, ranking=0.9, coverage=0.95), "ranking"),
        (_means(relevance=1.0, ranking=1.0, overall=1.0), None),
        (_means(relevance=0.1, overall=0.1), None),
        (_means(relevance=None, overall=None), None),
        ({}, None),
    ],
)
def test_the_lowest_score_is_the_focus(averages: dict[str, Average], lowest: str | None) -> None:
    """A71: never overall; of equal ones the first in the rubric's order; None when there is nothing to choose."""
    assert focus(averages) == lowest


def test_the_focus_is_shown_and_recorded(desk: Desk) -> None:
    """A71: beside its mean, in the summary record and in `run.json`."""
    desk.answers({"one": [{"source": "x"}, {"source": "y"}, GOOD]})

    _, out, _ = desk.do("run", "target=played", "cases=[one]")
    _, report = desk.run("cases=[one]")

    (line,) = (line for line in out.splitlines() if "the lowest, look here first" in line)
    assert line.split()[0] == report["focus"] != "overall"
    folder = Path(str(report["folder"]))
    assert json.loads((folder / "run.json").read_text("utf-8"))["info"]["focus"] == report["focus"]
    assert json.loads((folder / "results.jsonl").read_bytes().splitlines()[-1])["data"]["focus"] == report["focus"]


def test_a_run_keeps_rubric_revision_and_the_options_of_the_search(tmp_path: Path) -> None:
    """A62, A63, A72: exact rubric text, commit and whether it was changed, snippet length, corpus hash, versions."""
    folder = workspace(tmp_path)
    git = ["git", "-c", "user.email=a@example.org", "-c", "user.name=a", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "conf"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)

    clean = json.loads(assay(folder, "run", "--json", "target.snippet_words=5").stdout)
    core = folder / "conf" / "query_sets" / "core.yaml"
    core.write_text(core.read_text("utf-8") + "# a remark\n", "utf-8")
    dirty = json.loads(assay(folder, "run", "--json", "target.snippet_words=5").stdout)

    for report, changed in ((clean, False), (dirty, True)):
        run = Path(report["folder"])
        content = json.loads((run / "run.json").read_text("utf-8"))
        assert content["details"]["revision"] == {"commit": commit.stdout.strip(), "dirty": changed}
        assert content["details"]["target"]["snippet_words"] == content["info"]["settings"]["target.snippet_words"] == 5
        assert content["details"]["target"]["tokenizer"] == "unicode61"
        assert content["details"]["versions"].keys() == {"engine", "python"}
        assert content["details"]["judge"] == {"kind": "none"}
        assert len(content["info"]["corpus"]) == 64
        assert (run / "rubric.rubric").read_text("utf-8") == (ROOT / "rubrics" / "search.rubric").read_text("utf-8")
        trial = json.loads((run / "results.jsonl").read_text("utf-8").splitlines()[1])["data"]
        snippets = [hit["snippet"] for hit in trial["turns"][0]["answer"]["hits"]]
        assert snippets
        assert max(len(snippet.split()) for snippet in snippets) <= 6


def test_own_limits_of_one_score_come_from_the_settings(desk: Desk) -> None:
    """A84, A83: `compare.dimensions` reaches the comparison and the baseline."""
    own = "compare.dimensions={coverage: {regression: 0.4}}"
    better, worse = [GOOD], [{"source": f"x{n}"} for n in range(2)]
    three = {f"q{n}": n for n in range(3)}
    rows = "".join(f"  - {{id: {q}, query: with, intent: i, category: a, relevant: {{with: 3}}}}\n" for q in three)
    (desk.folder / "conf/query_sets/core.yaml").write_text(f"version: 1.0.0\nqueries:\n{rows}", "utf-8")
    desk.answers(dict.fromkeys(three, better))
    _, first = desk.run(own)
    desk.do("baseline", "set", str(first["run"]))
    _, shown, _ = desk.do("baseline", "show", "core")
    desk.answers({q: better if n else worse for q, n in three.items()})
    path = next((desk.folder / "baselines").glob("*.json"))
    _, second = desk.run(own)
    baseline = json.loads(path.read_text("utf-8"))
    settings = json.loads((Path(str(second["folder"])) / "run.json").read_text("utf-8"))["info"]["settings"]
    baseline["run"]["settings"] = settings  # other answers are another target; here they stand for a worse system
    path.write_text(json.dumps(baseline), "utf-8")

    _, report = desk.run(own)
    comparison = report["comparison"]

    assert "coverage: a drop above 0.4 is a regression" in shown
    assert isinstance(comparison, dict)
    changes = {name: (found["change"], found["limit"]) for name, found in comparison["dimensions"].items()}
    assert changes["coverage"] == ("within limits", "0.4")
    assert changes["ranking"] == ("regression", "0.05")


def test_a_run_in_full_begins_with_id_number_and_overall(desk: Desk) -> None:
    """A103."""
    desk.answers({"one": [GOOD], "two": [GOOD], "three": []})
    _, report = desk.run("cases=[one,two]")
    averages = report["averages"]
    assert isinstance(averages, dict)

    _, out, _ = desk.do("runs", "show", str(report["run"]))

    head = out.splitlines()[0]
    assert head.startswith(f"{report['run']}  core  2 queries  overall={averages['overall']['mean']:.2f}  ")


def _index(folder: Path) -> tuple[Path, int]:
    (path,) = (folder / ".assay" / "corpus").glob("*.sqlite")
    return path, path.stat().st_ino


def test_the_index_is_shown_and_built_anew(desk: Desk) -> None:
    """A91, A93: contents with numbers and hash; `build` makes the file again and finds what changed."""
    docs = desk.folder / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# A\n\nparrot\n", "utf-8")
    words = ("target=folder", "target.path=docs")

    _, before, _ = desk.do("corpus", "show", *words)
    code, built, _ = desk.do("corpus", "build", *words)
    first = _index(desk.folder)
    _, again, _ = desk.do("corpus", "build", *words)
    second = _index(desk.folder)
    (docs / "b.md").write_text("# B\n\n## C\n\ncat\n", "utf-8")
    _, stale, _ = desk.do("corpus", "show", *words)
    _, rebuilt, _ = desk.do("corpus", "build", *words)

    assert code == 0
    assert "index      missing" in before
    assert "index      fresh" in built
    assert "1 document, 1 section" in built
    assert built == again
    assert second != first, "made anew"
    assert "index      stale" in stale
    assert "+1" in stale
    assert "2 documents" in rebuilt
    assert built.partition("sha256")[2].split()[0] != rebuilt.partition("sha256")[2].split()[0]


def test_a_missing_corpus_is_found_before_there_is_a_run(desk: Desk) -> None:
    """A56: exit 2, and no run folder."""
    code, out, err = desk.do("run", "target=folder", "target.path=nowhere")

    assert (code, out) == (2, "")
    assert "there is no folder nowhere" in err
    assert not (desk.folder / "runs").exists()


def test_resume_refuses_other_documents(desk: Desk) -> None:
    """R7: the documents changed since the run was planned; exit 2, nothing added."""
    (desk.folder / "docs").mkdir()
    (desk.folder / "docs" / "a.md").write_text("with", "utf-8")
    _, out, _ = desk.do("run", "--json", "target=folder", "target.path=docs", "cases=[one]")
    run = Path(json.loads(out)["folder"])
    before = (run / "results.jsonl").read_bytes()
    (desk.folder / "docs" / "a.md").write_text("with more", "utf-8")

    code, _, err = desk.do("run", "--resume", run.name)

    assert code == 2
    assert "corpus: " in err
    assert "when planned" in err
    assert (run / "results.jsonl").read_bytes() == before
