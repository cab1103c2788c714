"""No form of a secret gets through; whatever is no secret does, unchanged."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.providers.scrub import REMOVED, ScrubbedStream, Scrubber

KEY = 'sk-Ab/9+x="\\z~q%7-Lm0'
MARK = REMOVED.encode()

secrets = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40)
around = st.binary(max_size=30)


def forms(key: str) -> dict[str, str]:
    encoded = base64.b64encode(key.encode()).decode()
    safe = base64.urlsafe_b64encode(key.encode()).decode()
    return {
        "as it is": key,
        "base64": encoded,
        "base64 without padding": encoded.rstrip("="),
        "base64 for addresses": safe,
        "base64 for addresses without padding": safe.rstrip("="),
        "in an address": quote(key, safe=""),
        "in a path": quote(key),
        "in a form": quote_plus(key),
        "small letters": "".join(f"%{ord(c):02x}" if quote(c, safe="") != c else c for c in key),
        "JSON": json.dumps(key)[1:-1],
        "JSON for pages": json.dumps(key)[1:-1].replace("/", "\\/"),
    }


@pytest.mark.parametrize("form", forms(KEY))
def test_every_form_is_taken_out(form: str) -> None:
    text = f"you sent {forms(KEY)[form]}!"
    clean = Scrubber([KEY]).answer(text.encode()).decode()
    assert clean.startswith(f"you sent {REMOVED}"), clean
    assert clean.endswith("!")
    assert len(clean) <= len(f"you sent {REMOVED}==!")


@given(secrets, around, around)
def test_within_base64_at_any_place(key: str, before: bytes, after: bytes) -> None:
    echoed = base64.b64encode(before + key.encode() + after)
    clean = Scrubber([key]).answer(echoed)
    assert MARK in clean
    assert len(clean.replace(MARK, b"")) <= len(echoed) - (
        len(key) * 4 // 3 - 4
    )  # letters shared with a neighbour stay


@settings(max_examples=20)
@given(secrets, around, around)
def test_in_pieces_as_in_one(key: str, before: bytes, after: bytes) -> None:
    for form in forms(key).values():
        data = before + form.encode() + after
        for cut in range(len(data) + 1):
            stream = ScrubbedStream(Scrubber([key]))
            out = stream.feed(data[:cut]) + stream.feed(data[cut:]) + stream.end()
            assert key.encode() not in out
            assert form.encode() not in out
            assert MARK in out


def test_byte_by_byte() -> None:
    stream = ScrubbedStream(Scrubber([KEY]))
    data = f"a {KEY} b {KEY}{KEY} sk-Ab c".encode()
    out = b"".join(stream.feed(data[at : at + 1]) for at in range(len(data))) + stream.end()
    assert out == f"a {REMOVED} b {REMOVED}{REMOVED} sk-Ab c".encode()


def test_only_what_may_become_a_secret_is_held_back() -> None:
    stream = ScrubbedStream(Scrubber([KEY]))
    assert stream.feed(b"the first words, sk") == b"the first words, "
    assert stream.feed(b"y is blue") == b"sky is blue"
    assert stream.end() == b""


def test_a_secret_that_is_cut_off_at_the_end_of_a_stream() -> None:
    stream = ScrubbedStream(Scrubber([KEY]))
    assert stream.feed(f"key {KEY[:-1]}".encode()) == b"key "
    assert stream.end() == MARK


@given(st.binary(max_size=300))
def test_what_holds_no_secret_is_not_touched(data: bytes) -> None:
    scrubber = Scrubber(["a-secret-nobody-draws"])
    assert scrubber.answer(data) is data
    assert scrubber.error(data) is data
    stream = ScrubbedStream(scrubber)
    assert stream.feed(data) + stream.end() == data


def test_a_short_value_may_be_a_word_of_an_answer() -> None:
    scrubber = Scrubber(["EMPTY"])
    assert scrubber.answer(b"the list is EMPTY") == b"the list is EMPTY"
    assert scrubber.error(b'bad key "EMPTY"; NOT_EMPTY, EMPTYING and EMPTY-ish') == (
        b'bad key "[secret removed]"; NOT_EMPTY, EMPTYING and EMPTY-ish'
    )
    assert scrubber.error(b"EMPTY EMPTY") == b"[secret removed] [secret removed]"


def test_an_empty_value_is_no_secret() -> None:
    assert Scrubber([""]).error(b"abc") == b"abc"


def test_several_secrets_of_which_one_begins_like_another() -> None:
    scrubber = Scrubber(["abcdefgh", "abcdefgh-ijkl"])
    assert scrubber.answer(b"abcdefgh-ijkl abcdefgh") == MARK + b" " + MARK


def test_a_text() -> None:
    assert Scrubber([KEY]).text(f"é {KEY}") == f"é {REMOVED}"
