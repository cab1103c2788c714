"""What some JSON has in it, in one short harmless line, and where a name that was looked for stands."""

from collections.abc import Iterator

from engine.providers.jsonpath import Gap
from engine.providers.path_text import EVERY, Every, Step, written
from engine.text import nearest, one_line

__all__ = ["not_found", "tree"]

_MEMBERS, _DEPTH, _WIDTH, _TEXT = 8, 4, 300, 24


def tree(value: object, depth: int = _DEPTH) -> str:
    """`{took: 12, results: [2 × {id: "a1", score: 3.2}]}`: values shortened, of a list only its first member."""
    if isinstance(value, dict):
        if not value or not depth:
            return "{…}" if value else "{}"
        shown = [f"{one_line(name, 40)}: {tree(inner, depth - 1)}" for name, inner in list(value.items())[:_MEMBERS]]
        more = [f"… {len(value) - _MEMBERS} more"] if len(value) > _MEMBERS else []
        return f"{{{', '.join(shown + more)}}}"
    if isinstance(value, list):
        return f"[{len(value)} × {tree(value[0], depth - 1) if depth else '…'}]" if value else "[]"
    if isinstance(value, str):
        return f'"{one_line(value, _TEXT)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return one_line(str(value), _TEXT)


def not_found(path: str, gap: Gap, whole: object, what: str) -> str:
    """Why a path finds nothing, what there is instead, and what was probably meant.

    Args:
        what: what it was looked for in: "the reply", "hit 3".
    """
    step = gap.step
    there = what if gap.found == "$" else f"{gap.found} of {what}"
    if isinstance(step, Every):
        lacks = f"{there} is no list"
    elif isinstance(step, int):
        lacks = f"{there} has no member [{step}]"
    else:
        lacks = f'{there} has no "{one_line(step, 40)}"'
    meant = _meant(gap, whole)
    hint = f"; did you mean {meant}?" if meant else ""
    return f"nothing at {path}: {lacks}, it is {one_line(tree(gap.value), _WIDTH)}{hint}"


def _meant(gap: Gap, whole: object) -> str:
    if not isinstance(gap.step, str):
        return ""
    near = nearest(gap.step, gap.value) if isinstance(gap.value, dict) else None
    if near is not None:
        return one_line(f"{gap.found}{written((near,))[1:]}{gap.rest}", 120)
    deeper = next((steps for steps in _places(whole, ()) if steps[-1] == gap.step), None)
    return "" if deeper is None else one_line(f"{written(deeper)}{gap.rest}", 120)


def _places(value: object, above: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Every name in it with the way to it, not too deep."""
    if len(above) > _DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in list(value.items())[:100]:
            yield (*above, name)
            yield from _places(inner, (*above, name))
    elif isinstance(value, list) and value:
        yield from _places(value[0], (*above, EVERY))
