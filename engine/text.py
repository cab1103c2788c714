"""Making foreign text safe to show and to name files with. Pure; imports nothing of ours."""

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["count", "dollars", "encodable", "field_name", "harmless", "nearest", "one_line", "one_slip", "safe", "slug"]

# What may not reach a terminal: C0 and C1 controls, DEL, bidi controls, zero-width and other
# format characters, line and paragraph separators, lone surrogates, tag characters, private use.
_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI, C1 form
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # other two-character escapes
)
_JOINERS = "\u200c\u200d"  # needed inside words of some scripts and inside emoji
_LONGEST_WORD = 200  # nobody mistypes a longer one, and comparing it would take long
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def safe(text: str) -> str:
    """The text with nothing left in it that a terminal would obey or hide.

    Whole escape sequences disappear, other control characters become a blank (tabs and line ends)
    or U+FFFD, so that something removed is still seen to have been there.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_safe_char(char) for char in _SEQUENCES.sub("\ufffd", text))


def _safe_char(char: str) -> str:
    if char in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    if char in _JOINERS or unicodedata.category(char) not in _HIDDEN:
        return char
    return "\ufffd"


def harmless(line: str) -> str:
    """A line that neither a terminal nor a CI system obeys."""
    shown = safe(line)
    return f"| {shown}" if shown.lstrip().startswith(("::", "##[")) else shown


def one_line(text: str, width: int = 0) -> str:
    """`safe(text)` with runs of blanks collapsed, cut to `width` characters when width > 0."""
    line = " ".join(safe(text).split())
    return line if not width or len(line) <= width else line[: max(width - 1, 0)].rstrip() + "…"


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def slug(text: str, longest: int = 60) -> str:
    """Lower-case words joined by hyphens; letters of any script are kept. May be empty."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return "-".join(words)[:longest].rstrip("-")


def field_name(text: str) -> str:
    """A name in small letters with single blanks, as rubrics say it: `Customer_Tier` → `customer tier`."""
    return " ".join(text.replace("_", " ").casefold().split())


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice a person most likely meant, or None when none is close.

    One slip of the finger counts for more than letters in common: `fiel` is `field` and not `fields`.
    """
    folded = {choice.casefold(): choice for choice in choices}
    wanted = word.casefold()
    if len(wanted) > _LONGEST_WORD:
        return None
    near = [choice for choice in folded if one_slip(wanted, choice)]
    if len(near) == 1:
        return folded[near[0]]

    import difflib  # costs 5 ms and is only needed once something is wrong

    found = difflib.get_close_matches(wanted, near or folded, n=1, cutoff=0.0 if near else 0.6)
    return folded[found[0]] if found else None


def one_slip(one: str, other: str) -> bool:
    """They differ by one slip of the finger: a letter more, less, changed, or swapped with its neighbour."""
    if abs(len(one) - len(other)) > 1 or one == other or len(one) + len(other) < 3:
        return False
    shorter, longer = (one, other) if len(one) <= len(other) else (other, one)
    start = 0
    while start < len(shorter) and one[start] == other[start]:
        start += 1
    left, right = shorter[start:], longer[start:]
    if len(left) < len(right):
        return left == right[1:]
    changed = left[1:] == right[1:]  # of two letters, one is still the same
    return changed or (left[1::-1] + left[2:] == right and len(left) > 1)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 query`, `2 queries`: a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def dollars(micro: int) -> str:
    """`$0.10`, `$0.001234`: micro-dollars with as many decimals as they need, at least two."""
    whole, rest = divmod(abs(micro), 1_000_000)
    decimals = f"{rest:06d}".rstrip("0")
    return f"{'-' if micro < 0 else ''}${whole:,}.{decimals:0<2}"
