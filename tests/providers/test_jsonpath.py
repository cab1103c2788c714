"""Paths into JSON: what they find, against an evaluator that goes step by step, and what is said of wrong ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.json_tree import not_found, tree
from engine.providers.jsonpath import MISSING, JsonPath
from engine.providers.path_text import Every, PathError, Step, written

NAMES = st.sampled_from(["a", "b", "id", "two words", "it's", 'q"q', "x.y", "ä"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
STEPS = st.lists(NAMES | st.integers(-3, 3) | st.just("[*]"), max_size=4)


def naive(steps: tuple[Step, ...], value: object) -> list[object]:
    """The meaning of a path, word for word."""
    if not steps:
        return [value]
    first, rest = steps[0], steps[1:]
    if isinstance(first, Every):
        members = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        return [found for member in members for found in naive(rest, member)]
    if isinstance(first, str) and isinstance(value, dict) and first in value:
        return naive(rest, value[first])
    if isinstance(first, int) and isinstance(value, list) and -len(value) <= first < len(value):
        return naive(rest, value[first])
    return []


def as_text(steps: list[str | int]) -> str:
    return "$" + "".join("[*]" if step == "[*]" else written((step,))[1:] for step in steps)


@given(STEPS, VALUES)
def test_a_path_finds_what_it_says(steps: list[str | int], value: object) -> None:
    path = JsonPath.read(as_text(steps))
    expected = naive(path.steps, value)

    assert written(path.steps) == as_text(steps)
    assert path.all(value) == expected
    assert path.one(value) == (expected[0] if expected else MISSING)
    if expected:
        assert path.gap(value) is None


@given(STEPS, VALUES)
def test_a_gap_is_where_the_way_ends(steps: list[str | int], value: object) -> None:
    gap = (path := JsonPath.read(as_text(steps))).gap(value)
    if gap is not None:
        assert path.all(value) == []
        assert gap.value in JsonPath.read(gap.found).all(value)
        assert len(not_found(path.text, gap, value, "the reply").splitlines()) == 1


@given(st.text(max_size=12))
def test_any_text_is_a_path_or_says_where_it_is_wrong(text: str) -> None:
    caught = None
    try:
        JsonPath.read("$" + text)
    except PathError as error:
        caught = error
    if caught is not None:
        assert 0 <= caught.at <= len(text)
        assert str(caught).splitlines()[2].index("^") == caught.at + 4


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("results", 0, "write $.results instead"),
        ("$results", 1, "write $.results instead"),
        ("$..id", 1, "name each level"),
        ("$.*", 1, "write $[*] instead"),
        ("$.a.[0]", 3, "write $.a[0] instead"),
        ("$.a[", 3, "is not closed"),
        ("$.a[id]", 4, 'write $.a["id"] instead'),
        ("$.a[?(@.x)]", 4, "conditions are not understood"),
        ("$.a[0:3]", 4, "ranges and lists are not understood"),
        ("$.a b", 3, "there is a blank"),
        ("$.", 1, "a name is missing"),
    ],
)
def test_a_wrong_path_says_where_and_what_to_write(text: str, at: int, said: str) -> None:
    with pytest.raises(PathError) as caught:
        JsonPath.read(text)
    assert caught.value.at == at
    assert said in str(caught.value)


def test_an_empty_list_is_no_gap_and_a_missing_one_is() -> None:
    path = JsonPath.read("$.results[*].id")
    assert path.gap({"results": []}) is None
    gap = path.gap({"result": [{"id": 1}]})
    assert gap is not None
    said = not_found(path.text, gap, {"result": [{"id": 1}]}, "the reply")
    assert said == (
        'nothing at $.results[*].id: the reply has no "results", it is {result: [1 × {id: 1}]}; '
        "did you mean $.result[*].id?"
    )


def test_a_name_that_stands_deeper_is_found() -> None:
    value = {"data": {"items": [{"doc": {"id": "a"}}]}}
    gap = JsonPath.read("$.items[*]").gap(value)
    assert gap is not None
    assert not_found("$.items[*]", gap, value, "the reply").endswith("did you mean $.data.items[*]?")


def test_a_tree_is_short_and_harmless() -> None:
    value = {"a\x1b[31m": "x\u202e" + "y" * 100, "list": [{"n": 1.5}] * 3, **{f"m{i}": None for i in range(9)}}
    shown = tree(value)
    assert shown.startswith('{a\ufffd: "x\ufffd')
    assert "[3 × {n: 1.5}]" in shown
    assert shown.endswith("… 3 more}")
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("$.dc:title", '$["dc:title"]'),
        ("$.two words.id[0]", '$["two words"].id[0]'),
        ("$.@id.x", '$["@id"].x'),
        ("$.a[ 0 ]", "$.a[0]"),
        ("$.a[01]", "$.a[1]"),
        ("$.a[x y].b", '$.a["x y"].b'),
        ("$['a'].'b'", "$['a'].b"),
        ("$ [0]", "$[0]"),
        ("$.id ", "$.id"),
    ],
)
def test_what_is_proposed_is_a_path(text: str, instead: str) -> None:
    with pytest.raises(PathError) as caught:
        JsonPath.read(text)
    assert str(caught.value).splitlines()[-1].strip() == f"write {instead} instead"
    JsonPath.read(instead)


def test_a_wrong_path_is_shown_without_what_a_terminal_obeys() -> None:
    with pytest.raises(PathError) as caught:
        JsonPath.read("$.a\x1b[2J \u202eb")
    assert not [char for char in str(caught.value) if not char.isprintable() and char != "\n"]


@given(STEPS, VALUES)
def test_a_path_in_two_parts_finds_the_same(steps: list[str | int], value: object) -> None:
    path = JsonPath.read(as_text(steps))
    each, within = path.parted()

    assert [found for item in each.all(value) for found in within.all(item)] == path.all(value)
    assert not any(isinstance(step, Every) for step in within.steps)


def test_what_is_meant_is_proposed_however_the_path_is_written() -> None:
    value = {"result": [{"id": 1}]}
    path = JsonPath.read("$['results'][*]['id']")
    gap = path.gap(value)
    assert gap is not None
    assert not_found(path.text, gap, value, "the reply").endswith("did you mean $.result[*].id?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("$[-1].id", ["c"]), ("$[-3].id", ["a"]), ("$[2].id", ["c"]), ("$[3].id", []), ("$[-4].id", [])],
)
def test_a_place_counts_from_the_start_or_from_the_end(text: str, expected: list[str]) -> None:
    assert JsonPath.read(text).all([{"id": "a"}, {"id": "b"}, {"id": "c"}]) == expected
