"""Pages about the language that are made from its tables, so that they cannot say anything else."""

from engine.rubric.manual.picture import picture
from engine.rubric.manual.reference import reference

__all__ = ["picture", "reference"]
