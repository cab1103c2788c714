"""What is asked: queries, and the named, versioned sets they come in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

__all__ = ["NO_FIELDS", "Member", "Query", "QuerySet", "Source", "Split"]

NO_FIELDS: Mapping[str, str | float] = MappingProxyType({})  # one for all: a set may have 100,000 queries


class Source(StrEnum):
    """Who wrote a query set."""

    CURATED = "curated"
    AI_GENERATED = "ai-generated"


class Split(StrEnum):
    """Which part of the work may look at a query."""

    DEVELOPMENT = "development"
    HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class Query:
    """One question, and what is known about a good result for it.

    Attributes:
        id: unique in its set, stable for ever. In a combined set it reads `set:id`.
        text: what is asked, exactly as written. Data: never a template, a path or markup.
        intent: what the person wants to reach.
        category: a word of the set's own vocabulary.
        task_context: what the person is doing, or None when not known.
        relevant: graded relevance (qrels), source → grade. A grade above 0 is relevant; 0 and
            below is judged and not relevant. None means nobody judged this query; an empty
            mapping means it was judged and nothing in the corpus answers it.
        split: None when not assigned.
        expected_answer: what a good answer says, in somebody's own words; None when nobody wrote one.
        fields: what the team records about each question, `customer tier` → `gold`. Names in small
            letters with single blanks; a rubric declares those it uses with `field:`.
    """

    id: str
    text: str
    intent: str
    category: str
    task_context: str | None = None
    relevant: Mapping[str, float] | None = None
    split: Split | None = None
    expected_answer: str | None = None
    fields: Mapping[str, str | float] = field(default_factory=lambda: NO_FIELDS)


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a query set: what it was called and what exactly it held."""

    name: str
    version: str
    sha256: str
    queries: int


@dataclass(frozen=True, slots=True)
class QuerySet:
    """Named, versioned queries. `members` has one entry per file that was read.

    Attributes:
        name: the word a person types: `core`, `generated/2025-12-17`; combined sets join with `+`.
        version: of a single file; combined sets list their members, `core@1.0.0+other@1.2.0`.
        sha256: of the content (ids, texts, intents, relevance …), not of layout or remarks.
        notes: what a person should know: look-alike ids, the same question in several sets.
    """

    name: str
    version: str
    description: str
    source: Source
    categories: tuple[str, ...]
    queries: tuple[Query, ...]
    members: tuple[Member, ...]
    sha256: str
    notes: tuple[str, ...] = ()
