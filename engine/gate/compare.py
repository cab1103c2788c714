"""Two runs side by side: is one worse than the other, and may that be asked at all? Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from engine.model.comparison import (
    Change,
    Comparison,
    Difference,
    DimensionChange,
    QueryChange,
    SideBySide,
    Trend,
    TrendPoint,
)
from engine.model.run import Average, QueryResult, RunInfo, RunStatus, Thresholds
from engine.text import count

__all__ = [
    "SMALL_SET",
    "UNCHANGED",
    "compare",
    "compare_runs",
    "differences",
    "not_comparable",
    "query_changes",
    "trend",
]

SMALL_SET = 5  # with fewer queries one answer moves every mean
_SHOWN = 10  # damaged records that are named
UNCHANGED = Fraction(5, 1000)  # a query that moved less than this is shown as unchanged


def compare(baseline: RunInfo, current: RunInfo, thresholds: Thresholds) -> Comparison:
    """A run against its baseline: everything that can change a score must be the same."""
    return _compare(baseline, current, thresholds, differences(baseline, current))


def compare_runs(
    a: RunInfo, b: RunInfo, results: tuple[Sequence[QueryResult], Sequence[QueryResult]], thresholds: Thresholds
) -> SideBySide:
    """Two runs of the same queries, graded the same way, whose settings may differ.

    Args:
        a, b: the first and the second run; a drop is a drop from the first to the second.
        results: the queries of each.
        thresholds: when a movement is a regression.
    """
    found = differences(a, b)
    settings = tuple(difference for difference in found if _is_question(difference.key))
    kept = tuple(item for item in found if item not in settings)
    comparison = _compare(a, b, thresholds, kept, ("run A", "run B"))
    if not comparison.comparable:
        return SideBySide(comparison, settings)
    first, second = (_overall(side) for side in results)
    both = query_changes(*results)
    deltas = [change.delta for change in both if change.delta is not None]
    return SideBySide(
        comparison,
        settings,
        wins=sum(delta >= UNCHANGED for delta in deltas),
        ties=sum(abs(delta) < UNCHANGED for delta in deltas),
        losses=sum(delta <= -UNCHANGED for delta in deltas),
        changes=both,
        missing=tuple(key for key in first if key not in second),
        new=tuple(key for key in second if key not in first),
        ungraded=tuple(change.query_id for change in both if change.delta is None),
    )


def differences(a: RunInfo, b: RunInfo) -> tuple[Difference, ...]:
    """What differs and can change a score. What neither run knows is no difference (see warnings)."""
    found = [
        Difference(name, first, second)
        for name, first, second in (
            ("query set", a.queries, b.queries),
            ("query set version", a.set_version, b.set_version),
            ("query set content", a.set_sha256, b.set_sha256),
            ("corpus", a.corpus, b.corpus),
            ("rubric", a.rubric, b.rubric),
            ("rubric content", a.rubric_sha256, b.rubric_sha256),
            ("graded by", a.graded_by, b.graded_by),
        )
        if first != second
    ]
    for key in dict.fromkeys((*a.settings, *b.settings)):
        first, second = a.settings.get(key), b.settings.get(key)
        if first != second or type(first) is not type(second):
            found.append(Difference(_SETTING + key, first, second))
    kind = f"{_SETTING}target.kind"
    if any(
        item.key == kind for item in found
    ):  # another kind has other settings: they are not a difference of their own
        found = [item for item in found if item.key == kind or not item.key.startswith(f"{_SETTING}target.")]
    return tuple(found)


def query_changes(a: Iterable[QueryResult], b: Iterable[QueryResult]) -> tuple[QueryChange, ...]:
    """The queries of both, largest movement first, those without a score in one of them last."""
    second = list(b)
    after = _overall(second)
    before = _overall(a)
    texts = {result.query_id: result.query for result in second}
    found = [QueryChange(key, texts[key], before[key], after[key]) for key in after if key in before]
    return tuple(sorted(found, key=lambda change: (change.delta is None, -abs(change.delta or 0), change.query_id)))


def not_comparable(reference: RunInfo, run: RunInfo) -> str:
    """Why a run is not in one line with another; empty when it is."""
    found = [difference.key for difference in differences(reference, run)]
    return "; ".join([*_refusals(run, "it"), *([f"differs in {', '.join(found)}"] if found else [])])


def trend(
    query_id: str,
    runs: Sequence[tuple[RunInfo, Sequence[QueryResult]]],
    left_out: tuple[tuple[str, str], ...] = (),
) -> Trend:
    """One query over runs that are comparable, given oldest first; `left_out` says which are not, and why."""
    points: list[TrendPoint] = []
    last: Fraction | None = None
    text = ""
    for run, results in runs:
        own = [result for result in results if result.query_id == query_id]
        score = _overall(own).get(query_id)
        points.append(TrendPoint(run.id, score, None if score is None or last is None else score - last))
        last = last if score is None else score
        text = own[0].query if own else text
    return Trend(query_id, text, tuple(points), left_out)


_SETTING = "setting "


def _is_question(key: str) -> bool:
    return key.startswith(_SETTING) and not key.startswith(f"{_SETTING}judge")


def _compare(
    baseline: RunInfo,
    current: RunInfo,
    thresholds: Thresholds,
    differing: tuple[Difference, ...],
    names: tuple[str, str] = ("the baseline", "this run"),
) -> Comparison:
    refused = tuple(_refusals(baseline, names[0])) + tuple(_refusals(current, names[1]))
    if refused or differing:
        return Comparison(baseline, current, refused, differing, (), names=names)
    dimensions = tuple(
        _dimension(name, baseline.averages.get(name), current.averages.get(name), (thresholds, names))
        for name in dict.fromkeys((*current.averages, *baseline.averages))
    )
    return Comparison(baseline, current, (), (), dimensions, tuple(_warnings(baseline, current)), names)


def _refusals(run: RunInfo, name: str) -> Iterator[str]:
    planned = run.planned if run.planned is not None else run.done + run.failed
    for problem in run.damage[:_SHOWN]:
        yield f"{name} ({run.id}) is damaged: {problem.place}: {problem.message}"
    if len(run.damage) > _SHOWN:
        yield f"{name} ({run.id}) is damaged: {len(run.damage) - _SHOWN:,} more of its records"
    if run.status is not RunStatus.COMPLETE:
        yield f"{name} ({run.id}) is {run.status}: {run.done} of {planned} are done"
    elif run.failed:
        yield f"{name} ({run.id}) has {run.failed} of {planned} failed"
    elif run.done < planned:
        yield f"{name} ({run.id}) is partial: {run.done} of {planned} are done"
    if run.filtered:
        yield f"{name} ({run.id}) asked only some queries of the set"


def _dimension(
    name: str, before: Average | None, after: Average | None, rule: tuple[Thresholds, tuple[str, str]]
) -> DimensionChange:
    thresholds, called = rule
    if before is None or after is None:
        change = Change.NEW if before is None else Change.REMOVED
        return DimensionChange(name, before, after, change)
    reason = _not_covered(before, after, called)
    first, second = _mean(before), _mean(after)
    if reason or first is None or second is None:
        reason = reason or "nothing is graded in either run"
        return DimensionChange(name, before, after, Change.NOT_COMPARED, reason=reason)
    delta, limit = second - first, thresholds.of(name)
    if delta < -Fraction(limit.drop):
        return DimensionChange(name, before, after, Change.REGRESSION, delta, limit.drop)
    if delta > Fraction(limit.gain):
        return DimensionChange(name, before, after, Change.IMPROVEMENT, delta, limit.gain)
    return DimensionChange(name, before, after, Change.WITHIN_LIMITS, delta, limit.drop)


def _not_covered(before: Average, after: Average, called: tuple[str, str]) -> str:
    if before.graded != after.graded:
        was, now = f"{before.graded} of {before.planned}", f"{after.graded} of {after.planned}"
        return f"coverage differs: {was} graded in {called[0]}, {now} in {called[1]}"
    if before.covers != after.covers and before.covers and after.covers:
        return f"other queries are graded: {after.graded} of {after.planned} in both runs, but not the same ones"
    return ""


def _mean(average: Average) -> Fraction | None:
    """Exact, or None: nothing graded, or an earlier tool kept only a rounded mean."""
    return Fraction(average.total) / average.graded if average.total is not None and average.graded else None


def _warnings(baseline: RunInfo, current: RunInfo) -> Iterator[str]:
    queries = current.query_count if current.query_count is not None else current.done
    if queries < SMALL_SET:
        yield f"only {count(queries, 'query', 'queries')}: one answer moves every mean; treat changes as hints"
    for name, value in (
        ("the content of the query set", current.set_sha256),
        ("the corpus", current.corpus),
        ("the rubric", current.rubric),
    ):
        if value is None:
            yield f"{name} is not known for either run: a change in it would not be seen"


def _overall(results: Iterable[QueryResult]) -> Mapping[str, Fraction | None]:
    """Query id → the mean over its repeats; None when one of them has no score."""
    found: dict[str, list[Fraction | None]] = {}
    for result in results:
        score = result.scores.get("overall")
        found.setdefault(result.query_id, []).append(None if score is None else Fraction(repr(score)))
    return {key: _average(scores) for key, scores in found.items()}


def _average(scores: Sequence[Fraction | None]) -> Fraction | None:
    known = [score for score in scores if score is not None]
    return sum(known, Fraction(0)) / len(known) if len(known) == len(scores) else None
