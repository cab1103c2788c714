"""Parts of a rubric in words, one sentence or a few words each. What an author wrote is passed on unchanged."""

from collections.abc import Mapping
from decimal import Decimal

from engine.rubric import names
from engine.rubric.numbers import plain
from engine.rubric.spoken import canonical_expression
from engine.rubric.syntax import Cap, Check, Combine, Criterion, FieldType, Group, Level, Measured, Panel, Role, Verdict

__all__ = [
    "Titles",
    "cap_words",
    "check_words",
    "combine_words",
    "field_words",
    "level_words",
    "measure_words",
    "panel_words",
    "percent",
    "role_words",
    "verdict_words",
]

Titles = Mapping[str, str]
"""The title of every criterion and group, by id."""


_ROLES = {
    Role.CRITERION: "criterion",
    Role.MUST: "must (has to pass)",
    Role.MUST_NOT: "must not (what it describes may not happen)",
    Role.PENALTY: "penalty (takes off marks when it happens)",
    Role.BONUS: "bonus (adds marks)",
    Role.INFO: "info (reported only)",
}


def check_words(check: Check, titles: Titles) -> str:
    """A check or a condition in the language's one spelling, settings put in their place."""
    return canonical_expression(check.holds, titles)


def percent(value: Decimal) -> str:
    """`0.4` → `40%`."""
    return f"{plain(value * 100)}%"


def role_words(criterion: Criterion) -> str:
    """The heading of a criterion, and what it means."""
    return _ROLES[criterion.role]


def combine_words(group: Group) -> str:
    """How a group makes one score of its members."""
    match group.combine:
        case Combine.WEIGHTED_MEAN:
            return "the mean of its parts, by weight"
        case Combine.MEAN:
            return "the mean of its parts, all alike"
        case Combine.LOWEST:
            return "the lowest of its parts"
        case Combine.HIGHEST:
            return "the highest of its parts"
        case Combine.ALL:
            return "1 if all of its parts pass, else 0"
        case Combine.ANY:
            return "1 if any of its parts passes, else 0"
        case Combine.AT_LEAST:
            return f"1 if at least {group.need} of its parts pass, else 0"


def measure_words(measured: Measured) -> str:
    """A recorded number, and where it earns marks."""
    return (
        f"{measured.name}: full marks at {_amount(measured.name, measured.full)}, "
        f"none at {_amount(measured.name, measured.none)}"
    )


def panel_words(panel: Panel) -> str:
    """Who answers, and how several answers become one."""
    judges = [f"{judge.count} {judge.kind}{f' “{judge.name}”' if judge.name else ''}" for judge in panel.judges]
    parts = [", ".join(judges) or "one, whoever the run provides"]
    if panel.size > 1:
        parts.append(f"combined by {panel.settle.value}")
        parts.append(f"at least {panel.needed} of {panel.size} have to answer")
    if panel.disagreement is not None:
        parts.append(f"ungraded when two scores are more than {percent(panel.disagreement)} apart")
    return "; ".join(parts)


def level_words(level: Level) -> tuple[str, str, str]:
    """A row of a scale: what a judge answers, what it earns, what it means."""
    if level.low is not None:
        return level.label, "", level.meaning
    return level.label, "n/a" if level.score is None else plain(level.score), level.meaning


def cap_words(cap: Cap, titles: Titles) -> str:
    """One `cap:` line."""
    what = "the score" if cap.ref is None else f"[{titles.get(cap.ref, cap.ref)}]"
    return f"{what} is at most {percent(cap.at_most)} when {check_words(cap.when, titles)}"


def verdict_words(verdict: Verdict, titles: Titles) -> str:
    """When a verdict is given; without its name."""
    return "otherwise" if verdict.when is None else f"when {check_words(verdict.when, titles)}"


def field_words(declared: FieldType) -> str:
    """What a declared word about a query can be."""
    if declared.number:
        return "a number"
    return f"one of {', '.join(declared.values)}" if declared.values else "a text"


def _amount(name: str, value: Decimal) -> str:
    found = names.quantity(name)
    if found is not None and found.kind == "time":
        return "1 second" if value == 1 else f"{plain(value)} seconds"
    return f"${plain(value)}" if found is not None and found.kind == "money" else plain(value)
