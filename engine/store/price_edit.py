"""Adds prices to the price file of a workspace, without touching what a person wrote there."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import EngineError, Problem, UsageError
from engine.store import strict_yaml
from engine.store.price_document import PriceEntry, PriceFile, parse_prices
from engine.store.price_files import decimal_text, read_price_text
from engine.store.whole_file import disk_problem, write_shared
from engine.text import count

__all__ = ["Merged", "Offered", "entry_text", "merge_prices"]

_PLAIN = re.compile(r"(?!(?:true|false|null)$)[A-Za-z][\w./@+-]*", re.ASCII)  # neither a number nor a word of YAML
_NEW = """\
# What models cost, in US dollars per million tokens. These prices overrule those that come with Assay.
version: {day}
source: {source}
models:
"""


class Offered(NamedTuple):
    """Prices to be added. `day` is what the file says as its version from then on, `source` what a new file says."""

    entries: tuple[PriceEntry, ...]
    day: str
    source: str


class Merged(NamedTuple):
    """What became of the entries that were offered."""

    added: tuple[PriceEntry, ...]
    replaced: tuple[PriceEntry, ...]
    kept: tuple[str, ...]
    same: tuple[str, ...]


def merge_prices(path: Path, shown: str, offered: Offered, *, replace: bool) -> Merged:
    """Write prices into a price file, which need not exist yet.

    Args:
        replace: also those of models that are there with another price. Their other names stay.

    Raises:
        UsageError: the file is wrong, or written in a way that cannot be added to.
        EngineError: it cannot be written.
    """
    text = read_price_text(path, shown)
    old = PriceFile("", shown, "", "", {}) if text is None else parse_prices(text, shown)
    merged = _sorted(old, offered.entries, replace)
    if merged.added or merged.replaced:
        if text is None:
            head = _NEW.format(day=offered.day, source=json.dumps(offered.source, ensure_ascii=False))
            new = head + "".join(map(entry_text, merged.added))
        else:
            new = _edited(text, old, merged, offered.day)
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
    told += [f"note: {json.dumps(entry.note, ensure_ascii=False)}"] if entry.note else []
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
    line, column = (number - 1 for number in loaded.at(("version",)))
    lines[line] = lines[line][:column] + lines[line][column:].replace(old.version, day, 1)
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


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
