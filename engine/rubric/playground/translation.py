"""Python's regular expressions to JavaScript's (`u` flag): the same texts match, or there is no translation.

Written from Python's own parse tree, with every character class spelled out, because the two differ in what
`\\w`, `\\s`, `$`, `.` and "any case" mean.
"""

import importlib
import re
import warnings
from collections.abc import Iterator
from functools import cache

__all__ = ["translated"]

_CLASSES = {
    "WORD": r"\p{L}\p{N}_",
    "DIGIT": r"\p{Nd}",
    "SPACE": r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000",
}
_W = f"[{_CLASSES['WORD']}]"
_BOUNDARY = f"(?:(?<={_W})(?!{_W})|(?<!{_W})(?={_W}))"
_START, _END = r"(?<![\s\S])", r"(?![\s\S])"
_EMPTY_HAS_A_PLACE = re.search(r"\B", "") is not None  # from Python 3.14 on
_INSIDE = f"(?:(?<={_W})(?={_W})|(?<!{_W})(?!{_W}))" + ("" if _EMPTY_HAS_A_PLACE else f"(?!{_START}{_END})")
_AT = {
    "AT_BEGINNING": _START,
    "AT_BEGINNING_STRING": _START,
    "AT_END": rf"(?=\n?{_END})",
    "AT_END_STRING": _END,
    "AT_BOUNDARY": _BOUNDARY,
    "AT_NON_BOUNDARY": _INSIDE,
}
_AT_LINES = _AT | {"AT_BEGINNING": r"(?<![^\n])", "AT_END": r"(?![^\n])"}
_KNOWN = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE
_ENDLESS = 2**31  # a repeat up to here or further has no upper end


class _Other(Exception):
    """JavaScript has nothing that means the same."""


def translated(pattern: str, *, any_case: bool) -> str | None:
    """The source of a JavaScript pattern that is found in exactly the same texts; None when there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about style; the pattern was screened when the rubric was read
        tree = importlib.import_module("re._parser").parse(pattern, re.IGNORECASE if any_case else 0)
    try:
        return _Writer().sequence(tree, re.RegexFlag(tree.state.flags))
    except _Other:
        return None


class _Writer:
    """Writes one pattern. Only counts the groups that it had to name."""

    def __init__(self) -> None:
        self.named = 0

    def sequence(self, tree: object, flags: re.RegexFlag) -> str:
        if flags & ~_KNOWN:
            raise _Other
        return "".join(self._item(str(op), argument, flags) for op, argument in tree)  # type: ignore[attr-defined]

    def _item(self, name: str, argument: object, flags: re.RegexFlag) -> str:  # noqa: C901 (one case a shape)
        match name, argument:
            case "AT", place:
                return (_AT_LINES if flags & re.MULTILINE else _AT)[str(place)]
            case "ANY", _:
                return r"[\s\S]" if flags & re.DOTALL else r"[^\n]"
            case ("LITERAL", int(code)):
                return _class([("LITERAL", code)], flags)
            case ("NOT_LITERAL", int(code)):
                return _class([("NEGATE", None), ("LITERAL", code)], flags)
            case "IN", list(members):
                return _class([(str(op), value) for op, value in members], flags)
            case "BRANCH", (_, list(branches)):
                return f"(?:{'|'.join(self.sequence(branch, flags) for branch in branches)})"
            case "SUBPATTERN", (_, int(added), int(removed), body):
                return f"(?:{self.sequence(body, (flags | added) & ~re.RegexFlag(removed))})"
            case ("MAX_REPEAT" | "MIN_REPEAT", (int(least), int(most), body)):
                upper = "" if most >= _ENDLESS else int(most)
                lazy = "?" if name == "MIN_REPEAT" else ""
                return f"(?:{self.sequence(body, flags)}){{{int(least)},{upper}}}{lazy}"
            case ("ASSERT" | "ASSERT_NOT", (int(direction), body)):
                sign = ("<" if direction < 0 else "") + ("=" if name == "ASSERT" else "!")
                return f"(?{sign}{self.sequence(body, flags)})"
            case "ATOMIC_GROUP", body:  # what a look-ahead took is not tried again, in JavaScript too
                self.named += 1
                group = f"a{self.named}"
                return rf"(?=(?<{group}>{self.sequence(body, flags)}))\k<{group}>"
        raise _Other


# ---- characters -------------------------------------------------------------------------------

_Members = list[tuple[str, object]]


def _class(members: _Members, flags: re.RegexFlag) -> str:
    """One character: of these, or with a first member NEGATE none of these."""
    negated = members[:1] == [("NEGATE", None)]
    members = members[1:] if negated else members
    body = "".join(_ranges(members, flags))
    others = []  # sets that are everything but …: JavaScript cannot write them inside a set
    for op, value in members:
        if op == "CATEGORY":
            _, _, kind = str(value).rpartition("_")
            if "_NOT_" in str(value):
                others.append(f"[^{_CLASSES[kind]}]")
            else:
                body += _CLASSES[kind]
    if not others:
        return f"[{'^' if negated else ''}{body}]"
    either = "|".join([*others, *([f"[{body}]"] if body else [])])
    return rf"(?:(?!{either})[\s\S])" if negated else f"(?:{either})"


def _ranges(members: _Members, flags: re.RegexFlag) -> Iterator[str]:
    for op, value in members:
        match op, value:
            case "LITERAL", int(code):
                low = high = code
            case "RANGE", (int(low), int(high)):
                pass
            case "CATEGORY", _:
                continue
            case _:
                raise _Other
        yield _char(low) if low == high else f"{_char(low)}-{_char(high)}"
        if flags & re.IGNORECASE:
            same = re.compile(f"[{_python(low)}-{_python(high)}]", re.IGNORECASE)
            yield from (_char(ord(char)) for char in same.findall(_cased()) if not low <= ord(char) <= high)


def _char(code: int) -> str:
    return f"\\u{{{code:x}}}"


def _python(code: int) -> str:
    return f"\\U{code:08x}"


@cache
def _cased() -> str:
    """Every character that has another case: the only ones for which "any case" adds something."""
    every = map(chr, range(0x20000))
    return "".join(char for char in every if not char.lower() == char == char.upper())
