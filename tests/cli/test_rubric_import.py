"""`assay rubric import` and `export`: files that are written, what is said, and what is never overwritten."""

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.store import strict_yaml
from tests.rubric.build import shared

_TABLE = "criterion;question;weight\nTone;Is it polite?;0,5\nFacts;Is it true?;1\n"
_HEALTHBENCH = [
    {"rubrics": [{"criterion": "Names a doctor", "points": 5, "tags": ["axis:accuracy"]}], "prompt_id": str(number)}
    for number in range(1, 4)
]


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["rubric", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_table_becomes_a_file_that_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "my_table.csv", tmp_path / "a.rubric"
    source.write_text("\ufeff" + _TABLE, encoding="utf-8")

    assert _run(capsys, "import", str(source), "--out", str(out)) == (0, f"{out}: 2 criteria\n", "")
    assert out.read_text("utf-8").startswith("rubric: my table\nversion: 1\n")
    assert main(["rubric", "check", str(out)]) == 0


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "a.rubric"
    source.write_text(_TABLE, encoding="utf-8")
    out.write_text("mine", encoding="utf-8")

    for words in (("import", str(source)), ("export", str(source), "--to", "json")):
        code, said, complaint = _run(capsys, *words, "--out", str(out))
        assert (code, said) == (2, "")
        assert "there is a file of this name already" in complaint
        assert out.read_text("utf-8") == "mine"
    assert _run(capsys, "import", str(source), "--out", str(out), "--force")[0] == 0
    assert out.read_text("utf-8").startswith("rubric: t\n")


def test_a_table_with_a_mistake_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "a.rubric"
    source.write_bytes("criterion\nTone\ncafé\n".encode("cp1252"))
    code, _, complaint = _run(capsys, "import", str(source), "--out", str(out))

    assert code == 2
    assert f"{source}:3: this text is not UTF-8" in complaint
    assert "CSV UTF-8" in complaint
    assert not out.exists()


def test_what_is_lost_is_counted_and_said_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "promptfooconfig.yaml"
    source.write_text(
        "description: Bot\nprompts: [x]\ndefaultTest:\n  assert:\n"
        "  - {type: contains, value: A}\n  - {type: python, value: x}\n",
        encoding="utf-8",
    )
    code, said, complaint = _run(capsys, "import", str(source))

    assert code == 0
    assert "rubric: Bot\n" in said
    assert said.count("# not brought over:") == 3
    assert complaint.count("not brought over:") == 3
    assert "3 things not brought over" in complaint


def test_nothing_of_a_foreign_file_reaches_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.csv"
    source.write_text('criterion,ask,owner\n"A\x1b[31m",B\u202e?,\x1b]0;x\x07y\n', encoding="utf-8")
    code, said, complaint = _run(capsys, "import", str(source))

    assert code == 0
    assert not any(char in said + complaint for char in "\x1b\u202e\x07")


@pytest.mark.parametrize("lines", [True, False], ids=["jsonl", "list"])
def test_one_file_an_example_or_one_example(tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: bool) -> None:
    source, folder = tmp_path / "h.jsonl", tmp_path / "all"
    text = "\n".join(map(json.dumps, _HEALTHBENCH)) if lines else json.dumps(_HEALTHBENCH, indent=1)
    source.write_text(text, encoding="utf-8")

    code, _, complaint = _run(capsys, "import", str(source))
    assert code == 2
    assert "3 examples, and a rubric holds one" in complaint
    assert _run(capsys, "import", str(source), "--example", "4")[0] == 2
    assert "note: prompt_id 2\n" in _run(capsys, "import", str(source), "--example", "2")[1]
    code, said, _ = _run(capsys, "import", str(source), "--out", f"{folder}/")
    assert (code, said) == (0, f"{folder}: 3 rubrics, 3 criteria\n")
    assert sorted(path.name for path in folder.iterdir()) == [f"example-{number}.rubric" for number in (1, 2, 3)]
    assert main(["rubric", "check", *map(str, folder.iterdir())]) == 0
    assert _run(capsys, "import", str(source), "--out", str(folder))[0] == 2


def test_an_example_that_cannot_come_over_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, folder = tmp_path / "h.jsonl", tmp_path / "all"
    broken = {"rubrics": [{"criterion": "x", "points": "?"}]}
    source.write_text("\n".join(map(json.dumps, [_HEALTHBENCH[0], broken])), encoding="utf-8")
    code, said, complaint = _run(capsys, "import", str(source), "--out", f"{folder}/")

    assert said == f"{folder}: 1 rubric, 1 criterion\n"
    assert "example 2: nothing in this file can be brought over" in complaint
    assert code == 2


def test_export_to_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(shared("data/rubrics") / "support-answers.rubric")

    document = json.loads(_run(capsys, "export", file, "--to", "json")[1])
    schema = json.loads(_run(capsys, "export", file, "--to", "judge-schema")[1])
    code, said, complaint = _run(capsys, "export", file, "--to", "promptfoo")
    assert document["schema"] == "assay-rubric/1"
    assert schema["required"][0] == "leaks-personal-data"
    assert isinstance(strict_yaml.load(said, "x").value, dict)
    assert code == 0
    assert complaint.count("not exported:") == 7


def test_export_of_a_rubric_with_a_mistake_or_without_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.rubric"
    file.write_text("rubric: A\ncriterion: B\n  measure: nDGC\n", encoding="utf-8")
    code, _, complaint = _run(capsys, "export", str(file), "--to", "json")
    assert code == 2
    assert "R305" in complaint

    file.write_text("rubric: A\ncriterion: B\n  check: answer is empty\n", encoding="utf-8")
    code, _, complaint = _run(capsys, "export", str(file), "--to", "judge-schema")
    assert code == 2
    assert "asks judges nothing" in complaint


def test_json_on_the_screen_keeps_hidden_characters_as_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.rubric"
    file.write_text("rubric: A\ncriterion: B\u202ec\n  ask: Is it\U000e0041 so?\n", encoding="utf-8")
    said = _run(capsys, "export", str(file), "--to", "json")[1]

    assert "\u202e" not in said
    assert json.loads(said)["criteria"][0]["title"] == "B\u202ec"
    assert json.loads(said)["questions"][0]["text"] == "Is it\U000e0041 so?"
