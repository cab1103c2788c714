"""What a reply says that it used: the truth, or one of the ways in which it is missing or makes no sense."""

import random
from dataclasses import dataclass

__all__ = ["LIES", "Used", "written_by"]

LIES = {
    "none": "the member is not there",
    "null": "null",
    "empty": "{}",
    "zeros": "zeros beside a text",
    "total": "only a total",
    "wrong": "in the first piece of a stream instead of the last",
    "twice": "twice in a stream, the first time lower",
    "cut": "the stream is cut before it",
    "late": "an error comes after it",
    "strings": "texts instead of numbers",
    "camel": "other names: inputTokens",
    "cached": "more from a cache than was read",
    "noprompt": "without what was read",
    "dropped": "a proxy took it out of a stream, and answers whole ones with it",
}
"""The fourteen. All but wrong, twice, cut, late and dropped change what is written; those five are about streams."""


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens that were really used: `read` with what came from a cache, `wrote` with reasoning."""

    read: int
    wrote: int
    cached: int = 0
    reasoning: int = 0

    @classmethod
    def by(cls, prompt: str, answer: str, most: int, seed: str | None = None) -> "Used":
        """A token for every four characters. With a seed the answer used anything up to `most`."""
        wrote = len(answer) // 4 + 1
        if seed is not None:
            wrote = random.Random(f"{seed}:{prompt}").randint(1, most)
        return cls(len(prompt) // 4 + 1, min(wrote, most))

    @property
    def micro_usd(self) -> int:
        """At a dollar per million tokens read and four per million written, so that tests can add it up."""
        return self.read + 4 * self.wrote


def written_by(usage: dict[str, object], lie: str, names: tuple[str, str]) -> dict[str, object] | None:
    """A usage as a lie has it; None: there is none.

    Args:
        usage: the true one.
        names: what the tokens read and the tokens written are called in it.
    """
    read, wrote = names
    match lie:
        case "none":
            return None
        case "empty":
            return {}
        case "zeros":
            return {**usage, **{name: 0 for name in usage if isinstance(usage[name], int)}}
        case "total":
            return {"total_tokens": _sum(usage, names)}
        case "strings":
            return {name: str(value) if isinstance(value, int) else value for name, value in usage.items()}
        case "camel":
            return {"inputTokens": usage[read], "outputTokens": usage[wrote]}
        case "noprompt":
            return {name: value for name, value in usage.items() if name != read}
    return usage


def _sum(usage: dict[str, object], names: tuple[str, str]) -> int:
    return sum(count for name in names if isinstance(count := usage[name], int))
