"""`assay rubric ACTION`: tools for people who write rubrics. One action a file, imported when it is used."""

from engine.cli.parser import Actions, Commands

__all__ = ["ACTIONS", "add"]

# name: (module, what it does). A new action is a file and a line here.
ACTIONS: Actions = {
    "new": ("engine.cli.rubric.new", "a rubric of your own, from a few questions"),
    "check": ("engine.cli.rubric.check", "every mistake, with its place and what to do"),
    "explain": ("engine.cli.rubric.explain", "what a code in a message means, with examples"),
    "format": ("engine.cli.rubric.format", "one spelling, aligned and indented"),
    "show": ("engine.cli.rubric.show", "a rubric for reading, or as a Markdown page to review and sign"),
    "diff": ("engine.cli.rubric.diff", "what is different between two rubrics, and which labels stay valid"),
    "test": ("engine.cli.rubric.test", "does it decide as you expect? Its examples, and cases beside it"),
    "playground": ("engine.cli.rubric.playground", "a page to try a rubric in: an answer, judges, other weights"),
    "publish": ("engine.cli.rubric.publish", "promise that this version keeps its meaning (writes rubrics.lock)"),
    "import": ("engine.cli.rubric.import_", "a rubric from a table, from HealthBench or from promptfoo"),
    "export": ("engine.cli.rubric.export", "a rubric as JSON, as a judge's schema or for promptfoo"),
    "lsp": ("engine.cli.rubric.lsp", "the language server, for editors"),
}

_EXAMPLES = """\
examples:
  assay rubric check rubrics/search.rubric
  assay rubric check --help"""


def add(commands: Commands) -> None:
    """Declare the actions."""
    commands.add_actions("rubric", ACTIONS, help="write, check and share rubrics", epilog=_EXAMPLES)
