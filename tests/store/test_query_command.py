"""`assay queries`: A3 to A7, A12, A13, A15 to A17, A20, S8."""

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.store import workspace as places

SET = """\
version: {version}
description: How people ask
queries:
  - {{id: a-1, query: "What?", intent: i, category: concept, relevant: {{with: 3}}}}
  - {{id: a-2, query: "{text}", intent: i, category: comparison, relevant: {{}}}}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace beside packaged files that do not exist."""
    monkeypatch.setattr(places, "packaged", lambda: tmp_path / "shipped")
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def write(home: Path, name: str, text: str = SET.format(version="1.0.0", text="Why?")) -> None:
    path = home / "conf" / "query_sets" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def assay(home: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["--workspace", str(home), "queries", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_list_is_aligned_and_names_what_is_broken(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A3, A5, A7: name, count, provenance, version; a broken file does not hide the others."""
    write(home, "core.yaml")
    write(home, "long-name.yaml", SET.format(version="12.0.0", text="x"))
    write(home, "generated/2025-12-17.yaml")
    write(home, "broken.json", '{"version":"1.0.0",\n"queries":[],"queries":[]}')
    write(home, "old.yml")
    code, out, _ = assay(home, capsys, "list")

    lines = out.splitlines()
    assert code == 0
    assert [line[: line.index("…") - 6] for line in lines[1:4]] == [
        "  core                  2 queries  curated       v1.0.0   sha256 ",
        "  long-name             2 queries  curated       v12.0.0  sha256 ",
        "  generated/2025-12-17  2 queries  ai-generated  v1.0.0   sha256 ",
    ]
    assert lines[4:] == [
        "2 files cannot be read:",
        '  conf/query_sets/broken.json:2:14: the key "queries" is given twice',
        "    → keep one of them",
        "  conf/query_sets/old.yml: query sets end in .yaml; .yml is not read",
        "    → rename it to old.yaml",
    ]


def test_list_with_categories(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A6."""
    write(home, "core.yaml")
    _, out, _ = assay(home, capsys, "list", "-v")

    assert out.splitlines()[2:] == [
        "      about: How people ask",
        "      concept          1",
        "      comparison       1",
    ]


def test_list_of_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A4: a clear message."""
    code, out, _ = assay(home, capsys)

    assert code == 0
    assert out.startswith("There are no query sets yet.")


@pytest.mark.parametrize("words", [("show",), ("show", "core"), ("show", "--set", "core"), ("show", "--set=core")])
def test_show(home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    """A12, A15, A16: core is the default; by word or by option."""
    write(home, "core.yaml")
    code, out, _ = assay(home, capsys, *words)

    assert code == 0
    assert out.startswith("core  2 queries  curated  v1.0.0\nabout: How people ask\nsha256 ")
    assert 'a-1  "What?"\n  intent: i\n  category: concept\n  relevant: with 3\n' in out
    assert "relevant: nothing (judged)" in out


def test_show_for_programs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exact text, one JSON value."""
    write(home, "core.yaml", SET.format(version="1.0.0", text="\\e[31mred\\u202e"))
    _, out, _ = assay(home, capsys, "show", "--json")

    value = json.loads(out)
    assert value["queries"][1]["query"] == "\x1b[31mred\u202e"
    assert value["members"][0]["queries"] == 2


@pytest.mark.parametrize("words", [("list", "-v"), ("show", "core"), ("check", "core"), ("show", "--json")])
def test_nothing_foreign_reaches_the_terminal(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """S8: escapes in every field of a set."""
    bad = "x\\e[31m\\e]0;t\\a\\x9b1m\\r\\b"
    fields = f'id: a, query: "{bad}", intent: "{bad}", category: "{bad}"'
    text = f'version: 1.0.0\ndescription: "{bad}"\nqueries:\n  - {{{fields}}}\n'
    write(home, "core.yaml", text)
    write(home, "broken.yaml", text.replace("id: a", f'id: "{bad}"'))
    _, out, err = assay(home, capsys, *words)

    assert out
    assert not {char for char in out + err if ord(char) < 32 or 127 <= ord(char) < 160} - {"\n"}


def test_check(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A8, A20: what is fine, then every problem; exit 2."""
    write(home, "core.yaml")
    write(home, "empty.yaml", "version: 1.0.0\nqueries: []\n")
    write(home, "wrong.yaml", SET.format(version="1", text=" "))
    code, out, err = assay(home, capsys, "check")

    assert code == 2
    assert out == "core 1.0.0: 2 queries, fine\n"
    assert "conf/query_sets/empty.yaml: there are no queries in this set" in err
    assert "conf/query_sets/wrong.yaml:1:10: version: the number 1 is not a version" in err
    assert "conf/query_sets/wrong.yaml:5:22: queries.1.query: is empty" in err
    assert assay(home, capsys, "check", "core") == (0, "core 1.0.0: 2 queries, fine\n", "")


def test_check_reads_each_file_once_whatever_it_is_called(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A7, A20: a name that means something else is the only problem of its file."""
    write(home, "a.yaml")
    write(home, "a,b.yaml")
    write(home, "all.yaml")
    write(home, "empty.yaml", "version: 1.0.0\nqueries: []\n")
    code, out, err = assay(home, capsys, "check")

    assert (code, out) == (2, "a 1.0.0: 2 queries, fine\n")
    assert "'a,b' cannot be the name of a query set" in err
    assert "'all' cannot be the name of a query set" in err
    assert "there is no query set" not in err
    assert err.count("there are no queries in this set") == 1
    assert assay(home, capsys, "check", "empty", "empty")[2].count("there are no queries in this set") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "cor"), 'did you mean "core"?'),
        (("show", "generated/*"), "no query set matches generated/*"),
        (("show", "../x"), "it points to another folder"),
        (("show", "--set"), "--set"),
        (("list", "core"), "try: assay queries show core"),
        (("shw",), "shw"),
    ],
)
def test_mistakes(home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    """A14, A16, A17: exit 2, what is wrong, what to do."""
    write(home, "core.yaml")
    code, out, err = assay(home, capsys, *words)

    assert (code, out) == (2, "")
    assert message in err
