"""Readers: what a folder's files become, and what is refused with its place."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.corpus import files
from engine.corpus.documents import Document
from engine.corpus.sources import folder, python_docs
from engine.errors import UsageError
from engine.store import strict_json


def _read(root: Path) -> tuple[Document, ...]:
    return folder(root, "docs", strict_json.loads).read().documents


def _complaint(root: Path) -> str:
    with pytest.raises(UsageError) as raised:
        _read(root)
    return str(raised.value)


def test_the_language_reference_has_the_topics_as_sources() -> None:
    corpus = python_docs()
    documents = {document.source: document for document in corpus.read().documents}

    assert len(documents) > 70
    assert documents["with"].title == 'The "with" statement'
    assert documents["context-managers"].title == "With Statement Context Managers"
    assert list(documents) == sorted(documents)
    assert python_docs().fingerprint == corpus.fingerprint


def test_files_become_documents_named_by_their_path_inside_the_folder(tmp_path: Path) -> None:
    """A73: paths are relative to the corpus and use / on every system."""
    (tmp_path / "guide" / "deep").mkdir(parents=True)
    (tmp_path / "guide" / "deep" / "returns.MD").write_text("# Returns\n\nWithin 30 days.\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no heading here\n", encoding="utf-8")
    (tmp_path / "page.html").write_text("<title>A page</title><p>Hello <b>you</b>", encoding="utf-8")
    (tmp_path / "more.jsonl").write_text(
        '{"id": "x/1", "title": "One", "text": "first"}\n\n{"id": "x/2", "text": ""}\n'
    )

    assert _read(tmp_path) == (
        Document("guide/deep/returns.MD", "Returns", "# Returns\n\nWithin 30 days.\n"),
        Document("notes.txt", "notes", "no heading here\n"),
        Document("page.html", "A page", "Hello you\n"),
        Document("x/1", "One", "first"),
        Document("x/2", "x/2", ""),
    )


def test_line_ends_and_a_byte_order_mark_do_not_change_a_document(tmp_path: Path) -> None:
    """J4, F55: bytes are UTF-8 whatever the locale says; U+2028 does not end a line of JSON."""
    (tmp_path / "a.md").write_bytes("\ufeff# Café\r\n\r\n検索\rend\u2028\r\n".encode())
    (tmp_path / "b.jsonl").write_bytes('\ufeff{"id": "b", "text": "x\u2028y\\r\\nz"}\r\n'.encode())

    assert _read(tmp_path) == (
        Document("a.md", "Café", "# Café\n\n検索\nend\u2028\n"),
        Document("b", "b", "x\u2028y\nz"),
    )


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        pytest.param("a.md", b"fine\n\xff\xfe", "docs/a.md:2: byte 0xff is not UTF-8", id="invalid-utf-8"),
        pytest.param("a.txt", "text".encode("utf-16"), "docs/a.txt:1: byte 0xff is not UTF-8", id="utf-16"),
        pytest.param("a.md", b"one\n\0two", "docs/a.md:2: a NUL character", id="nul"),
        pytest.param("a.jsonl", b'\n{"id": "1"}\n', 'docs/a.jsonl:2: "text" is missing', id="no-text"),
        pytest.param("a.jsonl", b'{"_id": "1", "text": ""}', 'did you mean "id"?', id="typo"),
        pytest.param("a.jsonl", b'{"id": 7, "text": ""}', '"id" must be text', id="number-id"),
        pytest.param("a.jsonl", b'{"id": " ", "text": ""}', '"id" is empty', id="empty-id"),
        pytest.param("a.jsonl", b'["id"]', "docs/a.jsonl:1: a line must be an object", id="list"),
        pytest.param("a.jsonl", b'{"id": "1", "id": "2", "text": ""}', "docs/a.jsonl:1", id="key-twice"),
        pytest.param("a.jsonl", b'{"id": "1", "text": "\\u0000"}', '"text" holds a NUL', id="json-nul"),
        pytest.param("a.jsonl", b'{"id": "1", "text": "\\ud800"}', "docs/a.jsonl:1", id="lone-surrogate"),
        pytest.param("a.jsonl", b"\n\n", "docs holds no documents", id="no-lines"),
    ],
)
def test_a_file_that_cannot_be_read_exactly_is_refused(tmp_path: Path, name: str, data: bytes, place: str) -> None:
    """J1, J3, J4: never a guess, always the file and the line."""
    (tmp_path / name).write_bytes(data)

    assert place in _complaint(tmp_path)


def test_every_problem_is_reported_at_once_up_to_a_number_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff")
    (tmp_path / "b.jsonl").write_text("{}\n" * 30, encoding="utf-8")

    complaint = _complaint(tmp_path)

    assert "docs/a.md:1" in complaint
    assert "docs/b.jsonl:9" in complaint
    assert "… and 41 more problems like these" in complaint


def test_a_file_larger_than_a_document_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 50)
    (tmp_path / "a.md").write_text("x" * 51, encoding="utf-8")
    long = json.dumps({"id": "1", "text": "x" * 120})
    (tmp_path / "b.jsonl").write_text(f'{long}\n{{"id": "2", "txt": ""}}\n', encoding="utf-8")

    complaint = _complaint(tmp_path)

    assert "docs/a.md: larger than" in complaint
    assert "docs/b.jsonl:1: larger than" in complaint
    assert """docs/b.jsonl:2: "text" is missing\n  → did you mean "text"? the line has "txt\"""" in complaint, (
        "the line after the long one keeps its number"
    )


def test_fields_that_other_tools_write_are_not_read_and_it_is_said(tmp_path: Path) -> None:
    """B20: an export has more fields than a document; a slip of a name is still seen."""
    lines: list[dict[str, object]] = [
        {"id": "1", "titel": "One", "text": "", "url": "http://x", "size": 7},
        {"id": "2", "text": "", "url": None},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    reading = folder(tmp_path, "docs", strict_json.loads).read()

    assert reading.documents == (Document("1", "1", ""), Document("2", "2", ""))
    assert reading.note == (
        'fields that are not read: url (in 2 lines), size (in 1 line), titel (in 1 line; did you mean "title"?)'
    )


def test_a_note_about_very_many_fields_stays_short(tmp_path: Path) -> None:
    line = {"id": "1", "text": "", "x" * 500: 1, **{f"n{number}": 1 for number in range(30)}}
    (tmp_path / "a.jsonl").write_text(json.dumps(line), encoding="utf-8")

    note = folder(tmp_path, "docs", strict_json.loads).read().note

    assert note.endswith(", 21 more")
    assert len(note) < 600


def test_folders_that_the_engine_writes_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    """F53: also a link to a file in one of them."""
    for name in ("a.md", "runs/x/r.md", "sub/runs/r.md", ".assay/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", encoding="utf-8")
    (tmp_path / "link.md").symlink_to("runs/x/r.md")
    own = {tmp_path.resolve() / "runs", tmp_path.resolve() / ".assay"}

    corpus = folder(tmp_path, "docs", strict_json.loads, own.__contains__)

    assert [document.source for document in corpus.read().documents] == ["a.md", "sub/runs/r.md"]
    assert corpus.notes == (
        "left out 1 link to elsewhere or to a folder (link.md)",
        "left out 2 folders that assay itself writes (.assay, runs)",
    )


def test_two_documents_with_one_source_are_refused_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"id": "z", "text": ""}\n{"id": "a.md", "text": ""}\n', encoding="utf-8")

    assert 'docs/b.jsonl:2: the source "a.md" is used twice; the first is docs/a.md' in _complaint(tmp_path)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "LICENSE").write_text("free", encoding="utf-8")
    (tmp_path / ".hidden.md").write_text("no", encoding="utf-8")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("no", encoding="utf-8")
    (tmp_path / "gone.md").symlink_to("nowhere.md")

    corpus = folder(tmp_path, "docs", strict_json.loads)

    assert [document.source for document in corpus.read().documents] == ["a.md"]
    assert corpus.notes == (
        "left out 2 files of other kinds (1 × .png, 1 × no suffix)",
        "left out 1 link to elsewhere or to a folder (gone.md)",
        "left out 2 hidden files or folders",
    )


def test_links_do_not_lead_out_of_the_folder_or_round_in_circles(tmp_path: Path) -> None:
    """F53: a link to a file elsewhere, to a folder, to itself or to nothing is not followed."""
    root, outside = tmp_path / "docs", tmp_path / "secret.md"
    (root / ".hidden").mkdir(parents=True)
    (root / ".hidden" / "h.md").write_text("hidden", encoding="utf-8")
    outside.write_text("secret", encoding="utf-8")
    (root / "a.md").write_text("a", encoding="utf-8")
    (root / "inside.md").symlink_to("a.md")
    (root / "out.md").symlink_to(outside)
    (root / "dangling.md").symlink_to("nothing.md")
    (root / "loop.md").symlink_to("loop.md")
    (root / "round").symlink_to(root, target_is_directory=True)
    (root / "hidden.md").symlink_to(".hidden/h.md")

    corpus = folder(root, "docs", strict_json.loads)

    assert [document.source for document in corpus.read().documents] == ["a.md", "inside.md"]
    assert any("left out 5 links" in note for note in corpus.notes)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_not_opened(tmp_path: Path) -> None:
    """F85: opening it would wait for ever."""
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.md")

    corpus = folder(tmp_path, "docs", strict_json.loads)

    assert len(corpus.read().documents) == 1
    assert corpus.notes == ("left out 1 pipe or device (pipe.md)",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda path: None, "there is no folder docs", id="missing"),
        pytest.param(lambda path: path.write_text("x"), "docs is a file, not a folder", id="file"),
        pytest.param(lambda path: path.mkdir(), "docs holds no documents", id="empty"),
    ],
)
def test_a_folder_without_documents_is_refused(tmp_path: Path, make: Callable[[Path], object], message: str) -> None:
    make(tmp_path / "docs")

    assert message in _complaint(tmp_path / "docs")


def test_the_fingerprint_follows_every_name_and_byte(tmp_path: Path) -> None:
    """A91: computed from the files, not from their dates."""

    def fingerprint() -> str:
        return folder(tmp_path, "docs", strict_json.loads).fingerprint

    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    first = fingerprint()
    os.utime(tmp_path / "a.md", (1, 1))
    assert fingerprint() == first
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    renamed = fingerprint()
    (tmp_path / "b.md").write_text("A", encoding="utf-8")

    assert len({first, renamed, fingerprint()}) == 3
