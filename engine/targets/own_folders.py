"""The folders that the engine writes in a workspace: never documents, even when they lie among them."""

from collections.abc import Callable
from pathlib import Path

from engine.store.runs import is_run_id
from engine.store.workspace import Workspace

__all__ = ["own_folders"]


def own_folders(workspace: Path) -> Callable[[Path], bool]:
    """Whether a folder (resolved) is one of those: of this workspace, or of one that began further down.

    A command that was started one folder too deep makes `runs/` among the documents. Somebody's own
    documents may lie in a folder of that name, so of another workspace only the folders of single
    runs, whose names are unmistakable, and the cache count.
    """
    here = Workspace(workspace)
    own = {path.resolve() for path in (here.runs, here.cache, here.baselines)}
    return lambda folder: folder in own or folder.name == here.cache.name or is_run_id(folder.name)
