"""R501 to R518: what can never happen, always happens, or contradicts itself."""

from engine.rubric.codes.code import ERROR, WARNING, Code, demo

__all__ = ["LOGIC"]

_RANK = "criterion: Rank\n  measure: ndcg@10\n"
_ALMOST = (
    "criterion: Relevance\n  ask: Does it answer the question?\n  scale:\n"
    "  | good | 0.9 | Just what was needed |\n  | poor | 0.1 | Of no use |\n"
)

LOGIC: tuple[Code, ...] = (
    Code(
        "R501",
        ERROR,
        "A verdict is never reached, because the lines above it take its scores",
        "Verdicts are read from top to bottom, and the first line that fits wins. Put the highest threshold first.",
        demo(
            _RANK + "verdict: okay when score is at least 0.5\nverdict: good when score is at least 0.8\n"
            "verdict: poor otherwise"
        ),
        demo(
            _RANK + "verdict: good when score is at least 0.8\nverdict: okay when score is at least 0.5\n"
            "verdict: poor otherwise"
        ),
    ),
    Code(
        "R502",
        ERROR,
        "A threshold is out of reach",
        "No answer can have such a score: the best level of a scale is worth less, or the condition"
        " contradicts itself.",
        demo(_ALMOST + "verdict: good when score is at least 0.95\nverdict: poor otherwise"),
        demo(_ALMOST + "verdict: good when score is at least 0.85\nverdict: poor otherwise"),
    ),
    Code(
        "R504",
        ERROR,
        "No verdict says otherwise, or it is not the last line",
        "Every answer gets a verdict, so the last line takes what no other line took.",
        demo(_RANK + "verdict: good when score is at least 0.8"),
        demo(_RANK + "verdict: good when score is at least 0.8\nverdict: poor otherwise"),
    ),
    Code(
        "R505",
        ERROR,
        "Two musts contradict each other",
        "One asks for what the other forbids, so every answer fails. Change one, or say when each applies with"
        " only when:.",
        demo(
            'must: Names the policy\n  check: answer contains "refund policy"\n'
            'must not: Talks about refunds\n  check: answer contains "refund"'
        ),
        demo(
            'must: Names the policy\n  check: answer contains "return policy"\n'
            'must not: Talks about refunds\n  check: answer contains "refund"'
        ),
    ),
    Code(
        "R506",
        ERROR,
        "No answer can meet a criterion",
        "All check: lines of a criterion hold at the same time, and these exclude each other.",
        demo("criterion: Length\n  check: answer has at least 200 words\n  check: answer has at most 100 words"),
        demo("criterion: Length\n  check: answer has at least 100 words\n  check: answer has at most 200 words"),
    ),
    Code(
        "R507",
        WARNING,
        "Every answer meets a check",
        "Then it says nothing, and gives every answer the same marks.",
        demo("criterion: Length\n  check: answer has at least 0 words"),
        demo("criterion: Length\n  check: answer has at least 10 words"),
    ),
    Code(
        "R508",
        WARNING,
        "A cap does nothing",
        "No score is above it, its condition never holds, or a stricter cap applies in the same case.",
        demo("must: Sources\n  check: answer cites a source\n" + _RANK + "cap: 100% when [Sources] fails"),
        demo("must: Sources\n  check: answer cites a source\n" + _RANK + "cap: 40% when [Sources] fails"),
    ),
    Code(
        "R509",
        ERROR,
        "This has no meaning here",
        "The score of the whole is made of the criteria, so they cannot look at it; and caps and verdicts look"
        " at scores, not at the text of the answer.",
        demo("criterion: Sources\n  check: score is at least 0.5"),
        demo("criterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R511",
        ERROR,
        "A penalty or a bonus stands where there is no mean",
        "It takes marks away from a mean. A group that takes its lowest member, or asks how many pass, has none.",
        demo("combine: lowest\n" + _RANK + 'penalty: Apologises\n  check: answer contains "sorry"'),
        demo(_RANK + 'penalty: Apologises\n  check: answer contains "sorry"'),
    ),
    Code(
        "R513",
        WARNING,
        "A judge can let a must pass by answering n/a",
        "What does not apply cannot fail. Say when the must applies with only when:, so that it is not left to"
        " the judge.",
        demo("must not: Leaks data\n  ask: Does the answer contain a card number?\n  allow n/a: yes"),
        demo("must not: Leaks data\n  ask: Does the answer contain a card number?"),
    ),
    Code(
        "R514",
        ERROR,
        "More is asked for than there is",
        "At least 3 of 2 can never hold.",
        demo('criterion: Facts\n  check: answer contains at least 3 of "a", "b"'),
        demo('criterion: Facts\n  check: answer contains at least 2 of "a", "b", "c"'),
    ),
    Code(
        "R515",
        ERROR,
        "The quorum is above the number of judges",
        "So many answers can never come, and the criterion would stay ungraded for ever.",
        demo("criterion: Clarity\n  ask: Is the answer easy to follow?\n  judge: 2 llm\n  quorum: 3"),
        demo("criterion: Clarity\n  ask: Is the answer easy to follow?\n  judge: 3 llm\n  quorum: 3"),
    ),
    Code(
        "R516",
        ERROR,
        "A pass mark is out of reach, or every score reaches it",
        "Then the criterion always fails, whatever the answer is. A mark that every score reaches is only a warning.",
        demo(_ALMOST + "  pass mark: 0.95"),
        demo(_ALMOST + "  pass mark: 0.9"),
    ),
    Code(
        "R517",
        WARNING,
        "Something is written twice",
        "A check, a text, a cap or a whole criterion that stands there twice changes nothing, or counts twice.",
        demo("criterion: Sources\n  check: answer cites a source\n  check: answer cites a source"),
        demo("criterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R518",
        ERROR,
        "An example does not fit its own check",
        "The good example has to meet the check, and the bad one must not. One of the two says something that was not"
        " meant.",
        demo('criterion: Policy\n  check: answer contains "refund"\n  good example: You get your money back.'),
        demo('criterion: Policy\n  check: answer contains "refund"\n  good example: You get a refund.'),
    ),
)
