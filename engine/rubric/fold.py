"""How texts are compared: look-alikes folded, case and runs of blanks ignored."""

import re
import unicodedata

__all__ = ["fold", "words"]

_ALIKE = str.maketrans("‘’‚‛“”„«»‐‑‒–—−", '\'\'\'\'"""""------')
_WORD = re.compile(r"\w+(?:['’.@-]\w+)*")


def fold(text: str) -> str:
    """NFKC, case-folded, blanks collapsed, curly quotes and dashes made plain."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold().split())


def words(text: str) -> int:
    """How many words a reader counts: `don't`, `3.5` and `well-known` are one each."""
    return len(_WORD.findall(text))
