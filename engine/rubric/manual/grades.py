"""What counts, how a group makes one score of its members, and who judges what."""

from collections.abc import Iterator
from types import MappingProxyType

from engine.rubric.manual.markdown import code, codes, table
from engine.rubric.request import LONGEST
from engine.rubric.syntax import USUALLY_SHOWN, Combine, Role, Settle
from engine.rubric.words import JUDGES, SHOW

__all__ = ["combiners", "judges", "panels", "roles", "shown"]

_ROLES = MappingProxyType(
    {
        Role.CRITERION: ("yes", "Counts as often as its weight says."),
        Role.MUST: (
            "only with a `weight:`",
            "If it fails, the verdict is the last one (unless a verdict line speaks of musts itself). The score stays.",
        ),
        Role.MUST_NOT: (
            "only with a `weight:`",
            "The same for something bad: its score is 1 when that is not there.",
        ),
        Role.PENALTY: ("beside it", "Takes off as much of its weight as the bad thing is there; never below 0."),
        Role.BONUS: ("beside it", "Adds as much of its weight as is earned; never above 1."),
        Role.INFO: ("no", "Is reported and never counted."),
    }
)
_COMBINE = MappingProxyType(
    {
        Combine.WEIGHTED_MEAN: "The mean, each as often as its weight says. Used where there is no `combine:` line.",
        Combine.MEAN: "The mean; weights are not read.",
        Combine.LOWEST: "The score of the weakest.",
        Combine.HIGHEST: "The score of the strongest.",
        Combine.ALL: "1 when all that apply pass, else 0.",
        Combine.ANY: "1 when one of them passes, else 0.",
        Combine.AT_LEAST: "1 when so many of them pass, else 0.",
    }
)
_SETTLE = MappingProxyType(
    {
        Settle.MEDIAN: "The one in the middle; of two, half-way between them. Used where there is no such line.",
        Settle.MEAN: "The mean.",
        Settle.MAJORITY: "What was said most often. A tie goes against the answer.",
        Settle.LOWEST: "The lowest score.",
        Settle.HIGHEST: "The highest score.",
    }
)
_SHOW = MappingProxyType(
    {
        "question": "what was asked",
        "answer": "the text that came back",
        "expected answer": "what the query set says a good answer is; shown only where it is named",
        "passages": "the documents that were found, with their texts",
        "results": "the list of what was found: names and titles",
        "conversation": "what was said, by whom, in order",
        "tool calls": "which tools were used, with what they were told",
    }
)
_WHO = MappingProxyType({"llm": "a language model", "human": "a person"})


def roles() -> str:
    """What each kind of criterion does to the score."""
    rows = ((code(f"{role}:"), *_ROLES[role]) for role in Role)
    return table(("heading", "counts in the mean", "what it does"), rows)


def combiners() -> str:
    """How a group makes one score of the members that apply."""
    rows = ((code(f"combine: {each}{' 2' if each is Combine.AT_LEAST else ''}"), _COMBINE[each]) for each in Combine)
    return table(("you write", "the score of the group"), rows)


def judges() -> Iterator[str]:
    """Who judges."""
    spellings: dict[str, list[str]] = {}
    for written, kind in JUDGES.items():
        spellings.setdefault(kind, []).append(written)
    rows = ((code(f"judge: {kind}"), _WHO[kind], codes(written)) for kind, written in spellings.items())
    yield table(("you write", "who it is", "may be written"), rows)


def panels() -> str:
    """How the votes of several judges become one score."""
    return table(
        ("you write", "the score of the question"),
        ((code(f"combine judges: {each}"), _SETTLE[each]) for each in Settle),
    )


def shown() -> Iterator[str]:
    """What a judge may see."""
    yield table(("you write", "a judge sees"), ((code(f"show: {each}"), _SHOW[each]) for each in SHOW))
    yield (
        f"Without a `show:` line it is {codes(USUALLY_SHOWN)}. A judge never sees a weight, a pass mark, a verdict or"
        f" what another judge said. Of each part the first {LONGEST:,} characters are shown, and the judge is told if"
        " there is more."
    )
