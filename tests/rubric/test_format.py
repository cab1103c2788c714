"""The formatter: one spelling, nothing changed in what a rubric says, nothing done to lines that do not read."""

import difflib
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import rubric
from engine.rubric.diagnostic import Severity
from engine.rubric.format import format_text, left_alone
from tests.rubric.build import ROOT, shared
from tests.rubric.test_canonical import TEXT
from tests.rubric.test_grade import RICH

_DATA = ROOT.parent / "shared" / "data"
REAL = sorted((_DATA / "rubrics").rglob("*.rubric"))
OURS = sorted([*(ROOT / "rubrics").rglob("*.rubric"), *(ROOT / "engine" / "cli").rglob("*.rubric")])
MISTAKES = sorted((_DATA / "rubric-mistakes").glob("*.rubric"))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _library(path: str) -> str | None:
    file = _DATA / "rubrics" / path
    return _text(file) if file.is_file() else None


def _format(text: str) -> str:
    return format_text(text, "test.rubric")


def _read(text: str) -> rubric.Reading:
    return rubric.read(text, "test.rubric", _library)


def _without_wording(said: rubric.Json) -> rubric.Json:
    """Without the author's own words for a check, which is what the formatter is for."""
    if isinstance(said, dict):
        return {key: _without_wording(value) for key, value in said.items() if key != "said"}
    return [_without_wording(value) for value in said] if isinstance(said, list) else said


def _says_the_same(before: str) -> None:
    """Formatting is idempotent, changes no meaning, makes no mistake and hides none."""
    after = _format(before)
    again = _format(after)
    assert again == after, "\n".join(difflib.unified_diff(after.split("\n"), again.split("\n"), lineterm=""))
    one, other = _read(before), _read(after)
    assert Counter(problem.code for problem in one.problems) == Counter(problem.code for problem in other.problems)
    if one.rubric is not None and other.rubric is not None:
        assert one.rubric.sha256 == other.rubric.sha256
        assert _without_wording(rubric.to_json(one.rubric)) == _without_wording(rubric.to_json(other.rubric))


@pytest.mark.parametrize("path", [*REAL, *OURS, *MISTAKES], ids=lambda path: path.stem)
def test_what_a_file_says_stays_the_same(path: Path) -> None:
    _says_the_same(_text(path))


@pytest.mark.parametrize("path", [*REAL, *OURS], ids=lambda path: path.stem)
def test_files_of_careful_authors_are_as_the_formatter_writes_them(path: Path) -> None:
    """Theirs is the spelling that was chosen, so that their diffs stay small; but for the plural in `1 times`."""
    assert _format(_text(path)) == _text(path).replace("exactly 1 times", "exactly 1 time")


@pytest.mark.parametrize("text", [TEXT, f"rubric: Rich\n{RICH}"])
def test_rubrics_of_the_tests(text: str) -> None:
    _says_the_same(text)


# ---- damage -----------------------------------------------------------------------------------

Damage = Callable[[str], str]


def _each(pattern: str, put: str | Callable[[re.Match[str]], str]) -> Damage:
    row = re.compile(pattern, re.MULTILINE)
    return lambda text: row.sub(put, text)


_KEY = r"^( *[a-z][a-z ]*(?: n/a)?):"
_SENTENCES = r"^( *(?:check|only when|verdict|cap|weight|measure|field|scale|version): .+)$"
HARMLESS: dict[str, Damage] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "line separator": lambda text: text.replace("\n", "\u2028"),
    "bom": lambda text: f"\ufeff{text}",
    "no indentation": _each(r"^ +", ""),
    "tabs": _each(r"^ +", lambda found: "\t" * (len(found[0]) // 2)),
    "wide indentation": _each(r"^ +", lambda found: found[0] * 2),
    "trailing blanks": _each(r"$", " \t"),
    "no end of line at the end": str.rstrip,
    "many blank lines": lambda text: text.replace("\n\n", "\n\n\n\n"),
    "upper case": _each(_KEY, lambda found: found[0].upper()),
    "blank before the colon": _each(_KEY, r"\1 :"),
    "full-width colon": _each(_KEY, r"\1："),
    "no-break space": _each(f"{_KEY} ", "\\1:\u00a0"),
    "many blanks": _each(f"{_KEY} ", r"\1:    "),
    "full stop": _each(_SENTENCES, r"\1."),
    "curly quotes": _each(r'^( *(?:check|use|setting): .*)$', lambda found: re.sub(r'"([^"]*)"', r"“\1”", found[0])),
    "german quotes": _each(r'^( *(?:check|use|setting): .*)$', lambda found: re.sub(r'"([^"]*)"', r"„\1“", found[0])),
    "french quotes": _each(r'^( *(?:check|use|setting): .*)$', lambda found: re.sub(r'"([^"]*)"', r"«\1»", found[0])),
    "points": _each(r"^( *)weight:", r"\1points:"),
    "section": _each(r"^( *)group:", r"\1section:"),
    "question": _each(r"^( *)ask:", r"\1question:"),
    "narrow tables": _each(r"^ *\|.*$", lambda found: re.sub(r" *\| *", "|", found[0].strip())),
    "open tables": _each(r"^( *\|.*) \|$", r"\1"),
    "synonyms": _each(
        _SENTENCES,
        lambda found: found[0]
        .replace("at least", ">=")
        .replace("at most", "no more than")
        .replace("answer contains any of", "the response mentions one of")
        .replace(" is below", " <"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_damage_is_undone(name: str) -> None:
    damaged = 0
    for path in REAL:
        text = _text(path)
        hurt = HARMLESS[name](text)
        damaged += hurt != text
        assert _format(hurt) == _format(text), path.name
    assert damaged > 0 or not REAL


_BITS: tuple[str, ...] = (
    *" \n\t:|>#-()[]{}\"'“”„«»/,.%$=<≥\u200b\ufeff\r\u2028\xa0：（",
    *("group: X\n", "end group\n", "section: Y > Z\n", "criterion: Q\n", "# r\n", "\n\n", "- a\n", "> b\n"),
    *("| a | 1 |\n", "|---|---|\n", "define scale: q\n", "checklist: F\n", "verdict: x otherwise\n"),
    *(" and ", " or ", "≥ ", "is not", "no more than", "A", "7"),
)


def _hurt(text: str, rng: random.Random) -> str:
    """One slip of somebody who types, pastes or moves lines."""
    at, rows = rng.randrange(len(text) + 1), text.split("\n")
    row = rng.randrange(len(rows))
    match rng.randrange(5):
        case 0:
            return text[:at] + rng.choice(_BITS) + text[at:]
        case 1:
            return text[:at] + text[at + rng.randint(1, 4) :] + "\n"
        case 2:
            rows.insert(rng.randrange(len(rows)), rows.pop(row))
        case 3:
            old = rows[row]
            rows[row] = rng.choice([old.lstrip(), f"    {old}", f"\t{old}", f"{old}  ", f"{old}.", old.upper()])
        case _:
            return text[:at] + text[at : at + 1].swapcase() + text[at + 1 :]
    return "\n".join(rows)


@pytest.mark.parametrize("seed", range(6))
def test_random_damage_neither_changes_nor_hides_anything(seed: int) -> None:
    rng = random.Random(seed)
    texts = [_text(path) for path in (*OURS, *REAL, *MISTAKES)]
    for _ in range(50):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 5)):
            text = _hurt(text, rng)
        _says_the_same(text)


# ---- spelling ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("Points : 70 %", "weight: 70%"),
        ("QUESTION: Is it?  Really. ", "ask: Is it?  Really."),
        ("judges: 2 LLM and Human “x”", 'judge: 2 llm, human "x"'),
        ("tag: a,b.", "tags: a, b"),
        ("show: Question,answer.", "show: question, answer"),
        ("combine: Weighted  Mean.", "combine: weighted mean"),
        ("version: two.", "version: two"),
        ("section: A>B", "group: A > B"),
        (">more", "> more"),
        ("setting: most is 2  secs", "setting: most = 2  secs"),
        ("Field: kind is one of a, b or c", "field: kind is one of a, b, c"),
        ("field: price is number.", "field: price is a number"),
        ("use: [A],[ B ] and [C] from 'x.rubric' with a is “b”", 'use: [A], [B], [C] from "x.rubric" with a = "b"'),
        ("measure: latency no marks at 10 secs", "measure: latency, no marks at 10 seconds"),
        ("cap: score at 40 % if any must failed", "cap: 40% when any must fails"),
        ("verdict: good if the total score >= 70 %.", "verdict: good when score is at least 70%"),
        ("verdict: x when all musts passed", "verdict: x when all musts pass"),
        ("check: the response mentions 'x'", 'check: answer contains "x"'),
        ("check: every answer must not include „x“", 'check: answer does not contain "x"'),
        ('check: answer includes one of "a" ,"b"', 'check: answer contains any of "a", "b"'),
        ('check: answer uses the phrase "a b"', 'check: answer has the word "a b"'),
        ("check: answer is up to 200 words", "check: answer has at most 200 words"),
        ("check: answer has under 2 sentences", "check: answer has fewer than 2 sentences"),
        ("check: answer has no fewer than one sentences", "check: answer has at least one sentence"),
        ("check: answer cites at least one citation", "check: answer cites at least one source"),
        ("check: answer cites sources", "check: answer cites a source"),
        ("check: answer doesn't cite any sources", "check: answer does not cite a source"),
        ("check: latency ≤ 2 secs", "check: latency is at most 2 seconds"),
        ("check: cost <= $ 0.02", "check: cost is at most $0.02"),
        ("check: ndcg@10>7 / 10", "check: ndcg@10 is above 7/10"),
        ("check: anwer has at most 200 words", "check: anwer has at most 200 words"),
        ("check: the tool 'x' was used exactly 1 times", 'check: tool "x" was called exactly 1 time'),
        ("check: tool 'x' is never used", 'check: tool "x" was not called'),
        ("check: results include 'a' in top 3", 'check: results contain "a" in the top 3'),
        ("check: results never include 'a'", 'check: results do not contain "a"'),
        ("check: the first result is 'a'", 'check: top result is "a"'),
        ("check: answer is valid json with the field 'a'", 'check: answer is valid JSON with fields "a"'),
        ("check: answer equals reference answer", "check: answer equals the expected answer"),
        ("only when: the expected answer is present", "only when: expected answer is given"),
        ("only when: intent isn't Lookup", "only when: intent is not Lookup"),
        ("only when: kind is one of 7 / 10, b", "only when: kind is one of 7 / 10, b"),
        ("only when: [ A ] failed and([B]<0.5 or a is b)", "only when: [A] fails and ([B] is below 0.5 or a is b)"),
        ("check: answer contains “say \"x\"”", "check: answer contains “say \"x\"”"),
        ("check: answer contains ' two  blanks '", 'check: answer contains " two  blanks "'),
        ("check: answer matches /A  b/i", "check: answer matches /A  b/i"),
    ],
)  # fmt: skip
def test_one_spelling(written: str, spelled: str) -> None:
    assert _format(f"rubric: A\n{written}").split("\n")[-2].strip() == spelled


def test_tables_are_aligned_but_for_the_last_column() -> None:
    text = "rubric: A\ndefine scale: s\n|Level|Score|Meaning|\n|:--|--|---|\n# r\n|良い|1.0|a \\| b\n|poor|0|  \n"

    assert _format(text) == (
        "rubric: A\n\ndefine scale: s\n  | Level | Score | Meaning |\n  | :---- | ----- | --- |\n  # r\n"
        "  | 良い  | 1.0   | a \\| b |\n  | poor  | 0 |\n"
    )


def test_layout() -> None:
    text = (
        "\n\n# top\nrubric: A\nversion: 1\n# of the group\ngroup: G\nweight: 2\n# about B\n\n\n# of C\n\ncriterion: C\n"
        "ask: Q?\n>more\ncriterion: D\n# of the check\ncheck: answer is empty\nend group: G\nchecklist: F\nask: Q?\n"
        "* [vital]  one\n> two\nverdict: x otherwise\n# end"
    )

    assert _format(text) == (
        "# top\nrubric: A\nversion: 1\n\n# of the group\ngroup: G\n  weight: 2\n  # about B\n\n  # of C\n\n"
        "  criterion: C\n    ask: Q?\n    > more\n\n  criterion: D\n    # of the check\n    check: answer is empty\n\n"
        "end group: G\n\nchecklist: F\n  ask: Q?\n  - [vital] one\n  > two\n\nverdict: x otherwise\n# end\n"
    )


# ---- what is left alone -----------------------------------------------------------------------


def test_a_line_that_does_not_read_stays_to_the_byte() -> None:
    broken = ["\t wieght :  3 \t", "check: answer containz “x” ", "   and so on…  ", "weight: 3 # remark ", "- "]
    text = "RUBRIC: A\r\n" + "\r\n".join(broken) + "\r\nVersion : 1\r\n"

    assert _format(text).split("\n") == ["rubric: A", *broken, "version: 1", ""]
    assert [problem.code for problem in left_alone(text, "x")] == ["R102", "R101", "R103", "R110", "R208"]


def test_indentation_that_contradicts_the_groups_is_not_settled_unasked() -> None:
    text = "rubric: A\ngroup: G\n  criterion: B\n    Measure: ap\ncriterion: C\n  measure:   rr\n"

    assert _format(text).replace("\n\n", "\n") == text.replace("Measure", "measure").replace(":   rr", ": rr")
    assert [problem.code for problem in left_alone(text, "x")] == ["R219"]
    assert "R219" in [problem.code for problem in _read(_format(text)).errors]


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_nothing_stays_nothing(text: str) -> None:
    assert _format(text) == ""


def test_a_file_that_is_too_big_is_not_touched() -> None:
    text = "Rubric: A\r\n" + "# x\r\n" * 10_001

    assert _format(text) == text
    assert [problem.code for problem in left_alone(text, "x")] == ["R106"]
    deep = "rubric: A\ncriterion: B\n  check: " + "(" * 500 + "answer is empty" + ")" * 500 + "\n"
    assert deep.split("\n")[2] in _format(deep).split("\n")


def test_only_lines_that_do_not_read_are_named() -> None:
    clean = [path.stem for path in (*REAL, *OURS) if left_alone(_text(path), path.name)]
    assert clean == []
    for path in MISTAKES:
        codes = {problem.code for problem in left_alone(_text(path), "test.rubric")}
        errors = {problem.code for problem in _read(_text(path)).problems if problem.severity is Severity.ERROR}
        assert codes <= errors, path.name
    assert shared("data/rubric-mistakes")
