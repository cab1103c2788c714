"""The few pictures that reports use, and what stands for them where they cannot be shown."""

from dataclasses import dataclass, replace

__all__ = ["PLAIN", "RICH", "Symbols", "symbols_for"]


@dataclass(frozen=True, slots=True)
class Symbols:
    """Never colour or a picture alone: each stands beside a word."""

    arrow: str
    good: str
    bad: str
    unknown: str
    chart: str
    ok: str
    dot: str
    ellipsis: str
    minus: str


RICH = Symbols(arrow="→", good="✓", bad="✗", unknown="?", chart="📈", ok="✅", dot="·", ellipsis="…", minus="−")
PLAIN = Symbols(arrow="->", good="+", bad="x", unknown="?", chart="==", ok="OK:", dot="-", ellipsis="...", minus="-")


def symbols_for(encoding: str | None, *, colour: bool) -> Symbols:
    """RICH where the stream can encode them, else PLAIN; good is green and bad is red with `colour`."""
    symbols = RICH if _can_show(encoding) else PLAIN
    if not colour:
        return symbols
    return replace(
        symbols,
        good=f"\x1b[32m{symbols.good}\x1b[0m",
        bad=f"\x1b[31m{symbols.bad}\x1b[0m",
        unknown=f"\x1b[33m{symbols.unknown}\x1b[0m",
    )


def _can_show(encoding: str | None) -> bool:
    try:
        "".join((RICH.arrow, RICH.good, RICH.bad, RICH.chart, RICH.ok, RICH.minus)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
