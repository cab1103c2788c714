"""The table of highlighting as a TextMate grammar, for Visual Studio Code and other editors."""

import json

from engine.rubric import highlight
from engine.rubric.highlight import Kind, Rule

__all__ = ["textmate"]

_Pattern = dict[str, "str | _Pattern | list[_Pattern]"]


def textmate() -> str:
    """The grammar as a JSON file. Editors see the text as it is written, with its tabs and full-width colons."""
    lines = ("remark", "heading", "text", "structured", "row", "continued", "item")
    repository: _Pattern = {
        "remark": {"match": r"^\s*(#.*)$", "captures": {"1": _name(Kind.REMARK)}},
        "heading": _keyed(highlight.heading_keys(), Kind.HEADING, Kind.TITLE),
        "text": _keyed(highlight.text_keys(), Kind.KEY, Kind.TEXT),
        "structured": {
            "begin": rf"^\s*({_key(highlight.structured_keys())})",
            "beginCaptures": {"1": _name(Kind.KEY)},
            "end": "$",
            "patterns": [{"include": "#words"}],
        },
        "row": {"begin": r"^\s*(?=[|｜])", "end": "$", "patterns": [{"include": "#cells"}]},
        "continued": {"match": r"^\s*(>)\s*(.*)$", "captures": {"1": _name(Kind.MARK), "2": _prose(Kind.TEXT)}},
        "item": {
            "match": rf"^\s*([{highlight.BULLETS}])\s+({highlight.terminals()['REF'].pattern})?\s*(.*)$",
            "captures": {"1": _name(Kind.MARK), "2": _name(Kind.NAME), "3": _prose(Kind.TEXT)},
        },
        "words": {"patterns": [_found(rule) for rule in highlight.inline()]},
        "cells": {"patterns": [_found(rule) for rule in highlight.rows()]},
        "settings": {"patterns": [_found(Rule(Kind.SETTING, highlight.terminals()["PARAM"].pattern))]},
    }
    grammar: _Pattern = {
        "name": "Rubric",
        "scopeName": "source.rubric",
        "patterns": [{"include": f"#{line}"} for line in lines],
        "repository": repository,
    }
    return json.dumps(grammar, ensure_ascii=False, indent=2) + "\n"


def _name(kind: Kind) -> _Pattern:
    return {"name": f"{kind.scope}.rubric"}


def _prose(kind: Kind) -> _Pattern:
    """Free text, with the settings in it."""
    return {**_name(kind), "patterns": [{"include": "#settings"}]}


def _found(rule: Rule) -> _Pattern:
    return {"match": _any_blank(rule.pattern), **_name(rule.kind)}


def _keyed(keys: tuple[str, ...], key: Kind, value: Kind) -> _Pattern:
    return {"match": rf"^\s*({_key(keys)})\s*(.*)$", "captures": {"1": _name(key), "2": _prose(value)}}


def _key(keys: tuple[str, ...]) -> str:
    return rf"(?i:{_any_blank(highlight.spelled(keys))})\s*[:：]"


def _any_blank(pattern: str) -> str:
    return pattern.replace(r"[ \t]", r"\s").replace(r"\|", r"[|｜]")
