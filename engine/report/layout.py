"""Fitting text into the columns of a terminal."""

__all__ = ["fitted"]


def fitted(text: str, width: int) -> str:
    """The same lines, those that are too long broken between words and indented below their start.

    Args:
        text: any number of lines.
        width: columns of the terminal; 0 leaves every line as it is.
    """
    if not width or all(len(line) <= width for line in text.split("\n")):
        return text
    from textwrap import fill  # only narrow terminals pay for it

    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        lines.append(
            fill(line, max(width, 20), initial_indent="", subsequent_indent=f"{indent}    ", break_on_hyphens=False)
            if len(line) > width
            else line
        )
    return "\n".join(lines)
