"""Making foreign text safe to show and to name files with. Pure; imports nothing of ours."""

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["count", "encodable", "nearest", "one_line", "safe", "slug"]

# What may not reach a terminal: C0 and C1 controls, DEL, bidi controls, zero-width and other
# format characters, line and paragraph separators, lone surrogates, tag characters, private use.
_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI, C1 form
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # other two-character escapes
)
_JOINERS = "\u200c\u200d"  # needed inside words of some scripts and inside emoji
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


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice a person most likely meant, or None when none is close."""
    import difflib  # costs 5 ms and is only needed once something is wrong

    folded = {choice.casefold(): choice for choice in choices}
    found = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 query`, `2 queries`: a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
