"""A run as a person sees it in a terminal. Every foreign text passes through `safe`."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model.exchange import Hit
from engine.model.grade import cause
from engine.model.record import Record, Status
from engine.report.symbols import Symbols
from engine.text import one_line

__all__ = ["Look", "quiet_item", "scores_line", "verbose_item"]

_HITS = 5
_SNIPPET = 120


@dataclass(frozen=True, slots=True)
class Look:
    """How items are shown: the symbols, the width (0 = do not cut) and who graded."""

    symbols: Symbols
    width: int
    graded_by: str


def verbose_item(record: Record, planned: int, look: Look) -> str:
    """The question, the ranked results and the scores of one trial."""
    lines = [f'[{record.position}/{planned}] "{one_line(record.query.text)}"']
    if record.exchange is None:
        return "\n".join([*lines, f"  {look.symbols.bad} failed: {record.failure}: {one_line(record.error or '')}"])
    answer = record.exchange.answer
    hits = answer.hits or ()
    for hit in hits[:_HITS]:
        lines += _hit(hit, look)
    if len(hits) > _HITS:
        lines.append(f"  {look.symbols.ellipsis} {len(hits) - _HITS} more")
    if answer.hits is not None and not hits:
        lines.append(f"  {look.symbols.arrow} no results")
    if answer.text is not None:
        lines.append(f"  {look.symbols.arrow} {_cut(one_line(answer.text, _SNIPPET * 2), look, 4)}")
    lines += [f"  {look.symbols.unknown} {one_line(note)}" for note in answer.notes]
    lines.append(f"  {_graded(record, look)}")
    return "\n".join(lines)


def quiet_item(record: Record, planned: int, look: Look) -> str:
    """One line for one trial."""
    head = f'[{record.position}/{planned}] "{one_line(record.query.text)}"'
    if record.status is not Status.DONE:
        return f"{head} - failed: {record.failure}"
    scores = record.grading.scores if record.grading else {}
    return f"{head} - {scores_line({'overall': scores['overall']}, ': ') if 'overall' in scores else 'not applicable'}"


def scores_line(scores: Mapping[str, float | None], between: str = "=") -> str:
    """`relevance=0.80 ranking=0.85 … overall=0.76`; a score nobody knows reads `ungraded`."""
    shown = {name: "ungraded" if score is None else f"{score:.2f}" for name, score in scores.items()}
    return " ".join(f"{one_line(name)}{between}{score}" for name, score in shown.items())


def _hit(hit: Hit, look: Look) -> list[str]:
    score = "" if hit.score is None else f"[{hit.score:.2f}] "
    lines = [f"  {look.symbols.arrow} {hit.rank}. {score}{_cut(one_line(hit.source), look, 14)}"]
    shown = one_line(hit.snippet, _SNIPPET) or one_line(hit.title, _SNIPPET)
    if shown:
        lines.append(f'       "{_cut(shown, look, 9)}"')
    return lines


def _graded(record: Record, look: Look) -> str:
    grading = record.grading
    if grading is None:
        return f"{look.symbols.unknown} not graded"
    if "overall" not in grading.scores:
        return f"{look.symbols.unknown} {look.graded_by}: no criterion of the rubric applies"
    known = grading.scores["overall"] is not None
    symbol = look.symbols.good if known else look.symbols.unknown
    line = f"{symbol} {look.graded_by}: {scores_line(grading.scores)}"
    return line if known else f"{line}\n    {_why(record)}"


def _why(record: Record) -> str:
    grades = record.grading.grades if record.grading else ()
    reasons = dict.fromkeys(cause(grade.reason) for grade in grades if grade.score is None)
    return one_line("; ".join(reasons), 200)


def _cut(text: str, look: Look, used: int) -> str:
    room = look.width - used
    return text if look.width == 0 or len(text) <= room else text[: max(room - 1, 8)] + look.symbols.ellipsis[0]
