"""S1: the places and words by which a config file or an override could try to run code; none is run, none imported."""

import importlib
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from engine.errors import AssayError, UsageError
from engine.plan.compose import Job, Typed, compose_all, run_many, run_one
from engine.store.workspace import Workspace
from tests.workspaces import workspace

GLOBAL = "# @package _global_\n"
EVIL = "{_target_: evil_module.call}"
MODULE = """\
from pathlib import Path
Path(__file__).with_name("IMPORTED").touch()
def call(*args, **named):
    Path(__file__).with_name("CALLED").touch()
"""

# What a workspace may hold under conf/, each of these alone, and must refuse.
FILES: dict[str, tuple[str, str]] = {
    "config": ("config.yaml", f"hydra: {{callbacks: {{x: {EVIL}}}}}\n"),
    "config-defaults": ("config.yaml", "defaults: [base, _self_, {override hydra/launcher: x}]\n"),
    "base": ("base.yaml", f"hydra: {{callbacks: {{x: {EVIL}}}}}\n"),
    "hydras-own": ("_hydra.yaml", f"hydra: {{callbacks: {{x: {EVIL}}}}}\n"),
    "dotted-key": ("experiment/evil.yaml", f"{GLOBAL}hydra.callbacks.x: {EVIL}\n"),
    "escaped-key": ("experiment/evil.yaml", f'{GLOBAL}"\\x68ydra": {{callbacks: {{x: {EVIL}}}}}\n'),
    "escaped-defaults": ("experiment/evil.yaml", f'{GLOBAL}defaults: ["override /\\x68ydra/launcher: x"]\n'),
    "tab-header": ("experiment/evil.yaml", f"#@package\thydra.callbacks\nx: {EVIL}\n"),
    "late-header": ("experiment/evil.yaml", f"# a remark\n# @package hydra.callbacks\nx: {EVIL}\n"),
    "parents-header": ("experiment/evil.yaml", f"# @package ..hydra.callbacks\nx: {EVIL}\n"),
    "group-header": ("experiment/evil.yaml", f"# @package _group_\nx: {EVIL}\n"),
    "no-header": ("experiment/evil.yaml", f"x: {EVIL}\n"),
    "judge": ("judge/none.yaml", "_target_: evil_module.call\n"),
    "target": ("target/python_docs.yaml", "kind: python_docs\n_target_: evil_module.call\n"),
    "class-key": ("target/python_docs.yaml", "kind: python_docs\n_class_: evil_module.call\n"),
    "kind": ("target/python_docs.yaml", "kind: evil_module.call\n"),
    "interpolated-target": ("experiment/evil.yaml", f"{GLOBAL}target: {{x: {{'_target_': '${{rubric}}'}}}}\n"),
    "list": ("experiment/evil.yaml", f"{GLOBAL}cases: [{EVIL}]\n"),
    "package-twice": ("experiment/evil.yaml", f"{GLOBAL}# @package hydra.callbacks\nx: {EVIL}\n"),
    "package-below-global": ("experiment/evil.yaml", f"# @package _global_.hydra\ncallbacks: {{x: {EVIL}}}\n"),
    "package-below-global-2": ("experiment/evil.yaml", f"# @package _global_.hydra.callbacks\nx: {EVIL}\n"),
}
# Found by these tests, and still open: a package header that `conf_files` does not see reaches Hydra's callbacks.
OVERRIDES = (
    "target._target_=evil_module.call",
    "+target._target_=evil_module.call",
    "judge._target_=evil_module.call",
    f"target={EVIL}",
    f"experiment.name={EVIL}",
    f"where={{a: [{EVIL}]}}",
    f"cases=[{EVIL}]",
    "+hydra.callbacks.x._target_=evil_module.call",
    f"++hydra.callbacks={{x: {EVIL}}}",
    "hydra.launcher._target_=evil_module.call",
    "hydra/launcher=x",
    "+hydra/callbacks=x",
    "+experiment@hydra.callbacks=none",
    "experiment@_global_.hydra=none",
    "rubric=${oc.env:CANARY}",
    "rubric=${oc.create:x}",
    "rubric=${evil_module.call:1}",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace beside a module that leaves a file when it is imported, and another when it is called."""
    (tmp_path / "evil_module.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "evil_module", raising=False)  # from an earlier test, which would hide an import
    monkeypatch.setenv("CANARY", "canary-value-1234567")
    return workspace(tmp_path / "home")


def _left(folder: Path) -> set[str]:
    return {path.name for path in folder.parent.iterdir()} & {"IMPORTED", "CALLED"}


def _job(job: Job) -> Job:
    return job


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_would_run_code_is_refused(folder: Path, name: str) -> None:
    """S1: with no import and no call."""
    place, text = FILES[name]
    workspace(folder, {f"conf/{place}": text})
    overrides = ("experiment=evil",) if place.startswith("experiment/") else ()

    try:
        with pytest.raises(UsageError):
            run_one(Typed(Workspace(folder), overrides), _job)
    finally:
        left = _left(folder)
    assert left == set()


@pytest.mark.parametrize("override", OVERRIDES)
def test_an_override_that_would_run_code_is_refused(folder: Path, override: str) -> None:
    """S1, S2: with no import and no call, and without the value of a variable."""
    with pytest.raises(UsageError) as caught:
        run_one(Typed(Workspace(folder), (override,)), _job)

    assert _left(folder) == set()
    assert "canary-value" not in str(caught.value)


@pytest.mark.parametrize("group", ["callbacks", "env", "output", "job_logging", "hydra_logging", "help"])
def test_a_group_of_hydras_own_name_changes_nothing(folder: Path, group: str) -> None:
    """S1: a file where Hydra has one of its own is not taken for it."""
    workspace(folder, {f"conf/hydra/{group}/{name}.yaml": "_target_: evil_module.call\n" for name in ("default", "x")})

    for typed in (Typed(Workspace(folder), ()), Typed(Workspace(folder), ("repeats=1,2",))):
        with suppress(UsageError):  # refusing is as good
            compose_all(typed)
        assert _left(folder) == set()


@pytest.mark.parametrize("group", ["launcher", "sweeper"])
def test_another_launcher_is_refused_in_our_words(folder: Path, tmp_path: Path, group: str) -> None:
    """S1: conf/hydra/launcher/basic.yaml stands where Hydra looks for its own."""
    workspace(folder, {f"conf/hydra/{group}/basic.yaml": "_target_: evil_module.call\n"})
    swept = tmp_path / "swept"
    swept.mkdir()

    with pytest.raises(AssayError):
        run_many(Typed(Workspace(folder), ("repeats=1,2",)), swept, _job)
    assert _left(folder) == set()


def test_the_trap_works(folder: Path) -> None:
    """The module would be noticed."""
    importlib.import_module("evil_module").call()

    assert _left(folder) == {"IMPORTED", "CALLED"}
