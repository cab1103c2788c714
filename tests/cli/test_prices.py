"""`assay prices`: what is known, what to do when nothing is, and taking prices from a list."""

import json
import os
import pty
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

import pytest

from engine.cli.completion import candidates
from engine.store.workspace import Workspace
from tests.workspaces import ROOT, assay

OWN = "version: 2026-11-30\nsource: our contract\nmodels:\n  gpt-4o: {input: 1, output: 2}\n"
LIST = {
    "sample_spec": {"input_cost_per_token": 0.0, "mode": "one of: chat"},
    "gpt-4o": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05, "mode": "chat"},
    "my-model": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "mode": "chat"},
    **{f"null-{n}": {"input_cost_per_token": None, "output_cost_per_token": 1e-06, "mode": "chat"} for n in range(9)},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.json").write_text(json.dumps(LIST), "utf-8")
    return tmp_path


def _own(folder: Path) -> Path:
    path = folder / "conf" / "prices.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(OWN, "utf-8")
    return path


def test_all_prices_with_version_source_and_where_own_ones_go(folder: Path) -> None:
    done = assay(folder, "prices")

    assert done.returncode == 0
    for told in ("from genai-prices 0.2.3", "your own prices go into conf/prices.yaml", "a record keeps: prices@"):
        assert told in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("gpt-4o-mini ")]
    assert line.split() == ["gpt-4o-mini", "0.15", "0.6", "0.075", "-"]
    assert not (folder / "conf").exists()


def test_own_prices_come_first_and_are_marked(folder: Path) -> None:
    _own(folder)
    done = assay(folder, "prices", "show")
    lines = done.stdout.splitlines()
    rows = [line for line in lines if line.startswith("gpt-4o ")]

    assert lines[lines.index("dollars per million tokens") + 2] == rows[0]
    assert [row.split() for row in rows] == [["gpt-4o", "1", "2", "-", "-", "own"]]
    assert "conf/prices.yaml: 1 model, version 2026-11-30, from our contract" in done.stdout
    assert "conf/prices.yaml@2026-11-30 + prices@" in done.stdout


def test_one_model_by_any_of_its_names(folder: Path) -> None:
    done = assay(folder, "prices", "show", "gpt-5.5-2026-04-23")

    assert "gpt-5.5-2026-04-23 costs as much as gpt-5.5" in done.stdout
    assert "input    $10 for a million tokens" in done.stdout
    assert "note     the dearest rate, for prompts above 272,000 tokens" in done.stdout


def test_a_model_that_nobody_knows(folder: Path) -> None:
    done = assay(folder, "prices", "show", "gpt-4o-mimi")

    assert (done.returncode, done.stdout) == (2, "")
    for told in ("did you mean gpt-4o-mini?", "target.price={input: 0.15, output: 0.60}", "target.free=true"):
        assert told in done.stderr


def test_for_programs(folder: Path) -> None:
    _own(folder)
    found = json.loads(assay(folder, "prices", "show", "--json").stdout)
    one = json.loads(assay(folder, "prices", "show", "gpt-4o-2024-08-06", "--json").stdout)

    assert found["models"]["gpt-4o"]["input"] == "1"
    assert found["models"]["gpt-4o"]["file"] == "conf/prices.yaml"
    assert found["models"]["gpt-4o-mini"]["cached"] == "0.075"
    assert found["label"].endswith(f"({found['sha256'][:12]})")
    assert one["models"] == {"gpt-4o": found["models"]["gpt-4o"]}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "claude-haiku-4-5\n  input 1, output 5, cached 0.1, write\n      1.25\n"),
        (("show", "claude-haiku-4-5"), "input    $1 for a million tokens\n"),
    ],
)
def test_it_fits_a_narrow_terminal(folder: Path, words: tuple[str, ...], told: str) -> None:
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, pack("HHHH", 24, 40, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "engine", "prices", *words], cwd=folder, stdout=theirs, env=environment
    ):
        os.close(theirs)
        printed = b""
        try:
            while piece := os.read(ours, 2**16):
                printed += piece
        except OSError:  # the end, as a terminal says it
            pass
    os.close(ours)
    text = printed.decode().replace("\r\n", "\n")
    lines = text.split("\n")

    assert told in text
    # a path cannot be broken between words
    assert not [line for line in lines if len(line) > 40 and str(ROOT) not in line]


def test_prices_are_taken_and_what_is_not_is_named(folder: Path) -> None:
    done = assay(folder, "prices", "import", "list.json")

    assert (done.returncode, done.stderr) == (0, "")
    assert "conf/prices.yaml: 2 prices added, 0 replaced" in done.stdout
    assert "  my-model: input 0.15, output 0.6" in done.stdout
    told = "no price for what is read, or for what is written: 9 (null-0, null-1, null-2, null-3, null-4 and 4 more)"
    assert told in done.stdout
    assert "my-model " in assay(folder, "prices").stdout


def test_own_prices_are_only_replaced_when_that_is_said(folder: Path) -> None:
    path = _own(folder)
    kept = assay(folder, "prices", "import", "list.json", "gpt-*")

    assert "kept as you wrote them, --replace overwrites them: 1 (gpt-4o)" in kept.stdout
    assert path.read_text("utf-8") == OWN

    replaced = assay(folder, "prices", "import", "list.json", "gpt-*", "--replace")

    assert "0 prices added, 1 replaced" in replaced.stdout
    assert "gpt-4o: {input: 2.5, output: 10}" in path.read_text("utf-8")
    assert "source: our contract" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("import",), "import needs the file to read"),
        (("import", "absent.json"), "no such file"),
        (("import", "list.json", "null-*"), "nothing was written"),
        (("import", "list.json", "my-modle"), "did you mean my-model?"),
        (("show", "a", "b"), "show takes one model"),
        (("shw",), "did you mean show?"),
    ],
)
def test_mistakes_have_a_next_step_and_write_nothing(folder: Path, words: tuple[str, ...], told: str) -> None:
    done = assay(folder, "prices", *words)

    assert done.returncode == 2
    assert told in done.stderr.lower().replace("“", '"')
    assert not (folder / "conf").exists()


def test_a_broken_price_file_is_told_with_its_line(folder: Path) -> None:
    _own(folder).write_text(OWN.replace("input: 1", "input: 1 EUR"), "utf-8")
    done = assay(folder, "prices")

    assert done.returncode == 2
    assert 'conf/prices.yaml:4:19: input: "1 EUR" is not a number' in done.stderr


def test_a_run_without_a_model_reads_no_prices(folder: Path) -> None:
    """A price file that cannot be read stops only those who need prices."""
    _own(folder).write_text("broken: [", "utf-8")
    code = "import sys; from engine.cli.main import main; main(['run', '--dry-run']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    modules = done.stdout.splitlines()[-1].split()
    assert "engine.cli.run" in modules, done.stderr
    assert "engine.store.price_files" not in modules


def test_models_are_completed(folder: Path) -> None:
    _own(folder)
    workspace = Workspace(folder)

    assert candidates("assay prices s", workspace) == ("show",)
    assert candidates("assay prices show gpt-4o-m", workspace) == ("gpt-4o-mini",)
    assert candidates("assay prices --rep", workspace) == ("--replace",)
