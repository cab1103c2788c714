"""Builders that several tests share: a small workspace, and a run of the command line in it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import warm

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the real files (../shared) are not beside this checkout")

QUERIES = """\
version: 1.0.0
description: three questions
source: curated
categories: [a, b]
queries:
  - {id: one, query: how does with work, intent: with, category: a, relevant: {with: 3, context-managers: 2}}
  - {id: two, query: what is a lambda, intent: lambda, category: b, relevant: {lambda: 3}}
  - {id: three, query: how do I raise an error, intent: raise, category: b, relevant: {raise: 3, exceptions: 1}}
"""


def workspace(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """A workspace whose `core` has three quick queries, and whatever `files` adds to it."""
    for name, text in {"conf/query_sets/core.yaml": QUERIES, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def assay(
    folder: Path, *words: str, environment: Mapping[str, str] | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run `assay` as a person would, in a process of its own, in `folder`.

    With an `environment` it is a fresh one, because Python reads some of it when it starts.
    """
    usual = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    if environment is None:
        return warm.run(folder, words, usual, timeout)
    return subprocess.run(
        [sys.executable, "-P", "-m", "engine", *words],
        cwd=folder,
        env={**usual, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        stdin=subprocess.DEVNULL,
    )
