"""What is known about a run as JSON, the same shape in `run.json`, in baselines and in the listing index."""

from collections.abc import Mapping

from engine.errors import Problem, UsageError
from engine.model.run import Average, RunInfo, RunStatus
from engine.text import nearest

__all__ = ["from_json", "to_json"]


def to_json(info: RunInfo) -> dict[str, object]:
    """The run as JSON values."""
    values: dict[str, object] = {name: getattr(info, name) for name in _FIELDS}
    values["status"] = str(info.status)
    values["settings"] = dict(info.settings)
    values["averages"] = {name: _average_to_json(average) for name, average in info.averages.items()}
    values["measures"] = {name: _average_to_json(average) for name, average in info.measures.items()}
    values["notes"] = list(info.notes)
    values["overrides"] = list(info.overrides)
    values["damage"] = [list(problem) for problem in info.damage]
    for name in _ONLY_WHEN_THERE:
        if not values[name]:
            del values[name]
    return values


def from_json(value: object, place: str) -> RunInfo:
    """The run that `to_json` wrote.

    Raises:
        UsageError: a key is unknown, missing, or has a value of another kind.
    """
    values = _checked(value, _FIELDS, _NEEDED, place)
    averages = _checked_mapping(values.get("averages", {}), place)
    measures = _checked_mapping(values.get("measures", {}), place)
    try:
        status = RunStatus(str(values["status"]))
    except ValueError:
        raise UsageError(Problem(f'no status is called "{values["status"]!s:.40}"', place)) from None
    known = {
        **values,
        "status": status,
        "averages": {name: _average(average, f"{place}: {name}") for name, average in averages.items()},
        "measures": {name: _average(average, f"{place}: {name}") for name, average in measures.items()},
        "notes": tuple(map(str, _list(values.get("notes", []), place))),
        "overrides": tuple(map(str, _list(values.get("overrides", []), place))),
        "damage": tuple(_problem(item, place) for item in _list(values.get("damage", []), place)),
    }
    return RunInfo(**known)  # type: ignore[arg-type] # every value was checked against _FIELDS


def _average_to_json(average: Average) -> dict[str, object]:
    return {name: getattr(average, name) for name in _AVERAGE_FIELDS}


def _average(value: object, place: str) -> Average:
    return Average(**_checked(value, _AVERAGE_FIELDS, _AVERAGE_NEEDED, place))  # type: ignore[arg-type] # checked


def _problem(value: object, place: str) -> Problem:
    match value:
        case [str(message), str(where), str(help_)]:
            return Problem(message, where, help_)
    raise UsageError(Problem('"damage" has a value of the wrong kind', place))


_NONE = type(None)
_NUMBERS = (int, float, _NONE)
_TEXT: tuple[type, ...] = (str,)
_MAYBE_TEXT: tuple[type, ...] = (str, _NONE)
_COUNT: tuple[type, ...] = (int,)
_MAYBE_COUNT: tuple[type, ...] = (int, _NONE)

_FIELDS: dict[str, tuple[type, ...]] = {
    "id": _TEXT,
    "started_at": _TEXT,
    "status": _TEXT,
    "queries": _TEXT,
    "planned": _MAYBE_COUNT,
    "done": _COUNT,
    "failed": _COUNT,
    "set_version": _MAYBE_TEXT,
    "set_sha256": _MAYBE_TEXT,
    "corpus": _MAYBE_TEXT,
    "rubric": _MAYBE_TEXT,
    "rubric_sha256": _MAYBE_TEXT,
    "graded_by": _TEXT,
    "settings": (dict,),
    "averages": (dict,),
    "measures": (dict,),
    "focus": _MAYBE_TEXT,
    "reviewed": _COUNT,
    "filtered": (bool,),
    "folder": _TEXT,
    "query_count": _MAYBE_COUNT,
    "sequence": _COUNT,
    "notes": (list,),
    "overrides": (list,),
    "damage": (list,),
    "calls": _COUNT,
    "cost_micro_usd": _MAYBE_COUNT,
    "unknown_costs": _COUNT,
}
_ONLY_WHEN_THERE = ("overrides", "damage", "calls", "cost_micro_usd", "unknown_costs")
_NEEDED = {"id", "started_at", "status", "queries", "planned", "done"}
_AVERAGE_FIELDS: dict[str, tuple[type, ...]] = {
    "total": _MAYBE_TEXT,
    "mean": _NUMBERS,
    "graded": _COUNT,
    "planned": _COUNT,
    "covers": _MAYBE_TEXT,
}
_AVERAGE_NEEDED = {"total", "mean", "graded", "planned"}


def _checked(
    value: object, fields: Mapping[str, tuple[type, ...]], needed: set[str], place: str
) -> Mapping[str, object]:
    values = _checked_mapping(value, place)
    problems = [_unknown(key, fields, place) for key in values if key not in fields]
    problems += [Problem(f'"{key}" is missing', place) for key in sorted(needed - values.keys())]
    problems += [
        Problem(f'"{key}" has a value of the wrong kind', place)
        for key, found in values.items()
        # the exact type: True is no count
        if key in fields and type(found) not in fields[key]
    ]
    if problems:
        raise UsageError(*problems)
    return values


def _unknown(key: str, fields: Mapping[str, object], place: str) -> Problem:
    close = nearest(key, fields)
    help_ = f'did you mean "{close}"?' if close else "a newer version of the engine may have written it"
    return Problem(f'no field is called "{key[:60]}"', place, help_)


def _checked_mapping(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UsageError(Problem("an object with fields is needed here", place))
    return value


def _list(value: object, place: str) -> list[object]:
    if not isinstance(value, list):
        raise UsageError(Problem("a list is needed here", place))
    return value
