"""The rubric language: compiled checks against walking the nouns, checking a file, and weighing anew."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.ast_walk import walk
from benchmarks.timing import ROOT, cpu_s, turns
from engine import rubric
from engine.model.exchange import Answer, Exchange, ToolCall, Turn
from engine.model.query import Query
from engine.rubric.evidence import Evidence

__all__ = ["checking", "ratios", "weighing"]

Row = tuple[str, float, str]
CRITERIA = 40
_SENTENCE = "The quick brown fox jumps over the lazy dog near the bank of the river, and rests. "
_SHAPES = (
    'answer contains "word{n}"',
    'answer contains any of "alpha{n}", "river", "beta"',
    'answer does not contain "sorry{n}"',
    "answer has at most {n}00 words",
    'answer has the word "fox"',
    "answer cites at least 1 source and answer has between 1 and 500 words",
    'answer starts with "{n}" or answer ends with "rests."',
    'tool "search" was called',
)


def ratios(answers: int = 400, repeats: int = 9) -> list[Row]:
    """40 criteria that the computer decides, on answers of 650 characters."""
    grader = rubric.compile(_rubric())
    exchanges = [_exchange(number) for number in range(answers)]
    seen = [Evidence(exchange, {}) for exchange in exchanges]
    for evidence in seen:
        grader.conclude(evidence)
    works = (
        lambda: [grader.grade(exchange) for exchange in exchanges],
        lambda: [grader.conclude(evidence.again({})) for evidence in seen],
        lambda: [walk(grader.rubric, exchange) for exchange in exchanges],
    )
    ours, cached, walked = turns(repeats, *map(_seconds, works))
    found, other = grader.grade(exchanges[0]), walk(grader.rubric, exchanges[0])
    assert (found.scores["overall"], found.verdict) == other[1:], "the yardstick grades otherwise"
    made = CRITERIA * answers / 1e6
    sentence = (
        f"{made / ours:.2f} M checks/s with grades, scores and verdict ({ours / answers * 1e6:.0f} µs an answer), "
        f"{made / cached:.2f} M/s with the features of the text kept; walking makes {made / walked:.2f} M/s"
    )
    return [(f"rubric: {CRITERIA} checks, walking the nouns against closures", walked / ours, sentence)]


def weighing(answers: int = 10_000, repeats: int = 3) -> list[Row]:
    """Other weights for answers that are graded already, against grading them again."""
    first, second = rubric.compile(_rubric()), rubric.compile(_rubric("  weight: 3\n"))
    seen = [Evidence(_exchange(number), {}) for number in range(answers)]
    for evidence in seen:
        first.conclude(evidence)
    exchanges = [evidence.exchange for evidence in seen]
    works = (
        lambda: [second.reweigh(evidence) for evidence in seen],
        lambda: [second.grade(exchange) for exchange in exchanges],
    )
    weighed, graded = turns(repeats, *map(_seconds, works))
    sentence = f"{weighed:.2f} s for {answers:,} answers of {CRITERIA} criteria; grading them again {graded:.2f} s"
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


def _rubric(weight: str = "") -> rubric.Rubric:
    rows = "".join(
        f"criterion: C{n}\n{weight}  check: {_SHAPES[n % len(_SHAPES)].format(n=n)}\n" for n in range(1, CRITERIA + 1)
    )
    end = "verdict: good when score is at least 0.7\nverdict: fair when score is at least 0.4\nverdict: bad otherwise\n"
    reading = rubric.read(f"rubric: Bench\nversion: 1\n{rows}{end}", "bench.rubric", lambda _: None)
    assert reading.rubric is not None, "\n".join(map(str, reading.errors))
    return reading.rubric


def _exchange(number: int) -> Exchange:
    text = f"{number} {_SENTENCE * 8}"[:650]
    query, turn = Query("q", "q", "i", "c"), Turn("q", "q")
    return Exchange(query, turn, Answer(text=text, citations=("a", "b"), tool_calls=(ToolCall("search"),)))


def _sixty_lines() -> str:
    """The packaged rubric that is nearest to 60 lines of its own."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "rubrics").glob("*.rubric"))]
    alone = [text for text in texts if "\nuse:" not in text]
    return min(alone, key=lambda text: abs(60 - len(text.splitlines())))


def _seconds(work: Callable[[], object]) -> Callable[[], float]:
    def seconds() -> float:
        started = process_time()
        work()
        return process_time() - started

    return seconds


if __name__ == "__main__":
    for part in (ratios, weighing, checking):
        for name, ratio, said in part():
            print(f"{name}: {ratio:.1f}x. {said}")
