"""Patterns: what can take forever is refused before it runs, and what is left is quick on hostile text."""

import time

import pytest

from engine.rubric import patterns
from engine.rubric.context import Slip
from engine.rubric.diagnostic import NOWHERE
from tests.rubric.build import exchange, one

DANGEROUS = [
    # a repeat inside a repeat
    r"(a+)+", r"(a*)*b", r"((a{2,})*)*", r"(x+x+)+y", r"(.*,)*x", r"(\s*\S*)*x", r"(([a-z])+.)+[A-Z]([a-z])+$",
    r"(?:\w+[-.]?)+@", r"^(\w+\s?)*$", r"([A-Z0-9]+-?)+$", r"((ab)*)*c", r"(a{1,2}b?)*c", r"(ab?b?)+$", r"(a|b+)*c",
    # alternatives that begin alike under a repeat, one of them empty or within another
    r"(ab?|a)+$", r"((a|ab)(c|bcd))*$", r"(\d+|\w+)+!", r"(a|a)*b", r"(\wx|\dy)+$", r"(?:|a|ab)*c", r"(a[ab]|[ab]c)*d",
    r"(éa|\wb)+!", r"(?:[\u0400-\u04ff]x|\wy)+!",
    # repeats side by side
    r"(a|ab)(c|bcd)*.*.*.*", r".*.*.*=", r"\s*\s*\s*x", r"[^,]*[^;]*[^.]*!", r"\w+\d+[a-f0-9]+!",
    # the same behind a bound, an option or another piece
    r"(?:a?){30}a{30}", r"(.*){5}x", r"(.*)?(.*)?(.*)?=", r"(.*|x)(.*|x)(.*|x)=", "a*a*b" * 10, "a?" * 30 + "a" * 30,
    "a{0,15}" * 20 + "b", "(a|ab)(b?)" * 12 + "x", r"(a?a?b){15}c",
]  # fmt: skip
SAFE = [
    r"(\w+,)+", r"ORD-\d{6}", r"\bfoo\b", r"[a-z]+@[a-z]+\.com", r"^\s*\{", r"(foo|bar)+", r"a.*b", r"\d{1,3}(,\d{3})*",
    r"(?:[A-Z]{2}\d{4}\s)+", r"x*y*", r"https?://\S+", r"(?:\+\d{1,3}[ -]?)?\(?\d{3}\)?[ -]?\d{3}[ -]?\d{4}",
    r"[\w.+-]+@[\w-]+\.[\w.]+", r"\$?\d{1,3}(,\d{3})*(\.\d{2})?", r"^#+ .+$", r"\d+:.*y.*z", r"(a?){3}b",
    r"([ab]|[bc])*d", r"(\w|\d)+$",
]  # fmt: skip


NESTED = ["(" * 120 + "a" + ")*" * 120, "(" * 240 + "a" + ")" * 240, "(a|" * 120 + "b" + ")" * 120, "[a-z]" * 90,
          "(?:" + "|".join("abcdefghijklmnopqrstuvwxyz" * 6) + ")+", r"\w+\s" * 80, "[^a]*" * 90]  # fmt: skip


def _code(pattern: str) -> str:
    try:
        patterns.screen(pattern, NOWHERE)
    except Slip as slip:
        return slip.diagnostic.code
    return ""


@pytest.mark.parametrize("pattern", DANGEROUS)
def test_dangerous(pattern: str) -> None:
    assert _code(pattern) == "R602"


@pytest.mark.parametrize("pattern", [*DANGEROUS, *NESTED, *["(" * 400, "[" * 500, "a{1,9999999999999}"]])
def test_judging_a_pattern_takes_no_time(pattern: str) -> None:
    started = time.process_time()

    _code(pattern)

    assert time.process_time() - started < 0.05


@pytest.mark.parametrize("pattern", SAFE)
def test_safe(pattern: str) -> None:
    assert _code(pattern) == ""


@pytest.mark.parametrize(
    "pattern", [r"(a)\1", r"(?=x)y", r"(?<!x)y", r"(?P<n>a)(?P=n)", r"(?>a+)b", r"a++", r"(a)?(?(1)b|c)"]
)
def test_not_supported(pattern: str) -> None:
    assert _code(pattern) == "R603"


@pytest.mark.parametrize("pattern", ["[", "(", "*", "a{2,1}", "(?P<1>a)", "\\"])
def test_not_valid(pattern: str) -> None:
    assert _code(pattern) == "R601"


@pytest.mark.parametrize("pattern", [r"x.*y.*z", r"\s+$", r"\w+\d+!", *SAFE])
@pytest.mark.parametrize("piece", ["x", "xy", " ", "a1", "1,234", "AB1234 ", "http://"])
def test_what_is_allowed_is_quick_on_hostile_text(pattern: str, piece: str) -> None:
    line = "answer matches /" + pattern.replace("/", "\\/") + "/"
    started = time.process_time()

    one(line, exchange((piece * 60_000)[:60_000] + "\n"))

    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("shape", "text", "holds"),
    [
        ("ORD-*", "see ORD-12x now", 1.0),
        ("A*-*Z", "Ab-c-dZ", 1.0),
        ("A*-*Z", "Ab c-dZ", 0.0),  # a run has no blanks in it
        ("#*#*#", "1a2b3", 1.0),
        ("#*#*#", "1a2b", 0.0),
        ("*.md", "docs/a.md", 1.0),
        ("a*b*", "xab", 0.0),  # it begins where a word begins
        ("a*bc", "abxbc", 1.0),  # the last piece may fit later than where it first looks like fitting
        ("a**b", "ab", 1.0),
    ],
)
def test_shapes(shape: str, text: str, holds: float) -> None:
    assert one(f'answer looks like "{shape}"', exchange(text)).score == holds


def test_a_shape_of_many_runs_is_quick_on_hostile_text() -> None:
    """Ten runs that could share the same text in 200 to the tenth ways."""
    started = time.process_time()

    assert one('answer looks like "*-*-*-*-*-*-*-*-*-*!"', exchange("-" * 20_000)).score == 0.0

    assert time.process_time() - started < 3
