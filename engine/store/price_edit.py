"""Adds prices to the price file of a workspace, without touching what a person wrote there."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import EngineError, Problem, UsageError
from engine.store import strict_json, strict_yaml
from engine.store.price_files import PriceEntry, PriceFile, decimal_text, parse_prices
from engine.store.whole_file import disk_problem, write_shared
from engine.text import count

__all__ = ["Merged", "entry_text", "merge_prices"]

_PLAIN = re.compile(r"[A-Za-z0-9][\w./@+-]*", re.ASCII)
_NEW = """\
# What models cost, in US dollars per million tokens. These prices overrule those that come with Assay.
version: {day}
source: {source}
models:
"""


class Merged(NamedTuple):
    """What became of the entries that were offered."""

    added: tuple[PriceEntry, ...]
    replaced: tuple[PriceEntry, ...]
    kept: tuple[str, ...]
    same: tuple[str, ...]


def merge_prices(
    path: Path, shown: str, entries: Iterable[PriceEntry], *, day: str, source: str, replace: bool
) -> Merged:
    """Write entries into a price file, which need not exist yet.

    Args:
        day: what `version` says from now on.
        source: what a new file says where its prices are from.
        replace: also entries that are there with another price. Their other names stay.

    Raises:
        UsageError: the file is wrong, or written in a way that cannot be added to.
        EngineError: it cannot be written.
    """
    text = _old(path, shown) if path.exists() else _NEW.format(day=day, source=_quoted(source))
    old = parse_prices(text if path.exists() else f"{text}  {{}}", shown)
    merged = _sorted(old, entries, replace)
    if merged.added or merged.replaced:
        new = _edited(text, old, merged, day) if path.exists() else text + "".join(map(entry_text, merged.added))
        _check(new, shown, old, merged)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EngineError(disk_problem(path.parent, error)) from error
        write_shared(path, new.encode())
    return merged


def entry_text(entry: PriceEntry, indent: str = "  ") -> str:
    """The line of an entry."""
    price = entry.price
    parts = {"input": price.input, "output": price.output, "cached": price.cached, "cache_write": price.cache_write}
    told = [f"{key}: {decimal_text(number)}" for key, number in parts.items() if number is not None]
    told += [f"request: {decimal_text(price.request)}"] if price.request else []
    told += [f"aliases: [{', '.join(map(_quoted, entry.aliases))}]"] if entry.aliases else []
    told += [f"note: {json.dumps(entry.note)}"] if entry.note else []
    return f"{indent}{_quoted(entry.name)}: {{{', '.join(told)}}}\n"


def _sorted(old: PriceFile, entries: Iterable[PriceEntry], replace: bool) -> Merged:
    taken = {alias for entry in old.entries.values() for alias in entry.aliases}
    added, replaced, kept, same = [], [], [], []
    for entry in entries:
        before = old.entries.get(entry.name)
        if before is None and entry.name not in taken:
            added.append(entry)
        elif before is not None and before.price == entry.price:
            same.append(entry.name)
        elif before is not None and replace:
            replaced.append(PriceEntry(entry.name, entry.price, before.aliases, entry.note))
        else:
            kept.append(entry.name)
    return Merged(tuple(added), tuple(replaced), tuple(kept), tuple(same))


def _edited(text: str, old: PriceFile, merged: Merged, day: str) -> str:
    """The text with new entries after the last one, and those that are replaced in their places."""
    loaded = strict_yaml.load(text, "")
    lines = text.splitlines(keepends=True)
    starts = {name: loaded.key_at(("models", name)) for name in old.entries}
    indent = " " * (max(column for _, column in starts.values()) - 1) if starts else "  "
    last = max((line for line, _ in starts.values()), default=loaded.key_at(("models",))[0])
    end = _end(lines, last - 1, len(indent) if starts else 0)
    changes = [(end, end, [entry_text(entry, indent) for entry in merged.added])]
    for entry in merged.replaced:
        start = starts[entry.name][0] - 1
        changes.append((start, _end(lines, start, len(indent)), [entry_text(entry, indent)]))
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    for start, stop, new in sorted(changes, key=lambda change: change[:2], reverse=True):
        lines[start:stop] = new
    line = loaded.key_at(("version",))[0] - 1
    lines[line] = re.sub(r"^version: *[\d-]+", f"version: {day}", lines[line])
    return "".join(lines)


def _end(lines: Sequence[str], start: int, indent: int) -> int:
    """The line after the last one of the value that begins in `start`: what is indented deeper belongs to it."""
    end = start + 1
    for place in range(start + 1, len(lines)):
        content = lines[place].strip()
        if content and not content.startswith("#"):
            if len(lines[place]) - len(lines[place].lstrip(" ")) <= indent:
                break
            end = place + 1
    return end


def _check(text: str, shown: str, old: PriceFile, merged: Merged) -> None:
    """Refuse a result that does not read as it should: there are many ways to write YAML."""
    wanted = {**old.entries, **{entry.name: entry for entry in (*merged.replaced, *merged.added)}}
    try:
        found = parse_prices(text, shown).entries
    except UsageError:
        found = {}
    if found != wanted:
        new = count(len(merged.added) + len(merged.replaced), "price")
        raise UsageError(
            Problem(
                f"{new} cannot be added to this file as it is written; nothing was changed",
                shown,
                "write each model on a line of its own below models:, as in NAME: {input: 0.15, output: 0.60}",
            )
        )


def _old(path: Path, shown: str) -> str:
    try:
        return strict_json.decode(path.read_bytes(), shown)
    except OSError as error:
        raise UsageError(Problem(f"the file cannot be read: {error.strerror or error}", shown)) from error


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
