"""What starting costs: processor time of the commands that a person waits for, against Python doing nothing."""

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import cpu_s, turns

__all__ = ["ratios"]

_COMMANDS = {
    "assay --help": ("--help",),
    "assay runs list": ("runs", "list"),
    "assay run, 24 queries of the packaged set": ("run", "--silent"),
}


def ratios(repeats: int = 9) -> list[tuple[str, float, str]]:
    """What was started, its processor time / that of `python -c pass`, and one sentence with the numbers."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        cpu_s(("-m", "engine", "run", "--silent"), place)  # builds the index and reads the rubric, once
        commands = [("-c", "pass"), *(("-m", "engine", *words) for words in _COMMANDS.values())]
        bare_s, *ours = turns(repeats, *(lambda words=words: cpu_s(words, place) for words in commands))
    return [
        (
            f"{name}, against python -c pass",
            taken / bare_s,
            f"{taken * 1e3:.0f} ms processor time here, {bare_s * 1e3:.0f} ms there, median of {repeats} in turns",
        )
        for name, taken in zip(_COMMANDS, ours, strict=True)
    ]
