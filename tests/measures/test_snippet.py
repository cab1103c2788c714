"""Words of the query that a reader sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.snippet import snippet
from engine.measures.words import content_stems, stems


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("configure", "configuration"),
        ("configuring", "Configured"),
        ("timeouts", "a timeout"),
        ("queries", "one query"),
        ("running", "run it"),
        ("caches", "caching"),
        ("cache", "cached"),
        ("tests", "testing"),
        ("classes", "class"),
        ("connection", "connect"),
        ("retries", "retry"),
        ("indexes", "index"),
        ("authenticate", "authentication"),
        ("STRASSE", "straße"),
        ("http_proxy", "HTTP proxy"),
        ("ｔｉｍｅｏｕｔ", "timeout"),
    ],
)
def test_endings_do_not_matter(query: str, text: str) -> None:
    """Somebody who asks for `configure` recognises `configuration`."""
    assert content_stems(query) <= set(stems(text))


@pytest.mark.parametrize(
    ("query", "text"), [("timeout", "time"), ("port", "portfolio"), ("import", "important"), ("test", "protest")]
)
def test_other_words_stay_other_words(query: str, text: str) -> None:
    """A shared beginning is not enough."""
    assert not content_stems(query) & set(stems(text))


@pytest.mark.parametrize("query", ["", "how do I", "is it on?", "?!", "検索結果の品質", "ค้นหา"])
def test_no_content_word(query: str) -> None:
    """A question without a word to look for has no share of words, and no zero."""
    assert snippet(query, ["anything"], 5) is None


def test_a_script_without_blanks_does_not_hide_the_other_words() -> None:
    """What can be counted is counted."""
    assert content_stems("検索 timeout") == {"timeout"}


def test_share_is_averaged_over_the_first_results() -> None:
    """Half of the words in the first, none in the second, all of them below the cutoff."""
    shown = ["read the timeout", "nothing", "connection timeout"]

    assert snippet("connection timeouts", shown, 2) == 0.25
    assert snippet("connection timeouts", shown) == 0.5
    assert snippet("connection timeouts timeout", shown, 1) == 0.5


def test_nothing_returned_is_a_real_zero() -> None:
    """F23: an empty result shows the reader nothing."""
    assert snippet("timeouts", [], 5) == 0.0


def test_cutoff_below_one_is_refused() -> None:
    """The same rule as for every other cutoff."""
    with pytest.raises(ValueError, match="at least 1"):
        snippet("timeouts", ["x"], 0)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_has_the_same_words_by_the_short_way(text: str) -> None:
    """ASCII is cut without a pattern; one letter outside ASCII takes the long way, and nothing else changes."""
    assert list(stems(text + " ß")) == [*stems(text), "ss"]
