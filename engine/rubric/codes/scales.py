"""R405 to R420, those of scales: their rows, scores and descriptions."""

from engine.rubric.codes.code import ERROR, HINT, WARNING, Code, demo

__all__ = ["SCALES"]


def _levels(*rows: str) -> str:
    listed = "\n".join(f"  | {row} |" for row in rows)
    return demo(f"criterion: Relevance\n  ask: Does it answer the question?\n  scale:\n{listed}")


def _points(scale: str, *rows: str) -> str:
    listed = "\n".join(f"  | {row} |" for row in rows)
    return demo(f"criterion: Relevance\n  ask: Does it answer the question?\n  scale: {scale}\n{listed}".rstrip())


_GOOD, _POOR = "good | 1.0 | Just what was needed", "poor | 0 | Of no use"

SCALES: tuple[Code, ...] = (
    Code(
        "R405",
        ERROR,
        "A scale is backwards",
        "The lower end comes first, and the two ends differ.",
        _points("5 to 1"),
        _points("1 to 5"),
        fix=True,
    ),
    Code(
        "R406",
        ERROR,
        "A row does not start with a point of its scale",
        "On a scale of points each row describes a point or a range of points, such as 3 or 2-4.",
        _points("1 to 5", "good | Just what was needed", "1 | Of no use"),
        _points("1 to 5", "5 | Just what was needed", "1 | Of no use"),
    ),
    Code(
        "R407",
        ERROR,
        "A row has the wrong shape",
        "A level has a name, a score and a description. On a scale of points a row has a point and a description.",
        _levels("good | Just what was needed", _POOR, "bad | 0.1 | Nearly of no use"),
        _levels(_GOOD, _POOR),
    ),
    Code(
        "R408",
        ERROR,
        "The score of a level is outside 0 to 1",
        "Levels are worth 0 to 1, so that scales can be averaged. For stars, use a scale of points: 1 to 5.",
        _levels("good | 5 | Just what was needed", _POOR),
        _levels(_GOOD, _POOR),
    ),
    Code(
        "R413",
        ERROR,
        "A scale has fewer than two levels",
        "With one level there is nothing to choose.",
        _levels(_GOOD),
        _levels(_GOOD, _POOR),
    ),
    Code(
        "R414",
        ERROR,
        "Two levels have the same name",
        "A judge answers with the name of a level, so each has its own.",
        _levels(_GOOD, "good | 0.5 | Helps, and could be better", _POOR),
        _levels(_GOOD, "okay | 0.5 | Helps, and could be better", _POOR),
    ),
    Code(
        "R415",
        ERROR,
        "Two descriptions apply to the same point",
        "Each point has one description, or judges will choose between them.",
        _points("1 to 7", "1-4 | Of little use", "4-7 | Useful"),
        _points("1 to 7", "1-4 | Of little use", "5-7 | Useful"),
    ),
    Code(
        "R416",
        WARNING,
        "An end of a scale is not described",
        "Judges use points alike when both ends are described.",
        _points("1 to 5", "5 | Just what was needed"),
        _points("1 to 5", "5 | Just what was needed", "1 | Of no use"),
    ),
    Code(
        "R417",
        WARNING,
        "The scores of a scale go up and down",
        "Levels are read from best to worst. A score out of order is usually a slip; two equal scores are only a hint.",
        _levels(_GOOD, _POOR, "okay | 0.5 | Helps, and could be better"),
        _levels(_GOOD, "okay | 0.5 | Helps, and could be better", _POOR),
    ),
    Code(
        "R418",
        ERROR,
        "A row lies outside its scale",
        "A scale from 1 to 3 has no point 5.",
        _points("1 to 3", "1-5 | Of some use"),
        _points("1 to 3", "1-3 | Of some use"),
    ),
    Code(
        "R419",
        WARNING,
        "A level has no description",
        "The description is what makes two judges choose the same level.",
        _levels(_GOOD, "okay | 0.5", _POOR),
        _levels(_GOOD, "okay | 0.5 | Helps, and could be better", _POOR),
    ),
    Code(
        "R420",
        HINT,
        "The best level is worth less than 1",
        "Then no answer can reach full marks. That may be meant; thresholds have to allow for it.",
        _levels("good | 0.9 | Just what was needed", _POOR),
        _levels(_GOOD, _POOR),
    ),
)
