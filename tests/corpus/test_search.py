"""Search: any text is only words, one hit a source, the same order every time."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.corpus.documents import Corpus, Document, Reading, content_sha256, document_sha256
from engine.corpus.index import Index, Match, Search, Tokenizer, Tokens, index_path, opened
from engine.corpus.sources import python_docs
from engine.corpus.words import expression, words
from engine.errors import EngineError

DEFAULT = Tokenizer()
PLAIN = Search()
KINDS = [
    Tokenizer(),
    Tokenizer(stemming=False, remove_diacritics=False),
    Tokenizer(Tokens.ASCII),
    Tokenizer(Tokens.TRIGRAM, stemming=False),
]


def corpus_of(*documents: Document) -> Corpus:
    """A corpus in memory."""
    ordered = tuple(sorted(documents, key=lambda document: document.source))
    return Corpus("test", content_sha256(map(document_sha256, ordered)), lambda: Reading(ordered))


@contextmanager
def index_of(folder: Path, corpus: Corpus, tokenizer: Tokenizer = DEFAULT) -> Iterator[Index]:
    """The open index of a corpus."""
    with opened(index_path(folder, corpus, tokenizer), corpus, tokenizer, lambda line: None) as index:
        yield index


def sources(index: Index, query: str, how: Search = PLAIN) -> list[str]:
    """Only the sources of the hits."""
    return [hit.source for hit in index.search(query, how)]


@pytest.fixture(scope="module", params=KINDS, ids=str)
def reference(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The language reference with each tokenizer."""
    with index_of(tmp_path_factory.mktemp("cache"), python_docs(), request.param) as index:
        yield index


HOSTILE = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\"'*^:(){}+-,.\0\\%_ \u0301\ud800"))) | st.lists(
    st.sampled_from(["AND", "OR", "NOT", "NEAR(", "title", ":", "body", "^", '"', "*", "{", "}", "(", ")", "-", "x"])
).map(" ".join)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=HOSTILE, match=st.sampled_from(Match))
def test_no_text_is_ever_syntax(reference: Index, query: str, match: Match) -> None:
    """A64 and "foreign text is data": every question is answered, a question without a word with nothing."""
    hits = reference.search(query, Search(match))

    assert len({hit.source for hit in hits}) == len(hits) <= 10
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    scores = [hit.score for hit in hits if hit.score is not None]
    assert len(scores) == len(hits)
    assert scores == sorted(scores, reverse=True)
    assert all(score >= 0 for score in scores)


def test_operators_in_a_question_are_words(tmp_path: Path) -> None:
    texts = {"a": "cats", "b": "dogs", "c": "not or near"}
    with index_of(tmp_path, corpus_of(*(Document(key, key * 3, text) for key, text in texts.items()))) as index:
        assert set(sources(index, "cats NOT dogs")) == {"a", "b", "c"}
        assert sources(index, "body:cats") == ["a"], "a column filter would find it, the word body is not there"
        assert sources(index, "cat*") == ["a"]
        assert sources(index, "do*") == [], "a prefix search would find dogs"
        assert sources(index, '"cats dogs"', Search(Match.ALL)) == []
        assert set(sources(index, "NEAR(cats dogs)")) == {"a", "b", "c"}


@pytest.mark.parametrize("query", ["", " ", "?!", '"', "**", "\0", "_", "\u0301", "\ud800", "🙂"])
def test_a_question_without_a_word_finds_nothing(tmp_path: Path, query: str) -> None:
    """A64: a valid observation, not an error."""
    with index_of(tmp_path, corpus_of(Document("a", "a", "text"))) as index:
        assert index.search(query, Search()) == ()


def test_one_hit_a_source_from_its_best_section(tmp_path: Path) -> None:
    """F19: however many sections match, a document is returned once."""
    text = "# One\nparrot\n# Two\nparrot parrot parrot\n# Three\nother words and one parrot among them\n"
    with index_of(tmp_path, corpus_of(Document("p", "Birds", text), Document("q", "Q", "parrot"))) as index:
        hits = index.search("parrot", Search())

    assert sorted(hit.source for hit in hits) == ["p", "q"]
    assert next(hit for hit in hits if hit.source == "p").title == "Birds › Two"


def test_equal_scores_come_in_the_order_of_their_sources(tmp_path: Path) -> None:
    names = ["b", "a", "ä", "B", "a2", "a10"]
    with index_of(tmp_path, corpus_of(*(Document(name, "same", "same words") for name in names))) as index:
        assert sources(index, "words") == sorted(names)
        assert sources(index, "words", Search(limit=2)) == sorted(names)[:2]


def test_the_options_do_what_they_say(tmp_path: Path) -> None:
    corpus = corpus_of(
        Document("title", "raising parrots", "nothing in here that anybody asks for"),
        Document("body", "nothing", "a parrot is raised, a parrot is fed, a parrot is taught"),
        Document("café", "café", "crème " * 80 + "brûlée"),
    )
    with index_of(tmp_path, corpus) as index:
        assert set(sources(index, "raise")) == {"title", "body"}
        assert sources(index, "parrot", Search(title_weight=50))[0] == "title"
        assert sources(index, "parrot", Search(title_weight=0.0, body_weight=1))[0] == "body"
        assert sources(index, "cafe") == ["café"]
        assert sources(index, "parrots taught", Search(Match.ALL)) == ["body"]
        snippet = index.search("brulee", Search(snippet_words=5))[0].snippet
        assert snippet.startswith("…")
        assert "brûlée" in snippet
        assert len(snippet.split()) <= 5
    with index_of(tmp_path, corpus, Tokenizer(stemming=False, remove_diacritics=False)) as index:
        assert sources(index, "raise") == []
        assert sources(index, "cafe") == []
        assert sources(index, "café") == ["café"]
    with index_of(tmp_path, corpus, Tokenizer(Tokens.TRIGRAM, stemming=False)) as index:
        assert set(sources(index, "arro")) == {"title", "body"}


def test_the_same_question_has_the_same_answer_in_another_index(tmp_path: Path) -> None:
    question = "How do I make my own class work in a with statement?"
    with index_of(tmp_path / "1", python_docs()) as one, index_of(tmp_path / "2", python_docs()) as two:
        first = one.search(question, Search())
        assert first == one.search(question, Search()) == two.search(question, Search())

    assert len(first) == 10
    assert all("\n" not in hit.snippet and hit.snippet and hit.title for hit in first)


def test_a_damaged_index_is_a_fault_of_the_engine_not_an_empty_answer(tmp_path: Path) -> None:
    """A65: infrastructure failure is never a zero."""
    corpus = corpus_of(Document("a", "a", "text"))
    path = index_path(tmp_path, corpus, Tokenizer())
    with opened(path, corpus, Tokenizer(), lambda line: None):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE pages_data SET block = x'00' WHERE id > 10")
    connection.close()

    with (
        opened(path, corpus, Tokenizer(), lambda line: None) as index,
        pytest.raises(EngineError, match="assay corpus build"),
    ):
        index.search("text", Search())


@pytest.mark.parametrize(
    ("text", "tokens", "found"),
    [
        ("Don't use __enter__, use use!", Tokens.UNICODE61, ("Don", "t", "use", "enter")),
        ("cafe\u0301 naïve—test 検索 ½", Tokens.UNICODE61, ("cafe\u0301", "naïve", "test", "検索", "½")),
        ("\u0301 text \u0302\u0303", Tokens.UNICODE61, ("text",)),
        ("naïve—test", Tokens.ASCII, ("naïve—test",)),
        ("to be or parrot", Tokens.TRIGRAM, ("parrot",)),
    ],
)
def test_words_are_split_as_the_tokenizer_splits(text: str, tokens: Tokens, found: tuple[str, ...]) -> None:
    assert words(text, tokens) == found


def test_the_expression_quotes_every_word() -> None:
    assert expression(("a", 'b"c'), Match.ALL) == '"a" AND "b""c"'
