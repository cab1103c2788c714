"""Reads `NAME.cases.yaml`, the worked cases of a rubric, or says everything that is wrong with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.grade import Vote
from engine.model.query import Query
from engine.model.rubric_case import Case, Expected, Standing
from engine.store import strict_json, strict_yaml
from engine.store.case_values import CaseValues, shown_value
from engine.store.query_places import YamlText
from engine.store.strict_yaml import Path as Steps
from engine.text import nearest, one_line

__all__ = ["ENDING", "SCHEMA", "CaseFile", "read_cases"]

ENDING = ".cases.yaml"
SCHEMA = "assay.rubric-cases/1"

_TOP = ("schema", "version", "about", "cases")
_CASE = (
    "name",
    "about",
    "query",
    "intent",
    "category",
    "task_context",
    "fields",
    "expected_answer",
    "relevant",
    "answer",
    "results",
    "citations",
    "tools",
    "latency_s",
    "cost_usd",
    "numbers",
    "votes",
    "expect",
)
_RESULT = ("source", "title", "snippet", "score")
_TOOL = ("name", "arguments")
_EXPECT = ("verdict", "score", "criteria")
_NOT_SAID = "must be what the judge said, not {}"
_SEMVER = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """Cases, and where each part of them stands."""

    version: str
    cases: tuple[Case, ...]
    _places: YamlText

    def at(self, case: int, steps: Steps) -> str:
        """`file:line:column` of a part of a case, by its key where it has one."""
        return self._places.key_at(("cases", case, *steps))


def read_cases(path: Path, shown: str = "") -> CaseFile:
    """The cases in one file.

    Args:
        shown: the file as named in messages; its path when empty.

    Raises:
        UsageError: every problem in the file, each with its place.
    """
    shown = shown or str(path)
    try:
        text = strict_json.decode(path.read_bytes(), shown)
    except OSError as error:
        raise UsageError(Problem(f"the file cannot be read: {error.strerror or error}", shown)) from error
    loaded = strict_yaml.load(text, shown)
    reader = _Reader(YamlText(shown, loaded))
    found = reader.file(loaded.value)
    if reader.problems.count:
        raise UsageError(*reader.problems.all())
    return found


class _Reader(CaseValues):
    """Each method reads one part and notes what is wrong with it; a part that is wrong reads as absent."""

    def file(self, value: object) -> CaseFile:
        if not isinstance(value, dict):
            self.wrong((), "these are no cases: the file has no fields", "begin with a line: cases:")
            return CaseFile("", (), self.places)
        self.known(value, (), _TOP, "a file of cases")
        if value.get("schema", SCHEMA) != SCHEMA:
            message = f"{shown_value(value['schema'])} is not a format this version reads"
            self.wrong(("schema",), message, f"it reads {SCHEMA}")
        self.text(value, (), "about")
        items = value.get("cases")
        if not isinstance(items, list) or not items:
            wrong = "is missing" if items is None else "must be a list with at least one case"
            self.wrong(("cases",), wrong, "begin each case with - name:")
            items = []
        cases = [self.case(item, ("cases", index)) for index, item in enumerate(items)]
        self.unique(cases)
        return CaseFile(self.version(value), tuple(case for case in cases if case is not None), self.places)

    def version(self, value: Mapping[str, object]) -> str:
        found = value.get("version")
        if found is None or (isinstance(found, str) and _SEMVER.fullmatch(found)):
            return str(found or "")
        self.wrong(("version",), f"{shown_value(found)} is not a version", "write three numbers, such as 1.0.0")
        return ""

    def unique(self, cases: list[Case | None]) -> None:
        first: dict[str, int] = {}
        for index, case in enumerate(cases):
            if case is not None and first.setdefault(case.name, index) != index:
                line = self.places.at(("cases", first[case.name], "name"))
                message = f'a case called "{one_line(case.name, 60)}" is there already, at {line}'
                self.wrong(("cases", index, "name"), message, "give each case a name of its own")

    def case(self, value: object, steps: Steps) -> Case | None:
        if not isinstance(value, dict):
            self.wrong(steps, f"a case has fields (name, answer, votes, expect), not {shown_value(value)}")
            return None
        before = self.problems.count
        self.known(value, steps, _CASE, "a case")
        name = self.text(value, steps, "name")
        if name is None:
            self.wrong((*steps, "name"), "is missing", "write name: a few words that say what this case is about")
        case = Case(
            name or "",
            self.exchange(value, steps, name or ""),
            self.votes(value, steps),
            self.expected(value, steps),
            self.text(value, steps, "about") or "",
        )
        return case if self.problems.count == before else None

    # ---- what was asked, and what came back ----------------------------------------------------

    def exchange(self, value: Mapping[str, object], steps: Steps, name: str) -> Exchange:
        asked = self.text(value, steps, "query") or ""
        query = Query(
            id=name,
            text=asked,
            intent=self.text(value, steps, "intent") or "",
            category=self.text(value, steps, "category") or "",
            task_context=self.text(value, steps, "task_context"),
            relevant=self.mapping(value, steps, "relevant", self.number),
            expected_answer=self.text(value, steps, "expected_answer"),
            fields=self.mapping(value, steps, "fields", self.word) or {},
        )
        answer = Answer(
            hits=self.results(value, steps),
            text=self.text(value, steps, "answer", blank=True),
            citations=self.sequence(value, steps, "citations", self.text_at),
            tool_calls=self.sequence(value, steps, "tools", self.tool),
            numbers=self.mapping(value, steps, "numbers", self.number) or {},
        )
        latency, cost = self.amount(value, steps, "latency_s"), self.amount(value, steps, "cost_usd")
        return Exchange(query, Turn(asked, name), answer, latency, cost)

    def results(self, value: Mapping[str, object], steps: Steps) -> tuple[Hit, ...] | None:
        found = self.sequence(value, steps, "results", self.hit)
        if found is None:
            return None
        seen: set[str] = set()
        for index, hit in enumerate(found):
            if hit.source in seen:
                self.wrong((*steps, "results", index), f"{shown_value(hit.source)} is in the list twice")
            seen.add(hit.source)
        return tuple(hit._replace(rank=rank) for rank, hit in enumerate(found, start=1))

    def hit(self, value: object, steps: Steps) -> Hit | None:
        if not isinstance(value, dict):
            source = self.text_at(value, steps)
            return None if source is None else Hit(0, source)
        self.known(value, steps, _RESULT, "a result")
        source = self.text(value, steps, "source")
        if source is None:
            self.wrong((*steps, "source"), "is missing", "write source: the name of the document")
            return None
        title, snippet = (self.text(value, steps, name) or "" for name in ("title", "snippet"))
        score = self.number(value["score"], (*steps, "score")) if "score" in value else None
        return Hit(0, source, score, title, snippet)

    def tool(self, value: object, steps: Steps) -> ToolCall | None:
        if not isinstance(value, dict):
            name = self.text_at(value, steps)
            return None if name is None else ToolCall(name)
        self.known(value, steps, _TOOL, "a tool call")
        name = self.text(value, steps, "name")
        if name is None:
            self.wrong((*steps, "name"), "is missing", "write name: the tool that was called")
            return None
        arguments: dict[str, str | float] | None = self.mapping(value, steps, "arguments", self.word)
        return ToolCall(name, {key: _plain(each) for key, each in (arguments or {}).items()})

    # ---- what judges said, what should come out --------------------------------------------------

    def votes(self, value: Mapping[str, object], steps: Steps) -> dict[str, tuple[Vote, ...]]:
        found = value.get("votes")
        if found is None:
            return {}
        if not isinstance(found, dict):
            example = "for example votes: {faithful: yes}"
            self.wrong((*steps, "votes"), "must say for each question what was answered", example)
            return {}
        votes: dict[str, tuple[Vote, ...]] = {}
        for name, said in found.items():
            several = said if isinstance(said, list) else [said]
            if not several:
                self.wrong((*steps, "votes", name), "is an empty list", "leave the question out when nobody answered")
            read = (self.vote(each, (*steps, "votes", name)) for each in several)
            votes[name] = tuple(Vote(each, "case") for each in read if each is not None)
        return votes

    def vote(self, value: object, steps: Steps) -> str | float | None:
        """A label or a number. `yes` and `no` need no quotes: here they are always text."""
        if isinstance(value, bool):
            self.wrong(steps, f"{str(value).lower()} is no answer of a judge", "write yes or no")
        elif isinstance(value, str) and value.strip():
            return value
        elif isinstance(value, int | float):
            return float(value)
        else:
            self.wrong(steps, _NOT_SAID.format(shown_value(value)), "leave it out when nobody answered")
        return None

    def expected(self, value: Mapping[str, object], steps: Steps) -> Expected:
        here = (*steps, "expect")
        found = value.get("expect")
        if not isinstance(found, dict) or not found:
            what = "is missing" if found is None else "must have fields"
            self.wrong(here, what, "a case that expects nothing tests nothing; write expect: {verdict: pass}")
            return Expected()
        self.known(found, here, _EXPECT, "an expectation")
        score = self.standing(found["score"], (*here, "score")) if "score" in found else None
        if score in (Standing.PASSES, Standing.FAILS):
            self.wrong((*here, "score"), "is a number, ungraded or not applicable", "pass and fail go under criteria:")
        criteria: dict[str, float | Standing] | None = self.mapping(found, here, "criteria", self.standing)
        return Expected(self.text(found, here, "verdict"), score, criteria or {})

    def standing(self, value: object, steps: Steps) -> float | Standing | None:
        if isinstance(value, str):
            plain = " ".join(value.casefold().replace("-", " ").split())
            if plain in tuple(Standing):
                return Standing(plain)
            near = nearest(plain, tuple(Standing))
            help_ = f'did you mean "{near}"?' if near else f"it can be a score, or: {', '.join(Standing)}"
            self.wrong(steps, f"{shown_value(value)} is nothing a criterion can come to", help_)
            return None
        score = self.number(value, steps)
        if score is not None and not 0 <= score <= 1:
            self.wrong(steps, f"{shown_value(value)} is no score: scores run from 0 to 1")
            return None
        return score


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"
