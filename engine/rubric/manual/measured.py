"""Every measure and every other number that a rubric can call by name."""

from collections.abc import Iterator, Mapping

from engine import measures
from engine.measures import Cutoff, Measure
from engine.model.exchange import Answer, Exchange, Hit, Turn
from engine.model.query import Query
from engine.rubric.manual.markdown import code, codes, table
from engine.rubric.names import NUMBERS, quantity

__all__ = ["numbers"]

_BARE = Hit(1, "a.md")
_SHOWN = Hit(1, "a.md", title="A question", snippet="an answer to the question")


def numbers() -> Iterator[str]:
    """The measures, other names for them, and the numbers."""
    rows = (
        (codes(_forms(measure)), measure.about, _needs(_forms(measure)[-1]), _score(measure))
        for measure in measures.MEASURES.values()
    )
    yield table(("measure", "what it tells", "needs", "score"), rows)
    also = (f"`{other}` is `{name}`" for other, name in measures.SYNONYMS.items())
    most = f"{measures.LONGEST_CUTOFF:,}"
    yield f"Also: {', '.join(also)}. `@10` looks at the first ten results; any number up to {most} will do."
    yield "These can be measured and compared too:"
    yield table(
        ("number", "score"),
        ((code(each.name), _runs(each.kind == "ratio", each.example)) for each in NUMBERS.values()),
    )
    yield (
        "A rubric may declare more of them: `field: number of turns is a number`. A number that nobody recorded leaves"
        " its criterion ungraded."
    )


def _forms(measure: Measure) -> tuple[str, ...]:
    match measure.cutoff:
        case Cutoff.REQUIRED:
            return (f"{measure.name}@10",)
        case Cutoff.OPTIONAL:
            return (measure.name, f"{measure.name}@10")
        case Cutoff.NONE:
            return (measure.name,)


def _score(measure: Measure) -> str:
    found = quantity(_forms(measure)[0])
    assert found is not None, measure.name
    return _runs(measure.ratio, found.example)


def _runs(ratio: bool, example: str) -> str:
    return "as it is, 0 to 1" if ratio else f"write where, for example: {code(example)}"


def _needs(name: str) -> str:
    """What has to be known, found out by asking the measure."""
    bound = measures.measure(name)
    assert bound is not None, name
    if bound(_exchange(_SHOWN)).value is not None:
        return "titles and previews of the results"
    if bound(_exchange(_BARE, {"a.md": 1, "b.md": 0})).value is not None:
        return "relevant documents in the query set"
    return "the number, as the run recorded it"


def _exchange(hit: Hit, relevant: Mapping[str, float] | None = None) -> Exchange:
    query = Query("q", "a question", "lookup", "any", relevant=relevant)
    return Exchange(query, Turn("a question", "q"), Answer(hits=(hit,)))
