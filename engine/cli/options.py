"""What of a run is printed, and how."""

import argparse
import shlex
from dataclasses import dataclass
from pathlib import Path

from engine.cli.screen import screen_symbols, screen_width
from engine.report.symbols import Symbols
from engine.text import one_line, safe

__all__ = ["Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """What of a run is printed, and how.

    Attributes:
        mode: `verbose`, `quiet`, `silent` or `json`; None takes the setting `output`.
        again: the words that name this workspace in a command to type.
        alone: whether the run tells how to go on with it; in a sweep the sweep does.
        allow_code: whether Python code that a setting names may run.
    """

    mode: str | None
    symbols: Symbols
    width: int
    again: str
    alone: bool = True
    allow_code: bool = False

    @classmethod
    def of(cls, args: argparse.Namespace) -> "Options":
        """From the command line and the terminal."""
        given = [mode for mode in ("quiet", "silent", "json") if getattr(args, mode)]
        again = "" if args.workspace == Path() else f" --workspace {safe(shlex.quote(str(args.workspace)))}"
        mode, code = given[0] if given else None, args.allow_code
        return cls(mode, screen_symbols(args), screen_width(), again, allow_code=code)

    def resume(self, run_id: str) -> str:
        """The command that goes on with a run, to be typed as it stands."""
        words = [f"--{self.mode}"] if self.mode else []
        words += ["--allow-code"] if self.allow_code else []
        return " ".join((f"go on with: assay run --resume {one_line(run_id)}", *words)) + self.again
