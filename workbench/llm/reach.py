"""Whether a server of this machine answers: a connection, nothing sent. Light, since every run that
may use a model asks it first."""

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

from workbench.llm.providers.place import Place

PATIENCE = 5.0  # seconds: this machine accepts or refuses at once, however busy it is


async def answers(place: Place) -> bool:
    """True when something accepts a connection at a place of this machine."""
    try:
        parts = urlsplit(place.url)
        if place.socket is not None:
            opening = asyncio.open_unix_connection(place.socket)
        else:
            opening = asyncio.open_connection(parts.hostname, parts.port or 80)
        _, writer = await asyncio.wait_for(opening, PATIENCE)
    except (OSError, TimeoutError, ValueError):
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
