"""R401 to R426 without those of scales: numbers, weights and units."""

from engine.rubric.codes.code import ERROR, WARNING, Code, demo

__all__ = ["NUMBERS"]

_VERDICT = "criterion: Rank\n  measure: ndcg@10\nverdict: pass when score is at least {}\nverdict: fail otherwise"
_TWO = (
    "criterion: Rank\n  weight: {}\n  measure: ndcg@10\n"
    "criterion: Sources\n  weight: {}\n  check: answer cites a source"
)

NUMBERS: tuple[Code, ...] = (
    Code(
        "R401",
        ERROR,
        "A score is outside 0 to 1",
        "Scores run from 0 to 1, or from 0% to 100%. 75 is most likely 75%.",
        demo(_VERDICT.format("75")),
        demo(_VERDICT.format("0.75")),
        fix=True,
    ),
    Code(
        "R402",
        ERROR,
        "A weight is negative",
        "A weight says how much something counts. To take marks away for something bad, start it with penalty:.",
        demo(
            'criterion: Rank\n  measure: ndcg@10\ncriterion: Apologises\n  weight: -1\n  check: answer contains "sorry"'
        ),
        demo('criterion: Rank\n  measure: ndcg@10\npenalty: Apologises\n  weight: 1\n  check: answer contains "sorry"'),
    ),
    Code(
        "R403",
        ERROR,
        "A whole number is needed",
        "Versions, judges and quorums are counted: 1, 2, 3.",
        "rubric: Demo\nversion: 1.5\ncriterion: Rank\n  measure: ndcg@10\n",
        "rubric: Demo\nversion: 2\ncriterion: Rank\n  measure: ndcg@10\n",
    ),
    Code(
        "R404",
        ERROR,
        "Yes or no is needed",
        "This line switches something on or off.",
        demo("criterion: Form\n  partial credit: maybe\n  check: answer cites a source\n  check: answer is not empty"),
        demo("criterion: Form\n  partial credit: yes\n  check: answer cites a source\n  check: answer is not empty"),
    ),
    Code(
        "R409",
        ERROR,
        "Every weight in a group is 0",
        "Then there is nothing to average. A single weight of 0 is a warning: use info: for what is only reported.",
        demo("criterion: Rank\n  weight: 0\n  measure: ndcg@10"),
        demo("criterion: Rank\n  weight: 1\n  measure: ndcg@10"),
    ),
    Code(
        "R410",
        ERROR,
        "The percentages of a group do not make 100%",
        "Percentages say how the whole is shared, so they add up, and every member that counts has one. Penalties and"
        " bonuses stand outside.",
        demo(_TWO.format("50%", "40%")),
        demo(_TWO.format("50%", "50%")),
    ),
    Code(
        "R411",
        ERROR,
        "Percentages and plain numbers are mixed in one group",
        "50% and 2 cannot be compared. Use one or the other for all members of a group.",
        demo(_TWO.format("50%", "2")),
        demo(_TWO.format("2", "2")),
    ),
    Code(
        "R412",
        WARNING,
        "A weight is not read",
        "Only the weighted mean reads weights. With any other combine: line they change nothing.",
        demo("combine: lowest\ncriterion: Rank\n  weight: 3\n  measure: ndcg@10"),
        demo("combine: lowest\ncriterion: Rank\n  measure: ndcg@10"),
    ),
    Code(
        "R421",
        ERROR,
        "This is not measured in that unit",
        "Latency is a time, cost is dollars, a score has no unit.",
        demo("criterion: Fast\n  check: latency is at most 3 words"),
        demo("criterion: Fast\n  check: latency is at most 3 seconds"),
    ),
    Code(
        "R422",
        ERROR,
        "A unit is missing",
        "2 seconds and 2 milliseconds are far apart, so the unit is written.",
        demo("criterion: Fast\n  check: latency is at most 2"),
        demo("criterion: Fast\n  check: latency is at most 2 seconds"),
    ),
    Code(
        "R423",
        ERROR,
        "A measure that runs from 0 to 1 is compared with something else",
        "ndcg@10 is never 50. Most likely 50% is meant.",
        demo("criterion: Rank\n  check: ndcg@10 is at least 50"),
        demo("criterion: Rank\n  check: ndcg@10 is at least 50%"),
        fix=True,
    ),
    Code(
        "R424",
        ERROR,
        "A range is backwards",
        "Between 200 and 100 there is nothing. The smaller number comes first.",
        demo("criterion: Length\n  check: answer has between 200 and 100 words"),
        demo("criterion: Length\n  check: answer has between 100 and 200 words"),
        fix=True,
    ),
    Code(
        "R426",
        ERROR,
        "Full marks or no marks are missing, equal or the wrong way round",
        "A time or a count is no score by itself: say where it earns everything and where it earns nothing.",
        demo("criterion: Fast\n  measure: latency"),
        demo("criterion: Fast\n  measure: latency, full marks at 2 seconds, no marks at 10 seconds"),
    ),
)
