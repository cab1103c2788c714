"""How many requests are under way, and how many begin in a minute."""

import asyncio

import pytest

from engine.model.network import Line, Request
from engine.providers.pace import Pace
from tests.providers.loopback import WIRES, Loopback, at, local, post, raw, served


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("at_once", "concurrency", "most"), [(3, 10, 3), (None, 4, 4), (9, 4, 4)])
def test_no_more_than_so_many_are_under_way(wire: str, at_once: int | None, concurrency: int, most: int) -> None:
    under_way = highest = 0

    async def slow(seen: Loopback, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, highest
        under_way += 1
        highest = max(highest, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        writer.write(raw())

    async def in_turn(line: Line, request: Request) -> None:
        async with line.turn():
            await line.send(request)

    async def main() -> None:
        async with served(slow) as server, at(wire, concurrency=concurrency) as transport:
            lines = [transport.line(local(server, at_once=at_once)) for _ in range(2)]  # they share their limit
            await asyncio.gather(*(in_turn(lines[number % 2], post(server)) for number in range(20)))
            assert len(server.requests) == 20

    asyncio.run(main())
    assert highest == most


def test_no_more_than_so_many_begin_in_any_minute() -> None:
    clock = Clock()
    begun: list[float] = []

    async def one(pace: Pace, number: int) -> None:
        async with pace:
            begun.append(clock.now)
            clock.now += (0.0, 7.0, 1.5)[number % 3]

    async def main() -> None:
        pace = Pace(8, 5, clock, clock.sleep)
        await asyncio.gather(*(one(pace, number) for number in range(40)))

    asyncio.run(main())
    assert len(begun) == 40
    for first, sixth in zip(begun, begun[5:], strict=False):
        assert sixth - first >= 60
    assert begun[-1] <= 8 * 60 + 40  # and no slower than it has to be


def test_without_waiting_when_there_is_room() -> None:
    clock = Clock()

    async def main() -> None:
        pace = Pace(1, 2, clock, clock.sleep)
        for _ in range(4):
            clock.now += 31
            async with pace:
                pass

    asyncio.run(main())
    assert clock.now == 4 * 31


def test_who_gives_up_waiting_takes_no_place() -> None:
    async def main() -> None:
        pace = Pace(2, 1)
        async with pace:
            pass
        for _ in range(5):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01), pace:
                    raise AssertionError("nobody may begin within this minute")
        assert pace._places._value == 2
        assert len(pace._begun) == 1

    asyncio.run(main())


def test_an_error_gives_the_place_back() -> None:
    async def main() -> None:
        pace = Pace(1)
        for _ in range(3):
            with pytest.raises(ValueError, match="mine"):
                async with asyncio.timeout(1), pace:
                    raise ValueError("mine")

    asyncio.run(main())
