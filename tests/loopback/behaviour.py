"""How the server behaves, written as the first part of the path: `l50-e429.05-retry=2`, words joined by hyphens."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

__all__ = ["LIES", "MANNERS", "Behaviour", "segment"]

MANNERS = {
    "lN": "answer N milliseconds later",
    "judge": "how a judge answers: first, last, match, obey, or seed and a number (see model.py)",
    "say": "answer this text, whatever is asked",
    "model": "call the model so, whatever it was asked by; `none` names none",
    "costs": "a seed: each answer used a chance number of tokens, the same for the same question",
    "cached": "so many of the tokens read came from a cache",
    "reasoning": "the model thought for so many tokens first, and tells it",
    "key": "refuse (401) whoever does not send this key",
    "vllm": "speak as vLLM does",
    "id": "any text: gives a test a counter of its own",
    "gzip": "compress the answer",
}
LIES = {
    "eNNN": "refuse with this status; `e429.05`: 5 of 100 requests",
    "retry": "with the refusal: Retry-After in seconds, or `date` (two seconds from now)",
    "bad": "JSON that breaks off, in a whole reply; `bad.01`: 1 of 100",
    "html": "a web page with status 200",
    "types": "JSON of the right names and wrong types",
    "empty": "status 200 and nothing",
    "to": "redirect to this address, with the status of eNNN or 302",
    "slowhead": "milliseconds between two lines of the head",
    "slowbody": "milliseconds between two pieces of the body",
    "cut": "break the connection after so many bytes of the body",
    "cutclean": "end the body after so many bytes, as if it were whole",
    "length": "a Content-Length that is wrong by so much: +50, or m50 for less",
    "bomb": "gzip of so many MiB of blanks",
    "endless": "a body that never ends",
    "never": "no answer, and the connection stays open",
    "close": "no answer, and the connection is closed",
    "garbage": "something that is no HTTP",
    "error": "an error after status 200; in a stream after half of it",
    "echo": "the headers and the address of the request in the answer or in the error, plain and in base64",
    "usage": "a usage that is none: see usage.py",
    "first": "lie to the first N requests only",
    "at": "lie to the Nth request only",
}
_TEXTS = frozenset({"to", "say", "model", "key", "id"})
_PLAIN = frozenset({"", "v1", "openai", "api", "chat", "responses", "search", "agent", "models", "stats", "reset"})
_WORD = re.compile(r"(?P<name>[a-z]+)(?:=(?P<value>[^-=]*))?")
_STATUS = re.compile(r"e(?P<status>[2-5]\d\d)(?P<share>\.\d+)?")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What one path segment asks for.

    Attributes:
        statuses: (status, share of the requests), tried in order.
        bad: the share of replies that break off.
    """

    latency_s: float = 0.0
    statuses: tuple[tuple[int, float], ...] = ()
    bad: float = 0.0
    words: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    @lru_cache
    def of(cls, text: str) -> "Behaviour":
        """What a path segment says. Raises ValueError for a word that there is not: no test lies by a slip."""
        if text in _PLAIN:
            return cls()
        latency, statuses, bad, words = 0.0, [], 0.0, {}
        for word in text.split("-"):
            if match := re.fullmatch(r"l(\d+)", word):
                latency = int(match[1]) / 1000
            elif match := _STATUS.fullmatch(word):
                statuses.append((int(match["status"]), float(match["share"] or 1)))
            elif match := re.fullmatch(r"bad(\.\d+)?", word):
                bad = float(match[1] or 1)
            elif (match := _WORD.fullmatch(word)) and match["name"] in MANNERS.keys() | LIES.keys():
                name, value = match["name"], match["value"] or ""
                words[name] = bytes.fromhex(value).decode() if name in _TEXTS else value
            else:
                raise ValueError(f"there is no behaviour “{word}”")
        return cls(latency, tuple(statuses), bad, words)

    def honest(self) -> "Behaviour":
        """The same without its lies."""
        return Behaviour(self.latency_s, words={name: self.words[name] for name in self.words if name in MANNERS})

    def lies_to(self, nth: int) -> bool:
        """Whether the nth request of this segment is lied to."""
        if "at" in self.words:
            return nth == int(self.words["at"])
        return nth <= int(self.words.get("first", nth))

    def refusal(self, nth: int) -> int | None:
        """The status that the nth request is refused with; None when it is answered. The same for each run."""
        chance, reached = _chance(nth), 0.0
        for status, share in self.statuses:
            reached += share
            if chance < reached:
                return status
        return None

    def breaks_off(self, nth: int) -> bool:
        """Whether the reply to the nth request is JSON that breaks off."""
        refused = sum(share for _, share in self.statuses)
        return refused <= _chance(nth) < refused + self.bad

    def has(self, name: str) -> bool:
        """Whether the word is said."""
        return name in self.words

    def number(self, name: str) -> int | None:
        """The number after a word, None when the word is not said; `m50` is -50."""
        value = self.words.get(name)
        return None if value is None else int(value.replace("m", "-").lstrip("+"))


def segment(*words: str, **values: object) -> str:
    """The path segment for some words: `segment("l50", "e429.05", retry=2)`. Raises ValueError as `Behaviour.of`."""
    spelt = [f"{name}={str(value).encode().hex() if name in _TEXTS else value}" for name, value in values.items()]
    text = "-".join((*words, *spelt))
    Behaviour.of(text)
    return text


def _chance(nth: int) -> float:
    """A number from 0 to 1 that looks like chance: no two requests in a row are near each other."""
    return (nth * 2654435761 % 4294967296) / 4294967296
