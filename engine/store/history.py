"""Every run in a folder, whichever tool wrote it: list, find one, read its queries."""

from pathlib import Path

from engine.errors import UsageError
from engine.model.run import RunInfo
from engine.store import earlier, index, runs
from engine.store.records import Folded, fold
from engine.store.runs import RunFolder

__all__ = ["find", "results"]


def find(folder: Path, wanted: str, keep: bool = True) -> RunInfo:
    """The run with this id, or the only one whose id begins so.

    Args:
        folder: the folder of runs.
        wanted: an id or the beginning of one.
        keep: whether the folder's index may be used and written.

    Raises:
        UsageError: there is none, or several; or it cannot be read.
    """
    own = runs.run_names(folder)
    if wanted in own:
        return runs.info(RunFolder(folder / wanted))
    listed, problems = index.list_runs(folder, keep)
    try:
        chosen = runs.choose(wanted, dict.fromkeys(run.id for run in listed), str(folder))
    except UsageError as error:
        raise UsageError(*error.problems, *(p for p in problems if wanted and wanted in p.place)) from None
    return next(run for run in listed if run.id == chosen)


def results(run: RunInfo) -> Folded:
    """Every query of a run with its scores and hits."""
    path = Path(run.folder)
    if path.suffix == index.EARLIER:
        return earlier.fold(path)
    journal = RunFolder(path).journal
    return fold(journal, run.planned or run.done) if journal.exists() else Folded((), {}, ())
