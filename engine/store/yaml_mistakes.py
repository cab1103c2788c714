"""What the YAML library says about a broken file, in words for the person who wrote it."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Mistake", "explain"]


class Mistake(NamedTuple):
    """`where_it_began`: the place to look at is where the broken value begins, not where it was noticed."""

    message: str
    help: str = ""
    where_it_began: bool = False


def explain(said: str, char: str) -> Mistake:
    """The mistake behind what the library said when it stopped at `char`."""
    if char == "\t":
        return Mistake("a tab stands where YAML wants blanks", "indent with blanks")
    for part, mistake in _MISTAKES:
        if part in said:
            return mistake._replace(message=mistake.message.replace("{char}", repr(char)))
    return Mistake(f"this is not YAML: {said}")


_INDENT = Mistake("the indentation does not fit the lines before it", "align it, or look for an open quote")
_ESCAPE = Mistake("the escape after the backslash is not complete", "double the backslash, or use single quotes")
_MISTAKES: Sequence[tuple[str, Mistake]] = (
    ("cannot start any token", Mistake("a value cannot begin with {char}", "write it in quotes")),
    (
        "mapping values are not allowed",
        Mistake("a colon is not expected here", 'put text that holds ": " in quotes, or mend the indentation'),
    ),
    ("could not find expected ':'", Mistake('this line is not "key: value"', "look at the line before it, too")),
    ("unexpected end of stream", Mistake("a quote is opened and never closed", "close it", where_it_began=True)),
    ("expected ',' or ']'", Mistake("a list in [ ] is not closed, or a comma is missing", "", where_it_began=True)),
    ("expected ',' or '}'", Mistake("a mapping in { } is not closed, or a comma is missing", "", where_it_began=True)),
    ("expected key", _INDENT),
    ("expected <block end>", _INDENT),
    ("expected '-' indicator", Mistake('an item of a list must begin with "- "', "align the items")),
    ("block sequence entries are not allowed", Mistake("a list cannot begin here", "begin it in the next line")),
    (
        "expected alphabetic or numeric",
        Mistake("a name must follow & or *", "put text that begins with & or * in quotes"),
    ),
    ("unknown escape", Mistake("this escape is not known", "double the backslash, or use single quotes")),
    ("expected hex", _ESCAPE),
    ("escape sequence of", _ESCAPE),
    ("maximum nesting depth", Mistake("values are nested too deep")),
)
