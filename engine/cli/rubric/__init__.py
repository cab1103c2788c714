"""`assay rubric ACTION`: tools for people who write rubrics. One action a file, imported when it is used."""

from engine.cli.parser import Actions, Commands

__all__ = ["ACTIONS", "add"]

# name: (module, what it does). A new action is a file and a line here.
ACTIONS: Actions = {
    "check": ("engine.cli.rubric.check", "every mistake, with its place and what to do"),
}

_EXAMPLES = """\
examples:
  assay rubric check rubrics/search.rubric
  assay rubric check --help"""


def add(commands: Commands) -> None:
    """Declare the actions."""
    commands.add_actions("rubric", ACTIONS, help="write, check and share rubrics", epilog=_EXAMPLES)
