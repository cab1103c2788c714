"""Nothing foreign reaches the terminal as anything but text (S8), and no secret reaches the run folder (S3)."""

import base64
import json
import unicodedata
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.text import safe
from tests.workspaces import assay, workspace

ESC = "\x1b"
_CSI = ("31m", "2J", "H", "1;1H", "?25l", "?1049h", "6n", "0c", "999D", "K", "5i", "?2004h", "38;5;1m")
SEQUENCES: tuple[str, ...] = (
    # CSI: colour, clear, cursor, scroll region, modes, reports
    *(f"{ESC}[{body}" for body in _CSI),
    # OSC: titles, clipboard, links, notifications, colours; ended, ended by ST, not ended
    *(f"{ESC}]{body}\x07" for body in ("0;t", "52;c;QUJD", "9;n", "4;1;rgb:0/0", "1337;File=:Q=", "777;n;a;b", "104")),
    f"{ESC}]2;t\x1b\\", f"{ESC}]8;;http://x\x07y", f"{ESC}]0;open",
    # DCS, APC, PM, SOS; ended and not ended
    f"{ESC}Pq#0\x1b\\", f"{ESC}P+q\x1b\\", f"{ESC}_Ga=T\x1b\\", f"{ESC}^pm\x1b\\", f"{ESC}Xsos\x1b\\",
    f"{ESC}Popen", f"{ESC}_open",
    # C1 controls as single characters
    "\x9b31m", "\x9b2J", "\x9d0;t\x9c", "\x9d52;c;QQ==\x07", "\x90q\x9c", "\x9f\x9c", "\x84", "\x85", "\x8d", "\x9c",
    # single escapes: reset, charset, keypad, save
    f"{ESC}c", f"{ESC}(0", f"{ESC}=", f"{ESC}7", f"{ESC}#8", f"{ESC}",
    # overwriting and noise
    "abc\rxyz", "abc\b\b\bxyz", "\x07", "\x00", "\x0b", "\x0c", "\x7f", "\x0e", "\x0f",
    # what hides or turns round
    "\u202e", "\u2066x\u2069", "\u200b", "\u2060", "\ufeff", "\u2028", "\u00ad",
)  # fmt: skip


def foreign(text: str) -> Iterator[str]:
    """Characters of the output that a terminal could obey or that hide something."""
    for char in text:
        if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            yield f"U+{ord(char):04X}"


def test_there_are_sixty_sequences() -> None:
    assert len(set(SEQUENCES)) >= 60


@pytest.mark.parametrize("sequence", SEQUENCES, ids=repr)
def test_safe_leaves_nothing_of_a_sequence(sequence: str) -> None:
    assert not list(foreign(safe(f"a{sequence}b")))
    assert safe(f"a{sequence}b").startswith("a")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which every text that can be foreign holds every sequence."""
    folder = workspace(tmp_path_factory.mktemp("hostile"))
    header = json.dumps(
        {"version": "1.0.0", "description": "".join(SEQUENCES), "categories": ["a", *(f"c{s}" for s in SEQUENCES)]}
    )
    queries = [
        json.dumps(
            {
                "id": f"q{i}",
                "query": f"with {s} end",
                "intent": s + "x",
                "category": f"c{s}" if i % 2 else "a",
                "task_context": s,
                "relevant": {f"s{s}": 1},
            }
        )
        for i, s in enumerate(SEQUENCES)
    ]
    (folder / "conf/query_sets/hostile.jsonl").write_text("\n".join([header, *queries]) + "\n", "utf-8")
    answers = [
        json.dumps(
            {
                "id": f"q{i}",
                "text": s,
                "hits": [{"source": f"s{s}", "title": s, "snippet": f"before{s}after", "score": 1.0}],
            }
        )
        for i, s in enumerate(SEQUENCES)
    ]
    (folder / "answers.jsonl").write_text("\n".join(answers) + "\n", "utf-8")
    (folder / "conf/target").mkdir(parents=True)
    (folder / "conf/target/played.yaml").write_text("kind: replay\nfile: answers.jsonl\n", "utf-8")
    (folder / "docs").mkdir()
    (folder / "docs/a.md").write_text("# with" + "".join(SEQUENCES) + "\n\nwith " + "".join(SEQUENCES), "utf-8")
    (folder / "docs/b\x1b[31mc.md").write_text("with what", "utf-8")
    (folder / "rubrics").mkdir()
    (folder / "rubrics/bad.rubric").write_text("".join(f"rubric: x{s}\nwieght{s}: {s}\n" for s in SEQUENCES), "utf-8")
    earlier = folder / "earlier"
    earlier.mkdir()
    lines = [
        {
            "type": "run_start",
            "timestamp": "2025-12-17T22:32:30.806Z",
            "runId": "x",
            "config": {"queryCount": 1, "querySet": "core\x1b[2J", "corpusVersion": "1\x1b]0;t\x07"},
        }
    ]
    lines += [
        {
            "type": "query_evaluation",
            "data": {
                "timestamp": "2025-12-17T22:33:06.764Z",
                "query": {"query": s, "intent": s},
                "searchResults": [{"source": s, "snippet": s, "score": 1}],
                "evaluation": {
                    "scores": {
                        "relevance": 0.8,
                        "ranking": 0.9,
                        "coverage": 0.7,
                        "snippetQuality": 0.6,
                        "overall": 0.7,
                    },
                    "suggestions": [s],
                },
            },
        }
        for s in SEQUENCES
    ]
    (earlier / "2025-12-17T22-32-30.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    first = json.loads(assay(folder, "run", "queries=hostile", "target=played", "--json").stdout)["run"]
    second = json.loads(assay(folder, "run", "queries=hostile", "target=played", "--json").stdout)["run"]
    assay(folder, "baseline", "set", first)
    (folder / "runs" / "first").symlink_to(folder / "runs" / first)
    (folder / "ids.txt").write_text(f"{first}\n{second}\n", "utf-8")
    return folder


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("run", "queries=hostile", "target=played"),
    ("run", "queries=hostile", "target=played", "--quiet"),
    ("run", "queries=hostile", "target=played", "--silent"),
    ("run", "queries=hostile", "target=played", "--dry-run"),
    ("run", "queries=hostile", "target=played", "--cfg", "job"),
    ("run", "-m", "queries=hostile,core", "target=played", "--quiet"),
    ("run", "queries=core", "target=folder"),
    ("run", "rubric=bad"),
    ("run", *(f"x{s}=1" for s in SEQUENCES if "\0" not in s)),
    ("run", *(f"experiment.name=a{s}" for s in SEQUENCES[:1]), "--cfg", "job"),
    ("run", "--resume", "x\x1b[2J"),
    ("run", "queries=\x1b[2J"),
    ("run", "rubric=\x1b[2J"),
    ("\x1b[2J",),
    ("run", "--\x1b[2J"),
    ("queries", "list", "-v"),
    ("queries", "show", "hostile"),
    ("queries", "check", "hostile"),
    ("queries", "show", "\x1b[2J"),
    ("corpus", "show", "target=folder"),
    ("corpus", "build", "target=folder"),
    ("rubric", "check", "rubrics/bad.rubric"),
    ("rubric", "check", "\x1b[2J"),
    ("runs", "list"),
    ("runs", "show", "FIRST"),
    ("runs", "show", "\x1b[2J"),
    ("runs", "trend", "q0"),
    ("runs", "trend", "\x1b[2J"),
    ("runs", "list", "--folder", "earlier"),
    ("runs", "show", "2025-12-17T22-32-30", "--folder", "earlier"),
    ("compare", "FIRST", "SECOND"),
    ("compare", "\x1b[2J", "b"),
    ("baseline", "show"),
    ("baseline", "show", "hostile"),
    ("baseline", "set", "\x1b[2J"),
    ("init", "docs\x1b[2J"),
    ("completion", "\x1b[2J"),
    ("__complete", "assay run queries="),
)  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:40].encode("unicode_escape").decode())
def test_no_foreign_control_character_reaches_the_terminal(folder: Path, words: tuple[str, ...]) -> None:
    """S8, A80: every printing command over every sequence, standard output and error."""
    first, second = (folder / "ids.txt").read_text("utf-8").split()
    done = assay(folder, *(first if w == "FIRST" else second if w == "SECOND" else w for w in words))

    assert done.stdout + done.stderr, "the command printed nothing, so nothing was tested"
    assert not list(foreign(done.stdout + done.stderr))
    assert "Traceback" not in done.stderr


def test_foreign_text_never_starts_a_line(folder: Path) -> None:
    """S9: a line that starts with `::` or `##[` would be a command to a CI system."""
    query = {"id": "x", "query": "::add-mask::x\n::set-env name=a::b", "intent": "##[error]", "category": "a"}
    header = {"version": "1.0.0", "description": "::d", "categories": ["a"]}
    workspace(folder, {"conf/query_sets/ci.jsonl": f"{json.dumps(header)}\n{json.dumps(query)}\n"})
    (folder / "answers.jsonl").write_text(
        (folder / "answers.jsonl").read_text("utf-8")
        + '{"id":"x","text":"::error::","hits":[{"source":"::x","snippet":"\\n::warning::y"}]}\n',
        "utf-8",
    )
    for words in (
        ("run", "queries=ci", "target=played", "--exit-zero"),
        ("queries", "show", "ci"),
        ("queries", "list", "-v"),
    ):
        done = assay(folder, *words)
        assert not [line for line in done.stdout.splitlines() if line.lstrip().startswith(("::", "##["))], words


def test_a_secret_is_in_no_byte_of_the_run_folder(tmp_path: Path) -> None:
    """S3: planted in the environment, tried as an override, echoed by a document; raw, base64 and URL-encoded."""
    secret = "canary/SECRET+value 0123456789"
    folder = workspace(tmp_path)
    environment = {
        "ASSAY_API_KEY": secret,
        "OPENAI_API_KEY": secret,
        "DATABASE_URL": f"postgres://u:{secret}@h/d",
        "PASSWORD": secret,
    }

    assert assay(folder, "run", environment=environment).returncode == 0
    refused = assay(folder, "run", f"experiment.name={secret}", environment=environment)
    assert refused.returncode == 2
    assert assay(folder, "run", "-m", f"experiment.name={secret},x", environment=environment).returncode == 2
    assert assay(folder, "run", f"+{secret}=1", environment=environment).returncode == 2

    forms = [
        form
        for text in (secret, secret.strip())
        for form in (
            text,
            base64.b64encode(text.encode()).decode(),
            urllib.parse.quote(text),
            urllib.parse.quote_plus(text),
        )
    ]
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert everything
    assert not [form for form in forms if form.encode() in everything]
    assert not [form for form in forms if form in refused.stderr + refused.stdout]
