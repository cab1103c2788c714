"""Numbers from plain sequences: the table of measures, and how one is named (`ndcg@10`).

A new measure is one file beside this one and one line in the table.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engine.measures.ap import ap
from engine.measures.bound import BoundMeasure, Compute, Cutoff, Measure, Measured
from engine.measures.bpref import bpref
from engine.measures.err import HIGHEST_GRADE, err
from engine.measures.evidence import cost, for_relevant, from_judgements, latency, snippets
from engine.measures.judged import judged
from engine.measures.ndcg import ndcg
from engine.measures.ndcg_exp import HIGHEST_GRADE as HIGHEST_EXPONENT
from engine.measures.ndcg_exp import ndcg_exp
from engine.measures.precision import precision
from engine.measures.rbp import rbp, rbp_residual
from engine.measures.recall import recall
from engine.measures.rprec import rprec
from engine.measures.rr import rr
from engine.measures.sight import Sight
from engine.measures.success import success
from engine.text import nearest

__all__ = [
    "LONGEST_CUTOFF",
    "MEASURES",
    "SYNONYMS",
    "BoundMeasure",
    "Cutoff",
    "Measure",
    "Measured",
    "Sight",
    "meant",
    "measure",
    "names",
]

LONGEST_CUTOFF = 10_000

_MUST, _MAY, _NEVER = Cutoff.REQUIRED, Cutoff.OPTIONAL, Cutoff.NONE


def _share(name: str, cutoff: Cutoff, compute: Compute, about: str) -> Measure:
    """A number in [0, 1] where 1 is best."""
    return Measure(name, about, cutoff, ratio=True, unit="", compute=compute)


_TABLE = (
    _share("ndcg", _MAY, for_relevant(ndcg), "How close the order of the results comes to the best possible order."),
    _share(
        "ndcg_exp",
        _MAY,
        for_relevant(ndcg_exp, HIGHEST_EXPONENT),
        "Like ndcg, but one excellent document outweighs several fair ones.",
    ),
    _share("p", _MUST, for_relevant(precision), "The share of the first k results that is relevant."),
    _share(
        "recall",
        _MUST,
        for_relevant(recall),
        "The share of all relevant documents that is among the first k results.",
    ),
    _share(
        "success",
        _MUST,
        for_relevant(success),
        "1 when at least one of the first k results is relevant, else 0.",
    ),
    _share(
        "rr",
        _MAY,
        for_relevant(rr),
        "How early the first relevant result comes: 1 in first place, 1/2 in second, 1/3 in third, and so on.",
    ),
    _share(
        "ap",
        _MAY,
        for_relevant(ap),
        "How purely the results are relevant down to each relevant document, averaged over all relevant documents.",
    ),
    _share(
        "err",
        _MUST,
        for_relevant(err, HIGHEST_GRADE),
        "How soon a reader who stops at the first satisfying result can be expected to stop; grades go up to 4.",
    ),
    _share(
        "rbp",
        _MAY,
        for_relevant(rbp),
        "The share of relevant documents met by a reader who goes on to the next result four times out of five.",
    ),
    Measure(
        "rbp_residual",
        "How much rbp could still grow if everything that nobody judged were relevant; high means: do not trust rbp.",
        _MAY,
        ratio=False,
        unit="",
        compute=from_judgements(rbp_residual),
    ),
    _share(
        "rprec",
        _NEVER,
        for_relevant(lambda ranking, grades, _: rprec(ranking, grades)),
        "The share of relevant documents among as many results as there are relevant documents.",
    ),
    _share(
        "bpref",
        _NEVER,
        for_relevant(lambda ranking, grades, _: bpref(ranking, grades)),
        "How often relevant documents stand above those judged not relevant; documents nobody judged do not count.",
    ),
    _share(
        "judged",
        _MUST,
        from_judgements(judged),
        "The share of the first k results that somebody has judged; low means the other numbers are doubtful.",
    ),
    _share(
        "snippet",
        _MUST,
        snippets,
        "How many of the query's important words a reader sees in the title and text of the first k results.",
    ),
    Measure("latency", "How long the answer took.", _NEVER, ratio=False, unit="seconds", compute=latency),
    Measure("cost", "What the answer cost.", _NEVER, ratio=False, unit="dollars", compute=cost),
)

MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _TABLE})

SYNONYMS: Mapping[str, str] = MappingProxyType({"precision": "p", "mrr": "rr", "map": "ap"})
"""Other names people use, and the name in the table. (MRR and MAP are means of rr and ap over queries.)"""


def measure(name: str) -> BoundMeasure | None:
    """The measure that a person wrote, such as `ndcg@10` or `Latency`; None when there is no such one.

    A cutoff that is missing, not wanted or outside 1..10000 also makes it unknown; `meant` knows why.
    """
    written = name.strip().casefold()
    word, at, digits = written.partition("@")
    found = MEASURES.get(SYNONYMS.get(word, word))
    cutoff = _cutoff(digits)
    refused = Cutoff.NONE if at else Cutoff.REQUIRED
    if found is None or found.cutoff is refused or (at and cutoff is None):
        return None
    return BoundMeasure(written, found, cutoff)


def names() -> tuple[str, ...]:
    """Every name as it can be written, for lists and suggestions: those with a cutoff as `p@10`."""
    words = [*MEASURES, *SYNONYMS]
    return tuple(form for word in words for form in _forms(word, 10))


def meant(name: str) -> str | None:
    """The spelling that a person most likely meant, with their cutoff if it can be kept; None when none is close."""
    word, at, digits = (part.strip() for part in name.casefold().partition("@"))
    known = [*MEASURES, *SYNONYMS]
    near = word if word in known else nearest(word, known)
    if near is None:
        return None
    forms = _forms(near, _cutoff(digits) or 10)
    return forms[-1] if at else forms[0]


def _cutoff(digits: str) -> int | None:
    """A whole number from 1 to 10000 in plain digits, else None."""
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 5 and digits[0] != "0"):
        return None
    return cutoff if (cutoff := int(digits)) <= LONGEST_CUTOFF else None


def _forms(word: str, cutoff: int) -> tuple[str, ...]:
    plain, cut = word, f"{word}@{cutoff}"
    match MEASURES[SYNONYMS.get(word, word)].cutoff:
        case Cutoff.REQUIRED:
            return (cut,)
        case Cutoff.OPTIONAL:
            return (plain, cut)
        case Cutoff.NONE:
            return (plain,)
