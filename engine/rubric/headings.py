"""Which lines may stand under which heading, and which of them more than once."""

__all__ = ["ANYWHERE", "OFTEN", "allowed"]

ANYWHERE = frozenset({"field", "setting", "define scale", "cap", "verdict"})
"""Lines about the whole rubric: they mean the same wherever they stand."""

_PANEL = frozenset({"judge", "combine judges", "quorum", "disagreement limit"})
_WHOLE = frozenset({"combine", "pass mark", "minimum graded", "tags", "note", "id", "about", *_PANEL})
_RUBRIC = frozenset({"version", "owner", "language", *_WHOLE})
_GROUP = frozenset({"weight", "only when", *_WHOLE})
_JUDGED = frozenset(
    {
        *("weight", "ask", "scale", "pass mark", "only when", "guidance", "good example", "bad example", "show"),
        *("allow n/a", "tags", "note", "id", "about", *_PANEL),
    }
)
_CHECKLIST = _JUDGED | {"item"}
_CRITERION = _JUDGED | {"check", "measure", "partial credit"}
_ALLOWED = {"rubric": _RUBRIC, "library": _RUBRIC, "group": _GROUP, "checklist": _CHECKLIST}

OFTEN = frozenset({"check", "good example", "bad example", "note", "tags", "item"})
"""Lines that one heading can have several of."""


def allowed(heading: str) -> frozenset[str]:
    """Keywords of the lines that may stand under a heading; "item" is a line that starts with `-`.

    Those that may stand ANYWHERE are not among them.
    """
    return _ALLOWED.get(heading, _CRITERION)
