"""Where a setting was written: the command line, or file:line:column."""

import re
from dataclasses import dataclass

from engine.errors import UsageError
from engine.plan.conf_files import conf_file, groups, shown
from engine.store import strict_yaml
from engine.store.workspace import Workspace

__all__ = ["Places"]

_HEADER = re.compile(r"^#\s*@package\s+_global_\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Places:
    """Looks a key up in everything that was composed, last writer first.

    Attributes:
        typed: this job's overrides.
        files: (name below conf/ without ending, package) of each composed file, in order.
    """

    workspace: Workspace
    typed: tuple[str, ...]
    files: tuple[tuple[str, str], ...]

    def at(self, path: tuple[str | int, ...]) -> str:
        """`conf/experiment/mine.yaml:12:5`, or "command line", or "" when it was written nowhere."""
        name = ".".join(map(str, path))
        choices = groups(self.workspace)
        for text in self.typed:
            key = text.partition("=")[0]
            if key == name or (name.startswith(f"{key}.") and key not in choices):
                return f"command line: {text}"
        for text in self.typed:
            if path and text.startswith(f"{name}."):  # a part was typed that does not fit the rest
                return f"command line: {text}"
        for config, package in reversed(self.files):
            found = self._in(config, package, path)
            if found:
                return found
        if path and path[0] in choices:  # written nowhere: the file of the group is where it should stand
            for config, package in reversed(self.files):
                file = conf_file(self.workspace, config)
                if package == path[0] and file is not None:
                    return shown(self.workspace, file)
        return ""

    def _in(self, config: str, package: str, path: tuple[str | int, ...]) -> str:
        file = conf_file(self.workspace, config)
        inside = tuple(package.split(".")) if package and package != "_global_" else ()
        if file is None or path[: len(inside)] != inside:
            return ""
        try:
            text = file.read_text("utf-8-sig")
            loaded = strict_yaml.load(text, shown(self.workspace, file))
        except (UsageError, OSError, UnicodeDecodeError):
            return ""
        rest = path[len(inside) :]
        if not rest or not _holds(loaded.value, rest):
            return ""
        line, column = loaded.key_at(rest)
        place = f"{shown(self.workspace, file)}:{line}:{column}"
        if config.startswith("experiment/") and not _HEADER.search(text):
            return f"{place} (is `# @package _global_` missing from the first line?)"
        return place


def _holds(value: object, path: tuple[str | int, ...]) -> bool:
    """Whether the file itself says something under this path; an index into a list may be left off."""
    for part in path:
        in_list = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if in_list or (isinstance(value, dict) and part in value):
            value = value[part]  # type: ignore[index] # just seen to hold it
        else:
            return False
    return True
