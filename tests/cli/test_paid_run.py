"""Runs over model APIs, from the command line, against a server on this machine: what is asked, paid, told and kept."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.loopback import Loopback, serving
from tests.workspaces import assay, workspace

KEY = "sk-canary-0123456789abcdef"
PRICE = "price: {input: 1.0, output: 2.0}\n"
RUBRIC = """\
rubric: Short
version: 1
criterion: Says it
  check: answer contains "The answer is"
criterion: Right
  ask: Is the answer right?
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serving() as found:
        yield found


def api(server: Loopback, *words: str, price: str = PRICE, key: str = "null", **values: object) -> str:
    url = f"{server.url(*words, **values)}/v1"
    return f"kind: openai_chat\nmodel: m\nkey: {key}\nlocal: true\nurl: {url}\n{price}"


def queries(number: int) -> str:
    head = {"version": "1.0.0", "description": "many", "source": "curated", "categories": ["a"]}
    rows = [{"id": f"q{n}", "query": f"Q{n} what is it?", "intent": "know", "category": "a"} for n in range(number)]
    return "".join(json.dumps(line) + "\n" for line in (head, *rows))


def made(folder: Path, target: str, judge: str = "kind: none\n", number: int = 6, rubric: str = RUBRIC) -> Path:
    files = {
        "conf/query_sets/many.jsonl": queries(number),
        "conf/target/api.yaml": target,
        "conf/judge/api.yaml": judge,
        "rubrics/short.rubric": rubric,
    }
    return workspace(folder, files)


def asked(server: Loopback, name: str) -> int:
    """How many requests came to the addresses with this id."""
    return sum(f"id={name.encode().hex()}" in request.behaviour for request in server.seen())


RUN = ("run", "queries=many", "target=api", "judge=api", "rubric=short", "--silent")


def report(folder: Path, *words: str, code: int = 0) -> dict[str, object]:
    done = assay(folder, *RUN[:-1], "--json", *words)
    assert done.returncode == code, (done.stdout, done.stderr)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def trials(folder: Path) -> list[dict[str, object]]:
    (run,) = (folder / "runs").glob("2*")
    return _trials(run)


def _trials(run: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in (run / "results.jsonl").read_text("utf-8").splitlines()]
    return [line["data"] for line in lines if line["type"] == "trial"]


def test_a_run_is_judged_and_its_cost_is_told(tmp_path: Path, server: Loopback) -> None:
    """A58, A72, B44: who graded, with which model, and what it came to."""
    folder = made(tmp_path, api(server), api(server, judge="match"))
    found = report(folder)
    averages, spending = found["averages"], found["spending"]
    assert isinstance(averages, dict)
    assert isinstance(spending, dict)
    assert averages["right"]["mean"] == 1.0
    assert (found["graded_by"], spending["unknown_calls"], spending["stopped"]) == ("AI (m)", 0, None)
    assert spending["by"].keys() == {"target", "judge llm"}
    assert spending["by"]["target"]["calls"] == spending["by"]["judge llm"]["calls"] == 6
    assert spending["counted_micro_usd"] == sum(each["micro_usd"] for each in spending["by"].values()) > 0
    (vote,) = trials(folder)[0]["votes"]["right"]  # type: ignore[index]
    assert (vote["said"], vote["judge"], vote["model"]) == ("yes", "llm", "m")


def test_a_second_run_asks_no_judge_again(tmp_path: Path, server: Loopback) -> None:
    """F13: the same questions about the same answers are not paid for twice, and say so."""
    folder = made(tmp_path, api(server), api(server, judge="first"))
    report(folder)
    second = report(folder)
    spending = second["spending"]
    assert isinstance(spending, dict)
    assert spending["by"].keys() == {"target"}
    newest = max((folder / "runs").glob("2*/results.jsonl"), key=lambda path: path.stat().st_mtime)
    assert newest.read_text("utf-8").count('"cached":true') == 6


def test_a_limit_stops_the_run_and_a_higher_one_lets_it_go_on(tmp_path: Path, server: Loopback) -> None:
    """B43, B44: exit 5, what is paid for is kept, nobody is asked twice."""
    folder = made(tmp_path, api(server, id="limit"))
    done = assay(folder, *RUN, "cost_limit_usd=0.00005", "concurrency=1")
    assert done.returncode == 5, done.stderr
    assert "by the cost guard: the limit of $0.00005 (cost_limit_usd) is reached" in done.stdout
    assert "above the limit: a request that was begun below it" in done.stdout
    assert re.search(r"^   not done: q\d(, q\d)*$", done.stdout, re.MULTILINE), done.stdout
    (command,) = re.findall(r"go on with: assay (run --resume \S+ --silent) cost_limit_usd=…", done.stdout)
    paid = len(trials(folder))
    assert 0 < paid < 6
    again = assay(folder, *command.split(), "cost_limit_usd=1")
    assert (again.returncode, len(trials(folder))) == (3, 6)  # nobody is asked whether it is right
    assert asked(server, "limit") == 6


def test_a_second_answer_without_usage_stops_the_next_paid_call(tmp_path: Path, server: Loopback) -> None:
    """B45."""
    folder = made(tmp_path, api(server, usage="none", at=2, id="usage"))
    done = assay(folder, *RUN, "concurrency=1")
    assert done.returncode == 5
    assert "a call did not tell what it cost (unknown usage)" in done.stdout
    assert "cost_allow_unknown=true" in done.stdout
    assert asked(server, "usage") == 2
    (run,) = (folder / "runs").glob("2*")
    unasked = assay(folder, "run", "--resume", run.name, "--silent")
    assert (unasked.returncode, asked(server, "usage")) == (5, 2)  # not without being told so
    more = assay(folder, "run", "--resume", run.name, "--silent", "cost_allow_unknown=true")
    assert more.returncode == 3, more.stdout
    assert len(trials(folder)) == 6


@pytest.mark.parametrize(
    ("target", "words", "said"),
    [
        ("price: null\n", (), "nobody knows what the model “m” costs"),
        ("price: null\n", ("target.free=tru",), "'target.free' must be true or false"),
        (PRICE, ("target.key=sk-abcdefghijklmnopqrstuv",), "looks like a key"),
        (PRICE, ("target.key=OPENAI_KEY",), "is written as env:NAME"),
        (PRICE, ("target.key=env:NOT_THERE_AT_ALL",), "the environment variable NOT_THERE_AT_ALL is not set"),
        (PRICE, ("target.url=http://example.com/v1", "target.local=false"), "use https"),
        (PRICE, ("target.url=https://user:pw@example.com/v1",), ""),
        (PRICE, ("target.url=https://169.254.169.254/v1",), ""),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_paid(
    tmp_path: Path, server: Loopback, target: str, words: tuple[str, ...], said: str
) -> None:
    folder = made(tmp_path, api(server, id="early", price=target))
    done = assay(folder, *RUN, *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "runs").exists()
    assert asked(server, "early") == 0


@pytest.mark.parametrize(
    ("lie", "failure"),
    [
        ({"words": ("e429",)}, "rate_limited"),
        ({"words": ("e500",)}, "provider_error"),
        ({"words": ("e401",)}, "unauthorized"),
        ({"words": ("html",)}, "schema_invalid"),
        ({"words": ("types",)}, "schema_invalid"),
        ({"words": ("close",)}, "transport"),
        ({"words": ("e302",)}, "transport"),
    ],
    ids=str,
)
def test_a_target_that_fails_is_a_failure_and_no_zero(
    tmp_path: Path, server: Loopback, lie: dict[str, tuple[str, ...]], failure: str
) -> None:
    """B52."""
    folder = made(tmp_path, api(server, *lie["words"], price="free: true\n"), number=2)
    found = report(folder, code=4)
    assert (found["status"], found["failed"], found["averages"]) == ("failed", 2, {})
    assert {trial["failure"] for trial in trials(folder)} == {failure}


@pytest.mark.parametrize(
    ("words", "lies", "why"),
    [
        ((), {"say": "certainly yes"}, "not one JSON object"),
        (("e500",), {}, "the judge did not answer: provider_error"),
    ],
)
def test_a_judge_that_cannot_be_used_leaves_the_question_open(
    tmp_path: Path, server: Loopback, words: tuple[str, ...], lies: dict[str, str], why: str
) -> None:
    """F27, F29: never a zero, and the reason is counted."""
    judge = api(server, *words, price="free: true\n", **lies)
    found = report(made(tmp_path, api(server, price="free: true\n"), judge, 2), code=3)
    averages, ungraded = found["averages"], found["ungraded"]
    assert isinstance(averages, dict)
    assert isinstance(ungraded, dict)
    assert averages["right"] == {"mean": None, "total": "0", "graded": 0, "planned": 2}
    assert [why in reason for reason in ungraded] == [True]


def test_what_is_free_needs_no_usage(tmp_path: Path, server: Loopback) -> None:
    folder = made(tmp_path, api(server, price="free: true\n"), api(server, price="free: true\n", usage="none"), 2)
    assert assay(folder, *RUN).returncode == 0


def test_a_judge_that_fails_a_canary_is_not_believed_and_not_paid(tmp_path: Path, server: Loopback) -> None:
    rubric = RUBRIC + "  show: answer\n  bad example: I do not know and do not care.\n"
    folder = made(tmp_path, api(server), api(server, judge="first", id="yes"), rubric=rubric)  # to everything
    done = assay(folder, *RUN)
    assert done.returncode == 3
    assert asked(server, "yes") == 1
    assert "not believed: the judge “llm” said yes about the bad example of “right”" in done.stdout
    assert "Average overall score: not known (0 of 6 graded)" in done.stdout
    codes = {vote["problem"] for trial in trials(folder) for vote in trial["votes"]["right"]}  # type: ignore[index]
    assert codes == {"canary"}
    trusting = assay(folder, *RUN, "judge_canaries=false")
    assert trusting.returncode == 0, trusting.stdout


def test_a_resumed_run_still_does_not_believe_a_judge_that_failed(tmp_path: Path, server: Loopback) -> None:
    rubric = RUBRIC + "  show: answer\n  bad example: I do not know and do not care.\n"
    folder = made(tmp_path, api(server), api(server, judge="first", id="again"), rubric=rubric)
    first = assay(folder, *RUN, "cost_limit_usd=0.0001", "concurrency=1")
    assert (first.returncode, asked(server, "again")) == (5, 1), first.stdout
    (run,) = (folder / "runs").glob("2*")
    second = assay(folder, "run", "--resume", run.name, "--silent", "cost_limit_usd=1")
    assert (second.returncode, asked(server, "again")) == (3, 1)
    assert "not believed: the judge “llm”" in second.stdout
    assert {vote["problem"] for trial in trials(folder) for vote in trial["votes"]["right"]} == {"canary"}  # type: ignore[index]


def test_judges_are_asked_only_where_it_matters(tmp_path: Path, server: Loopback) -> None:
    """A must that fails, or a verdict that is certain, needs no judge."""
    rubric = (
        'rubric: Short\nversion: 1\nmust: Says it\n  check: answer contains "never said"\n'
        "criterion: Right\n  ask: Is the answer right?\n"
        "verdict: good when score is at least 0.5\nverdict: bad otherwise\n"
    )
    folder = made(tmp_path, api(server), api(server, judge="first", id="spare"), rubric=rubric)
    found = report(folder, code=3)
    assert found["verdicts"] == {"bad": 6}
    assert asked(server, "spare") == 0


def test_grades_are_the_same_at_any_concurrency(tmp_path: Path, server: Loopback) -> None:
    seen = []
    for at_once in (1, 16):
        folder = made(tmp_path / str(at_once), api(server), api(server, "l3", judge="match"), 20)
        report(folder, f"concurrency={at_once}")
        seen.append(sorted((trial["query_id"], json.dumps(trial["grades"])) for trial in trials(folder)))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("stream", ["false", "true"])
def test_a_key_is_in_nothing_that_is_written_or_printed(tmp_path: Path, server: Loopback, stream: str) -> None:
    """F47, S3: also when the other side echoes it, in answers and in errors, plain and in base64, in pieces."""
    target = api(server, "echo", key="env:CANARY_KEY")
    judge = api(server, "e401", "echo", key="env:CANARY_KEY")
    folder = made(tmp_path, target + "headers: {X-Extra: 'env:CANARY_EXTRA'}\n", judge)
    secrets = {"CANARY_KEY": KEY, "CANARY_EXTRA": "hunter2-canary-extra"}
    done = assay(folder, *RUN[:-1], f"target.stream={stream}", environment=secrets)
    printed = (done.stdout + done.stderr).encode()
    assert trials(folder)
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for secret in secrets.values():
        bearer = f"Bearer {secret}"
        for form in (
            secret,
            quote(secret, safe=""),
            *(base64.b64encode(x.encode()).decode()[:-4] for x in (secret, bearer)),
        ):
            assert form.encode() not in printed, form
            assert form.encode() not in written, form
    assert b"[secret removed]" in written
    assert f"env:{'CANARY_KEY'}".encode() in written  # the settings keep its name


def test_a_dry_run_says_what_it_can_cost_and_asks_nobody(tmp_path: Path, server: Loopback) -> None:
    folder = made(tmp_path, api(server, id="dry", key="env:NOT_THERE_AT_ALL"), api(server, id="dry"))
    done = assay(folder, *RUN[:-1], "--dry-run")
    assert done.returncode == 0, done.stderr
    assert re.search(r"cost +at most \$0\.0\d+ for 6 calls of the target; judges make 6 calls at most", done.stdout)
    assert "the limit is $0.10" in done.stdout
    assert asked(server, "dry") == 0


def test_a_sweep_shares_one_limit(tmp_path: Path, server: Loopback) -> None:
    folder = made(tmp_path, api(server))
    words = ("run", "-m", "queries=many", "target=api", "rubric=short", "repeats=1,2,3", "--silent", "concurrency=1")
    done = assay(folder, *words, "sweep_cost_limit_usd=0.0003")
    assert done.returncode == 5, done.stdout
    assert "(what sweep_cost_limit_usd leaves) is reached" in done.stdout
    before = sorted(path.name for path in (folder / "runs").glob("2*"))
    paid, done_before = server.server.stats.charged, sum(len(_trials(folder / "runs" / name)) for name in before)
    (command,) = re.findall(r"go on with: assay (run -m .+)", done.stdout)
    more = assay(folder, *command.replace("sweep_cost_limit_usd=0.0003", "sweep_cost_limit_usd=1").split())
    assert more.returncode == 3, more.stdout  # complete, and nobody says whether the answers are right
    assert set(before) <= {path.name for path in (folder / "runs").glob("2*")}
    assert server.server.stats.charged - paid == 36 - done_before


def test_what_a_run_cost_is_shown_later(tmp_path: Path, server: Loopback) -> None:
    folder = made(tmp_path, api(server))
    assay(folder, *RUN)
    (run,) = (folder / "runs").glob("2*")
    shown = assay(folder, "runs", "show", run.name)
    assert re.search(r"^  cost \$0\.0\d+ for 6 calls$", shown.stdout, re.MULTILINE), shown.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("target.headers={x-api-key: PASTED-0001}",),
        ("target.headers={authorization: Bearer abcdef}",),
        ("target.extra={password: hunter2}",),
        ("target.url=https://example.com/v1?api_key=PASTED",),
    ],
)
def test_a_secret_that_is_pasted_under_its_name_is_refused(
    tmp_path: Path, server: Loopback, words: tuple[str, ...]
) -> None:
    folder = made(tmp_path, api(server))
    done = assay(folder, *RUN, *words)
    assert (done.returncode, "looks like a key or password" in done.stderr) == (2, True), done.stderr
    assert not any(part in done.stderr for part in ("PASTED", "abcdef", "hunter2"))
    assert not (folder / "runs").exists()


def test_a_panel_names_only_those_who_vote(tmp_path: Path, server: Loopback) -> None:
    member = api(server, judge="first").replace("\n", "\n    ").rstrip()
    other = member.replace("model: m", "model: other")
    judge = f"kind: panel\nmembers:\n  one:\n    {member}\n  two:\n    {other}\n"
    found = report(made(tmp_path, api(server), judge, 2))
    assert found["graded_by"] == "AI (m)"
