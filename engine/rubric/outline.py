"""Lines to blocks: which line belongs to which heading. Structure comes from keywords, never from indentation."""

from collections.abc import Sequence

from engine.rubric.blocks import Block, Entry, Outline
from engine.rubric.diagnostic import Diagnostic, Line, Severity, Span
from engine.rubric.headings import ANYWHERE, OFTEN, allowed
from engine.rubric.parse import Failure, Node, Word, parse_line, span_of
from engine.rubric.slips import Tries, cured, explain
from engine.rubric.source import Mended, without_quoted
from engine.rubric.strays import decorated, heading, joined, stray, unknown
from engine.rubric.words import keyword

__all__ = ["outline"]

_TRIES = 3000  # how often broken lines of a file are read again in search of what was meant
_DEEPEST = 20  # levels of groups; reading and grading call themselves once a level
_FREE = frozenset({"good example", "bad example", "note", "about"})
_NEVER_AN_ITEM = ("weight", "scale", "judge", "pass mark", "only when", "criterion", "checklist", "group")
_LONG = frozenset({"about", "ask", "guidance", "good example", "bad example", "note", "owner", "item"})


def outline(rows: Sequence[Line]) -> Outline:
    """Every line under its heading; problems with lines and with their order."""
    return _Outliner().run(rows)


class _Outliner:
    """Walks the lines once. `block` is the heading that the next line belongs to."""

    def __init__(self) -> None:
        self.result = Outline()
        self.block: Block | None = None
        self.group: Block | None = None
        self.last: Entry | None = None
        self.tries = Tries(_TRIES)

    def run(self, rows: Sequence[Line]) -> Outline:
        for line in rows:
            text = line.folded.strip()
            if text.startswith("#"):
                self._remark(line, text)
                lost = heading(line)
                self.result.problems += [lost] if lost else []
            elif text:
                self._line(line)
        if self.result.root is None:
            at = Span(rows[0], 0, 1)
            self._problem(
                "R201", "This rubric has no name", at, "", "write as the first line: rubric: Name of the rubric"
            )
        return self.result

    def _problem(self, code: str, message: str, at: Span, label: str, *steps: str) -> None:
        self.result.problems.append(Diagnostic(code, message, at, label, steps))

    def _remark(self, line: Line, text: str) -> None:
        words = text.removeprefix("#").replace(":", " ").replace(",", " ").split()
        if words[:1] == ["ok"]:
            self.result.remarks[line.number] = frozenset(word for word in words[1:] if word[:1] == "R")

    def _line(self, line: Line) -> None:
        if without_quoted(line.folded).count("(") > 20 and keyword(line.folded.partition(":")[0]) in (
            "check",
            "only when",
            "cap",
            "verdict",
        ):
            at = Span(line, 0, 1)
            self._problem("R107", "This line has too many brackets to follow", at, "", "write several check: lines")
            self._stand_in(line)
            return
        node = parse_line(line)
        if isinstance(node, Failure):
            problem = explain(line, node, self.tries)
            self.result.problems.append(problem)
            mend = cured(problem)
            if mend is None:
                self._stand_in(line)
            else:
                self._read_on(line, mend)
            return
        match node.rule:
            case "unknown_line" | "stray_line":
                self._not_a_keyword(line, node)
            case "head_line":
                self._head(line, node)
            case "row":
                self._row(line, node)
            case "more":
                self._more(line, node)
            case "bullet":
                self._bullet(line, node)
            case _:
                self._entry(Entry(keyword(node.words()[0].text), line, node))

    def _one_thing(self, entry: Entry) -> None:
        """One thing per line; what an author shows as an example, or says to people, may hold anything."""
        free = entry.node.rule in ("head_line", "text_line", "bullet") and entry.key not in _FREE
        two = joined(entry.line, entry.at.end, entry.key) if free else None
        if two is not None:
            self.result.problems.append(two)

    def _stand_in(self, line: Line) -> None:
        """A line that could not be read still says what kind of line it is."""
        self.last = None
        key = keyword(line.folded.partition(":")[0])
        if self.block is not None and key in ("check", "ask", "measure", "weight", "scale", "only when"):
            self.block.broken = True

    def _not_a_keyword(self, line: Line, node: Node) -> None:
        """Goes on as if the keyword had been right where that is clear, so that one slip gives one message."""
        found = unknown(line, node) if node.rule == "unknown_line" else stray(line, node)
        self.result.problems.append(found.problem)
        if found.mend is None:
            if node.rule == "unknown_line":
                self.last = None
            return
        self._read_on(line, found.mend)

    def _read_on(self, line: Line, mend: Mended) -> None:
        before = len(self.result.problems)
        self.result.mended.setdefault(line.number, []).append(mend)
        self._line(mend.read)
        del self.result.problems[before:]

    # ---- headings --------------------------------------------------------------------------

    def _head(self, line: Line, node: Node) -> None:
        entry = Entry(keyword(node.words()[0].text), line, node)
        self._one_thing(entry)
        self.last = None
        if entry.key in ("rubric", "library"):
            self._title(entry)
        elif entry.key == "end group":
            self._end_group(entry)
        elif entry.key == "group":
            self._group(entry)
        else:
            self._criterion(entry)

    def _root(self, entry: Entry) -> Block:
        if self.result.root is None:
            at = entry.at
            self._problem(
                "R201", "This rubric has no name", at, "", "write as the first line: rubric: Name of the rubric"
            )
            self.result.root = Block("rubric", entry, broken=True)
        return self.result.root

    def _title(self, entry: Entry) -> None:
        block = Block(entry.key, entry, _words(entry.value))
        if self.result.root is not None:
            if self.result.root.head.key in ("rubric", "library"):
                self._problem("R202", "This file has two names", entry.at, "second one", "a file holds one rubric")
            return
        if not block.title:
            self._problem("R203", f"The name is missing after {entry.key}:", entry.at, "", "write what it is called")
            block.broken = True
        self.result.root = self.block = block

    def _criterion(self, entry: Entry) -> None:
        parent = self.group or self._root(entry)
        block = Block(entry.key, entry, _words(entry.value), parent=parent)
        if not block.title:
            self._problem("R203", f"The name is missing after {entry.key}:", entry.at, "", "write what it is called")
            block.broken = True
        self._looks_outside(block, parent)
        parent.members.append(block)
        self.block = block

    def _looks_outside(self, block: Block, group: Block) -> None:
        if self.group is None or not group.members or block.indent > group.indent:
            return
        if not any(brother.indent > group.indent for brother in group.members):
            return
        at = Span(block.head.line, block.head.at.start, len(block.head.line.folded.rstrip()))
        self.result.problems.append(
            Diagnostic(
                "R219",
                f'"{block.title}" is indented as if it stood outside the group "{group.title}", but it is inside',
                Span(at.line, block.head.at.start, block.head.at.end),
                "inside or outside?",
                (
                    f"if it is outside, write a line above it: end group: {group.title}",
                    "if it is inside, indent it like its brothers",
                ),
                (Span(group.head.line, 0, 1), "the group starts here"),
            )
        )

    def _group(self, entry: Entry) -> None:
        root = self._root(entry)
        path = [" ".join(name.split()) for name in entry.value.text.split(">")] if entry.value else []
        if not path or not all(path):
            self._problem("R203", "The name is missing after group:", entry.at, "", "write what it is called")
            self.block = self.group = Block("group", entry, parent=root, broken=True)
            root.members.append(self.block)
            return
        if len(path) > _DEEPEST:
            step = "a tree of a few levels is easier to grade, and to read"
            self._problem("R107", f"Groups go at most {_DEEPEST} levels deep", entry.at, "", step)
            path = path[-1:]
        parent = root
        for name in path[:-1]:
            found = next((m for m in parent.members if m.key == "group" and _same(m.title, name)), None)
            if found is None:
                assert entry.value is not None
                self._problem(
                    "R204", f'There is no group called "{name}" above this line', entry.value, "",
                    f"write before it: group: {name}",
                )  # fmt: skip
                break
            parent = found
        block = Block("group", entry, path[-1], parent=parent)
        parent.members.append(block)
        self.block = self.group = block

    def _end_group(self, entry: Entry) -> None:
        if self.group is None:
            self._problem("R204", "No group is open here", entry.at, "", "remove this line")
            return
        name = _words(entry.value)
        open_groups = [self.group]
        while open_groups[-1].parent is not None and open_groups[-1].parent.key == "group":
            open_groups.append(open_groups[-1].parent)
        closed = next((group for group in open_groups if not name or _same(group.title, name.rpartition(">")[2])), None)
        if closed is None:
            assert entry.value is not None
            self._problem(
                "R204", f'The group that is open here is "{self.group.title}", not "{name}"', entry.value, "",
                f"write: end group: {self.group.title}",
            )  # fmt: skip
            closed = self.group
        above = closed.parent
        self.group = above if above is not None and above.key == "group" else None
        self.block = None

    # ---- lines under a heading -------------------------------------------------------------

    def _entry(self, entry: Entry) -> None:
        self.last = entry
        self._one_thing(entry)
        key = entry.key
        if key == "use":
            self.result.uses.append((entry, self.group or self._root(entry)))
        elif key in ANYWHERE:
            self.result.globals.append(entry)
        elif self.block is None and self.result.root is None:
            self._root(entry)
            self.block = self.result.root
            self._attach(entry)
        else:
            self._attach(entry)

    def _attach(self, entry: Entry) -> None:
        block = self.block
        if block is None:
            self._problem(
                "R205", f"{entry.key}: belongs under a criterion or a group, and none is open here", entry.at, "",
                "move it under the heading it belongs to",
            )  # fmt: skip
            return
        if entry.key not in allowed(block.key):
            if block.broken and block.key == "rubric":
                return
            name = f'"{block.title}"' if block.title else "this heading"
            at = "a criterion" if entry.key in allowed("criterion") else "rubric:"
            self._problem(
                "R205", f"{entry.key}: has no meaning under {block.key}: {name}".rstrip(), entry.at, "",
                f"it belongs under {at}",
            )  # fmt: skip
            return
        earlier = block.find(entry.key)
        if earlier is not None and entry.key not in OFTEN:
            self.result.problems.append(
                Diagnostic(
                    "R206",
                    f'"{block.title}" has two lines that start with {entry.key}:',
                    entry.at,
                    "second one",
                    ("keep one of them",),
                    (earlier.at, "first one"),
                )
            )
            return
        block.entries.append(entry)

    def _row(self, line: Line, node: Node) -> None:
        if self.last is None or self.last.key not in ("scale", "define scale"):
            if self.block is not None and self.block.broken:
                return
            at = Span(line, node.words()[0].start, len(line.folded.rstrip()))
            self._problem("R208", "This row belongs to no scale", at, "", "write a line above the rows: scale:")
            return
        self.last.rows.append((line, node))

    def _more(self, line: Line, node: Node) -> None:
        word = node.parts[1] if len(node.parts) > 1 else None
        mark = node.words()[0]
        if self.last is None or self.last.key not in _LONG:
            if self.last is None and self.block is not None:
                return  # the line above has its own message
            step = "only texts go on with >: ask, guidance, about, note and examples"
            self._problem(
                "R208",
                "There is no text above that this line could continue",
                span_of(mark, line),
                "",
                step,
            )
            return
        if isinstance(word, Word):
            raw = line.folded[word.start : word.end]
            self._continue(self.last, Span(line, word.start, word.start + len(raw.rstrip())))

    def _continue(self, entry: Entry, more: Span) -> None:
        two = None if entry.key in _FREE else joined(more.line, more.start, entry.key)
        self.result.problems += [two] if two else []
        before = entry.texts[-1:]
        if before and before[0].text == more.text:
            message, step = "This line says the same as the line above", ("remove one of the two",)
            twice = Diagnostic("R517", message, more, "", step, (before[0], "first one"), severity=Severity.WARNING)
            self.result.problems.append(twice)
        entry.more.append(more)

    def _bullet(self, line: Line, node: Node) -> None:
        listed = self.block is not None and self.block.key == "checklist"
        dressed = decorated(line, _NEVER_AN_ITEM if listed else ())
        if dressed is not None:
            self.result.problems.append(dressed.problem)
            self._read_on(line, dressed.mend)
            return
        if listed:
            self._entry(Entry("item", line, node))
            return
        mark = node.words()[0]
        step = "items stand under checklist:; a text goes on with >"
        self._problem("R208", "This item belongs to no checklist", span_of(mark, line), "", step)


def _words(span: Span | None) -> str:
    return "" if span is None else " ".join(span.text.split())


def _same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())
