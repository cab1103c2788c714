"""How a run ended: averages with their denominators, and what the baseline says about it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.model.comparison import Comparison
from engine.model.run import Average, RunInfo
from engine.report.comparison import comparison_text, verdict_text
from engine.report.spending import Spending, spending_json, spending_lines
from engine.report.symbols import Symbols
from engine.text import one_line

__all__ = ["Ending", "ending_json", "short_lines", "summary_lines"]


@dataclass(frozen=True, slots=True)
class Ending:
    """What is told at the end of a run.

    Attributes:
        comparison: None when there was nothing to compare with; `uncompared` then says why.
        uncompared: one clause, empty when a comparison was made.
        ungraded: reason → how many trials have no overall score because of it.
        verdicts: verdict → how many trials.
        apart: scores of the rubric that applied to no trial.
        spending: what its calls came to; None when nothing was called.
        distrusted: why the votes of judges were not used, one sentence for each.
        left: the first few queries that were planned and have no record.
    """

    info: RunInfo
    comparison: Comparison | None
    uncompared: str
    ungraded: Mapping[str, int]
    verdicts: Mapping[str, int]
    apart: tuple[str, ...] = ()
    spending: Spending | None = None
    distrusted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def short_lines(ending: Ending, symbols: Symbols) -> Iterator[str]:
    """The average and the verdict: all that `--silent` prints."""
    yield _average(ending, symbols)
    yield from _distrusted(ending, symbols)
    yield _uncompared(ending, symbols) if ending.comparison is None else verdict_text(ending.comparison, symbols)


def summary_lines(ending: Ending, symbols: Symbols) -> Iterator[str]:
    """The same with every dimension, what is ungraded, and each change beside its limit."""
    yield _average(ending, symbols)
    yield from _distrusted(ending, symbols)
    shown = {one_line(name): average for name, average in ending.info.averages.items() if name != "overall"}
    longest = max(map(len, shown), default=0)
    for name, average in shown.items():
        mean = "ungraded" if average.mean is None else f"{average.mean:.2f}"
        low = f"  {symbols.arrow} the lowest, look here first" if name == ending.info.focus else ""
        yield f"   {name:<{longest}}  {mean}  ({average.graded:,} of {average.planned:,}){low}"
    for name in ending.apart:
        yield f"   {one_line(name)}: did not apply to any of {ending.info.done:,}"
    if ending.info.measures:
        yield "   measured: " + f" {symbols.dot} ".join(map(_measure, ending.info.measures.items()))
    for reason, number in ending.ungraded.items():
        yield f"   {number:,} ungraded: {one_line(reason, 160)}"
    if ending.verdicts:
        counted = (f"{one_line(name)}: {number:,}" for name, number in ending.verdicts.items())
        yield "   " + f" {symbols.dot} ".join(counted)
    if ending.spending is not None:
        yield from spending_lines(ending.spending)
    if ending.comparison is None:
        yield _uncompared(ending, symbols)
    else:
        yield comparison_text(ending.comparison, symbols)
        yield f"   compared with {one_line(ending.comparison.baseline.id)}"


def ending_json(ending: Ending) -> dict[str, object]:
    """The same for programs: exact totals beside the means, null for what is not known."""
    info = ending.info
    return {
        "run": info.id,
        "status": str(info.status),
        "queries": info.queries,
        "set_version": info.set_version,
        "planned": info.planned,
        "done": info.done,
        "failed": info.failed,
        "graded_by": info.graded_by,
        "averages": {
            name: {"mean": a.mean, "total": a.total, "graded": a.graded, "planned": a.planned}
            for name, a in info.averages.items()
        },
        "did_not_apply": list(ending.apart),
        "measures": {
            name: {"mean": a.mean, "graded": a.graded, "planned": a.planned} for name, a in info.measures.items()
        },
        "focus": info.focus,
        "ungraded": dict(ending.ungraded),
        "verdicts": dict(ending.verdicts),
        "comparison": _comparison_json(ending),
        "not_done": None if info.planned is None else info.planned - info.done - info.failed,
        "first_not_done": list(ending.left),
        "distrusted": list(ending.distrusted),
        "spending": None if ending.spending is None else spending_json(ending.spending),
        "folder": info.folder,
    }


def _uncompared(ending: Ending, symbols: Symbols) -> str:
    return f"{symbols.unknown} not compared: {one_line(ending.uncompared)}"


def _distrusted(ending: Ending, symbols: Symbols) -> Iterator[str]:
    for sentence in ending.distrusted:
        why = one_line(sentence, 300).rstrip(".")
        yield f"{symbols.bad} not believed: {why}; its votes are not used"


def _measure(item: tuple[str, Average]) -> str:
    name, average = item
    unit = " s" if name == "latency" else ""
    mean = "not known" if average.mean is None else f"{average.mean:.4f}{unit}"
    return f"{one_line(name)} {mean} ({average.graded:,} of {average.planned:,})"


def _average(ending: Ending, symbols: Symbols) -> str:
    info, average = ending.info, ending.info.averages.get("overall")
    graded, planned = (average.graded, average.planned) if average else (0, info.planned or 0)
    failed = f", {info.failed:,} failed" if info.failed else ""
    if average is None or average.mean is None:
        why = "" if info.failed else f": {_why(ending)}"
        return f"{symbols.chart} Average overall score: not known ({graded:,} of {planned:,} graded{failed}){why}"
    return f"{symbols.chart} Average overall score: {average.mean:.2f} ({graded:,} of {planned:,} graded{failed})"


def _why(ending: Ending) -> str:
    return one_line("; ".join(ending.ungraded), 200) or "no reason is known"


def _comparison_json(ending: Ending) -> dict[str, object]:
    comparison = ending.comparison
    if comparison is None:
        return {"comparable": False, "why": [ending.uncompared], "baseline": None, "dimensions": {}}
    return {
        "comparable": comparison.comparable,
        "why": [*comparison.refused, *(f"{item.key} differs" for item in comparison.differences)],
        "differences": {
            item.key: {"baseline": item.baseline, "current": item.current} for item in comparison.differences
        },
        "baseline": comparison.baseline.id,
        "dimensions": {
            c.dimension: {
                "change": str(c.change),
                "delta": None if c.delta is None else float(c.delta),
                "limit": c.limit,
            }
            for c in comparison.dimensions
        },
        "warnings": list(comparison.warnings),
    }
