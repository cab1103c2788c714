"""Every code that a message about a rubric can have: what it means, and a small example of it.

A new code is a row in the file of its hundred.
"""

from types import MappingProxyType

from engine.rubric.codes.code import Code
from engine.rubric.codes.lines import LINES
from engine.rubric.codes.logic import LOGIC
from engine.rubric.codes.names import NAMES
from engine.rubric.codes.numbers import NUMBERS
from engine.rubric.codes.scales import SCALES
from engine.rubric.codes.structure import STRUCTURE
from engine.rubric.codes.versions import VERSIONS
from engine.rubric.codes.wording import WORDING

__all__ = ["CODES", "Code"]

CODES = MappingProxyType(
    {row.code: row for row in sorted((*LINES, *STRUCTURE, *NAMES, *NUMBERS, *SCALES, *LOGIC, *WORDING, *VERSIONS))}
)
"""Every code with its row, in order."""
