"""Checks of a compiled rubric against a bare Python loop that makes the same `in` tests, in turns in one process."""

from statistics import median
from time import perf_counter

from engine import rubric
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.query import Query

__all__ = ["ratios"]

CHECKS, ANSWERS, REPEATS = 40, 200, 7
_SENTENCE = "The quick brown fox jumps over the lazy dog near the bank of the river, and rests. "


def ratios() -> list[tuple[str, float, str]]:
    """What was compared, our time / the bare loop's (above 1 is slower), and one sentence with the numbers."""
    words = [f"word{number}" for number in range(CHECKS)]
    rows = "".join(f'criterion: C{word}\n  check: answer contains "{word}"\n' for word in words)
    reading = rubric.read(f"rubric: Bench\n{rows}verdict: done otherwise\n", "bench.rubric", lambda _: None)
    assert reading.rubric is not None
    grader = rubric.compile(reading.rubric)
    texts = [f"{number} {_SENTENCE * 8}"[:650] for number in range(ANSWERS)]
    query, turn = Query("q", "q", "i", "c"), Turn("q", "q")
    exchanges = [Exchange(query, turn, Answer(text=text)) for text in texts]
    ours, bare = [], []
    for _ in range(REPEATS):
        started = perf_counter()
        for exchange in exchanges:
            grader.grade(exchange)
        ours.append(perf_counter() - started)
        started = perf_counter()
        for text in texts:
            _bare(text, words)
        bare.append(perf_counter() - started)
    mine, theirs = median(ours), median(bare)
    rate = CHECKS * ANSWERS / mine / 1e6
    sentence = (
        f"{rate:.2f} M checks/s with grades, scores and verdict ({mine / ANSWERS * 1e6:.0f} µs an answer); "
        f"the loop alone makes {CHECKS * ANSWERS / theirs / 1e6:.2f} M tests/s"
    )
    return [(f"rubric: {CHECKS} checks against a bare loop", mine / theirs, sentence)]


def _bare(text: str, words: list[str]) -> list[bool]:
    folded = " ".join(text.lower().split())
    return [word in folded for word in words]


if __name__ == "__main__":
    for name, ratio, said in ratios():
        print(f"{name}: {ratio:.1f}x. {said}")
