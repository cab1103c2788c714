"""The playground: one offline HTML page that holds a compiled rubric and grades an answer while it is typed."""

from engine.rubric.playground.page import page
from engine.rubric.playground.sheet import sheet

__all__ = ["page", "sheet"]
