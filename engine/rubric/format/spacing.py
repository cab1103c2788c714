"""Blank lines between the parts of a file, and remarks beside what they are about."""

from collections.abc import Sequence
from dataclasses import replace

from engine.rubric.format.items import Item
from engine.rubric.format.layout import Place

__all__ = ["spaced"]


def spaced(items: Sequence[Item]) -> list[Item]:
    """Where blank lines belong, and remarks beside what they are about.

    Remarks go with the line below them; with the line above when only a blank line follows them.
    """
    done = list(items)
    above = [0]
    for index, item in enumerate(items):
        if item.remark:
            above.append(above[-1])
        else:
            done[index] = replace(item, opens=item.place.heading or item.place.depth < above[-1])
            above.append(item.place.depth)
    end = len(done)
    while end:
        start = end - 1
        if done[start].remark:
            while start and not done[start].gap and done[start - 1].remark:
                start -= 1
            done[start : end + 1] = _beside(done[start:end], done[end : end + 1], above[start])
        end = start
    return done


def _beside(remarks: list[Item], below: list[Item], above: int) -> list[Item]:
    """Some remarks one under the other, and the line below them if there is one."""
    first = remarks[0]
    touches = bool(below) and not below[0].gap
    depth = below[0].place.depth if below and (touches or first.gap) else 0 if first.gap else above
    opens = touches and below[0].opens
    moved = [replace(remark, place=Place(depth)) for remark in remarks]
    moved[0] = replace(moved[0], opens=opens)
    return [*moved, *(replace(line, opens=line.opens and not touches) for line in below)]
