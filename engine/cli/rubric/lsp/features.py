"""What an editor asks about an open document, one function a question. A document that is not open has no answers."""

from collections.abc import Sequence

from lsprotocol import types

from engine.cli.rubric.lsp import answers
from engine.cli.rubric.lsp.desk import RubricServer
from engine.rubric import editor
from engine.rubric.editor import Page, Place
from engine.rubric.format import format_text

__all__ = [
    "code_action",
    "completion",
    "definition",
    "document_symbol",
    "formatting",
    "hover",
    "prepare_rename",
    "references",
    "rename",
    "resolve_action",
]


def code_action(ls: RubricServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Quick fixes for the messages on these lines, and one for all of the file."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    first, last = (_place(document.page, end).row + 1 for end in (params.range.start, params.range.end))
    only = params.context.only
    found = answers.actions(document, (first, last)) if _asked_for(only, types.CodeActionKind.QuickFix) else []
    if document.mendable and _asked_for(only, types.CodeActionKind.SourceFixAll):
        every = types.CodeAction(_FIX_ALL, types.CodeActionKind.SourceFixAll, data=document.uri)
        found.append(every if _resolves(ls.client_capabilities) else resolve_action(ls, every))
    return found


def resolve_action(ls: RubricServer, action: types.CodeAction) -> types.CodeAction:
    """The changes of "fix everything", worked out when it is chosen: it checks the file several times."""
    document = ls.documents.get(str(action.data))
    if document is not None:
        changed = answers.change(editor.all_fixed(document.page, document.files))
        action.edit = types.WorkspaceEdit({document.uri: changed})
    return action


def formatting(ls: RubricServer, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """One spelling, aligned and indented."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    page = document.page
    return answers.change(editor.change(page, format_text(page.text, page.name)))


def completion(ls: RubricServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    """What can be written next."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    place = _place(document.page, params.position)
    return answers.items(document.page, place, editor.completions(document.page, place, document.files))


def hover(ls: RubricServer, params: types.HoverParams) -> types.Hover | None:
    """What is known about a word."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    return answers.note(document.page, editor.hover(document.known, _place(document.page, params.position)))


def definition(ls: RubricServer, params: types.DefinitionParams) -> types.Location | None:
    """Where a name is declared."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    target = editor.definition(document.page, _place(document.page, params.position), document.files)
    return None if target is None else answers.location(document, target.span)


def references(ls: RubricServer, params: types.ReferenceParams) -> list[types.Location]:
    """Everywhere a name stands."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    spans = editor.references(document.page, _place(document.page, params.position))
    return [types.Location(document.uri, answers.range_of(document.page, span)) for span in spans]


def document_symbol(ls: RubricServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """The outline."""
    document = ls.documents.get(params.text_document.uri)
    return [] if document is None else answers.symbols(document.page, editor.contents(document.page))


def prepare_rename(ls: RubricServer, params: types.PrepareRenameParams) -> types.Range | None:
    """Which name would be changed, if there is one."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    mention = editor.mention_at(document.page, _place(document.page, params.position))
    renamable = mention is not None and mention.sort is not editor.Sort.FILE
    return answers.range_of(document.page, mention.span) if mention is not None and renamable else None


def rename(ls: RubricServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """A new name for the heading and for every mention of it."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    found = editor.renamed(document.page, _place(document.page, params.position), params.new_name)
    said = found.refused or found.warning
    if said:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, said))
    if not found.edits:
        return None
    return types.WorkspaceEdit({document.uri: answers.edits(document.page, found.edits)})


def _place(page: Page, position: types.Position) -> Place:
    return page.place(editor.Position(position.line, position.character))


def _asked_for(only: Sequence[types.CodeActionKind | str] | None, kind: types.CodeActionKind) -> bool:
    """Editors ask for a kind by its beginning: `source` means every kind of it."""
    return only is None or any(f"{kind.value}.".startswith(f"{_text(wanted)}.") for wanted in only)


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _resolves(can: types.ClientCapabilities) -> bool:
    """The editor can ask for the changes of an action later."""
    actions = can.text_document and can.text_document.code_action
    later = actions and actions.resolve_support
    return bool(later and "edit" in later.properties)


_FIX_ALL = "Mend everything that can be mended in one way only"
