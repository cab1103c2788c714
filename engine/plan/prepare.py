"""Everything a job needs, read and checked before anything starts: queries, rubric, identities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from engine import rubric as language
from engine.errors import Problem, UsageError
from engine.model.plan import Plan, identity_of
from engine.model.query import QuerySet
from engine.model.run import RunInfo, RunStatus
from engine.model.target import Scalar, Target
from engine.plan.compose import Job
from engine.plan.conf_files import shown
from engine.store import strict_json
from engine.store.cache import write_cache
from engine.store.query_files import choose, read_set
from engine.store.rubric_files import RubricFiles
from engine.store.rubric_text import text_of
from engine.store.workspace import Workspace
from engine.text import nearest, one_line

__all__ = ["Prepared", "RubricText", "begun", "prepare", "read_rubric"]


@dataclass(frozen=True, slots=True)
class RubricText:
    """A rubric ready to grade with, beside the exact texts it was read from.

    `cache` is what `keep` writes, None when it came from there.
    """

    rubric: language.Rubric
    grader: language.Grader
    text: str
    libraries: dict[str, str] = field(default_factory=dict)
    cache: tuple[Path, bytes] | None = None

    def keep(self) -> None:
        """Remember the parsed rubric, so that the next run needs no parser (a quarter of a second)."""
        if self.cache is not None:
            write_cache(*self.cache)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One job with its queries and its rubric. The target is opened later."""

    job: Job
    queries: QuerySet
    rubric: RubricText

    def plan(self, target: Target, judge: Mapping[str, Scalar]) -> Plan:
        """Every trial, with keys that hold as long as target, queries, rubric and judge are the same.

        `judge`: the identity of whoever is asked; empty when nobody is.
        """
        identity = identity_of(
            {
                "target": target.identity,
                "corpus": target.corpus_sha256,
                "rubric": self.rubric.rubric.sha256,
                "judge": judge or self.job.settings.judge.kind,
            }
        )
        return Plan(self.queries, self.job.settings.repeats, identity)


def prepare(job: Job, workspace: Workspace) -> Prepared:
    """Read the query set and the rubric of a job.

    Raises:
        UsageError: with every problem of both at once.
    """
    problems: list[Problem] = []
    queries, rubric = None, None
    settings = job.settings
    try:
        queries = choose(read_set(workspace, settings.wanted), settings.where, settings.cases, settings.limit)
    except UsageError as error:
        problems += error.problems
    try:
        rubric = read_rubric(settings.rubric, workspace)
    except UsageError as error:
        problems += error.problems
    if rubric is not None:
        problems += _unknown_dimensions(settings.compare.dimensions, rubric.grader.dimensions)
    if queries is None or rubric is None or problems:
        raise UsageError(*problems)
    return Prepared(job, queries, rubric)


def _unknown_dimensions(limits: Iterable[str], dimensions: Sequence[str]) -> Iterator[Problem]:
    """A limit for a score that the rubric does not give would never be used."""
    for name in limits:
        if name not in dimensions:
            near = nearest(name, dimensions)
            hint = f"did you mean {near}?" if near else f"it gives: {', '.join(dimensions)}"
            yield Problem(f"the rubric gives no score called “{one_line(name, 60)}”.", "compare.dimensions", hint)


def begun(prepared: Prepared, target: Target, judged_by: str = "") -> RunInfo:
    """What is known about the run before its first query. `judged_by`: who is asked, empty when nobody is."""
    settings, queries, rubric = prepared.job.settings, prepared.queries, prepared.rubric.rubric
    return RunInfo(
        id="",
        started_at="",
        status=RunStatus.RUNNING,
        queries=queries.name,
        planned=len(queries.queries) * settings.repeats,
        done=0,
        set_version=queries.version,
        set_sha256=queries.sha256,
        corpus=target.corpus_sha256,
        rubric=f"{settings.rubric.removesuffix('.rubric')}@{rubric.version or 'no-version'}",
        rubric_sha256=rubric.sha256,
        graded_by=judged_by or "measured",
        settings=_scored_by(prepared, target),
        filtered=settings.filtered,
        query_count=len(queries.queries),
    )


def _scored_by(prepared: Prepared, target: Target) -> dict[str, Scalar]:
    """The settings that can change a score, and what the target says it really is."""
    declared = prepared.job.settings.scoring()
    return declared | {f"target.{name}": value for name, value in target.identity.items() if name != "sqlite"}


def read_rubric(name: str, workspace: Workspace) -> RubricText:
    """The rubric called `name`, from the workspace or the packaged ones.

    A rubric that was read before comes from the cache, which spares the parser (a quarter of a second).

    Raises:
        UsageError: with every mistake in it, each with its place and what to do.
    """
    path = workspace.find_rubric(name)
    text = text_of(path, shown(workspace, path))
    libraries: dict[str, str] = {}

    def read(file: Path, wanted: str) -> str:
        libraries[wanted] = text_of(file, shown(workspace, file))
        return libraries[wanted]

    library = RubricFiles(workspace.rubric_folders, read)
    name_in_cache = sha256(f"{language.LANGUAGE}\n{text}".encode()).hexdigest()
    cache = workspace.cache / "rubrics" / f"{name_in_cache}.json"
    rubric = _cached(cache, library)
    if rubric is None:
        reading = language.read(text, shown(workspace, path), library)
        if reading.rubric is None or reading.errors:
            raise UsageError(*(Problem(language.render(problem)) for problem in reading.errors))
        uses = {name: sha256(used.encode()).hexdigest() for name, used in libraries.items()}
        parsed = language.to_json(reading.rubric)
        content = strict_json.canonical({"uses": uses, "rubric": parsed, "sha256": strict_json.sha256(parsed)})
        return RubricText(reading.rubric, language.compile(reading.rubric), text, libraries, (cache, content))
    return RubricText(rubric, language.compile(rubric), text, libraries)


def _cached(cache: Path, library: language.TextOf) -> language.Rubric | None:
    """The rubric as it was read last time, unless a file that it uses has changed since."""
    try:
        content = strict_json.loads(cache.read_bytes(), str(cache))
    except (OSError, UsageError):
        return None
    match content:
        case {"uses": dict(uses), "rubric": rubric, "sha256": str(digest)} if strict_json.sha256(rubric) == digest:
            for name, then in uses.items():
                used = library(name)
                if used is None or sha256(used.encode()).hexdigest() != then:
                    return None
            try:
                return language.from_json(rubric)
            except ValueError:  # damaged, or from another version: the text is read again
                return None
    return None
