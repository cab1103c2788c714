"""Looking again whenever a text changes. The clock and the files come in as arguments."""

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn

__all__ = ["EVERY_S", "Key", "Texts", "watch"]

EVERY_S = 0.3
Key = tuple[str, str]
"""A file as it was typed, and the name of a file that it uses; empty for itself."""
Texts = Mapping[Key, str | None]
"""What stood in each file; None when it could not be read."""


def watch(
    report: Callable[[], Texts], look: Callable[[Iterable[Key]], Texts], sleep: Callable[[float], None]
) -> NoReturn:
    """Report now and after every change, until `sleep` is interrupted.

    Texts are compared, not times: a file that was only touched is no news. A change counts once it has stood for two
    looks, because some editors empty a file before they fill it again.

    Args:
        report: says what there is to say, and returns the texts that it read.
        look: the present texts of these files.
    """
    said = report()
    before = said
    while True:
        sleep(EVERY_S)
        now = look(said)
        if now not in (said, before):
            before = now
        elif now != said:
            said = before = report()
