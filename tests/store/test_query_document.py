"""One file of queries: read exactly, or everything wrong with it named: A5, A8 to A11, A20, F37, F39, F55, F63, F65."""

import hashlib
import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.model.query import Query, Source, Split
from engine.store.query_document import content_sha256, read_file
from tests.store.peak_memory import measured

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "search-quality-runs" / "queries"

GOOD = """\
version: 1.0.0
description: How people ask
categories: [concept, api]
queries:
  - id: with-001
    query: why does {{ user.name }} print {% nothing %} for ${HOME}?
    intent: Find it
    category: api
    task_context: Wrapping
    relevant: {context-managers: 3, with: 0.5, 12: 1}
    split: held-out
  - {id: é-1, query: "café 検索\\u2028", intent: x, category: concept, relevant: {}}
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read_file(path, path.stem, path.name)
    return [f"{problem.place}: {problem.message} | {problem.help}" for problem in caught.value.problems]


def test_yaml(tmp_path: Path) -> None:
    """A8, A10, F37, F39, F55: text is never a template, an interpolation or in another encoding."""
    found = read_file(write(tmp_path, "core.yaml", GOOD), "core")

    assert found.queries == (
        Query(
            id="with-001",
            text="why does {{ user.name }} print {% nothing %} for ${HOME}?",
            intent="Find it",
            category="api",
            task_context="Wrapping",
            relevant={"context-managers": 3.0, "with": 0.5, "12": 1.0},
            split=Split.HELD_OUT,
        ),
        Query(id="é-1", text="café 検索\u2028", intent="x", category="concept", relevant={}),
    )
    assert (found.name, found.version, found.description) == ("core", "1.0.0", "How people ask")
    assert (found.source, found.categories, found.notes) == (Source.CURATED, ("concept", "api"), ())
    assert [(part.name, part.version, part.queries) for part in found.members] == [("core", "1.0.0", 2)]
    assert found.members[0].sha256 == found.sha256


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_the_same_set_in_each_format_has_the_same_hash(tmp_path: Path, ending: str) -> None:
    """A11: layout, remarks and format are outside of the hash."""
    yaml = read_file(write(tmp_path, "a.yaml", "# a remark\n" + GOOD.replace("\n", "\r\n")), "a")
    rows = [
        {
            "id": query.id,
            "query": query.text,
            "intent": query.intent,
            "category": query.category,
            "taskContext": query.task_context,
            "relevant": None
            if query.relevant is None
            else {key: query.relevant[key] for key in sorted(query.relevant)},
            "split": query.split,
        }
        for query in yaml.queries
    ]
    header = {"version": "1.0.0", "description": "other words"}
    text = (
        json.dumps({**header, "queries": rows}, indent=2)
        if ending == "json"
        else "\ufeff" + "\r\n\n".join(json.dumps(row) for row in [header, *rows])
    )
    other = read_file(write(tmp_path, f"a.{ending}", text), "a")

    assert other.queries == yaml.queries
    assert other.sha256 == yaml.sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("with-001", "with-002"),
        ("Find it", "Find"),
        ("with: 0.5", "with: 0.6"),
        ("held-out", "development"),
        ("Wrapping", "X"),
    ],
)
def test_the_hash_sees_every_change(tmp_path: Path, old: str, new: str) -> None:
    """A11: an edit without a new version is found by the hash."""
    before = read_file(write(tmp_path, "a.yaml", GOOD), "a").sha256

    assert read_file(write(tmp_path, "a.yaml", GOOD.replace(old, new)), "a").sha256 != before


def test_the_hash_never_changes_between_releases() -> None:
    """A11: recorded runs hold it. Change it only with a new prefix, and say so."""
    query = Query("a", "é?", "b", "c", None, {"y": 1.0, "x": 3.0}, Split.DEVELOPMENT)

    content = 'assay.queries/1\n["a","é?","b","c",null,{"x":3.0,"y":1.0},"development"]\n'

    assert content_sha256([query]) == hashlib.sha256(content.encode()).hexdigest()


def test_earlier_json(tmp_path: Path) -> None:
    """A10: what earlier tools wrote loads unchanged; expectedSources is grade 1, an empty list no judgment."""
    rows = [
        {
            "id": "a",
            "query": "q",
            "intent": "i",
            "category": "c",
            "expectedSources": ["x", "y", "x"],
            "addedAt": "2025",
        },
        {"id": "b", "query": "q", "intent": "i", "category": "c", "expectedSources": [], "difficulty": 3},
    ]
    text = json.dumps({"version": "3.0.0", "description": "d", "queries": rows})
    found = read_file(write(tmp_path, "core.json", text), "core")

    assert [query.relevant for query in found.queries] == [{"x": 1.0, "y": 1.0}, None]
    assert found.notes == ("fields that are not read: difficulty",)
    assert found.categories == ("c",)


@pytest.mark.parametrize(("name", "version", "number"), [("core", "3.0.0", 17), ("extended", "1.0.0", 60)])
def test_real_earlier_files(name: str, version: str, number: int) -> None:
    """A5, A10: two sets written by an earlier tool."""
    path = SHARED / f"{name}.json"
    if not path.exists():
        pytest.skip("needs ../shared/data, which is not part of the project")
    found = read_file(path, name)

    assert (found.version, len(found.queries), found.source) == (version, number, Source.CURATED)
    assert all(query.task_context and query.relevant is None for query in found.queries)
    assert found.notes == ()


def test_generated_sets_are_ai_generated(tmp_path: Path) -> None:
    """A5: whatever the file says."""
    path = write(tmp_path, "x.yaml", GOOD.replace("description:", "source: curated\ndescription:"))
    found = read_file(path, "generated/x")

    assert found.source is Source.AI_GENERATED
    assert found.notes == ("the file says source: curated, but sets in generated/ are ai-generated",)


WRONG = """\
version: 1.0
descripton: x
source: human
categories: [concept, api, concept]
queries:
  - id: a
    query: NO
    intent: 12:30:45
    category: concpt
  - id: a
    query: false
    category: api
    relevant: {x: high, y: true, z: 2e6, v: .nan}
    foo: 1
  - id: 7
    query: "  "
    intent: a
    category: api
    taskContext: x
    task_context: y
    split: heldout
  - just text
  - id: "a\\tb"
    query: ok
    intent: a
    category: api
    relevant: [x]
    expectedSources: x
"""


def test_every_problem_at_once_with_its_place(tmp_path: Path) -> None:
    """A8, A9, F63, J6: one look finds all of them."""
    found = problems(write(tmp_path, "a.yaml", WRONG))
    short = {
        "3 is best, 1 is a little relevant, 0 is not": "3 is best …",
        "known: id, query, intent, category, task_context, relevant, expected_answer, fields, split, added_at": (
            "known: id, …"
        ),
    }
    for help_text, shortened in short.items():
        found = [line.replace(help_text, shortened) for line in found]

    assert found == [
        "a.yaml:1:10: version: the number 1.0 is not a version | write three numbers, such as 1.0.0",
        'a.yaml:3:9: source: "human" is not known | curated or ai-generated',
        'a.yaml:2:1: descripton is not a field of a query set | did you mean "description"?',
        'a.yaml:4:28: categories: "concept" is given twice | ',
        "a.yaml:7:12: queries.0.query: YAML reads this as False; write it in quotes to make it text | ",
        "a.yaml:8:13: queries.0.intent: YAML reads this as a number; write it in quotes to make it text | ",
        'a.yaml:9:15: queries.0.category: "concpt" is not one of this set\'s categories | did you mean "concept"?',
        "a.yaml:11:12: queries.1.query: YAML reads this as False; write it in quotes to make it text | ",
        "a.yaml:10:5: queries.1.intent: is missing | write intent: what the person wants to reach",
        'a.yaml:13:19: queries.1.relevant: the grade of "x" must be a number, not "high" | 3 is best …',
        'a.yaml:13:28: queries.1.relevant: the grade of "y" must be a number, not True | 3 is best …',
        'a.yaml:13:37: queries.1.relevant: the grade of "z" must be a number, not the number 2000000.0 | 3 is best …',
        'a.yaml:13:45: queries.1.relevant: the grade of "v" must be a number, not ".nan" | 3 is best …',
        "a.yaml:14:5: queries.1.foo is not a field of a query | known: id, …",
        'a.yaml:10:9: the id "a" is given twice, first at a.yaml:6:9 | an id is unique and never used again',
        "a.yaml:15:9: queries.2.id: YAML reads this as the number 7; write it in quotes to make it text | ",
        "a.yaml:16:12: queries.2.query: is empty | write query: the question, as a person would ask it",
        "a.yaml:19:18: queries.2.taskContext: says the same as task_context | keep one of them",
        'a.yaml:21:12: queries.2.split: "heldout" is not known | did you mean "held-out"?',
        'a.yaml:22:5: a query must have fields (id, query, intent, category), not "just text" | ',
        "a.yaml:23:9: queries.4.id: holds a character that cannot be seen | use letters, digits and hyphens",
        "a.yaml:28:22: queries.4.expectedSources: says the same as relevant | keep relevant",
        "a.yaml:28:22: queries.4.expectedSources: must be a list of sources | ",
    ]


def test_json_has_places_too(tmp_path: Path) -> None:
    """A7, A8, F63: line and column in JSON."""
    query = '{"id": "a", "query": 3, "intent": "i", "category": "c"}'
    text = '{"version": "1.0.0",\n "queries": [\n  ' + query + ',\n  {"id": "a"}]}'

    assert problems(write(tmp_path, "a.json", text)) == [
        "a.json:3:24: queries.0.query: must be text, not the number 3 | ",
        "a.json:4:3: queries.1.query: is missing | write query: the question, as a person would ask it",
        "a.json:4:3: queries.1.intent: is missing | write intent: what the person wants to reach",
        "a.json:4:3: queries.1.category: is missing | write category: one word for the kind of question",
        'a.json:4:10: the id "a" is given twice, first at a.json:3:10 | an id is unique and never used again',
    ]


def test_jsonl_goes_on_after_a_broken_line(tmp_path: Path) -> None:
    """A8, F63: every line is looked at."""
    good = '{"id": "a", "query": "q", "intent": "i", "category": "c"}'
    lines = [
        '{"version": "1.0.0"}',
        good,
        '{"id": "b", "id": "c"}',
        "",
        good,
        good.replace('"q"', "true"),
        "[1]",
        '{"id',
    ]

    assert problems(write(tmp_path, "a.jsonl", "\n".join(lines))) == [
        'a.jsonl:3:13: the key "id" is given twice | keep one of them',
        'a.jsonl:5: the id "a" is given twice, first at a.jsonl:2 | an id is unique and never used again',
        "a.jsonl:6:22: query: must be text, not True | ",
        'a.jsonl:6: the id "a" is given twice, first at a.jsonl:2 | an id is unique and never used again',
        "a.jsonl:7:1: a query must have fields (id, query, intent, category), not a list | ",
        "a.jsonl:8:2: this is not JSON: unterminated string starting at | ",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        pytest.param("a.yaml", "version: 1.0.0\nqueries: []\n", "a.yaml: there are no queries in this set", id="A20"),
        pytest.param("a.yaml", "version: 1.0.0\n", "a.yaml:1:1: queries: is missing", id="no-queries"),
        pytest.param(
            "a.yaml", "version: 1.0.0\nqueries: {a: 1}\n", "a.yaml:2:10: queries: must be a list", id="mapping"
        ),
        pytest.param(
            "a.yaml", "queries:\n- {id: a, query: b, intent: c, category: d}", "1:1: version: is missing", id="A8"
        ),
        pytest.param("a.yaml", "", "a.yaml:1:1: this is not a query set", id="empty-file"),
        pytest.param("a.yaml", "- a\n", "a.yaml:1:1: this is not a query set", id="list"),
        pytest.param("a.json", "", "a.json:1:1: there is nothing here", id="empty-json"),
        pytest.param("a.jsonl", "", "a.jsonl:1: the first line must say the version", id="empty-jsonl"),
        pytest.param("a.jsonl", '{"version": "1.0.0"}\n', "a.jsonl: there are no queries", id="header-only"),
        pytest.param("a.jsonl", '{"query": "x"}\n', "a.jsonl:1: the first line must say the version", id="no-header"),
        pytest.param(
            "a.yaml", "scenarios: []\n", "a.yaml:1:1: conversations (scenarios) cannot be run yet", id="scenarios"
        ),
        pytest.param("a.yaml", f"schema: assay.queries/2\n{GOOD}", '1:9: schema: "assay.queries/2" is not', id="newer"),
        pytest.param("a.yaml", GOOD.replace("1.0.0", "1.0.0.0"), '"1.0.0.0" is not a version', id="version"),
        pytest.param("a.yaml", GOOD.replace("[concept, api]", "[]"), "categories: must be a list of words", id="A9"),
    ],
)
def test_what_is_not_a_query_set(tmp_path: Path, name: str, text: str, message: str) -> None:
    """A8, A20: refused with a reason, never an average over nothing."""
    assert message in problems(write(tmp_path, name, text))[0]


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    """A7: the system's reason, without a traceback."""
    assert "cannot be read: No such file" in problems(tmp_path / "a.yaml")[0]


def test_ids_that_look_alike_are_a_note(tmp_path: Path) -> None:
    """F63: case, leading zeros and the two forms of é are different ids, and the person is told."""
    ids = ["Q1", "q1", "1", "01", "caf\u00e9", "cafe\u0301", "10", "1-0"]
    rows = [json.dumps({"id": query_id, "query": "q", "intent": "i", "category": "c"}) for query_id in ids]
    found = read_file(write(tmp_path, "a.jsonl", "\n".join(['{"version": "1.0.0"}', *rows])), "a")

    assert [query.id for query in found.queries] == ids
    assert found.notes == (
        'these ids look alike: "Q1" and "q1"',
        'these ids look alike: "1" and "01"',
        'these ids look alike: "caf\u00e9" and "cafe\u0301"',
    )


def test_many_problems_are_counted(tmp_path: Path) -> None:
    """A8: a file of the wrong shape does not print a hundred thousand lines."""
    path = write(tmp_path, "a.jsonl", '{"version": "1.0.0"}\n' + "[]\n" * 5000)
    found = problems(path)

    assert len(found) == 201
    assert "and 4,800 problems more" in found[-1]


def test_a_hundred_thousand_queries(tmp_path: Path) -> None:
    """A large set: at most 8 s of CPU, and memory for the queries and little else."""
    path = tmp_path / "big.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.write('{"version": "1.0.0"}\n')
        for n in range(100_000):
            row = {"id": f"q-{n}", "query": f"How do I do the thing number {n}?", "intent": f"Do {n}", "category": "c"}
            file.write(json.dumps({**row, "relevant": {f"doc-{n}": 3}}) + "\n")
    statement = "found = read_file(pathlib.Path(sys.argv[1]), 'big')\nprint(len(found.queries))"
    number, seconds, _, rise = measured("from engine.store.query_document import read_file", statement, path)

    assert number == "100000"
    assert seconds < 8
    # The peak holds, beside the queries, the table of ids that finds duplicates.
    assert rise < 90e6
