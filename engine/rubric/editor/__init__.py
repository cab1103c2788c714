"""What an editor asks about a rubric while it is written. Pure: a page and a place in, nouns out; no protocol here."""

from engine.rubric.editor.actions import Fix, all_fixed, fixes
from engine.rubric.editor.completion import Choice, What, completions
from engine.rubric.editor.contents import Section, contents
from engine.rubric.editor.difference import Change, change
from engine.rubric.editor.hover import Known, Note, hover
from engine.rubric.editor.mentions import Mention, Sort, mention_at, mentions
from engine.rubric.editor.navigation import Renaming, Target, definition, references, renamed
from engine.rubric.editor.page import Page, Place, Position, Row

__all__ = [
    "Change",
    "Choice",
    "Fix",
    "Known",
    "Mention",
    "Note",
    "Page",
    "Place",
    "Position",
    "Renaming",
    "Row",
    "Section",
    "Sort",
    "Target",
    "What",
    "all_fixed",
    "change",
    "completions",
    "contents",
    "definition",
    "fixes",
    "hover",
    "mention_at",
    "mentions",
    "references",
    "renamed",
]
