"""What judges said, to one score: labels and points read, a quorum, and how several votes become one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from engine.model.grade import NOT_APPLICABLE, Vote
from engine.rubric.fold import fold
from engine.rubric.syntax import Panel, Scale, Settle

__all__ = ["NO_JUDGE", "Settled", "Settler", "score_of", "settler"]

NO_JUDGE = "nobody answered this question yet (no judge)"
_SKIP = "skip"  # a vote for "does not apply"
_EPSILON = 1e-9  # scores differ by hundredths; what float arithmetic adds to a distance is far below


class Settled(NamedTuple):
    """One question after its votes. `score` None and not `skipped`: ungraded, and `reason` says why."""

    score: float | None
    skipped: bool
    reason: str


Settler = Callable[[Sequence[Vote]], Settled]


def score_of(scale: Scale, skippable: bool) -> Callable[[str | float | None], float | str | None]:
    """Reads one vote: its score in [0, 1], `skip` for not applicable, None for anything off the menu."""
    if scale.low is not None and scale.high is not None:
        return _points(float(scale.low), float(scale.high), skippable)
    labels: dict[str, float | str] = {NOT_APPLICABLE: _SKIP} if skippable else {}
    labels |= {fold(level.label): _SKIP if level.score is None else float(level.score) for level in scale.levels}

    def named(said: str | float | None) -> float | str | None:
        return labels.get(fold(said)) if isinstance(said, str) else None

    return named


def _points(low: float, high: float, skippable: bool) -> Callable[[str | float | None], float | str | None]:
    def point(said: str | float | None) -> float | str | None:
        if isinstance(said, str):
            return _SKIP if skippable and fold(said) == NOT_APPLICABLE else None
        if said is None or isinstance(said, bool) or not low <= said <= high:
            return None
        return (said - low) / (high - low)

    return point


def settler(scale: Scale, panel: Panel, skippable: bool, *, bad: bool) -> Settler:
    """The closure that settles a question.

    Args:
        bad: the question asks for something bad, so a high score goes against the answer.
    """
    read = score_of(scale, skippable)
    needed, several = panel.needed, panel.size > 1
    limit = None if panel.disagreement is None else float(panel.disagreement)
    settle = _SETTLE[panel.settle]

    def settled(votes: Sequence[Vote]) -> Settled:
        if not votes:
            return Settled(None, False, NO_JUDGE)
        found = [(vote, score) for vote in votes if (score := read(vote.said)) is not None]
        if len(found) < needed:
            return Settled(None, False, _too_few(votes, len(found), panel))
        scores = [score for _, score in found if isinstance(score, float)]
        if len(found) - len(scores) > len(found) / 2:
            return Settled(None, True, f"{len(found) - len(scores)} of {len(found)} judges say that it does not apply")
        if limit is not None and max(scores) - min(scores) > limit + _EPSILON:
            said = ", ".join(_said(vote) for vote, _ in found)
            return Settled(None, False, f"the judges disagree: {said}")
        score = scores[0] if len(scores) == 1 else settle(scores, bad)
        if len(found) == 1 and not several:
            vote = found[0][0]
            return Settled(score, False, f"{_said(vote)}: {vote.reason}" if vote.reason else f"judged {_said(vote)}")
        said = ", ".join(_said(vote) for vote, _ in found)
        return Settled(score, False, f"{panel.settle.value} of {said}")

    return settled


def _too_few(votes: Sequence[Vote], usable: int, panel: Panel) -> str:
    if len(votes) == 1 and usable == 0:
        vote = votes[0]
        if vote.said is None:
            return (vote.problem and vote.reason) or "the judge gave no usable answer"
        return f"the judge's answer is not on the scale: {vote.said}"
    asked = max(len(votes), panel.size)
    problems = ", ".join(sorted({vote.problem for vote in votes if vote.problem}))
    why = f" ({problems})" if problems else ""
    return f"{usable} of {asked} judges gave a usable answer, and {panel.needed} are needed{why}"


def _said(vote: Vote) -> str:
    return f"{vote.said:g}" if isinstance(vote.said, float | int) else str(vote.said)


# ---- several scores to one --------------------------------------------------------------------


def _median(scores: Sequence[float], _: bool) -> float:
    ordered = sorted(scores)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _mean(scores: Sequence[float], _: bool) -> float:
    return fsum(scores) / len(scores)


def _majority(scores: Sequence[float], bad: bool) -> float:
    """The score most often given. A tie goes against the answer."""
    counts = Counter(scores)
    most = max(counts.values())
    tied = [score for score, times in counts.items() if times == most]
    return max(tied) if bad else min(tied)


_SETTLE: Mapping[Settle, Callable[[Sequence[float], bool], float]] = {
    Settle.MEDIAN: _median,
    Settle.MEAN: _mean,
    Settle.MAJORITY: _majority,
    Settle.LOWEST: lambda scores, _: min(scores),
    Settle.HIGHEST: lambda scores, _: max(scores),
}
