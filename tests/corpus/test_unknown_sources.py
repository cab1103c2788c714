"""Sources that a query set names and the corpus does not have."""

import time

from engine.corpus.unknown_sources import unknown_sources
from engine.model.query import Query, QuerySet, Source

CORPUS = frozenset({"returns.md", "sizes.md", "guides/delivery.md"})


def _set(*relevant: dict[str, float] | None) -> QuerySet:
    queries = tuple(Query(f"q{n}", "what?", "i", "c", relevant=part) for n, part in enumerate(relevant, 1))
    return QuerySet("core", "1.0.0", "", Source.CURATED, ("c",), queries, (), "")


def test_a_slip_is_named_with_its_question_and_what_was_meant() -> None:
    """A56."""
    assert unknown_sources(_set({"retruns.md": 3, "sizes.md": 1}, None, {}), CORPUS) == (
        "relevant names retruns.md (q1), which is not in this corpus; did you mean returns.md?",
    )


def test_nothing_is_said_when_every_source_is_there_or_none_is_named() -> None:
    assert unknown_sources(_set({"returns.md": 3, "sizes.md": 0}, None, {}), CORPUS) == ()


def test_a_judged_source_is_checked_too() -> None:
    """A grade of 0 is a judgment; measures that count unjudged hits depend on it."""
    assert len(unknown_sources(_set({"siezs.md": 0}), CORPUS)) == 1


def test_the_most_common_come_first_and_the_rest_is_counted() -> None:
    parts: list[dict[str, float] | None] = [{f"{name * 9}": 1} for name in "abcdefg"]
    said = unknown_sources(_set({"returns.md": 1}, *parts, {"g" * 9: 1}, {"g" * 9: 2}), CORPUS)

    assert [line.split()[2][0] for line in said[:5]] == ["g", "a", "b", "c", "d"]
    assert said[0] == "relevant names ggggggggg (q8 and 2 more queries), which is not in this corpus"
    assert said[5:] == ("and 2 more sources: 7 of the 8 that relevant names are not in this corpus",)


def test_a_name_of_any_length_makes_a_sentence_of_one_line() -> None:
    (line,) = unknown_sources(_set({"x\n" * 300_000: 1}), CORPUS)

    assert len(line) < 150
    assert "\n" not in line


def test_many_questions_over_a_large_corpus_take_no_time() -> None:
    """F61: 10,000 questions, 50,000 documents, a slip in a hundred of them; the meant name is still found."""
    corpus = frozenset(f"guides/{number * 7919 % 1_000_003:06}.md" for number in range(50_000))
    names = sorted(corpus)
    parts: list[dict[str, float] | None] = [
        {names[n * 5]: 3, names[n * 3] + ("x" if n % 100 == 0 else ""): 1} for n in range(10_000)
    ]
    queries = _set(*parts)

    started = time.perf_counter()
    said = unknown_sources(queries, corpus)

    assert time.perf_counter() - started < 2
    assert len(said) == 6
    assert all(".mdx" in line and "; did you mean guides/" in line for line in said[:5])
