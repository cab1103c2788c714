"""`assay rubric test`: what it prints, what it refuses, and its exit codes. It never passes without having tried."""

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from tests.workspaces import ROOT

RUBRIC = """\
rubric: Demo
version: 1
must: Cites
  check: answer cites a source
criterion: Short
  check: answer has at most 3 words
  good example: Thirty days.
  bad example: It takes thirty days or so.
criterion: Helps
  ask: Does it help?
verdict: pass when score is at least 0.75
verdict: fail otherwise
"""
CASES = """\
cases:
  - name: good
    answer: Thirty days.
    citations: [a.md]
    votes: {helps: yes}
    expect: {verdict: pass, score: 1}
  - name: no source
    answer: Thirty days.
    citations: []
    expect: {verdict: fail, criteria: {cites: fail, helps: ungraded}}
"""


def demo(folder: Path, cases: str | None = CASES, rubric: str = RUBRIC) -> list[str]:
    """A workspace with the rubric `demo`, and the words that name it."""
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / "rubrics" / "demo.rubric").write_text(rubric, "utf-8")
    if cases is not None:
        (folder / "rubrics" / "demo.cases.yaml").write_text(cases, "utf-8")
    return ["--workspace", str(folder)]


def test_cases_beside_it_are_tried_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "test", "demo", *demo(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "demo\n"
        "  pass  good: pass (1); nothing takes marks away\n"
        "  pass  no source: fail (0.5 to 1); [Cites] fails: not so: answer cites a source\n"
        "  2 of 2 examples hold; 2 of 2 cases come out as expected\n"
    )


def test_a_case_that_comes_out_otherwise_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = demo(tmp_path, CASES.replace("votes: {helps: yes}", "votes: {helps: no}"))
    assert main(["rubric", "test", "demo", *where]) == 1
    out = capsys.readouterr().out
    assert (
        "  FAIL  good: verdict: expected pass, found fail; score: expected 1, found 0.5; [Helps] is 0: judged no\n"
    ) in out
    assert "1 of 2 cases come out as expected" in out


def test_without_a_name_every_rubric_of_the_workspace_is_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = demo(tmp_path)
    (tmp_path / "rubrics" / "shared").mkdir()
    scale = "library: S\ndefine scale: s\n  | a | 1 | yes |\n  | b | 0 | no |\n"
    (tmp_path / "rubrics" / "shared" / "s.rubric").write_text(scale, "utf-8")
    assert main(["rubric", "test", *where]) == 0
    out = capsys.readouterr().out
    assert "nothing to test: it holds no checks with examples" in out
    assert out.endswith("2 of 2 rubrics fine: 2 of 2 examples, 2 of 2 cases\n")


def test_a_rubric_without_anything_to_try_is_not_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = "\n".join(line for line in RUBRIC.splitlines() if "example" not in line)
    assert main(["rubric", "test", "demo", *demo(tmp_path, None, bare)]) == 3
    out = capsys.readouterr().out
    assert "nothing was tested" in out
    assert "→ write cases beside it: demo.cases.yaml" in out

    judged = f"{bare}\n".replace("ask: Does it help?", "ask: Does it help?\n  good example: Yes.")
    assert main(["rubric", "test", "demo", *demo(tmp_path, None, judged)]) == 3
    assert "(1 example for judges)" in capsys.readouterr().out


def test_examples_alone_are_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "test", "demo", *demo(tmp_path, None)]) == 0
    assert "2 of 2 examples hold; there are no cases" in capsys.readouterr().out


def test_an_example_that_contradicts_its_check_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = RUBRIC.replace("good example: Thirty days.", "good example: It takes about thirty days.")
    assert main(["rubric", "test", "demo", *demo(tmp_path, CASES, wrong)]) == 1
    out = capsys.readouterr().out
    assert "[R518]" in out
    assert "1 example of its own; the cases were not tried" in out


def test_a_rubric_with_mistakes_is_not_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = demo(tmp_path, CASES, RUBRIC.replace("version: 1", "wersion: 1"))
    assert main(["rubric", "test", "demo", *where]) == 2
    captured = capsys.readouterr()
    assert "R102" in captured.err
    assert "pass" not in captured.out


@pytest.mark.parametrize(
    ("slip", "place", "words"),
    [
        (("{helps: yes}", "{help: yes}"), ":5:13: ", 'did you mean "helps"?'),
        (("{helps: yes}", "{helps: ys}"), ":5:13: ", 'did you mean "yes"?'),
        (("verdict: pass", "verdict: pas"), ":6:14: ", 'did you mean "pass"?'),
        (("    answer: Thirty", "    anser: Thirty"), ":3:5: ", 'did you mean "answer"?'),
        (("{cites: fail,", "{cite: fail,"), ":10:40: ", 'did you mean "cites"?'),
        (("cases:", "cases: ["), ":", ""),
    ],
)
def test_a_slip_in_the_cases_is_said_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], slip: tuple[str, str], place: str, words: str
) -> None:
    assert main(["rubric", "test", "demo", *demo(tmp_path, CASES.replace(*slip, 1))]) == 2
    captured = capsys.readouterr()
    assert f"demo.cases.yaml{place}" in captured.err
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_other_cases_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = demo(tmp_path)
    other = tmp_path / "other.yaml"
    other.write_text("cases:\n  - {name: one, answer: a, citations: [], expect: {verdict: pass}}\n", "utf-8")
    assert main(["rubric", "test", "demo", "--cases", str(other), *where]) == 1
    assert "0 of 1 case comes out as expected" in capsys.readouterr().out

    assert main(["rubric", "test", "demo", "--cases", str(tmp_path / "none.yaml"), *where]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["rubric", "test", "--cases", str(other), *where]) == 2
    assert "--cases goes with one rubric" in capsys.readouterr().err


def test_json_holds_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "test", "demo", "--json", *demo(tmp_path, CASES.replace("score: 1", "score: 0.5"))]) == 1
    (found,) = json.loads(capsys.readouterr().out)["rubrics"]
    assert (found["outcome"], found["passed"], len(found["cases"])) == ("failed", 1, 2)
    assert found["examples"] == {"held": 2, "run": 2, "all": 2}
    assert found["cases"][0]["differences"] == [{"what": "score", "expected": "0.5", "found": "1"}]
    assert found["cases"][1]["score"] is None
    assert (found["cases"][1]["low"], found["cases"][1]["high"]) == (0.5, 1.0)


def test_names_and_answers_are_harmless_in_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = CASES.replace("name: good", 'name: "go\\e[31m\\u202Eod"').replace("helps: yes", 'helps: "\\e[2Jyes"')
    assert main(["rubric", "test", "demo", *demo(tmp_path, cases)]) == 2
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    assert "\u202e" not in captured.out + captured.err


def test_shipped_rubrics_are_tested_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "test", "support", "--workspace", str(tmp_path)]) == 0
    assert "8 of 8 cases come out as expected" in capsys.readouterr().out
    assert (ROOT / "rubrics" / "support.cases.yaml").is_file()


def test_a_workspace_without_rubrics_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "test", "--workspace", str(tmp_path)]) == 2
    assert "assay rubric new" in capsys.readouterr().err
