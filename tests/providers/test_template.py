"""Templates of requests: data goes in as data, whatever stands in it."""

import json
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.template import TemplateError, address_template, template

TEXT = st.text(max_size=20) | st.sampled_from(["{query_id}", "{query}", '","admin":true,"x":"', "{{query}}", "../.."])
NAMES = ("query", "query_id")


@given(TEXT, TEXT)
def test_what_is_filled_in_is_never_looked_at_again(query: str, query_id: str) -> None:
    fill = template({"q": "{query}", "both": ["<{query}|{query_id}>"], "n": 3}, NAMES)
    given = {"query": query, "query_id": query_id}
    assert fill(given) == {"q": query, "both": [f"<{query}|{query_id}>"], "n": 3}


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_data_in_an_address_changes_neither_host_nor_other_parameters(query: str) -> None:
    url = address_template("https://example.com/a/{query}?q={query}&limit=3", NAMES)({"query": query})
    parts = urlsplit(url)
    assert parts.netloc == "example.com"
    assert parts.path.count("/") == 2
    assert not parts.fragment
    assert parse_qs(parts.query, keep_blank_values=True) == {"q": [query], "limit": ["3"]}


def test_a_text_that_is_one_name_becomes_the_value_itself() -> None:
    history = [{"role": "user", "content": "{query}"}]
    fill = template({"history": "{history}", "a": ({"b": "{query}"},)}, NAMES, ("history",))
    filled = fill({"history": history, "query": "Q", "query_id": ""})
    assert filled == {"history": history, "a": [{"b": "Q"}]}
    assert json.loads(json.dumps(filled)) == filled


@pytest.mark.parametrize("text", ["query($q: String!) { search(q: $q) { id } }", "{", "}{", "{ query }", "{}", "{1}"])
def test_other_braces_are_text(text: str) -> None:
    assert template({"graphql": text}, NAMES)({}) == {"graphql": text}


def test_names_of_members_are_no_templates() -> None:
    assert template({"{query}": 1}, NAMES)({"query": "x"}) == {"{query}": 1}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"q": ["{qury}"]}, "nothing is called {qury}; did you mean {query}?"),
        ({"q": "{question}"}, "There is: {history}, {query}, {query_id}"),
        ("{{query}}", "write {query} with single braces"),
        ("say {history} now", "{history} is a list: it must be the whole value"),
    ],
)
def test_a_name_that_cannot_be_filled_is_refused(value: object, said: str) -> None:
    with pytest.raises(TemplateError) as caught:
        template(value, NAMES, ("history",))
    assert said.casefold() in str(caught.value).casefold()


def test_doubled_braces_are_a_text_in_braces() -> None:
    given: Mapping[str, object] = {"query": "Q"}
    assert template("{{name}} {query}", NAMES)(given) == "{name} Q"


@pytest.mark.parametrize("url", ["https://{query}.example.com/", "https://{query}/", "https://a@{query}:80/x"])
def test_data_is_never_a_host(url: str) -> None:
    with pytest.raises(TemplateError, match="only behind the host"):
        address_template(url, NAMES)


@pytest.mark.parametrize("query", [".", "..", "..."])
def test_dots_are_no_step_up(query: str) -> None:
    assert address_template("https://example.com/a/{query}/b", NAMES)({"query": query}) == (
        f"https://example.com/a/{'%2E' * len(query)}/b"
    )


@pytest.mark.parametrize(
    "url", ["https://example.com/#a", "https://example.com/a b", "https://example.com\\a", "https://e\n"]
)
def test_an_address_holds_nothing_that_can_be_understood_in_two_ways(url: str) -> None:
    with pytest.raises(TemplateError, match="is written as"):
        address_template(url, NAMES)


def test_a_name_without_quotes_is_seen() -> None:
    """YAML reads {query} as a group of settings with one name in it."""
    with pytest.raises(TemplateError, match=r"write it as '\{query\}'"):
        template({"q": [{"query": None}]}, NAMES)
    assert template({"query": None, "size": 3}, NAMES)({}) == {"query": None, "size": 3}
