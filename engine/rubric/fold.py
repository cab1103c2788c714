"""How texts are compared: look-alikes folded, case and runs of blanks ignored."""

import re
import unicodedata

__all__ = ["fold", "words"]

_ALIKE = str.maketrans("‘’‚‛“”„«»‐‑‒–—−", '\'\'\'\'"""""------')
_WORD = re.compile(r"\w+(?:['’.@-]\w+)*")


def fold(text: str) -> str:
    """NFKC, case-folded, blanks collapsed, curly quotes and dashes made plain."""
    if text.isascii():
        lower = text.lower()
        if lower.isprintable() and "  " not in lower:  # one line without double blanks: nothing to collapse
            return lower.strip()
        return " ".join(lower.split())
    return " ".join(unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold().split())


def words(text: str) -> int:
    """How many words a reader counts: `don't`, `3.5` and `well-known` are one each."""
    if not text.isascii():
        return len(_WORD.findall(text))
    # the same for ASCII, at a quarter of the time: letters become `a`, what joins words `-`, the rest blanks
    plain = " " + text.translate(_PLAIN)
    if "-a-" in plain:  # the letter would belong to two joints
        return len(_WORD.findall(text))
    return plain.count(" a") + plain.count("-a") - plain.count("a-a")


_PLAIN = {
    code: "a" if chr(code).isalnum() or chr(code) == "_" else "-" if chr(code) in "'.@-" else " " for code in range(128)
}
