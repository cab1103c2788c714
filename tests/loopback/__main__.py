"""`python -m tests.loopback --port 0`: prints the port, and answers until it is stopped."""

import argparse
import asyncio
import signal

from tests.loopback.server import Server


async def _serve(port: int) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    server = Server()
    print(await server.open(port), flush=True)
    await stop.wait()
    await server.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.loopback", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_serve(parser.parse_args().port))
