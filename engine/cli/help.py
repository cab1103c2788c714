"""The front page: what `assay --help` prints. Imports nothing heavy."""

from collections.abc import Mapping

__all__ = ["EXIT_CODES", "global_help"]

EXIT_CODES = """\
exit codes:
  0  complete and passed          3  inconclusive
  1  a regression, or blocked     4  the engine or a provider failed
  2  usage or configuration error, nothing ran
  5  stopped by the cost guard    130/143  interrupted; can be resumed"""


def global_help(commands: Mapping[str, str]) -> str:
    """What `assay --help` prints."""
    width = max(map(len, commands))
    listed = "\n".join(f"  {name:<{width}}  {about}" for name, about in commands.items())
    return f"""\
usage: assay COMMAND [OPTIONS]

Assay tells you whether a change to a search, RAG or agent system is good enough to ship.

commands:
{listed}

everywhere:
  --help            what a command does, with an example
  --workspace DIR   the folder to work in (default: this one)
  --color WHEN      auto, always or never; NO_COLOR is honoured
  --version         the version of assay

examples:
  assay run                            ask the core queries and grade the answers
  assay run target.limit=5 --quiet     change one setting, print one line a query
  assay run experiment=no_stemming     run an experiment from conf/experiment/
  assay runs                           what has been run

{EXIT_CODES}"""
