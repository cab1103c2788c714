"""A measured child process: CPU seconds and peak memory of one statement."""

import subprocess
import sys
from pathlib import Path

__all__ = ["measured"]

# VmHWM, not ru_maxrss: Linux hands the latter down from the parent, whose own size it would then be.
_PROGRAM = """
import pathlib, resource, sys, time
{setup}
def peak():
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, start = peak(), time.process_time()
{statement}
print(time.process_time() - start, peak(), peak() - before)
"""


def measured(setup: str, statement: str, argument: Path) -> tuple[str, float, float, float]:
    """What the statement printed, its CPU seconds, the peak and its rise in bytes. The argument is `sys.argv[1]`."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(setup=setup, statement=statement), str(argument)],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    *printed, numbers = done.stdout.splitlines()
    seconds, peak, rise = map(float, numbers.split())
    return "\n".join(printed), seconds, peak, rise
