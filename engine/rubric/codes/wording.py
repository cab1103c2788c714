"""R601 to R702: patterns, questions and descriptions."""

from engine.rubric.codes.code import ERROR, HINT, WARNING, Code, demo

__all__ = ["WORDING"]


def _question(heading: str, text: str) -> str:
    return demo(f"{heading}\n  ask: {text}")


_SCALE = (
    "criterion: Relevance\n  ask: Does it answer the question?\n  scale:\n"
    "  | good | 1.0 | {} |\n  | okay | 0.5 | Something is missing |\n  | poor | 0 | Of no use to the customer |"
)

WORDING: tuple[Code, ...] = (
    Code(
        "R601",
        ERROR,
        "A pattern is not valid",
        'Patterns are for people who know them. For simple shapes write: looks like "ORD-######", where # is a digit.',
        demo("criterion: Order\n  check: answer matches /ORD-[0-9/"),
        demo("criterion: Order\n  check: answer matches /ORD-[0-9]+/"),
    ),
    Code(
        "R602",
        ERROR,
        "A pattern can take forever",
        "On some answers this pattern has to try more ways than there is time for. A simpler one finds the same.",
        demo("criterion: Order\n  check: answer matches /([A-Z0-9]+-?)+$/"),
        demo("criterion: Order\n  check: answer matches /[A-Z0-9-]+$/"),
    ),
    Code(
        "R603",
        ERROR,
        "A pattern uses something that is not supported",
        "Looking ahead, looking back and repeating an earlier find can take forever. Two checks say the same.",
        demo("criterion: Order\n  check: answer matches /(?=ORD)[A-Z]+/"),
        demo("criterion: Order\n  check: answer matches /ORD[A-Z]*/"),
    ),
    Code(
        "R605",
        ERROR,
        "Quotes are empty",
        "Every answer contains nothing. Write the text to look for between the quotes.",
        demo('criterion: Policy\n  check: answer contains ""'),
        demo('criterion: Policy\n  check: answer contains "refund"'),
    ),
    Code(
        "R606",
        WARNING,
        "A question asks two things at once",
        "If one holds and the other does not, there is no answer to it. Split it in two.",
        _question("criterion: Right", "Is the answer correct and is it polite?"),
        _question("criterion: Right", "Is the answer correct?"),
    ),
    Code(
        "R607",
        HINT,
        "A question hangs on a vague word, and nothing explains it",
        "What is appropriate to one judge is too much to another. A line of guidance, examples or described levels make"
        " them agree.",
        _question("criterion: Tone", "Is the tone appropriate?"),
        _question("criterion: Tone", "Is the tone appropriate?\n  guidance: Friendly, and without jokes."),
    ),
    Code(
        "R608",
        WARNING,
        "A question denies something that its heading denies already",
        "Under must not: and penalty: a yes is bad, so the question asks whether the bad thing happens.",
        _question("must not: Personal data", "Does the answer avoid personal data?"),
        _question("must not: Personal data", "Does the answer contain personal data?"),
    ),
    Code(
        "R609",
        WARNING,
        "A yes sounds bad and earns full marks",
        "Under criterion: a yes is good. Ask the other way round, or start the criterion with penalty: or must not:.",
        _question("criterion: Right", "Does the answer contain mistakes?"),
        _question("must not: Mistakes", "Does the answer contain mistakes?"),
    ),
    Code(
        "R610",
        WARNING,
        "A judge is asked to count",
        "People and models count badly, and the computer counts well: use a check.",
        _question("criterion: Short", "Does the answer have at most 200 words?"),
        demo("criterion: Short\n  check: answer has at most 200 words"),
    ),
    Code(
        "R611",
        HINT,
        "A level is described by a mere adjective",
        '"Good" does not say when to choose "good". Say what an answer on this level has, or what it lacks.',
        demo(_SCALE.format("Very good")),
        demo(_SCALE.format("Just what the customer needed")),
    ),
    Code(
        "R701",
        WARNING,
        "A remark stands inside a text",
        "Here it is read as a part of the text, and a judge would see it. A remark needs a line of its own.",
        _question("criterion: Right", "Is the answer correct? # check with Anna"),
        demo("criterion: Right\n  # check with Anna\n  ask: Is the answer correct?"),
    ),
    Code(
        "R702",
        WARNING,
        "A line changes nothing",
        "For example guidance where no judge grades, or a pass mark on a penalty. Remove it, or put it where"
        " it counts.",
        demo("criterion: Sources\n  check: answer cites a source\n  guidance: Any source counts."),
        demo("criterion: Sources\n  check: answer cites a source"),
    ),
)
