"""Blocks to a rubric: settings, scales and used files put in their place, every line read to its noun."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TypeVar

from engine.rubric import amounts, lookup, names, phrases, scalars
from engine.rubric import scales as scale_rows
from engine.rubric.blocks import Block, Entry, Outline
from engine.rubric.context import Context, Setting, Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Severity, Span
from engine.rubric.names import FIELDS, Quantity, plain_name, quantity
from engine.rubric.numbers import number, plain, unit_of
from engine.rubric.parse import Node, Word
from engine.rubric.syntax import (
    YES_NO,
    Asked,
    Cap,
    Check,
    Checks,
    Combine,
    Criterion,
    FieldType,
    Group,
    Measured,
    Role,
    Rubric,
    Scale,
    Verdict,
    Weight,
)
from engine.rubric.words import SHOW
from engine.text import nearest, slug

__all__ = ["Used", "assigned", "build", "settings_of"]

Member = Criterion | Group
T = TypeVar("T")


@dataclass(slots=True)
class Used:
    """What `use:` lines brought: members for each group, and scales."""

    members: list[tuple[Block, Member]] = field(default_factory=list)
    scales: list[Scale] = field(default_factory=list)


def settings_of(outline: Outline, given: Mapping[str, Setting], problems: list[Diagnostic]) -> dict[str, Setting]:
    """Every setting by its name; `given` values (from `use: ... with`) win over the file's own."""
    found: dict[str, Setting] = {}
    for entry in outline.globals:
        if entry.key != "setting":
            continue
        try:
            setting = assigned(entry.node, entry)
        except Slip as slip:
            problems.append(slip.diagnostic)
            continue
        name = plain_name(setting.name)
        if name in found:
            problems.append(_twice("settings", setting.name, setting.at, found[name].at))
        found[name] = given.get(name, setting)
    return found


def assigned(node: Node, entry: Entry) -> Setting:
    """`max words = 200`, `limit = 2 seconds`, `contact = "a@b.c"`. Raises Slip."""
    named = next(part for part in node.parts if isinstance(part, Node))
    value = [part for part in node.parts if isinstance(part, Node)][1]
    name = amounts.phrase(named, entry.line)
    words = value.words()
    at = Span(entry.line, named.words()[0].start, named.words()[-1].end)
    if words[0].kind == "STRING":
        return Setting(name, entry.line.text[words[0].start + 1 : words[0].end - 1], None, None, at)
    if words[0].kind in ("NUMBER", "MONEY"):
        unit = words[1] if len(words) > 1 else None
        amount = amounts.read_amount(words[0], unit, entry.line, Context())
        text = entry.line.text[words[0].start : words[-1].end]
        return Setting(name, text, amount.value, amount.unit, at)
    text = amounts.phrase(value, entry.line)
    return Setting(name, text, number(text), unit_of(text), at)


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
        context.fields = self._fields()
        context.scales = self._scales()
        self._name(root)
        group = self._group(root)
        verdicts = self._each("verdict", self._verdict)
        caps = self._each("cap", self._cap)
        if root.head.key == "library" and self._entries("verdict"):
            at = self._entries("verdict")[0].at
            self._problem("R217", "A library has no verdicts", at, "verdicts belong to the rubric that uses it")
        return Rubric(
            id=_own_id(root) or slug(root.title) or "rubric",
            title=root.title,
            version=self._value(root, "version", scalars.version, 0),
            root=replace(group, id=""),
            caps=caps,
            verdicts=verdicts,
            scales=tuple(context.scales.values()),
            fields=tuple(context.fields.values()),
            library=root.key == "library",
            about=self._text(root, "about"),
            owner=self._text(root, "owner"),
            note=self._text(root, "note"),
            at=root.at,
        )

    # ---- names -----------------------------------------------------------------------------

    def _problem(self, code: str, message: str, at: Span, *steps: str) -> None:
        self.context.problems.append(Diagnostic(code, message, at, help=steps))

    def _entries(self, key: str) -> list[Entry]:
        return [entry for entry in self.outline.globals if entry.key == key]

    def _each(self, key: str, read: Callable[[Entry], T]) -> tuple[T, ...]:
        found = []
        for entry in self._entries(key):
            try:
                found.append(read(entry))
            except Slip as slip:
                self.context.problems.append(slip.diagnostic)
        return tuple(found)

    def _fields(self) -> dict[str, FieldType]:
        found: dict[str, FieldType] = {}
        refused = False
        for declared in self._each("field", self._field):
            name = plain_name(declared.name)
            if name in found:
                self.context.problems.append(_twice("fields", declared.name, declared.at, found[name].at))
            if name not in FIELDS and not refused:
                refused = True
                self.context.problems.append(lookup.later(f'the field "{declared.name}"', declared.at))
            found[name] = declared
        return found

    def _field(self, entry: Entry) -> FieldType:
        parts = [part for part in entry.node.parts if part is not None]
        named = next(part for part in parts if isinstance(part, Node))
        at = Span(entry.line, named.words()[0].start, named.words()[-1].end)
        kind = next((part for part in parts if isinstance(part, Word) and part.kind == "TYPE"), None)
        name = plain_name(amounts.phrase(named, entry.line))
        if kind is not None:
            words = kind.text.casefold().split()
            choices: tuple[str, ...] = ("yes", "no") if words[-1] == "yes/no" else ()
            return FieldType(name, choices, words[-1] == "number", at)
        start = parts.index(named) + 1
        values = tuple(amounts.phrase(option, entry.line) for part in parts[start:] for option in _options(part))
        return FieldType(name, values, at=at)

    def _scales(self) -> dict[str, Scale]:
        found = {plain_name(scale.name): scale for scale in self.used.scales}
        for scale in self._each("define scale", lambda entry: scale_rows.defined(entry, self.context)):
            name = plain_name(scale.name)
            if name in found:
                self.context.problems.append(_twice("scales", scale.name, scale.at, found[name].at))
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
            own = _own_id(member) or slug(member.title) or f"{member.key.replace(' ', '-')}-{number_}"
            path = f"{above}/{own}" if above else own
            if path == "overall":  # the name of the whole score in every report
                path = f"overall-{member.key}"
            self.ids[id(member)] = path
            if member.title:
                register.add(member.title, path, member.at)
            self._walk(member, path, register)
        for group, used in self.used.members:
            if group is block:
                for each in _everything(used):
                    register.add(each.title, each.id, each.at)

    # ---- blocks ----------------------------------------------------------------------------

    def _group(self, block: Block) -> Group:
        members: list[Member] = []
        for member in block.members:
            if member.key == "group":
                group = self._group(member)
                if not group.members and not member.members and not member.broken:
                    self._problem(
                        "R212", f'The group "{member.title}" is empty', member.at, "put criteria under it, or remove it"
                    )
                members.append(group)
            else:
                members.append(self._criterion(member))
        members += [used for group, used in self.used.members if group is block]
        combine, need = self._value(block, "combine", scalars.combiner, (Combine.WEIGHTED_MEAN, 0))
        return Group(
            id=self.ids.get(id(block), ""),
            title=block.title,
            members=tuple(members),
            weight=self._weight(block),
            combine=combine,
            need=need,
            pass_mark=self._value(block, "pass mark", scalars.pass_mark, None),
            only_when=self._check(block, "only when"),
            tags=self._tags(block),
            note=self._text(block, "note"),
            at=block.at,
        )

    def _criterion(self, block: Block) -> Criterion:
        role = Role(block.key)
        grading = self._grading(block)
        mark = self._value(block, "pass mark", scalars.pass_mark, None)
        if grading is None:  # it has its message; its name and its weight are still those of a criterion
            grading = Checks(())
        if mark is None and block.find("pass mark") is None and not block.broken:
            mark = _usual_mark(grading)
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
            only_when=self._check(block, "only when"),
            guidance=self._text(block, "guidance"),
            good=self._examples(block, "good example"),
            bad=self._examples(block, "bad example"),
            show=self._show(block),
            tags=self._tags(block),
            note=self._text(block, "note"),
            at=block.at,
        )

    def _grading(self, block: Block) -> Checks | Measured | Asked | None:
        ways = [key for key in ("check", "measure", "ask") if block.find(key) is not None]
        if not ways:
            if not block.broken:
                self._problem(
                    "R210",
                    f'Nothing says how to grade "{block.title}"',
                    block.at,
                    "add one of these lines under it:\n"
                    "check: answer cites at least 1 source           (the computer decides)\n"
                    "ask: Is every claim supported by the sources?   (a judge decides)\n"
                    "measure: ndcg@10                                (a number that was recorded)",
                )
            return None
        if len(ways) > 1:
            first, second = sorted((block.find(way) for way in ways[:2]), key=lambda e: e.line.number if e else 0)
            assert first is not None
            assert second is not None
            self.context.problems.append(
                Diagnostic(
                    "R211",
                    f'"{block.title}" is graded in two ways, {first.key}: and {second.key}:',
                    second.at,
                    help=("make two criteria of it",),
                    other=(first.at, "the other way"),
                )
            )
        if ways[0] == "check":
            return self._checks(block)
        if ways[0] == "measure":
            return self._measure(block)
        return self._ask(block)

    def _checks(self, block: Block) -> Checks | None:
        found = []
        for entry in block.entries:
            if entry.key == "check":
                try:
                    found.append(phrases.check(_nodes(entry.node)[0], entry.line, self.context))
                except Slip as slip:
                    self.context.problems.append(slip.diagnostic)
        self._unused_scale(block)
        partial = self._value(block, "partial credit", scalars.yes_no, False)
        return Checks(tuple(found), partial) if found else None

    def _measure(self, block: Block) -> Measured | None:
        entry = block.find("measure")
        assert entry is not None
        self._unused_scale(block)
        try:
            return self._measured(entry)
        except Slip as slip:
            self.context.problems.append(slip.diagnostic)
            return None

    def _measured(self, entry: Entry) -> Measured:
        node = _nodes(entry.node)[0]
        at = Span(entry.line, node.words()[0].start, node.words()[-1].end)
        name = amounts.phrase(node, entry.line)
        found = quantity(name)
        if found is None:
            if plain_name(name) in self.context.fields:
                return Measured(plain_name(name), Decimal(1), Decimal(0), at)
            raise Slip(lookup.unknown_name(name, at, self.context, names.SOME_NUMBERS))
        full = self._mark(entry, "FULL_MARKS", found)
        none = self._mark(entry, "NO_MARKS", found)
        if found.kind == "ratio":
            full, none = (Decimal(1) if full is None else full), (Decimal(0) if none is None else none)
        if full is None or none is None:
            step = f"write: measure: {name}, {found.example}"
            message = f"{name} is not a score by itself: say where it earns full marks and where it earns none"
            raise Slip(Diagnostic("R426", message, at, help=(step,)))
        if full == none:
            message = "Full marks and no marks are at the same number"
            raise Slip(Diagnostic("R426", message, at, help=("change one of them",)))
        if full < none if found.kind == "ratio" else full > none and found.kind in _LESS_IS_BETTER:
            raise Slip(_wrong_way_round(found, full, none, at))
        return Measured(found.name, full, none, at)

    def _mark(self, entry: Entry, kind: str, found: Quantity) -> Decimal | None:
        parts = [part for part in entry.node.parts if part is not None]
        for index, part in enumerate(parts):
            if isinstance(part, Word) and part.kind == kind:
                value = parts[index + 1]
                words = value.words() if isinstance(value, Node) else [value]
                unit = words[1] if len(words) > 1 else None
                amount = amounts.read_amount(words[0], unit, entry.line, self.context)
                return amount.value * amounts.unit_factor(found, amount)
        return None

    def _ask(self, block: Block) -> Asked | None:
        entry = block.find("ask")
        assert entry is not None
        question = self._text(block, "ask")
        if not question:
            self._problem("R218", f'The question of "{block.title}" is missing', entry.at, "write it after ask:")
            return None
        scale = self._value(block, "scale", lambda found: scale_rows.scale_of(found, self.context), YES_NO)
        return Asked(question, scale, entry.value or entry.at)

    def _unused_scale(self, block: Block) -> None:
        entry = block.find("scale")
        if entry is not None:
            step = "a scale belongs to a question: ask:"
            self._problem("R205", f'scale: has no meaning in "{block.title}", which no judge grades', entry.at, step)

    # ---- lines -----------------------------------------------------------------------------

    def _value(self, block: Block, key: str, read: Callable[[Entry], T], otherwise: T) -> T:
        entry = block.find(key)
        if entry is None:
            return otherwise
        try:
            return read(entry)
        except Slip as slip:
            self.context.problems.append(slip.diagnostic)
            return otherwise

    def _weight(self, block: Block) -> Weight | None:
        entry = block.find("weight")
        if entry is None and block.broken:
            return Weight(Decimal(1))
        if entry is None:
            return None
        return self._value(block, "weight", scalars.weight, Weight(Decimal(1)))

    def _check(self, block: Block, key: str) -> Check | None:
        entry = block.find(key)
        if entry is None:
            return None
        return self._value(
            block, key, lambda found: phrases.check(_nodes(found.node)[0], found.line, self.context), None
        )

    def _text(self, block: Block, key: str) -> str:
        texts = [self._filled(entry) for entry in block.entries if entry.key == key]
        return "\n".join(text for text in texts if text)

    def _examples(self, block: Block, key: str) -> tuple[str, ...]:
        texts = [self._filled(entry) for entry in block.entries if entry.key == key]
        return tuple(text for text in texts if text)

    def _filled(self, entry: Entry) -> str:
        rows = []
        for span in entry.texts:
            try:
                rows.append(" ".join(amounts.fill(span, self.context).split()))
            except Slip as slip:
                self.context.problems.append(slip.diagnostic)
        return "\n".join(row for row in rows if row)

    def _tags(self, block: Block) -> tuple[str, ...]:
        words = [_plain(entry) for entry in block.entries if entry.key == "tags"]
        return tuple(
            dict.fromkeys(tag for text in words for part in text.split(",") if (tag := " ".join(part.split())))
        )

    def _show(self, block: Block) -> tuple[str, ...]:
        entry = block.find("show")
        if entry is None or entry.value is None:
            return ()
        shown = []
        for part in entry.value.text.removesuffix(".").split(","):
            word = plain_name(part)
            if word and word not in SHOW:
                near = nearest(word, SHOW)
                label = f'did you mean "{near}"?' if near else ""
                start = entry.value.start + entry.value.text.find(part.strip())
                at = Span(entry.line, start, start + len(part.strip()))
                edit = Edit(at, near) if near else None
                found = Diagnostic(
                    "R302", f'A judge cannot be shown "{part.strip()}"', at, label, (f"it can be: {', '.join(SHOW)}",),
                    edit=edit,
                )  # fmt: skip
                self.context.problems.append(found)
            elif word in shown:
                message = f'"{word}" stands in this list twice'
                self.context.problems.append(
                    Diagnostic("R303", message, entry.value, help=("remove one",), severity=Severity.WARNING)
                )
            elif word:
                shown.append(word)
        return tuple(shown)

    def _verdict(self, entry: Entry) -> Verdict:
        parts = entry.node.parts
        name = next(p for p in parts[1:] if isinstance(p, Node) or (isinstance(p, Word) and p.kind == "STRING"))
        words = name.words() if isinstance(name, Node) else [name]
        at = Span(entry.line, words[0].start, words[-1].end)
        said = amounts.phrase(name, entry.line)
        otherwise = any(isinstance(part, Word) and part.kind == "OTHERWISE" for part in parts)
        if otherwise:
            return Verdict(said, None, at)
        condition = parts[-1]
        assert isinstance(condition, Node)
        return Verdict(said, phrases.check(condition, entry.line, self.context), at)

    def _cap(self, entry: Entry) -> Cap:
        parts = entry.node.parts
        words = [part for part in parts if isinstance(part, Word)]
        mark = next(word for word in words if word.kind == "NUMBER")
        amount = amounts.read_amount(mark, None, entry.line, self.context)
        if not 0 <= amount.value <= 1:
            raise Slip(amounts.score_out_of_range(amount.value, amount.at))
        ref = next((word for word in words if word.kind == "REF"), None)
        condition = parts[-1]
        assert isinstance(condition, Node)
        when = phrases.check(condition, entry.line, self.context)
        target = None if ref is None else lookup.resolve(Span(entry.line, ref.start, ref.end), self.context)
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


def _nodes(node: Node) -> list[Node]:
    return [part for part in node.parts if isinstance(part, Node)]


def _options(part: Node | Word) -> list[Node | Word]:
    """The values in `one of a, b`: phrases, texts and numbers."""
    if isinstance(part, Word):
        return [part] if part.kind in ("STRING", "NUMBER") else []
    if part.rule == "values":
        return [each for each in part.parts if each is not None]
    return [part]


def _own_id(block: Block) -> str:
    entry = block.find("id")
    return slug(_plain(entry)) if entry is not None else ""


def _plain(entry: Entry) -> str:
    return "" if entry.value is None else " ".join(entry.value.text.removesuffix(".").split())


_LESS_IS_BETTER = {"time": " seconds", "money": " dollars"}


def _wrong_way_round(found: Quantity, full: Decimal, none: Decimal, at: Span) -> Diagnostic:
    """R426: of time and money less is better, of a ratio more. Of a count only the author knows."""
    unit = _LESS_IS_BETTER.get(found.kind, "")
    more, wrong = ("less", "higher") if unit else ("more", "lower")
    message = f"The {more} {found.name} the better, and here the {wrong} number earns full marks"
    step = f"write: full marks at {plain(none)}{unit}, no marks at {plain(full)}{unit}"
    return Diagnostic("R426", message, at, help=(step,))


def _usual_mark(grading: Checks | Measured | Asked) -> Decimal | None:
    """Checks and scales with two levels pass at 1; anything else has to say it."""
    two = isinstance(grading, Asked) and grading.scale.low is None and len(grading.scale.scores) == 2
    return Decimal(1) if two or isinstance(grading, Checks) else None


def _everything(member: Member) -> list[Member]:
    if isinstance(member, Group):
        return [member, *(each for inner in member.members for each in _everything(inner))]
    return [member]


def _twice(what: str, name: str, at: Span, first: Span) -> Diagnostic:
    message = f'There are two {what} called "{name}"'
    return Diagnostic("R301", message, at, "second one", ("give one of them another name",), (first, "first one"))


def _two_criteria(title: str, at: Span, first: Span) -> Diagnostic:
    return Diagnostic(
        "R301",
        f'There are two criteria called "{title}"',
        at,
        "second one",
        ("give one of them another name", "labels and reports find a criterion by its name, so it must be unique"),
        (first, "first one"),
    )
