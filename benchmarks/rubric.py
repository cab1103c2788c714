"""The rubric language: compiled checks against walking the nouns, checking a file, and weighing anew."""

import gc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TypeVar

from benchmarks.ast_walk import walk
from benchmarks.timing import ROOT, cpu_s, turns
from engine import rubric
from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.grade import Vote
from engine.model.query import Query
from engine.rubric.evidence import Evidence
from engine.rubric.syntax import criteria

__all__ = ["checking", "ratios", "weighing"]

T = TypeVar("T")
Row = tuple[str, float, str]
CRITERIA = 40
_SENTENCE = "The quick brown fox jumps over the lazy dog near the bank of the river, and rests. "
_SHAPES = (  # one for each family of checks in the language
    'answer contains any of "alpha{n}", "river", "beta"',
    'answer does not contain "sorry{n}"',
    'answer has the word "fox"',
    'answer starts with "{n}" or answer ends with "rests."',
    "answer has at most {n}00 words",
    "answer cites at least 1 source",
    'tool "search" was called at most {n} times',
    'results contain "page" in the top 3',
    "latency is at most {n} seconds",
    "intent is not comparison",
)


def ratios(answers: int = 400, repeats: int = 9) -> list[Row]:
    """40 criteria that the computer decides, on answers of 650 characters."""
    grader = rubric.compile(_rubric())
    exchanges = [_exchange(number) for number in range(answers)]
    seen = [Evidence(exchange, {}) for exchange in exchanges]
    for evidence in seen:
        grader.conclude(evidence)
    works = (
        lambda: _each(grader.grade, exchanges),
        lambda: _each(lambda evidence: grader.conclude(evidence.again({})), seen),
        lambda: _each(lambda exchange: walk(grader.rubric, exchange), exchanges),
    )
    ours, cached, walked = turns(repeats, *map(_seconds, works))
    assert grader.grade(exchanges[0]) == walk(grader.rubric, exchanges[0]), "the yardstick grades otherwise"
    made = CRITERIA * answers / 1e6
    sentence = (
        f"{made / ours:.2f} M checks/s with grades, scores and verdict ({ours / answers * 1e6:.0f} µs an answer), "
        f"{made / cached:.2f} M/s with the features of the text kept; walking makes {made / walked:.2f} M/s"
    )
    return [(f"rubric: {CRITERIA} checks, walking the nouns against closures", walked / ours, sentence)]


def weighing(answers: int = 10_000, repeats: int = 3) -> list[Row]:
    """Other weights for answers that are graded already, against grading them again."""
    first, second = (rubric.compile(_weighed(weight)) for weight in (1, 3))
    said = {name: (Vote("okay"),) for name in first.questions}
    seen = [Evidence(_exchange(number), said) for number in range(answers)]
    for evidence in seen:
        first.conclude(evidence)
    exchanges = [evidence.exchange for evidence in seen]
    works = (
        lambda: _each(second.reweigh, seen),
        lambda: _each(lambda exchange: second.grade(exchange, said), exchanges),
    )
    weighed, graded = turns(repeats, *map(_seconds, works))
    number = sum(1 for _ in criteria(second.rubric.root))
    sentence = f"{weighed:.2f} s for {answers:,} answers of {number} criteria; grading them again {graded:.2f} s"
    return [(f"rubric: grading {answers:,} answers again, against weighing them anew", graded / weighed, sentence)]


def checking(files: int = 20, repeats: int = 5) -> list[Row]:
    """`assay rubric check`: a file in a process that has read one before, and 20 files from cold."""
    text = _sixty_lines()
    rows = len(text.splitlines())
    rubric.read(text, "warm.rubric", lambda _: None)
    spent = []
    for _ in range(20):
        started = perf_counter()
        rubric.read(text, "bench.rubric", lambda _: None)
        spent.append(perf_counter() - started)
    with TemporaryDirectory() as folder:
        names = [f"r{number}.rubric" for number in range(files)]
        for name in names:
            (Path(folder) / name).write_text(text, encoding="utf-8")
        command: Sequence[str] = ("-m", "engine", "rubric", "check", *names)
        cold, bare = turns(repeats, lambda: cpu_s(command, Path(folder)), lambda: cpu_s(("-c", "pass"), Path(folder)))
    sentence = (
        f"{cold:.2f} s of processor for {files} files of {rows} lines from cold; "
        f"{median(spent) * 1e3:.1f} ms for one of them once warm"
    )
    return [(f"assay rubric check, {files} files, against python -c pass", cold / bare, sentence)]


def _rubric() -> rubric.Rubric:
    rows = "".join(
        f"criterion: C{n}\n  check: {_SHAPES[n % len(_SHAPES)].format(n=n)}\n" for n in range(1, CRITERIA + 1)
    )
    end = "verdict: good when score is at least 0.7\nverdict: fair when score is at least 0.4\nverdict: bad otherwise\n"
    reading = rubric.read(f"rubric: Bench\nversion: 1\n{rows}{end}", "bench.rubric", lambda _: None)
    assert reading.rubric is not None, "\n".join(map(str, reading.errors))
    return reading.rubric


def _weighed(weight: int) -> rubric.Rubric:
    """A rubric such as people write: three questions, two checks, a measure, a penalty and a cap."""
    reading = rubric.read(_EXAMPLE.replace("weight: 3\n", f"weight: {weight}\n"), "bench.rubric", lambda _: None)
    assert reading.rubric is not None, "\n".join(map(str, reading.errors))
    return reading.rubric


_EXAMPLE = """\
rubric: Support answers
version: 1
define scale: quality
  | good | 1.0 | just what was needed |
  | okay | 0.7 | helps |
  | poor | 0.4 | something is missing |
must: Cites a source
  check: answer cites a source
group: Content
  weight: 70%
  criterion: Relevance
    weight: 3
    ask: Does the answer address what was asked?
    scale: quality
  criterion: Faithfulness
    weight: 2
    ask: Is every claim supported?
    scale: quality
  criterion: Complete
    ask: Is everything there?
    scale: quality
group: Form
  weight: 30%
  criterion: Short enough
    check: answer has at most 200 words
  criterion: Fast
    measure: latency, full marks at 2 seconds, no marks at 10 seconds
  penalty: Apologises
    weight: 0.5
    check: answer contains any of "sorry", "apologies", "unfortunately"
cap: 40% when [Faithfulness] is below 0.5
verdict: send when score is at least 0.75
verdict: review when score is at least 0.5
verdict: reject otherwise
"""


def _exchange(number: int) -> Exchange:
    text = f"{number} {_SENTENCE * 8}"[:650]
    query, turn = Query("q", "q", "i", "c"), Turn("q", "q")
    hits = tuple(Hit(rank, f"page-{rank}") for rank in range(1, 6))
    answer = Answer(hits=hits, text=text, citations=("a", "b"), tool_calls=(ToolCall("search"),))
    return Exchange(query, turn, answer, latency_s=0.5)


def _sixty_lines() -> str:
    """The packaged rubric that is nearest to 60 lines of its own."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "rubrics").glob("*.rubric"))]
    alone = [text for text in texts if "\nuse:" not in text]
    return min(alone, key=lambda text: abs(60 - len(text.splitlines())))


def _each(work: Callable[[T], object], values: Iterable[T]) -> None:
    for value in values:
        work(value)


def _seconds(work: Callable[[], object]) -> Callable[[], float]:
    """Processor seconds, with cycles looked for as rarely as `assay` does."""

    def seconds() -> float:
        before = gc.get_threshold()
        gc.set_threshold(200_000, 50, 100)
        started = process_time()
        work()
        spent = process_time() - started
        gc.set_threshold(*before)
        return spent

    return seconds


if __name__ == "__main__":
    for part in (ratios, weighing, checking):
        for name, ratio, said in part():
            print(f"{name}: {ratio:.1f}x. {said}")
