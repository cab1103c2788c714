"""Systems under test. The union is the registry: a new kind is one file and one entry here."""

from typing import Annotated

from pydantic import Field

from engine.targets.replay import Replay
from engine.targets.search_fts import Folder, PythonDocs

__all__ = ["KINDS", "AnyTarget", "Folder", "PythonDocs", "Replay"]

AnyTarget = Annotated[PythonDocs | Folder | Replay, Field(discriminator="kind")]

KINDS: tuple[str, ...] = ("python_docs", "folder", "replay")
