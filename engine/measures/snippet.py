"""Snippet: do title and text of the first results show that they are about the query?"""

from collections.abc import Sequence
from math import fsum

from engine.measures.words import content_stems, stems

__all__ = ["snippet"]


def snippet(query: str, shown: Sequence[str], cutoff: int | None = None) -> float | None:
    """How many of the query's content words a reader sees in a result, on average over the first results.

    The mean over the first k results of: distinct content words of the query that occur in what is
    shown / distinct content words of the query. Words agree when their rough English stems do.

    Args:
        query: what was asked.
        shown: title and snippet of each result as one text, best first. Shape (n,), n >= 0.
        cutoff: k, >= 1; fewer results are averaged over as many as there are. None: all.

    Returns:
        A number in [0, 1], no unit: 0.0 when nothing was returned. None when the query has no content
        word: nothing of three letters that is not a stop word, or only a script without blanks.

    Raises:
        ValueError: `cutoff` is below 1.

    Source:
        Our own. It sees words, not meaning: a high value says that the reader can recognise the topic.
    """
    if cutoff is not None and cutoff < 1:
        raise ValueError(f"a cutoff is at least 1, not {cutoff}")
    wanted = content_stems(query)
    if not wanted:
        return None
    looked = shown[:cutoff]
    if not looked:
        return 0.0
    return fsum([len(wanted.intersection(stems(text))) for text in looked]) / (len(wanted) * len(looked))
