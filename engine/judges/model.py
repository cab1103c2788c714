"""A model as a judge: asked in the same way in every dialect, and read strictly."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic, Literal, TypeVar

from pydantic import Field

from engine.judges.problems import SENTENCES, VoteProblem, unusable
from engine.judges.prompt import prompt_sha256
from engine.judges.questionnaire import Questionnaire
from engine.judges.read import read
from engine.judges.task import Task
from engine.judges.votes_kept import VotesRead, kept, restored
from engine.model.base import Frozen
from engine.model.calls import Attempt, Call, CallFailure, Calls
from engine.model.grade import Vote
from engine.model.network import Line, Network
from engine.model.target import Scalar
from engine.model.usage import PriceTable
from engine.providers.asking import model_call
from engine.providers.dialect import Chat, ModelReply, ModelSettings
from engine.rubric.request import LONGEST, LONGEST_HIT, Sheet, material_sha256
from engine.text import one_line

__all__ = ["How", "Judging", "ModelJudge", "Reader"]

T = TypeVar("T")

_HOPELESS = frozenset({VoteProblem.REFUSED, VoteProblem.NO_REPLY})  # asking again would not help
_NO_VOTE = frozenset({"name", "analysis"})  # settings that change no vote
_AGAIN = "An earlier answer could not be used: {why}. Keep every reason short, and write nothing but the JSON object."


class Judging(Frozen):
    """What can be set about a model as a judge. Stands before its dialect: `class OllamaJudge(Judging, Ollama)`."""

    name: str = Field(default="llm", min_length=1, max_length=60, description="what records call this judge")
    temperature: float | None = Field(default=0.0, ge=0, le=2, description="how much chance; null leaves it out")
    seed: int | None = Field(default=1, description="asks for the same answer again; null leaves it out")
    max_tokens: int = Field(default=2048, ge=1, description="tokens that an answer has at most; bounds its cost")
    calls: Literal["together", "apart"] = Field(
        default="together", description="one call for all questions about an answer, or one for each criterion"
    )
    reasks: int = Field(default=0, ge=0, le=1, description="how often an answer that cannot be used is asked for again")
    analysis: bool = Field(
        default=False, description="also ask for a text on every dimension and result of a search, in a call of its own"
    )

    def judges(self, network: Network, prices: PriceTable, name: str = "") -> tuple["ModelJudge", ...]:
        """The judge. Nothing is sent before it is asked."""
        assert isinstance(self, ModelSettings)
        how = How(name or self.name, self.calls == "apart", self.reasks, self.analysis)
        return (ModelJudge(how, self, network.line(self.site()), prices),)


@dataclass(frozen=True, slots=True)
class How:
    """How a model judge goes about it; see `Judging`."""

    name: str
    apart: bool = False
    reasks: int = 0
    analysis: bool = False


@dataclass(frozen=True, slots=True)
class Reader(Generic[T]):
    """What is made of a model's reply, and how that is kept beside what it cost (see `Call`)."""

    read: Callable[[ModelReply], T]
    keeps: Callable[[T], Mapping[str, object]]
    restores: Callable[[Mapping[str, object]], T]


class ModelJudge:
    """An opened model judge. `analyses`: it is also to be asked for analyses (see `engine.judges.analysis`)."""

    def __init__(self, how: How, settings: ModelSettings, line: Line, prices: PriceTable) -> None:
        self.name, self.analyses = how.name, how.analysis
        self.believes = True
        self.label = f"AI ({one_line(settings.model, 80)})"
        self.identity: Mapping[str, Scalar] = {
            **{key: value for key, value in settings.identity().items() if key not in _NO_VOTE},
            "prompt_sha256": prompt_sha256(_AGAIN, *SENTENCES.values()),
            "shown_characters": LONGEST,
            "passage_characters": LONGEST_HIT,
        }
        self._how, self._settings, self._line, self._prices = how, settings, line, prices
        self._seeded: dict[int, ModelSettings] = {}

    def calls(self, questionnaire: Questionnaire, ids: Sequence[str]) -> int:
        """One for all questions that show the same parts, or for each criterion; each perhaps once more."""
        return len(questionnaire.sheets(ids, apart=self._how.apart)) * (1 + self._how.reasks)

    async def votes(self, task: Task, calls: Calls) -> dict[str, Vote]:
        """One call for all questions that show the same parts, or for each criterion; then perhaps once more."""
        found: dict[str, Vote] = {}
        for sheet in self._sheets(task, task.ids):
            found |= await self._asked(sheet, task, calls)
        if self._how.reasks:
            wrong = [name for name, vote in found.items() if vote.said is None and vote.problem not in _HOPELESS]
            for sheet in self._sheets(task, wrong):
                why = "; ".join(sorted({found[question.id].reason for question in sheet.questions.values()}))
                found |= await self._asked(sheet, task, calls, _AGAIN.format(why=why))
        return found

    async def ask(self, chat: Chat, reader: Reader[T], calls: Calls, step: int = 0) -> Attempt[T]:
        """Ask for something, in one call.

        Args:
            step: how far the seed is from the one in the settings.

        Raises:
            CallFailure: there was no reply.
            GuardStop: the cost guard allows no further call.
        """
        inner = model_call(self._line, self._at(step), chat, f"judge {self.name}", self._prices)

        async def make() -> Attempt[T]:
            found = await inner.make()
            return Attempt(reader.read(found.value), found.usage, found.cost, found.model, found.latency_s)

        return await calls.pay(
            Call(inner.who, inner.most, make, reader.keeps, reader.restores, inner.retries, inner.turn)
        )

    def _sheets(self, task: Task, ids: Sequence[str]) -> tuple[Sheet, ...]:
        return task.questionnaire.sheets(ids, apart=self._how.apart)

    async def _asked(self, sheet: Sheet, task: Task, calls: Calls, note: str = "") -> dict[str, Vote]:
        found = sheet.filled(task.exchange, secrets.token_hex(8), note)
        schema = found.schema if isinstance(found.schema, dict) else None
        chat = Chat((("user", found.user),), found.system, schema)
        shown = material_sha256(sheet.shown, task.exchange)
        asked = sha256(f"{sheet.sha256} {shown} {task.number} {task.repeat} {note}".encode()).hexdigest()[:16]
        ids = frozenset(question.id for question in sheet.questions.values())
        reader = Reader(
            lambda reply: VotesRead.of(read(reply, sheet.questions, self.name), reply.text),
            lambda value: kept(value, asked),
            lambda value: restored(value, asked, ids, self.name),
        )
        try:
            attempt = await self.ask(chat, reader, calls, (task.repeat - 1) * 100 + task.number - 1)
        except CallFailure as failure:
            return {name: unusable(VoteProblem.NO_REPLY, self.name, detail=failure.failure) for name in ids}
        model = attempt.model or ""
        return {name: vote._replace(model=model) for name, vote in attempt.value.votes.items()}

    def _at(self, step: int) -> ModelSettings:
        seed = self._settings.seed
        if not step or seed is None:
            return self._settings
        found = self._seeded.get(step)
        if found is None:
            found = self._seeded[step] = _seeded(self._settings, seed + step)
        return found


def _seeded(settings: ModelSettings, seed: int) -> ModelSettings:
    """The same with another seed. Made anew, because a copy would keep what was worked out for the old one."""
    values = {name: getattr(settings, name) for name in type(settings).model_fields}
    return type(settings)(**{**values, "seed": seed})
