"""The assertions of a promptfoo configuration as rubric text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from engine.errors import Problem, UsageError
from engine.rubric.importing.assertions import Assertion, CannotError, grading
from engine.rubric.importing.pen import Pen, short
from engine.rubric.importing.writing import Draft, Imported, Part, Section, write
from engine.rubric.numbers import plain
from engine.text import one_line

__all__ = ["imported"]

_FIELD = "promptfoo test"
_OWN = frozenset({"type", "value", "threshold", "weight", "metric"})
_SET = frozenset({"type", "assert", "threshold", "weight", "metric"})
_READ = frozenset({"defaultTest", "tests", "assertionTemplates", "description", "$schema"})
_TEMPLATE = re.compile(r"\{\{\s*([^{}\s]+)\s*\}\}")

_Object = Mapping[str, object]


def imported(value: object, place: str, title: str) -> Imported:
    """The rubric of a configuration that was read already.

    What is asserted for every test stands outside groups. Several tests with assertions of their own
    become groups that apply when the field `promptfoo test` of a query says so.

    Raises:
        UsageError: there are no assertions, or none of them can be brought over.
    """
    pen = Pen()
    config: _Object = {"defaultTest": {"assert": value}} if isinstance(value, list) else _object(value)
    if "assert" in config and "defaultTest" not in config:
        config = {"defaultTest": config}
    tests = list(_tests(config, pen))
    if not any(test.asserts for test in tests):
        step = 'assertions stand under "assert", in defaultTest or in a test'
        raise UsageError(Problem("this promptfoo file asserts nothing", place, step))
    reader = _Reader(pen, _object(config.get("assertionTemplates")))
    other = [key for key in config if key not in _READ]
    if other:
        pen.lose(f"{', '.join(other)}: settings of the run, not of a rubric")
    general, own = tests[0], [test for test in tests[1:] if test.asserts]
    sections: list[Section] = []
    parts = reader.parts(general)
    head: tuple[str, ...] = ("version: 1",)
    if len(own) == 1:
        inner = reader.sections(own[0])
        parts, sections = (*parts, *reader.parts(own[0])), [*reader.sections(general), *inner]
    else:
        sections = list(reader.sections(general))
        names = [pen.quoted(test.name) for test in own]
        if own:
            remark = f'# A query says in its field "{_FIELD}" which test it is.'
            head += (remark, f"field: {_FIELD} is one of {', '.join(names)}")
        for test, name in zip(own, names, strict=True):
            for section in reader.whole(test):
                sections.append(
                    Section(section.title, section.parts, (f"  only when: {_FIELD} is {name}", *section.lines))
                )
    name = pen.name(title) or pen.name(_said(config.get("description"))) or "Imported assertions"
    return write(Draft(name, head, parts, tuple(sections), _verdict(tests, pen)), pen, place)


@dataclass(frozen=True, slots=True)
class _Test:
    """`defaultTest` or one of `tests`: its assertions, what its variables stand for, its threshold."""

    name: str
    asserts: tuple[object, ...]
    values: Mapping[str, str]
    threshold: Decimal | None


def _tests(config: _Object, pen: Pen) -> Iterator[_Test]:
    """First what holds for every test, then each test."""
    default = config.get("defaultTest")
    if isinstance(default, str):
        pen.lose(f"defaultTest: it stands in another file, {default}")
    general = _test(_object(default), "every test", {}, pen)
    yield general
    tests = config.get("tests")
    names: set[str] = set()
    for number, test in enumerate(tests if isinstance(tests, list) else [tests] if tests else [], start=1):
        if not isinstance(test, dict):
            pen.lose(f"test {number}: it stands in another file, {_said(test)}")
            continue
        name = short(pen.line(_said(test.get("description"))), 60) or f"test {number}"
        name = f"{name} ({number})" if name.casefold() in names else name
        names.add(name.casefold())
        yield _test(test, name, general.values, pen)


def _test(test: _Object, name: str, values: Mapping[str, str], pen: Pen) -> _Test:
    found = test.get("assert")
    own = {
        key: _said(value) for key, value in _object(test.get("vars")).items() if isinstance(value, str | int | float)
    }
    if found is not None and not isinstance(found, list):
        pen.lose(f"the assertions of {name}: they are no list")
    return _Test(
        name, tuple(found) if isinstance(found, list) else (), {**values, **own}, _number(test.get("threshold"))
    )


def _verdict(tests: list[_Test], pen: Pen) -> tuple[Part, ...]:
    """promptfoo passes a test when every assertion does, or when its score reaches the threshold."""
    thresholds = {test.threshold for test in tests if test.asserts and test.threshold is not None}
    mark = thresholds.pop() if len(thresholds) == 1 else None
    if thresholds:
        pen.lose("the thresholds of single tests: a rubric has one verdict for all")
    mark = Decimal(1) if mark is None else mark
    lines = (f"verdict: pass when score is at least {plain(mark)}", "verdict: fail otherwise")
    return (Part("the verdict", lines),)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns assertions into criteria; what has no counterpart is said with the pen."""

    pen: Pen
    templates: _Object

    def parts(self, test: _Test) -> tuple[Part, ...]:
        """Its single assertions."""
        found = (self._part(each, test) for each in self._all(test.asserts) if not _is_set(each))
        return tuple(part for part in found if part is not None)

    def sections(self, test: _Test) -> Iterator[Section]:
        """Its sets of assertions."""
        for each in self._all(test.asserts):
            if _is_set(each):
                yield self._set(each, test)

    def whole(self, test: _Test) -> Iterator[Section]:
        """All of a test: its single assertions as one group, and its sets."""
        parts = self.parts(test)
        if parts:
            yield Section(self.pen.title(test.name.replace(">", "›")), parts)
        yield from self.sections(test)

    def _all(self, asserts: tuple[object, ...]) -> Iterator[_Object]:
        for each in asserts:
            found = _object(each)
            reference = found.get("$ref")
            if isinstance(reference, str):
                found = {**_object(self.templates.get(reference.rpartition("/")[2])), **found}
            yield {key: value for key, value in found.items() if key != "$ref"}

    def _set(self, found: _Object, test: _Test) -> Section:
        inner = found.get("assert")
        parts = self.parts(_Test(test.name, tuple(inner) if isinstance(inner, list) else (), test.values, None))
        title = self.pen.title(_said(found.get("metric")).replace(">", "›") or "Assertions that belong together")
        weight, mark = _number(found.get("weight")), _number(found.get("threshold"))
        for key in found.keys() - _SET:
            self.pen.lose(f'the setting "{key}" of "{title}"')
        lines = (
            *(() if weight is None or weight < 0 else (self.pen.weight(weight),)),
            *(() if mark is None else (f"  pass mark: {plain(mark)}",)),
        )
        return Section(title, parts, lines)

    def _part(self, found: _Object, test: _Test) -> Part | None:
        kind = _said(found.get("type")) or "an assertion without a type"
        what = short(f"{kind} {one_line(_said(found.get('value')))}".rstrip(), 200)
        negated = kind.startswith("not-")
        other = tuple(key for key in found if key not in _OWN)
        try:
            value = _filled(found.get("value"), test.values)
            threshold = _threshold(found.get("threshold"))
            made = grading(Assertion(kind.removeprefix("not-"), negated, value, threshold, other), self.pen)
            weight = _weight(found.get("weight"))
        except CannotError as reason:
            self.pen.lose(f"{what}: {reason}")
            return None
        metric = _said(found.get("metric"))
        title = self.pen.title(metric or made.title)
        lines = (
            f"{'criterion' if weight else 'info'}: {title}",
            *(() if weight in (0, 1) else (self.pen.weight(weight),)),
            *made.lines,
        )
        return Part(what, lines, title, made.less)


def _is_set(found: _Object) -> bool:
    return found.get("type") == "assert-set"


def _filled(value: object, values: Mapping[str, str]) -> object:
    """The value with `{{name}}` replaced where the test says what it stands for. Raises CannotError elsewhere."""
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    if not isinstance(value, str):
        return value
    text = _TEMPLATE.sub(lambda found: values.get(found[1], found[0]), value)
    unknown = _TEMPLATE.search(text) or re.search(r"\{%", text)
    if unknown is not None:
        raise CannotError(f"{unknown[0]} stands for something else in every test")
    return text


def _weight(value: object) -> Decimal:
    found = Decimal(1) if value is None else _number(value)
    if found is None or found < 0:
        raise CannotError("its weight is not a number from 0")
    return found


def _threshold(value: object) -> Decimal | None:
    found = _number(value)
    if value is not None and found is None:
        raise CannotError("its threshold is not a number")
    return found


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    found = Decimal(str(value))
    return found if found.is_finite() else None


def _object(value: object) -> _Object:
    return value if isinstance(value, dict) else {}


def _said(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
