"""The one door into Hydra: overrides in, checked jobs out, one or many.

Hydra is entered through its own search path, composition, sweeper and launcher. What it may not do
here is run code from YAML, write folders or decide what a person reads when something is wrong.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from hydra import version as hydra_version
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra._internal.hydra import Hydra
from hydra._internal.utils import create_config_search_path
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import ConfigCompositionException, HydraException, MissingConfigException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from pydantic import ValidationError

from engine.errors import AssayError, Problem, UsageError
from engine.plan.complaints import complaints
from engine.plan.conf_defaults import overridden
from engine.plan.conf_files import check_conf_files, conf_file, groups, shown
from engine.plan.overrides import COMMAND_LINE, Override, quoted, read_overrides
from engine.plan.places import Places
from engine.plan.secrets import looks_secret, secret_problem
from engine.plan.settings import Settings, read_settings, settings_type
from engine.providers.secret_shapes import named_secret
from engine.store import strict_yaml
from engine.store.workspace import Workspace
from engine.text import one_line

__all__ = ["Job", "Typed", "compose_all", "compose_one", "run_many", "run_one"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person asked for: where, and with which overrides."""

    workspace: Workspace
    overrides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One composed, checked configuration.

    `config` is the resolved YAML that goes into the run folder; `overrides` are the typed ones of
    this job (a sweep has one value each).
    """

    settings: Settings
    overrides: tuple[str, ...]
    config: str


def compose_one(workspace: Workspace, overrides: Sequence[str]) -> Settings:
    """The settings of a single job, for commands that run nothing."""
    return run_one(Typed(workspace, tuple(overrides)), lambda job: job.settings)


def run_one(typed: Typed, task: Callable[[Job], T]) -> T:
    """Compose one job through `hydra.run` and hand it to `task`. Composes once."""
    with _entered(typed) as door:
        for override, parsed in zip(door.overrides, door.parsed, strict=True):
            if parsed.is_sweep_override():
                raise UsageError(_several_values(override))
        made: list[T | AssayError | OSError] = []

        def one(cfg: DictConfig) -> None:
            made.append(_outcome(lambda: task(door.job(cfg, [o.typed for o in door.overrides]))))

        door.run(config_name="config", task_function=one, overrides=door.arguments, with_log_configuration=False)
    return _result(made[0])


def compose_all(typed: Typed) -> tuple[Job, ...]:
    """Every job of a sweep, composed and checked, or every problem of every job at once."""
    with _entered(typed) as door:
        jobs: list[Job] = []
        problems: list[Problem] = []
        for arguments in door.jobs():
            try:
                cfg = door.compose_config(config_name="config", overrides=arguments, run_mode=RunMode.RUN)
                jobs.append(door.job(cfg, _typed(arguments)))
            except UsageError as error:
                problems += error.problems
        if problems:
            raise UsageError(*dict.fromkeys(problems))
        return tuple(jobs)


def run_many(typed: Typed, sweep_folder: Path, task: Callable[[Job], T]) -> tuple[T, ...]:
    """Run a sweep through Hydra's sweeper and launcher; `task` returns a value and does not raise."""
    outcomes: list[T | AssayError | OSError] = []
    with _entered(typed) as door:
        door.sweep_folder = sweep_folder
        jobs = door.jobs()

        def one(cfg: DictConfig) -> None:
            overrides = jobs[len(outcomes)]
            for file in sweep_folder.glob("multirun.yaml"):  # Hydra's own note, open to others
                file.chmod(0o600)
            outcomes.append(_outcome(lambda: task(door.job(cfg, _typed(overrides)))))

        door.multirun(config_name="config", task_function=one, overrides=door.arguments, with_log_configuration=False)
    return tuple(map(_result, outcomes))


class _Door(Hydra):
    """Hydra with our search path, our overrides and a check before anything of a config is used."""

    typed: Typed
    overrides: tuple[Override, ...]
    sweep_folder: Path | None = None

    def prepare(self, typed: Typed) -> None:
        """Read the overrides with the choices that the conf folders offer."""
        self.typed = typed
        choices = groups(typed.workspace)
        self.overrides = read_overrides(typed.overrides, choices, os.environ)
        check_conf_files(typed.workspace, _chosen(self.overrides, choices))
        parser = OverridesParser.create(config_loader=self.config_loader)
        self.arguments, self.parsed = [], []
        for override in self.overrides:
            text = override.hydra(override.value)
            try:
                (parsed,) = parser.parse_overrides([text])
            except (HydraException, ValueError):
                text = override.hydra(quoted(override.value))
                (parsed,) = parser.parse_overrides([text])
            if override.key == "queries" and isinstance(parsed.value(), int | float | None):  # a set called 2025
                text = override.hydra(quoted(override.value))
                (parsed,) = parser.parse_overrides([text])
            self.arguments.append(text)
            self.parsed.append(parsed)

    def jobs(self) -> list[list[str]]:
        """The arguments of every job of the sweep, in the order Hydra's sweeper makes them."""
        for override, parsed in zip(self.overrides, self.parsed, strict=True):
            if parsed.is_sweep_override() and not parsed.is_discrete_sweep():
                problem = f"{override.typed}: a range without steps cannot be tried one by one"
                raise UsageError(Problem(one_line(problem), COMMAND_LINE, "list the values: a,b,c"))
        return [job for batch in BasicSweeper.split_arguments(self.parsed, None) for job in batch]

    def compose_config(self, *args: object, **named: object) -> DictConfig:
        """Compose, then refuse what could run code, before Hydra uses any of it."""
        try:
            cfg = super().compose_config(*args, **named)  # type: ignore[arg-type]
        except MissingConfigException as error:
            raise UsageError(_missing(error)) from error
        except (ConfigCompositionException, HydraException, OmegaConfBaseException, ValueError) as error:
            raise UsageError(_not_composed(str(error))) from error
        except RecursionError:
            problem = "the `defaults` lists in conf/ lead back to where they came from"
            raise UsageError(Problem(problem, "conf/", "remove one of the entries")) from None
        _refuse_hydra(cfg)
        if named.get("run_mode") is RunMode.RUN:  # the jobs of a sweep were composed one by one before
            self._refuse_ignored(cfg)
        if self.sweep_folder is not None:
            with open_dict(cfg):
                cfg.hydra.sweep.dir = str(self.sweep_folder).replace("${", "\\${")
        return cfg

    def job(self, cfg: DictConfig, typed: Sequence[str]) -> Job:
        """Resolve and check one composed configuration."""
        bare = {key: value for key, value in OmegaConf.to_container(cfg, resolve=False).items() if key != "hydra"}  # type: ignore[union-attr]
        places = partial(self._places, typed)
        _refuse_code(bare, places)
        own = OmegaConf.create(bare)
        try:
            container = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
            settings = read_settings(container)
        except ValidationError as error:
            raise UsageError(*complaints(error, places().at, settings_type(container))) from error
        except MissingMandatoryValue as error:
            key = str(getattr(error, "full_key", "") or "")
            place = places().at(tuple(key.split(".")))
            raise UsageError(Problem(f"'{key}' has no value yet.", place, f"give it one: {key}=…")) from error
        except OmegaConfBaseException as error:
            key = str(getattr(error, "full_key", "") or "")
            what = one_line(str(error).splitlines()[0], 200)
            raise UsageError(Problem(f"'{key}': {what}.", places().at(tuple(key.split("."))))) from error
        return Job(settings, tuple(typed), OmegaConf.to_yaml(OmegaConf.create(settings.model_dump(mode="json"))))

    def _refuse_ignored(self, cfg: DictConfig) -> None:
        """A choice that an experiment makes and Hydra passes over must not look as if it had been tried."""
        choices = cfg.hydra.runtime.choices
        name = f"experiment/{choices.get('experiment')}"
        file = conf_file(self.typed.workspace, name)
        if file is None:
            return
        place = shown(self.typed.workspace, file)
        task = OmegaConf.to_container(cfg.hydra.overrides.task, resolve=False)
        typed = {str(text).partition("=")[0] for text in task or ()}
        for group, choice in overridden(strict_yaml.load(file.read_text("utf-8"), place).value).items():
            if choices.get(group) != choice and group not in typed:
                other = choices.get(group)
                message = f"`override /{group}: {choice}` has no effect: another file decides that {group} is {other}"
                advice = f"in conf/config.yaml write `- {group}: {other}` without the word override"
                raise UsageError(Problem(message, place, advice))

    def _places(self, typed: Sequence[str]) -> Places:
        """Where each value came from. Only asked once something is wrong."""
        chosen = {override.key for override in self.overrides if override.group}
        choices = [text for text in typed if text.partition("=")[0] in chosen]  # of this job: a sweep has others too
        files = self.config_loader.compute_defaults_list("config", choices, RunMode.RUN)
        return Places(
            self.typed.workspace,
            tuple(typed),
            tuple(
                (d.config_path, d.package or "")
                for d in files.defaults
                if d.config_path and "hydra" not in d.config_path.split("/")
            ),
        )


@contextmanager
def _entered(typed: Typed) -> Iterator[_Door]:
    """Hydra, ready to compose from the workspace's conf/ over the packaged one."""
    *above, main = typed.workspace.conf_folders
    GlobalHydra.instance().clear()
    hydra_version.setbase("1.3")
    search_path = create_config_search_path(str(main))
    for folder in reversed(above):
        search_path.prepend(provider="workspace", path=f"file://{folder}")
    door = _Door.create_main_hydra2("assay", search_path)
    assert isinstance(door, _Door)
    try:
        door.prepare(typed)
        yield door
    finally:
        GlobalHydra.instance().clear()


def _outcome(task: Callable[[], T]) -> T | AssayError | OSError:
    """What the task returns or raises, as a value: Hydra would print its own words about an exception."""
    try:
        return task()
    except (AssayError, OSError) as error:
        return error


def _result(outcome: T | AssayError | OSError) -> T:
    if isinstance(outcome, AssayError | OSError):
        raise outcome
    return outcome


def _typed(arguments: Sequence[str]) -> list[str]:
    return [argument.lstrip("+") for argument in arguments]


def _several_values(override: Override) -> Problem:
    return Problem(
        f"{one_line(override.typed, 80)} gives several values to one run.",
        COMMAND_LINE,
        f"add -m to make a run of each, or write {override.key}=[{one_line(override.value, 60)}] for one run over all"
        if override.key == "queries"
        else "add -m to make a run of each",
    )


def _chosen(overrides: Sequence[Override], choices: Mapping[str, Sequence[str]]) -> list[str]:
    """The files that overrides of groups name; a pattern may mean any of them."""
    found = []
    for override in overrides:
        if override.group:
            names = choices[override.key] if "(" in override.value else override.value.split(",")
            found += [f"{override.key}/{name.strip()}" for name in names]
    return found


def _missing(error: MissingConfigException) -> Problem:
    problem = _not_composed(str(error))
    choices = ", ".join(sorted(error.options or ()))
    return Problem(problem.message, problem.place, f"choices: {choices}" if choices else "see the files in conf/")


def _not_composed(message: str) -> Problem:
    """Hydra's words, with the file that they are about as the place."""
    first = one_line(next((line for line in message.splitlines() if line.strip()), "conf/ cannot be composed"), 300)
    found = re.match(r"In '([^']+)':\s*(.*)", first)
    if found:
        return Problem(f"{found[2].rstrip('.')}.", f"conf/{found[1]}.yaml", "see docs/experiments.md")
    return Problem(f"{first.rstrip('.')}.", "conf/", "see docs/experiments.md")


def _refuse_hydra(cfg: DictConfig) -> None:
    """Hydra's own part must be as it comes: it starts launchers, sweepers and callbacks by name."""
    own = cfg.hydra
    touched = [name for name in ("callbacks", "job.env_set", "job.env_copy") if OmegaConf.select(own, name)]
    touched += [name for name, target in _OWN_TARGETS.items() if OmegaConf.select(own, f"{name}._target_") != target]
    if touched:
        raise UsageError(_code(f"something in conf/ changes hydra.{touched[0]}", ""))


_OWN_TARGETS = {
    "launcher": "hydra._internal.core_plugins.basic_launcher.BasicLauncher",
    "sweeper": "hydra._internal.core_plugins.basic_sweeper.BasicSweeper",
}


def _refuse_code(value: object, places: Callable[[], Places], path: tuple[str | int, ...] = ()) -> None:
    """No Python names, no environment reads, no pasted keys anywhere in the settings."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str) and key.startswith("_") and key.endswith("_") and len(key) > 2:
                raise UsageError(
                    _code(f"'{one_line('.'.join(map(str, (*path, key))), 80)}' names code", places().at((*path, key)))
                )
            _refuse_code(item, places, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_code(item, places, (*path, index))
    elif isinstance(value, str):
        name = ".".join(map(str, path))
        if looks_secret(value, os.environ) or named_secret(path, value):
            shown, equals, _ = places().at(path).partition("=")  # what was typed holds it
            raise UsageError(secret_problem(f"'{name}'", f"{shown}=…" if equals else shown))
        if "${" in value and ":" in value.partition("${")[2].partition("}")[0]:
            raise UsageError(_code(f"'{name}' calls a function with ${{…:…}}", places().at(path)))


def _code(what: str, place: str) -> Problem:
    return Problem(f"{what}; configuration declares values and never runs anything.", place, "write the value itself")
