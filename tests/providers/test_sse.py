"""Server-sent events and JSON lines, however they are cut."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.providers.ndjson import Lines
from engine.providers.sse import LONGEST_LINE, Events
from engine.providers.streaming import Piece

EVENTS: list[tuple[str, bytes, list[Piece]]] = [
    ("one", b"data: a\n\n", [("", b"a")]),
    ("no-blank-after-the-colon", b"data:a\n\n", [("", b"a")]),
    ("only-one-blank-is-taken", b"data:  a\n\n", [("", b" a")]),
    ("no-colon", b"data\n\n", [("", b"")]),
    ("several-lines", b"data: a\ndata:\ndata: b\n\n", [("", b"a\n\nb")]),
    ("named", b"event: error\ndata: a\n\ndata: b\n\n", [("error", b"a"), ("", b"b")]),
    ("a-name-without-data-is-no-event", b"event: ping\n\ndata: b\n\n", [("", b"b")]),
    ("comments", b": ping\n\n:\ndata: a\n: c\n\n", [("", b"a")]),
    ("unknown-fields", b"id: 7\nretry: 10\nfoo: bar\ndata: a\nDATA: x\n\n", [("", b"a")]),
    ("crlf", b"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", [("", b"a\nb"), ("", b"c")]),
    ("cr", b"data: a\rdata: b\r\rdata: c\r\r", [("", b"a\nb"), ("", b"c")]),
    ("mixed", b"data: a\r\ndata: b\n\rdata: c\r\n\n", [("", b"a\nb"), ("", b"c")]),
    ("byte-order-mark", b"\xef\xbb\xbfdata: a\n\n", [("", b"a")]),
    ("byte-order-mark-only-at-the-start", b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [("", b"a")]),
    ("a-colon-in-the-value", b"data: a: b\n\n", [("", b"a: b")]),
    ("line-ends-of-unicode-are-none", "data: a\u2028b\x85c\n\n".encode(), [("", "a\u2028b\x85c".encode())]),
    ("many-empty-lines", b"\n\n\r\n\ndata: a\n\n\n\n", [("", b"a")]),
    ("nothing", b"", []),
]


def _feed(reader: Events | Lines, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        assert not list(reader.feed(piece))


def _events(*parts: bytes) -> list[Piece]:
    reader = Events()
    return [event for part in parts for event in reader.feed(part)]


@pytest.mark.parametrize(("stream", "expected"), [case[1:] for case in EVENTS], ids=[case[0] for case in EVENTS])
def test_events(stream: bytes, expected: list[Piece]) -> None:
    assert _events(stream) == expected


@pytest.mark.parametrize("stream", [case[1] for case in EVENTS], ids=[case[0] for case in EVENTS])
def test_events_cut_at_any_two_bytes(stream: bytes) -> None:
    expected = _events(stream)
    for first in range(len(stream) + 1):
        for second in range(first, len(stream) + 1):
            assert _events(stream[:first], stream[first:second], b"", stream[second:]) == expected
    assert _events(*(stream[at : at + 1] for at in range(len(stream)))) == expected


@given(
    st.lists(st.sampled_from([b"\r", b"\n", b"data: a", b"data", b":", b"event: e", b"\xef\xbb\xbf", b""])), st.data()
)
@settings(max_examples=300, deadline=None)
def test_any_stream_gives_one_result_however_it_is_cut(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    cut = data.draw(st.integers(0, len(stream)))

    assert _events(*parts) == _events(stream) == _events(stream[:cut], stream[cut:])


def test_what_is_not_closed_is_handed_out_at_the_end() -> None:
    reader = Events()
    assert not list(reader.feed(b"event: e\ndata: a\ndata: b"))
    assert list(reader.end()) == [("e", b"a\nb")]


@pytest.mark.parametrize("reader", [Events, Lines])
@pytest.mark.parametrize("piece", [LONGEST_LINE + 1, 1_000])
def test_a_line_may_be_so_long_and_no_longer(reader: type[Events | Lines], piece: int) -> None:
    line = b"x" * LONGEST_LINE
    assert list(reader().feed(line + b"\n")) == ([] if reader is Events else [("", line)])

    pieces = (b"x" * min(piece, LONGEST_LINE + 1 - at) for at in range(0, LONGEST_LINE + 1, piece))
    with pytest.raises(ValueError, match="a line of it is too long"):
        _feed(reader(), pieces)


@pytest.mark.parametrize("reader", [Events, Lines])
def test_many_lines_may_be_longer_together(reader: type[Events | Lines]) -> None:
    many = b": some comment of a line\n" * (2 * LONGEST_LINE // 24)
    assert len(many) > LONGEST_LINE
    found = reader()
    pieces = [piece for at in range(0, len(many), 999_999) for piece in found.feed(many[at : at + 999_999])]
    assert len(pieces) == (0 if reader is Events else many.count(b"\n"))


@pytest.mark.parametrize("reader", [Events, Lines])
def test_all_of_it_may_be_so_long_and_no_longer(reader: type[Events | Lines]) -> None:
    _feed(reader(longest=1_000), [b"\n"] * 1_000)
    with pytest.raises(ValueError, match="longer than any answer may be"):
        _feed(reader(longest=1_000), [b"\n"] * 1_001)


def test_lines() -> None:
    reader = Lines()
    assert list(reader.feed(b'{"a":1}\n\r\n  \n{"b"')) == [("", b'{"a":1}')]
    assert list(reader.feed(b':"\xc3')) == []
    assert list(reader.feed(b'\xa4"}\r\n[1]')) == [("", '{"b":"ä"}'.encode())]
    assert list(reader.end()) == [("", b"[1]")]
    assert list(reader.end()) == []
