"""What the engine costs per item: a run over replayed answers against a bare loop that does only the work itself."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.replayed import WORDS, replayed
from benchmarks.timing import cpu_s, medians, peak_mb, turns
from engine.measures.err import err
from engine.measures.ndcg import ndcg
from engine.measures.recall import recall
from engine.measures.rr import rr
from engine.measures.snippet import snippet

__all__ = ["memory", "ratios"]


def ratios(items: int = 10_000, repeats: int = 3) -> list[tuple[str, float, str]]:
    """What was compared, our processor time / the bare loop's, and one sentence with the numbers.

    Ours is a whole process at `items` minus a whole process at one item, so that reading the query set and the
    answers, the plan and the summary are counted, and starting Python is not.
    """
    with TemporaryDirectory() as one, TemporaryDirectory() as many:
        replayed(Path(one), 1)
        answers = replayed(Path(many), items)
        relevant = _relevant(Path(many))

        def engine(folder: str, *words: str) -> float:
            return cpu_s(("-m", "engine", *WORDS, *words), Path(folder))

        def bare() -> float:
            return medians(1, lambda: _bare(answers, relevant, Path(many) / "bare.jsonl"))[0]

        for folder in (one, many):
            engine(folder, "limit=1")  # reads the rubric, once; later starts find it read
        start_s, ours_s, bare_s = turns(repeats, lambda: engine(one), lambda: engine(many), bare)
    per_item = 1e3 / items
    sentence = (
        f"{(ours_s - start_s) * per_item:.3f} ms an item here, {bare_s * per_item:.3f} ms there: "
        f"overhead {(ours_s - start_s - bare_s) * per_item:.3f} ms an item; median of {repeats} in turns"
    )
    return [(f"run over replayed answers, {items:,} items, against a bare loop", (ours_s - start_s) / bare_s, sentence)]


def memory(items: int = 100_000) -> list[tuple[str, float, str]]:
    """Peak memory of a run of `items`, over that of a run of one."""
    with TemporaryDirectory() as one, TemporaryDirectory() as many:
        replayed(Path(one), 1)
        replayed(Path(many), items)
        few, all_ = peak_mb(WORDS, Path(one)), peak_mb(WORDS, Path(many))
    sentence = (
        f"{all_:.0f} MB at {items:,} items, {few:.0f} MB at one; {(all_ - few) * 2**20 / items:.0f} bytes an item"
    )
    return [(f"peak memory of a run, {items:,} items, against one item", all_ / few, sentence)]


def _relevant(folder: Path) -> dict[str, tuple[str, Mapping[str, float]]]:
    lines = (folder / "conf/query_sets/many.jsonl").read_text("utf-8").splitlines()[1:]
    queries = map(json.loads, lines)
    return {query["id"]: (query["query"], query["relevant"]) for query in queries}


def _bare(answers: Path, relevant: Mapping[str, tuple[str, Mapping[str, float]]], out: Path) -> None:
    """Parse an answer, compute what `rubrics/search.rubric` measures, write a line as long as the journal's."""
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with answers.open("rb") as lines:
            for line in lines:
                answer = json.loads(line)
                text, grades = relevant[answer["id"]]
                hits = answer["hits"]
                ranking = [hit["source"] for hit in hits]
                scores = {
                    "err@10": err(ranking, grades, 10),
                    "ndcg@10": ndcg(ranking, grades, 10),
                    "mrr@10": rr(ranking, grades, 10),
                    "recall@10": recall(ranking, grades, 10),
                    "snippet@3": snippet(text, [f"{hit['title']} {hit['snippet']}" for hit in hits[:3]], 3),
                }
                record = {"query": text, "answer": answer, "scores": scores}
                os.write(descriptor, json.dumps(record, ensure_ascii=False).encode() + b"\n")
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)
