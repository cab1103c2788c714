"""`assay completion SHELL`: the script a shell reads; `assay __complete` is what that script asks.

Candidates come from the names of files alone: neither Hydra nor YAML is loaded while somebody types.
"""

import argparse
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric import ACTIONS
from engine.store.workspace import Workspace
from engine.text import safe

__all__ = ["add", "candidates", "complete", "do"]

_BASH = """\
# assay: tab completion for bash. Put this line into ~/.bashrc:
#   eval "$(assay completion bash)"
_assay() {
    local line="${COMP_LINE:0:COMP_POINT}" word candidate
    word="${line##* }"
    COMPREPLY=()
    while IFS= read -r candidate; do
        # bash splits words at "=", so what stands before it must not come back
        if [[ "$COMP_WORDBREAKS" == *"="* && "$word" == *=* ]]; then
            candidate="${candidate#"${word%=*}="}"
        fi
        COMPREPLY+=("$candidate")
    done < <(assay __complete "$line" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]]; then
        compopt -o nospace
    fi
}
complete -F _assay assay
"""
_ZSH = """\
#compdef assay
# assay: tab completion for zsh. Put this line into ~/.zshrc, after compinit:
#   eval "$(assay completion zsh)"
_assay() {
    local -a candidates ending plain
    candidates=("${(@f)$(assay __complete "${LBUFFER}" 2>/dev/null)}")
    ending=(${(M)candidates:#*=})
    plain=(${candidates:#*=})
    (( ${#ending} )) && compadd -S '' -- $ending
    (( ${#plain} )) && compadd -- $plain
}
compdef _assay assay
"""
_FISH = """\
# assay: tab completion for fish. Write it to ~/.config/fish/completions/assay.fish:
#   assay completion fish > ~/.config/fish/completions/assay.fish
complete -c assay -f -a '(assay __complete (commandline -cp) 2>/dev/null)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_OPTIONS = {
    "run": ("--quiet", "--silent", "--json", "--resume", "--dry-run", "--cfg", "--set", "--multirun", "--exit-zero"),
    "runs": ("--folder", "--json"),
    "compare": ("--folder",),
    "queries": ("--set", "--json"),
    "prices": ("--json", "--replace"),
    "rubric": ("--fix", "--watch", "--strict", "--json", "--check", "--diff"),
}
_ACTIONS = {
    "runs": ("list", "show", "trend"),
    "baseline": ("show", "set"),
    "queries": ("list", "show", "check"),
    "corpus": ("build", "show"),
    "target": ("check",),
    "prices": ("show", "import"),
    "rubric": tuple(ACTIONS),
    "completion": tuple(_SCRIPTS),
}


def add(commands: Commands) -> None:
    """Declare the command."""
    example = 'example:\n  eval "$(assay completion bash)"'
    parser = commands.add_parser("completion", help="print tab completion for bash, zsh or fish", epilog=example)
    parser.add_argument("shell", choices=tuple(_SCRIPTS), help="the shell you type in")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Print the script."""
    print(_SCRIPTS[args.shell], end="")
    return 0


def complete(words: Sequence[str]) -> int:
    """Print what could stand at the end of the line typed so far."""
    for candidate in candidates(" ".join(words), Workspace(Path())):
        print(safe(candidate))
    return 0


def candidates(line: str, workspace: Workspace) -> tuple[str, ...]:
    """Every word that could complete the last word of `line`, which starts with `assay`."""
    words = line.split(" ")
    typed, before = words[-1], [word for word in words[1:-1] if word]
    return tuple(word for word in _all(before, typed, workspace) if word.startswith(typed))


def _all(before: Sequence[str], typed: str, workspace: Workspace) -> Iterable[str]:
    from engine.cli.main import COMMANDS

    if not before:
        return (*COMMANDS, "--help", "--workspace", "--version")
    command = before[0]
    if typed.startswith("-"):
        return (*_OPTIONS.get(command, ()), "--workspace", "--color", "--help")
    if before[-1] == "--set":
        return _query_sets(workspace)
    if command == "prices" and before[-1] == "show":
        return _models(workspace)
    if before[-1] == "--resume" or before[-1] in ("show", "set") or command == "compare":
        return _query_sets(workspace) if command == "queries" else _runs(workspace)
    if command == "rubric" and len(before) > 1:
        return _files(workspace.rubric_folders, "*.rubric")
    if command in _ACTIONS:
        return _ACTIONS[command] if len(before) == 1 else _query_sets(workspace) if command == "queries" else ()
    return _overrides(typed, workspace) if command in ("run", "corpus", "target") else ()


def _overrides(typed: str, workspace: Workspace) -> Iterable[str]:
    """`target=`, `target=folder`, `target.limit=`, `queries=core,oth…` (after a comma the next value)."""
    key, equals, value = typed.partition("=")
    start = f"{key}={value.rpartition(',')[0]}," if "," in value else f"{key}="
    if not equals:
        return (*(f"{name}=" for name in _groups(workspace)), *_settings(workspace))
    if key == "queries":
        return [start + name for name in ("all", *_query_sets(workspace))]
    if key == "rubric":
        return [start + Path(name).stem for name in _files(workspace.rubric_folders, "*.rubric")]
    return [start + name for name in _files([folder / key for folder in workspace.conf_folders], "*.yaml", stem=True)]


def _groups(workspace: Workspace) -> list[str]:
    found = {p.name for folder in workspace.conf_folders if folder.is_dir() for p in folder.iterdir() if p.is_dir()}
    return sorted(found - {"query_sets"})


def _settings(workspace: Workspace) -> list[str]:
    """The names at the left edge of base.yaml, and of the default target with `target.` before them."""
    found: list[str] = []
    for folder in reversed(workspace.conf_folders):
        found += [
            f"{name}=" for name in _names(folder / "base.yaml") if name not in ("defaults", "compare", "experiment")
        ]
        for file in sorted((folder / "target").glob("*.yaml")):
            found += [f"target.{name}=" for name in _names(file) if name != "kind"]
    return sorted(set(found))


def _names(file: Path) -> list[str]:
    try:
        return re.findall(r"^(\w+):", file.read_text("utf-8"), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        return []


def _query_sets(workspace: Workspace) -> list[str]:
    found = set()
    for folder in workspace.query_set_folders:
        for file in folder.rglob("*"):
            if file.suffix in (".yaml", ".json", ".jsonl") and file.is_file():
                found.add(file.relative_to(folder).with_suffix("").as_posix())
    return sorted(found)


def _files(folders: Iterable[Path], pattern: str, *, stem: bool = False) -> list[str]:
    return sorted({file.stem if stem else file.name for folder in folders for file in folder.glob(pattern)})


def _models(workspace: Workspace) -> list[str]:
    """The names in price files, each at the beginning of its line."""
    found: set[str] = set()
    for folder in workspace.conf_folders:
        with suppress(OSError, UnicodeDecodeError):
            text = (folder / "prices.yaml").read_text("utf-8")
            found |= set(re.findall(r"^ +([\w./@+-]+): *\{", text, re.MULTILINE))
    return sorted(found)


def _runs(workspace: Workspace) -> list[str]:
    """Run ids, newest first."""
    try:
        names = [entry.name for entry in os.scandir(workspace.runs) if entry.is_dir() and entry.name[:1].isdigit()]
    except OSError:
        return []
    return sorted(names, reverse=True)[:50]
