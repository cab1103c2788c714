"""The Cranfield collection: converted, indexed and asked at realistic size (docs/cranfield.md)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest

from engine.corpus.index import Search, Tokenizer, index_path, opened
from engine.corpus.sources import folder
from engine.store import strict_json
from engine.store.query_files import read_set
from engine.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT.parent / "shared" / "data" / "cranfield"
SCRIPT = ROOT / "scripts" / "convert_cranfield.py"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The converted collection."""
    if not SOURCE.is_dir():
        pytest.skip("the Cranfield files are not beside this checkout (../shared/data/cranfield)")
    dest = tmp_path_factory.mktemp("cranfield")
    done = _convert(SOURCE, dest)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1400 documents, 225 queries, 1612 judgments (225 lines without a code left out)\n"
    return dest


def _convert(source: Path, dest: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-S", str(SCRIPT), str(source), str(dest)]
    environment = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=30, env=environment)


def test_grades_count_upwards_and_questions_count_in_file_order(workspace: Path) -> None:
    queries = read_set(Workspace(workspace), "cranfield")
    first, second = queries.queries[:2]

    assert len(queries.queries) == 225
    assert first.text.startswith("what similarity laws must be obeyed")
    assert first.relevant is not None
    assert first.relevant["184"] == 3, "code 2 in cranqrel"
    assert first.relevant["13"] == 1, "code 4"
    assert "486" not in first.relevant, "-1 is none of the codes"
    assert second.relevant is not None
    assert second.relevant["12"] == 4, "code 1, a complete answer"
    assert queries.queries[2].text.startswith("what problems of heat conduction"), ".I 004 is question 3"


def test_stray_field_marks_do_not_swallow_an_abstract(workspace: Path) -> None:
    lines = (workspace / "corpus" / "cranfield.jsonl").read_text(encoding="utf-8").splitlines()
    documents = {entry["id"]: entry for entry in map(json.loads, lines)}

    assert "application to turbulent separations" in documents["240"]["text"]
    assert documents["578"]["text"].startswith("dissociation scaling")
    assert "compressor operation" in documents["578"]["text"]
    assert documents["471"] == {"id": "471", "title": "", "text": ""}


def test_1400_documents_are_indexed_and_225_questions_answered_in_seconds(workspace: Path) -> None:
    corpus = folder(workspace / "corpus", "corpus", strict_json.loads)
    started = process_time()
    with opened(index_path(workspace, corpus, Tokenizer()), corpus, Tokenizer(), lambda line: None) as index:
        assert process_time() - started < 3
        found = 0
        for query in read_set(Workspace(workspace), "cranfield").queries:
            top = {hit.source for hit in index.search(query.text, Search())}
            found += bool(top & (query.relevant or {}).keys())

    assert index.contents.documents == 1400
    assert process_time() - started < 12
    assert found >= 180, "most questions have a relevant document among the first ten"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cranqrel", "1 1 7\n", "cranqrel:1: 7 is no code"),
        ("cranqrel", "1 1\n", "cranqrel:1: not three whole numbers"),
        ("cranqrel", "1 99 1\n", "judges documents that are not there: 99"),
        ("cranqrel", "2 1 1\n", "judges questions that are not there: [2]"),
        ("cranqrel", "1 1 1\n1 1 2\n", "cranqrel:2: question 1, document 1 was judged differently"),
        ("cran.all.1400", "", "no documents"),
        ("cran.qry", ".I 001\n.W\n\n", "no text for cran-001"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    contents = {"cran.all.1400": ".I 1\n.T\na\n.W\nb\n", "cran.qry": ".I 001\n.W\nwhat\n", "cranqrel": "1 1 1\n"}
    for file, content in {**contents, name: text}.items():
        (tmp_path / file).write_text(content, encoding="utf-8")

    done = _convert(tmp_path, tmp_path / "out")

    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()
