"""From our nouns to those of the protocol."""

from collections.abc import Iterable

from lsprotocol import types

from engine.cli.rubric.lsp.documents import Document
from engine.rubric import Diagnostic, Edit, Severity, Span, editor
from engine.rubric.editor import Choice, Page, Section, What
from engine.text import one_line

__all__ = ["actions", "change", "diagnostic", "edits", "items", "location", "note", "range_of", "symbols"]

_SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_UNUSED = "R308"


def range_of(page: Page, span: Span) -> types.Range:
    """A piece of a page, as the editor counts."""
    start, end = page.ends(span)
    return _range(start, end)


def _range(start: editor.Position, end: editor.Position) -> types.Range:
    return types.Range(_position(start), _position(end))


def _position(position: editor.Position) -> types.Position:
    return types.Position(position.line, position.character)


# ---- messages -----------------------------------------------------------------------------------


def diagnostic(document: Document, problem: Diagnostic) -> types.Diagnostic:
    """A message. One about a used file stands at the top, with its place in words."""
    page = document.page
    here = problem.span.line.file == page.name
    message = problem.message if here else f"{problem.span.place}: {problem.message}"
    steps = "".join(f"\n→ {step}" for step in problem.help)
    return types.Diagnostic(
        range=range_of(page, problem.span) if here else range_of(page, page.rows[0].value),
        severity=_SEVERITY[problem.severity],
        code=problem.code,
        source="assay",
        message=f"{message}{steps}",
        tags=[types.DiagnosticTag.Unnecessary] if problem.code == _UNUSED else None,
        related_information=_related(document, problem),
    )


def _related(document: Document, problem: Diagnostic) -> list[types.DiagnosticRelatedInformation] | None:
    if problem.other is None:
        return None
    span, words = problem.other
    place = location(document, span)
    return None if place is None else [types.DiagnosticRelatedInformation(place, words)]


def location(document: Document, span: Span) -> types.Location | None:
    """Where a piece of this document or of a used file is; None when the file has gone."""
    if span.line.file == document.page.name:
        return types.Location(document.uri, range_of(document.page, span))
    path, text = document.files.find(span.line.file), document.files(span.line.file)
    if path is None or text is None:
        return None
    page = Page.of(text, span.line.file)
    return types.Location(path.resolve().as_uri(), range_of(page, span)) if _holds(page, span) else None


def _holds(page: Page, span: Span) -> bool:
    """The file may have been saved again since it was read."""
    return span.line.number <= len(page.rows)


# ---- changes ------------------------------------------------------------------------------------


def change(found: editor.Change | None) -> list[types.TextEdit]:
    """One change of some lines, or none."""
    return [] if found is None else [types.TextEdit(_range(found.start, found.end), found.text)]


def edits(page: Page, found: Iterable[Edit]) -> list[types.TextEdit]:
    """Changes of single pieces."""
    return [types.TextEdit(range_of(page, edit.span), edit.text) for edit in found]


def actions(document: Document, lines: tuple[int, int]) -> list[types.CodeAction]:
    """What can be done about the messages on these lines (from 1, both included)."""
    found = []
    for fix in editor.fixes(document.standing, *lines, document.page.name):
        found.append(
            types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(document, fix.problem)],
                is_preferred=fix.sure,
                edit=types.WorkspaceEdit({document.uri: edits(document.page, (fix.edit,))}),
            )
        )
    return found


# ---- other answers ------------------------------------------------------------------------------

_KINDS = {
    What.KEYWORD: types.CompletionItemKind.Keyword,
    What.CHECK: types.CompletionItemKind.Snippet,
    What.WORD: types.CompletionItemKind.Operator,
    What.NAME: types.CompletionItemKind.Reference,
    What.VALUE: types.CompletionItemKind.EnumMember,
    What.MEASURE: types.CompletionItemKind.Function,
    What.UNIT: types.CompletionItemKind.Unit,
}


def items(page: Page, place: editor.Place, choices: Iterable[Choice]) -> list[types.CompletionItem]:
    """What can be written next, in our order."""
    line = page.rows[place.row].line
    return [
        types.CompletionItem(
            label=choice.text.strip(),
            kind=_KINDS[choice.what],
            detail=choice.what.value,
            documentation=choice.about or None,
            sort_text=f"{number:04}",
            filter_text=choice.text,
            insert_text_format=types.InsertTextFormat.PlainText,
            text_edit=types.TextEdit(range_of(page, Span(line, choice.start, place.column)), choice.text),
        )
        for number, choice in enumerate(choices)
    ]


def note(page: Page, found: editor.Note | None) -> types.Hover | None:
    """A hover text."""
    if found is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), range_of(page, found.span))


_SYMBOLS = {
    "rubric": types.SymbolKind.Module,
    "library": types.SymbolKind.Module,
    "group": types.SymbolKind.Namespace,
    "checklist": types.SymbolKind.Array,
    "define scale": types.SymbolKind.Enum,
    "setting": types.SymbolKind.Constant,
    "field": types.SymbolKind.Field,
    "cap": types.SymbolKind.Operator,
    "verdict": types.SymbolKind.Event,
    "use": types.SymbolKind.Package,
}


def symbols(page: Page, sections: Iterable[Section]) -> list[types.DocumentSymbol]:
    """The outline."""
    return [
        types.DocumentSymbol(
            name=one_line(section.title, 100),
            detail=one_line(section.detail, 100),
            kind=_SYMBOLS.get(section.key, types.SymbolKind.Method),
            range=_range(page.position(section.at.line, 0), page.position(section.last, len(section.last.text))),
            selection_range=range_of(page, section.at),
            children=symbols(page, section.parts),
        )
        for section in sections
    ]
