"""`assay rubric lsp`: the language server, for editors. It speaks over standard input and output."""

import argparse
import signal
import sys
from importlib.util import find_spec

from engine.cli.parser import Commands
from engine.errors import Exit, Problem, UsageError
from engine.store.workspace import Workspace

__all__ = ["add", "do"]

_EXAMPLES = """editors start this by themselves; there is nothing to see in a terminal:
  assay rubric lsp
  assay rubric lsp --workspace ~/search-quality     where rubrics/ lies, for use: lines

How to set up an editor: editors/vscode/README.md"""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "lsp", epilog=_EXAMPLES)
    parser.add_argument("--stdio", action="store_true", help="accepted because many editors add it; it is always so")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Serve until the editor says goodbye or goes away."""
    if find_spec("pygls") is None:
        problem = "the language server needs pygls, which is not installed"
        raise UsageError(Problem(problem, "", "pip install 'assay-engine[editor]'"))
    from engine.cli.rubric.lsp.server import serve  # pygls is an extra, and costs 0.3 s to start

    if sys.stdin.isatty():
        print("waiting for an editor to speak the language server protocol; Ctrl-C ends it", file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread waits for a line, and would wait on; nothing is lost
    return Exit.PASSED if serve(Workspace(args.workspace)) else 1  # 1 is what the protocol asks for
