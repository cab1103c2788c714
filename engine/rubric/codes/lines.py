"""R101 to R124: lines and the words in them."""

from engine.rubric.codes.code import ERROR, Code, demo

__all__ = ["LINES"]

_BRACKETS = "(" * 21 + "answer is empty" + ")" * 21

LINES: tuple[Code, ...] = (
    Code(
        "R101",
        ERROR,
        "A word in this line is not understood",
        "Checks are written in a small, fixed English, so that everybody reads them alike. Usually one word"
        " has a slip of the finger in it; the message names the word that was most likely meant.",
        demo("criterion: Sources\n  check: answr cites a source"),
        demo("criterion: Sources\n  check: answer cites a source"),
        fix=True,
    ),
    Code(
        "R102",
        ERROR,
        "This is no keyword, or its colon is missing",
        "Every line starts with a keyword and a colon. A keyword with a slip in it would otherwise be skipped, and the"
        " rubric would quietly grade something else.",
        demo("criterion: Sources\n  wieght: 3\n  check: answer cites a source"),
        demo("criterion: Sources\n  weight: 3\n  check: answer cites a source"),
        fix=True,
    ),
    Code(
        "R103",
        ERROR,
        "This line does not start with a keyword",
        "A long text goes on with > at the start of the next line, and a remark for people starts with #."
        " Without either, nobody can tell whether the line was meant to count.",
        demo("criterion: Relevance\n  ask: Does the answer address\n    what the customer wanted?"),
        demo("criterion: Relevance\n  ask: Does the answer address\n  > what the customer wanted?"),
    ),
    Code(
        "R104",
        ERROR,
        "There is an invisible character inside a word",
        "Text copied out of a web page or a PDF can hold characters that nobody sees. Delete the word and type"
        " it again.",
        demo("criterion: Sources\n  wei\u200bght: 2\n  check: answer cites a source"),
        demo("criterion: Sources\n  weight: 2\n  check: answer cites a source"),
        fix=True,
    ),
    Code(
        "R105",
        ERROR,
        "This is what another tool calls it",
        "The same thing has another name here. The message says which, and the line can be mended for you.",
        demo("criterion: Sources\n  threshold: 0.7\n  check: answer cites a source"),
        demo("criterion: Sources\n  pass mark: 0.7\n  check: answer cites a source"),
        fix=True,
    ),
    Code(
        "R106",
        ERROR,
        "The file is too big for a rubric",
        "A rubric has at most 10,000 lines and 512 KiB. Nobody can review more; split it, and share the parts"
        " with use:.",
        demo("criterion: Sources\n  check: answer cites a source\n" + "# a remark\n" * 10_000),
        demo("criterion: Sources\n  check: answer cites a source\n# a remark"),
    ),
    Code(
        "R107",
        ERROR,
        "A line is too long, or too deeply nested",
        "A line has at most 20,000 characters and 20 brackets, and groups go a limited number of levels deep. Write"
        " several lines instead; people have to follow them too.",
        demo(f"criterion: Silent\n  check: {_BRACKETS}"),
        demo("criterion: Silent\n  check: (answer is empty)"),
    ),
    Code(
        "R110",
        ERROR,
        "A remark stands at the end of a line",
        "In these lines a remark would be read as a part of the value. It needs a line of its own that starts with #.",
        demo("criterion: Short\n  check: answer has at most 200 words  # marketing wants this"),
        demo("criterion: Short\n  # marketing wants this\n  check: answer has at most 200 words"),
        fix=True,
    ),
    Code(
        "R111",
        ERROR,
        "A text in quotes is never closed",
        "The text to look for stands between two quotes. Without the second one it is not known where it ends.",
        demo('criterion: Policy\n  check: answer contains "refund policy'),
        demo('criterion: Policy\n  check: answer contains "refund policy"'),
        fix=True,
    ),
    Code(
        "R112",
        ERROR,
        'A line mixes "and" and "or"',
        '"A or B and C" can be read in two ways, and people disagree about which. Brackets say what belongs together;'
        " two check: lines of a criterion must both hold anyway.",
        demo('criterion: Policy\n  check: answer contains "a" or answer contains "b" and answer cites a source'),
        demo('criterion: Policy\n  check: (answer contains "a" or answer contains "b") and answer cites a source'),
    ),
    Code(
        "R113",
        ERROR,
        "A list does not say whether one of it is enough",
        'A list of texts needs "any of" or "all of" before it. "Not a or b" can mean neither of them, or not both.',
        demo('criterion: Policy\n  check: answer contains "refund", "money back"'),
        demo('criterion: Policy\n  check: answer contains any of "refund", "money back"'),
    ),
    Code(
        "R114",
        ERROR,
        "A number has a comma where a full stop belongs",
        "0,7 and 0.7 are the same number in different countries. Here numbers use a full stop, so that a comma always"
        " separates things.",
        demo("criterion: Sources\n  pass mark: 0,7\n  measure: ndcg@10"),
        demo("criterion: Sources\n  pass mark: 0.7\n  measure: ndcg@10"),
        fix=True,
    ),
    Code(
        "R115",
        ERROR,
        "The text to look for has no quotes",
        "Quotes show exactly what is looked for, with its blanks and signs.",
        demo("criterion: Policy\n  check: answer contains refund policy"),
        demo('criterion: Policy\n  check: answer contains "refund policy"'),
        fix=True,
    ),
    Code(
        "R116",
        ERROR,
        "A denial lacks its helping word",
        'Write "does not contain" instead of "not contain".',
        demo('criterion: Polite\n  check: answer not contain "sorry"'),
        demo('criterion: Polite\n  check: answer does not contain "sorry"'),
        fix=True,
    ),
    Code(
        "R117",
        ERROR,
        'A check says "should" or "must"',
        "A check says what the answer does. Whether it is compulsory is said by the heading: must: or criterion:.",
        demo("criterion: Sources\n  check: answer should cite at least 2 sources"),
        demo("criterion: Sources\n  check: answer cites at least 2 sources"),
        fix=True,
    ),
    Code(
        "R118",
        ERROR,
        "A number is expected here",
        "What one reader calls few another calls many, so amounts are written in digits.",
        demo("criterion: Sources\n  check: answer cites at least several sources"),
        demo("criterion: Sources\n  check: answer cites at least 3 sources"),
    ),
    Code(
        "R119",
        ERROR,
        "A length has no unit",
        "200 words and 200 characters are very different lengths. Say which: words, characters, sentences or lines.",
        demo("criterion: Short\n  check: answer has at most 200"),
        demo("criterion: Short\n  check: answer has at most 200 words"),
        fix=True,
    ),
    Code(
        "R120",
        ERROR,
        "A verdict does not say when it applies",
        "A verdict line has a name and a condition, and the last one says otherwise.",
        demo("criterion: Rank\n  measure: ndcg@10\nverdict: pass >= 0.75\nverdict: fail otherwise"),
        demo("criterion: Rank\n  measure: ndcg@10\nverdict: pass when score is at least 0.75\nverdict: fail otherwise"),
        fix=True,
    ),
    Code(
        "R121",
        ERROR,
        "A cap does not say how high the score may be, or when",
        "A cap keeps the score below a limit when something is wrong, so it needs both.",
        demo("must: Sources\n  check: answer cites a source\ncriterion: Rank\n  measure: ndcg@10\ncap: 40%"),
        demo(
            "must: Sources\n  check: answer cites a source\ncriterion: Rank\n  measure: ndcg@10\n"
            "cap: 40% when [Sources] fails"
        ),
    ),
    Code(
        "R122",
        ERROR,
        "A use: line does not say what comes from which file",
        "Write which criteria are used, in brackets, and the file they stand in, in quotes.",
        demo("criterion: Rank\n  measure: ndcg@10\nuse: safety"),
        demo('criterion: Rank\n  measure: ndcg@10\nuse: everything from "safety.rubric"'),
        files=(("safety.rubric", "library: Safety\nmust: Sources\n  check: answer cites a source\n"),),
    ),
    Code(
        "R123",
        ERROR,
        "A field: line does not say what values there are",
        "A field is something that is recorded about each question. Its values are listed, so that a slip in"
        " one of them is found.",
        demo("field: intent\ncriterion: Rank\n  only when: intent is lookup\n  measure: ndcg@10"),
        demo(
            "field: intent is one of lookup, comparison\n"
            "criterion: Rank\n  only when: intent is lookup\n  measure: ndcg@10"
        ),
    ),
    Code(
        "R124",
        ERROR,
        "A setting has no value",
        "A setting is a name for a value that is used in several places, so it needs both.",
        demo("setting: max words\ncriterion: Short\n  check: answer has at most 200 words"),
        demo("setting: max words = 200\ncriterion: Short\n  check: answer has at most {max words} words"),
    ),
)
