"""The one spelling of every word of the grammar, and the few words whose spelling depends on the line."""

from engine.rubric.numbers import unit_of

__all__ = ["singular", "unit_word", "word_of"]


def word_of(kind: str, rule: str) -> str | None:
    """How a word of this kind is written in a line of this shape; None for what an author names himself."""
    return _IN_A_SHAPE.get((rule, kind), _ANYWHERE.get(kind))


def unit_word(text: str) -> str:
    """`secs` → `seconds`."""
    unit = unit_of(text)
    return text if unit is None else unit.name


def singular(word: str) -> str:
    """`words` → `word`, after `1`."""
    return word if word == "ms" else word.removesuffix("s")


_ANYWHERE = {
    "ANSWER": "answer",
    "CONTAINS": "contains",
    "NOT_CONTAINS": "does not contain",
    "HAS_WORD": "has the word",
    "STARTS": "starts with",
    "ENDS": "ends with",
    "EQUALS": "equals",
    "MATCHES": "matches",
    "NOT_MATCHES": "does not match",
    "LOOKS_LIKE": "looks like",
    "HAS": "has",
    "CITES": "cites",
    "NOT_CITES": "does not cite",
    "SOURCES": "a source",
    "VALID_JSON": "valid JSON",
    "WITH_FIELDS": "with fields",
    "EMPTY": "empty",
    "GIVEN": "given",
    "MISSING": "missing",
    "EXPECTED": "the expected answer",
    "TOOL": "tool",
    "WAS_CALLED": "was called",
    "NOT_CALLED": "was not called",
    "TIMES": "times",
    "BEFORE": "before",
    "AFTER": "after",
    "WITH": "with",
    "CONTAINING": "containing",
    "TOP_RESULT": "top result",
    "RESULTS": "results",
    "IN_TOP": "in the top",
    "ONE_OF": "one of",
    "ALL_OF": "all of",
    "NONE_OF": "none of",
    "OF": "of",
    "AT_LEAST": "at least",
    "AT_MOST": "at most",
    "GT": "more than",
    "LT": "fewer than",
    "EXACTLY": "exactly",
    "BETWEEN": "between",
    "IS": "is",
    "IS_NOT": "is not",
    "AND": "and",
    "OR": "or",
    "AT": "at",
    "WHEN": "when",
    "OTHERWISE": "otherwise",
    "SCORE": "score",
    "PASSES": "passes",
    "FAILS": "fails",
    "ANY_MUST": "any must",
    "ALL_MUSTS": "all musts",
    "UNGRADED": "ungraded",
    "FROM": "from",
    "EVERYTHING": "everything",
    "VERSION": "version",
    "EQ": "=",
    "FULL_MARKS": "full marks at",
    "NO_MARKS": "no marks at",
}

_IN_A_SHAPE = {
    ("contains_many", "ONE_OF"): "any of",
    ("not_contains_many", "ONE_OF"): "any of",
    ("results_have", "CONTAINS"): "contain",
    ("results_lack", "NOT_CONTAINS"): "do not contain",
    ("length", "IS"): "has",
    ("cites_n", "SOURCES"): "sources",
    ("expected_given", "EXPECTED"): "expected answer",
    ("all_musts_pass", "PASSES"): "pass",
    ("setting_line", "IS"): "=",
    ("assign", "IS"): "=",
    **{(rule, "GT"): "above" for rule in ("compare_name", "compare_ref", "compare_score")},
    **{(rule, "LT"): "below" for rule in ("compare_name", "compare_ref", "compare_score")},
}
