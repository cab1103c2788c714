"""Whether it is known what the models of a run cost, before anything is paid."""

from collections.abc import Iterator, Mapping

from engine.errors import Problem, UsageError
from engine.model.usage import PriceTable
from engine.providers.cost import priced
from engine.providers.dialect import ModelSettings
from engine.text import nearest, one_line

__all__ = ["unpriced"]


def unpriced(models: Mapping[str, ModelSettings], prices: PriceTable, *, allowed: bool) -> None:
    """Refuse a model without a price, unless calls of unknown cost are allowed.

    Args:
        models: by the setting that chose it, `target` or `judge`.

    Raises:
        UsageError: with one problem for each.
    """
    found = () if allowed else tuple(_problems(models, prices))
    if found:
        raise UsageError(*found)


def _problems(models: Mapping[str, ModelSettings], prices: PriceTable) -> Iterator[Problem]:
    for role, model in models.items():
        if model.free or model.price is not None or priced(prices, model.model) is not None:
            continue
        near = nearest(model.model, prices.prices)
        meant = f"did you mean {role}.model={near}? If not, " if near else ""
        yield Problem(
            f"nobody knows what the model “{one_line(model.model, 60)}” costs, so a limit could not be kept.",
            f"{role}.model",
            f"{meant}say what it costs, in dollars per million tokens: '{role}.price={{input: 0.15, output: 0.60}}', "
            f"or {role}.free=true when it costs nothing, or cost_allow_unknown=true; see: assay prices show",
        )
