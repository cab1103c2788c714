"""`assay corpus`: the documents of a target and the search index made from them."""

import argparse
from pathlib import Path

from engine.cli.parser import Commands
from engine.corpus.documents import Corpus
from engine.corpus.index import Standing, State, Tokenizer, build, index_path, inspect
from engine.errors import Exit, Problem, UsageError
from engine.plan.compose import compose_one
from engine.store.workspace import Workspace
from engine.targets.search_fts import SearchSettings
from engine.text import count, one_line

__all__ = ["add", "do"]

_EPILOG = """\
examples:
  assay corpus show                                    the Python language reference
  assay corpus build target=folder target.path=docs    make the index of your own documents anew"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("corpus", help="build or show the index of a target's documents", epilog=_EPILOG)
    parser.add_argument("action", choices=("build", "show"), help="show what there is, or make the index anew")
    parser.add_argument("overrides", nargs="*", metavar="OVERRIDE", help="which target: target=folder target.path=docs")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Find the documents, make the index when asked, print how it stands."""
    workspace = Workspace(args.workspace)
    target = compose_one(workspace, args.overrides).target
    if not isinstance(target, SearchSettings):
        help_ = "choose target=python_docs or target=folder"
        raise UsageError(Problem(f"target {target.kind} searches no documents of its own", "command line", help_))
    corpus, terms = target.corpus(workspace.folder), target.terms()
    path = index_path(workspace.cache, corpus, terms)
    if args.action == "build":
        build(path, corpus, terms)
    _show(corpus, terms, path, inspect(path, corpus, terms))
    return Exit.PASSED


def _show(corpus: Corpus, terms: Tokenizer, path: Path, standing: Standing) -> None:
    print(f"corpus     {one_line(corpus.name)}")
    for note in corpus.notes:
        print(f"           {one_line(note)}")
    print(f"tokenizer  {terms}")
    print(f"index      {standing.state}: {one_line(standing.reason)}")
    print(f"           {one_line(str(path))}")
    contents = standing.contents
    if contents is not None and standing.state in (State.FRESH, State.STALE):
        print(f"holds      {count(contents.documents, 'document')}, {count(contents.sections, 'section')}")
        print(f"sha256     {contents.sha256}")
        if contents.note:
            print(f"note       {one_line(contents.note)}")
