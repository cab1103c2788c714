"""Who answers the questions of a rubric: judge lines, handed down from rubric to group to criterion."""

from dataclasses import dataclass, replace
from decimal import Decimal

from engine.rubric import scalars
from engine.rubric.blocks import Block, Entry
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, not_known
from engine.rubric.numbers import number
from engine.rubric.parse import Node, span_of
from engine.rubric.syntax import Asked, Checklist, Criterion, Group, Judge, Panel, Settle
from engine.rubric.values import value
from engine.rubric.words import JUDGES
from engine.text import nearest

__all__ = ["PanelLines", "handed_down", "panel_lines"]

_MOST = 99


@dataclass(frozen=True, slots=True)
class PanelLines:
    """The four lines about judges, each as the nearest heading says it; None where none says it."""

    judges: tuple[Judge, ...] | None = None
    settle: Settle | None = None
    quorum: int | None = None
    disagreement: Decimal | None = None

    @property
    def panel(self) -> Panel:
        """The panel that these lines come to."""
        return Panel(self.judges or (), self.settle or Settle.MEDIAN, self.quorum, self.disagreement)


def panel_lines(block: Block, above: PanelLines, context: Context) -> PanelLines:
    """The lines of a block, with what it does not say taken from above."""
    return PanelLines(
        value(block, "judge", _judges, above.judges, context),
        value(block, "combine judges", _settle, above.settle, context),
        value(block, "quorum", scalars.whole_number, above.quorum, context),
        value(block, "disagreement limit", scalars.share, above.disagreement, context),
    )


def handed_down(member: Criterion | Group, above: PanelLines) -> Criterion | Group:
    """A criterion from another file, asked by the judges of this one unless its own file names some."""
    if isinstance(member, Group):
        return replace(member, members=tuple(handed_down(each, above) for each in member.members))
    grading = member.grading
    if not isinstance(grading, Asked | Checklist) or grading.panel.judges:
        return member
    own, here = grading.panel, above.panel
    panel = Panel(
        here.judges,
        here.settle if own.settle is Settle.MEDIAN else own.settle,
        here.quorum if own.quorum is None else own.quorum,
        here.disagreement if own.disagreement is None else own.disagreement,
    )
    return replace(member, grading=replace(grading, panel=panel))


def _judges(entry: Entry) -> tuple[Judge, ...]:
    return tuple(_judge(node, entry) for node in entry.node.nodes())


def _judge(node: Node, entry: Entry) -> Judge:
    found = {word.kind: word for word in node.words()}
    kind, how_many, named = found["WORD"], found.get("NUMBER"), found.get("STRING")
    at = span_of(kind, entry.line)
    known = JUDGES.get(kind.text.casefold())
    if known is None:
        near = nearest(kind.text.casefold(), JUDGES)
        meant = JUDGES[near] if near else None
        step = "write: judge: llm, or: judge: human, or both: judge: 2 llm, 1 human"
        raise Slip(not_known("R302", f'I don\'t know the judge "{kind.text}"', at, meant, step))
    count = 1
    if how_many is not None:
        many = number(how_many.text)
        if many is None or many != many.to_integral_value() or not 1 <= many <= _MOST:
            place = span_of(how_many, entry.line)
            message = f"A number of judges is a whole number from 1 to {_MOST}, and this is {how_many.text}"
            raise Slip(Diagnostic("R403", message, place, help=("write, for example: judge: 3 llm",)))
        count = int(many)
    name = "" if named is None else " ".join(entry.line.text[named.start + 1 : named.end - 1].split())
    return Judge(known, count, name)


def _settle(entry: Entry) -> Settle:
    text, at = scalars.written(entry)
    said = " ".join(text.casefold().split())
    if said in tuple(Settle):
        return Settle(said)
    near = nearest(said, tuple(Settle))
    message = f'I don\'t know how to combine judges by "{text}"'
    raise Slip(not_known("R302", message, at, near, f"it can be: {', '.join(Settle)}"))
