"""The index file: fresh, missing, stale or foreign, and built by several processes at once."""

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.corpus.documents import Corpus
from engine.corpus.index import Search, State, Tokenizer, Tokens, build, index_path, inspect, opened
from engine.corpus.sources import folder
from engine.errors import EngineError, UsageError
from engine.store import strict_json

TERMS = Tokenizer()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three documents in a folder."""
    root = tmp_path / "docs"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / f"{name}.md").write_text(f"# {name}\n\nparrot {name}\n", encoding="utf-8")
    return root


def _corpus(root: Path, shown: str = "docs") -> Corpus:
    return folder(root, shown, strict_json.loads)


def _open(path: Path, corpus: Corpus, terms: Tokenizer = TERMS) -> tuple[list[str], str]:
    """(what was said, the corpus hash) of opening an index."""
    said: list[str] = []
    with opened(path, corpus, terms, said.append) as index:
        assert len(index.search("parrot", Search())) > 0
        return said, index.contents.sha256


def test_a_missing_index_is_built_once_and_says_so(docs: Path, tmp_path: Path) -> None:
    path = index_path(tmp_path / ".assay", _corpus(docs), TERMS)
    assert inspect(path, _corpus(docs), TERMS).state is State.MISSING

    first, sha256 = _open(path, _corpus(docs))
    second, again = _open(path, _corpus(docs))

    assert first == ["building the search index of folder docs: there is no index yet"]
    assert second == []
    assert sha256 == again
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    if sys.platform != "win32":
        assert not any(private.stat().st_mode & 0o077 for private in (path, path.parent, path.parent.parent))


def test_changed_documents_make_it_stale_and_the_change_is_named(docs: Path, tmp_path: Path) -> None:
    """A92: a stale index is noticed before the first query."""
    path = index_path(tmp_path, _corpus(docs), TERMS)
    _, before = _open(path, _corpus(docs))
    (docs / "a.md").write_text("parrot changed", encoding="utf-8")
    (docs / "b.md").unlink()
    (docs / "d.md").write_text("parrot new", encoding="utf-8")
    (docs / "e.md").write_text("parrot new", encoding="utf-8")

    standing = inspect(path, _corpus(docs), TERMS)
    said, after = _open(path, _corpus(docs))

    assert standing.state is State.STALE
    assert said == ["rebuilding the search index of folder docs: documents changed: +2 −1 ~1"]
    assert before != after
    assert inspect(path, _corpus(docs), TERMS).state is State.FRESH


def test_line_ends_and_tokenizer_options_do_not_change_the_corpus_hash(docs: Path, tmp_path: Path) -> None:
    """A91: the hash is of the documents, so two arms with other options search the same corpus."""
    path, other = index_path(tmp_path, _corpus(docs), TERMS), Tokenizer(Tokens.ASCII, stemming=False)
    _, sha256 = _open(path, _corpus(docs))
    assert index_path(tmp_path, _corpus(docs), other) != path
    assert _open(index_path(tmp_path, _corpus(docs), other), _corpus(docs), other)[1] == sha256

    (docs / "a.md").write_bytes(b"\xef\xbb\xbf# a\r\n\r\nparrot a\r\n")
    said, after = _open(path, _corpus(docs))

    assert said == ["rebuilding the search index of folder docs: files were touched, the documents are the same"]
    assert after == sha256


def test_an_index_that_is_missing_for_other_options_names_the_options(docs: Path, tmp_path: Path) -> None:
    """B17: it is made because of the setting, not because there is none; the nearest one counts."""
    _open(index_path(tmp_path, _corpus(docs), TERMS), _corpus(docs))
    other, further = Tokenizer(stemming=False), Tokenizer(Tokens.ASCII, stemming=False)

    said, _ = _open(index_path(tmp_path, _corpus(docs), other), _corpus(docs), other)
    again, _ = _open(index_path(tmp_path, _corpus(docs), further), _corpus(docs), further)

    assert said == ["building the search index of folder docs: there is none with stemming=false yet"]
    assert again == ["building the search index of folder docs: there is none with tokenizer=ascii yet"]
    elsewhere = _corpus(docs, "other")
    assert inspect(index_path(tmp_path, elsewhere, TERMS), elsewhere, TERMS).reason == "there is no index yet"


def test_what_is_not_read_in_documents_is_said_when_they_are_indexed_and_kept(docs: Path, tmp_path: Path) -> None:
    """B20."""
    (docs / "export.jsonl").write_text('{"id": "x", "text": "parrot", "url": "u"}\n', encoding="utf-8")
    path = index_path(tmp_path, _corpus(docs), TERMS)
    said, _ = _open(path, _corpus(docs))

    assert said[1:] == ["folder docs: fields that are not read: url (in 1 line)"]
    assert _open(path, _corpus(docs))[0] == []
    contents = inspect(path, _corpus(docs), TERMS).contents
    assert contents
    assert contents.note == "fields that are not read: url (in 1 line)"


def test_what_killed_builds_left_is_removed_at_the_next_build(docs: Path, tmp_path: Path) -> None:
    """F84: only what nobody has written to for an hour: a build may be going on."""
    path = index_path(tmp_path, _corpus(docs), TERMS)
    path.parent.mkdir()
    dead, alive, other = (path.parent / name for name in (".x-1.building", ".x-2.building", "notes.building"))
    for file, hours in ((dead, 1.01), (alive, 0.9), (other, 9)):
        file.write_bytes(b"half")
        os.utime(file, (time.time() - hours * 3_600,) * 2)

    _open(path, _corpus(docs))

    assert sorted(file.name for file in path.parent.iterdir()) == sorted([alive.name, other.name, path.name])


@pytest.mark.parametrize("data", [b"", b"my own notes", b"SQLite format 3\0" + b"x" * 200], ids=repr)
def test_a_foreign_file_is_never_overwritten(docs: Path, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(data)

    with pytest.raises(UsageError, match="not a search index"), opened(path, _corpus(docs), TERMS, print):
        pass
    with pytest.raises(UsageError, match="not overwritten"):
        build(path, _corpus(docs), TERMS)

    assert inspect(path, _corpus(docs), TERMS).state is State.FOREIGN
    assert path.read_bytes() == data


def test_a_database_of_somebody_else_and_another_corpus_are_foreign(docs: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.sqlite"
    connection = sqlite3.connect(own)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    other = tmp_path / "other.sqlite"
    build(other, _corpus(docs, "other"), TERMS)

    assert inspect(own, _corpus(docs), TERMS).state is State.FOREIGN
    assert inspect(other, _corpus(docs), TERMS).state is State.FOREIGN
    with pytest.raises(UsageError, match="index of another corpus, folder other"):
        build(other, _corpus(docs), TERMS)


def test_a_damaged_or_outdated_index_of_ours_is_built_again(docs: Path, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(path, _corpus(docs), TERMS)
    whole = path.read_bytes()
    path.write_bytes(whole[:5000])
    assert inspect(path, _corpus(docs), TERMS).reason == "the index is damaged"
    assert len(_open(path, _corpus(docs))[0]) == 1

    path.write_bytes(whole[:60] + (99).to_bytes(4, "big") + whole[64:])  # user_version in the header
    assert "another version" in inspect(path, _corpus(docs), TERMS).reason
    assert len(_open(path, _corpus(docs))[0]) == 1
    assert inspect(path, _corpus(docs), Tokenizer(stemming=False)).state is State.STALE


def test_a_build_that_fails_leaves_the_old_index_and_no_litter(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache" / "index.sqlite"
    build(path, _corpus(docs), TERMS)
    whole = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(EngineError, match="No space left on device"):
        build(path, _corpus(docs), TERMS)

    assert path.read_bytes() == whole
    assert len(list(path.parent.iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_a_clear_error(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")

    with pytest.raises(EngineError, match="cannot be written"):
        build(tmp_path / "cache" / "index.sqlite", _corpus(docs), TERMS)


def test_an_unknown_tokenizer_of_this_sqlite_is_named(docs: Path, tmp_path: Path) -> None:
    class Newer(Tokenizer):
        def __str__(self) -> str:
            return "from_the_future"

    with pytest.raises(UsageError, match="has no tokenizer"):
        build(tmp_path / "index.sqlite", _corpus(docs), Newer())


BUILDER = """
import sys
from pathlib import Path
from engine.corpus.index import Search, Tokenizer, opened
from engine.corpus.sources import folder
from engine.store import strict_json
sys.stdin.readline()
for _ in range(3):
    with opened(Path(sys.argv[2]), folder(Path(sys.argv[1]), "docs", strict_json.loads), Tokenizer(), print) as index:
        print([(hit.source, hit.score) for hit in index.search("parrot", Search())])
"""


def test_processes_that_build_at_once_all_get_the_whole_index(docs: Path, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "index.sqlite"
    for number in range(300):
        (docs / f"n{number}.txt").write_text(f"parrot {number} " * 40, encoding="utf-8")
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", BUILDER, str(docs), str(path)]
    started = [
        subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        for _ in range(4)
    ]
    for process in started:  # all at once, after the slow imports
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=30)[0].splitlines() for process in started]

    assert all(process.returncode == 0 for process in started)
    answers = {line for lines in printed for line in lines if line.startswith("[")}
    assert len(answers) == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]
