"""A long cable: `python -m tests.faults.far SECONDS PORT ADDRESS:PORT ...` passes on all bytes, each that much later.

Each port of this host's own loopback leads to the address behind it; whoever connects waits for it in both directions.
"""

import asyncio
import sys
from asyncio import StreamReader, StreamWriter
from contextlib import suppress

READY = "Passing on."


async def main(seconds: float, ways: list[str]) -> None:
    servers = []
    for port, target in zip(ways[::2], ways[1::2], strict=True):
        address, _, there = target.partition(":")

        async def accept(
            reader: StreamReader, writer: StreamWriter, address: str = address, there: int = int(there)
        ) -> None:
            with suppress(OSError):
                far_reader, far_writer = await asyncio.open_connection(address, there)
                await asyncio.gather(
                    pass_on(reader, far_writer, seconds), pass_on(far_reader, writer, seconds)
                )

        servers.append(await asyncio.start_server(accept, "127.0.0.1", int(port)))
    print(READY, flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


async def pass_on(reader: StreamReader, writer: StreamWriter, seconds: float) -> None:
    """Until one end closes; what was sent before that still arrives."""
    loop = asyncio.get_running_loop()
    on_the_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def arrive() -> None:
        while (came := await on_the_way.get())[1]:
            await asyncio.sleep(came[0] - loop.time())
            writer.write(came[1])
            await writer.drain()
        writer.close()

    async with asyncio.TaskGroup() as both:
        both.create_task(arrive())
        data = b"-"
        while data:
            try:
                data = await reader.read(65_536)
            except OSError:
                data = b""
            on_the_way.put_nowait((loop.time() + seconds, data))


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), sys.argv[2:]))
