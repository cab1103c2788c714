"""Two rubrics in words: every difference is told, none is invented, and labels are counted by what they bind to."""

from collections.abc import Mapping

import pytest

from engine import rubric
from engine.rubric.canonical import criterion_sha256
from engine.rubric.diff import Differences, Labels, differences
from engine.rubric.syntax import criteria
from engine.rubric.written import Written, written
from tests.rubric.build import rubric_of, shared

TEXT = """rubric: Support
version: 3
owner: Team A
setting: most = 200
define scale: quality
  | good | 1.0 | Just right |
  | okay | 0.7 | Helps |
  | bad  | 0.1 | Of no use |

must: Cites a source
  check: answer cites a source
group: Content
  weight: 70%
  criterion: Relevance
    weight: 3
    ask: Does it address the question?
    scale: quality
    judge: 3 llm
    good example: Refunds take 30 days.
  criterion: Tone
    only when: intent is how-to
    ask: Is it kind?
    pass mark: 1
  checklist: Facts
    pass mark: 0.5
    - [vital] Says 30 days
    - Names the fee
group: Form
  weight: 30%
  criterion: Short
    check: answer has at most {most} words
  criterion: Fast
    measure: latency, full marks at 2 seconds, no marks at 10 seconds
  penalty: Apologises
    check: answer contains "sorry"
cap: 40% when [Relevance] is below 0.5
verdict: send when score is at least 0.75
verdict: review when score is at least 0.5
verdict: reject otherwise
"""
QUESTION = '"Tone" asks another question: labels of the old question no longer count'
LOST = ": earlier labels no longer count"
MEDIAN = "; combined by median; at least 2 of 3 have to answer"
LATENCY = "latency: full marks at 2 seconds, none at"


def _read(text: str, files: Mapping[str, str] | None = None) -> tuple[rubric.Rubric, Written]:
    return rubric_of(text, files), written(text, "test.rubric")


def _diff(old: str, new: str) -> Differences:
    return differences(_read(old), _read(new))


def _words(found: Differences) -> list[str]:
    return [f"{c.words}{' (labels stay valid)' if c.labels is Labels.VALID else ''}" for c in found.changes]


CASES: tuple[tuple[str, str, list[str], int], ...] = (
    # what is replaced, by what, what is said, how many criteria lose their labels
    ("weight: 3\n", "weight: 4\n", ['"Relevance" weighs 4 instead of 3 (labels stay valid)'], 0),
    ("Is it kind?", "Is it polite?", [QUESTION], 1),
    ("pass mark: 1\n", "pass mark: 0.5\n", ['"Tone" passes from 0.5 instead of 1 (labels stay valid)'], 0),
    ("only when: intent is how-to\n", "weight: 1\n",
     ['"Tone" always applies now; before, only when intent is how-to (labels stay valid)'], 0),
    ("criterion: Tone", "criterion: Voice", ['"Tone" is called "Voice" now (labels stay valid)'], 0),
    ("criterion: Short", "criterion: Brief", ['"Short" is called "Brief" now (labels stay valid)'], 0),
    ("criterion: Tone", "criterion: Tone\n    id: voice",
     ['"Tone" has the id content/voice instead of content/tone (labels stay valid)'], 0),
    ("criterion: Short\n", "info: Short\n",
     ['"Short" is "info:" now, and was "criterion:" (labels stay valid)',
      '"Short" no longer counts for the score (labels stay valid)'], 0),
    ("must: Cites", "must not: Cites", ['"Cites a source" is "must not:" now, and was "must:"',
     f'"Cites a source" is graded in another way{LOST}'], 1),
    ("judge: 3 llm", "judge: 3 human",
     [f'"Relevance" has other judges: 3 human{MEDIAN}; before: 3 llm{MEDIAN} (labels stay valid)'], 0),
    ("| okay | 0.7 |", "| okay | 0.6 |", [f'"Relevance" gives 0.6 for "okay" instead of 0.7{LOST}'], 1),
    ("Of no use", "Wrong", [f'"Relevance" describes "bad" in another way{LOST}'], 1),
    ("| okay | 0.7 | Helps |\n  | bad ", "| poor | 0.4 | Hardly |\n  | bad ",
     [f'"Relevance" has no row "okay" on its scale any more{LOST}',
      f'"Relevance" has a new row "poor" on its scale{LOST}'], 1),
    ("    scale: quality\n", "    scale: 1 to 5\n", [f'"Relevance" is answered on another kind of scale{LOST}'], 1),
    ("Refunds take 30 days.", "Thirty days.",
     [f'"Relevance" has lost a good example{LOST}', f'"Relevance" has another good example{LOST}'], 1),
    ("    judge: 3 llm\n", "    judge: 3 llm\n    allow n/a: yes\n    guidance: Think.\n    show: answer\n",
     [f'"Relevance" may be answered with n/a{LOST}', f'"Relevance" guides its judges in another way{LOST}',
      f'"Relevance" shows its judges something else{LOST}'], 1),
    ("most = 200", "most = 250",
     [f'"Short" has another check{LOST}', 'the setting "most" is 250 instead of 200'], 1),
    ('contains "sorry"', 'contains "sorry"\n    check: answer is not empty\n    partial credit: yes',
     [f'"Apologises" also checks that answer is not empty{LOST}', f'"Apologises" gives partial credit now{LOST}'], 1),
    ("marks at 10 s", "marks at 9 s",
     [f'"Fast" is measured by {LATENCY} 9 seconds; before, by {LATENCY} 10 seconds{LOST}'], 1),
    ("ask: Is it kind?", "check: answer contains \"please\"",
     [f'"Tone" is checked by the computer now, and was asked of a judge{LOST}'], 1),
    ("[vital]", "[must]", ['in "Facts", "Says 30 days" weighs 1 instead of 2 (labels stay valid)',
     'in "Facts", "Says 30 days" is a must now (labels stay valid)'], 0),
    ("- Names the fee", "- Names the price",
     [f'"Facts" no longer lists "Names the fee"{LOST}', f'"Facts" lists one more fact, "Names the price"{LOST}'], 1),
    ("- Names", "- [-1] Names", ['in "Facts", "Names the fee" weighs -1 instead of 1',
     f'"Facts" says that "Names the fee" ought not to be there now{LOST}'], 1),
    ("  penalty: Apologises\n    check: answer contains \"sorry\"\n", "",
     ['the criterion "Apologises" is gone: its labels no longer count'], 1),
    ("cap:", "  criterion: Clear\n    ask: Is it clear?\ncap:", ['there is a new criterion "Clear"'], 0),
    ("cap: 40%", "cap: 30%", ["the score is at most 30% when [Relevance] is below 0.5; before, at most 40%"], 0),
    ("cap: 40% when [Relevance] is below 0.5\n", "",
     ["no longer: the score is at most 40% when [Relevance] is below 0.5"], 0),
    ("at least 0.75", "at least 0.8",
     ['the verdict "send" is given when score is at least 0.8; before, when score is at least 0.75'], 0),
    ("verdict: review when score is at least 0.5\n", "",
     ['the verdict "review" is gone: when score is at least 0.5'], 0),
    ("verdict: send when", "verdict: hold when any must fails\nverdict: send when",
     ['there is a new verdict "hold", when any must fails'], 0),
    ("version: 3\n", "version: 4\ncombine: lowest\nminimum graded: 80%\n",
     ["version 4 instead of 3", "the rubric is the lowest of its parts; before, the mean of its parts, by weight",
      "the rubric needs 80% of its weight graded instead of 100%"], 0),
    ("owner: Team A", "owner: Team B\nabout: x\nfield: tier is one of a, b",
     ["about, owner: other words, without effect on scores", 'there is a new field "tier": one of a, b'], 0),
    ("group: Form", "group: Shape", ['"Form" is called "Shape" now'], 0),
    ("weight: 70%\n", "weight: 70%\n  combine: mean\n",
     ['"Content" is the mean of its parts, all alike; before, the mean of its parts, by weight'], 0),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said", "lost"), CASES)
def test_a_difference_is_told_in_words(old: str, new: str, said: list[str], lost: int) -> None:
    assert old in TEXT
    found = _diff(TEXT, TEXT.replace(old, new))

    assert _words(found) == said
    assert (found.kept, found.lost) == (7 - lost, lost)


@pytest.mark.parametrize(("old", "new"), [case[:2] for case in CASES])
def test_what_changes_a_hash_is_told(old: str, new: str) -> None:
    """Nothing that can change a score goes untold, and nothing that costs a label goes without saying so."""
    text = TEXT.replace(old, new)
    one, other = _read(TEXT)[0], _read(text)[0]
    found = _diff(TEXT, text)
    lost = {criterion_sha256(c) for c in criteria(one.root)} - {criterion_sha256(c) for c in criteria(other.root)}

    assert found.same is (one.sha256 == other.sha256)
    assert found.same or found.changes
    assert found.lost == len(lost)
    assert bool(lost) is any(change.labels is Labels.LOST for change in found.changes)


def test_a_gate_that_is_given_a_weight_counts() -> None:
    text = "rubric: A\nversion: 1\nmust: B\n  check: answer is empty\ncriterion: C\n  check: answer is valid JSON\n"
    found = _diff(text, text.replace("must: B", "must: B\n  weight: 2"))

    assert _words(found) == ['"B" counts for the score now, with weight 2 (labels stay valid)']


def test_a_criterion_that_moves_keeps_its_labels() -> None:
    line = '  penalty: Apologises\n    check: answer contains "sorry"\n'
    moved = TEXT.replace(line, "").replace("group: Content", f"{line}group: Content")

    assert _words(_diff(TEXT, moved)) == [
        '"Apologises" moved out of all groups; it was in the group "Form" (labels stay valid)'
    ]


def test_a_renamed_group_is_found_by_what_is_in_it() -> None:
    found = _diff(TEXT, TEXT.replace("group: Content", "group: Substance"))

    assert _words(found)[0] == '"Content" is called "Substance" now'
    assert not any("gone" in words or "moved" in words for words in _words(found))


def test_the_order_of_verdicts_is_told_and_that_of_criteria_is_not() -> None:
    send, review = "verdict: send when score is at least 0.75\n", "verdict: review when score is at least 0.5\n"
    swapped = TEXT.replace(send + review, "verdict: review when [Tone] passes\n" + send)
    other = swapped.replace(
        "verdict: review when [Tone] passes\n" + send, send + "verdict: review when [Tone] passes\n"
    )
    must = "must: Cites a source\n  check: answer cites a source\n"

    assert _words(_diff(other, swapped)) == ['verdicts are read in another order: "review", "send", "reject"']
    found = _diff(TEXT, TEXT.replace(must, "").replace("cap: 40%", f"end group:\n{must}cap: 40%"))
    assert (found.changes, found.same) == ((), True)


def test_used_files_are_told() -> None:
    files = {"s.rubric": 'library: S\nversion: 1\nmust: Safe\n  check: answer does not contain "x"\n'}
    with_use = TEXT.replace("must: Cites", 'use: [Safe] from "s.rubric"\nmust: Cites')
    words = _words(differences(_read(TEXT), _read(with_use, files)))

    assert words == ['there is a new criterion "Safe"', 'used now: [Safe] from "s.rubric"']


def test_a_real_rubric_is_no_different_from_itself() -> None:
    folder = shared("data/rubrics")
    files = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.rubric")}
    found = {name: rubric.read(text, name, files.get).rubric for name, text in files.items()}
    for name, one in found.items():
        assert one is not None, name
        same = differences((one, Written()), (one, Written()))
        assert (same.changes, same.same, same.lost) == ((), True, 0)
        other = found["support-answers.rubric"]
        assert other is not None
        assert bool(differences((one, Written()), (other, Written())).changes) is (one != other)
