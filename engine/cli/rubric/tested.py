"""What testing one rubric came to, in words and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.errors import Exit
from engine.rubric import Diagnostic, Json
from engine.rubric.cases import Difference, Tried
from engine.rubric.example_runs import Example
from engine.store import strict_json
from engine.text import count, one_line

__all__ = ["Tested", "as_json", "in_words", "summary"]

_SCHEMA = "assay.rubric-test/1"
_NAME = 80


@dataclass(frozen=True, slots=True)
class Tested:
    """One rubric after a test.

    Attributes:
        broken: examples that contradict their own check, as `rubric check` says it; nothing else was tried then.
        cases_file: where its cases are; empty when there are none.
        needed: False where having nothing to try is no oversight: a library of scales.
    """

    name: str
    examples: Sequence[Example] = ()
    cases: Sequence[Tried] = ()
    broken: Sequence[Diagnostic] = ()
    cases_file: str = ""
    needed: bool = True

    @property
    def held(self) -> int:
        """Examples that were tried and hold."""
        return sum(1 for example in self.examples if example.held)

    @property
    def run(self) -> int:
        """Examples that were tried."""
        return sum(1 for example in self.examples if example.held is not None)

    @property
    def passed(self) -> int:
        """Cases that came out as expected."""
        return sum(1 for case in self.cases if case.passed)

    @property
    def empty(self) -> bool:
        """Nothing was tried, so nothing was shown."""
        return not (self.run or self.cases or self.broken)

    @property
    def exit(self) -> Exit:
        """1 when something came out otherwise, 3 when nothing was tried."""
        if self.broken or self.held < self.run or self.passed < len(self.cases):
            return Exit.BLOCKED
        return Exit.INCONCLUSIVE if self.empty and self.needed else Exit.PASSED


def in_words(tested: Tested) -> Iterator[str]:
    """A line for each case, and what it comes to."""
    yield tested.name
    if tested.broken:
        for problem in tested.broken:
            yield f"{problem}\n"
        yield f"  FAIL  {count(len(tested.broken), 'example')} of its own; the cases were not tried"
        return
    if tested.empty:
        yield from _nothing(tested)
        return
    for example in tested.examples:
        if example.held is False:
            kind = "good" if example.good else "bad"
            yield f"  FAIL  {kind} example of {example.criterion}: {one_line(example.text, _NAME)}"
    for case in tested.cases:
        yield _line(case)
    yield f"  {_totals(tested)}"


def _nothing(tested: Tested) -> Iterator[str]:
    if not tested.needed:
        yield "  nothing to test: it holds no checks with examples"
        return
    judged = f" ({count(len(tested.examples), 'example')} for judges)" if tested.examples else ""
    yield f"  nothing was tested: there are no examples that a computer can try{judged} and no cases"
    beside = f"write cases beside it: {tested.name.removesuffix('.rubric')}.cases.yaml"
    yield f"  → {'give it cases: --cases FILE' if tested.name == 'stdin' else beside}"


def _line(tried: Tried) -> str:
    name = one_line(tried.case.name, _NAME)
    if tried.passed:
        return f"  pass  {name}: {_outcome(tried)}; {one_line(tried.decided)}"
    said = "; ".join(map(_difference, tried.differences))
    return f"  FAIL  {name}: {said}; {one_line(tried.decided)}"


def _outcome(tried: Tried) -> str:
    grading = tried.grading
    score = f"{grading.low:g}" if grading.low == grading.high else f"{grading.low:g} to {grading.high:g}"
    return f"{one_line(grading.verdict)} ({score})" if grading.verdict else score


def _difference(difference: Difference) -> str:
    return f"{difference.what}: expected {one_line(difference.expected)}, found {one_line(difference.found)}"


def _totals(tested: Tested) -> str:
    judged = len(tested.examples) - tested.run
    examples = f"{tested.held} of {count(tested.run, 'example')} {'holds' if tested.run == 1 else 'hold'}"
    if not tested.run:
        examples = "no example was tried"
    if judged:
        why = "is for judges or needs evidence" if judged == 1 else "are for judges or need evidence"
        examples += f" ({judged} more {why})"
    if not tested.cases:
        return f"{examples}; there are no cases"
    come = "comes" if len(tested.cases) == 1 else "come"
    return f"{examples}; {tested.passed} of {count(len(tested.cases), 'case')} {come} out as expected"


def summary(tested: Sequence[Tested]) -> str:
    """One line about several rubrics."""
    failed = sum(1 for each in tested if each.exit is Exit.BLOCKED)
    empty = sum(1 for each in tested if each.exit is Exit.INCONCLUSIVE)
    cases, passed = sum(len(each.cases) for each in tested), sum(each.passed for each in tested)
    run, held = sum(each.run for each in tested), sum(each.held for each in tested)
    parts = [f"{len(tested) - failed - empty} of {count(len(tested), 'rubric')} fine"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{empty} without anything to test"] if empty else []
    return f"{', '.join(parts)}: {held} of {count(run, 'example')}, {passed} of {count(cases, 'case')}"


def as_json(tested: Sequence[Tested]) -> str:
    """Everything for other programs. A score that is not known is null."""
    rubrics: Json = [
        {
            "file": each.name,
            "outcome": {Exit.PASSED: "passed", Exit.BLOCKED: "failed"}.get(each.exit, "nothing tested"),
            "examples": {"held": each.held, "run": each.run, "all": len(each.examples)},
            "broken_examples": [str(problem.message) for problem in each.broken],
            "cases_file": each.cases_file or None,
            "passed": each.passed,
            "cases": [_case(case) for case in each.cases],
        }
        for each in tested
    ]
    return strict_json.printable({"schema": _SCHEMA, "rubrics": rubrics})


def _case(tried: Tried) -> Json:
    grading = tried.grading
    return {
        "name": tried.case.name,
        "passed": tried.passed,
        "verdict": grading.verdict,
        "could_be": list(grading.could_be),
        "score": grading.low if grading.low == grading.high else None,
        "low": grading.low,
        "high": grading.high,
        "decided": tried.decided,
        "differences": [{"what": d.what, "expected": d.expected, "found": d.found} for d in tried.differences],
    }
