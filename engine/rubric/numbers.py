"""Numbers and units as people write them: `3`, `0.7`, `70%`, `7/10`, `two`, `$0.02`, `2 cents`. Exact."""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

__all__ = ["UNITS", "Kind", "Unit", "as_scores_are", "number", "plain", "unit_of"]

Kind = str  # "ratio", "time", "money", "count" or "text"

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(r"([+-]?\d{1,12}(?:\.\d{1,12})?)\s*(?:/\s*(\d{1,12}(?:\.\d{1,12})?))?\s*(%)?")
_STEP = Decimal("0.0001")
_TWELVE = Context(prec=12)  # more digits than any author means, few enough for a float to keep them


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit in its one spelling, what it measures, and how much of the base unit it is."""

    name: str
    kind: Kind
    factor: Decimal = Decimal(1)


_SECONDS = Unit("seconds", "time")
_MS = Unit("ms", "time", Decimal("0.001"))
_MINUTES = Unit("minutes", "time", Decimal(60))
_DOLLARS = Unit("dollars", "money")
_CENTS = Unit("cents", "money", Decimal("0.01"))

UNITS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), _SECONDS),
    **dict.fromkeys(("millisecond", "milliseconds", "ms"), _MS),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), _MINUTES),
    **dict.fromkeys(("dollar", "dollars", "usd", "$"), _DOLLARS),
    **dict.fromkeys(("cent", "cents"), _CENTS),
    **dict.fromkeys(("word", "words"), Unit("words", "text")),
    **dict.fromkeys(("character", "characters"), Unit("characters", "text")),
    **dict.fromkeys(("sentence", "sentences"), Unit("sentences", "text")),
    **dict.fromkeys(("line", "lines"), Unit("lines", "text")),
    **dict.fromkeys(("token", "tokens"), Unit("tokens", "count")),
}


def unit_of(word: str) -> Unit | None:
    """The unit a word stands for."""
    return UNITS.get(word.casefold())


def number(text: str) -> Decimal | None:
    """The number, or None when it is not one (a decimal comma, too many digits, a division by 0)."""
    word = text.strip().casefold().replace("−", "-")
    if word in _WORDS:
        return Decimal(_WORDS.index(word))
    found = _NUMBER.fullmatch(word)
    if found is None:
        return None
    value = Decimal(found[1])
    if found[2] is not None:
        if not Decimal(found[2]):
            return None
        value = _TWELVE.divide(value, Decimal(found[2]))
    if found[3]:
        value = value / 100
    return _TWELVE.plus(value)


def as_scores_are(value: Decimal) -> Decimal:
    """Half up to 4 decimals: a score of one third is 0.3333, so a threshold of `1/3` is 0.3333 too."""
    return value.quantize(_STEP, ROUND_HALF_UP).normalize()


def plain(value: Decimal) -> str:
    """The number in digits, without an exponent and without zeros at the end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
