"""`assay queries`: list, show and check query sets."""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from engine.cli.parser import Commands
from engine.errors import Exit, Problem, UsageError
from engine.model.query import Query, QuerySet
from engine.store import strict_json
from engine.store.history import recent_hash
from engine.store.query_files import SetFile, edited, read_set, set_files
from engine.store.workspace import Workspace
from engine.text import count, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """examples:
  assay queries list -v
  assay queries show core
  assay queries check              every query set
  assay queries check core mine"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("queries", help="list, show and check query sets", epilog=_EXAMPLES)
    parser.add_argument("action", nargs="?", choices=("list", "show", "check"), default="list", help="default: list")
    parser.add_argument("sets", nargs="*", metavar="SET", help="a name, all, or a pattern such as 'generated/*'")
    parser.add_argument("--set", dest="named", action="append", default=[], metavar="NAME", help="the same as SET")
    parser.add_argument("-v", "--verbose", action="store_true", help="list: how many queries of each category")
    parser.add_argument("--json", action="store_true", help="show: for programs")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, print."""
    workspace = Workspace(args.workspace)
    wanted = [*args.sets, *args.named]
    if args.action == "list":
        return _list(workspace, wanted, args.verbose)
    if args.action == "check":
        return _check(workspace, wanted)
    queries = read_set(workspace, wanted or "core")
    print(_as_json(queries) if args.json else "\n".join(map(safe, _page(queries))))
    return Exit.PASSED


def _list(workspace: Workspace, wanted: Sequence[str], verbose: bool) -> int:
    if wanted:
        raise UsageError(Problem("list shows every query set", "command line", f"try: assay queries show {wanted[0]}"))
    good, broken = _read_all(set_files(workspace))
    if not good and not broken:
        print("There are no query sets yet. Write conf/query_sets/core.yaml, or make a workspace with: assay init DIR")
        return Exit.PASSED
    print("Available query sets:" if good else "No query set can be read.")
    for line in _table(good, verbose):
        print(safe(line))
    known = recent_hash(workspace.runs, workspace.baselines)
    for warning in (warning for queries in good for warning in edited(queries, known)):
        print(f"  note: {safe(warning)}")
    if broken:
        print(f"{count(len(broken), 'file')} cannot be read:")
    for file, problems in broken:
        more = f" (and {len(problems) - 1} more: assay queries check {file.name})" if len(problems) > 1 else ""
        print(f"  {one_line(problems[0].place or file.shown)}: {one_line(problems[0].message)}{more}")
        if problems[0].help:
            print(f"    → {one_line(problems[0].help)}")
    return Exit.PASSED


def _check(workspace: Workspace, wanted: Sequence[str]) -> int:
    """Everything that is wrong with every set, after a line for each that is fine."""
    # Without names the files themselves are read: the name of a file need not be one that can be asked for.
    reads: list[Callable[[], QuerySet]] = [partial(read_set, workspace, word) for word in wanted]
    reads = reads or [file.read for file in set_files(workspace)]
    if not reads:
        raise UsageError(Problem("there are no query sets to check", help="write conf/query_sets/core.yaml"))
    known = recent_hash(workspace.runs, workspace.baselines)
    problems: list[Problem] = []
    for read in reads:
        try:
            queries = read()
        except UsageError as error:
            problems += error.problems
            continue
        for member in queries.members:
            print(safe(f"{member.name} {member.version}: {count(member.queries, 'query', 'queries')}, fine"))
        for note in (*queries.notes, *edited(queries, known)):
            print(safe(f"  note: {note}"))
    if problems:
        raise UsageError(*dict.fromkeys(problems))  # a set that was named twice has its problems once
    return Exit.PASSED


def _read_all(files: Sequence[SetFile]) -> tuple[list[QuerySet], list[tuple[SetFile, tuple[Problem, ...]]]]:
    good, broken = [], []
    for file in files:
        try:
            good.append(file.read())
        except UsageError as error:
            broken.append((file, error.problems))
    return good, broken


def _table(sets: Sequence[QuerySet], verbose: bool) -> list[str]:
    rows = [
        (part.name, count(len(part.queries), "query", "queries"), part.source.value, f"v{part.version}")
        for part in sets
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    lines = []
    for part, (name, number, source, version) in zip(sets, rows, strict=True):
        cells = (name.ljust(widths[0]), number.rjust(widths[1]), source.ljust(widths[2]), version.ljust(widths[3]))
        lines.append(f"  {'  '.join(cells)}  sha256 {part.sha256[:6]}…")
        if verbose:
            lines += _details(part)
    return lines


def _details(queries: QuerySet) -> list[str]:
    lines = [f"      about: {queries.description}"] if queries.description else []
    numbers = Counter(query.category for query in queries.queries)
    width = max(map(len, numbers))
    lines += [f"      {category.ljust(width)}  {number:>6,}" for category, number in numbers.most_common()]
    return lines + [f"      note: {note}" for note in queries.notes]


def _page(queries: QuerySet) -> list[str]:
    lines = [
        f"{queries.name}  {count(len(queries.queries), 'query', 'queries')}  {queries.source}  v{queries.version}",
        *([f"about: {queries.description}"] if queries.description else []),
        f"sha256 {queries.sha256}",
        *(f"note: {note}" for note in queries.notes),
    ]
    for query in queries.queries:
        lines += ["", f'{query.id}  "{query.text}"', *(f"  {name}: {value}" for name, value in _said(query))]
    return lines


def _said(query: Query) -> list[tuple[str, str]]:
    """What is known about a query; what is not known is left out."""
    said = [("intent", query.intent), ("category", query.category)]
    if query.task_context is not None:
        said.append(("task context", query.task_context))
    if query.relevant is not None:
        grades = ", ".join(f"{source} {grade:g}" for source, grade in query.relevant.items())
        said.append(("relevant", grades or "nothing (judged)"))
    if query.expected_answer is not None:
        said.append(("expected answer", query.expected_answer))
    said += [(name, f"{value:g}" if isinstance(value, float | int) else value) for name, value in query.fields.items()]
    if query.split is not None:
        said.append(("split", query.split))
    return said


def _as_json(queries: QuerySet) -> str:
    value: Mapping[str, object] = {
        "name": queries.name,
        "version": queries.version,
        "description": queries.description,
        "source": queries.source,
        "categories": queries.categories,
        "sha256": queries.sha256,
        "members": [
            {"name": part.name, "version": part.version, "sha256": part.sha256, "queries": part.queries}
            for part in queries.members
        ],
        "notes": queries.notes,
        "queries": [
            {
                "id": query.id,
                "query": query.text,
                "intent": query.intent,
                "category": query.category,
                "task_context": query.task_context,
                "relevant": query.relevant,
                "expected_answer": query.expected_answer,
                "fields": dict(query.fields),
                "split": query.split,
            }
            for query in queries.queries
        ],
    }
    return strict_json.printable(value)
