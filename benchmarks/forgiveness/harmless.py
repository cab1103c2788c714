"""Twenty-two things that happen to a text on its way through word processors, mail and other keyboards.

None of them changes what a rubric means, so none may change its hash.
"""

import re
from collections.abc import Callable, Mapping

from benchmarks.forgiveness.lines import STRUCTURED, Row, row_of
from benchmarks.forgiveness.sources import Source

__all__ = ["HARMLESS", "changed"]


def changed(source: Source, damage: Callable[[str], str]) -> bool:
    """The damage was not forgiven: refused, or read as something else."""
    return not source.same(source.read(damage(source.text)))


def _each(change: Callable[[Row], str]) -> Callable[[str], str]:
    """The same change to every line but blank ones and remarks."""

    def damage(text: str) -> str:
        rows = ((line, row_of(line)) for line in text.split("\n"))
        return "\n".join(line if row is None else change(row) for line, row in rows)

    return damage


def _keyed(change: Callable[[Row], str]) -> Callable[[str], str]:
    """The same change to every line that starts with a keyword."""
    return _each(lambda row: change(row) if row.key else row.text)


def _structured(change: Callable[[str], str]) -> Callable[[str], str]:
    """The same change to what stands after the keyword, where that is not free text."""
    return _keyed(lambda row: row.before + change(row.value) if row.key in STRUCTURED else row.text)


def _quotes(opening: str, closing: str) -> Callable[[str], str]:
    """Other quotes, but for texts that hold such a sign themselves."""

    def other(found: re.Match[str]) -> str:
        text = found[1]
        return found[0] if closing in text or opening in text else f"{opening}{text}{closing}"

    return _structured(lambda value: re.sub(r'"([^"]*)"', other, value))


def _outside_quotes(signs: Mapping[str, str]) -> Callable[[str], str]:
    table = str.maketrans(dict(signs))

    def change(value: str) -> str:
        pieces = re.split(r'("[^"]*"|/(?:\\/|[^/])+/|\[[^\]]*\]|\{[^}]*\})', value)
        return "".join(piece if number % 2 else piece.translate(table) for number, piece in enumerate(pieces))

    return change


def _wide_signs(row: Row) -> str:
    if row.text.lstrip().startswith("|"):
        return row.text.replace("|", "｜")
    before = row.before.replace(":", "：")
    wide = _outside_quotes({",": "，", "(": "（", ")": "）", "=": "＝", "%": "％"})
    return before + (wide(row.value) if row.key in STRUCTURED else row.value)


def _synonym(row: Row) -> str:
    other = {"weight": "points", "ask": "question", "group": "section", "judge": "judges", "tags": "tag"}
    return row.text.replace(row.key, other.get(row.key, row.key), 1)


def _full_stop(row: Row) -> str:
    stops = row.key in STRUCTURED and row.value and not row.value.endswith(".")
    return f"{row.text}." if stops else row.text


def _markdown(text: str) -> str:
    """The head and the rule of a Markdown table above the levels of every scale."""
    rows: list[str] = []
    for line in text.split("\n"):
        first = line.lstrip().startswith("|") and not (rows and rows[-1].lstrip().startswith("|"))
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if first and len(cells) == 3:
            rows += ["  | level | score | meaning |", "  |-------|:-----:|---------|"]
        rows.append(line)
    return "\n".join(rows)


def _between(text: str) -> str:
    return text.replace("\n", "\n\n   # a remark: weight: 3\n\n")


def _bullets(text: str) -> str:
    marks = "*•–"
    rows = text.split("\n")
    return "\n".join(re.sub(r"^(\s*)- ", rf"\1{marks[number % 3]} ", row) for number, row in enumerate(rows))


def _blanks(blank: str) -> Callable[[str], str]:
    return _each(lambda row: row.text.replace(" ", blank))


HARMLESS: Mapping[str, Callable[[str], str]] = {
    "CRLF ends the lines": lambda text: text.replace("\n", "\r\n"),
    "CR ends the lines": lambda text: text.replace("\n", "\r"),
    "U+2028 ends the lines": lambda text: text.replace("\n", "\u2028"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "tabs for indentation": _each(lambda row: re.sub(r"^ +", lambda found: "\t" * (len(found[0]) // 2), row.text)),
    "no indentation": _each(lambda row: row.text.lstrip()),
    "doubled indentation": _each(lambda row: re.sub(r"^ +", lambda found: found[0] * 2, row.text)),
    "curly quotes": _quotes("“", "”"),
    "German quotes": _quotes("„", "“"),
    "French quotes": _quotes("«", "»"),
    "single quotes": _quotes("'", "'"),
    "no-break spaces": _blanks("\xa0"),
    "wide and thin spaces": _blanks("\u2003"),
    "full-width signs": _each(_wide_signs),
    "keywords in capitals": _keyed(lambda row: row.before.upper() + row.value),
    "blanks before the colon": _keyed(lambda row: row.before.replace(":", "  :", 1) + row.value),
    "blanks at the end": _each(lambda row: row.text + " \t "),
    "blank lines and remarks between": _between,
    "points:, question:, section:, ...": _keyed(_synonym),
    "a full stop after every line": _keyed(_full_stop),
    "other bullets": _bullets,
    "Markdown table heads": _markdown,
}
