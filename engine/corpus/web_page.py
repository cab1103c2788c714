"""An HTML page as text: what a person would read, with headings written as Markdown headings."""

import re
from html.parser import HTMLParser

__all__ = ["page_text"]

_UNSEEN = {"script", "style", "template", "noscript", "svg", "iframe"}
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
}  # fmt: skip
_CELLS = {"td", "th", "br"}


def page_text(html: str) -> tuple[str, str]:
    """The page's `<title>` (empty when it has none) and its readable text. Never fails: broken HTML is the web."""
    page = _Page()
    page.feed(html)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.pieces).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return " ".join("".join(page.title).split()), f"{text}\n" if text else ""


class _Page(HTMLParser):
    """Collects text. `skipped` is the unseen element we are inside, `depth` how often it is nested."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.in_title = False
        self.in_pre = False
        self.skipped = ""
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.skipped:
            self.depth += tag == self.skipped
        elif tag == "title":
            self.in_title = True
        elif tag in _UNSEEN:
            self.skipped, self.depth = tag, 1
        elif tag in _HEADINGS:
            self.pieces.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag in _BLOCKS:
            self.in_pre = self.in_pre or tag == "pre"
            self.pieces.append("\n\n")
        elif tag in _CELLS:
            self.pieces.append("\n" if tag == "br" else " ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self.in_title = False
        elif self.skipped:
            self.depth -= tag == self.skipped
            if not self.depth:
                self.skipped = ""
        elif tag in _HEADINGS or tag in _BLOCKS:
            self.in_pre = self.in_pre and tag != "pre"
            self.pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.title.append(data)
        elif not self.skipped:
            # Outside <pre> a line end is a blank, so that prose stays in paragraphs.
            self.pieces.append(data if self.in_pre else re.sub(r"\s+", " ", data))

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """`<![if …]>`: a comment to browsers. The inherited method fails on words it does not know."""
        return self.parse_bogus_comment(i, bool(report))
