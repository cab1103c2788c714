"""The language server: which message gets which answer."""

import logging
import os
import sys

from lsprotocol import types

from engine.cli.rubric.lsp import features
from engine.cli.rubric.lsp.desk import RubricServer
from engine.cli.rubric.lsp.documents import opened
from engine.store.workspace import Workspace

__all__ = ["serve"]


def serve(workspace: Workspace) -> bool:
    """Answer until the editor goes. True when it said goodbye first."""
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False  # it logs whole messages, and so the author's text
    server = RubricServer(workspace)
    for method, answer, *options in _ANSWERS:
        server.feature(method, *options)(answer)
    # The library closes its output at the end; ours stays open, and whatever prints cannot disturb the protocol.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        sys.stdout = sys.stderr
        server.start_io(stdout=out)
    return server.asked_to_stop


# ---- what happens to documents ------------------------------------------------------------------


def _did_open(ls: RubricServer, params: types.DidOpenTextDocumentParams) -> None:
    """A rubric appears."""
    given = params.text_document
    document = opened(given.uri, given.text, ls.rubrics, ls.texts)
    document.version = given.version
    ls.documents[given.uri] = document
    ls.checks.wanted(given.uri)
    ls.check_users(given.uri)


def _did_change(ls: RubricServer, params: types.DidChangeTextDocumentParams) -> None:
    """Its text is another one."""
    given = params.text_document
    document = ls.documents.get(given.uri)
    if document is not None and params.content_changes:
        document.rewritten(params.content_changes[-1].text, given.version)
        ls.checks.wanted(given.uri)
        ls.check_users(given.uri)


def _did_save(ls: RubricServer, params: types.DidSaveTextDocumentParams) -> None:
    """What is on the disk has changed."""
    ls.check_users(params.text_document.uri)


def _did_close(ls: RubricServer, params: types.DidCloseTextDocumentParams) -> None:
    """It is gone from the screen, and so are its messages."""
    uri = params.text_document.uri
    if ls.documents.pop(uri, None) is not None:
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        ls.check_users(uri)


def _files_changed(ls: RubricServer, _: types.DidChangeWatchedFilesParams) -> None:
    """Something changed without the editor, such as a pull from a repository."""
    ls.check_users("")


def _shutdown(ls: RubricServer, _: None) -> None:
    """The editor says goodbye."""
    ls.asked_to_stop = True


_OPTIONS_ACTIONS = types.CodeActionOptions(
    [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll], resolve_provider=True
)
_OPTIONS_COMPLETION = types.CompletionOptions(trigger_characters=["[", "{", " ", ":", '"'])
_ANSWERS = (
    (types.TEXT_DOCUMENT_DID_OPEN, _did_open),
    (types.TEXT_DOCUMENT_DID_CHANGE, _did_change),
    (types.TEXT_DOCUMENT_DID_SAVE, _did_save),
    (types.TEXT_DOCUMENT_DID_CLOSE, _did_close),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _files_changed),
    (types.SHUTDOWN, _shutdown),
    (types.TEXT_DOCUMENT_CODE_ACTION, features.code_action, _OPTIONS_ACTIONS),
    (types.CODE_ACTION_RESOLVE, features.resolve_action),
    (types.TEXT_DOCUMENT_FORMATTING, features.formatting),
    (types.TEXT_DOCUMENT_COMPLETION, features.completion, _OPTIONS_COMPLETION),
    (types.TEXT_DOCUMENT_HOVER, features.hover),
    (types.TEXT_DOCUMENT_DEFINITION, features.definition),
    (types.TEXT_DOCUMENT_REFERENCES, features.references),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, features.document_symbol),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, features.prepare_rename),
    (types.TEXT_DOCUMENT_RENAME, features.rename, types.RenameOptions(prepare_provider=True)),
)
