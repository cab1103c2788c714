"""Writes conf/prices.yaml anew from the data of the package genai-prices, which has to be installed.

python scripts/prices.py

Look at what changed before you commit it. Where a model has several rates (long
prompts, hours of the day, a rate that is announced) the dearest is taken, and the entry says so: a limit must hold.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from engine.model.usage import Price
from engine.store.price_document import PriceEntry
from engine.store.price_edit import entry_text

__all__ = ["FILE", "main"]

FILE = Path(__file__).resolve().parents[1] / "conf" / "prices.yaml"

_WANTED = {
    "openai": (
        *("gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.6-terra"),
        *("gpt-5.6-luna", "gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.2", "gpt-5.1", "gpt-5"),
        *("gpt-5-mini", "gpt-5-nano", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "gpt-4o", "gpt-4o-2024-05-13"),
        *("gpt-4o-mini", "gpt-4-turbo", "gpt-3.5-turbo", "o4-mini", "o3", "o3-mini", "o1"),
    ),
    "anthropic": (
        *("claude-fable-5-2", "claude-fable-5-1", "claude-fable-5", "claude-opus-5-5", "claude-opus-5"),
        *("claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5", "claude-opus-4-1"),
        *("claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4-0"),
        *("claude-haiku-5-5", "claude-haiku-4-5", "claude-3-5-haiku-latest", "claude-3-haiku"),
    ),
    "google": (
        *("gemini-4-argon", "gemini-3.8-flash", "gemini-3.7-flash", "gemini-3.6-flash", "gemini-3.5-flash"),
        *("gemini-3.5-flash-lite", "gemini-3.1-pro-preview", "gemini-3.1-flash-lite", "gemini-3-flash-preview"),
        *("gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"),
    ),
    "mistral": (
        *("mistral-large-4", "mistral-large-2512", "mistral-large", "mistral-medium-latest", "mistral-medium-3-5"),
        *("mistral-medium-3-1", "mistral-small-latest", "mistral-small-2603", "mistral-small-3.2-24b-instruct"),
        *("ministral-8b-latest", "ministral-8b-2512", "ministral-3b-2512", "codestral", "mistral-nemo"),
    ),
    "deepseek": ("deepseek-chat", "deepseek-reasoner", "deepseek-flash", "deepseek-v4-flash", "deepseek-v4-pro"),
    "cohere": ("command-a", "command-r-plus", "command-r", "command-r7b"),
    "x-ai": ("grok-4.7", "grok-4.6", "grok-4.5", "grok-4.3"),
}
_UNITS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}
# Nothing that a question in words and an answer in words use.
_OTHER = re.compile(r"cache_write_1h_mtok|web_searches_kcount|storage_searches_kcount|.*_(audio|image|video)_.*")
_NAME = re.compile(r"(?!.*search)[\w.-]+")  # a model that searches charges for each search
_DATE = r"-(?:20\d\d-?[01]\d-?[0-3]\d)(?!\d)"
_HEAD = """\
# What models cost, in US dollars per million tokens.
#
# Made by scripts/prices.py from the data of the package genai-prices {version} (MIT), which is not official and can
# be wrong. The last check that it tells of for these models was on {checked}. Prices age: compare them with the page
# of your provider. Your own prices go into conf/prices.yaml of your workspace and overrule these, model by model.
#
# input, output: tokens read and written. cached: read from a cache. cache_write: put into a cache (for the shortest
# time on offer). Where there is none, such tokens cost as much as other input. aliases: other names, as answers
# carry them. note: which rate this is when there are several; it is always the dearest, so that a limit holds.
# Not in it: web searches, files and tools of a provider, storing a cache, regions with a surcharge, fast modes.
version: {day}
source: genai-prices {version} (MIT)
models:
"""


def main() -> None:
    """Write the file."""
    data: Any = import_module("genai_prices.data")
    providers = {each.id: each for each in data.providers if each.id in _WANTED}
    text = Path(data.__file__).read_text("utf-8")
    today = datetime.now(UTC).date()
    chosen = {id_: [_model(providers[id_], name) for name in wanted] for id_, wanted in _WANTED.items()}
    remarks = " ".join(str(model.price_comments) for models in chosen.values() for model in models)
    checked = max(re.findall(r"verified on (\d{4}-\d\d-\d\d)", remarks))
    parts = [_HEAD.format(version=metadata.version("genai-prices"), checked=checked, day=today)]
    for id_, models in chosen.items():
        parts.append(f"\n  # {providers[id_].name}\n")
        parts += [entry_text(_entry(model, _aliases(model, providers[id_], text), today)) for model in models]
    FILE.write_text("".join(parts), "utf-8")


def _model(provider: Any, name: str) -> Any:
    return next(model for model in provider.models if model.id == name)


def _entry(model: Any, aliases: tuple[str, ...], today: date) -> PriceEntry:
    rates = list(_rates(model.prices, today))
    for _, prices in rates:
        odd = [key for key in prices if key not in _UNITS.values() and not _OTHER.fullmatch(key)]
        if odd:
            raise SystemExit(f"{model.id} is charged by {odd}, which this script does not know: leave the model out")
    tops = [{key: _top(prices.get(unit)) for key, unit in _UNITS.items()} for _, prices in rates]
    dearest = {key: _dearest([top[key] for top in tops]) for key in _UNITS}
    usual = tops[-1]
    notes = [f"for prompts above {above:,} tokens" for above in [max(map(_above, rates))] if above]
    notes += [
        when
        for (when, _), top in zip(rates, tops, strict=True)
        if any(top[key] == dearest[key] != usual[key] for key in _UNITS)
    ]
    note = f"the dearest rate, {' and '.join(dict.fromkeys(notes))}" if notes else ""
    read, output = dearest["input"], dearest["output"]
    if read is None or output is None:
        raise SystemExit(f"{model.id} has no price for what is read or written: leave the model out")
    return PriceEntry(model.id, Price(read, output, dearest["cached"], dearest["cache_write"]), aliases, note)


def _rates(prices: Any, today: date) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every rate that can count from today on; the last one is that of no special time."""
    if not isinstance(prices, list):
        yield "", _given(prices)
        return
    for each in reversed(prices):  # the last one that fits a moment counts
        start = getattr(each.constraint, "start_date", None)
        if each.constraint is None or (start is not None and start <= today):
            yield "", _given(each.prices)
            return
        yield f"from {start}" if start else "at some hours of the day", _given(each.prices)


def _given(prices: Any) -> dict[str, Any]:
    return {key: value for key, value in vars(prices).items() if value is not None}


def _top(price: Any) -> Decimal | None:
    top: Decimal | None = max(price.base, *(t.price for t in price.tiers)) if hasattr(price, "tiers") else price
    return top


def _dearest(numbers: list[Decimal | None]) -> Decimal | None:
    """Where one rate has no own price for the cache, such input costs as much as other input: None again."""
    known = [number for number in numbers if number is not None]
    return max(known) if len(known) == len(numbers) else None


def _above(rate: tuple[str, dict[str, Any]]) -> int:
    """Where the last step of the prices for tokens begins; 0 when there is none."""
    return max((tier.start for unit in _UNITS.values() for tier in getattr(rate[1].get(unit), "tiers", ())), default=0)


def _aliases(model: Any, provider: Any, text: str) -> tuple[str, ...]:
    """Names that the data spells out for this model, and those of them with a date that it mentions anywhere.

    What merely begins alike is left out: `claude-opus-4-8-fast` costs twice as much.
    """
    equal, begun = set(_clauses(model.match, "equals")), set(_clauses(model.match, "starts_with"))
    bases = {base.rstrip("-") for base in {model.id, *equal, *begun}}
    dated = re.compile(rf"(?<![a-z0-9-])(?:{'|'.join(map(re.escape, sorted(bases)))}){_DATE}(?!-fast)")
    mine = {
        name
        for name in equal | {found.group() for found in dated.finditer(text)}
        if model.is_match(name) and provider.find_model(name) is model and _NAME.fullmatch(name)
    } - {model.id}
    # of two spellings, claude-opus-4-5 and claude-opus-4.5, that of the model's own name
    twice = {name.replace(".", "-") for name in {*mine, model.id}} - {model.id}
    return tuple(sorted(mine - twice if "." in model.id else {name for name in mine if "." not in name}))


def _clauses(match: Any, kind: str) -> Iterator[str]:
    """The texts of one kind in a rule for names; the rules are `or` and `and` of others."""
    if hasattr(match, kind):
        yield getattr(match, kind)
    for part in getattr(match, "or_", ()):
        yield from _clauses(part, kind)


if __name__ == "__main__":
    main()
