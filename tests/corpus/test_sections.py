"""Sections and web pages: what becomes a title, and that no text is lost."""

from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.documents import Document
from engine.corpus.sections import LONGEST, Section, first_heading, split
from engine.corpus.sources import python_docs
from engine.corpus.web_page import page_text


def test_underlined_and_hashed_headings_start_sections() -> None:
    text = "Title\n*****\n\nbefore\n\nOne\n===\n\nfirst\n\n# Two #\nsecond\n## Three\n\n## Four\nfourth\n"

    assert split(Document("s", "Title", text)) == (
        Section("Title", "before"),
        Section("Title › One", "first"),
        Section("Title › Two", "second"),
        Section("Title › Three", ""),
        Section("Title › Four", "fourth"),
    )


def test_what_only_looks_like_a_heading_stays_text() -> None:
    text = "---\ntitle: x\n---\n\n```sh\n# a comment\n===\n```\n\ntext\nof a paragraph\n---\n"
    text += "   indented\n   ========\n#no blank"

    (section,) = split(Document("s", "S", text))

    assert section.body == text
    assert first_heading(text) == ""


def test_a_long_section_is_cut_between_paragraphs() -> None:
    paragraphs = [f"{number} " + "word " * 100 for number in range(12)]

    sections = split(Document("s", "S", "\n\n".join(paragraphs)))

    assert len(sections) > 2
    assert all(len(section.body) <= LONGEST for section in sections)
    assert "\n\n".join(section.body for section in sections) == "\n\n".join(paragraphs)


@given(st.text(alphabet=st.sampled_from("ab #=*-`~\n \t\u2028é"), max_size=300))
def test_no_word_is_lost(text: str) -> None:
    sections = split(Document("s", "S", text))
    kept = "\n".join(f"{section.title}\n{section.body}" for section in sections)

    assert sections
    for letter in "abé":
        assert kept.count(letter) >= text.count(letter)


def test_the_language_reference_is_cut_into_titled_sections() -> None:
    documents = {document.source: document for document in python_docs().read().documents}

    titles = [section.title for section in split(documents["typesseq"])]

    assert any(title.endswith(" › Ranges") for title in titles)
    assert sum(len(split(document)) for document in documents.values()) > 250


def test_a_web_page_keeps_what_a_person_reads() -> None:
    html = """<!doctype html><html><head><title> My &amp; page </title><style>p {}</style>
    <script>var x = "<p>no";</script>
    <body><h1>Top <em>one</em></h1><p>Some
    text&nbsp;here<br>and more<ul><li>first<li>second</ul><pre>a = 1
b = 2</pre><svg><title>icon</title><text>x</text></svg><![if !IE]>seen<![endif]><table><tr><td>1<td>2</table>"""

    assert page_text(html) == (
        "My & page",
        "# Top one\n\nSome text here\nand more\n\nfirst\n\nsecond\n\na = 1\nb = 2\n\nseen\n\n1 2\n",
    )


def test_declarations_that_no_parser_knows_are_passed_over() -> None:
    assert page_text("<p>a</p><![foo[ x ]]><p>b</p><!unknown><![>c")[1].split() == ["a", "b", "c"]


@given(st.text(alphabet=st.sampled_from("<>!/[]-=&;#\"' abpretilscyx?\n"), max_size=200))
def test_no_page_is_too_broken_to_read(html: str) -> None:
    title, text = page_text(html)

    assert title == " ".join(title.split())
    assert "\n\n\n" not in text
