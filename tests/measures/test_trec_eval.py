"""Every measure shared with trec_eval agrees with NIST's own expected outputs, query by query and overall."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from engine.measures.ap import ap
from engine.measures.bpref import bpref
from engine.measures.judged import judged
from engine.measures.ndcg import ndcg
from engine.measures.precision import precision
from engine.measures.ranking import rank_by_score
from engine.measures.rbp import rbp, rbp_residual
from engine.measures.recall import recall
from engine.measures.rprec import rprec
from engine.measures.rr import rr
from engine.measures.success import success

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trec_eval"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="trec_eval's regression files are not beside the checkout")

Pure = Callable[[Sequence[str], Mapping[str, float]], float | None]


@dataclass(frozen=True, slots=True)
class Output:
    """One expected output with the inputs and options that trec_eval's own `quicktest` makes it from."""

    name: str
    results: str = "results.test"
    qrels: str = "qrels.test"
    level: float = 1
    most: int | None = None
    expected_numbers: int = 0


# The last number is how many printed values are compared: a parser that loses lines cannot pass.
OUTPUTS = (
    Output("out.test", expected_numbers=13),
    Output("out.test.a", expected_numbers=51),
    Output("out.test.aq", expected_numbers=204),
    Output("out.test.aqc", results="results.trunc", expected_numbers=196),
    Output("out.test.aqcM", results="results.trunc", most=100, expected_numbers=196),
    Output("out.test.aql", qrels="qrels.rel_level", level=2, expected_numbers=200),
    Output("out.test.meas_params", expected_numbers=44),
)


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.name)
def test_agrees_to_the_four_printed_decimals(output: Output) -> None:
    """F17, F21, F23: ours equals trec_eval's on its own data, for each query and for `all`."""
    judgements = _qrels(output.qrels)
    rankings = {query: ranking[: output.most] for query, ranking in _rankings(output.results).items()}
    compared = 0
    for name, query, printed in _lines(output.name):
        compute = _ours(name, output.level)
        if compute is None or _differs_on_purpose(name, query, output):
            continue
        asked = sorted(judgements) if query == "all" else [query]
        values = [_number(compute(rankings.get(each, ()), judgements[each])) for each in asked]
        assert f"{sum(values) / len(values):.4f}" == printed, f"{name} of {query}"
        compared += 1

    assert compared == output.expected_numbers


def _number(value: float | None) -> float:
    assert value is not None
    return value


def _differs_on_purpose(name: str, query: str, output: Output) -> bool:
    """Where trec_eval prints something we do not want to print."""
    if name == "rbp" and output.level > 1:
        return True  # it scales graded gains with limits that it never initialises
    unanswered = "trunc" in output.results and query in {"302", "all"}
    # Nothing returned: everything is still possible (1), and there is no share of nothing. It prints 0 for both.
    return unanswered and (name == "rbp_resid" or name.startswith("unj"))


def _ours(name: str, level: float) -> Pure | None:
    plain: dict[str, Pure] = {
        "map": lambda ranking, grades: ap(ranking, grades, relevant_from=level),
        "Rprec": lambda ranking, grades: rprec(ranking, grades, relevant_from=level),
        "bpref": lambda ranking, grades: bpref(ranking, grades, relevant_from=level),
        "recip_rank": lambda ranking, grades: rr(ranking, grades, relevant_from=level),
        "ndcg": ndcg,
        "set_P": lambda ranking, grades: precision(ranking, grades, relevant_from=level),
        "set_recall": lambda ranking, grades: recall(ranking, grades, relevant_from=level),
        "rbp": lambda ranking, grades: rbp(ranking, grades, persistence=0.9),
        "rbp_resid": lambda ranking, grades: rbp_residual(ranking, grades, persistence=0.9),
    }
    stem, _, digits = name.rpartition("_")
    if not digits.isdecimal():
        return plain.get(name)
    k = int(digits)
    cut: dict[str, Pure] = {
        "P": lambda ranking, grades: precision(ranking, grades, k, relevant_from=level),
        "recall": lambda ranking, grades: recall(ranking, grades, k, relevant_from=level),
        "success": lambda ranking, grades: success(ranking, grades, k, relevant_from=level),
        "map_cut": lambda ranking, grades: ap(ranking, grades, k, relevant_from=level),
        "ndcg_cut": lambda ranking, grades: ndcg(ranking, grades, k),
        "unj": lambda ranking, grades: 1 - _number(judged(ranking, grades, k)),
    }
    return cut.get(stem)


def _lines(name: str) -> Iterator[tuple[str, str, str]]:
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        measure, query, value = line.split("\t")
        yield measure.strip(), query.strip(), value.strip()


@cache
def _qrels(name: str) -> Mapping[str, Mapping[str, float]]:
    judgements: dict[str, dict[str, float]] = {}
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        judgements.setdefault(query, {})[document] = float(grade)
    return judgements


@cache
def _rankings(name: str) -> Mapping[str, tuple[str, ...]]:
    scores: dict[str, dict[str, float]] = {}
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, *_ = line.split()
        scores.setdefault(query, {})[document] = float(score)
    return {query: rank_by_score(of_query) for query, of_query in scores.items()}
