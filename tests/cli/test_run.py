"""`assay run` as a person uses it: what it prints, what it writes, how it ends."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workspaces import ROOT, assay, workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workspace(tmp_path)


def runs_in(folder: Path) -> list[Path]:
    return (
        sorted(p for p in (folder / "runs").glob("*") if (p / "run.json").exists())
        if (folder / "runs").exists()
        else []
    )


def test_verbose_shows_progress_results_and_scores(folder: Path) -> None:
    """A57, A75, A76: the first screen of design 1."""
    done = assay(folder, "run")

    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0] == '[1/3] "how does with work"'
    assert lines[1].startswith("  → 1. [")
    assert lines[2].startswith('       "')
    assert any(line.startswith("  ✓ measured: relevance=") and " overall=" in line for line in lines)
    assert "  … 5 more" in lines
    assert any(line.startswith("📈 Average overall score: 0.") and line.endswith("(3 of 3 graded)") for line in lines)
    assert "? not compared: there is no baseline for core" in lines


def test_quiet_is_one_line_a_query(folder: Path) -> None:
    """A77."""
    done = assay(folder, "run", "--quiet")

    assert [line.split(" - ")[0] for line in done.stdout.splitlines()[:3]] == [
        '[1/3] "how does with work"',
        '[2/3] "what is a lambda"',
        '[3/3] "how do I raise an error"',
    ]
    assert all(" - overall: " in line for line in done.stdout.splitlines()[:3])


def test_silent_is_the_average_and_the_verdict(folder: Path) -> None:
    """A78, A82: without a baseline it says "not compared", never "no regressions"."""
    done = assay(folder, "run", "--silent")

    assert len(done.stdout.splitlines()) == 2
    assert "Average overall score" in done.stdout.splitlines()[0]
    assert done.stdout.splitlines()[1] == "? not compared: there is no baseline for core"
    assert "egression" not in done.stdout


def test_json_is_one_object(folder: Path) -> None:
    report = json.loads(assay(folder, "run", "--json").stdout)

    assert report["averages"]["overall"]["graded"] == report["planned"] == 3
    assert list(report["averages"]) == ["relevance", "ranking", "coverage", "snippet", "overall"]
    assert report["comparison"] == {
        "comparable": False,
        "why": ["there is no baseline for core"],
        "baseline": None,
        "dimensions": {},
    }


def test_quiet_together_with_silent_is_a_usage_error(folder: Path) -> None:
    """A79."""
    done = assay(folder, "run", "--quiet", "--silent")

    assert done.returncode == 2
    assert "not allowed with" in done.stderr
    assert not runs_in(folder)


def test_no_regressions_only_after_a_comparison(folder: Path) -> None:
    """A81, A83, A86."""
    first = json.loads(assay(folder, "run", "--json").stdout)["run"]
    assert assay(folder, "baseline", "set", first).returncode == 0

    done = assay(folder, "run", "--silent")

    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "✅ No regressions detected"


def test_a_regression_is_named_and_exits_1(folder: Path) -> None:
    """A81, A84: the same settings, a worse answer: here the replayed answers changed hands."""
    workspace(folder, {"conf/target/played.yaml": "kind: replay\nfile: answers.jsonl\n"})
    answers = folder / "answers.jsonl"
    good = [{"id": "one", "hits": ["with"]}, {"id": "two", "hits": ["lambda"]}, {"id": "three", "hits": ["raise"]}]
    answers.write_text(
        "".join(
            json.dumps(
                {"id": g["id"], "hits": [{"source": h, "snippet": "with lambda raise error"} for h in g["hits"]]}
            )
            + "\n"
            for g in good
        ),
        "utf-8",
    )
    first = json.loads(assay(folder, "run", "target=played", "--json").stdout)["run"]
    assay(folder, "baseline", "set", first)
    base = next((folder / "baselines").glob("*.json"))

    answers.write_text(
        "".join(
            json.dumps({"id": g["id"], "hits": [{"source": "nothing", "snippet": "with lambda raise error"}]}) + "\n"
            for g in good
        ),
        "utf-8",
    )
    changed = assay(folder, "run", "target=played", "--silent")
    # other answers are another target: not comparable, and it says what differs
    assert changed.returncode == 3
    assert "not compared: differs in setting target." in changed.stdout

    second = json.loads(assay(folder, "run", "target=played", "--json", "--exit-zero").stdout)
    text = base.read_text("utf-8")
    info = json.loads(text)
    settings = json.loads((Path(second["folder"]) / "run.json").read_text("utf-8"))["info"]["settings"]
    info["run"]["settings"] = settings
    base.write_text(json.dumps(info), "utf-8")

    done = assay(folder, "run", "target=played", "--silent")
    assert done.returncode == 1
    assert "regressions: relevance, ranking, coverage, overall" in done.stdout
    assert assay(folder, "run", "target=played", "--silent", "--exit-zero").returncode == 0


def test_moved_limits_are_said(folder: Path) -> None:
    """A83, A84: the baseline keeps the limits it was set with; other limits in a later run are not silent."""
    first = json.loads(assay(folder, "run", "compare.regression=0.02", "--json").stdout)["run"]
    assay(folder, "baseline", "set", first)

    assert "a drop above 0.02 is a regression" in assay(folder, "baseline", "show", "core").stdout
    assert "the limits (" not in assay(folder, "run", "compare.regression=0.02").stdout
    assert "the limits (compare.*) are not those of the baseline" in assay(folder, "run").stdout


def test_a_partial_run_is_no_reference_for_a_trend(folder: Path) -> None:
    """A94: the newest run asked one query only; the two before it are still one line."""
    for words in ((), (), ("limit=1",)):
        assay(folder, "run", "--silent", *words)

    done = assay(folder, "runs", "trend", "one")

    assert "in 2 comparable runs" in done.stdout
    assert '"how does with work"' in done.stdout
    assert "asked only some queries" in done.stdout


def test_the_run_folder_holds_everything_and_is_private(folder: Path) -> None:
    """A54, A69, A72, S16: resolved config, rubric text, plan, hashes, versions; files 0600, folders 0700."""
    old = os.umask(0)
    try:
        assay(folder, "run", "--silent", "target.limit=4")
    finally:
        os.umask(old)
    (run,) = runs_in(folder)

    assert {p.name for p in run.iterdir()} >= {"run.json", "plan.json", "config.yaml", "rubric.rubric", "results.jsonl"}
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in run.rglob("*") if p.is_file()} == {0o600}
    content = json.loads((run / "run.json").read_text("utf-8"))
    assert content["info"]["status"] == "complete"
    assert (
        len(content["info"]["corpus"])
        == len(content["info"]["set_sha256"])
        == len(content["info"]["rubric_sha256"])
        == 64
    )
    assert content["details"]["overrides"] == ["target.limit=4"]
    assert "limit: 4" in (run / "config.yaml").read_text("utf-8")
    lines = [json.loads(line) for line in (run / "results.jsonl").read_text("utf-8").splitlines()]
    assert [line["type"] for line in lines] == ["run_start", "trial", "trial", "trial", "run_summary"]
    assert [line["seq"] for line in lines] == [1, 2, 3, 4, 5]
    trial = lines[1]["data"]
    assert (trial["query_id"], trial["category"], trial["intent"], trial["graded_by"]) == (
        "one",
        "a",
        "with",
        "measured",
    )
    assert len(trial["turns"][0]["answer"]["hits"]) == 4
    assert set(trial["latency_s"]) >= {"search", "grade", "total"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "queries=cor"), 'did you mean "core"'),
        (("run", "queries=generated/*"), "generated/*"),
        (("run", "target.limt=3"), "Did you mean 'target.limit'?"),
        (("run", "rubric=serch"), "search"),
        (("run", "--quite"), "did you mean --quiet?"),
        (("rum",), "did you mean: assay run"),
        (("run", "--set"), "--set"),
        (("run", "--set", "core", "queries=core"), "both name the query set"),
        (("run", "cases=[onne]"), "one"),
        (("run", "where={category: [c]}"), "category"),
        (("run", "--resume", "nothing"), "there is no run"),
        (("run", "--workspace", "nowhere"), "there is no folder nowhere"),
        (("run", "queries=../core"), "query set"),
        (("run", "rubric=../../etc/passwd"), "rubric"),
    ],
)
def test_bad_input_says_what_where_and_what_to_do_and_writes_nothing(
    folder: Path, words: tuple[str, ...], said: str
) -> None:
    """A14, A16, A17, F53, F67: exit 2, nothing written."""
    before = sorted(folder.rglob("*"))

    done = assay(folder, *words)

    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(folder.rglob("*")) == before


def test_started_one_folder_too_deep_it_says_so_and_writes_nothing(folder: Path) -> None:
    (folder / "docs").mkdir()
    before = sorted(folder.rglob("*"))

    done = assay(folder / "docs", "run")

    assert done.returncode == 2
    assert f"go there first: cd {folder}" in done.stderr
    assert sorted(folder.rglob("*")) == before


NO_SPACE = Path("/dev/full")


@pytest.mark.skipif(not NO_SPACE.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [("run", "--silent"), ("run",), ("runs",), ("--help",), ("run", "--cfg", "job")])
def test_an_output_that_cannot_be_written_is_said_and_is_no_regression(folder: Path, words: tuple[str, ...]) -> None:
    """Exit 1 would read as a regression; the run itself is kept and complete."""
    with NO_SPACE.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "engine", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 4
    assert "the output cannot be read or written: no space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    if words[0] == "run" and "--cfg" not in words:
        (run,) = runs_in(folder)
        assert json.loads((run / "run.json").read_text("utf-8"))["info"]["status"] == "complete"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_crash(folder: Path, closed: str) -> None:
    command = f"exec {sys.executable} -P -m engine run --silent {closed}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_a_sweep_goes_on_with_what_was_typed(folder: Path) -> None:
    first = json.loads(assay(folder, "run", "-m", "target.limit=1,2", "--json").stdout)

    again = json.loads(assay(folder, "run", "-m", "--json", "--resume", first["sweep"]).stdout)

    assert [job["run"] for job in again["jobs"]] == [job["run"] for job in first["jobs"]]


def test_a_criterion_that_never_applies_is_said(folder: Path) -> None:
    rubric = """\
rubric: Mine
version: 1
criterion: Found
  measure: success@3
criterion: Compares
  only when: category is comparisson
  measure: ndcg@5
"""
    workspace(folder, {"rubrics/mine.rubric": rubric})

    assert "compares: did not apply to any of 3" in assay(folder, "run", "rubric=mine").stdout


def test_a_source_that_is_not_in_the_corpus_is_said_before_the_first_query(folder: Path) -> None:
    """A56: a typo in `relevant:` would only look like a worse search."""
    core = folder / "conf/query_sets/core.yaml"
    core.write_text(core.read_text("utf-8").replace("{lambda: 3}", "{lamda: 3}"), "utf-8")

    for words in ((), ("--dry-run",)):
        told = assay(folder, "run", *words).stderr
        assert "lamda (two), which is not in this corpus; did you mean lambda?" in told


def test_a_limit_for_a_score_that_is_not_there_is_refused(folder: Path) -> None:
    done = assay(folder, "run", "compare.dimensions.rankng.regression=0.01")

    assert done.returncode == 2
    assert "no score called “rankng”" in done.stderr
    assert "did you mean ranking?" in done.stderr


def test_a_second_run_needs_no_parser(folder: Path) -> None:
    """Start-up: the rubric comes from the cache, so neither lark nor the checks of the language are loaded."""
    assay(folder, "run", "--silent")
    program = (
        "import sys; from engine.cli.main import main; main(['run', '--silent']);"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('lark', 'pygls', 'pygments')"
        " or name.startswith(('engine.rubric.outline', 'engine.rubric.check.', 'engine.rubric.slips'))))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, check=True)

    assert done.stdout.splitlines()[-1] == b"[]"


def test_a_changed_cache_is_not_believed(folder: Path) -> None:
    """A parsed rubric that was edited by hand is read again from its text."""
    before = json.loads(assay(folder, "run", "--json").stdout)["averages"]
    (cached,) = (folder / ".assay/rubrics").glob("*.json")
    text = cached.read_text("utf-8")
    changed = text.replace('"value":0.3', '"value":0.9')
    assert changed != text
    cached.write_text(changed, "utf-8")

    assert json.loads(assay(folder, "run", "--json").stdout)["averages"] == before


@pytest.mark.parametrize("name", ["", "README.txt", "x" * 300])
def test_init_where_nothing_can_be_made(folder: Path, name: str) -> None:
    (folder / "README.txt").write_text("mine", "utf-8")
    before = sorted(folder.rglob("*"))

    done = assay(folder, "init", name)

    assert done.returncode in (2, 4)
    assert "Traceback" not in done.stderr
    assert sorted(folder.rglob("*")) == before


def test_a_dry_run_shows_the_plan_and_makes_no_run(folder: Path) -> None:
    done = assay(folder, "run", "--dry-run", "repeats=2")

    assert done.returncode == 0
    assert "3 queries · 2 repeats = 6 trials" in done.stdout
    assert not runs_in(folder)


def test_cfg_prints_the_settings(folder: Path) -> None:
    done = assay(folder, "run", "--cfg", "job", "target.limit=3")

    assert "limit: 3" in done.stdout
    assert not (folder / "runs").exists()


def test_a_sweep_makes_one_run_of_each_and_a_table(folder: Path) -> None:
    workspace(folder, {"conf/query_sets/other.yaml": (folder / "conf/query_sets/core.yaml").read_text("utf-8")})

    done = assay(folder, "run", "-m", "queries=core,other", "--quiet")

    assert done.returncode == 0, done.stderr
    assert "== queries=core" in done.stdout
    assert "== all jobs" in done.stdout
    assert len(runs_in(folder)) == 2


def test_a_sweep_with_a_mistake_in_its_second_job_starts_nothing(folder: Path) -> None:
    done = assay(folder, "run", "-m", "queries=core,cor")

    assert done.returncode == 2
    assert 'did you mean "core"' in done.stderr
    assert not (folder / "runs").exists()


def test_a_killed_sweep_goes_on_and_takes_new_jobs(folder: Path) -> None:
    """F45: jobs are known by their settings; finished ones are kept, new ones are added."""
    done = json.loads(assay(folder, "run", "-m", "repeats=2,3", "--json").stdout)
    first = [job["run"] for job in done["jobs"]]

    again = assay(folder, "run", "-m", "repeats=1,2,3", "--json", "--resume", done["sweep"])
    jobs = json.loads(again.stdout)["jobs"]

    assert [job["run"] for job in jobs[1:]] == first
    assert jobs[0]["run"] not in first
    assert len(runs_in(folder)) == 3

    core = folder / "conf/query_sets/core.yaml"
    core.write_text(core.read_text("utf-8").replace("what is a lambda", "what are lambdas"), "utf-8")
    refused = assay(folder, "run", "-m", "repeats=1,2,3", "--resume", done["sweep"])
    assert refused.returncode == 2
    assert "changed since it was run" in refused.stderr


def test_running_the_same_twice_is_the_same_twice(folder: Path) -> None:
    """F13, F43: two ids, equal scores."""
    reports = [json.loads(assay(folder, "run", "--json").stdout) for _ in range(2)]

    assert reports[0]["run"] != reports[1]["run"]
    assert reports[0]["averages"] == reports[1]["averages"]


def test_resuming_a_finished_run_asks_nothing(folder: Path) -> None:
    """F13."""
    run = json.loads(assay(folder, "run", "--json").stdout)["run"]
    before = (folder / "runs" / run / "results.jsonl").read_bytes()

    done = assay(folder, "run", "--resume", run[:19], "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["done"] == 3
    assert (folder / "runs" / run / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("query", "content of the query set"),
        ("rubric", "content of the rubric"),
        ("setting", "setting target.limit: 10 when planned, 3 now"),
    ],
)
def test_resume_refuses_what_changed_and_names_it(folder: Path, change: str, said: str) -> None:
    """R7, F65."""
    rubric = (ROOT / "rubrics/search.rubric").read_text("utf-8")
    workspace(folder, {"rubrics/mine.rubric": rubric})
    run = json.loads(assay(folder, "run", "rubric=mine", "--json").stdout)["run"]
    if change == "query":
        core = folder / "conf/query_sets/core.yaml"
        core.write_text(core.read_text("utf-8").replace("what is a lambda", "what are lambdas"), "utf-8")
    if change == "rubric":
        mine = folder / "rubrics/mine.rubric"
        mine.write_text(rubric.replace("ndcg@10", "ndcg@5"), "utf-8")
    words = ("target.limit=3",) if change == "setting" else ()

    done = assay(folder, "run", "--resume", run, *words)

    assert done.returncode == 2
    assert said in done.stderr
    assert "start a new run" in done.stderr


def test_output_survives_a_terminal_that_knows_no_unicode(folder: Path) -> None:
    """F55."""
    done = assay(
        folder,
        "run",
        "--quiet",
        environment={"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
    )

    assert done.returncode == 0
    assert "Average overall score" in done.stdout


def test_a_reader_that_goes_away_ends_it_quietly(folder: Path) -> None:
    assay(folder, "corpus", "build")
    command = f"{sys.executable} -m engine run | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_ctrl_c_once_finishes_what_is_in_flight_and_says_how_to_go_on(folder: Path) -> None:
    """A68, A122: exit 130, the resume command works, nothing is run twice."""
    queries = "".join(f'{{"id":"q{i}","query":"with number {i}","intent":"i","category":"a"}}\n' for i in range(20_000))
    workspace(
        folder, {"conf/query_sets/many.jsonl": '{"version":"1.0.0","description":"d","categories":["a"]}\n' + queries}
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "run", "queries=many", "--silent"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not [
        r for r in runs_in(folder) if (r / "results.jsonl").exists() and (r / "results.jsonl").stat().st_size > 20_000
    ]:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    (run,) = runs_in(folder)
    assert process.returncode == 130, err
    assert f"assay run --resume {run.name}" in out
    assert "press Ctrl-C again" in err
    keys = [json.loads(line)["data"]["key"] for line in (run / "results.jsonl").read_bytes().splitlines()[1:]]
    assert 0 < len(keys) == len(set(keys)) < 20_000
    assert json.loads((run / "run.json").read_text("utf-8"))["info"]["status"] == "interrupted"
    refused = assay(folder, "baseline", "set", run.name)
    assert refused.returncode == 2
    assert "interrupted" in refused.stderr


def test_what_needs_a_judge_is_said_before_anything_is_asked(folder: Path) -> None:
    judged = assay(folder, "run", "rubric=search-judged", "--dry-run")
    assert judged.returncode == 0
    assert "of the rubric search-judged are for judges, and nobody is asked (judge=none)" in judged.stderr

    assert "for judges" not in assay(folder, "run", "rubric=search", "--dry-run").stderr


def test_a_rubric_that_broke_its_promise_is_not_used_in_silence(folder: Path) -> None:
    text = "rubric: A\nversion: 1\ncriterion: B\n  id: b\n  measure: ndcg@10\nverdict: x otherwise\n"
    workspace(folder, {"rubrics/a.rubric": text})
    assert assay(folder, "rubric", "publish", "a").returncode == 0
    assert "published" not in assay(folder, "run", "rubric=a", "--dry-run").stderr

    rubric = folder / "rubrics" / "a.rubric"
    rubric.write_text(rubric.read_text("utf-8").replace("@10", "@5"), "utf-8")
    assert "note: Version 1 was published with another meaning; see: assay rubric check a" in (
        assay(folder, "run", "rubric=a", "--dry-run").stderr
    )
