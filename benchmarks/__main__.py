"""`python -m benchmarks`: one table of ratios, measured in one go. `--quick` only shows that each still runs."""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator

from benchmarks import journal, overhead, paid, retrieval, rubric, startup

Row = tuple[str, float, str]


def main() -> int:
    """Measure and print, each row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: the numbers mean little")
    quick = parser.parse_args().quick
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"{'ratio':>8}  what is compared, and the figures behind it")
    for name, ratio, sentence in _rows(_quick if quick else _full):
        print(f"{ratio:>8.2f}  {name}\n{'':>10}{sentence}", flush=True)
    return 0


def _full() -> Iterator[Callable[[], list[Row]]]:
    yield startup.ratios
    yield overhead.ratios
    yield overhead.memory
    yield journal.ratios
    yield retrieval.ratios
    yield rubric.ratios
    yield rubric.weighing
    yield rubric.checking
    missing = paid.available()
    if missing:
        print(f"{'':>10}calls of models are not measured: {missing}")
    else:
        yield paid.ratios
        yield paid.throughput
        yield paid.memory


def _quick() -> Iterator[Callable[[], list[Row]]]:
    yield lambda: startup.ratios(repeats=1)
    yield lambda: overhead.ratios(items=50, repeats=1)
    yield lambda: overhead.memory(items=50)
    yield lambda: journal.ratios(lines=50, repeats=1)
    yield retrieval.ratios
    yield lambda: rubric.ratios(answers=20, repeats=1)
    yield lambda: rubric.weighing(answers=20, repeats=1)
    yield lambda: rubric.checking(files=2, repeats=1)
    if not paid.available():
        yield lambda: paid.ratios(items=70, repeats=1)


def _rows(parts: Callable[[], Iterator[Callable[[], list[Row]]]]) -> Iterator[Row]:
    for part in parts():
        yield from part()


if __name__ == "__main__":
    sys.exit(main())
