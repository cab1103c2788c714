"""A rubric's questions as judges are asked them. What is the same for every answer is worked out once."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from engine.model.exchange import Exchange
from engine.rubric.canonical import criterion_sha256
from engine.rubric.request import Sheet, batches, material_sha256, sheet
from engine.rubric.syntax import Checklist, Criterion, Question, Rubric, criteria, questions

__all__ = ["Questionnaire"]


class Questionnaire:
    """The questions of one rubric.

    Attributes:
        rubric: which.
        questions: by id, in order.
        owners: the criterion of each question, by the id of the question.
    """

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        self.questions: Mapping[str, Question] = {question.id: question for question in questions(rubric.root)}
        owners = {criterion.id: criterion for criterion in criteria(rubric.root)}
        self.owners: Mapping[str, Criterion] = {name: owners[each.criterion] for name, each in self.questions.items()}
        self._hashes: Mapping[str, str] = {name: self._sha256(name) for name in self.questions}
        self._sheets: dict[tuple[bool, tuple[str, ...]], tuple[Sheet, ...]] = {}

    def sheets(self, ids: Iterable[str], *, apart: bool) -> tuple[Sheet, ...]:
        """Some questions, written out: those that show the same parts together, or each criterion by itself."""
        wanted = frozenset(ids)
        names = tuple(name for name in self.questions if name in wanted)
        found = self._sheets.get((apart, names))
        if found is None:
            found = self._sheets[apart, names] = tuple(self._written(names, apart=apart))
        return found

    def keys(self, ids: Iterable[str], exchange: Exchange) -> dict[str, str]:
        """What votes bind to: what is asked, and exactly what is shown. Never ids or titles."""
        shown: dict[tuple[str, ...], str] = {}
        found: dict[str, str] = {}
        for name in ids:
            parts = self.owners[name].shown
            if parts not in shown:
                shown[parts] = material_sha256(parts, exchange)
            found[name] = sha256(f"{self._hashes[name]} {shown[parts]}".encode()).hexdigest()
        return found

    def _written(self, names: Sequence[str], *, apart: bool) -> list[Sheet]:
        asked = [self.questions[name] for name in names]
        if not apart:
            return [sheet(self.rubric, batch) for batch in batches(self.rubric, asked)]
        by_criterion: dict[str, list[Question]] = {}
        for question in asked:
            by_criterion.setdefault(question.criterion, []).append(question)
        return [sheet(self.rubric, batch) for batch in by_criterion.values()]

    def _sha256(self, name: str) -> str:
        """Of an item of a checklist its own text too: the hash of its criterion is the same for all of them."""
        owner = self.owners[name]
        item = self.questions[name].text if isinstance(owner.grading, Checklist) else ""
        return sha256(f"{criterion_sha256(owner)}\n{self.rubric.language}\n{item}".encode()).hexdigest()
