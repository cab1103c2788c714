"""What a published version promises: its meaning stays, and versions only go up."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.model.rubric_lock import Published, RubricLock
from engine.rubric.canonical import criterion_sha256
from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.syntax import Rubric, criteria

__all__ = ["entry_of", "lock_problems"]


def entry_of(rubric: Rubric, on: str) -> Published:
    """What the lock remembers of a rubric that is published on this day, `2026-11-30`."""
    hashes = {criterion.id: criterion_sha256(criterion) for criterion in criteria(rubric.root)}
    return Published(rubric.version, on, rubric.sha256, hashes)


def lock_problems(rubric: Rubric, lock: RubricLock, text: str) -> tuple[Diagnostic, ...]:
    """R801 or R802 when the rubric breaks what was promised at an earlier publication. `text` is its file.

    No mend for a tool: whether the change is wanted under a new version is for a person to say.
    """
    newest = lock.newest(rubric.id)
    if newest is None:
        return ()
    earlier = lock.find(rubric.id, rubric.version)
    if earlier is not None:
        return () if earlier.sha256 == rubric.sha256 else (_other_meaning(rubric, earlier, newest, text),)
    return () if rubric.version > newest.version else (_goes_back(rubric, newest, text),)


def _other_meaning(rubric: Rubric, earlier: Published, newest: Published, text: str) -> Diagnostic:
    message = f"Version {rubric.version} was published with another meaning"
    steps = (*_said(rubric, earlier), f"write: version: {newest.version + 1}")
    at = _version(rubric, text)
    return Diagnostic("R801", message, at, f"published on {earlier.on}", steps)


def _goes_back(rubric: Rubric, newest: Published, text: str) -> Diagnostic:
    at = _version(rubric, text)
    step = f"write: version: {newest.version + 1}"
    if not rubric.version:
        message = f"This rubric has lost its version: version {newest.version} was published on {newest.on}"
        return Diagnostic("R802", message, at, help=(step,))
    message = f"Version {rubric.version} goes back: version {newest.version} was published on {newest.on}"
    return Diagnostic("R802", message, at, f"{newest.version} was published", (step,))


def _version(rubric: Rubric, text: str) -> Span:
    """The number after `version:`; the title where there is none."""
    from engine.rubric.outline import outline  # the parser; only where a promise is broken
    from engine.rubric.source import lines

    root = outline(lines(text, rubric.at.line.file)).root
    entry = None if root is None else root.find("version")
    return rubric.at if entry is None or entry.value is None else entry.value


@dataclass(frozen=True, slots=True)
class _Touched:
    """Criteria by what became of their labels: titles, and for those that are gone the ids."""

    changed: tuple[str, ...]
    renamed: tuple[str, ...]
    added: tuple[str, ...]
    gone: tuple[str, ...]
    kept: int


def _touched(rubric: Rubric, earlier: Published) -> _Touched:
    now = {criterion.id: criterion for criterion in criteria(rubric.root)}
    hashes = {name: criterion_sha256(criterion) for name, criterion in now.items()}
    lost = {name: digest for name, digest in earlier.criteria.items() if name not in now}
    new = {name: digest for name, digest in hashes.items() if name not in earlier.criteria}
    renamed = {name: digest for name, digest in new.items() if digest in lost.values()}
    return _Touched(
        changed=tuple(now[n].title for n in hashes if n in earlier.criteria and hashes[n] != earlier.criteria[n]),
        renamed=tuple(now[name].title for name in renamed),
        added=tuple(now[name].title for name in new if name not in renamed),
        gone=tuple(name for name, digest in lost.items() if digest not in renamed.values()),
        kept=sum(digest in hashes.values() for digest in earlier.criteria.values()),
    )


def _said(rubric: Rubric, earlier: Published) -> Iterator[str]:
    touched = _touched(rubric, earlier)
    if touched.changed:
        yield f"graded in another way, so that earlier labels no longer count: {_listed(touched.changed)}"
    if touched.gone:
        yield f"not there any more: {_listed(touched.gone)}"
    if touched.added:
        yield f"new, without labels: {_listed(touched.added)}"
    if touched.renamed:
        yield f"called something else, or moved; the labels stay valid: {_listed(touched.renamed)}"
    if not (touched.changed or touched.gone or touched.added or touched.renamed):
        yield "what changed is how the criteria count: a weight, mark, condition, judge, cap or verdict"
    whole = len(earlier.criteria)
    yield f"labels of {'all' if touched.kept == whole else f'{touched.kept} of {whole}'} criteria stay valid"


_SHOWN = 7


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
