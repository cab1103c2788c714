"""Blocks to a rubric: names first, then every heading with the lines under it, then what refers to them."""

from dataclasses import dataclass, field, replace
from decimal import Decimal

from engine.rubric import amounts, lookup, phrases, scalars
from engine.rubric import scales as scale_rows
from engine.rubric.blocks import Block, Entry, Outline
from engine.rubric.context import Context, Slip
from engine.rubric.declared import fields_of, twice
from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.grading import grading_of, usual_mark
from engine.rubric.names import plain_name
from engine.rubric.panels import PanelLines, handed_down, panel_lines
from engine.rubric.parse import Node, Word, span_of
from engine.rubric.syntax import Cap, Checks, Combine, Criterion, Group, Role, Rubric, Scale, Verdict, Weight, parts
from engine.rubric.values import check, each, examples, own_id, shown, tags, text, value
from engine.text import slug

__all__ = ["Used", "build"]

Member = Criterion | Group


@dataclass(slots=True)
class Used:
    """What `use:` lines brought: members for each group, and scales."""

    members: list[tuple[Block, Member]] = field(default_factory=list)
    scales: list[Scale] = field(default_factory=list)


def build(outline: Outline, used: Used, context: Context) -> Rubric | None:
    """The rubric, or None when it has no root. `context` holds the settings and collects every problem."""
    if outline.root is None:
        return None
    return _Builder(outline, used, context).run(outline.root)


class _Builder:
    """Reads the lines of every block. Order: names first, then what refers to them."""

    def __init__(self, outline: Outline, used: Used, context: Context) -> None:
        self.outline = outline
        self.used = used
        self.context = context
        self.ids: dict[int, str] = {}

    def run(self, root: Block) -> Rubric:
        context = self.context
        context.fields = fields_of(self._entries("field"), context)
        context.scales = self._scales()
        self._name(root)
        group = self._group(root, PanelLines())
        verdicts = each(self._entries("verdict"), self._verdict, context)
        caps = each(self._entries("cap"), self._cap, context)
        if root.head.key == "library" and self._entries("verdict"):
            at = self._entries("verdict")[0].at
            self._problem("R217", "A library has no verdicts", at, "verdicts belong to the rubric that uses it")
        return Rubric(
            id=own_id(root) or slug(root.title) or "rubric",
            title=root.title,
            version=value(root, "version", scalars.version, 0, context),
            root=replace(group, id="", about="", tags=()),
            caps=caps,
            verdicts=verdicts,
            scales=tuple(context.scales.values()),
            fields=tuple(context.fields.values()),
            library=root.key == "library",
            about=text(root, "about", context),
            owner=text(root, "owner", context),
            language=value(root, "language", scalars.language, "", context),
            tags=tags(root),
            note=text(root, "note", context),
            at=root.at,
        )

    # ---- names -----------------------------------------------------------------------------

    def _problem(self, code: str, message: str, at: Span, *steps: str) -> None:
        self.context.problems.append(Diagnostic(code, message, at, help=steps))

    def _entries(self, key: str) -> list[Entry]:
        return [entry for entry in self.outline.globals if entry.key == key]

    def _scales(self) -> dict[str, Scale]:
        found = {plain_name(scale.name): scale for scale in self.used.scales}
        defined = each(
            self._entries("define scale"), lambda entry: scale_rows.defined(entry, self.context), self.context
        )
        for scale in defined:
            name = plain_name(scale.name)
            if name in found:
                self.context.problems.append(twice("scales", scale.name, scale.at, found[name].at))
            found[name] = scale
        return found

    def _name(self, root: Block) -> None:
        """Ids and titles of everything that can stand in [brackets]."""
        register = _Register(self.context.problems)
        self._walk(root, "", register)
        self.context.ids = register.ids
        self.context.titles = tuple(register.titles)

    def _walk(self, block: Block, above: str, register: "_Register") -> None:
        for number_, member in enumerate(block.members, start=1):
            own = own_id(member) or slug(member.title) or f"{member.key.replace(' ', '-')}-{number_}"
            path = f"{above}/{own}" if above else own
            if path == "overall":  # the name of the whole score in every report
                path = f"overall-{member.key}"
            self.ids[id(member)] = path
            if member.title:
                register.add(member.title, path, member.at)
            self._walk(member, path, register)
        for group, used in self.used.members:
            if group is block:
                for each_ in (used, *(parts(used) if isinstance(used, Group) else ())):
                    register.add(each_.title, each_.id, each_.at)

    # ---- headings --------------------------------------------------------------------------

    def _group(self, block: Block, above: PanelLines) -> Group:
        context = self.context
        lines = panel_lines(block, above, context)
        members: list[Member] = []
        for member in block.members:
            if member.key == "group":
                group = self._group(member, lines)
                if not group.members and not member.members and not member.broken:
                    self._problem(
                        "R212", f'The group "{member.title}" is empty', member.at, "put criteria under it, or remove it"
                    )
                members.append(group)
            else:
                members.append(self._criterion(member, lines))
        members += [handed_down(used, lines) for group, used in self.used.members if group is block]
        combine, need = value(block, "combine", scalars.combiner, (Combine.WEIGHTED_MEAN, 0), context)
        return Group(
            id=self.ids.get(id(block), ""),
            title=block.title,
            members=tuple(members),
            weight=self._weight(block),
            combine=combine,
            need=need,
            pass_mark=value(block, "pass mark", scalars.pass_mark, None, context),
            minimum_graded=value(block, "minimum graded", scalars.share, Decimal(1), context),
            only_when=check(block, "only when", context),
            about=text(block, "about", context),
            tags=tags(block),
            note=text(block, "note", context),
            at=block.at,
        )

    def _criterion(self, block: Block, above: PanelLines) -> Criterion:
        context = self.context
        role = Role.CRITERION if block.key == "checklist" else Role(block.key)
        grading = grading_of(block, panel_lines(block, above, context).panel, context)
        mark = value(block, "pass mark", scalars.pass_mark, None, context)
        if grading is None:  # it has its message; its name and its weight are still those of a criterion
            grading = Checks(())
        if mark is None and block.find("pass mark") is None and not block.broken:
            mark = usual_mark(grading)
            if mark is None and role.gate:
                at = block.at
                step = "write under it, for example: pass mark: 0.7"
                self._problem("R216", f'"{block.title}" must pass, and nothing says from which score it does', at, step)
        return Criterion(
            id=self.ids[id(block)],
            title=block.title,
            role=role,
            grading=grading,
            weight=self._weight(block),
            pass_mark=mark,
            only_when=check(block, "only when", context),
            about=text(block, "about", context),
            guidance=text(block, "guidance", context),
            good=examples(block, "good example", context),
            bad=examples(block, "bad example", context),
            show=shown(block, context),
            tags=tags(block),
            note=text(block, "note", context),
            at=block.at,
        )

    def _weight(self, block: Block) -> Weight | None:
        if block.find("weight") is None:
            return Weight(Decimal(1)) if block.broken else None
        return value(block, "weight", scalars.weight, Weight(Decimal(1)), self.context)

    # ---- lines about the whole -------------------------------------------------------------

    def _verdict(self, entry: Entry) -> Verdict:
        parts = entry.node.parts
        name = next(p for p in parts[1:] if isinstance(p, Node) or (isinstance(p, Word) and p.kind == "STRING"))
        at = span_of(name, entry.line)
        said = amounts.phrase(name, entry.line)
        if any(isinstance(part, Word) and part.kind == "OTHERWISE" for part in parts):
            return Verdict(said, None, at)
        return Verdict(said, phrases.check(entry.node.nodes()[-1], entry.line, self.context), at)

    def _cap(self, entry: Entry) -> Cap:
        words = [part for part in entry.node.parts if isinstance(part, Word)]
        mark = next(word for word in words if word.kind == "NUMBER")
        amount = amounts.read_amount(mark, None, entry.line, self.context)
        if not 0 <= amount.value <= 1:
            raise Slip(amounts.score_out_of_range(amount.value, amount.at))
        ref = next((word for word in words if word.kind == "REF"), None)
        when = phrases.check(entry.node.nodes()[-1], entry.line, self.context)
        target = None if ref is None else lookup.resolve(span_of(ref, entry.line), self.context)
        return Cap(amount.value, when, target, amount.at)


@dataclass(slots=True)
class _Register:
    """Titles and ids so far; a second one of either is a problem."""

    problems: list[Diagnostic]
    ids: dict[str, str] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    places: dict[str, Span] = field(default_factory=dict)

    def add(self, title: str, path: str, at: Span) -> None:
        name = plain_name(title)
        if name in self.ids:
            self.problems.append(_two_criteria(title, at, self.places[name]))
        elif path in self.places:
            message = f'"{title}" would get the same id as another criterion: {path}'
            step, other = "give one of them another name", (self.places[path], "the other")
            self.problems.append(Diagnostic("R301", message, at, help=(step,), other=other))
        self.ids.setdefault(name, path)
        self.places.setdefault(name, at)
        self.places.setdefault(path, at)
        self.titles.append(title)


def _two_criteria(title: str, at: Span, first: Span) -> Diagnostic:
    return Diagnostic(
        "R301",
        f'There are two criteria called "{title}"',
        at,
        "second one",
        ("give one of them another name", "labels and reports find a criterion by its name, so it must be unique"),
        (first, "first one"),
    )
