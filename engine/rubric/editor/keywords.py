"""What each keyword is for, with an example: for hover texts and completion."""

from dataclasses import dataclass

from engine.rubric.headings import ANYWHERE, OFTEN, allowed
from engine.rubric.words import HEADS

__all__ = ["KEYWORDS", "Keyword", "fitting"]

_WAYS = ("check", "ask", "measure")
_RARELY = ("about", "note", "id", "tags")


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword.

    Attributes:
        about: one or two sentences for somebody who does not program.
        example: a line that can be copied.
    """

    about: str
    example: str


KEYWORDS = {
    "rubric": Keyword("The name of the rubric; the first line of the file.", "rubric: Support answers"),
    "library": Keyword(
        "The name of a file whose criteria and scales other rubrics use. It has no verdicts.", "library: House scales"
    ),
    "group": Keyword(
        "Criteria that make one score together. It ends where the next group starts, or at end group:.",
        "group: Content",
    ),
    "end group": Keyword("Ends a group, so that what follows stands outside it.", "end group: Content"),
    "criterion": Keyword("One thing that is looked at. It counts into the score.", "criterion: Relevance"),
    "must": Keyword(
        "A condition: when it fails, the verdict is the last one. It counts into the score only if it has a weight.",
        "must: Cites a source",
    ),
    "must not": Keyword(
        "Describes something that may not happen. When it does, the verdict is the last one.",
        "must not: Leaks personal data",
    ),
    "penalty": Keyword("Describes something bad. It takes marks away and never adds any.", "penalty: Apologises"),
    "bonus": Keyword("Extra marks, on top of what can be reached without them.", "bonus: Offers a next step"),
    "info": Keyword("Is reported and never counted.", "info: Number of words"),
    "checklist": Keyword(
        "A list of facts; a judge decides about each. The items start with - under it.",
        "checklist: Facts of the answer\n  - [vital] Refunds take 30 days\n  - Shipping is not refunded",
    ),
    "version": Keyword("A whole number. Raise it when the meaning changes.", "version: 3"),
    "owner": Keyword("Who answers for this rubric.", "owner: Customer support"),
    "language": Keyword("What the rubric is written in; judges give their reasons in it.", "language: German"),
    "about": Keyword("What it is for, in free text. It changes no score.", "about: May this answer be sent?"),
    "note": Keyword("A note for colleagues. It changes no score.", "note: agreed on 3 May"),
    "id": Keyword(
        "The name that labels and reports are kept under. With it, a title can change and the labels stay.",
        "id: relevance",
    ),
    "tags": Keyword("Words to find it by, with commas between them.", "tags: tone, style"),
    "weight": Keyword(
        "How much it counts among its brothers: numbers, or percentages that add up to 100%.", "weight: 30%"
    ),
    "pass mark": Keyword("From which score it passes, 0 to 1.", "pass mark: 0.7"),
    "only when": Keyword(
        "It applies only when this is so; otherwise it is left out and nobody loses marks.",
        "only when: intent is comparison",
    ),
    "check": Keyword(
        "The computer decides. Every check: line of a criterion must hold.", "check: answer cites at least 2 sources"
    ),
    "measure": Keyword(
        "A recorded number decides. Say where full marks and no marks are, unless it runs from 0 to 1.",
        "measure: latency, full marks at 2 seconds, no marks at 10 seconds",
    ),
    "ask": Keyword(
        "A judge decides: a person or a language model answers this question on the scale.",
        "ask: Does the answer address what the customer asked?",
    ),
    "scale": Keyword(
        "What a judge can answer: a named scale, points, or rows of its own. Without it: yes or no.", "scale: quality"
    ),
    "define scale": Keyword(
        "A scale with a name, one row a level: label, score from 0 to 1, description.",
        "define scale: quality\n  | good | 1 | Just what was needed |\n  | poor | 0 | Of no use |",
    ),
    "guidance": Keyword("Hints for the judge.", "guidance: Small spelling mistakes do not matter."),
    "good example": Keyword(
        "A text that earns full marks. Checks are tried on it; judges get to see it.",
        "good example: Refunds take 30 days [1].",
    ),
    "bad example": Keyword(
        "A text that earns no marks. Checks are tried on it; judges get to see it.",
        "bad example: Refunds take 30 days.",
    ),
    "show": Keyword("What the judge gets to see.", "show: question, answer, passages"),
    "partial credit": Keyword("With yes, the share of check: lines that hold is the score.", "partial credit: yes"),
    "combine": Keyword("How the members make one score.", "combine: lowest"),
    "combine judges": Keyword("How the votes of several judges become one score.", "combine judges: median"),
    "allow n/a": Keyword("With yes, a judge may say that the question does not apply.", "allow n/a: yes"),
    "minimum graded": Keyword(
        "With at least this share of the weight graded, what nobody could grade is left out.", "minimum graded: 80%"
    ),
    "quorum": Keyword("How many judges must give a usable answer.", "quorum: 2"),
    "disagreement limit": Keyword(
        "When judges lie further apart than this, the criterion stays ungraded.", "disagreement limit: 30%"
    ),
    "judge": Keyword("Who judges, and how many of each.", "judge: 2 llm, 1 human"),
    "field": Keyword(
        "A word that is recorded about each question, for only when:.", "field: intent is one of lookup, comparison"
    ),
    "setting": Keyword("A value that is written once and used as {its name}.", "setting: max words = 200"),
    "use": Keyword("Takes criteria or scales from another file.", 'use: everything from "shared/safety.rubric"'),
    "cap": Keyword("The score is at most this much when something is so.", "cap: 40% when [Faithfulness] is below 0.5"),
    "verdict": Keyword(
        "What the score comes to. Read from top to bottom; the first that fits wins; the last says otherwise.",
        "verdict: send when score is at least 0.75",
    ),
}


def fitting(heading: str, present: frozenset[str]) -> tuple[str, ...]:
    """Keywords that make sense on a new line under a heading that already has the `present` ones.

    `heading` is "rubric", "group", "criterion", "checklist", or empty before the first line.
    """
    if not heading:
        return ("rubric", "library")
    graded = next((way for way in _WAYS if way in present), None)
    own = [
        key
        for key in KEYWORDS
        if key in allowed(heading)
        and (key in OFTEN or key not in present)
        and not (graded and heading == "criterion" and key in _WAYS and key != graded)
    ]
    own.sort(key=lambda key: (key in _RARELY, key not in _WAYS))
    anywhere = [key for key in KEYWORDS if key in (*HEADS, *ANYWHERE, "use") and key not in ("rubric", "library")]
    return (*own, *(key for key in anywhere if key not in HEADS), *(key for key in anywhere if key in HEADS))
