"""How the words of the grammar are best written, and whole checks with what they mean."""

from dataclasses import dataclass

__all__ = ["SAYINGS", "SHAPES", "Shape"]

SAYINGS = {
    "ANSWER": ("answer",),
    "NOT_CONTAINS": ("does not contain",),
    "HAS_WORD": ("has the word",),
    "CONTAINS": ("contains",),
    "STARTS": ("starts with",),
    "ENDS": ("ends with",),
    "EQUALS": ("equals",),
    "MATCHES": ("matches",),
    "NOT_MATCHES": ("does not match",),
    "LOOKS_LIKE": ("looks like",),
    "HAS": ("has",),
    "NOT_CITES": ("does not cite",),
    "CITES": ("cites",),
    "SOURCES": ("sources", "a source"),
    "VALID_JSON": ("valid JSON",),
    "WITH_FIELDS": ("with fields",),
    "EMPTY": ("empty",),
    "GIVEN": ("given",),
    "MISSING": ("missing",),
    "EXPECTED": ("the expected answer",),
    "TOOL": ("tool",),
    "WAS_CALLED": ("was called",),
    "NOT_CALLED": ("was not called",),
    "TIMES": ("times",),
    "BEFORE": ("before",),
    "AFTER": ("after",),
    "WITH": ("with",),
    "CONTAINING": ("containing",),
    "TOP_RESULT": ("top result",),
    "RESULTS": ("results",),
    "IN_TOP": ("in the top",),
    "ONE_OF": ("any of",),
    "ALL_OF": ("all of",),
    "NONE_OF": ("none of",),
    "OF": ("of",),
    "AT_LEAST": ("at least",),
    "AT_MOST": ("at most",),
    "GT": ("more than",),
    "LT": ("less than",),
    "EXACTLY": ("exactly",),
    "BETWEEN": ("between",),
    "IS_NOT": ("is not",),
    "IS": ("is",),
    "AND": ("and",),
    "OR": ("or",),
    "AT": ("at",),
    "WHEN": ("when",),
    "OTHERWISE": ("otherwise",),
    "SCORE": ("score",),
    "PASSES": ("passes",),
    "FAILS": ("fails",),
    "ANY_MUST": ("any must",),
    "ALL_MUSTS": ("all musts",),
    "UNGRADED": ("ungraded",),
    "FROM": ("from",),
    "EVERYTHING": ("everything",),
    "VERSION": ("version",),
    "EQ": ("=",),
    "TYPE": ("a number", "a text", "yes/no"),
    "FULL_MARKS": ("full marks at",),
    "NO_MARKS": ("no marks at",),
}
"""Word of the grammar → its spellings, the usual one first. Numbers, texts, units and names are not among them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to write a check: a line that can be copied, and what it means."""

    example: str
    about: str


SHAPES = (
    Shape('answer contains "refund policy"', "The text stands in the answer. Capital letters do not matter."),
    Shape('answer contains any of "sorry", "apologies"', "At least one of the texts stands in the answer."),
    Shape('answer contains all of "30 days", "receipt"', "Every one of the texts stands in the answer."),
    Shape('answer contains at least 2 of "red", "green", "blue"', "So many of the texts stand in the answer."),
    Shape("answer contains the expected answer", "The answer that the query set expects stands in the answer."),
    Shape('answer does not contain "guarantee"', "The text stands nowhere in the answer."),
    Shape('answer has the word "refund"', "The text stands in the answer as a word of its own."),
    Shape('answer starts with "Yes"', "The answer begins with the text."),
    Shape('answer ends with "?"', "The answer ends with the text."),
    Shape('answer equals "yes"', "The answer is the text and nothing else."),
    Shape('answer looks like "ORD-######"', "The answer has this shape: # is a digit."),
    Shape("answer matches /order \\d+/", "A pattern is found in the answer."),
    Shape("answer has at most 200 words", "The length of the answer, in words, characters, sentences or lines."),
    Shape("answer cites a source", "The answer points at one of its sources."),
    Shape("answer cites at least 2 sources", "The answer points at so many different sources."),
    Shape('answer cites "policy.md"', "The answer points at this source."),
    Shape('answer is valid JSON with fields "title", "price"', "The answer is JSON, and these fields are in it."),
    Shape("answer is empty", "There is no text in the answer."),
    Shape('tool "lookup" was called', "The assistant used this tool."),
    Shape('tool "refund" was not called', "The assistant did not use this tool."),
    Shape('tool "lookup" was called before tool "refund"', "The order in which tools were used."),
    Shape('results contain "policy.md" in the top 3', "The source is among the first results."),
    Shape('top result is "policy.md"', "The first result is this source."),
    Shape("latency is at most 2 seconds", "How long the answer took."),
    Shape("cost is at most $0.02", "What the answer cost."),
    Shape("ndcg@10 is at least 0.5", "A measure of the results, from 0 to 1."),
)
