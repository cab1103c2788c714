"""The network as a run holds it: nothing of it is loaded before somebody opens a line."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.model.network import Line, Site

if TYPE_CHECKING:
    from engine.providers.transport import Transport

__all__ = ["Door"]


class Door:
    """Opens lines (`engine.model.network.Network`). Loading the libraries takes 0.2 s, which most runs do without."""

    def __init__(self, environment: Mapping[str, str], concurrency: int) -> None:
        self._environment, self._concurrency = environment, concurrency
        self._transport: Transport | None = None

    def line(self, site: Site) -> Line:
        """The line to a site. Raises UsageError when its address cannot be used."""
        if self._transport is None:
            from engine.providers.transport import Transport

            self._transport = Transport(self._environment, self._concurrency)
        return self._transport.line(site)

    async def aclose(self) -> None:
        """Close every connection."""
        if self._transport is not None:
            await self._transport.aclose()
