"""What a published version promises, the file that remembers it, and the ids that publication writes."""

import json
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.cli.main import main
from engine.errors import EngineError, UsageError
from engine.model.rubric_lock import Published, RubricLock
from engine.rubric.ids import with_ids
from engine.rubric.lock import entry_of, lock_problems
from engine.rubric.source import lines
from engine.store.rubric_lock import lock_path, read_lock, write_lock
from tests.rubric.build import rubric_of, shared

TEXT = """rubric: Support
version: 3
criterion: Tone
  weight: 2
  ask: Is it kind?
criterion: Sourced
  check: answer cites a source
verdict: good when score is at least 0.7
verdict: poor otherwise
"""


LOCK = RubricLock().adding("support", entry_of(rubric_of(TEXT), "2026-11-30"))


def _said(text: str, lock: RubricLock = LOCK) -> str:
    return "\n".join(map(str, lock_problems(rubric_of(text), lock, text)))


# ---- the promise ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT, id="as it was published"),
        pytest.param(TEXT.replace("version: 3", "version: 3\nowner: Team B\nabout: x"), id="without another meaning"),
        pytest.param(TEXT.replace("version: 3", "version: 4").replace("kind", "rude"), id="under a new version"),
        pytest.param(TEXT.replace("Support", "Another").replace("kind", "rude"), id="another rubric"),
    ],
)
def test_a_kept_promise_says_nothing(text: str) -> None:
    assert _said(text) == ""


def test_another_meaning_under_a_published_version() -> None:
    """R801: which criteria, what becomes of their labels, and the next step."""
    text = TEXT.replace("Is it kind?", "Is it polite?").replace("weight: 2", "weight: 3")

    assert _said(text) == (
        "test.rubric:2:10: error: Version 3 was published with another meaning  [R801]\n"
        "  |\n"
        "2 | version: 3\n"
        "  |          ^ published on 2026-11-30\n"
        '  = graded in another way, so that earlier labels no longer count: "Tone"\n'
        "  = labels of 1 of 2 criteria stay valid\n"
        "  = write: version: 4"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("weight: 2", "weight: 3", "labels of all criteria stay valid"),
        ("0.7", "0.8", "what changed is how the criteria count: a weight, mark, condition, judge, cap or verdict"),
        ("criterion: Sourced\n  check: answer cites a source\n", "", 'not there any more: "sourced"'),
        ("verdict: good", "criterion: New\n  check: answer is empty\nverdict: good", 'new, without labels: "New"'),
        ("criterion: Tone", "criterion: Voice", 'called something else, or moved; the labels stay valid: "Voice"'),
    ],
)
def test_what_was_touched(old: str, new: str, said: str) -> None:
    assert said in _said(TEXT.replace(old, new))


def test_the_next_version_is_above_every_published_one() -> None:
    lock = LOCK.adding("support", Published(7, "2026-12-01", "0" * 64, {}))

    assert "write: version: 8" in _said(TEXT.replace("kind", "rude"), lock)
    assert _said(TEXT, lock) == ""  # an old file is what it was


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("version: 3", "version: 2"), "2:10: error: Version 2 goes back: version 3 was published on"),
        (TEXT.replace("version: 3\n", ""), "1:9: error: This rubric has lost its version: version 3 was published on"),
    ],
)
def test_a_version_never_goes_back(text: str, said: str) -> None:
    found = _said(text)

    assert said in found
    assert "[R802]" in found
    assert "= write: version: 4" in found


# ---- the file ---------------------------------------------------------------------------------

_HASHES = st.text("0123456789abcdef", min_size=64, max_size=64)
_NAMES = st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable())
_ENTRIES = st.builds(
    Published, st.integers(1, 999_999_999), st.dates().map(str), _HASHES, st.dictionaries(_NAMES, _HASHES, max_size=3)
)


@given(st.lists(st.tuples(_NAMES, _ENTRIES), max_size=5))
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, Published]]
) -> None:
    path = tmp_path_factory.mktemp("lock") / "rubrics.lock"
    lock = RubricLock()
    for name, entry in entries:
        lock = lock.adding(name, entry)

    write_lock(path, lock)

    assert read_lock(path) == lock
    before = path.read_bytes()
    write_lock(path, read_lock(path))
    assert path.read_bytes() == before


def test_everybody_may_read_it_and_one_criterion_stands_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rubrics.lock"
    write_lock(path, LOCK)

    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert sum('"tone"' in row for row in path.read_text(encoding="utf-8").split("\n")) == 1
    assert not [other for other in tmp_path.iterdir() if other != path]


def test_there_may_be_none_yet(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "rubrics.lock") == RubricLock()


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("precious", encoding="utf-8")
    (tmp_path / "rubrics.lock").symlink_to(tmp_path / "other")

    with pytest.raises(EngineError, match="symbolic link"):
        write_lock(tmp_path / "rubrics.lock", LOCK)
    assert (tmp_path / "other").read_text(encoding="utf-8") == "precious"


def _damaged() -> list[tuple[str, str, str]]:
    entry = entry_of(rubric_of(TEXT), "2026-11-30")
    good = json.dumps(
        {"schema": "assay.rubrics-lock/1", "rubrics": {"support": {"3": {
            "published": entry.on, "rubric": entry.sha256, "criteria": dict(entry.criteria)}}}}, indent=2,
    )  # fmt: skip
    return [
        ("cut off", good[:-20], "ends in the middle"),
        ("another format", good.replace("lock/1", "lock/2"), ":2:13: this file is in another format"),
        ("no schema", good.replace("schema", "scheme"), ":1:1: this is not a file of published rubrics"),
        ("hash too short", good.replace(entry.sha256, entry.sha256[1:]), ":7:19: this is not a hash"),
        ("label hash", good.replace(entry.criteria["tone"], "X" * 64), ":9:19: this is not a hash"),
        ("not a version", good.replace('"3"', '"three"'), ':5:16: "three" is not a version'),
        ("version 0", good.replace('"3"', '"0"'), 'not a version'),
        ("not a day", good.replace("2026-11-30", "2026-13-30"), ':6:22: "2026-13-30" is not a day'),
        ("one key more", good.replace('"published"', '"x": 1, "published"'), 'version 3 of "support" is damaged'),
        ("no versions", '{"schema": "assay.rubrics-lock/1", "rubrics": {"support": []}}', '"support" has no versions'),
        ("twice", good.replace('"criteria"', '"rubric"'), "given twice"),
        ("both sides of a merge", good.replace('  "rubrics"', '<<<<<<< ours\n  "rubrics"'), ":3: two people published"),
        ("not text", "\ud800", "not UTF-8"),
    ]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), [case[1:] for case in _damaged()], ids=[case[0] for case in _damaged()])
def test_a_damaged_file_is_refused_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "rubrics.lock"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))

    with pytest.raises(UsageError) as found:
        read_lock(path)
    assert said in str(found.value)
    assert str(path) in str(found.value)


def test_it_lies_beside_the_rubrics_folder(tmp_path: Path) -> None:
    inside = tmp_path / "rubrics" / "shared" / "safety.rubric"

    assert lock_path(inside) == tmp_path.resolve() / "rubrics.lock"
    assert lock_path(tmp_path / "a.rubric") == tmp_path.resolve() / "rubrics.lock"


# ---- ids --------------------------------------------------------------------------------------


def test_every_heading_gets_an_id_and_nothing_else_changes() -> None:
    text = (
        "# first\r\nrubric: Support  \r\nversion: 1\r\n\r\ngroup: Form and tone\r\n\tcriterion: Short\r\n"
        "# ok R610: wanted\r\n\t\tcheck: answer has at most 9 words\r\nend group:\r\n"
        'criterion: Kind\r\nid: tone\r\nask: Is it?\r\npenalty: Rude\r\ncheck: answer contains "fool"'
    )

    assert with_ids(rubric_of(text), text) == (
        "# first\r\nrubric: Support  \r\nid: support\r\nversion: 1\r\n\r\ngroup: Form and tone\r\n"
        "  id: form-and-tone\r\n\tcriterion: Short\r\n\t\tid: short\r\n"
        "# ok R610: wanted\r\n\t\tcheck: answer has at most 9 words\r\nend group:\r\n"
        'criterion: Kind\r\nid: tone\r\nask: Is it?\r\npenalty: Rude\r\nid: rude\r\ncheck: answer contains "fool"'
    )


@pytest.mark.parametrize("text", ["rubric: A", "\ufeffrubric: A\u2028criterion: ???\u2028check: answer is empty"])
def test_ids_at_the_edges(text: str) -> None:
    """A last line without an end, a byte order mark, a title without a letter."""
    whole = text if "criterion" in text else f"{text}\rcriterion: B\rcheck: answer is empty"
    once = with_ids(rubric_of(whole), whole)

    assert rubric_of(once).sha256 == rubric_of(whole).sha256
    assert with_ids(rubric_of(once), once) == once
    assert once.replace("id: a", "").count("id: ") == 1


def test_a_title_can_change_once_there_are_ids() -> None:
    """The promise that ids are written for: renaming keeps labels, and the meaning."""
    text = with_ids(rubric_of(TEXT), TEXT)
    renamed = text.replace("Tone", "Voice").replace("rubric: Support", "rubric: Help centre")

    assert _said(renamed) == ""
    assert rubric_of(renamed).id == "support"


def test_every_real_rubric_keeps_its_meaning_and_its_lines() -> None:
    folder = shared("data/rubrics")
    files = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.rubric")}
    assert len(files) > 15
    for name, text in files.items():
        found = rubric.read(text, name, files.get).rubric
        assert found is not None, name
        once = with_ids(found, text)
        again = rubric.read(once, name, files.get).rubric
        assert again is not None
        assert (again.sha256, again.id) == (found.sha256, found.id)
        assert with_ids(again, once) == once
        kept = [row.text for row in lines(once, name) if not row.text.strip().startswith("id: ")]
        assert kept == [row.text for row in lines(text, name) if not row.text.strip().startswith("id: ")]


def test_of_two_who_publish_at_once_neither_loses_its_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second begins while the first has read the file of promises and not written it yet."""
    folder = tmp_path / "rubrics"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.rubric").write_text(TEXT.replace("Support", name), encoding="utf-8")
    second = threading.Thread(target=main, args=(["rubric", "publish", str(folder / "b.rubric")],))

    def slowly(path: Path, lock: RubricLock) -> None:
        monkeypatch.undo()
        second.start()
        second.join(0.3)
        write_lock(path, lock)

    monkeypatch.setattr("engine.cli.rubric.publish.write_lock", slowly)
    assert main(["rubric", "publish", str(folder / "a.rubric")]) == 0
    second.join()
    assert set(read_lock(tmp_path / "rubrics.lock").rubrics) == {"a", "b"}
    assert capsys.readouterr().out.count("is published") == 2
