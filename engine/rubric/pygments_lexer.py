"""Rubrics in Pygments, for documentation and terminals. The only home of pygments; nothing of ours imports it."""

from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import Whitespace, _TokenType, string_to_tokentype

from engine.rubric.highlight import Kind
from engine.rubric.line_tokens import tokens
from engine.rubric.source import lines

__all__ = ["RubricLexer"]

_TYPES = {kind: string_to_tokentype(kind.pygments) for kind in Kind}


class RubricLexer(Lexer):
    """Files `*.rubric`. Found by Pygments through its entry point."""

    name = "Rubric"
    aliases: ClassVar[list[str]] = ["rubric"]
    filenames: ClassVar[list[str]] = ["*.rubric"]
    mimetypes: ClassVar[list[str]] = ["text/x-rubric"]
    url = ""
    version_added = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Every character once and in order; what is between the pieces is blank."""
        at = 0
        for start, end, kind in _pieces(text):
            if at < start:
                yield at, Whitespace, text[at:start]
            yield start, _TYPES[kind], text[start:end]
            at = end
        if at < len(text):
            yield at, Whitespace, text[at:]


def _pieces(text: str) -> Iterator[tuple[int, int, Kind]]:
    offset = 1 if text.startswith("\ufeff") else 0
    for line in lines(text, ""):
        for token in tokens(line.folded):
            yield offset + token.start, offset + token.end, token.kind
        offset += len(line.text)
        offset += 2 if text.startswith("\r\n", offset) else 1
