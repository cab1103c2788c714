"""Which recorded run is to be replayed, from its id or the beginning of it."""

from pathlib import Path

from engine.store import strict_yaml
from engine.store.runs import RunFolder, choose, run_names
from engine.store.workspace import checked_name

__all__ = ["replayed_run"]


def replayed_run(runs: Path, wanted: str) -> str:
    """The id of the run with answers that is meant.

    Raises:
        UsageError: there is none, or several; the message names some.
    """
    checked_name(wanted, "run")
    if (runs / wanted / "results.jsonl").exists():
        return wanted
    names = run_names(runs)
    if sum(name.startswith(wanted) for name in names) > 1:
        # A run that was begun with this very word replays an earlier one, so it is not what is meant.
        # Without this, no such run could go on: its own id begins like that of the run it replays.
        names = [name for name in names if not name.startswith(wanted) or _replays(RunFolder(runs / name)) != wanted]
    return choose(wanted, names, str(runs))


def _replays(run: RunFolder) -> object:
    """What its settings name as the run to replay."""
    settings = strict_yaml.load(run.config(), str(run.path / "config.yaml")).value
    target = settings.get("target") if isinstance(settings, dict) else None
    return target.get("run") if isinstance(target, dict) else None
