"""The reference page: every word of the language, from the tables that the engine itself reads."""

from collections.abc import Iterator

from engine.rubric.manual import checks, grades, lines, measured, messages
from engine.rubric.source import LONGEST_LINE, MOST_BYTES, MOST_LINES

__all__ = ["reference"]


def reference() -> str:
    """The whole page as Markdown."""
    return "\n\n".join((_TOP, *_lines(), *_checks(), *_grades(), *_rest())) + "\n"


_TOP = """\
# The rubric language: reference

<!-- Made by `python scripts/rubric_pages.py` from the tables of the engine. What is changed here is lost. -->

Every word of the language. To learn it, read [the guide](rubric-guide.md); the rules on a card are on
[one page](../rubrics/README.md). In the terminal `assay rubric explain R502` shows a code with examples.

[Headings](#headings) · [Lines](#lines-under-a-heading) · [Checks](#checks) · [Measures](#measures) ·
[Scales](#scales) · [What counts](#what-counts) · [Judges](#judges) · [Messages](#messages) · [Limits](#limits)"""


def _lines() -> Iterator[str]:
    yield "## Headings"
    yield lines.headings()
    yield "## Lines under a heading"
    yield (
        "`criterion …` stands for `criterion:`, `must:`, `must not:`, `penalty:`, `bonus:` and `info:`. A line that\n"
        "stands *anywhere* is about the whole file. Lines about judges hold for everything below their heading."
    )
    yield lines.places()
    yield "### Lines that start with a sign"
    yield lines.signs()
    yield "### Other words for the same"
    yield from lines.other_words()


def _checks() -> Iterator[str]:
    yield "## Checks"
    yield (
        "After `check:` and `only when:`. Several `check:` lines of one criterion must all hold; with\n"
        "`partial credit: yes` the share that holds is the score."
    )
    yield from checks.shapes()
    yield "### Other ways to say the same"
    yield checks.same()
    yield "### Numbers, units and texts"
    yield from checks.numbers()
    yield "## Measures"
    yield "After `measure:`, and in checks: `ndcg@10 is at least 0.5`."
    yield from measured.numbers()


def _grades() -> Iterator[str]:
    yield "## Scales"
    yield _SCALES
    yield "## What counts"
    yield grades.roles()
    yield _MARKS
    yield "### One score of several"
    yield "What does not apply is left out. What is ungraded makes the score a range, never a 0."
    yield grades.combiners()
    yield _ONLY_GATES
    yield "## Judges"
    yield from grades.judges()
    yield _PANELS
    yield grades.panels()
    yield "### What a judge sees"
    yield from grades.shown()


def _rest() -> Iterator[str]:
    yield "## Messages"
    yield (
        "An *error* keeps a rubric from being used. A *warning* and a *hint* do not. What can be\n"
        "mended in one way only, `assay rubric check --fix FILE` mends."
    )
    yield from messages.messages()
    yield "## Limits"
    yield (
        f"A file has at most {MOST_BYTES // 1024} KiB and {MOST_LINES:,} lines, and a line {LONGEST_LINE:,} characters."
        "\nA pattern in `/ /` knows no back-references and no look-around; one that could run for ever is refused."
    )


_SCALES = """\
Without a `scale:` a question is answered *yes* or *no*. A scale stands under its question, or is defined once with a
name and used by it. The second column is the score, from 0 to 1; `n/a` there means that the question does not apply.

```rubric
define scale: quality
  | good | 1.0 | Just what the customer needed |
  | okay | 0.5 | Helps, and could be better |
  | poor | 0.0 | Of no use |
  | none | n/a | There was nothing to answer |

criterion: Helps
  ask: How well does the answer help?
  scale: quality

criterion: Reads well
  ask: How easy is it to read?
  scale: 1 to 5
    | 1   | Has to be read twice |
    | 2-4 | Takes some effort |
    | 5   | Clear at once |
```

On a scale of points 1 is the score 0, 5 is 1, and 4 is 0.75. A row can describe one point or several."""

_MARKS = """\
The score of a group: what its criteria earn, less what penalties take off, plus what bonuses add, divided by the
weights of the criteria that apply. Where only penalties apply, it starts from 1.

A criterion *passes* when its score reaches its `pass mark:`. Checks, and questions whose scale has two levels, pass at
1 without being told. A measure, a checklist and a longer scale need a `pass mark:` where something asks whether they
pass: in a `must:` or a `must not:`, in `[name] passes`, and in a group with `combine: all`, `any` or `at least`. Such a
group passes at 1; another group needs a `pass mark:` too. What does not apply neither passes nor fails."""

_ONLY_GATES = """\
`minimum graded: 80%` under a group or the rubric: when that share of the weight is graded, the rest is left out instead
of making the score a range. A group that holds only gates shows the share of them that passes, and counts in no mean.

A `cap:` lowers the score of the whole. `cap: [Tone] at 50% when …` lowers the score of a part, as reports show it and
conditions see it; the mean that it is a part of stays. Scores are rounded to 4 decimals, half up, and what is shown is
what is compared."""

_PANELS = """\
`judge: 3 llm, 1 human` is a panel of four; `judge: 2 llm "strict"` names a judge. `quorum:` says how many usable votes
it takes; without it, more than half of the panel. `disagreement limit: 0.3` leaves a question ungraded when two votes
lie further apart than that. When most judges say that the question does not apply, it does not."""
