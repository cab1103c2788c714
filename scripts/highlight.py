"""Writes the TextMate grammar of the editors anew, after a change to the words or the grammar of the language.

python scripts/highlight.py
"""

from pathlib import Path

from engine.rubric.textmate import textmate

__all__ = ["FILE", "main"]

FILE = Path(__file__).resolve().parents[1] / "editors/vscode/syntaxes/rubric.tmLanguage.json"


def main() -> None:
    """Write the file."""
    FILE.write_text(textmate(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
