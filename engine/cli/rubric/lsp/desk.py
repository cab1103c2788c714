"""The server's desk: the documents that are open, and what it says without being asked. The only home of pygls."""

from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from engine import __version__
from engine import rubric as language
from engine.cli.rubric.lsp import answers
from engine.cli.rubric.lsp.checking import Checking
from engine.cli.rubric.lsp.documents import Document, path_of
from engine.store.workspace import Workspace

__all__ = ["RubricServer"]


class RubricServer(LanguageServer):
    """Holds the open documents. `asked_to_stop`: the editor has said goodbye."""

    def __init__(self, rubrics: Workspace) -> None:
        # Whole texts: a rubric is small, and the library counts lines differently from the protocol.
        super().__init__("assay", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.rubrics = rubrics
        self.documents: dict[str, Document] = {}
        self.checks = Checking(self.documents.get, self.publish, self.complain)
        self.asked_to_stop = False

    def texts(self) -> Mapping[Path, str]:
        """What is open right now, by file."""
        paths = ((path_of(uri), document) for uri, document in list(self.documents.items()))
        return {path.resolve(): document.page.text for path, document in paths if path is not None}

    def publish(self, document: Document, reading: language.Reading) -> None:
        """Show what is wrong with a document."""
        document.problems = reading.problems
        document.rubric = reading.rubric or document.rubric
        found = [answers.diagnostic(document, problem) for problem in reading.problems]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, found, version=document.version)
        )

    def check_users(self, changed: str) -> None:
        """Other open documents may use what has changed."""
        for uri, document in self.documents.items():
            if uri != changed and document.uses_others:
                self.checks.wanted(uri)

    def complain(self, message: str) -> None:
        """Tell the person, once, in a place that does not get in the way."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def report_server_error(self, error: Exception, source: object) -> None:
        """A message that could not be understood is noted, not thrown into the person's face."""
        self.complain(f"the editor sent something that could not be answered: {type(error).__name__}")
