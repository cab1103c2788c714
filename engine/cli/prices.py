"""`assay prices`: what models cost as far as Assay knows, and prices taken from litellm's list."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

from engine.cli.parser import Commands
from engine.cli.screen import screen_width, typed
from engine.errors import Exit, Problem, UsageError
from engine.report.layout import fitted
from engine.store import strict_json
from engine.store.price_edit import Merged, merge_prices
from engine.store.price_files import PRICES, InForce, PriceEntry, decimal_text, in_force, price_files, price_table
from engine.store.price_import import Taken, read_price_list
from engine.store.workspace import Workspace
from engine.text import count, nearest, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay prices                                  every price
  assay prices show gpt-4o-mini                 one of them, with its other names
  assay prices import model_prices.json gpt-4o  take a price from litellm's list into conf/prices.yaml
  assay prices import model_prices.json 'gpt-5*' --replace"""
_OWN = f"conf/{PRICES}"
_MOST_NAMES = 5
_COLUMNS = ("input", "output", "cached", "write")


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("prices", help="show what models cost, or import prices", epilog=_EXAMPLES)
    parser.add_argument("action", nargs="?", choices=("show", "import"), default="show", help="default: show")
    parser.add_argument(
        "what", nargs="*", metavar="MODEL|FILE", help="show: a model. import: the file, then models or 'gpt-*'"
    )
    parser.add_argument("--replace", action="store_true", help=f"import: also prices that {_OWN} has already")
    parser.add_argument("--json", action="store_true", help="show: one JSON object for other programs")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, and print or write."""
    workspace = Workspace(args.workspace)
    if args.action == "import":
        return _import(workspace, args.what, args.replace)
    if len(args.what) > 1:
        raise UsageError(Problem("show takes one model, or none for all", "command line", "see: assay prices --help"))
    return _show(workspace, args.what[0] if args.what else None, as_json=args.json)


def _show(workspace: Workspace, model: str | None, *, as_json: bool) -> int:
    found = in_force(price_files(workspace))
    if model is not None and model not in found:
        raise UsageError(_unknown(model, found))
    entry = found[model].entry if model is not None else None
    chosen = {name: each for name, each in found.items() if entry is None or each.entry is entry}
    if as_json:
        print(_as_json(workspace, chosen))
    else:
        width = screen_width()
        lines = _table(chosen, width) if model is None else _one(model, chosen)
        for line in (*_head(workspace), "", *lines):
            print(fitted(safe(line), width))
    return Exit.PASSED


def _unknown(model: str, found: dict[str, InForce]) -> Problem:
    near = nearest(model, found)
    meant = f"did you mean {near}? If not, " if near else ""
    return Problem(
        f"nobody knows what “{one_line(model, 60)}” costs",
        "command line",
        f"{meant}say it in a run: 'target.price={{input: 0.15, output: 0.60}}' (dollars per million tokens), or "
        f"target.free=true when it costs nothing; or write it into {_OWN} for every run",
    )


def _head(workspace: Workspace) -> list[str]:
    files = price_files(workspace)
    lines = []
    for file in files:
        source = f", from {file.source}" if file.source else ""
        lines.append(f"{file.shown}: {count(len(file.entries), 'model')}, version {file.version}{source}")
    if len(files) < len(workspace.conf_folders):
        lines.append(f"your own prices go into {_OWN} and overrule these")
    return [*lines, f"a record keeps: {price_table(files).label}"]


def _entries(chosen: dict[str, InForce]) -> list[InForce]:
    """Each entry once, own ones first."""
    seen = {id(each.entry): each for each in chosen.values()}
    return sorted(seen.values(), key=lambda each: each.file.name == "prices")


def _table(chosen: dict[str, InForce], width: int) -> list[str]:
    rows = [(each.entry.name, _cells(each.entry), _mark(each)) for each in _entries(chosen)]
    if not rows:
        return ["there are no prices"]
    longest = max(len(name) for name, _, _ in rows)
    widths = [max(len(title), *(len(cells[n]) for _, cells, _ in rows)) for n, title in enumerate(_COLUMNS)]
    titles = "  ".join(title.rjust(size) for title, size in zip(_COLUMNS, widths, strict=True))
    narrow = bool(width) and longest + len(titles) + 12 > width
    lines = ["dollars per million tokens", "" if narrow else f"{'':<{longest}}  {titles}"]
    for name, cells, mark in rows:
        numbers = "  ".join(cell.rjust(size) for cell, size in zip(cells, widths, strict=True))
        if narrow:
            told = [f"{title} {cell}" for title, cell in zip(_COLUMNS, cells, strict=True) if cell != "-"]
            lines += [f"{name}  {mark}".rstrip(), f"  {', '.join(told)}"]
        else:
            lines.append(f"{name:<{longest}}  {numbers}  {mark}".rstrip())
    if any("*" in mark for _, _, mark in rows):
        lines += ["", "* the dearest of several rates: assay prices show MODEL"]
    return lines


def _cells(entry: PriceEntry) -> tuple[str, ...]:
    price = entry.price
    return tuple(decimal_text(each) or "-" for each in (price.input, price.output, price.cached, price.cache_write))


def _mark(each: InForce) -> str:
    return ("" if each.file.name == "prices" else "own") + ("*" if each.entry.note else "")


def _one(model: str, chosen: dict[str, InForce]) -> list[str]:
    (entry, file), price = chosen[model], chosen[model].entry.price
    others = [name for name in chosen if name != entry.name]
    unit = " for a million tokens"
    return [
        entry.name if entry.name == model else f"{model} costs as much as {entry.name}",
        f"input    ${decimal_text(price.input)}{unit}",
        f"output   ${decimal_text(price.output)}{unit}",
        f"cached   {_or_input(decimal_text(price.cached), unit)}",
        f"write    {_or_input(decimal_text(price.cache_write), unit)}, to put input into a cache",
        *([f"request  ${decimal_text(price.request)} for each"] if price.request else []),
        *([f"also     {', '.join(others)}"] if others else []),
        *([f"note     {entry.note}"] if entry.note else []),
        f"from     {file.shown}",
    ]


def _or_input(told: str | None, unit: str) -> str:
    return "as other input" if told is None else f"${told}{unit}"


def _as_json(workspace: Workspace, chosen: dict[str, InForce]) -> str:
    table = price_table(files := price_files(workspace))
    return strict_json.printable(
        {
            "label": table.label,
            "sha256": table.sha256,
            "unit": "US dollars per million tokens, as decimal text",
            "files": [{"file": file.shown, "version": file.version, "source": file.source} for file in files],
            "models": {
                entry.name: {
                    **{key: decimal_text(getattr(entry.price, key)) for key in ("input", "output")},
                    **{key: decimal_text(getattr(entry.price, key)) for key in ("cached", "cache_write", "request")},
                    "aliases": [name for name, each in chosen.items() if each.entry is entry and name != entry.name],
                    "note": entry.note,
                    "file": file.shown,
                }
                for entry, file in _entries(chosen)
            },
        }
    )


def _import(workspace: Workspace, words: Sequence[str], replace: bool) -> int:
    if not words:
        advice = "assay prices import model_prices.json, the file that litellm publishes"
        raise UsageError(Problem("import needs the file to read", "command line", advice))
    path = workspace.folder / words[0]
    taken = read_price_list(path, words[1:])
    if not taken.entries:
        reasons = "; ".join(f"{count(len(names), 'model')}: {reason}" for reason, names in taken.left_out.items())
        raise UsageError(Problem(f"there is no price to take: {reasons}; nothing was written", words[0]))
    now = datetime.now(UTC).astimezone()
    own = workspace.conf_folders[0] / PRICES
    source = f"{one_line(path.name, 60)}, imported"
    merged = merge_prices(
        own, workspace.shown(own), taken.entries, day=f"{now:%Y-%m-%d}", source=source, replace=replace
    )
    for line in _told(workspace.shown(own), merged, taken):
        print(fitted(safe(line), screen_width()))
    return Exit.PASSED


def _told(shown: str, merged: Merged, taken: Taken) -> list[str]:
    new = (*merged.added, *merged.replaced)
    lines = [f"{shown}: {count(len(merged.added), 'price')} added, {len(merged.replaced)} replaced"]
    for entry in new[:_MOST_NAMES]:
        note = f" ({entry.note})" if entry.note else ""
        price = f"input {decimal_text(entry.price.input)}, output {decimal_text(entry.price.output)}"
        lines.append(f"  {entry.name}: {price}{note}")
    if len(new) > _MOST_NAMES:
        lines.append(f"  and {len(new) - _MOST_NAMES} more: assay prices show")
    if merged.same:
        lines.append(f"already there with the same price: {_named(merged.same)}")
    if merged.kept:
        lines.append(f"kept as you wrote them: {_named(merged.kept)} (to overwrite: --replace)")
    lines += [f"left out, {reason}: {_named(names)}" for reason, names in taken.left_out.items()]
    return lines


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"{len(names):,}: {', '.join(typed(name) for name in names[:_MOST_NAMES])}{more}"
