"""Two runs side by side as text: what differs, what moved, and whether that is too much."""

import re
from collections.abc import Iterable
from fractions import Fraction

from engine.model.comparison import Change, Comparison, Difference, DimensionChange, SideBySide
from engine.report.symbols import Symbols
from engine.text import count, one_line

__all__ = ["comparison_text", "side_by_side_text", "verdict_text"]

_SHOWN = 10  # queries that moved most
_DIGEST = re.compile("[0-9a-f]{64}")
_SCALAR = str | int | float | bool | None


def comparison_text(comparison: Comparison, symbols: Symbols) -> str:
    """The verdict, then each dimension, or every reason why nothing was compared."""
    lines = [verdict_text(comparison, symbols)]
    if not comparison.comparable:
        said = 0 if comparison.differences else 1  # the verdict gives the first reason
        lines += [f"  {one_line(reason)}" for reason in comparison.refused[said:]]
        lines += _different(comparison.differences)
        return "\n".join(lines)
    longest = max((len(one_line(item.dimension)) for item in comparison.dimensions), default=0)
    lines += [
        f"  {one_line(item.dimension):<{longest}}  {_dimension(item, comparison.names, symbols)}"
        for item in comparison.dimensions
    ]
    lines += [f"  {symbols.unknown} {one_line(warning)}" for warning in comparison.warnings]
    return "\n".join(lines)


def verdict_text(comparison: Comparison, symbols: Symbols) -> str:
    """The one line that a person reads first."""
    if not comparison.comparable:
        keys = [one_line(difference.key) for difference in comparison.differences]
        why = f"differs in {', '.join(keys)}" if keys else one_line(comparison.refused[0])
        return f"{symbols.unknown} not compared: {why}"
    worse = [one_line(item.dimension) for item in comparison.having(Change.REGRESSION)]
    unknown = [
        one_line(item.dimension)
        for item in (*comparison.having(Change.NOT_COMPARED), *comparison.having(Change.REMOVED))
    ]
    left_out = f"; not compared: {', '.join(unknown)}" if unknown else ""
    if worse:
        return f"{symbols.bad} {count(len(worse), 'regression')}: {', '.join(worse)}{left_out}"
    if unknown:
        return f"{symbols.unknown} not compared: {', '.join(unknown)}; no regression in the others"
    return f"{symbols.ok} No regressions detected"


def side_by_side_text(pair: SideBySide, symbols: Symbols) -> str:
    """Settings that differ first, then dimensions, then the queries that moved."""
    first, second = pair.comparison.baseline, pair.comparison.current
    lines = [
        f"A  {one_line(first.id)}  {one_line(first.queries)}",
        f"B  {one_line(second.id)}  {one_line(second.queries)}",
    ]
    if pair.settings:
        lines += ["settings that differ:", *_different(pair.settings)]
    elif pair.comparison.comparable:
        lines.append("settings are the same in both")
    lines += ["", comparison_text(pair.comparison, symbols)]
    if not pair.comparison.comparable:
        return "\n".join(lines)
    compared = pair.wins + pair.ties + pair.losses
    tally = f"B is better in {pair.wins}, about the same in {pair.ties}, worse in {pair.losses}"
    lines += ["", f"{count(compared, 'query', 'queries')} in both: {tally}"]
    moved = [change for change in pair.changes if change.delta]
    lines += [
        f"  {_number(change.baseline)} {symbols.arrow} {_number(change.current)}  "
        f"{_signed(change.delta or Fraction(0), None, symbols)}  {one_line(change.query_id)}  "
        f'"{one_line(change.query, 80)}"'
        for change in moved[:_SHOWN]
    ]
    if len(moved) > _SHOWN:
        lines.append(f"  {symbols.ellipsis} {len(moved) - _SHOWN} more that moved")
    lines += _named("without a score in one or both", pair.ungraded)
    lines += _named("only in A", pair.missing)
    lines += _named("only in B", pair.new)
    return "\n".join(lines)


def _different(differences: Iterable[Difference]) -> list[str]:
    return [f"  {one_line(item.key)}: {_value(item.baseline)} / {_value(item.current)}" for item in differences]


def _value(value: _SCALAR) -> str:
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return value[:12]
    return "not known" if value is None else one_line(str(value), 80)


def _dimension(item: DimensionChange, names: tuple[str, str], symbols: Symbols) -> str:
    if item.change is Change.NEW or item.baseline is None:
        return f"new: {names[0]} does not have it"
    if item.change is Change.REMOVED or item.current is None:
        return f"removed: only {names[0]} has it"
    if item.delta is None or item.limit is None:
        return f"not compared: {one_line(item.reason)}"
    before, after = item.baseline.mean, item.current.mean
    moved = _signed(item.delta, item.limit, symbols)
    verdict = str(item.change)
    if item.change in {Change.REGRESSION, Change.IMPROVEMENT}:
        verdict += f" (more than {item.limit})"
    graded = f"{item.current.graded} of {item.current.planned} graded"
    return f"{before or 0:.2f} {symbols.arrow} {after or 0:.2f}  {moved}  {verdict}, {graded}"


def _signed(delta: Fraction, limit: str | None, symbols: Symbols) -> str:
    """With as many digits as it takes to see on which side of the limit it is."""
    digits = 4
    while limit and digits < 12 and abs(delta) != Fraction(limit) and round(abs(delta), digits) == Fraction(limit):
        digits += 1
    return f"{float(delta):+.{digits}f}".replace("-", symbols.minus)


def _number(score: Fraction | None) -> str:
    return "ungraded" if score is None else f"{float(score):.2f}"


def _named(what: str, ids: tuple[str, ...]) -> list[str]:
    if not ids:
        return []
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return [f"{what}: {', '.join(one_line(query_id) for query_id in ids[:_SHOWN])}{more}"]
