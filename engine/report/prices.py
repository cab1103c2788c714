"""What models cost, for people and for programs."""

from collections.abc import Mapping, Sequence

from engine.store import strict_json
from engine.store.price_document import PriceEntry, PriceFile
from engine.store.price_files import InForce, decimal_text, price_table
from engine.text import count

__all__ = ["one_price", "price_list", "price_sources", "prices_json"]

_COLUMNS = ("input", "output", "cached", "write")
_PARTS = ("input", "output", "cached", "cache_write", "request")


def price_sources(files: Sequence[PriceFile]) -> list[str]:
    """Which files count, and what a record of a run keeps of them."""
    lines = []
    for file in files:
        source = f", from {file.source}" if file.source else ""
        lines.append(f"{file.shown}: {count(len(file.entries), 'model')}, version {file.version}{source}")
    if not any(file.name != "prices" for file in files):
        lines.append("your own prices go into conf/prices.yaml and overrule these")
    return [*lines, f"a record keeps: {price_table(files).label}"]


def price_list(chosen: Mapping[str, InForce], width: int) -> list[str]:
    """A line for each model, own prices first; where that is too wide for the screen, two."""
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


def one_price(model: str, chosen: Mapping[str, InForce]) -> list[str]:
    """All that is known of one model, by any of its names."""
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


def prices_json(files: Sequence[PriceFile], chosen: Mapping[str, InForce]) -> str:
    """The same for programs. Prices are decimal text, because not every price is a binary number."""
    table = price_table(files)
    return strict_json.printable(
        {
            "label": table.label,
            "sha256": table.sha256,
            "unit": "US dollars per million tokens, as decimal text",
            "files": [{"file": file.shown, "version": file.version, "source": file.source} for file in files],
            "models": {
                entry.name: {
                    **{key: decimal_text(getattr(entry.price, key)) for key in _PARTS},
                    "aliases": [name for name, each in chosen.items() if each.entry is entry and name != entry.name],
                    "note": entry.note,
                    "file": file.shown,
                }
                for entry, file in _entries(chosen)
            },
        }
    )


def _entries(chosen: Mapping[str, InForce]) -> list[InForce]:
    """Each entry once, own ones first."""
    seen = {id(each.entry): each for each in chosen.values()}
    return sorted(seen.values(), key=lambda each: each.file.name == "prices")
