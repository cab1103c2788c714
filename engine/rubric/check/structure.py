"""The shape of the whole: empty rubrics, no version, things out of place."""

from collections.abc import Iterator

from engine.rubric import expression as say
from engine.rubric.check.draft import Draft
from engine.rubric.check.walk import tests
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.expression import leaves
from engine.rubric.syntax import Check, parts

__all__ = ["misplaced", "no_version", "nothing_in_it"]


def nothing_in_it(draft: Draft) -> Iterator[Diagnostic]:
    """R213: a rubric without criteria grades nothing."""
    rubric = draft.rubric
    if not rubric.library and not rubric.root.members and not draft.context.failed:
        steps = ("write for example:\ncriterion: Relevance\n  measure: ndcg@10",)
        yield Diagnostic("R213", "This rubric has no criteria", rubric.at, help=steps)


def no_version(draft: Draft) -> Iterator[Diagnostic]:
    """R214: without a version nobody can tell old scores from those after a change."""
    if not draft.rubric.version:
        steps = ("write under it: version: 1", "raise it when you change what a score means")
        message = "This rubric has no version"
        yield Diagnostic("R214", message, draft.rubric.at, help=steps, severity=Severity.HINT)


_WHOLE = say.Score | say.ScoreUngraded | say.AnyMustFails


def misplaced(draft: Draft) -> Iterator[Diagnostic]:
    """R509: the whole means nothing to the parts it is made of, and the answer is looked at in checks."""
    rubric = draft.rubric
    for part in parts(rubric.root):
        for test in tests(part):
            for leaf in leaves(test.holds):
                if isinstance(leaf, _WHOLE):
                    message = f'"{leaf.at.text}" has a meaning only in verdicts and caps'
                    step = "to look at another criterion, write its name in [brackets]"
                    yield Diagnostic("R509", message, leaf.at, help=(step,))
    for cap in rubric.caps:
        yield from _out_of_place(cap.when, "cap", (say.ScoreUngraded,))
    for verdict in rubric.verdicts:
        if verdict.when is not None:
            yield from _out_of_place(verdict.when, "verdict", ())


_ALLOWED = (
    say.Score, say.ScoreUngraded, say.AnyMustFails, say.RefScore, say.RefPasses, say.RefUngraded, say.NameIs,
    say.NameGiven, say.NameNumber,
)  # fmt: skip


def _out_of_place(test: Check, where: str, refused: tuple[type, ...]) -> Iterator[Diagnostic]:
    """What a cap or a verdict cannot look at."""
    for leaf in leaves(test.holds):
        if isinstance(leaf, refused):
            message = f'"{leaf.at.text}" has a meaning only in verdicts'
            yield Diagnostic("R509", message, leaf.at, help=("a cap looks at the score, at musts or at [names]",))
        elif not isinstance(leaf, _ALLOWED):
            message = f"A {where} does not look at the answer itself"
            steps = ("make a criterion of it, and write its name in [brackets] here",)
            yield Diagnostic("R509", message, leaf.at, help=steps)
