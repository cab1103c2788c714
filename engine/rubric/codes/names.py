"""R301 to R314: names, and what they refer to."""

from engine.rubric.codes.code import ERROR, WARNING, Code, demo

__all__ = ["NAMES"]

_SAFETY = ("safety.rubric", "library: Safety\nversion: 2\nmust: Sources\n  check: answer cites a source\n")

NAMES: tuple[Code, ...] = (
    Code(
        "R301",
        ERROR,
        "Two things have the same name",
        "Labels, reports, caps and verdicts find a criterion by its name. With two of one name nobody knows"
        " which is meant.",
        demo("criterion: Sources\n  check: answer cites a source\ncriterion: Sources\n  check: answer is not empty"),
        demo("criterion: Sources\n  check: answer cites a source\ncriterion: Not empty\n  check: answer is not empty"),
    ),
    Code(
        "R302",
        ERROR,
        "This is not one of the values that can stand here",
        "Some lines have a short list of values: who judges, how a group combines, what a judge is shown, how"
        " an item is marked. The message lists them.",
        demo("criterion: Clarity\n  ask: Is the answer easy to follow?\n  show: question, anwser"),
        demo("criterion: Clarity\n  ask: Is the answer easy to follow?\n  show: question, answer"),
        fix=True,
    ),
    Code(
        "R303",
        WARNING,
        "A value stands in its list twice",
        "It counts once. Perhaps one of the two was meant to be something else.",
        demo(
            "field: intent is one of lookup, how-to, lookup\n"
            "criterion: Rank\n  only when: intent is lookup\n  measure: ndcg@10"
        ),
        demo(
            "field: intent is one of lookup, how-to\ncriterion: Rank\n  only when: intent is lookup\n  measure: ndcg@10"
        ),
    ),
    Code(
        "R304",
        ERROR,
        "There is no criterion or group of this name",
        "What stands in [brackets] is the name of a criterion or a group, written as it is after its heading.",
        demo(
            "must: Sources\n  check: answer cites a source\ncriterion: Rank\n  measure: ndcg@10\n"
            "cap: 40% when [Suorces] fails"
        ),
        demo(
            "must: Sources\n  check: answer cites a source\ncriterion: Rank\n  measure: ndcg@10\n"
            "cap: 40% when [Sources] fails"
        ),
        fix=True,
    ),
    Code(
        "R305",
        ERROR,
        "Nothing has this name",
        "A check can look at measures such as ndcg@10, at latency and cost, and at fields that are declared."
        " The name of a criterion stands in [brackets].",
        demo("criterion: Rank\n  measure: nDGC@10"),
        demo("criterion: Rank\n  measure: ndcg@10"),
        fix=True,
    ),
    Code(
        "R306",
        ERROR,
        "There is no scale of this name",
        "A scale is described once, near the top, and used by its name.",
        demo(
            "define scale: quality\n  | good | 1.0 | Just what was needed |\n  | poor | 0 | Of no use |\n"
            "criterion: Relevance\n  ask: Does it answer the question?\n  scale: qualty"
        ),
        demo(
            "define scale: quality\n  | good | 1.0 | Just what was needed |\n  | poor | 0 | Of no use |\n"
            "criterion: Relevance\n  ask: Does it answer the question?\n  scale: quality"
        ),
        fix=True,
    ),
    Code(
        "R307",
        ERROR,
        "There is no setting of this name",
        "What stands in {braces} is the name of a setting: line near the top.",
        demo("setting: max words = 200\ncriterion: Short\n  check: answer has at most {maximum words} words"),
        demo("setting: max words = 200\ncriterion: Short\n  check: answer has at most {max words} words"),
        fix=True,
    ),
    Code(
        "R308",
        WARNING,
        "Something is declared and not used",
        "Usually the name is written differently where it was meant to be used; if not, the line can go.",
        demo("setting: max words = 200\ncriterion: Short\n  check: answer has at most 200 words"),
        demo("setting: max words = 200\ncriterion: Short\n  check: answer has at most {max words} words"),
    ),
    Code(
        "R309",
        ERROR,
        "A used file cannot be read",
        "It is not there, lies outside the rubrics folder, has mistakes of its own, or uses this file in turn.",
        demo('criterion: Rank\n  measure: ndcg@10\nuse: everything from "safty.rubric"'),
        demo('criterion: Rank\n  measure: ndcg@10\nuse: everything from "safety.rubric"'),
        files=(_SAFETY,),
    ),
    Code(
        "R310",
        ERROR,
        "The used file has nothing of this name, or a value has the wrong kind",
        "Names in a use: line are those of the other file. Where a number is needed, a setting or a field has"
        " to be one.",
        demo('criterion: Rank\n  measure: ndcg@10\nuse: [Suorces] from "safety.rubric"'),
        demo('criterion: Rank\n  measure: ndcg@10\nuse: [Sources] from "safety.rubric"'),
        fix=True,
        files=(_SAFETY,),
    ),
    Code(
        "R311",
        ERROR,
        "The used file has another version now",
        "You wrote which version you had looked at. Look at what changed before you go on with the new one.",
        demo('criterion: Rank\n  measure: ndcg@10\nuse: [Sources] from "safety.rubric" version 1'),
        demo('criterion: Rank\n  measure: ndcg@10\nuse: [Sources] from "safety.rubric" version 2'),
        fix=True,
        files=(_SAFETY,),
    ),
    Code(
        "R312",
        ERROR,
        "This is not one of the values of the field",
        "The field: line lists every value. A condition on another one could never hold, and the criterion would never"
        " count.",
        demo(
            "field: intent is one of lookup, comparison\n"
            "criterion: Rank\n  only when: intent is comparision\n  measure: ndcg@10"
        ),
        demo(
            "field: intent is one of lookup, comparison\n"
            "criterion: Rank\n  only when: intent is comparison\n  measure: ndcg@10"
        ),
        fix=True,
    ),
    Code(
        "R313",
        ERROR,
        "A criterion can never apply",
        "Its condition, with those of the groups around it, cannot hold. The criterion would be there and never count.",
        demo(
            "group: Lookups\n  only when: intent is lookup\n"
            "  criterion: Rank\n    only when: intent is comparison\n    measure: ndcg@10"
        ),
        demo("group: Lookups\n  only when: intent is lookup\n  criterion: Rank\n    measure: ndcg@10"),
    ),
    Code(
        "R314",
        ERROR,
        "Criteria wait for each other",
        "A condition leads back to itself, so none of these can be graded first. A cap on a part cannot look"
        " at the score of the whole for the same reason.",
        demo(
            "criterion: A\n  only when: [B] passes\n  check: answer is not empty\n"
            "criterion: B\n  only when: [A] passes\n  check: answer cites a source"
        ),
        demo(
            "criterion: A\n  check: answer is not empty\n"
            "criterion: B\n  only when: [A] passes\n  check: answer cites a source"
        ),
    ),
)
