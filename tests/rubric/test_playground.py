"""The playground's JavaScript says what Python says, digit for digit, and its page can load and leak nothing."""

import base64
import hashlib
import json
import random
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from math import fsum
from pathlib import Path

import pytest
import quickjs

from engine import rubric as language
from engine.measures.rounding import half_up
from engine.model.exchange import Exchange
from engine.model.grade import Grade, GradeStatus, Grading, Vote
from engine.rubric import expression as say
from engine.rubric import names, patterns, syntax
from engine.rubric.canonical import Json, to_json
from engine.rubric.evidence import Evidence
from engine.rubric.fold import fold
from engine.rubric.numbers import plain
from engine.rubric.outcomes import rounded
from engine.rubric.playground import page, sheet
from engine.rubric.playground.page import GRADING, source
from engine.rubric.playground.translation import translated
from engine.rubric.syntax import Check, Combine, Criterion, Group, Measured, Role, Rubric, criteria, questions
from engine.rubric.votes import settler
from tests.rubric.build import ROOT, exchange, read, shared
from tests.rubric.chance import a_rubric, an_exchange, some_votes
from tests.rubric.odd_texts import JSONS, PATTERNS, a_text

Votes = Mapping[str, Sequence[Vote]]
NO_VOTES: Votes = {}


def at_least(number: str) -> say.Between:
    return say.Between(low=Decimal(number))


def checks(*expressions: say.Expression) -> syntax.Checks:
    return syntax.Checks(tuple(Check(expression, "so") for expression in expressions))


class Program:
    """The page's program without its page."""

    def __init__(self) -> None:
        self.context = quickjs.Context()
        self.context.set_max_stack_size(4 * 1024 * 1024)  # its own quarter of a MiB is less than browsers give
        for name in GRADING:
            self.context.eval(source(name))
        self.context.eval("var Call = (name, given) => JSON.stringify(eval(name)(...JSON.parse(given)));")

    def call(self, function: str, *given: object) -> object:
        """What a function of the program gives for values of JSON."""
        return json.loads(self.context.get("Call")(function, json.dumps(given)))


@pytest.fixture(scope="module")
def program() -> Program:
    return Program()


def recorded(what: Exchange, paper: Mapping[str, Json]) -> dict[str, object]:
    """The exchange as the page knows it; measures are typed into it, so Python computes them here."""
    quantities = paper["quantities"]
    assert isinstance(quantities, dict)
    measures: dict[str, float | None] = {}
    for name in quantities:
        found = names.quantity(name)
        if found is not None:
            measures[found.name] = found.read(Evidence(what, {})).value
    words = {"intent": what.query.intent, "category": what.query.category, "task context": what.query.task_context}
    answer = what.answer
    return {
        "text": answer.text,
        "citations": answer.citations,
        "results": None if answer.hits is None else [hit.source for hit in answer.hits],
        "tools": None
        if answer.tool_calls is None
        else [{"name": call.name, "arguments": dict(call.arguments)} for call in answer.tool_calls],
        "latency": what.latency_s,
        "cost": what.cost_usd,
        "expected": what.query.expected_answer,
        "fields": {**what.query.fields, **words},
        "numbers": dict(answer.numbers),
        "measures": measures,
    }


def in_page(program: Program, rubric: Rubric, what: Exchange, votes: Votes = NO_VOTES) -> dict[str, object]:
    """What the page says, in the shape of `in_python`."""
    paper = sheet(rubric)
    said = {name: [{"said": vote.said, "reason": vote.reason} for vote in each] for name, each in votes.items()}
    found = program.call("Grading.grade", paper, recorded(what, paper), said)
    assert isinstance(found, dict)
    return {key: value for key, value in found.items() if key not in ("parts", "applies")}


def in_python(rubric: Rubric, what: Exchange, votes: Votes = NO_VOTES) -> dict[str, object]:
    return _plain(language.compile(rubric).grade(what, votes))


def _plain(found: Grading) -> dict[str, object]:
    return {
        "grades": [dict(zip(Grade._fields, grade, strict=True)) for grade in found.grades],
        "scores": dict(found.scores),
        "low": found.low,
        "high": found.high,
        "verdict": found.verdict,
        "could_be": list(found.could_be),
    }


def same(rubric: Rubric, here: dict[str, object], there: dict[str, object]) -> None:
    """Equal in everything; only why a number is not known is said in other words on a page where it is typed in."""
    measured = {each.id for each in criteria(rubric.root) if isinstance(each.grading, Measured)}
    for found in (here, there):
        for grade in found["grades"]:  # type: ignore[attr-defined]
            if grade["criterion"] in measured and grade["status"] == GradeStatus.UNGRADED:
                grade["reason"] = grade["reason"].partition(":")[0]
    assert here == there


def only(found: dict[str, object]) -> dict[str, object]:
    """The only grade."""
    grades = found["grades"]
    assert isinstance(grades, list)
    (grade,) = grades
    assert isinstance(grade, dict)
    return grade


def differing(given: Sequence[object], here: object, there: Sequence[object]) -> list[tuple[object, object, object]]:
    """The first few values for which the two sides differ; pytest would explain long lists for minutes."""
    assert isinstance(here, list)
    return [each for each in zip(given, here, there, strict=True) if each[1] != each[2]][:5]


# ---- equality ---------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(10))
def test_the_page_says_what_python_says(program: Program, part: int) -> None:
    """1,000 cases: rubrics, answers and votes by chance."""
    seen: set[str] = set()
    for case in range(100):
        chance = random.Random(part * 100 + case)
        rubric = a_rubric(chance)
        what, votes = an_exchange(chance), some_votes(chance, rubric)
        here, there = in_page(program, rubric, what, votes), in_python(rubric, what, votes)
        seen.update(grade["status"] for grade in there["grades"])  # type: ignore[attr-defined]
        same(rubric, here, there)
    assert seen == set(GradeStatus)


def _alike(program: Program, folder: Path) -> int:
    files = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.rubric"))}
    chance, graded = random.Random(3), 0
    for text in files.values():
        rubric = read(text, files).rubric
        if rubric is None or rubric.library:
            continue
        for _ in range(4):
            what, votes = an_exchange(chance), some_votes(chance, rubric)
            same(rubric, in_page(program, rubric, what, votes), in_python(rubric, what, votes))
            graded += 1
    return graded


def test_our_rubrics_are_graded_alike(program: Program) -> None:
    assert _alike(program, ROOT / "rubrics") >= 4 * 5


def test_the_real_rubrics_are_graded_alike(program: Program) -> None:
    assert _alike(program, shared("data/rubrics")) >= 4 * 15


def test_votes_are_settled_alike(program: Program) -> None:
    chance, cases = random.Random(6), 0
    while cases < 1500:
        rubric = a_rubric(chance)
        votes, asked = some_votes(chance, rubric), _asked(to_json(rubric))
        for question in questions(rubric.root):
            said = [Vote(*vote) for vote in votes.get(question.id, ())]
            bad = chance.random() < 0.5
            there = settler(question.scale, question.panel, question.skippable, bad=bad)(said)
            grading = asked[question.id]
            given = [{"said": vote.said, "reason": vote.reason} for vote in said]
            found = program.call("(...all) => Votes.settle(...all, (text) => text.toLowerCase())", grading, given, bad)
            assert found == there._asdict(), (question, said, bad)
            cases += 1


_SIMILAR, _TWICE = Measured("similarity", Decimal(1), Decimal(0)), syntax.Weight(Decimal(2))
_OPEN = syntax.Asked("Is it?", syntax.YES_NO, skippable=True)
_RARE = (
    # a ratio is compared with the four decimals that are shown
    (
        Criterion(
            "a", "A", Role.CRITERION, syntax.Checks((Check(say.NameNumber("similarity", at_least("0.3334")), ""),))
        ),
    ),
    # what may not apply leaves the penalties alone, which take away from 1
    (
        Criterion("a", "A", Role.CRITERION, _OPEN),
        Criterion("b", "B", Role.PENALTY, _SIMILAR, _TWICE),
    ),
    # a part that passes either way may still turn out not to apply
    (
        Group("g", "G", (Criterion("g/a", "A", Role.CRITERION, _OPEN),), pass_mark=Decimal(0)),
        Criterion("b", "B", Role.CRITERION, checks(say.RefPasses("g"))),
        Criterion("c", "C", Role.CRITERION, checks(say.RefScore("g", at_least("0")))),
    ),
    # a group that no answer can satisfy is certain, although its only member may be left out
    (Group("g", "G", (Criterion("g/a", "A", Role.CRITERION, _OPEN, None, Decimal(1)),), None, Combine.AT_LEAST, 3),),
)


@pytest.mark.parametrize("members", _RARE)
def test_rare_shapes_are_graded_alike(program: Program, members: tuple[Criterion | Group, ...]) -> None:
    verdicts = (syntax.Verdict("good", Check(say.Score(at_least("0.5")), "so")), syntax.Verdict("bad", None))
    rubric = Rubric("r", "R", 1, Group("", "", members), (), verdicts)
    for value in (0.33334, 0.33335, 0.3334):
        for text in ("", "text"):
            what = exchange(text, numbers={"similarity": value})
            same(rubric, in_page(program, rubric, what), in_python(rubric, what))


def _asked(value: Json) -> dict[str, Json]:
    """Grading of each question in the JSON form, by the id of the question."""
    found: dict[str, Json] = {}
    for inner in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
        found |= _asked(inner)
    if isinstance(value, dict) and value.get("is") == "Criterion":
        grading = value["grading"]
        assert isinstance(grading, dict)
        items = grading.get("items", [])
        assert isinstance(items, list)
        ids = [f"{value['id']}/{item['id']}" for item in items if isinstance(item, dict)]
        found |= dict.fromkeys(ids or [str(value["id"])], grading)
    return found


def test_a_tried_weight_counts_as_if_it_were_written(program: Program) -> None:
    for case in range(100):
        chance = random.Random(case)
        rubric = a_rubric(chance)
        what, votes = an_exchange(chance), some_votes(chance, rubric)
        paper = sheet(rubric)
        said = {name: [{"said": vote.said} for vote in each] for name, each in votes.items()}
        weights: dict[str, float] = {}
        heavier = replace(rubric, root=_reweighted(rubric.root, chance, weights))
        tried = program.call("Grading.grade", paper, recorded(what, paper), said, weights)
        assert isinstance(tried, dict)
        assert tried["scores"] == in_python(heavier, what, votes)["scores"]


def _reweighted(group: Group, chance: random.Random, weights: dict[str, float]) -> Group:
    members: list[Criterion | Group] = []
    for member in group.members:
        weights[member.id] = chance.choice((0.25, 4.0, 7.5))
        weight = syntax.Weight(Decimal(str(weights[member.id])))
        if isinstance(member, Group):
            members.append(replace(_reweighted(member, chance, weights), weight=weight))
        else:
            members.append(replace(member, weight=weight) if member.counts else member)
    return replace(group, members=tuple(members))


# ---- texts and numbers ------------------------------------------------------------------------


def test_every_character_is_folded_alike(program: Program) -> None:
    casefold = sheet(_rubric("answer is empty"))["casefold"]
    uniform = (*range(0x3400, 0x9FFF), *range(0xAC00, 0xD7A4), *range(0x20000, 0x32000))  # ideographs and syllables
    codes = [*set(range(0x110000)).difference(uniform), *uniform[::50]]
    rows = [char for char in map(chr, codes) if unicodedata.category(char) not in ("Cn", "Cs", "Co")]
    lines = ["".join(f"a{char}b " for char in rows[at : at + 500]) for at in range(0, len(rows), 500)]
    lines += [a_text(random.Random(seed)) for seed in range(200)]

    found = program.call("(texts, casefold) => texts.map((text) => Texts.fold(text, casefold))", lines, casefold)

    assert not differing(lines, found, [fold(line) for line in lines])


def test_lengths_are_counted_alike(program: Program) -> None:
    texts = [a_text(random.Random(seed)) for seed in range(300)]
    for unit in ("words", "characters", "sentences", "lines"):
        found = program.call("(unit, texts) => texts.map((text) => Texts.length(unit, text))", unit, texts)
        assert not differing(texts, found, [getattr(Evidence(exchange(text), {}), unit) for text in texts]), unit


def test_numbers_are_rounded_and_written_alike(program: Program) -> None:
    chance = random.Random(1)
    numbers = [chance.random() * 10 ** chance.randrange(-9, 9) * chance.choice((1, -1)) for _ in range(500)]
    numbers += [n / 20_000 for n in range(-200, 20_001, 7)] + [0.0, 1e21, 123456.7, 0.0001, 0.00005]
    shares = [abs(number) % 1 for number in numbers]

    for function, given, there in (
        ("Numbers.halfUp", numbers, [half_up(each) for each in numbers]),
        ("Numbers.rounded", shares, [rounded(each) for each in shares]),
        ("(x) => Numbers.general(x, 6)", numbers, [f"{each:.6g}" for each in numbers]),
        ("Numbers.plain", numbers, [plain(Decimal(repr(each))) for each in numbers]),
    ):
        found = program.call(f"(all) => all.map((each) => ({function})(each))", given)
        assert not differing(given, found, there), function


def test_sums_are_exact(program: Program) -> None:
    chance = random.Random(2)
    rows = [[chance.uniform(-1, 1) * 10 ** chance.randrange(-18, 18) for _ in range(30)] for _ in range(300)]
    rows += [[1e16, 1.0, 1e-16], [1.0, 2**-53, 2**-106], [], [0.1] * 10]

    found = program.call("(rows) => rows.map(Numbers.fsum).map(String)", rows)
    assert isinstance(found, list)
    assert not differing(rows, [*map(float, found)], [fsum(row) for row in rows])


# ---- patterns ---------------------------------------------------------------------------------


def _found(program: Program, pattern: str, texts: list[str]) -> object:
    return program.call("(pattern, texts) => texts.map((text) => new RegExp(pattern, 'u').test(text))", pattern, texts)


@pytest.mark.parametrize("any_case", [False, True])
def test_a_translated_pattern_finds_the_same_texts(program: Program, any_case: bool) -> None:
    chance = random.Random(5)
    texts = ["", "\n", "a", "a\n", "ab\n", "a\nb", "-", "--", "İ", "ı", "ſ", "K", "ß", "ẞ", "ΐ", "ΐ"]
    texts += [a_text(chance)[:300] for _ in range(40)]
    patterns = [*PATTERNS, *(_a_pattern(chance, 3) for _ in range(150))]
    for pattern in patterns:
        there = re.compile(pattern, re.IGNORECASE if any_case else 0)
        script = translated(pattern, any_case=any_case)
        assert script is not None, pattern
        found = _found(program, script, texts)
        assert not differing(texts, found, [there.search(text) is not None for text in texts]), (pattern, script)


def _a_pattern(chance: random.Random, depth: int) -> str:
    """A pattern of everything that the language lets through."""
    kind = chance.randrange(9 if depth else 5)
    inner = "" if kind < 5 else _a_pattern(chance, depth - 1)
    match kind:
        case 0 | 1:
            return chance.choice(("a", "S", "ß", "é", "k", "I", "日", r"\.", " ", "1", "σ"))
        case 2:
            return chance.choice((r"\w", r"\d", r"\s", r"\W", r"\D", r"\S", ".", r"\b", r"\B"))
        case 3:
            return chance.choice(
                ("[a-f]", "[^a-f]", r"[\w-]", r"[^\W\d]", r"[\s\S]", "[À-ÿ]", r"[^\s.]", "[K-Ω]", "[^ß]")
            )
        case 4:
            return chance.choice(("^", "$", r"\A", r"\Z", ""))
        case 5:
            return inner + _a_pattern(chance, depth - 1)
        case 6:
            return f"(?:{inner}|{_a_pattern(chance, depth - 1)})"
        case 7:
            return f"(?:{inner}){chance.choice(('?', '{0,3}', '{2}', '{0,2}?'))}"
        case _:
            return f"(?{chance.choice(('i', 's', 'm', '-i', 'i-s'))}:{inner})"


def test_any_case_means_the_same_for_every_letter(program: Program) -> None:
    """Python folds case in its own way; 'i' finds 'İ' and 'ı', and no flag of JavaScript does."""
    letters = [chr(c) for c in range(0x20000) if not chr(c).lower() == chr(c) == chr(c).upper()]
    every = "".join(letters)
    chance = random.Random(4)
    for pattern in (*"iIıİsSſkKßẞσςΣΐ", "[a-z]", "[^a-z]", "[α-ω]", *chance.sample(letters, 150)):
        there = re.compile(pattern, re.IGNORECASE)
        script = translated(pattern, any_case=True)
        assert script is not None
        found = program.call("(pattern, text) => text.match(new RegExp(pattern, 'gu')) ?? []", script, every)
        assert found == [*there.findall(every)], pattern


def test_what_cannot_be_translated_is_said_to_be_unchecked(program: Program) -> None:
    r"""`(?a)` gives `\w` another meaning. The page knows that it does not know."""
    rubric = _rubric(r"answer matches /(?a)\w+/")
    grade = only(in_page(program, rubric, exchange("words")))

    assert translated(r"(?a)\w+", any_case=False) is None
    assert in_python(rubric, exchange("words"))["low"] == 1.0
    assert (grade["status"], grade["low"], grade["high"]) == ("ungraded", 0, 1)
    assert str(grade["reason"]).startswith("not checked on this page: answer matches")


def test_a_pattern_is_tried_on_as_much_text_as_in_python(program: Program) -> None:
    """Not found so far, and more to come: not known. Found at the very end of what is looked at: found."""
    for pattern in (r"[\w.-]+@[\w.-]+", r"\w+,\w+;", "needle$"):
        reach = patterns.reach(pattern)
        if reach > 20_000:
            continue
        rubric = _checking(say.Matches(pattern))
        for text in (
            "~" * reach,
            "~" * (reach + 1),
            "~" * (reach - 3) + "a@b",
            "~" * (reach - 2) + "a@b",
            "😀" * (reach + 1),
        ):
            same(rubric, in_page(program, rubric, exchange(text)), in_python(rubric, exchange(text)))


def test_json_is_read_alike(program: Program) -> None:
    for fields in ((), ("a",), ("__proto__",), ("toString",)):
        rubric = _checking(say.ValidJson(fields))
        for text in JSONS:
            same(rubric, in_page(program, rubric, exchange(text)), in_python(rubric, exchange(text)))


def test_deeply_nested_json_is_left_to_python(program: Program) -> None:
    grade = only(in_page(program, _rubric("answer is valid JSON"), exchange("[" * 600 + "]" * 600)))

    assert grade["status"] == "ungraded"
    assert "not checked on this page" in str(grade["reason"])


def _rubric(check: str) -> Rubric:
    rubric = read(f"rubric: Test\ncriterion: It\n  check: {check}\n").rubric
    assert rubric is not None
    return rubric


def _checking(check: say.Expression) -> Rubric:
    """A rubric with this one check."""
    criterion = Criterion("it", "It", Role.CRITERION, checks(check))
    return Rubric("r", "R", 1, Group("", "", (criterion,)))


# ---- the page ---------------------------------------------------------------------------------


def _hostile() -> str:
    rubric = replace(
        _rubric('answer contains "</script><script>alert(1)</script>"'),
        title="<img src=x onerror=alert(2)> {{script}} <!-- $& \\1",
    )
    return page(rubric, answer="</textarea></script><script>alert(3)</script>\u2028\ud800{{data}}")


def test_nothing_foreign_is_markup() -> None:
    text = _hostile()

    assert re.findall(r"<script[^>]*>", text) == ['<script type="application/json" id="sheet">', "<script>"]
    assert text.count("</script>") == 2
    assert "<img" not in text
    assert "alert(3)" in text
    text.encode()


def test_the_page_may_load_nothing_and_runs_only_its_own_program() -> None:
    text = _hostile()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    for tag, inline in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (content,) = re.findall(inline, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]

    assert policy[1].startswith("default-src 'none';")
    assert "unsafe" not in policy[1]
    assert not re.search(
        r"https?:|src=|href=|url\(|@import| style=| on\w+=",
        text.replace("http-equiv", "").replace("src=x onerror=", ""),
    )
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "localStorage",
    ):
        assert way not in text


def test_the_page_holds_the_whole_rubric() -> None:
    rubric = read((ROOT / "rubrics" / "search.rubric").read_text("utf-8")).rubric
    assert rubric is not None
    (data,) = re.findall(
        r'<script type="application/json" id="sheet">(.*?)</script>', page(rubric, "an answer"), re.DOTALL
    )
    content = json.loads(data)

    assert language.from_json({"language": language.LANGUAGE, "rubric": content["rubric"]}) == rubric
    assert content["answer"] == "an answer"


def test_a_word_of_a_check_is_looked_for_as_it_stands(program: Program) -> None:
    """A text with signs that mean something in a pattern, `toString` as a name, a field of numbers: data all along."""
    for check in (say.HasWord("a.b(c"), say.NameIs("toString", ("x",)), say.NameGiven("__proto__")):
        rubric = _checking(check)
        for text in ("a.b(c", "axb(c"):
            same(rubric, in_page(program, rubric, exchange(text)), in_python(rubric, exchange(text)))


def test_a_browser_shows_the_score_and_the_verdict(tmp_path: Path) -> None:
    """The page as a browser leaves it: its own policy let its program run, and foreign text stayed text."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    if browser is None:
        pytest.skip("needs a Chromium on this machine")
    lines = (
        'rubric: <b>A</b>\ncriterion: <img src=x onerror=alert(1)>\n  check: answer contains "refund"\n'
        "verdict: send when score is at least 0.5\nverdict: reject otherwise\n"
    )
    rubric = read(lines).rubric
    assert rubric is not None
    (tmp_path / "page.html").write_text(page(rubric, "A refund"), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [browser, *options, (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"the browser does not start here: {done.stderr[-200:]}")

    assert "<strong>send</strong>" in done.stdout
    assert '<span class="big">1</span>' in done.stdout
    assert "&lt;b&gt;A&lt;/b&gt;</h1>" in done.stdout
    assert "<img" not in done.stdout
