"""Takes the values of secrets out of what came back, in every form in which they may be echoed."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

__all__ = ["REMOVED", "ScrubbedStream", "Scrubber"]

REMOVED = "[secret removed]"
_REMOVED = REMOVED.encode()
_SHORTEST = 8


class Scrubber:
    """Knows the forms of some secrets: as it is, in Base64 at any place, in an address, in JSON.

    A value shorter than 8 characters (`EMPTY`, as local servers like it) may be a word of any answer. It is
    taken out of errors and headers alone, and only where it stands by itself: never out of an answer.
    """

    __slots__ = ("_forms", "_words")

    def __init__(self, values: Iterable[str]) -> None:
        known = set(values)
        forms = {form.encode() for value in known if len(value) >= _SHORTEST for form in _forms(value)}
        self._forms = sorted(forms, key=len, reverse=True)
        self._words = [value.encode() for value in known if 0 < len(value) < _SHORTEST]

    def answer(self, data: bytes) -> bytes:
        """The body of an answer; the same bytes when it holds no secret."""
        for form in self._forms:
            if form in data:
                data = data.replace(form, _REMOVED)
        return data

    def error(self, data: bytes) -> bytes:
        """Anything that is no answer."""
        data = self.answer(data)
        for word in self._words:
            if word in data:
                data = _without_word(data, word)
        return data

    def text(self, text: str) -> str:
        """The same for a text that is no answer."""
        return self.error(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def begun(self, data: bytes) -> int:
        """Where a secret begins that the next bytes could complete; the length of the data when none does."""
        found = len(data)
        for form in self._forms:
            at = data.find(form[:1], max(len(data) - len(form) + 1, 0), found)
            while at >= 0:
                if form.startswith(data[at:]):
                    found = at
                    break
                at = data.find(form[:1], at + 1, found)
        return found


class ScrubbedStream:
    """An answer that comes in pieces, cut anywhere. Only what may be the beginning of a secret is held back."""

    __slots__ = ("_held", "_scrubber")

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber, self._held = scrubber, b""

    def feed(self, data: bytes) -> bytes:
        """What can be handed on by now."""
        data = self._scrubber.answer(self._held + data if self._held else data)
        begun = self._scrubber.begun(data)
        self._held = data[begun:]
        return data[:begun]

    def end(self) -> bytes:
        """The rest. What may be most of a secret that was cut off is taken out too."""
        return _REMOVED if len(self._held) >= _SHORTEST else self._held


def _forms(value: str) -> Iterator[str]:
    yield value
    quoted = json.dumps(value)[1:-1]
    yield from (quoted, quoted.replace("/", "\\/"))
    for escaped in (quote(value), quote(value, safe=""), quote_plus(value)):
        yield from (escaped, _lower_codes(escaped))
    for encode in (b64encode, urlsafe_b64encode):
        yield encode(value.encode()).decode()
        for before in range(3):
            yield _base64_within(encode(b"\0" * before + value.encode()).decode(), before, len(value))


def _lower_codes(escaped: str) -> str:
    first, *rest = escaped.split("%")
    return "%".join((first, *(code[:2].lower() + code[2:] for code in rest)))


def _base64_within(encoded: str, before: int, length: int) -> str:
    """The letters that depend on the value alone, when so many bytes stand before it in its group of three."""
    return encoded[(0, 2, 3)[before] : (before + length) * 8 // 6]


def _without_word(data: bytes, word: bytes) -> bytes:
    parts = data.split(word)
    kept = [parts[0]]
    for part in parts[1:]:
        inside = _in_word(kept[-1][-1:]) or _in_word(part[:1])
        kept += [word if inside else _REMOVED, part]
    return b"".join(kept)


def _in_word(char: bytes) -> bool:
    return char.isalnum() or char in (b"_", b"-")
