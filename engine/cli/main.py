"""`assay`: finds the command, runs it, and turns whatever happens into words and an exit code.

Commands are imported when they are used, so that `assay --help` costs no more than Python itself.
"""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from engine import __version__
from engine.cli.help import global_help
from engine.errors import AssayError, Exit
from engine.text import harmless, nearest, one_line

__all__ = ["COMMANDS", "main"]

# name: (module, what it does). A new command is a file and a line here.
COMMANDS = {
    "run": ("engine.cli.run", "ask a query set, grade the answers, compare with the baseline"),
    "runs": ("engine.cli.runs", "list runs, show one, follow one query over time"),
    "compare": ("engine.cli.compare", "put two runs side by side"),
    "baseline": ("engine.cli.baseline", "show or set what runs are compared with"),
    "queries": ("engine.cli.queries", "list, show and check query sets"),
    "target": ("engine.cli.target", "ask a target one question, and see what came back"),
    "prices": ("engine.cli.prices", "show what models cost, or import prices"),
    "corpus": ("engine.cli.corpus", "build or show the index of a target's documents"),
    "rubric": ("engine.cli.rubric", "write, check and share rubrics"),
    "init": ("engine.cli.init", "make a small working workspace to start from"),
    "completion": ("engine.cli.completion", "print tab completion for bash, zsh or fish"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit code; see `assay --help` for what each means."""
    words = list(sys.argv[1:] if argv is None else argv)
    # A run makes millions of objects and hardly a cycle; looking for cycles every 700 of them costs a tenth of it.
    gc.set_threshold(200_000, 50, 100)
    _soften_streams()
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except AssayError as error:
        _say(*(line for problem in error.problems for line in str(problem).split("\n")))
        return error.exit
    except BrokenPipeError:
        # The reader (`| head`) has gone. What was recorded is on disk; there is nobody to tell.
        _forget_stdout()
        return 141
    except OSError as error:
        what = one_line(str(error.filename)) if error.filename else "the output"
        _say(f"{what} cannot be read or written: {(error.strerror or 'no reason is known').lower()}")
        _forget_stdout()
        return Exit.FAILED
    except KeyboardInterrupt:
        _say("stopped")
        return Exit.INTERRUPTED
    return code


def _say(*lines: str) -> None:
    """Tell the person, if there is anywhere left to tell it."""
    with suppress(OSError):
        for line in lines:
            print(harmless(line), file=sys.stderr)
        sys.stderr.flush()


def _dispatch(words: list[str]) -> int:
    before = _globals_before(words)
    rest = words[len(before) :]
    if not rest or rest[0] in ("-h", "--help", "help"):
        print(global_help({name: about for name, (_, about) in COMMANDS.items()}))
        return Exit.PASSED if rest else Exit.USAGE
    name = rest[0]
    if name in ("-V", "--version"):
        print(f"assay {__version__}")
        return Exit.PASSED
    if name == "__complete":
        from engine.cli.completion import complete

        return complete(rest[1:])
    if name not in COMMANDS:
        _unknown(name)
        return Exit.USAGE
    from importlib import import_module

    from engine.cli.parser import Commands  # argparse: 8 ms that the front page does without

    commands = Commands()
    import_module(COMMANDS[name][0]).add(commands)
    return commands.run(name, [*before, *rest[1:]])


def _globals_before(words: list[str]) -> list[str]:
    """Options written before the command: `assay --workspace DIR run`."""
    index = 0
    while index < len(words) and words[index].startswith("--"):
        if words[index] in ("--workspace", "--color") and index + 1 < len(words):
            index += 2
        elif words[index].startswith(("--workspace=", "--color=")):
            index += 1
        else:
            break
    return words[:index]


def _unknown(name: str) -> None:
    near = nearest(name, COMMANDS)
    hint = f"  → did you mean: assay {near}" if near else "  → see: assay --help"
    _say(f"there is no command “{one_line(name, 40)}”", hint)


def _soften_streams() -> None:
    """Output that the terminal's encoding cannot show degrades, and a closed one is nowhere; neither crashes a run."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _forget_stdout() -> None:
    """Python flushes the streams once more at exit; point them at nothing so that they stay quiet."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os.dup2(nothing, sys.stdout.fileno())
