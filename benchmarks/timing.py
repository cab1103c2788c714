"""Measuring: processor seconds of a command, peak memory of a run, medians of works that take turns."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time

__all__ = ["ROOT", "cpu_s", "medians", "peak_mb", "turns"]

ROOT = Path(__file__).resolve().parents[1]

# Linux keeps the peak of the process before it became another program in its own accounts, so it is asked here.
_PEAK = """
import sys
from engine.cli.main import main
code = main(sys.argv[1:])
lines = open("/proc/self/status", encoding="utf-8")
print("peak", code, next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


def cpu_s(words: Sequence[str], folder: Path) -> float:
    """Processor time, user and system, of one Python process in `folder`."""
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}: {said.decode()}")
    return used.ru_utime + used.ru_stime


def peak_mb(words: Sequence[str], folder: Path) -> float:
    """The most memory that one `assay` command had at any time, in MB of 2**20 bytes (Linux)."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *words],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    word, code, kilobytes = done.stdout.splitlines()[-1].split()
    if word != "peak" or code != "0":
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return int(kilobytes) / 1024


def medians(repeats: int, *works: Callable[[], object]) -> list[float]:
    """Processor seconds of each work in this process."""

    def timed(work: Callable[[], object]) -> Callable[[], float]:
        def seconds() -> float:
            start = process_time()
            work()
            return process_time() - start

        return seconds

    return turns(repeats, *map(timed, works))


def turns(repeats: int, *works: Callable[[], float]) -> list[float]:
    """The median of what each work returns; they take turns, so that a busy machine slows all of them."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, values in zip(works, found, strict=True):
            values.append(work())
    return [median(values) for values in found]


def _environment() -> dict[str, str]:
    """As a person has it: compiled modules are kept, or each start would compile them again."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
