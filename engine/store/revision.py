"""Which revision of the person's repository a run was made from."""

import subprocess
from pathlib import Path

__all__ = ["revision"]


def revision(folder: Path) -> dict[str, str | bool] | None:
    """`{"commit": …, "dirty": …}` of the repository around a folder; None when there is none or no git.

    A repository's own settings could start programs (`core.fsmonitor`); that one is switched off.
    """
    command = ["git", "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--branch", "--untracked-files=no"]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    commit = next((line.removeprefix("# branch.oid ") for line in lines if line.startswith("# branch.oid ")), None)
    if done.returncode or commit is None or commit == "(initial)":
        return None
    return {"commit": commit, "dirty": any(not line.startswith("#") for line in lines)}
