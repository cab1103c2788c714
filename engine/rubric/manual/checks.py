"""Every shape of a check, other ways to say the same, and how texts and numbers are read."""

from collections.abc import Iterator
from types import MappingProxyType

from engine.rubric.editor.sayings import SHAPES, Shape
from engine.rubric.manual.markdown import code, codes, table
from engine.rubric.names import FIELDS
from engine.rubric.numbers import UNITS

__all__ = ["numbers", "same", "shapes"]

_ABOUT_PARTS = (
    Shape("[Tone] is at least 0.5", "The score of another criterion or group."),
    Shape("[Tone] passes", "It reaches its pass mark."),
    Shape("[Tone] fails", "It applies, and does not reach its pass mark."),
    Shape("[Tone] is ungraded", "Its score is not known."),
)
"""Checks that look at another part of the rubric, by its name."""

_ABOUT_THE_WHOLE = (
    Shape("score is at least 0.75", "The score of the whole."),
    Shape("any must fails", "At least one must or must not fails."),
    Shape("all musts pass", "No must and no must not fails."),
    Shape("ungraded", "The verdict is not certain. Stands by itself, in a verdict."),
)
"""Checks that look at the whole; they stand in verdict: and cap: only."""

_JOINED = (
    Shape("answer cites a source and answer is not empty", "Both hold."),
    Shape('answer contains "30 days" or answer contains "a month"', "At least one holds."),
    Shape('answer contains "30 days" or "a month"', "The words before a text are repeated for you."),
    Shape(
        'answer cites a source and (answer contains "yes" or answer contains "no")',
        "Brackets say what belongs together, where `and` and `or` meet.",
    ),
)
"""Checks made of checks."""

_SAME = MappingProxyType(
    {
        'answer contains "a"': ('the answer mentions "a"', 'response includes "a"', 'reply contains "a"'),
        'answer does not contain "a"': ('answer doesn\'t mention "a"', 'answer never contains "a"'),
        'answer contains any of "a", "b"': ('answer contains one of "a", "b"',),
        'answer does not contain any of "a", "b"': ('answer contains none of "a", "b"',),
        'answer has the word "a"': ('answer uses the word "a"', 'answer contains the word "a"'),
        'answer starts with "a"': ('answer begins with "a"',),
        "answer has at most 80 words": (
            "answer has no more than 80 words",
            "answer has up to 80 words",
            "answer has ≤ 80 words",
        ),
        "answer has at least 80 words": ("answer has no fewer than 80 words", "answer has >= 80 words"),
        "answer has more than 80 words": ("answer has over 80 words", "answer has > 80 words"),
        "answer has fewer than 80 words": ("answer has less than 80 words", "answer has under 80 words"),
        "answer cites a source": ("answer cites a citation", "answer cites at least 1 source"),
        'tool "a" was called': ('tool "a" was used',),
        'top result is "a"': ('first result is "a"',),
        "latency is at most 2 seconds": ("latency ≤ 2 s", "latency is at most 2000 ms"),
        "category is not returns": ("category isn't returns", "category ≠ returns"),
    }
)
"""A check in its usual spelling, and other ways to write it that are read alike."""


def shapes() -> Iterator[str]:
    """Every shape, in tables by what it looks at."""
    yield "About the answer, its sources, the tools and the results:"
    yield _table(SHAPES)
    yield f"Words about the question that every query set has: {codes(FIELDS)}. A rubric declares others with `field:`."
    yield "About another part of the rubric, in `check:`, `only when:`, `cap:` and `verdict:`. `[Tone]` is its name:"
    yield _table(_ABOUT_PARTS)
    yield "About the whole, in `cap:` and `verdict:` only:"
    yield _table(_ABOUT_THE_WHOLE)
    yield "Joined:"
    yield _table(_JOINED)


def _table(rows: tuple[Shape, ...]) -> str:
    return table(("you write", "what it says"), ((code(row.example), row.about) for row in rows))


def same() -> str:
    """Other ways to say the same."""
    return table(("the usual words", "are read alike"), ((code(usual), codes(other)) for usual, other in _SAME.items()))


def numbers() -> Iterator[str]:
    """Numbers, units and texts."""
    yield (
        "`at least`, `at most`, `more than`, `fewer than`, `exactly`, `between 2 and 4`. For scores and measured"
        " numbers also `above` and `below`."
    )
    yield "A number is written `3`, `0.7`, `70%`, `7/10` or as a word up to `ten`; never with a comma."
    spellings: dict[tuple[str, str], list[str]] = {}
    for written, unit in UNITS.items():
        spellings.setdefault((unit.kind, unit.name), []).append(written)
    rows = ((kind, code(name), codes(written)) for (kind, name), written in spellings.items())
    yield table(("what", "unit", "may be written"), rows)
    yield (
        "Texts are compared without regard to capital letters, to runs of blanks, and to the kind of quotation mark or"
        ' dash. `contains "art"` also finds *party*; `has the word "art"` does not. Sources are compared as parts of'
        ' names: `"refunds"` finds `help/refunds.md`.'
    )
