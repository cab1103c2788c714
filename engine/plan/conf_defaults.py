"""The `defaults:` list of a file in conf/: what it may say, and which files it brings into play."""

from collections.abc import Iterator

from engine.errors import Problem
from engine.store.strict_yaml import Loaded
from engine.text import one_line

__all__ = ["at", "check_defaults", "named", "overridden"]


def named(value: object, name: str) -> list[str]:
    """The files that a file's defaults name: `target/folder`. `name` is its own, `experiment/mine`."""
    found = []
    for key, choice in _entries(value):
        if key == "":
            found.append(_beside(name, choice))
        elif choice != "null":
            found.append(f"{_group(key)}/{choice}")
    return found


def overridden(value: object) -> dict[str, str]:
    """The choices that a file makes for others: `override /target: folder` → `{"target": "folder"}`."""
    return {_group(key): choice for key, choice in _entries(value) if key.startswith("override ")}


def check_defaults(loaded: Loaded, place: str, name: str) -> Iterator[Problem]:
    """What Hydra would answer with a traceback, or take in silence and then ignore."""
    value = loaded.value
    entries = value.get("defaults") if isinstance(value, dict) else None
    if entries is None:
        return
    if not isinstance(entries, list):
        yield Problem("`defaults` is a list.", at(loaded, place, ("defaults",)), "write one `- name` a line under it")
        return
    for index, entry in enumerate(entries):
        problem = _wrong(entry, name)
        if problem:
            yield Problem(
                problem, at(loaded, place, ("defaults", index)), _ADVICE["experiment" if "/" in name else "other"]
            )
    if name == "config":
        yield from _order(entries, loaded, place)


_ADVICE = {
    "experiment": "it can say: - override /target: NAME",
    "other": "an entry is the name of a file beside this one, `GROUP: NAME`, or `_self_`",
}


def _wrong(entry: object, name: str) -> str:
    """Why an entry cannot stand there, or nothing."""
    if isinstance(entry, dict):
        if len(entry) != 1:
            return "an entry of `defaults` says one thing."
        ((key, choice),) = entry.items()
        if not isinstance(choice, str | None) or "@" in key or "hydra" in key:
            return f"`{one_line(str(key), 40)}` cannot be chosen here."
        if name.startswith("experiment/") and not key.startswith("override "):
            return f"`{one_line(str(key), 40)}` is chosen already; an experiment changes the choice."
        return ""
    if not isinstance(entry, str):
        return "an entry of `defaults` is a name."
    if entry == "_self_" or (entry == "_hydra" and name == "base"):
        return ""
    if "hydra" in entry or ".." in entry or "@" in entry:
        return f"`{one_line(entry, 60)}` cannot be included."
    if _beside(name, entry) == name:
        return "a file cannot include itself."
    if name.startswith("experiment/"):
        return f"an experiment cannot include `{one_line(entry, 40)}`."
    return ""


def _order(entries: list[object], loaded: Loaded, place: str) -> Iterator[Problem]:
    """In config.yaml the later wins: base, then its own settings, then the experiment."""
    stands = {_word(entry): index for index, entry in enumerate(entries)}
    own = stands.get("_self_")
    if own is not None and stands.get("base", -1) > own:
        yield Problem(
            "`_self_` stands before `base`, whose values would win.",
            at(loaded, place, ("defaults", own)),
            "put it after base",
        )
    if own is not None and stands.get("experiment", len(entries)) < own:
        message = "`experiment` stands before `_self_`, whose values would win over every experiment."
        where = at(loaded, place, ("defaults", stands["experiment"]))
        yield Problem(message, where, "put it after _self_")


def _entries(value: object) -> Iterator[tuple[str, str]]:
    """(key, choice) of each entry; a bare name has no key. What is not an entry is passed over."""
    entries = value.get("defaults") if isinstance(value, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case "_self_":
                pass
            case str(name):
                yield "", name
            case dict() if len(entry) == 1:
                ((key, choice),) = entry.items()
                if isinstance(choice, str):
                    yield str(key), choice


def _word(entry: object) -> str:
    return str(next(iter(entry))) if isinstance(entry, dict) and entry else str(entry)


def _beside(name: str, entry: str) -> str:
    """A bare name means a file in the same folder; a slash in front, one from the top."""
    folder, slash, _ = name.rpartition("/")
    return entry[1:] if entry.startswith("/") else f"{folder}{slash}{entry}"


def _group(key: str) -> str:
    """`override /target` → `target`."""
    return key.removeprefix("override ").strip().lstrip("/")


def at(loaded: Loaded, place: str, path: tuple[str | int, ...]) -> str:
    """`conf/config.yaml:3:5`: where a value stands."""
    line, column = loaded.at(path)
    return f"{place}:{line}:{column}"
