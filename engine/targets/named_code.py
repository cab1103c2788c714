"""Python code that a setting names as `module:name`: found, imported and checked before anything is asked."""

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from engine.errors import Problem, UsageError
from engine.model.target import Surroundings
from engine.targets.foreign_code import ForeignError, foreign
from engine.text import nearest, one_line

__all__ = ["CodeName", "allowed", "code_sha256", "named_code"]

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def _checked(value: str) -> str:
    if _NAME.fullmatch(value) and ".py:" not in value:
        return value
    module, _, name = value.partition(":")
    if module.endswith(".py"):
        module = module.removesuffix(".py").strip("./").replace("/", ".")
    elif not name:
        module, _, name = module.rpartition(".")
    meant = f"{module or name}:{name if module else 'answer'}" if name else f"{module}:answer"
    raise ValueError(f"is written as module:name, such as {meant if _NAME.fullmatch(meant) else 'my_app:answer'}")


CodeName = Annotated[str, Field(max_length=300), AfterValidator(_checked)]
"""`module:name`, with dots in both. Nothing is imported when a setting is read."""


def allowed(surroundings: Surroundings, setting: str) -> None:
    """Refuse to run what settings name, unless the person said that it may run. Raises UsageError."""
    if not surroundings.allow_code:
        message = "this starts code that a setting names, and code runs only when you allow it"
        raise UsageError(Problem(message, setting, "look at the code; if you trust it, add --allow-code"))


@contextmanager
def named_code(named: str, setting: str, surroundings: Surroundings) -> Iterator[object]:
    """What `module:name` names. The workspace is the first place to look, as it is for `python` started there.

    At the end the path is put back, and the modules that were loaded from the workspace are forgotten: another
    run, or another workspace in the same process, gets its own.

    Raises:
        UsageError: code is not allowed, or there is no such module or name, or importing it fails.
    """
    allowed(surroundings, setting)
    module, _, name = named.partition(":")
    folder = surroundings.workspace.resolve()
    path, before = [*sys.path], {_top(each) for each in sys.modules}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        _refuse_taken(_top(module), folder, setting)
        yield _member(_imported(module, folder, setting), name, module, setting)
    finally:
        sys.path[:] = path
        _forget(folder, before)


def code_sha256(named: str) -> str | None:
    """The hash of the file that holds it, None when there is none. The module is loaded."""
    file = getattr(sys.modules.get(named.partition(":")[0]), "__file__", None)
    try:
        return None if file is None else sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return None


def _refuse_taken(top: str, folder: Path, setting: str) -> None:
    """A file of the workspace that is called like a module in use would never be looked at."""
    there = sys.modules.get(top)
    own = [path for path in (folder / f"{top}.py", folder / top / "__init__.py") if path.exists()]
    if there is not None and own and not _is_of(there, top, folder):
        message = f"{top} in the workspace has the name of another module that is loaded already"
        raise UsageError(Problem(message, setting, "give the file another name"))


def _imported(module: str, folder: Path, setting: str) -> object:
    top, writes = _top(module), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # within a second, Python would take an edited file for the one before
    try:
        with foreign(folder):
            return importlib.import_module(module)
    except ForeignError as error:
        if find_spec(top) is not None:
            raise UsageError(Problem(f"importing {module} failed: {error}", setting)) from None
    finally:
        sys.dont_write_bytecode = writes
    here = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    near = nearest(top, here)
    hint = f"did you mean {near}?" if near else "put its file into the workspace, or install its package"
    raise UsageError(Problem(f"there is no module {module}", setting, hint))


def _member(found: object, name: str, module: str, setting: str) -> object:
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            near = nearest(part, (each for each in dir(found) if not each.startswith("_")))
            hint = f"did you mean {near}?" if near else ""
            raise UsageError(Problem(f"{module} has no {one_line(name, 100)}", setting, hint)) from None
    return found


def _forget(folder: Path, before: set[str]) -> None:
    """Drop the modules that came from the workspace, but none that was there before."""
    own = {top for top in {_top(name) for name in sys.modules} - before if _is_of(sys.modules.get(top), top, folder)}
    for name in [name for name in sys.modules if _top(name) in own]:
        del sys.modules[name]


def _is_of(module: object, top: str, folder: Path) -> bool:
    """Whether a module at the top is a file or a folder directly in the workspace: a `.venv` in it is not."""
    file = getattr(module, "__file__", None)
    places = [Path(file)] if isinstance(file, str) else [Path(each) for each in getattr(module, "__path__", ())]
    return any(path.parent == folder or folder / top in (path, path.parent) for path in places)


def _top(module: str) -> str:
    return module.partition(".")[0]
