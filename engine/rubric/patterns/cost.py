"""What makes a pattern slow: text that it can take in more than one way."""

from dataclasses import dataclass

from engine.rubric.patterns.tree import Item, Sequence, first_of, followed, sequences

__all__ = ["danger", "reach_of"]

_REACH = {0: 1_000_000, 1: 10_000, 2: 1_000}
"""On how many characters a pattern is tried, by how often its choices multiply with the length of the text."""

_LEAST = 500  # a pattern that may be tried on fewer characters is of no use
_MANY = 16  # from here on a bounded repeat is treated like an unbounded one


def danger(tree: Sequence) -> tuple[str, str] | None:
    for sequence in sequences(tree):
        for item in sequence:
            if item.op == "repeat" and item.most >= _MANY:
                body = item.inner[0]
                if _loose_inside(body, first_of(body)):
                    step = "remove one of the two repeats; usually the inner + or * is not needed"
                    return "a repeat inside a repeat, like (a+)+", step
                if _alike(body):
                    step = "let each alternative begin with another character"
                    return "alternatives that begin alike inside a repeat, like (a|a)+", step
    cost = _cost(tree, frozenset())
    if cost.power > max(_REACH):
        return "three repeats that can take the same text, like .*.*.*", "look for the parts with a check each"
    if _reach(cost) < _LEAST:
        return "many pieces that can take the same text, like a?a?a?a?", "say exactly how often each piece comes"
    return None


def reach_of(tree: Sequence) -> int:
    """On how many characters a pattern that is no danger may be tried."""
    return _reach(_cost(tree, frozenset()))


def _loose_inside(body: Sequence, after: frozenset[str]) -> bool:
    """A repeat in `body` whose text could as well be taken by what may follow it."""
    for item, follows in followed(body, after):
        if (item.varies or (item.op == "branch" and item.nullable)) and item.all & follows:
            return True
        if any(_loose_inside(inner, follows) for inner in item.inner):
            return True
    return False


def _alike(body: Sequence) -> bool:
    """Alternatives in `body` of which two fit the same text."""
    return any(
        _overlap(item.inner, frozenset()) for sequence in sequences(body) for item in sequence if item.op == "branch"
    )


def _overlap(branches: tuple[Sequence, ...], follows: frozenset[str]) -> bool:
    """Two of them can begin alike; one that can be empty begins with what follows."""
    seen: frozenset[str] = frozenset()
    empty = 0
    for branch in branches:
        begins = first_of(branch)
        if all(item.nullable for item in branch):
            empty += 1
            begins |= follows
        if begins & seen or empty > 1:
            return True
        seen |= begins
    return False


@dataclass(frozen=True, slots=True)
class _Cost:
    """In how many ways a sequence can take the same text: `ways` times the length of the text to the power `free`.

    `walks`: after the last free choice a repeat still has to be walked through, once for every way.
    """

    free: int = 0
    ways: int = 1
    walks: bool = False

    @property
    def power(self) -> int:
        return self.free + self.walks

    def then(self, other: "_Cost") -> "_Cost":
        """One after the other: choices multiply."""
        walks = other.walks or (self.walks and not other.free)
        return _Cost(self.free + other.free, min(self.ways * other.ways, _TOO_MANY), walks)


_TOO_MANY = 10**9


def _cost(sequence: Sequence, after: frozenset[str]) -> _Cost:
    """An upper bound. `after` are the characters that can come behind it."""
    cost = _Cost()
    for item, follows in followed(sequence, after):
        if item.inner:
            cost = cost.then(_repeated(item, follows) if item.op == "repeat" else _either(item, follows))
    return cost


def _either(item: Item, follows: frozenset[str]) -> _Cost:
    costs = [_cost(inner, follows) for inner in item.inner]
    ways = [cost.ways for cost in costs]
    many = sum(ways) if item.op == "branch" and _overlap(item.inner, follows) else max(ways)
    return _Cost(max(cost.free for cost in costs), min(many, _TOO_MANY), any(cost.walks for cost in costs))


def _repeated(item: Item, follows: frozenset[str]) -> _Cost:
    """A repeat is no choice where what follows it cannot be a part of it."""
    body = _cost(item.inner[0], follows | item.first)
    chooses = bool(item.varies and item.all & follows)
    if item.most >= _MANY:  # a body that leaves a choice was refused before
        return _Cost(int(chooses), 1, body.walks or (item.varies and not chooses))
    times = max(item.most, 1)
    own = item.most - item.least + 1 if chooses else 1
    return _Cost(body.free * times, min(body.ways**times * own, _TOO_MANY), body.walks)


def _reach(cost: _Cost) -> int:
    power = min(cost.power, max(_REACH))
    return int(_REACH[power] / cost.ways ** (1 / (power + 1)))
