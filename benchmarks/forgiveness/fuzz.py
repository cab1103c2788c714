"""Any text at all: the reader answers with messages for people, always the same ones, and soon."""

import random
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from time import perf_counter

from benchmarks.forgiveness.sources import sources
from engine import rubric
from engine.rubric.words import KEYWORDS

__all__ = ["HOSTILE", "complaint", "mutated", "noise", "seconds"]

_SIGNS = "\n\t :|>#-()[]{}\"'“”/,.%$=<≥\u200b\ufeff\r\u2028"
_PIECES = (
    "answer contains", "cites at least", "2 sources", "is at most", "200 words", "when score", "otherwise", "and", "or",
    "[A]", "{x}", "ndcg@10", "/a+/", "from", "full marks at", "any of", '"x", "y"', "should", "not contain", "0,7",
)  # fmt: skip


def complaint(text: str) -> str:
    """What is wrong with how the reader takes a text; empty when nothing is. Raises whatever the reader raises."""
    reading = rubric.read(text, "fuzz.rubric", lambda _: None)
    said = [str(problem) for problem in reading.problems]
    if (reading.rubric is None) is not bool(reading.errors):
        return "neither a rubric nor an error"
    if said != [str(problem) for problem in rubric.read(text, "fuzz.rubric", lambda _: None).problems]:
        return "other messages the second time"
    for problem in reading.problems:
        words = " ".join((problem.message, problem.label, *problem.help))
        foreign = [word for word in _terminals().findall(words) if word not in text]
        if foreign:
            return f"a word of the parser: {foreign[0]}"
        if not problem.message or not 0 <= problem.span.start < problem.span.end:
            return "a message without words or place"
    return ""


def noise(rng: random.Random) -> str:
    """Random bytes, or words of the language in any order."""
    if rng.random() < 0.5:
        return rng.randbytes(rng.randrange(200)).decode(rng.choice(("latin-1", "utf-16-le")), "replace")
    words = [rng.choice((*KEYWORDS, *_PIECES)) + rng.choice((":", " ", " ", "\n")) for _ in range(rng.randrange(40))]
    return "rubric: A\ncriterion: B\n check: " + " ".join(words)


def mutated(rng: random.Random) -> str:
    """A good rubric with a few characters cut out, put in or moved."""
    text = rng.choice(sources()).text
    for _ in range(rng.randrange(1, 5)):
        at, cut = rng.randrange(len(text)), rng.randrange(12)
        put = "".join(rng.choice(_SIGNS) for _ in range(rng.randrange(3)))
        piece = text[at : at + cut]
        to = rng.randrange(len(text))
        text = text[:at] + put + text[at + cut :]
        text = text[:to] + piece + text[to:]
    return text


def seconds(row: str) -> float:
    """How long it takes to refuse the largest file made of one line over and over."""
    rows = min(512 * 1024 // (len(row.encode()) + 1) - 2, 9_990)
    text = "rubric: A\ncriterion: B\n" + f"{row}\n" * rows
    started = perf_counter()
    rubric.read(text, "hostile.rubric", lambda _: None)
    return perf_counter() - started


HOSTILE: Mapping[str, str] = {
    "a misspelt keyword": "wieght: 3",
    "a misspelt word": "check: answer cites at leest 2 sources",
    "no sense": "check: the quick brown fox jumps over the lazy dog",
    "prose": "This is a sentence that goes on for a while, and it has no keyword at all.",
    "quotes": "check: answer contains any of refund, money, back, 'x, “y, z",
    "brackets": "check: " + "(" * 20 + "answer is empty" + ")" * 19,
    "an unknown name": "check: custmer teir is at least 2",
    "an unknown criterion": "cap: 40% when [Faithfullness] fails",
    "long words": "check: " + "a" * 40 + " " + "b" * 40,
    "duplicates": "criterion: Relevance",
}


@cache
def _terminals() -> re.Pattern[str]:
    grammar = (files("engine.rubric") / "rubric.lark").read_text(encoding="utf-8")
    names = re.findall(r"^_?([A-Z_]{2,})(?:\.\d+)?:", grammar, re.MULTILINE)
    return re.compile(rf"\b(?:{'|'.join(sorted(names, key=len, reverse=True))}|__ANON_\d+|\$END)\b")
