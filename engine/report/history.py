"""Past runs as text: the listing, one run, one query over time. Every foreign text passes through `one_line`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.model.run import Average, Baseline, QueryResult, RunInfo, RunStatus
from engine.report.symbols import Symbols
from engine.text import count, dollars, one_line

if TYPE_CHECKING:  # they bring fractions, which a listing does not need
    from fractions import Fraction

    from engine.model.comparison import Trend

__all__ = ["averages_lines", "baseline_text", "listing", "run_as_json", "run_in_full", "trend_text"]

_UNCHANGED = 5  # thousandths
_SHOWN = 10  # damaged records that are named


def listing(runs: Sequence[RunInfo], width: int) -> str:
    """One line per run, aligned; with little room the parts of a run stand under each other.

    Args:
        runs: in the order to show.
        width: columns of the terminal, 0 for any number.
    """
    rows = [_cells(run) for run in runs]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    lines = [_row(row, widths) for row in rows]
    if width and any(len(line) > width for line in lines):
        return "\n".join(_folded(row) for row in rows)
    return "\n".join(lines)


def run_in_full(run: RunInfo, results: Iterable[QueryResult], symbols: Symbols) -> str:
    """What is known of a run, its averages with their denominators, and each query."""
    head = "  ".join(_cells(run))
    graded = "measured" if run.graded_by == "measured" else f"graded by {one_line(run.graded_by)}"
    lines = [head, f"  started {one_line(run.started_at)}, {graded}"]
    lines += [
        f"  {name} {one_line(value)}"
        for name, value in (("version", run.set_version), ("corpus", run.corpus), ("rubric", run.rubric))
        if value
    ]
    if run.cost_micro_usd is not None:
        unknown = f", {run.unknown_costs:,} of them of unknown cost" if run.unknown_costs else ""
        lines.append(f"  cost {dollars(run.cost_micro_usd)} for {count(run.calls, 'call')}{unknown}")
    lines += [f"  {symbols.unknown} {one_line(note)}" for note in run.notes]
    if run.damage:
        lines.append(f"  {symbols.unknown} damaged, so the averages may not be those of its records:")
        lines += [f"    {one_line(f'{problem.place}: {problem.message}')}" for problem in run.damage[:_SHOWN]]
        lines += _more(len(run.damage) - _SHOWN, "problem")
    if run.settings or run.overrides:
        lines += ["", "settings", *_settings(run)]
    lines += ["", "averages", *averages_lines(run.averages)]
    if run.focus:
        lines.append(f"  lowest: {one_line(run.focus)}")
    if run.measures:
        lines += ["", "measured", *_measured(run.measures)]
    lines += ["", "queries", *(_query(result) for result in results)]
    return "\n".join(lines)


def averages_lines(averages: Mapping[str, Average]) -> list[str]:
    """`relevance  0.44  15 of 15 graded` for each dimension."""
    names = {name: one_line(name) for name in averages}
    longest = max(map(len, names.values()), default=0)
    return [
        f"  {names[name]:<{longest}}  {_mean(average)}  {average.graded:,} of {average.planned:,} graded"
        for name, average in averages.items()
    ] or ["  nothing is graded"]


def trend_text(trend: "Trend", symbols: Symbols) -> str:
    """The score of one query in each comparable run, oldest first, with how far it moved."""
    scored = sum(point.score is not None for point in trend.points)
    lines = [f'"{one_line(trend.query)}" ({one_line(trend.query_id)}), overall in {count(scored, "comparable run")}']
    for point in trend.points:
        score = "ungraded" if point.score is None else f"{float(point.score):.2f}"
        lines.append(f"  {one_line(point.run_id)}  {score}{_moved(point.delta, symbols)}")
    if scored < 2:
        lines.append("  a trend needs at least 2 comparable runs with a score for this query")
    if trend.left_out:
        lines.append(f"left out, because they are not comparable: {count(len(trend.left_out), 'run')}")
        lines += [f"  {one_line(run_id)}  {one_line(reason)}" for run_id, reason in trend.left_out]
    return "\n".join(lines)


def baseline_text(baseline: Baseline, label: str) -> str:
    """What was run, since when it counts, and each mean with its limits."""
    lines = [one_line(label), f"  set {one_line(baseline.set_at)}"]
    lines += averages_lines(baseline.run.averages)
    limits = {"every dimension": baseline.thresholds.default, **baseline.thresholds.dimensions}
    lines += [
        f"  {one_line(name)}: a drop above {limit.drop} is a regression, a gain above {limit.gain} an improvement"
        for name, limit in limits.items()
    ]
    return "\n".join(lines)


def run_as_json(run: RunInfo) -> dict[str, object]:
    """The run for other programs: full precision, None for what is not known."""
    return {
        "id": run.id,
        "started_at": run.started_at,
        "status": str(run.status),
        "queries": run.queries,
        "set_version": run.set_version,
        "set_sha256": run.set_sha256,
        "query_count": run.query_count,
        "planned": run.planned,
        "done": run.done,
        "failed": run.failed,
        "reviewed": run.reviewed,
        "corpus": run.corpus,
        "rubric": run.rubric,
        "graded_by": run.graded_by,
        "settings": dict(run.settings),
        "overrides": list(run.overrides),
        "averages": {
            name: {
                "mean": average.mean,
                "total": average.total,
                "graded": average.graded,
                "planned": average.planned,
            }
            for name, average in run.averages.items()
        },
        "calls": run.calls,
        "cost_micro_usd": run.cost_micro_usd,
        "unknown_costs": run.unknown_costs,
        "notes": list(run.notes),
        "damage": [f"{problem.place}: {problem.message}" for problem in run.damage],
        "folder": run.folder,
    }


def _settings(run: RunInfo) -> list[str]:
    """What was typed for the run, then every setting that can change a score; what is not set is left out."""
    known = {one_line(name, 60): value for name, value in run.settings.items() if value is not None}
    longest = max(map(len, known), default=0)
    typed = [f"  typed: {_typed(run)}"] if run.overrides else []
    return [*typed, *(f"  {name:<{longest}}  {_setting(value)}" for name, value in known.items())]


def _setting(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else one_line(str(value), 200)


def _typed(run: RunInfo) -> str:
    return " ".join(one_line(text, 80) for text in run.overrides)


def _measured(measures: Mapping[str, Average]) -> list[str]:
    """As `averages_lines`, with four digits: a measure is no score, and latency is in seconds."""
    names = {name: one_line(name) for name in measures}
    longest = max(map(len, names.values()))
    return [
        f"  {names[name]:<{longest}}  {_measure(name, average)}  {average.graded:,} of {average.planned:,}"
        for name, average in measures.items()
    ]


def _measure(name: str, average: Average) -> str:
    if average.mean is None:
        return "not known"
    return f"{average.mean:.4f}{' s' if name.partition('@')[0] == 'latency' else ''}"


def _more(number: int, noun: str) -> list[str]:
    return [f"    and {count(number, f'more {noun}')}"] if number > 0 else []


def _cells(run: RunInfo) -> tuple[str, str, str, str, str, str]:
    queries = run.query_count if run.query_count is not None else run.done + run.failed
    average = run.averages.get("overall")
    return (
        one_line(run.id),
        one_line(run.queries),
        count(queries, "query", "queries"),
        f"overall={_mean(average)}",
        ", ".join(_state(run, average)),
        _typed(run),
    )


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    identity, queries, number, overall, state, _ = widths
    line = f"{row[0]:<{identity}}  {row[1]:>{queries}}  {row[2]:>{number}}  {row[3]:<{overall}}  {row[4]:<{state}}"
    return f"{line}  {row[5]}".rstrip()


def _folded(row: Sequence[str]) -> str:
    lines = (f"{row[0]}  {row[1]}", f"  {row[2]}  {row[3]}", f"  {row[4]}", f"  {row[5]}")
    return "\n".join(line for line in lines if line.strip())


def _state(run: RunInfo, overall: Average | None) -> list[str]:
    """What keeps the number from standing for the whole set, then whether people looked at it."""
    planned = run.planned if run.planned is not None else run.done + run.failed
    found = []
    if run.damage:
        found.append(f"damaged: {one_line(run.damage[0].message, 80)}")
    if run.status is not RunStatus.COMPLETE:
        found.append(f"{run.status} ({run.done:,} of {planned:,} done)")
    if run.failed:
        found.append(f"{run.failed:,} of {planned:,} failed")
    if run.filtered:
        found.append("only some queries of the set")
    if overall and overall.graded < overall.planned and run.status is RunStatus.COMPLETE:
        found.append(f"{overall.graded:,} of {overall.planned:,} graded")
    queries = run.query_count if run.query_count is not None else run.done
    found.append(f"reviewed {run.reviewed:,} of {queries:,}" if run.reviewed else "not reviewed")
    return found


def _mean(average: Average | None) -> str:
    return "ungraded" if average is None or average.mean is None else f"{average.mean:.2f}"


def _query(result: QueryResult) -> str:
    score = result.scores.get("overall")
    if result.failure is not None:
        shown = f"failed: {one_line(result.failure)}: {one_line(result.reason or 'no reason was recorded', 200)}"
    else:
        shown = "ungraded" if score is None else f"{score:.2f}"
    repeat = f" (repeat {result.repeat})" if result.repeat > 1 else ""
    verdict = f"  {one_line(result.verdict)}" if result.verdict and result.verdict != shown else ""
    judgment = f"  reviewed: {one_line(result.judgment)}" if result.judgment else ""
    return (
        f"  {result.position:>4}  {one_line(result.query_id)}{repeat}  {shown}{verdict}{judgment}"
        f'\n        "{one_line(result.query, 200)}"'
    )


def _moved(delta: "Fraction | None", symbols: Symbols) -> str:
    if delta is None:
        return ""
    if abs(delta) * 1000 < _UNCHANGED:
        return "  unchanged"
    return f"  {float(delta):+.2f}".replace("-", symbols.minus)
