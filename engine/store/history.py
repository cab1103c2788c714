"""Every run in a folder, whichever tool wrote it: list, find one, read its queries."""

from collections.abc import Callable
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.run import RunInfo
from engine.store import earlier, index, runs
from engine.store.records import Folded, fold
from engine.store.runs import RunFolder

__all__ = ["find", "recent_hash", "results"]

_RECENT = 50  # runs looked at for an edited query set: a look costs a small file each


def find(folder: Path, wanted: str) -> RunInfo:
    """The run with this id, or the only one whose id begins so. Reads no other run.

    Raises:
        UsageError: there is none, or several; or it cannot be read.
    """
    places: dict[str, list[Path]] = {}
    for path in index.run_paths(folder):
        places.setdefault(path.name.removesuffix(index.EARLIER), []).append(path)
    found = places[runs.choose(wanted, sorted(places, reverse=True), str(folder))]
    if len(found) > 1:
        where = ", ".join(str(path.parent) for path in found)
        raise UsageError(Problem(f"{found[0].stem} is in {where}", help="say which folder with --folder"))
    return runs.settled(index.look(found[0]))


def recent_hash(folder: Path) -> Callable[[str, str], str | None]:
    """Asks what content a query set (name, version) had when it was last run; None when it was not lately."""
    found: dict[tuple[str, str], str] = {}
    for name in runs.run_names(folder)[:_RECENT]:
        try:
            known = RunFolder(folder / name).content().get("info")
        except UsageError:
            continue
        match known:
            case {"queries": str(queries), "set_version": str(version), "set_sha256": str(sha256)}:
                found.setdefault((queries, version), sha256)
    return lambda queries, version: found.get((queries, version))


def results(run: RunInfo) -> Folded:
    """Every query of a run with its scores and hits."""
    path = Path(run.folder)
    if path.suffix == index.EARLIER:
        return earlier.fold(path)
    journal = RunFolder(path).journal
    return fold(journal, run.planned or run.done) if journal.exists() else Folded((), {}, ())
