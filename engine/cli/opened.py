"""What a run talks to, opened: the target, the judges, the network behind them, and what it may spend."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

from engine.cli.options import Options
from engine.errors import Problem, UsageError
from engine.execute.budget import Guard
from engine.judges.task import Judge, identity_together
from engine.model.target import Scalar, Surroundings, Target
from engine.model.usage import NO_PRICES, PriceTable
from engine.plan.compose import Job
from engine.plan.pricing import unpriced
from engine.plan.settings import Settings
from engine.providers.dialect import ModelSettings, Reached, secret_of
from engine.providers.door import Door
from engine.store.workspace import Workspace
from engine.text import one_line

__all__ = ["Opened", "guard_of", "micro_usd", "opened"]


@dataclass(frozen=True, slots=True)
class Opened:
    """Open until the run is over. The network is closed by the loop that used it."""

    target: Target
    judges: tuple[Judge, ...]
    network: Door
    prices: PriceTable

    @property
    def judge_identity(self) -> dict[str, Scalar]:
        """Everything that can change what the judges say, flat."""
        return identity_together(self.judges)


@contextmanager
def opened(job: Job, workspace: Workspace, options: Options, *, to_ask: bool = True) -> Iterator[Opened]:
    """Open what a job needs; notices go to standard error.

    Args:
        to_ask: something will be asked, so every key has to be there.

    Raises:
        UsageError: something cannot be opened, a key is missing, or nobody knows what it costs.
    """
    settings = job.settings
    if to_ask:
        _check_keys(settings)
    network = Door(os.environ, settings.concurrency)
    prices = _prices(settings, workspace)
    surroundings = Surroundings(
        workspace.folder, workspace.cache, workspace.runs, _notice, network, prices, options.allow_code
    )
    with settings.target.open(surroundings) as target:
        yield Opened(target, settings.judge.judges(network, prices), network, prices)


def micro_usd(dollars: float) -> int:
    """Dollars as they are written in a setting, in whole micro-dollars."""
    return int(Decimal(repr(dollars)) * 1_000_000)


def guard_of(settings: Settings, left_of_sweep: int | None = None) -> Guard:
    """How much the run may spend: its own limit, or what the sweep has left when that is less."""
    own = None if settings.cost_limit_usd is None else micro_usd(settings.cost_limit_usd)
    if left_of_sweep is not None and (own is None or left_of_sweep < own):
        told, setting = "what sweep_cost_limit_usd leaves", "sweep_cost_limit_usd"
        return Guard(left_of_sweep, settings.cost_allow_unknown, told, setting)
    return Guard(own, settings.cost_allow_unknown)


def _prices(settings: Settings, workspace: Workspace) -> PriceTable:
    """The price table, when a model is called at all; every price that is missing is told before anything is paid."""
    asked = {role: each for role, each in _parts(settings).items() if isinstance(each, ModelSettings)}
    if all(model.free or model.price is not None for model in asked.values()):
        return NO_PRICES
    from engine.store.price_files import read_prices  # most runs call no model

    prices = read_prices(workspace)
    unpriced(asked, prices, allowed=settings.cost_allow_unknown)
    return prices


def _parts(settings: Settings) -> dict[str, object]:
    """Everything that may be reached over the network, by the setting that chose it."""
    members = getattr(settings.judge, "members", {})
    return {
        "target": settings.target,
        "judge": settings.judge,
        **{f"judge.members.{name}": each for name, each in members.items()},
    }


def _check_keys(settings: Settings) -> None:
    """Refuse a run whose key is missing, before anything is paid."""
    found: list[Problem] = []
    for role, each in _parts(settings).items():
        if isinstance(each, Reached):
            secrets = {f"{role}.key": secret_of(each.key or "")}
            named = {"headers": each.headers, "parameters": getattr(each, "parameters", {})}
            secrets |= {
                f"{role}.{group}.{name}": secret_of(str(value))
                for group, values in named.items()
                for name, value in values.items()
            }
            found += (
                Problem(
                    f"the environment variable {secret.name} is not set, or empty.",
                    place,
                    f"set it, without writing it into a file: export {secret.name}=…",
                )
                for place, secret in secrets.items()
                if secret is not None and not os.environ.get(secret.name)
            )
    if found:
        raise UsageError(*found)


def _notice(line: str) -> None:
    print(one_line(line), file=sys.stderr)
