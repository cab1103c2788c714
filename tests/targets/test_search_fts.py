"""The targets that search documents: settings, identity, declared corpus, an answer."""

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.errors import UsageError
from engine.model.exchange import Answer, Turn
from engine.model.target import Surroundings, Target, TargetSettings
from engine.store import strict_yaml
from engine.targets import KINDS
from engine.targets.search_fts import Folder, PythonDocs
from tests.doubles import NoCalls, NoNetwork

ROOT = Path(__file__).resolve().parents[2]


def _surroundings(folder: Path, said: list[str] | None = None) -> Surroundings:
    lines: list[str] = [] if said is None else said
    return Surroundings(folder, folder / ".assay", folder / "runs", lines.append, NoNetwork())


def _ask(target: Target, query: str) -> Answer:
    return asyncio.run(target.answer(Turn(query, "q-1"), (), NoCalls()))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with two documents."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Parrots\n\nA parrot talks.\n", encoding="utf-8")
    (tmp_path / "docs" / "b.md").write_text("# Cats\n\nA cat does not.\n", encoding="utf-8")
    return tmp_path


def test_the_language_reference_answers(tmp_path: Path) -> None:
    """A57: each search is timed."""
    settings: TargetSettings = PythonDocs()
    said: list[str] = []
    with settings.open(_surroundings(tmp_path, said)) as target:
        answer = _ask(target, "yield")

    assert answer.hits
    assert answer.hits[0].source == "yield"
    assert set(answer.latency_s) == {"search"}
    assert answer.latency_s["search"] > 0
    assert answer.text is None
    assert answer.citations is None
    assert len(said) == 1
    assert [path.name for path in tmp_path.iterdir()] == [".assay"]


def test_it_knows_every_source(workspace: Path) -> None:
    """A56."""
    (workspace / "docs" / "more.jsonl").write_text('{"id": "faq/1", "text": ""}\n', encoding="utf-8")
    with Folder(path="docs").open(_surroundings(workspace)) as target:
        assert target.sources == {"a.md", "b.md", "faq/1"}


def test_what_the_engine_wrote_among_the_documents_is_no_document(workspace: Path) -> None:
    """Started one folder too deep: runs of this workspace or another; a folder called runs may hold documents."""
    run = "2026-01-31T09-15-00-1a2b"
    for name in (
        f"docs/runs/{run}/results.jsonl",
        "docs/.assay/corpus/x.md",
        "docs/runs/fast.md",
        "docs/baselines/b.md",
    ):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("{}", encoding="utf-8")
    said: list[str] = []
    with Folder(path="docs").open(_surroundings(workspace, said)) as target:
        assert target.sources == {"a.md", "b.md", "runs/fast.md", "baselines/b.md"}
    assert len(said) == 1
    assert f"left out 2 folders that assay itself writes (.assay, runs/{run})" in said[0]

    with Folder(path=".").open(_surroundings(workspace / "docs")) as inside:
        assert inside.sources == {"a.md", "b.md"}
    (workspace / "docs" / "c.md").symlink_to(f"runs/{run}/results.jsonl")
    with Folder(path="docs").open(_surroundings(workspace)) as target:
        assert "c.md" not in (target.sources or ())


def test_nothing_found_is_an_answer(workspace: Path) -> None:
    """A64."""
    with Folder(path="docs").open(_surroundings(workspace)) as target:
        assert _ask(target, "zebra").hits == ()


def test_identity_says_what_can_change_an_answer_and_no_path(workspace: Path) -> None:
    with (
        Folder(path="docs", limit=3, corpus_version="2").open(_surroundings(workspace)) as target,
        Folder(path=str(workspace / "docs"), stemming=False).open(_surroundings(workspace)) as other,
    ):
        assert target.identity["kind"] == "folder"
        assert target.identity["limit"] == 3
        assert target.identity["corpus_version"] == "2"
        assert target.identity["sqlite"]
        assert target.corpus_sha256 == other.corpus_sha256
        assert target.identity != other.identity
        assert not [value for value in other.identity.values() if str(workspace) in str(value)]


def test_a_declared_hash_that_is_not_the_actual_one_is_refused(workspace: Path) -> None:
    """A92: the message names both."""
    with Folder(path="docs").open(_surroundings(workspace)) as target:
        actual = str(target.corpus_sha256)
    with Folder(path="docs", corpus_sha256=actual[:12]).open(_surroundings(workspace)):
        pass
    (workspace / "docs" / "a.md").write_text("changed", encoding="utf-8")
    declared = Folder(path="docs", corpus_version="1.2.0", corpus_sha256=actual[:12])

    with pytest.raises(UsageError) as raised, declared.open(_surroundings(workspace)):
        pass

    with Folder(path="docs").open(_surroundings(workspace)) as target:
        now = str(target.corpus_sha256)
    assert actual[:12] in str(raised.value)
    assert now[:12] in str(raised.value)
    assert "1.2.0" in str(raised.value)


def test_a_missing_folder_is_found_before_the_first_query(workspace: Path) -> None:
    """A56."""
    with (
        pytest.raises(UsageError, match="there is no folder nowhere"),
        Folder(path="nowhere").open(_surroundings(workspace)),
    ):
        pass


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "folder"},
        {"kind": "python_docs", "limt": 3},
        {"kind": "python_docs", "limit": 0},
        {"kind": "python_docs", "limit": "3"},
        {"kind": "python_docs", "tokenizer": "trigram"},
        {"kind": "python_docs", "title_weight": 0, "body_weight": 0},
        {"kind": "python_docs", "title_weight": float("nan")},
        {"kind": "folder", "path": "docs", "corpus_sha256": "sha256:12"},
        {"kind": "replay"},
        {"kind": "replay", "run": "x", "file": "y"},
    ],
    ids=repr,
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object]) -> None:
    """A55."""
    with pytest.raises(ValidationError):
        KINDS.settings(str(settings["kind"])).model_validate(settings)


_EXAMPLES = {"free", "local", "body", "read"}
"""Where a shipped file shows what a person is likely to want, and says so."""


START_FROM = {
    "http_json": {"body", "read"},
    "asgi": {"body", "read", "free"},
    "python": {"free"},
    "mcp": {"arguments", "read", "free"},
    "ollama": {"free"},
}
"""Settings whose value in the shipped file is an example to start from, and not the default."""


@pytest.mark.parametrize("kind", tuple(KINDS))
def test_the_shipped_files_name_every_option_with_its_default(kind: str) -> None:
    text = (ROOT / "conf" / "target" / f"{kind}.yaml").read_text(encoding="utf-8")
    settings = strict_yaml.load(text, kind).value
    model = KINDS.settings(kind)

    assert isinstance(settings, dict)
    assert settings.keys() == model.model_fields.keys()
    differ = START_FROM.get(kind, set())
    fields = {
        name: field for name, field in model.model_fields.items() if not field.is_required() and name not in differ
    }
    defaults = {name: field.get_default(call_default_factory=True) for name, field in fields.items()}
    usual = defaults.keys() - _EXAMPLES
    assert {name: settings[name] for name in usual} == {name: defaults[name] for name in usual}
    lines = [line for line in text.splitlines() if not line.startswith(("#", "kind:", " "))]
    assert all(" # " in line for line in lines)
