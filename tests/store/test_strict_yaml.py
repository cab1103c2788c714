"""YAML is read strictly, quickly, and with places: J6, F39."""

import time
from contextlib import suppress

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.store import strict_yaml

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8)
)
DEEP_BY_ALIAS = "".join(f"a{n}: &a{n} {'[' * 60}{f'*a{n - 1}' if n else 'x'}{']' * 60}\n" for n in range(3))

REFUSED = [
    pytest.param(BOMB, "f:7:", "1,000,000 values", id="bomb"),
    pytest.param("[&a x" + ", *a" * 101 + "]", "f:1:", "more than 100 aliases", id="aliases"),
    pytest.param(DEEP_BY_ALIAS, "f:2:", "100 levels", id="deep-by-alias"),
    pytest.param("a: &x [*x]", "f:1:8: ", "not complete before", id="recursive"),
    pytest.param("a: *none", "f:1:4: ", "not complete before", id="unknown-alias"),
    pytest.param(
        "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "f:5:3: ", 'key "c" is given twice, first in line 3', id="twice"
    ),
    pytest.param("'a': 1\na: 2", "f:2:1: ", 'key "a" is given twice, first in line 1', id="twice-quoted"),
    pytest.param("[" * 100_000, "f:1:", "too deep", id="deep-flow"),
    pytest.param("- " * 100_000, "f:1:201: ", "100 levels", id="deep-block"),
    pytest.param("a: !!python/object/apply:os.system [x]", "f:1:4: ", "!!python/object", id="tag-code"),
    pytest.param("a: !!str 1", "f:1:4: ", "tags are not supported", id="tag-standard"),
    pytest.param("a: !thing {}", "f:1:4: ", "tags are not supported", id="tag-own"),
    pytest.param("<<: {a: 1}", "f:1:1: ", "merge key", id="merge"),
    pytest.param("? [a]\n: b", "f:1:3: ", "a key must be plain text", id="list-as-key"),
    pytest.param("query: {{ user }} x", "f:1:9: ", "a key must be plain text", id="braces-without-quotes"),
    pytest.param("a: 1\n---\nb: 2\n", "f:2:1: ", "second document", id="two-documents"),
    pytest.param("a: 1e999", "f:1:4: ", "too large", id="1e999"),
    pytest.param("a: " + "9" * 5000, "f:1:4: ", "more digits", id="5000-digits"),
    pytest.param("a:\n\tb: 1", "f:2:1: ", "a tab stands where", id="tab"),
    pytest.param("a: b: c", "f:1:5: ", "a colon is not expected", id="colon"),
    pytest.param("a: `b`", "f:1:4: ", "cannot begin with", id="backtick"),
    pytest.param("ok: 1\na: 'b\n", "f:2:4: ", "never closed", id="open-quote"),
    pytest.param("a: [1,\nb: 2", "f:1:4: ", "is not closed", id="open-list"),
    pytest.param("- a\nb: 1", "f:2:1: ", "", id="mixed"),
    pytest.param("a:\n  - b\n c: d", "f:3:2: ", "indentation", id="indentation"),
    pytest.param("a: b\0", "f:1:5: ", "NUL", id="nul"),
    pytest.param("é: 1\na: \x1b[0m", "f:2:4: ", "U+001B", id="control"),
    pytest.param("a: \ud800", "f:1:4: ", "U+D800", id="surrogate"),
]


@pytest.mark.parametrize(("text", "place", "message"), REFUSED)
@pytest.mark.parametrize("parser", ["CSafeLoader", "SafeLoader"])
def test_refused_with_its_place(
    monkeypatch: pytest.MonkeyPatch, parser: str, text: str, place: str, message: str
) -> None:
    """J6: with the C parser and with the one in Python."""
    if not hasattr(yaml, parser):
        pytest.skip("PyYAML was built without libyaml")
    if parser == "SafeLoader" and len(text) > 50_000:
        pytest.skip("the parser in Python takes seconds to look ahead")
    monkeypatch.setattr(strict_yaml, "_LOADER", getattr(yaml, parser))
    with pytest.raises(UsageError) as caught:
        strict_yaml.load(text, "f")

    (problem,) = caught.value.problems
    assert problem.place.startswith(place.removesuffix(": "))
    assert message in problem.message


def test_a_bomb_of_306_bytes_takes_no_time() -> None:
    """J6: refused in under 50 ms."""
    assert len(BOMB) == 306
    start = time.process_time()
    with pytest.raises(UsageError):
        strict_yaml.load(BOMB, "f")

    assert time.process_time() - start < 0.05


@pytest.mark.parametrize(
    ("written", "value", "reading"),
    [
        ("NO", "NO", "False"),
        ("no", "no", "False"),
        ("yes", "yes", "True"),
        ("On", "On", "True"),
        ("True", "True", "True"),
        ("12:30:45", "12:30:45", "a number"),
        ("012", "012", "a number"),
        ("0x10", "0x10", "a number"),
        ("1_000", "1_000", "a number"),
        (".5", ".5", "a number"),
        ("nO", "nO", None),
        ("2025-12-17", "2025-12-17", None),
        ("1.0.0", "1.0.0", None),
        ("'NO'", "NO", None),
        ('"012"', "012", None),
        ("1", 1, None),
        ("-2.50", -2.5, None),
        ("1e3", 1000.0, None),
        ("${HOME} x", "${HOME} x", None),
        ("'{{ user.name }} {% x %}'", "{{ user.name }} {% x %}", None),
    ],
)
def test_scalars(written: str, value: object, reading: str | None) -> None:
    """J6, F39: text stays text; what other readers would make of it is known."""
    loaded = strict_yaml.load(f"a:\n  - x\n  - b: {written}\n", "f")

    assert loaded.value == {"a": ["x", {"b": value}]}
    found = loaded.value["a"][1]["b"]
    assert type(found) is type(value)
    assert loaded.other_reading(("a", 1, "b")) == reading


def test_only_these_words_are_not_text() -> None:
    """J6: true, false, null and nothing at all."""
    assert strict_yaml.load("[true, false, null, ~, , '']".replace(", ,", ", "), "f").value == [
        True,
        False,
        None,
        None,
        "",
    ]
    assert strict_yaml.load("a:\n1: x\ntrue: y\n", "f").value == {"a": None, "1": "x", "true": "y"}
    assert strict_yaml.load("", "f").value is None
    assert strict_yaml.load("# only a remark\n", "f").value is None


def test_places() -> None:
    """Line and column of values and keys, from 1; a path that does not exist leads to its parent."""
    loaded = strict_yaml.load("\ufeff# é\r\nqueries:\r\n  - id: a\r\n    relevant: {é: 1, d: 3}\r\n", "f")

    assert loaded.at(()) == (2, 1)
    assert loaded.key_at(("queries",)) == (2, 1)
    assert loaded.at(("queries",)) == (3, 3)
    assert loaded.at(("queries", 0, "id")) == (3, 9)
    assert loaded.key_at(("queries", 0, "id")) == (3, 5)
    assert loaded.at(("queries", 0, "relevant", "d")) == (4, 25)
    assert loaded.key_at(("queries", 0, "relevant", "d")) == (4, 22)
    assert loaded.at(("queries", 0, "intent")) == (3, 5)
    assert loaded.at(("nothing", "here")) == (2, 1)


def test_an_alias_repeats_its_value() -> None:
    """Anchors are fine in measure."""
    loaded = strict_yaml.load("a: &a {x: 1}\nb: [*a, *a]\n", "f")

    assert loaded.value == {"a": {"x": 1}, "b": [{"x": 1}, {"x": 1}]}
    assert loaded.at(("b", 1)) == (2, 9)
    assert loaded.at(("b", 1, "x")) == (1, 11)


@given(st.text(alphabet=st.sampled_from("ab: -\n\t[]{},&*!'\"|>#%@0é\r\ufeff\u2028"), max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_text_is_a_value_or_a_usage_error(text: str) -> None:
    """No exception of the library reaches a person."""
    with suppress(UsageError):
        strict_yaml.load(text, "f")
