"""R201 to R219: headings, and which line belongs under which."""

from engine.rubric.codes.code import ERROR, HINT, Code, demo

__all__ = ["STRUCTURE"]

STRUCTURE: tuple[Code, ...] = (
    Code(
        "R201",
        ERROR,
        "The rubric has no name",
        "The first line says what the rubric is called. Reports, labels and other files find it by that name.",
        "criterion: Sources\n  check: answer cites a source\n",
        "rubric: Demo\ncriterion: Sources\n  check: answer cites a source\n",
    ),
    Code(
        "R202",
        ERROR,
        "The file has two names",
        "A file holds one rubric. Put the second one into a file of its own.",
        demo("rubric: Other\ncriterion: Sources\n  check: answer cites a source"),
        demo("criterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R203",
        ERROR,
        "A heading has no name",
        "Every criterion and group is called something: reports, caps and labels refer to it by name.",
        demo("criterion:\n  check: answer cites a source"),
        demo("criterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R204",
        ERROR,
        "There is no such group here",
        "A group inside another one is written after it, and end group: closes the one that is open.",
        demo("group: Content > Facts\n  criterion: Sources\n    check: answer cites a source"),
        demo("group: Content\ngroup: Content > Facts\n  criterion: Sources\n    check: answer cites a source"),
    ),
    Code(
        "R205",
        ERROR,
        "This line has no meaning under its heading",
        "Each heading has its own lines. A scale, for example, belongs to a question that a judge answers; a"
        " line in the wrong place would do nothing, quietly.",
        demo("criterion: Sources\n  check: answer cites a source\n  owner: Support"),
        demo("owner: Support\ncriterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R206",
        ERROR,
        "A heading has the same line twice",
        "Two weights or two questions leave open which one counts. Keep one of them.",
        demo("criterion: Sources\n  weight: 1\n  weight: 2\n  check: answer cites a source"),
        demo("criterion: Sources\n  weight: 2\n  check: answer cites a source"),
    ),
    Code(
        "R207",
        ERROR,
        "An id is not one word",
        "The id is how tables and labels find a criterion after its name was changed. It has no blanks in it.",
        demo("criterion: Sources\n  id: cites sources\n  check: answer cites a source"),
        demo("criterion: Sources\n  id: cites-sources\n  check: answer cites a source"),
        fix=True,
    ),
    Code(
        "R208",
        ERROR,
        "A row, an item or a continued text belongs to nothing",
        "Rows stand under a scale, items under a checklist, and > goes on with the text above it.",
        demo("criterion: Sources\n  check: answer cites a source\n  | good | 1.0 | Cites every claim |"),
        demo(
            "criterion: Sources\n  ask: Does it cite its claims?\n  scale:\n"
            "  | good | 1.0 | Cites every claim |\n  | poor | 0 | Cites none |"
        ),
    ),
    Code(
        "R209",
        ERROR,
        "An item of a checklist is empty",
        "Each item is one fact that the answer should state. Write it, or remove the line.",
        demo("checklist: Facts\n  - Refunds take 30 days\n  - [vital]"),
        demo("checklist: Facts\n  - Refunds take 30 days\n  - [vital] Shipping is free"),
    ),
    Code(
        "R210",
        ERROR,
        "Nothing says how to grade a criterion",
        "A criterion has a check that the computer makes, a question for a judge, or a number that was recorded.",
        demo("criterion: Clarity"),
        demo("criterion: Clarity\n  ask: Is the answer easy to follow?"),
    ),
    Code(
        "R211",
        ERROR,
        "A criterion is graded in two ways",
        "One criterion has one score, so there is one way to it. Make two criteria of it.",
        demo("criterion: Sources\n  check: answer cites a source\n  ask: Are the sources the right ones?"),
        demo(
            "criterion: Sources\n  check: answer cites a source\n"
            "criterion: Right sources\n  ask: Are the sources the right ones?"
        ),
    ),
    Code(
        "R212",
        ERROR,
        "A group is empty",
        "A group is the mean of what stands in it. With nothing in it there is no score.",
        demo("criterion: Sources\n  check: answer cites a source\ngroup: Form"),
        demo(
            "criterion: Sources\n  check: answer cites a source\ngroup: Form\n  criterion: Rank\n    measure: ndcg@10"
        ),
    ),
    Code(
        "R213",
        ERROR,
        "The rubric has no criteria",
        "A rubric without criteria would grade nothing and never complain.",
        demo("about: Decides whether an answer may be sent"),
        demo("about: Decides whether an answer may be sent\ncriterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R214",
        HINT,
        "The rubric has no version",
        "Scores from before and after a change cannot be compared. The version is how a report tells them"
        " apart; raise it when you change what a score means.",
        "rubric: Demo\ncriterion: Sources\n  check: answer cites a source\n",
        demo("criterion: Sources\n  check: answer cites a source"),
    ),
    Code(
        "R215",
        HINT,
        "The rubric gives scores and no verdict",
        "That is fine if you only want numbers. A verdict says what the score means: send it, look at it,"
        " throw it away.",
        demo("criterion: Rank\n  measure: ndcg@10"),
        demo("criterion: Rank\n  measure: ndcg@10\nverdict: good when score is at least 0.7\nverdict: poor otherwise"),
    ),
    Code(
        "R216",
        ERROR,
        "Nothing says from which score something passes",
        "A check passes or fails by itself. A measure or a scale with several levels gives a score in between,"
        " so the pass mark has to be written.",
        demo("must: Rank\n  measure: ndcg@10"),
        demo("must: Rank\n  pass mark: 0.7\n  measure: ndcg@10"),
    ),
    Code(
        "R217",
        ERROR,
        "A library has verdicts",
        "A library lends its criteria to other rubrics. Verdicts are about a whole score, so they stand in the"
        " rubric that uses it.",
        "library: Safety\ncriterion: Sources\n  check: answer cites a source\nverdict: good otherwise\n",
        "library: Safety\ncriterion: Sources\n  check: answer cites a source\n",
    ),
    Code(
        "R218",
        ERROR,
        "A question is missing after ask:",
        "The judge gets exactly this text. Write the question that has to be answered.",
        demo("criterion: Clarity\n  ask:"),
        demo("criterion: Clarity\n  ask: Is the answer easy to follow?"),
    ),
    Code(
        "R219",
        ERROR,
        "A line is indented as if it stood outside the group it is in",
        "A group ends where the next one starts, or at end group:. Indentation is for readers; where it says something"
        " else than the keywords, one of the two is a mistake.",
        demo(
            "group: Grounding\n  criterion: Sources\n    check: answer cites a source\n"
            "criterion: Short\n  check: answer has at most 200 words"
        ),
        demo(
            "group: Grounding\n  criterion: Sources\n    check: answer cites a source\nend group: Grounding\n"
            "criterion: Short\n  check: answer has at most 200 words"
        ),
    ),
)
