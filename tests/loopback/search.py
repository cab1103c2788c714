"""A search endpoint and an agent over a few documents that never change."""

import re

__all__ = ["DOCUMENTS", "answered", "found"]

DOCUMENTS = (
    ("tea", "How to brew tea", "Pour water of ninety degrees over the leaves and wait three minutes."),
    ("coffee", "How to brew coffee", "Grind the beans, pour hot water over them and wait four minutes."),
    ("bread", "Baking bread", "Mix flour, water and salt, let the dough rest overnight and bake it hot."),
    ("rice", "Cooking rice", "Two cups of water for one cup of rice, twelve minutes with the lid on."),
    ("eggs", "Boiling eggs", "Six minutes for a soft egg, ten for a hard one, then cold water."),
    ("beans", "Soaking beans", "Leave dried beans in cold water overnight and cook them for an hour."),
)
"""(id, title, text)"""


def found(query: str, limit: int = 10) -> list[dict[str, object]]:
    """The documents that share words with a query, those with most words first."""
    wanted = set(_words(query))
    scored = [
        (len(wanted & {*_words(title), *_words(text)}), *document)
        for document in DOCUMENTS
        for _, title, text in [document]
    ]
    scored.sort(key=lambda entry: -entry[0])
    return [
        {
            "id": name,
            "title": title,
            "text": text,
            "score": score / max(len(wanted), 1),
            "url": f"https://kitchen.example/{name}",
        }
        for score, name, title, text in scored[:limit]
        if score
    ]


def answered(query: str) -> dict[str, object]:
    """What an agent says: an answer, the documents it cites, and the tools it used."""
    hits = found(query, 3)
    text = f"{hits[0]['text']} [{hits[0]['id']}]" if hits else "Nothing is known about it."
    return {
        "answer": text,
        "citations": [{"id": hit["id"]} for hit in hits[:1]],
        "retrieved": hits,
        "tool_calls": [{"name": "search", "arguments": {"query": query, "limit": "3"}}],
    }


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
