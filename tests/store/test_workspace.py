"""Names stay inside their folder, and the person's files win: S14, F53."""

from pathlib import Path

import pytest

import engine
from engine.errors import UsageError
from engine.store import workspace
from engine.store.workspace import Workspace, checked_name, packaged

UNFIT = [
    "", " ", ".", "..", "...", "../x", "a/../b", "a/..", "/etc/passwd", "//server/share", "~/x", "a//b", "a/",
    "..\\x", "..\\..\\x", "a\\b", "C:", "C:\\x", "c:x", "a:b", "%2e%2e/x", "a%2Fb", "a%00", "x\0", "x\0.yaml",
    "a\nb", "a\x1b[0m", "a\u202eb", "a\u200b", "CON", "con", "nul.yaml", "Aux", "COM1", "lpt9.txt", "a/PRN",
    "a.", "a ", " a", "a./b", "a*", "a?", 'a"', "a|b", "<a>", "a" * 201, "é" * 101, "a\ud800", "\u2028",
]  # fmt: skip
FIT = [
    "core",
    "hono-focus",
    "generated/2025-12-17",
    "café",
    "検索",
    "a.b_c-1",
    ".hidden",
    "conference",
    "com10",
    "a" * 200,
]


@pytest.mark.parametrize("name", UNFIT)
def test_names_that_are_refused(name: str) -> None:
    """S14, F53: nothing that could name a file elsewhere, on any system."""
    with pytest.raises(UsageError, match="cannot be the name of a run"):
        checked_name(name, "run")


@pytest.mark.parametrize("name", FIT)
def test_names_that_are_fine(name: str) -> None:
    """S14: ordinary names of any script pass unchanged."""
    assert checked_name(name, "run") == name


def test_own_files_come_before_packaged_ones(tmp_path: Path) -> None:
    """The first folder wins."""
    place = Workspace(tmp_path)

    assert place.conf_folders == (tmp_path / "conf", packaged() / "conf")
    assert place.rubric_folders == (tmp_path / "rubrics", packaged() / "rubrics")
    assert place.query_set_folders[0] == tmp_path / "conf" / "query_sets"
    assert (place.runs, place.cache, place.baselines) == (
        tmp_path / "runs",
        tmp_path / ".assay",
        tmp_path / "baselines",
    )


def test_a_checkout_as_workspace_has_each_folder_once(tmp_path: Path) -> None:
    """Nothing is found twice, also by another spelling of the same folder."""
    root = packaged()
    (tmp_path / "link").symlink_to(root)

    assert Workspace(root).conf_folders == (root / "conf",)
    assert len(Workspace(tmp_path / "link").conf_folders) == 1


def test_a_wheel_carries_its_files_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a wheel they are below the package, in a checkout beside it."""
    package = tmp_path / "engine"
    package.mkdir()
    monkeypatch.setattr(engine, "__file__", str(package / "__init__.py"))
    assert workspace.packaged() == tmp_path

    (package / "shipped").mkdir()
    assert workspace.packaged() == package / "shipped"


def test_find_rubric(tmp_path: Path) -> None:
    """By name, with or without its ending; own first; a near miss is named; no way out of the folder."""
    place = Workspace(tmp_path)
    (tmp_path / "rubrics").mkdir()
    own = tmp_path / "rubrics" / "mine.rubric"
    own.write_text("rubric: Mine\n", "utf-8")
    (tmp_path / "outside.rubric").write_text("", "utf-8")

    assert place.find_rubric("mine") == place.find_rubric("mine.rubric") == own
    with pytest.raises(UsageError, match='did you mean "mine"'):
        place.find_rubric("mien")
    with pytest.raises(UsageError, match="cannot be the name of a rubric"):
        place.find_rubric("../outside")


def test_paths_are_shown_from_the_workspace(tmp_path: Path) -> None:
    """Short where it can be short."""
    assert Workspace(tmp_path).shown(tmp_path / "conf" / "x.yaml") == "conf/x.yaml"
    assert Workspace(tmp_path / "a").shown(tmp_path / "x.yaml") == str(tmp_path / "x.yaml")
