"""Rubric text in; a rubric, or every problem with it, out. Pure: other files come through `library`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.rubric.blocks import Block, Entry, Outline
from engine.rubric.build import Used, build
from engine.rubric.canonical import meaning_sha256
from engine.rubric.check import examine
from engine.rubric.context import Context, Setting, Slip
from engine.rubric.declared import assigned, settings_of
from engine.rubric.diagnostic import Diagnostic, Edit, Severity, Span, not_known
from engine.rubric.library import TextOf, listed, near
from engine.rubric.names import plain_name
from engine.rubric.numbers import number
from engine.rubric.outline import outline
from engine.rubric.parse import Node, Word, span_of
from engine.rubric.source import Mended, lines, too_big
from engine.rubric.syntax import Criterion, Group, Rubric, Scale
from engine.rubric.syntax import parts as every_part
from engine.text import nearest

__all__ = ["read_text"]

_DEEPEST = 8
_FEW = 7  # names that a person reads through


@dataclass(frozen=True, slots=True)
class _Opened:
    """One file being read: which files lead to it, and the values given to its settings."""

    library: TextOf
    above: tuple[str, ...]
    given: Mapping[str, Setting]


def read_text(text: str, name: str, library: TextOf) -> tuple[Rubric | None, tuple[Diagnostic, ...]]:
    """The rubric, None when there is an error, and every problem in the order of the lines."""
    return _read(text, name, _Opened(library, (name,), {}))


def _read(text: str, name: str, opened: _Opened) -> tuple[Rubric | None, tuple[Diagnostic, ...]]:
    rows = lines(text, name)
    huge = too_big(text, rows)
    if huge:
        return None, huge
    found = outline(rows)
    context = Context(problems=found.problems)
    context.settings = settings_of(found, opened.given, context.problems)
    rubric = build(found, _used(found, opened, context), context)
    if rubric is not None:
        context.problems += examine(rubric, found, context)
    said = [_as_written(problem, found.mended) for problem in context.problems] if found.mended else context.problems
    problems = tuple(sorted(map(_lossless, _kept(found, said, name)), key=_order))
    if rubric is None or any(problem.severity is Severity.ERROR for problem in problems):
        return None, problems
    return replace(rubric, sha256=meaning_sha256(rubric)), problems


def _as_written(problem: Diagnostic, mends: Mapping[int, Sequence[Mended]]) -> Diagnostic:
    """The same problem, pointing at what stands in the file instead of at what it was taken for."""

    def back(span: Span) -> Span:
        for mend in reversed(mends.get(span.line.number, ())):
            span = mend.as_written(span)
        return span

    return replace(
        problem,
        span=back(problem.span),
        other=problem.other and (back(problem.other[0]), problem.other[1]),
        edit=problem.edit and replace(problem.edit, span=back(problem.edit.span)),
    )


def _lossless(problem: Diagnostic) -> Diagnostic:
    """A remark that would be cut off moves to the line above: what people wrote for people is not thrown away."""
    edit = problem.edit
    if problem.code != "R110" or edit is None:
        return problem
    line, remark = edit.span.line, edit.span.text.strip()
    start = len(line.text) - len(line.text.lstrip())
    rest = line.text[start : edit.span.start] + line.text[edit.span.end :]
    whole = Span(line, start, len(line.text))
    return replace(problem, edit=Edit(whole, f"{remark}\n{line.text[:start]}{rest}"))


def _kept(found: Outline, problems: list[Diagnostic], name: str) -> list[Diagnostic]:
    """Without what `# ok R609: reason` above a line allows, and without hints about other people's files."""
    kept: dict[tuple[str, str, str], Diagnostic] = {}
    for problem in problems:
        allowed = found.remarks.get(problem.span.line.number - 1, frozenset())
        if problem.severity is not Severity.ERROR and (problem.code in allowed or problem.span.line.file != name):
            continue
        kept.setdefault((problem.code, problem.span.place, problem.message), problem)
    return list(kept.values())


def _order(problem: Diagnostic) -> tuple[int, int, str]:
    return problem.span.line.number, problem.span.start, problem.code


# ---- use: -------------------------------------------------------------------------------------


def _used(found: Outline, opened: _Opened, context: Context) -> Used:
    used = Used()
    for entry, group in found.uses:
        try:
            _take(entry, group, opened, context, used)
        except Slip as slip:
            context.problems.append(slip.diagnostic)
    return used


def _take(entry: Entry, group: Block, opened: _Opened, context: Context, used: Used) -> None:
    words = [part for part in entry.node.parts if isinstance(part, Word)]
    quoted = next(word for word in words if word.kind == "STRING")
    at = span_of(quoted, entry.line)
    path = entry.line.text[quoted.start + 1 : quoted.end - 1].strip()
    try:
        other = _open(path, at, opened, _given(entry))
    except Slip as slip:
        context.problems.append(slip.diagnostic)
        path = slip.diagnostic.edit.text.strip('"') if slip.diagnostic.edit else ""
        if not path:
            return
        other = _open(path, at, opened, _given(entry))  # read on with the file that was meant
    _same_version(words, other, path, entry)
    refs = next((part for part in entry.node.parts if isinstance(part, Node) and part.rule == "refs"), None)
    parts: list[Criterion | Group] = list(other.root.members)
    scales: list[Scale] = list(other.scales)
    if refs is None:
        used.members += [(group, part) for part in parts]
        used.scales += scales
        context.used.update("scale " + plain_name(scale.name) for scale in scales)
        return
    for word in refs.words():
        if word.kind == "REF":
            at = span_of(word, entry.line)
            context.problems += _pick(at, other, path, used, group)


def _pick(at: Span, other: Rubric, path: str, used: Used, group: Block) -> list[Diagnostic]:
    """Takes one criterion, group or scale; for an unknown name says so, and takes the one that was meant."""
    title = " ".join(at.text.strip("[]").split())
    if _taken(title, at, other, used, group):
        return []
    titles = [*(part.title for part in every_part(other.root)), *(scale.name for scale in other.scales)]
    meant = nearest(title, titles)
    if meant is not None:
        _taken(meant, at, other, used, group)
    step = f"it has: {', '.join(f'[{each}]' for each in titles)}"
    message = f"{path} has no criterion called [{title}]"
    return [not_known("R310", message, at, f"[{meant}]" if meant else None, step)]


def _taken(title: str, at: Span, other: Rubric, used: Used, group: Block) -> bool:
    for scale in other.scales:
        if plain_name(scale.name) == plain_name(title):
            used.scales.append(replace(scale, at=at))
            return True
    for part in every_part(other.root):
        if plain_name(part.title) == plain_name(title):
            used.members.append((group, part))
            return True
    return False


def _given(entry: Entry) -> dict[str, Setting]:
    assigns = [part for part in entry.node.parts if isinstance(part, Node) and part.rule == "assign"]
    settings = [assigned(node, entry) for node in assigns]
    return {plain_name(setting.name): setting for setting in settings}


def _open(path: str, at: Span, opened: _Opened, given: dict[str, Setting]) -> Rubric:
    parts = path.replace("\\", "/").split("/")
    if path.startswith(("/", "\\")) or ".." in parts or ":" in path or not path.endswith(".rubric"):
        message = f"{path} is not a rubric inside the rubrics folder"
        step = 'write the path from the rubrics folder, for example: "shared/safety.rubric"'
        raise Slip(_no_file(message, step, path, at, opened))
    if path in opened.above:
        chain = " -> ".join([*opened.above[opened.above.index(path) :], path])
        message = f"These files use each other in a circle: {chain}"
        raise Slip(Diagnostic("R309", message, at, help=("remove one of the use: lines",)))
    if len(opened.above) > _DEEPEST:
        message = f"This is a chain of more than {_DEEPEST + 1} files, each of which uses the next"
        raise Slip(Diagnostic("R309", message, at, help=("use the last file of the chain itself",)))
    text = opened.library(path)
    if text is None:
        step = "the path starts at the rubrics folder; check its spelling"
        raise Slip(_no_file(f"There is no file {path}", step, path, at, opened))
    other, problems = _read(text, path, _Opened(opened.library, (*opened.above, path), given))
    if other is None:
        first = next(problem for problem in problems if problem.severity is Severity.ERROR)
        deepest = first.other if first.code == "R309" and first.other else (first.span, first.message)
        place, message = deepest[0], deepest[1]
        if given and _read(text, path, _Opened(opened.library, (*opened.above, path), {}))[0] is not None:
            raise Slip(_wrong_values(path, given, deepest))
        steps = (f"{place.place}: {message}", f"mend it first: assay rubric check {place.line.file}")
        raise Slip(Diagnostic("R309", f"{path} has mistakes of its own", at, help=steps, other=deepest))
    unknown = next((setting for name, setting in given.items() if name not in _settings(text, path)), None)
    if unknown is not None:
        message = f'{path} has no setting called "{unknown.name}"'
        step = f"it has: {', '.join(sorted(_settings(text, path))) or 'none'}"
        raise Slip(Diagnostic("R310", message, unknown.at, help=(step,)))
    return other


def _wrong_values(path: str, given: dict[str, Setting], where: tuple[Span, str]) -> Diagnostic:
    """R310: the file reads, and does not with the values that it was given."""
    first, several = next(iter(given.values())), len(given) > 1
    message = f"{path} cannot be used with {'these values' if several else 'this value'} of its settings"
    steps = (f"{where[0].place}: {where[1]}", "change what stands after with")
    return Diagnostic("R310", message, first.at, help=steps, other=where)


def _settings(text: str, path: str) -> dict[str, Setting]:
    return settings_of(outline(lines(text, path)), {}, [])


def _no_file(message: str, otherwise: str, path: str, at: Span, opened: _Opened) -> Diagnostic:
    known = [name for name in listed(opened.library) if name not in opened.above]
    meant = near(path, known)
    if meant is not None:
        return not_known("R309", message, at, f'"{meant}"', f'write "{meant}"')
    there = f"there is: {', '.join(known)}" if 0 < len(known) <= _FEW else ""
    return Diagnostic("R309", message, at, help=(otherwise, there) if there else (otherwise,))


def _same_version(words: list[Word], other: Rubric, path: str, entry: Entry) -> None:
    after = next((index for index, word in enumerate(words) if word.kind == "VERSION"), None)
    if after is None:
        return
    word = words[after + 1]
    wanted = number(word.text)
    if wanted is None or wanted != other.version:
        at = span_of(word, entry.line)
        if not other.version:
            step = f"write a version: line in {path}, or leave the version out here"
            raise Slip(Diagnostic("R311", f"{path} has no version", at, help=(step,)))
        message = f"{path} is version {other.version} now, not {word.text}"
        step = f"look at what changed, then write: version {other.version}"
        raise Slip(Diagnostic("R311", message, at, help=(step,), edit=Edit(at, str(other.version))))
