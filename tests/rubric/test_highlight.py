"""Colours: one table for the Pygments lexer and the TextMate grammar, which no rubric escapes."""

import json
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pygments.token import Error

from engine.rubric import highlight, textmate
from engine.rubric.diagnostic import Line
from engine.rubric.highlight import Kind
from engine.rubric.line_tokens import key_at, tokens
from engine.rubric.parse import Failure, Node, parse_line
from engine.rubric.pygments_lexer import RubricLexer
from engine.rubric.source import lines
from engine.rubric.words import ALSO, HEADS, KEYWORDS
from tests.rubric.build import ROOT, shared

_GRAMMAR = ROOT / "editors/vscode/syntaxes/rubric.tmLanguage.json"
_PIECES = """\
rubric: Support
setting: max words = 200
must not: Leaks
  check: the answer has at most {max words} words, or tool "x" was called 2 times
  only when: [Tone] is at least 70% and latency is below 2.5 seconds
  about: up to {max words} words [sic] "as they say"
  | 1-4 | 0.5 | not | a \\| bar |
  > goes on # and on
  - [vital] 30 days
  # a remark: with a colon
wieght: 3"""


def _rubrics() -> list[Path]:
    folders = ("data/rubrics", "data/rubric-mistakes")
    return [file for folder in folders for file in sorted(shared(folder).rglob("*.rubric"))]


def _kinds(line: str) -> list[tuple[str, str]]:
    return [(token.kind.name, line[token.start : token.end]) for token in tokens(line)]


def test_pieces_of_lines() -> None:
    rows = _PIECES.split("\n")

    assert _kinds(rows[0]) == [("HEADING", "rubric:"), ("TITLE", "Support")]
    assert _kinds(rows[3]) == [
        *(
            ("KEY", "check:"),
            ("SUBJECT", "the answer"),
            ("WORD", "has"),
            ("WORD", "at most"),
            ("SETTING", "{max words}"),
        ),
        *(("UNIT", "words"), ("MARK", ","), ("WORD", "or"), ("SUBJECT", "tool"), ("STRING", '"x"')),
        *(("WORD", "was called"), ("NUMBER", "2"), ("WORD", "times")),
    ]
    assert _kinds(rows[4])[1] == ("NAME", "[Tone]")
    assert _kinds(rows[5]) == [
        *(("KEY", "about:"), ("TEXT", "up to "), ("SETTING", "{max words}"), ("TEXT", 'words [sic] "as they say"')),
    ]
    assert ("NUMBER", "1-4") in _kinds(rows[6])
    assert _kinds(rows[7]) == [("MARK", ">"), ("TEXT", "goes on # and on")]
    assert _kinds(rows[8]) == [("MARK", "-"), ("NAME", "[vital]"), ("TEXT", "30 days")]
    assert _kinds(rows[9]) == [("REMARK", "# a remark: with a colon")]
    assert _kinds(rows[10]) == [("TEXT", "wieght: 3")]


@pytest.mark.parametrize("key", [*KEYWORDS, *ALSO])
def test_every_keyword_has_a_colour_that_fits_what_follows_it(key: str) -> None:
    """What is free text to the grammar is free text to the eye."""
    line = f"  {key.upper()} : x"
    token = key_at(line)
    assert token is not None
    assert line[token.start : token.end] == f"{key.upper()} :"
    assert token.kind is (Kind.HEADING if ALSO.get(key, key) in HEADS else Kind.KEY)

    tree = parse_line(Line("", 1, f"{key}: (", f"{key}: ("))

    free = isinstance(tree, Node) and tree.rule == "text_line"
    assert free == (key in highlight.text_keys())
    assert isinstance(tree, Failure | Node)


def test_a_new_keyword_appears_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "frobnicate" not in textmate.textmate()

    monkeypatch.setattr(highlight, "KEYWORDS", (*KEYWORDS, "frobnicate"))

    assert "frobnicate" in highlight.structured_keys()
    assert "frobnicate" in textmate.textmate()


def test_pygments_knows_every_character_of_every_rubric() -> None:
    for file in _rubrics():
        text = file.read_bytes().decode("utf-8")
        found = list(RubricLexer().get_tokens_unprocessed(text))

        assert "".join(piece for _, _, piece in found) == text, file.name
        assert [start for start, _, _ in found] == [
            sum(len(piece) for _, _, piece in found[:index]) for index in range(len(found))
        ], file.name
        assert not [piece for _, kind, piece in found if kind is Error], file.name


@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeffrubric: A\r\n  check: ¤ answer\u2028| a", "{ [ ( \" ' /", "\x00:\t|"]
)
def test_pygments_takes_any_text(text: str) -> None:
    assert "".join(piece for _, _, piece in RubricLexer().get_tokens_unprocessed(text)) == text


def test_pygments_finds_the_lexer_where_the_package_says_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["rubric"].partition(":")

    assert getattr(import_module(module), name) is RubricLexer


def test_the_committed_grammar_is_what_the_table_gives() -> None:
    assert _GRAMMAR.read_text("utf-8") == textmate.textmate(), "run: python scripts/highlight.py"


def test_the_extension_names_files_that_are_there_and_one_library() -> None:
    folder = ROOT / "editors/vscode"
    package = json.loads((folder / "package.json").read_text("utf-8"))
    language, grammar = package["contributes"]["languages"][0], package["contributes"]["grammars"][0]

    assert (language["id"], language["extensions"]) == (grammar["language"], [".rubric"])
    assert grammar["scopeName"] == json.loads(_GRAMMAR.read_text("utf-8"))["scopeName"]
    assert (folder / grammar["path"]).resolve() == _GRAMMAR
    json.loads((folder / language["configuration"]).read_text("utf-8"))
    assert (folder / package["main"]).is_file()
    assert list(package["dependencies"]) == ["vscode-languageclient"]
    assert package["contributes"]["configuration"]["properties"]["assay.command"]["scope"] == "machine", (
        "a project that somebody opens must not choose which program is started"
    )


def test_the_grammar_and_the_lexer_colour_every_line_alike() -> None:
    grammar = json.loads(textmate.textmate())
    number = 0
    for file in _rubrics():
        for line in lines(file.read_bytes().decode("utf-8"), ""):
            ours = _by_column((token.start, token.end, f"{token.kind.scope}.rubric") for token in tokens(line.folded))
            theirs = _by_column(_textmate(grammar, line.text))
            number += 1
            if theirs or set(ours.values()) != {f"{Kind.TEXT.scope}.rubric"}:  # a line without a keyword stays plain
                assert _ink(theirs, line.text) == _ink(ours, line.text), f"{file.name}:{line.number}"
    assert number > 1000


# ---- as much of a TextMate engine as the grammar needs ----------------------------------------------


def _by_column(pieces: Any) -> dict[int, str]:
    return {column: scope for start, end, scope in pieces for column in range(start, end)}


def _ink(scopes: dict[int, str], text: str) -> dict[int, str]:
    return {column: scope for column, scope in scopes.items() if not text[column].isspace()}


def _textmate(grammar: Any, line: str) -> list[tuple[int, int, str]]:
    for include in grammar["patterns"]:
        rule = grammar["repository"][include["include"][1:]]
        found = re.match(rule.get("match") or rule["begin"], line)
        if found is None:
            continue
        captures = rule.get("captures", rule.get("beginCaptures", {}))
        pieces = [piece for group, how in captures.items() for piece in _captured(grammar, found, int(group), how)]
        return pieces + _inside(grammar, rule, line, found.end(), len(line)) if "begin" in rule else pieces
    return []


def _captured(grammar: Any, found: re.Match[str], group: int, how: Any) -> list[tuple[int, int, str]]:
    start, end = found.span(group)
    if start < 0:
        return []
    return [(start, end, how["name"]), *_inside(grammar, how, found.string, start, end)]


def _inside(grammar: Any, rule: Any, line: str, start: int, end: int) -> list[tuple[int, int, str]]:
    wanted = rule.get("patterns", [])
    rules = [each for include in wanted for each in grammar["repository"][include["include"][1:]]["patterns"]]
    found = []
    while start < end:
        matches = [
            (match.start(), n, match) for n, each in enumerate(rules) if (match := _search(each, line, start, end))
        ]
        if not matches:
            break
        _, number, match = min(matches)[:3]
        found.append((match.start(), match.end(), rules[number]["name"]))
        start = max(match.end(), start + 1)
    return found


def _search(rule: Any, line: str, start: int, end: int) -> re.Match[str] | None:
    return re.compile(rule["match"]).search(line, start, end)
