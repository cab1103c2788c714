"""One price file: what may stand in it, and every problem with what does."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from engine.errors import Problem, UsageError
from engine.model.usage import Price
from engine.store import strict_yaml
from engine.store.query_fields import Problems
from engine.store.query_places import YamlText
from engine.text import nearest, one_line

__all__ = ["PriceEntry", "PriceFile", "odd_price", "parse_prices"]

_TOP = ("version", "source", "models")
_NUMBERS = ("input", "output", "cached", "cache_write", "request")
_KEYS = (*_NUMBERS, "aliases", "note")
_ADVICE = {
    "currency": "prices are in US dollars; convert those in another currency",
    "free": "for a model that costs nothing write input: 0, output: 0",
}
_LEAST, _MOST = Decimal("0.001"), Decimal(100_000)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class PriceEntry:
    """The price of one model. `aliases` are its other names, such as the dated one in an answer."""

    name: str
    price: Price
    aliases: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class PriceFile:
    """One file. `name` is what a record keeps: `prices` for the one that comes with the engine."""

    name: str
    shown: str
    version: str
    source: str
    entries: Mapping[str, PriceEntry]


def odd_price(number: Decimal, name: str = "input") -> str:
    """Why it cannot be a price in dollars per million tokens; empty when it can."""
    if not number.is_finite() or number < 0:
        return "is no amount of 0 or more"
    if number > _MOST:
        return f"is more than {_MOST:,} dollars"
    # Lists by the token are common. Read as ours, one would make everything cost nearly nothing.
    if name in ("input", "output") and 0 < number < _LEAST:
        return f"is less than {_LEAST} dollars for a million tokens: is it the price of one token?"
    return ""


def parse_prices(text: str, shown: str, name: str = "prices") -> PriceFile:
    """The content of a price file. Raises UsageError with every problem, each with its place."""
    loaded, problems = strict_yaml.load(text, shown), Problems()
    places, value = YamlText(shown, loaded), loaded.value
    if not isinstance(value, dict):
        advice = "it begins with version: 2026-11-30, then models:"
        raise UsageError(Problem("this is not a price file: it has no fields", places.at(()), advice))
    _unknown(value, _TOP, (), places, problems)
    version, source, models = (value.get(key) for key in _TOP)
    if not _is_day(version):
        advice = "the day on which you looked the prices up: version: 2026-11-30"
        problems.add(
            "version: there is no day" if version is None else "version: is no day", _at(places, value), advice
        )
    if source is not None and not isinstance(source, str):
        problems.add("source: is no text", places.at(("source",)))
    if not isinstance(models, dict):
        wrong = "models: is missing" if models is None else "models: is no list of names with prices"
        problems.add(wrong, places.at(("models",)), "models: {NAME: {input: 0.15, output: 0.60}}")
        models = {}
    reader = _Reader(places, problems)
    entries = {model: reader.entry(model, raw) for model, raw in models.items()}
    if problems.count:
        raise UsageError(*problems.all())
    return PriceFile(name, shown, str(version), str(source or ""), entries)


class _Reader:
    """Reads the entries of one file. What it returns is of use only when there was no problem."""

    def __init__(self, places: YamlText, problems: Problems) -> None:
        self._places, self._problems = places, problems
        self._names: dict[str, str] = {}

    def entry(self, name: str, raw: object) -> PriceEntry:
        at = ("models", name)
        self._name(name, self._places.key_at(at))
        if not isinstance(raw, dict):
            advice = "dollars per million tokens: {input: 0.15, output: 0.60}"
            self._problems.add(f"{one_line(name, 60)}: has no input and output", self._places.at(at), advice)
            return PriceEntry(name, _NOTHING)
        _unknown(raw, _KEYS, at, self._places, self._problems)
        numbers = {key: self._number(raw, key, at) for key in _NUMBERS if key in raw or key in ("input", "output")}
        aliases, note = raw.get("aliases", []), raw.get("note", "")
        if not isinstance(aliases, list):
            self._problems.add("aliases: is no list", self._places.at((*at, "aliases")), "aliases: [NAME, NAME]")
            aliases = []
        for place, alias in enumerate(aliases):
            self._name(alias, self._places.at((*at, "aliases", place)))
        if not isinstance(note, str):
            self._problems.add("note: is no text", self._places.at((*at, "note")))
        return PriceEntry(name, Price(**numbers), tuple(map(str, aliases)), str(note))

    def _number(self, raw: Mapping[str, object], key: str, at: strict_yaml.Path) -> Decimal:
        value, place = raw.get(key), self._places.at((*at, key))
        advice = f"write dollars {'a request' if key == 'request' else 'per million tokens'}, as a number: {key}: 0.15"
        if key not in raw:
            self._problems.add(f"{one_line(str(at[-1]), 60)}: {key} is missing", place, advice)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            shown = "nothing" if value is None else f'"{one_line(str(value), 40)}"'
            self._problems.add(f"{key}: {shown} is not a number", place, advice)
        elif wrong := odd_price(number := Decimal(repr(value)), key):
            self._problems.add(f"{key}: {one_line(repr(value), 40)} {wrong}", place, advice)
        else:
            return number
        return Decimal(0)

    def _name(self, name: object, place: str) -> None:
        if not isinstance(name, str) or not name.strip() or name != name.strip():
            self._problems.add("the name of a model is text without blanks around it", place)
        elif (first := self._names.setdefault(name, place)) != place:
            self._problems.add(f"{one_line(name, 60)} has two prices, the first at {first}", place, "keep one of them")


_NOTHING = Price(Decimal(0), Decimal(0))


def _unknown(
    raw: Mapping[str, object], known: Sequence[str], at: strict_yaml.Path, places: YamlText, problems: Problems
) -> None:
    for key in raw:
        if key not in known:
            near = nearest(key, known)
            advice = _ADVICE.get(key) or (f"did you mean {near}?" if near else f"it can be: {', '.join(known)}")
            problems.add(f'"{one_line(key, 40)}" is not known here', places.key_at((*at, key)), advice)


def _at(places: YamlText, value: Mapping[str, object]) -> str:
    return places.at(("version",)) if "version" in value else places.at(())


def _is_day(value: object) -> bool:
    if isinstance(value, str) and _DAY.fullmatch(value):
        with suppress(ValueError):
            return bool(date.fromisoformat(value))
    return False
