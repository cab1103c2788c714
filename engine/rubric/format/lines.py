"""One line that reads, in its one spelling and without its indentation. Texts keep every character."""

from dataclasses import dataclass

from engine.rubric.blocks import Entry
from engine.rubric.diagnostic import Line
from engine.rubric.format.words import singular, unit_word, word_of
from engine.rubric.names import plain_name, quantity
from engine.rubric.numbers import number
from engine.rubric.parse import Node, Word
from engine.rubric.scalars import written
from engine.rubric.words import SHOW, keyword

__all__ = ["Fields", "spelled"]

Fields = frozenset[str]

_MOST_BRACKETS = 20  # what is nested deeper is refused unread, so it is left as it stands
_CLOSED = frozenset({"combine", "combine judges", "allow n/a", "partial credit"})
_NUMBERS = frozenset({"version", "weight", "pass mark", "minimum graded", "quorum", "disagreement limit"})


def spelled(line: Line, node: Node, fields: Fields) -> str | None:
    """The line in its one spelling; None when it has to stay as it is. Rows are `table.py`'s.

    `fields` are the names that the file declares.

    Raises:
        Slip: there is a remark behind the value; where it belongs is for its author to say.
    """
    match node.rule:
        case "unknown_line" | "stray_line":
            return None
        case "more":
            return f"> {_text(line, node)}".rstrip()
        case "bullet":
            return _bullet(line, node)
        case "head_line" | "text_line":
            return _titled(line, node)
        case "scalar_line" | "define_scale":
            return _scalar(line, node)
    return None if line.folded.count("(") > _MOST_BRACKETS else _structured(_Pen(line, fields), node)


# ---- texts ------------------------------------------------------------------------------------


def _text(line: Line, node: Node) -> str:
    """The free text of a line, as it was written, without what surrounds it."""
    word = next((part for part in node.parts[1:] if isinstance(part, Word) and part.kind == "TEXT"), None)
    if word is None:
        return ""
    return line.text[word.start : word.start + len(line.folded[word.start :].rstrip())]


def _bullet(line: Line, node: Node) -> str | None:
    mark = next((part for part in node.parts if isinstance(part, Word) and part.kind == "REF"), None)
    words = ["-", *([] if mark is None else [line.text[mark.start : mark.end]]), _text(line, node)]
    return None if words[1:] == [""] else " ".join(words).rstrip()  # a bare "-" would be no item any more


def _titled(line: Line, node: Node) -> str:
    key, text = keyword(node.words()[0].text), _text(line, node)
    if key in ("group", "end group"):
        text = _path(text)
    elif key in ("tags", "show", "id"):
        text = _listed(key, text)
    return f"{key}: {text}" if text else f"{key}:"


def _path(text: str) -> str:
    names = [name.strip() for name in text.split(">")]
    return " > ".join(names) if all(names) else text


def _listed(key: str, text: str) -> str:
    """`a,b.` → `a, b`."""
    bare = text.removesuffix(".").rstrip()
    if key == "id":
        return bare if bare and not bare.endswith(".") else text
    parts = [" ".join(part.split()) for part in bare.split(",")]
    if key == "show":
        parts = [plain_name(part) if plain_name(part) in SHOW else part for part in parts]
    kept = [part for part in parts if part]
    return text if bare.endswith(".") or not kept else ", ".join(kept)


def _scalar(line: Line, node: Node) -> str:
    entry = Entry(keyword(node.words()[0].text), line, node)
    if entry.value is None:
        return f"{entry.key}:"
    bare, _ = written(entry)
    if not bare or bare.endswith("."):
        bare = line.folded[entry.value.start : entry.value.end]
    value = " ".join(bare.split())
    if entry.key in _NUMBERS and number(value) is not None:
        value = _digits(value)
    elif entry.key in _CLOSED:
        value = value.lower()
    return f"{entry.key}: {value}"


# ---- sentences --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pen:
    """What is needed to write a sentence again: the line as it was, and the fields that its file declares."""

    line: Line
    fields: Fields


def _structured(pen: _Pen, node: Node) -> str:
    key, rest = node.words()[0], Node(node.rule, node.parts[1:])
    return f"{keyword(key.text)}: {_said(rest, node.rule, pen)}"


def _said(node: Node, rule: str, pen: _Pen) -> str:
    """A node in words. `rule` is the shape that its words belong to: a comparison has those of the check around it."""
    match node.rule:
        case "paren":
            return f"({_parts(node, rule, pen)})"
        case "phrase" | "value":
            words = node.words()
            raw = pen.line.text[words[0].start : words[-1].end]
            if words[0].kind == "STRING":
                return _quoted(raw)
            return raw if node.rule == "value" else " ".join(raw.split())
        case "strings" | "values" | "refs" | "judge_line":
            each = [part for part in node.parts if not _is(part, "AND")]
            return ", ".join(_part(part, node.rule, pen) for part in each if part is not None)
        case "compare" | "quantity":
            return _parts(node, rule, pen)
    return _parts(node, node.rule, pen)


def _parts(node: Node, rule: str, pen: _Pen) -> str:
    said: list[str] = []
    lacks_is = _lacks_is(node, pen)
    whole_score = rule == "cap_line" and any(_is(part, "SCORE") for part in node.parts)
    for part in node.parts:
        if part is None or (whole_score and _is(part, "SCORE", "AT")):
            continue  # `cap: score at 40%` is `cap: 40%`
        if isinstance(part, Node) and part.rule == "compare" and lacks_is:
            said.append("is")
        joint = rule == "field_line" and _is(part, "AND", "OR")
        another = isinstance(part, Node) and part.rule == "assign" and said[-1] != word_of("WITH", rule)
        if joint or another or _is(part, "FULL_MARKS", "NO_MARKS"):
            said[-1] += ","
        if joint:
            continue
        words = _part(part, rule, pen)
        said.append(singular(words) if _is(part, "UNIT", "TIMES", "SOURCES") and _one(node) else words)
    return " ".join(said)


def _part(part: Node | Word, rule: str, pen: _Pen) -> str:
    if isinstance(part, Node):
        return _said(part, rule, pen)
    raw = pen.line.text[part.start : part.end]
    match part.kind:
        case "STRING":
            return _quoted(raw)
        case "NUMBER":  # among the values of a field a number is a text
            return raw if rule in ("values", "field_line") else _digits(part.text)
        case "MONEY":
            return _digits(part.text)
        case "PARAM":
            return f"{{{' '.join(part.text.strip('{} ').split())}}}"
        case "REF":
            return f"[{' '.join(raw[1:-1].split())}]"
        case "UNIT":
            return unit_word(part.text)
        case "TYPE":
            kind = part.text.lower().split()[-1]
            return "a number" if kind == "number" else kind
        case "WORD":
            return raw.lower() if raw.lower() in ("llm", "human") else raw
    return word_of(part.kind, rule) or raw


def _is(part: Node | Word | None, *kinds: str) -> bool:
    return isinstance(part, Word) and part.kind in kinds


def _lacks_is(node: Node, pen: _Pen) -> bool:
    """`latency <= 2 seconds`. Of a name nobody knows it cannot be told what is missing: `anwer has at most 2 words`."""
    if not node.rule.startswith("compare_") or any(_is(part, "IS") for part in node.parts):
        return False
    subject = next((part for part in node.parts if isinstance(part, Node) and part.rule == "phrase"), None)
    name = None if subject is None else plain_name(_said(subject, node.rule, pen))
    return name is None or name in pen.fields or quantity(name) is not None


def _one(node: Node) -> bool:
    """The amount beside a unit is exactly `1`."""
    compare = next((part for part in node.parts if isinstance(part, Node) and part.rule == "compare"), node)
    words = [part for part in compare.parts if _is(part, "NUMBER", "MONEY", "PARAM")]
    return len(words) == 1 and isinstance(words[0], Word) and words[0].text.lower() in ("1", "one")


def _digits(text: str) -> str:
    return "".join(text.split()).replace("−", "-").lower()


def _quoted(raw: str) -> str:
    """In straight quotes where the text has none itself; what is between the quotes is not touched."""
    inner = raw[1:-1]
    return raw if '"' in inner else f'"{inner}"'
