"""Texts and patterns that JavaScript and Python could read differently: scripts, blanks, JSON, classes, cases."""

import random

__all__ = ["JSONS", "PATTERNS", "WORDS", "a_text"]

WORDS = [
    "Straße",
    "STRASSE",
    "strasse",
    "ΣΊΣΥΦΟΣ",
    "σίσυφος",
    "ﬁle",
    "FILE",
    "naïve",
    "NAÏVE",
    "don't",
    "don’t",
    "well-known",
    "well–known",
    "3.5",
    "12,000",
    "İstanbul",
    "istanbul",
    "ORD-123456",
    "ord-654321",
    "A-1",
    "refund",
    "Refunds",
    "money",
    "back",
    "sorry",
    "unfortunately",
    "“quoted”",
    '"quoted"',
    "Ⅷ",
    "viii",
    "²",
    "½",
    "٣",
    "３",
    "日本語",
    "。",
    "はい？",
    "😀",
    "👩\u200d👩\u200d👧",
    "[1]",
    "source.md",
    "policy.md",
    "POLICY.MD",
    "a.md",
    "x@y.org",
    "_under_",
    "é",
    "é",
    "ſ",
    "K",
]
_BLANKS = (
    " ", " ", "  ", "\n", "\n\n", "\t", "\u00a0", "\u2028", "\x1c", "\x85", "\r\n", ". ", "! ", "? ", "。", "\ufeff",
)  # fmt: skip
JSONS = (
    '{"a": 1, "b": [true, null]}', "[1, 2]", '"text"', "NaN", '{"a": Infinity}', '{"a": 1,}', "{}", " 12 ", "-0", "01",
    '```json\n{"a": 1}\n```', '```\n{"b": 2}\n```  ', '{"__proto__": 1, "a": 2}', '{"a": 1} {"b": 2}', "\ufeff{}",
    '"\x01"', "1e999", "[" * 40 + "]" * 40, '{"a": "\\ud800"}', "7" * 4300, "7" * 4301, "",
    '{"a": ' + "7" * 4301 + "e5}",
)  # fmt: skip
PATTERNS = (
    r"\bORD-\d{6}\b", r"(?i)straße", r"^\S+\s", r"\w+$", r"[A-Z]{2,}", r"[^\w\s]", r"\d+(?:\.\d+)?", r"(?i:refund)s?",
    r"^\Z", r"(?s)a.b", r"(?m)^\w+$", r"[\w.-]+@[\w.-]+", r"(?P<year>\d\d)", r"colou?r|sorry|日本", r"\B-\B", r"[k-m]",
    r"[^\W\d_]{3}", r"(?x) a b  # remark", r"\.$", r"\A\[", r"[\]\\^-]", r"(a|b)*?c", r"x{0}", r"[^\n]{5}", r"[\D]\d",
    r"[^\D]", r"[\S\n]{3}", "é", "ﬁ",
)  # fmt: skip


def a_text(chance: random.Random) -> str:
    """Words of several scripts with odd blanks between them; sometimes JSON, sometimes long, sometimes nothing."""
    kind = chance.random()
    if kind < 0.15:
        return chance.choice(JSONS)
    length = 400 if kind > 0.95 else chance.randrange(1, 25)
    return "".join(chance.choice(WORDS) + chance.choice(_BLANKS) for _ in range(length))
