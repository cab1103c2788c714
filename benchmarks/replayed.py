"""A workspace with many queries and an answer of ten hits to each, of which one is relevant."""

import json
import random
from pathlib import Path

__all__ = ["WORDS", "replayed"]

# What is typed in such a workspace.
WORDS = ("run", "queries=many", "target=played", "--silent")

_VOCABULARY = ("error", "timeout", "socket", "parser", "module", "import", "class", "method", "loop", "value", "index")


def replayed(folder: Path, items: int) -> Path:
    """Make one; the same content for the same number of items. Returns the file of answers."""
    chance = random.Random(items)
    (folder / "conf/query_sets").mkdir(parents=True)
    (folder / "conf/target").mkdir()
    (folder / "conf/target/played.yaml").write_text("kind: replay\nfile: answers.jsonl\n", "utf-8")
    with (
        (folder / "conf/query_sets/many.jsonl").open("w", encoding="utf-8") as queries,
        (folder / "answers.jsonl").open("w", encoding="utf-8") as answers,
    ):
        head = {"version": "1.0.0", "description": "many", "source": "curated", "categories": ["a"]}
        queries.write(json.dumps(head) + "\n")
        for item in range(items):
            words = " ".join(chance.sample(_VOCABULARY, 4))
            relevant = {f"doc-{item}-{chance.randrange(10)}": 2}
            query = {"id": f"q{item}", "query": f"how to {words}", "intent": words, "category": "a"}
            queries.write(json.dumps({**query, "relevant": relevant}) + "\n")
            hits = [
                {
                    "source": f"doc-{item}-{place}",
                    "title": f"About {chance.choice(_VOCABULARY)}",
                    "snippet": " ".join(chance.choices(_VOCABULARY, k=20)),
                    "score": 10.0 - place,
                }
                for place in range(10)
            ]
            answers.write(json.dumps({"id": f"q{item}", "hits": hits}) + "\n")
    return folder / "answers.jsonl"
