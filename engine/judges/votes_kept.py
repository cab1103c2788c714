"""What a judge said, as JSON values beside what it cost: a resumed run does not ask, or pay, again."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Self

from engine.judges.problems import VoteProblem, unusable
from engine.model.grade import Vote
from engine.text import encodable, safe

__all__ = ["LONGEST_RAW", "VotesRead", "kept", "restored"]

LONGEST_RAW = 2_000
"""Characters of a reply that are kept when something in it could not be used."""


@dataclass(frozen=True, slots=True)
class VotesRead:
    """What came of one reply. `raw` is its text, cut and safe to print; empty when all of it could be used."""

    votes: Mapping[str, Vote]
    raw: str = ""

    @classmethod
    def of(cls, votes: Mapping[str, Vote], text: str) -> Self:
        """With the text of the reply where somebody will want to see it."""
        if all(vote.said is not None for vote in votes.values()):
            return cls(votes)
        return cls(votes, safe(encodable(text[:LONGEST_RAW])))


def kept(value: VotesRead, asked: str) -> dict[str, object]:
    """The votes as JSON values.

    Args:
        asked: a hash of the request, so that they are never taken for the answer to another one.
    """
    votes: dict[str, object] = {}
    for name, vote in value.votes.items():
        usable = {"said": vote.said, "reason": vote.reason}
        votes[name] = {"problem": vote.problem} if vote.said is None else usable
    return {"asked": asked, "votes": votes, **({"raw": value.raw} if value.raw else {})}


def restored(value: Mapping[str, object], asked: str, ids: AbstractSet[str], judge: str) -> VotesRead:
    """The votes again. Raises ValueError when they answer another request, or are damaged."""
    votes = value.get("votes")
    if value.get("asked") != asked or not isinstance(votes, dict) or votes.keys() != ids:
        raise ValueError("these are the votes on something else")
    raw = value.get("raw")
    found = {name: _vote(vote, judge) for name, vote in votes.items()}
    return VotesRead(found, raw if isinstance(raw, str) else "")


def _vote(value: object, judge: str) -> Vote:
    match value:
        case {"said": str() | int() | float() as said, "reason": str(reason)} if not isinstance(said, bool):
            return Vote(said, judge, "", reason)
        case {"problem": str(problem)}:
            return unusable(VoteProblem(problem), judge)
    raise ValueError("this is no vote")
