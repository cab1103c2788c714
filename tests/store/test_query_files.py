"""Query sets by name: found, shadowed, joined, and refused with what exists: A1, A2, A7, A13 to A21, S14."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.model.query import Source
from engine.store import workspace as places
from engine.store.query_files import edited, names, read_set, set_files
from engine.store.workspace import Workspace


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace beside packaged files that hold core and other."""
    shipped = tmp_path / "shipped"
    monkeypatch.setattr(places, "packaged", lambda: shipped)
    write(shipped, "core")
    write(shipped, "other", ids=("a", "b"), text="Which?")
    return Workspace(tmp_path / "home")


def write(root: Path, name: str, ids: tuple[str, ...] = ("a",), text: str = "What?", ending: str = "yaml") -> Path:
    path = root / "conf" / "query_sets" / f"{name}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = "".join(f'{{id: {n}, query: "{text}", intent: i, category: c}},\n' for n in ids)
    path.write_text(f"version: 1.0.0\nqueries: [\n{rows}]\n", "utf-8")
    return path


def refused(home: Workspace, wanted: str | list[str]) -> str:
    with pytest.raises(UsageError) as caught:
        read_set(home, wanted)
    return str(caught.value)


def test_names(home: Workspace) -> None:
    """A1, A2: file stems, with the folder; curated first; other files are not sets."""
    write(home.folder, "generated/2025-12-17")
    write(home.folder, "team/z")
    write(home.folder, "mine")
    write(home.folder, "templates/made")
    write(home.folder, ".hidden")
    (home.folder / "conf" / "query_sets" / "README.md").write_text("x", "utf-8")

    assert names(home) == ("mine", "team/z", "generated/2025-12-17")


def test_no_folder_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A4: nothing found is an answer, not a crash."""
    monkeypatch.setattr(places, "packaged", lambda: tmp_path / "nothing")

    assert set_files(Workspace(tmp_path)) == ()
    assert "there are none yet" in refused(Workspace(tmp_path), "core")


def test_own_set_wins_over_the_packaged_one(home: Workspace) -> None:
    """The whole file, by name, whatever its ending."""
    write(home.folder, "core", ids=("mine",), ending="yaml")

    assert [query.id for query in read_set(home, "core").queries] == ["mine"]


def test_one_set_keeps_its_ids(home: Workspace) -> None:
    """A18: only combined ids carry the set's name."""
    found = read_set(home, ["other"])

    assert ([query.id for query in found.queries], found.name, found.version) == (["a", "b"], "other", "1.0.0")


@pytest.mark.parametrize(
    "wanted", ["all", "core,other", "core, other", ["core", "other"], ["core", "core", "other"], "*"]
)
def test_several_become_one(home: Workspace, wanted: str | list[str]) -> None:
    """A13, A18, A21: ids `set:id`; version and hash come from the members; generated sets are not in `all`."""
    write(home.folder, "generated/2025-12-17")
    found = read_set(home, wanted)

    assert [query.id for query in found.queries] == ["core:a", "other:a", "other:b"]
    assert (found.name, found.version) == ("core+other", "core@1.0.0+other@1.0.0")
    assert [(part.name, part.version, part.queries) for part in found.members] == [
        ("core", "1.0.0", 1),
        ("other", "1.0.0", 2),
    ]
    assert found.source is Source.CURATED
    assert found.members[0].sha256 == read_set(home, "core").sha256
    assert found.sha256 == read_set(home, "all").sha256
    assert found.sha256 not in {part.sha256 for part in found.members}


def test_a_member_changes_the_hash_of_the_whole(home: Workspace) -> None:
    """A11, A21."""
    before = read_set(home, "all").sha256
    write(home.folder, "other", text="Who?")

    assert read_set(home, "all").sha256 != before


def test_patterns(home: Workspace) -> None:
    """A14: `generated/*` and others; a star stays between slashes."""
    write(home.folder, "generated/a1", ids=("x",))
    write(home.folder, "generated/b2", ids=("y",))

    assert [query.id for query in read_set(home, "generated/*").queries] == ["generated/a1:x", "generated/b2:y"]
    assert [query.id for query in read_set(home, "generated/a*").queries] == ["x"]
    assert read_set(home, "generated/*").source is Source.AI_GENERATED
    assert read_set(home, "core,generated/*").name == "core+generated/a1+generated/b2"


def test_a_pattern_that_matches_nothing(home: Workspace) -> None:
    """A14, F67: an error that says what there is."""
    message = refused(home, "generated/*")

    assert "no query set matches generated/*" in message
    assert "there is: core, other" in message


def test_an_unknown_name(home: Workspace) -> None:
    """A17: near miss and choices."""
    message = refused(home, ["cor", "othre", "core"])

    assert "there is no query set 'cor'\n  → did you mean \"core\"? there is: core, other" in message
    assert "there is no query set 'othre'" in message


@pytest.mark.parametrize(
    "wanted",
    [
        "../outside",
        "..\\outside",
        "/etc/passwd",
        "generated/../../outside",
        "core\0",
        "",
        "core,",
        "CON",
        "a" * 300,
        "%2e%2e/x",
    ],
)
def test_no_name_leads_out(home: Workspace, wanted: str) -> None:
    """S14, F53: refused before any file is looked for."""
    write(home.folder / "conf", "outside")

    assert "cannot be the name of a query set" in refused(home, wanted)


def test_linked_folders_are_not_followed(home: Workspace, tmp_path: Path) -> None:
    """S14: what is read lies inside."""
    write(tmp_path / "elsewhere", "secret")
    write(home.folder, "mine")
    (home.folder / "conf" / "query_sets" / "generated").symlink_to(tmp_path / "elsewhere" / "conf" / "query_sets")

    assert names(home) == ("mine",)


def test_packaged_sets_are_there_until_the_workspace_has_its_own(home: Workspace) -> None:
    """A generated set does not hide them; a curated one does, also in `all`."""
    write(home.folder, "generated/a")
    assert names(home) == ("core", "other", "generated/a")

    write(home.folder, "mine")
    assert names(home) == ("mine", "generated/a")
    assert read_set(home, "all").name == "mine"


@pytest.mark.parametrize(
    ("name", "ending", "message"),
    [
        ("mine", "yml", "query sets end in .yaml; .yml is not read\n  → rename it to mine.yaml"),
        ("all", "yaml", "'all' cannot be the name of a query set"),
        ("a,b", "yaml", "'a,b' cannot be the name of a query set"),
        ("nul", "yaml", "'nul' cannot be the name of a query set: it is reserved on Windows"),
    ],
)
def test_files_that_are_no_sets_are_named(home: Workspace, name: str, ending: str, message: str) -> None:
    """A7: found, not listed as a choice, and the reason is known."""
    path = write(home.folder, name, ending=ending)
    (file,) = [file for file in set_files(home) if file.path == path]

    assert names(home) == ("core", "other")
    with pytest.raises(UsageError) as caught:
        file.read()
    assert f"conf/query_sets/{name}.{ending}: {message}" in str(caught.value)


def test_two_files_of_one_name(home: Workspace) -> None:
    """Which of them was meant cannot be known."""
    write(home.folder, "mine")
    write(home.folder, "mine", ending="json")

    assert "two files for the query set mine: mine.json and mine.yaml" in refused(home, "mine")


def test_a_yml_beside_the_right_file_does_no_harm(home: Workspace) -> None:
    """The readable one is read."""
    write(home.folder, "mine")
    write(home.folder, "mine", ending="yml")

    assert read_set(home, "mine").name == "mine"


def test_problems_of_every_file_at_once(home: Workspace) -> None:
    """A7, A8: not only those of the first."""
    write(home.folder, "core", ids=("a", "a"))
    write(home.folder, "other", ids=())

    message = refused(home, "all")
    assert 'conf/query_sets/core.yaml:4:6: the id "a" is given twice, first at conf/query_sets/core.yaml:3:6' in message
    assert "conf/query_sets/other.yaml: there are no queries" in message


def test_the_same_question_in_several_sets_is_kept_and_said(home: Workspace) -> None:
    """A19: in one line, however many there are."""
    for name, text in {"core": "What?", "third": "What?", "fourth": "Who?"}.items():
        write(home.folder, name, text=text)
    found = read_set(home, "core,third")

    assert [query.id for query in found.queries] == ["core:a", "third:a"]
    assert found.notes == ("1 question is in several sets: core:a = third:a",)
    assert read_set(home, "core,fourth").notes == ()
    for name in ("x", "y", "z"):
        rows = "".join(f'{{id: {n}, query: "{n}?", intent: i, category: c}},\n' for n in "abcdef")
        write(home.folder, name).write_text(f"version: 1.0.0\nqueries: [\n{rows}]\n", "utf-8")
    assert read_set(home, "x,y,z").notes == (
        "6 questions are in several sets: x:a = y:a = z:a; x:b = y:b = z:b; x:c = y:c = z:c; …",
    )


def test_an_edit_without_a_new_version_is_noticed(home: Workspace) -> None:
    """A11: by the content hash of each member."""
    found = read_set(home, "all")
    core = found.members[0].sha256

    assert edited(found, lambda name, version: ()) == ()
    assert edited(found, lambda name, version: (core,) if name == "core" else ()) == ()
    known = {("core", "1.0.0"): (core, "f" * 64), ("other", "0.9.0"): ("e" * 64,)}
    (warning,) = edited(found, lambda name, version: known.get((name, version), ()))
    assert warning.startswith("core 1.0.0 is not what was run before under this version")
    assert "it was ffffffffffff" in warning
