"""Files that a rubric can use: the first folder wins, nothing outside is read, and a large home is not searched."""

from pathlib import Path

from engine.rubric import Library
from engine.store.rubric_files import RubricFiles


def _files(*folders: Path) -> RubricFiles:
    return RubricFiles(folders, lambda file, _: file.read_text(encoding="utf-8"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_first_folder_wins_and_each_name_is_said_once(tmp_path: Path) -> None:
    _write(tmp_path / "own" / "shared" / "safety.rubric", "mine")
    _write(tmp_path / "shipped" / "shared" / "safety.rubric", "theirs")
    _write(tmp_path / "shipped" / "search.rubric", "search")
    files = _files(tmp_path / "own", tmp_path / "absent", tmp_path / "shipped")

    assert isinstance(files, Library)
    assert files("shared/safety.rubric") == "mine"
    assert files("absent.rubric") is None
    assert list(files.names()) == ["shared/safety.rubric", "search.rubric"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    _write(tmp_path / "secret.rubric", "secret")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link.rubric").symlink_to(tmp_path / "secret.rubric")

    assert _files(tmp_path / "own")("link.rubric") is None


def test_hidden_and_deep_folders_are_not_searched(tmp_path: Path) -> None:
    for path in (".git/a.rubric", "a/b/c/d.rubric", ".b.rubric", "a/b/c.rubric", "a/e.txt"):
        _write(tmp_path / path, "")

    assert list(_files(tmp_path).names()) == ["a/b/c.rubric"]
