"""How many trials got which verdict, and why some have no overall score."""

from collections import Counter
from collections.abc import Iterable, Mapping

from engine.model.grade import Grading, cause
from engine.model.record import Record

__all__ = ["Counts"]


class Counts:
    """Grows with the number of different verdicts and reasons, not with the number of trials."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.ungraded: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        """Count a record that was just made."""
        if record.grading is not None:
            self._add(record.grading.scores, record.grading.verdict, _reasons(record.grading))

    def add_line(self, trial: Mapping[str, object]) -> None:
        """Count a record from the journal."""
        match trial:
            case {"status": "done", "scores": dict(scores), "grades": list(grades)}:
                verdict = trial.get("verdict")
                reasons = (cause(str(grade["reason"])) for grade in grades if grade["score"] is None)
                self._add(scores, None if verdict is None else str(verdict), reasons)

    def _add(self, scores: Mapping[str, float | None], verdict: str | None, reasons: Iterable[str]) -> None:
        if verdict is not None:
            self.verdicts[verdict] += 1
        if "overall" in scores and scores["overall"] is None:
            self.ungraded[next(iter(reasons), "no reason was recorded")] += 1


def _reasons(grading: Grading) -> Iterable[str]:
    return (cause(grade.reason) for grade in grading.grades if grade.score is None)
