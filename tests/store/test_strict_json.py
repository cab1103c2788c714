"""JSON is read strictly and always writable: J1 to J5, F55."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.store import strict_json
from tests.store.peak_memory import measured

REFUSED = [
    pytest.param('{"a":1,"a":2}', "f:1:8: ", 'the key "a" is given twice', id="J1-top"),
    pytest.param('{"x":{"b":1,\n"\\u0062":2}}', "f:2:1: ", 'the key "b" is given twice', id="J1-second-level-escaped"),
    pytest.param('[{"x":[{"k":1,\n "j":0, "k":2}]}]', "f:2:9: ", 'the key "k" is given twice', id="J1-third-level"),
    pytest.param('{"a":\nNaN}', "f:2:1: ", "NaN is not a JSON number", id="J2-nan"),
    pytest.param("[1, -Infinity]", "f:1:5: ", "-Infinity is not", id="J2-infinity"),
    pytest.param("[1e400]", "f:1:2: ", "1e400 is too large", id="J2-1e400"),
    pytest.param("[" + "9" * 400 + ".0]", "f:1:2: ", "is too large", id="J2-400-digits"),
    pytest.param("[" * 100_000, "f: ", "nested more than 200", id="J3-open"),
    pytest.param("[" * 100_000 + "]" * 100_000, "f: ", "nested more than 200", id="J3-closed"),
    pytest.param('{"a":' * 201 + "1" + "}" * 201, "f: ", "nested more than 200", id="J3-201-objects"),
    pytest.param('["]]]]]]", ' * 201 + "1" + "]" * 201, "f: ", "nested more than 200", id="J3-brackets-in-text"),
    pytest.param("9" * 5000, "f: ", "more digits", id="J3-digits"),
    pytest.param(r'"\ud800"', "f: ", "surrogate", id="J3-escaped-surrogate"),
    pytest.param(r'{"\udc00":1}', "f: ", "surrogate", id="J3-surrogate-in-key"),
    pytest.param('"\ud800"', "f: ", "surrogate", id="J3-raw-surrogate"),
    pytest.param(b'{"a":\n"\xe9"}', "f:2:2: ", "0xe9 is not UTF-8", id="J4-latin-1"),
    pytest.param(b"\xff\xfe[\x00]\x00", "f:1:1: ", "0xff is not UTF-8", id="J4-utf-16"),
    pytest.param(b'"\xc0\xaf"', "f:1:2: ", "0xc0 is not UTF-8", id="J4-overlong"),
    pytest.param(b"\x00" * 50, "f:1:1: ", "NUL", id="J4-zeroes"),
    pytest.param('"a\0b"', "f:1:3: ", "NUL", id="J4-nul-in-text"),
    pytest.param("[1]\ufeff", "f:1:4: ", "not JSON", id="J4-mark-at-the-end"),
    pytest.param("", "f:1:1: ", "nothing here", id="empty"),
    pytest.param('{"a":1', "f:1:7: ", "ends in the middle", id="torn"),
    pytest.param('{"a":1} x', "f:1:9: ", "not JSON", id="more-than-one"),
    pytest.param("{'a':1}", "f:1:2: ", "not JSON", id="single-quotes"),
]


@pytest.mark.parametrize(("data", "place", "message"), REFUSED)
def test_refused_with_its_place(data: str | bytes, place: str, message: str) -> None:
    """J1, J2, J3, J4: what two readers would understand differently is refused, never repaired in silence."""
    with pytest.raises(UsageError) as caught:
        strict_json.loads(data, "f")

    assert str(caught.value).startswith(place)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b'\xef\xbb\xbf{"a":1}', {"a": 1}, id="byte-order-mark"),
        pytest.param("\ufeff1", 1, id="byte-order-mark-in-text"),
        pytest.param('{"a":\r\n1}\r\n', {"a": 1}, id="crlf"),
        pytest.param('"\u2028\u2029\x7f"', "\u2028\u2029\x7f", id="line-separators"),
        pytest.param(r'"\ud83d\ude00\u0000"', "😀\0", id="pair-and-escaped-nul"),
        pytest.param("[" * 200 + "]" * 200, None, id="200-levels"),
        pytest.param('["\\"' + "[{" * 500 + '", 1]', ['"' + "[{" * 500, 1], id="brackets-in-text"),
        pytest.param("[-0.5, 1e3, 12345678901234567890]", [-0.5, 1000.0, 12345678901234567890], id="numbers"),
        pytest.param('{"a":{"a":1},"b":[{"a":1},{"a":2}]}', {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}, id="same-key"),
    ],
)
def test_read_exactly(data: str | bytes, value: object) -> None:
    """J4: what is valid is read as it stands."""
    read = strict_json.loads(data, "f")

    assert value is None or read == value


def test_a_line_keeps_its_number() -> None:
    """A place that names a line of a longer file only gets the column."""
    with pytest.raises(UsageError, match=r"^runs/x\.jsonl:12:8: the key"):
        strict_json.loads('{"a":1,"a":2}', "runs/x.jsonl:12")


def test_written_text_can_always_be_encoded() -> None:
    """J3: an answer with half a character is recorded, not lost."""
    written = strict_json.dumps({"b": "x\ud800é\u2028", "a": [1, None, True]})

    assert written == '{"b":"x?é\u2028","a":[1,null,true]}'
    assert strict_json.loads(written.encode(), "f") == {"b": "x?é\u2028", "a": [1, None, True]}


def test_printable_json_is_the_same_value() -> None:
    """S8: what goes to a terminal holds no character that it would obey."""
    value = {"é😀": "\x1b\x7f\x9b\u202e\u2028\U000e0041 検"}
    written = strict_json.printable(value)

    assert written.isprintable()
    assert "検" in written
    assert strict_json.loads(written, "f") == value


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_a_number_is_not_written(number: float) -> None:
    """J2: not known is None."""
    with pytest.raises(ValueError, match="JSON compliant"):
        strict_json.dumps({"score": number})
    with pytest.raises(ValueError, match="JSON compliant"):
        strict_json.canonical({"score": number})


def test_canonical_form_ignores_the_order_of_keys() -> None:
    """Equal values have one hash; another value has another."""
    assert strict_json.canonical({"é": 1, "a": {"c": 2, "b": 3}}) == '{"a":{"b":3,"c":2},"é":1}'.encode()
    assert strict_json.sha256({"a": 1, "b": 2}) == strict_json.sha256({"b": 2, "a": 1})
    assert strict_json.sha256({"a": [1, 2]}) != strict_json.sha256({"a": [2, 1]})


_TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_TREES)
@settings(max_examples=100, deadline=None)
def test_reading_undoes_writing(value: object) -> None:
    """J1 to J4: whatever is written is read back as it was, in one line."""
    written = strict_json.dumps(value)

    assert "\n" not in written
    assert strict_json.loads(written, "f") == value
    assert strict_json.loads(strict_json.canonical(value), "f") == value


@given(st.text() | st.binary())
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_value_or_a_usage_error(data: str | bytes) -> None:
    """No other exception reaches a person."""
    try:
        value = strict_json.loads(data, "f")
    except UsageError:
        return
    assert json.loads(data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")) == value


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", [], id="empty"),
        pytest.param(b"a\nb", [b"a", b"b"], id="last-line-without-end"),
        pytest.param(b"a\r\n\r\nb\r\n", [b"a", b"", b"b"], id="crlf-and-blank"),
        pytest.param(b"\xef\xbb\xbfa\n", [b"a"], id="byte-order-mark"),
        pytest.param("a\u2028b\x85c\x0bd\x0ce\x1cf\n".encode(), ["a\u2028b\x85c\x0bd\x0ce\x1cf".encode()], id="u2028"),
        pytest.param(b"a\0b\n\0\0", [b"a\0b", b"\0\0"], id="nul"),
        pytest.param(b"a\rb\n", [b"a\rb"], id="lone-cr"),
    ],
)
def test_lines_end_at_line_feeds_only(tmp_path: Path, data: bytes, lines: list[bytes]) -> None:
    """J4: U+2028 and its like are text; `splitlines` would tear a record there."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)

    assert list(strict_json.lines(path)) == list(enumerate(lines, 1))


def test_a_mark_inside_the_file_is_refused(tmp_path: Path) -> None:
    """J4: two files were joined."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"{}\n\xef\xbb\xbf{}\n")

    with pytest.raises(UsageError, match=r"x\.jsonl:2: a byte order mark"):
        list(strict_json.lines(path))


def test_the_longest_line_is_64_mib(tmp_path: Path) -> None:
    """J5: exactly 64 MiB is read, one byte more is not."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"x" * strict_json.LONGEST_LINE + b"\r\n1\n")
    assert [len(line) for _, line in strict_json.lines(path)] == [strict_json.LONGEST_LINE, 1]

    for end in (b"", b"\n"):
        path.write_bytes(b"x" * (strict_json.LONGEST_LINE + 1) + end)
        with pytest.raises(UsageError, match=r"x\.jsonl:1: the line is longer than 64 MiB"):
            list(strict_json.lines(path))


def test_a_sparse_gigabyte_costs_neither_time_nor_memory(tmp_path: Path) -> None:
    """J5: refused in under a second of CPU, below 200 MB."""
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(b"{}\n")
        file.truncate(2**30)
    statement = (
        "try:\n    list(strict_json.lines(pathlib.Path(sys.argv[1])))\nexcept UsageError as error:\n    print(error)\n"
    )
    setup = "from engine.errors import UsageError\nfrom engine.store import strict_json"
    message, seconds, peak, _ = measured(setup, statement, path)

    assert message.endswith("big.jsonl:2: the line is longer than 64 MiB")
    assert seconds < 1
    assert peak < 200e6


@given(_TREES)
def test_the_fast_writer_says_the_same(value: object) -> None:
    """Whatever `loads` reads, `encode` writes so that it is read as the same."""
    assert strict_json.loads(strict_json.encode(value), "x") == strict_json.loads(strict_json.dumps(value), "x")


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("inf")]}, [float("-inf")]])
def test_the_fast_writer_refuses_what_is_no_number(value: object) -> None:
    """J2."""
    with pytest.raises(ValueError, match="JSON"):
        strict_json.encode(value)


def test_the_fast_writer_takes_texts_that_look_like_it() -> None:
    assert strict_json.encode({"a": "NaN Infinity", "b": "\ud800"}) == b'{"a":"NaN Infinity","b":"?"}'
