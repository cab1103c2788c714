"""Patterns: what can take forever is refused before it runs, and what is left is quick on hostile text."""

import time

import pytest

from engine.rubric import patterns
from engine.rubric.context import Slip
from engine.rubric.diagnostic import NOWHERE
from tests.rubric.build import exchange, one

DANGEROUS = [
    r"(a+)+", r"(a*)*b", r"(ab?|a)+$", r"(a{1,2}b?)*c", r"(ab?b?)+$", r"((a|ab)(c|bcd))*$",
    r"(\w+\s?)*$", r"([A-Z0-9]+-?)+$", r"(x+x+)+y", r"(.*,)*x", r"(a|ab)(c|bcd)*.*.*.*",
    r".*.*.*=", r"((a{2,})*)*", r"(\d+|\w+)+!", r"(?:a?){30}a{30}", r"(\s*\S*)*x",
]  # fmt: skip
SAFE = [
    r"(\w+,)+", r"ORD-\d{6}", r"\bfoo\b", r"[a-z]+@[a-z]+\.com", r"^\s*\{", r"(foo|bar)+", r"a.*b", r"\d{1,3}(,\d{3})*",
    r"(?:[A-Z]{2}\d{4}\s)+", r"x*y*", r"https?://\S+",
]  # fmt: skip


def _code(pattern: str) -> str:
    try:
        patterns.screen(pattern, NOWHERE)
    except Slip as slip:
        return slip.diagnostic.code
    return ""


@pytest.mark.parametrize("pattern", DANGEROUS)
def test_dangerous(pattern: str) -> None:
    assert _code(pattern) == "R602"


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
