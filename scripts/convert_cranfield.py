"""Converts the Cranfield test collection (SMART format) into a workspace: documents, query set and target.

    python scripts/convert_cranfield.py SRC DEST
    assay run --workspace DEST queries=cranfield target=cranfield

SRC holds cran.all.1400, cran.qry and cranqrel. What is decided here is explained in docs/cranfield.md.
Needs nothing but Python.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["documents", "judgments", "main", "queries"]

# Cleverdon's codes (cranqrel.readme) count from 1, a complete answer, to 5, of no interest. A grade counts upwards.
GRADES = {1: 4, 2: 3, 3: 2, 4: 1, 5: 0}
NO_CODE = -1  # stands once per query and is none of Cleverdon's codes, so it says nothing about relevance

TARGET = """\
# The Cranfield documents: 1,400 abstracts about aeronautics.
kind: folder
path: corpus
"""

Records = list[tuple[str, dict[str, str]]]


def main(words: list[str]) -> int:
    """Read SRC, check it, write DEST."""
    if len(words) != 2:
        sys.stderr.write("usage: python scripts/convert_cranfield.py SRC DEST\n")
        return 2
    source, dest = map(Path, words)
    try:
        texts = {name: _read(source / name) for name in ("cran.all.1400", "cran.qry", "cranqrel")}
        corpus = documents(texts["cran.all.1400"])
        relevant, left_out = judgments(texts["cranqrel"])
        asked = queries(texts["cran.qry"], relevant)
        _check(corpus, asked, relevant)
        _write_lines(dest / "corpus" / "cranfield.jsonl", corpus)
        _write_lines(dest / "conf" / "query_sets" / "cranfield.jsonl", [_header(), *asked])
        _write(dest / "conf" / "target" / "cranfield.yaml", TARGET)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"convert_cranfield: {error}\n")
        return 2
    judged = sum(map(len, relevant.values()))
    counts = f"{len(corpus)} documents, {len(asked)} queries, {judged} judgments"
    sys.stdout.write(f"{counts} ({left_out} lines without a code left out)\n")
    return 0


def documents(text: str) -> list[dict[str, str]]:
    """Each abstract as id, title and text. Authors and journal are not text to search."""
    return [
        {"id": number, "title": " ".join(fields.get("T", "").split()), "text": fields.get("W", "").strip("\n")}
        for number, fields in _records(text)
    ]


def queries(text: str, relevant: Mapping[int, Mapping[str, int]]) -> list[dict[str, object]]:
    """Each question with its judgments. cranqrel counts the questions 1, 2, 3 … in the order of the file."""
    return [
        {
            "id": f"cran-{position:03}",
            "query": " ".join(fields.get("W", "").split()),
            "intent": "Find the papers that answer a researcher's question",
            "category": "aeronautics",
            "relevant": dict(relevant.get(position, {})),
        }
        for position, (_, fields) in enumerate(_records(text), start=1)
    ]


def judgments(text: str) -> tuple[dict[int, dict[str, int]], int]:
    """(question → document → grade, number of lines without a code of Cleverdon's)."""
    found: dict[int, dict[str, int]] = {}
    left_out = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            question, document, code = map(int, line.split())
        except ValueError:
            raise ValueError(f"cranqrel:{number}: not three whole numbers: {line.strip()[:60]!r}") from None
        if code == NO_CODE:
            left_out += 1
        elif code not in GRADES:
            raise ValueError(f"cranqrel:{number}: {code} is no code of relevance; they are 1 to 5 and -1")
        elif found.setdefault(question, {}).setdefault(str(document), GRADES[code]) != GRADES[code]:
            raise ValueError(
                f"cranqrel:{number}: question {question}, document {document} was judged differently above"
            )
    return found, left_out


def _records(text: str) -> Records:
    """(number, field → text) of each `.I` record.

    A field starts only where the format allows it: T, A, B, W in this order. A later `.A`, `.B` or `.W`
    (records 240, 576 and 578 hold some) is a remnant of the file's typing and its text belongs to `.W`.
    """
    records: Records = []
    order, field = "", ""
    for line in text.split("\n"):
        marker = re.fullmatch(r"\.([ITABW])(?: +(\d+))?\s*", line)
        if marker and marker[1] == "I" and marker[2]:
            records.append((marker[2], {}))
            order, field = "TABW", ""
        elif marker and marker[1] in order:
            field = marker[1]
            order = order[order.index(field) + 1 :]
        elif not marker and records and field:
            fields = records[-1][1]
            fields[field] = f"{fields.get(field, '')}{line}\n"
    return records


def _check(
    corpus: list[dict[str, str]], asked: list[dict[str, object]], relevant: Mapping[int, Mapping[str, int]]
) -> None:
    ids = {document["id"] for document in corpus}
    if not ids or len(ids) != len(corpus):
        raise ValueError("cran.all.1400: no documents, or two with the same number")
    if unknown := sorted({document for graded in relevant.values() for document in graded} - ids):
        raise ValueError(f"cranqrel: judges documents that are not there: {', '.join(unknown[:5])}")
    if strangers := sorted(set(relevant) - set(range(1, len(asked) + 1))):
        raise ValueError(f"cranqrel: judges questions that are not there: {strangers[:5]}")
    if empty := [str(query["id"]) for query in asked if not query["query"]]:
        raise ValueError(f"cran.qry: no text for {', '.join(empty[:5])}")


def _header() -> dict[str, object]:
    return {
        "version": "1.0.0",
        "description": "Cranfield: 225 questions about aeronautics, judged by the people who asked them",
        "source": "curated",
        "categories": ["aeronautics"],
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write_lines(path: Path, values: Iterable[Mapping[str, object]]) -> None:
    _write(path, "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
