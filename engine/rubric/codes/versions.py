"""R801 and R802: what a published version promises."""

from engine.rubric.codes.code import ERROR, Code

__all__ = ["VERSIONS"]


def _rubric(version: int, words: int) -> str:
    return f"rubric: Demo\nversion: {version}\ncriterion: Short\n  check: answer has at most {words} words\n"


VERSIONS: tuple[Code, ...] = (
    Code(
        "R801",
        ERROR,
        "A published version has another meaning now",
        "Scores and labels of a published version are compared with each other, so its meaning stays. Raise"
        " the version; the message says which labels stay valid.",
        _rubric(2, 100),
        _rubric(3, 100),
        published=_rubric(2, 200),
    ),
    Code(
        "R802",
        ERROR,
        "The version goes back",
        "A newer version was published already. Versions only go up, so that the latest is always the highest.",
        _rubric(1, 100),
        _rubric(3, 100),
        published=_rubric(2, 200),
    ),
)
