"""Price files: what models cost, as `conf/prices.yaml` of the engine and of the workspace say it."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from engine.errors import Problem, UsageError
from engine.model.usage import Price, PriceTable
from engine.store import strict_json
from engine.store.price_document import PriceEntry, PriceFile, parse_prices
from engine.store.workspace import Workspace, packaged

__all__ = [
    "PRICES",
    "InForce",
    "decimal_text",
    "in_force",
    "price_files",
    "price_table",
    "read_price_text",
    "read_prices",
]

PRICES = "prices.yaml"
"""The name of the file in a conf folder."""


class InForce(NamedTuple):
    """The entry that counts for a name, and the file it stands in."""

    entry: PriceEntry
    file: PriceFile


def read_prices(workspace: Workspace) -> PriceTable:
    """The prices that count in a workspace. Raises UsageError with every problem of a file."""
    return price_table(price_files(workspace))


def price_files(workspace: Workspace) -> tuple[PriceFile, ...]:
    """Every price file, the one that wins first. Raises UsageError with every problem of a file."""
    found = []
    for path in (folder / PRICES for folder in workspace.conf_folders):
        shown = workspace.shown(path)
        name = "prices" if path.resolve() == (packaged() / "conf" / PRICES).resolve() else shown
        text = read_price_text(path, shown)
        if text is not None:
            found.append(parse_prices(text, shown, name))
    return tuple(found)


def in_force(files: Sequence[PriceFile]) -> dict[str, InForce]:
    """By every name of a model: who overrules a model by its name also overrules its dated names."""
    found: dict[str, InForce] = {}
    for file in reversed(files):
        known_as: dict[str, list[str]] = defaultdict(list)
        for name, earlier in found.items():
            known_as[earlier.entry.name].append(name)
        new = [(name, InForce(entry, file)) for entry in file.entries.values() for name in (entry.name, *entry.aliases)]
        found |= {other: each for name, each in new for other in known_as[name]}
        found |= dict(new)
    return found


def price_table(files: Sequence[PriceFile]) -> PriceTable:
    """One table of all of them. Its hash is that of names and prices; remarks and layout do not count."""
    prices = {name: found.entry.price for name, found in in_force(files).items()}
    if not files:
        return PriceTable()
    label = " + ".join([*(f"{file.name}@{file.version}" for file in files[:-1]), files[-1].name])
    content = {name: [decimal_text(each) for each in _parts(price)] for name, price in prices.items()}
    return PriceTable(label, files[-1].version, strict_json.sha256(content), prices)


def decimal_text(number: Decimal | None) -> str | None:
    """`0.6`, never `0.60` or `6E-1`, so that equal prices have one text; None stays None."""
    return None if number is None else f"{number.normalize():f}"


def read_price_text(path: Path, shown: str) -> str | None:
    """The text of a price file; None when there is none. Raises UsageError when it cannot be read."""
    try:
        return strict_json.decode(path.read_bytes(), shown)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(Problem(f"the file cannot be read: {error.strerror or error}", shown)) from error


def _parts(price: Price) -> tuple[Decimal | None, ...]:
    return price.input, price.output, price.cached, price.cache_write, price.request
