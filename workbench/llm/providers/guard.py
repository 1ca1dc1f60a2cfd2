"""What may pass over a connection to a model's server.

Outward: the question and the key that was set for this server, and no header besides: clients add
keys out of the environment, organisation names and descriptions of this machine. Inward: so many
bytes, in so many seconds, and no compression, which could blow a few of them up to gigabytes.
"""

import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from workbench import __version__
from workbench.llm.providers.base import Limits, Outgoing, asked_before
from workbench.llm.providers.place import Place
from workbench.llm.providers.trouble import Halted, TooMuch, TooSlow
from workbench.model.models import ModelTier

_PASSED = {"accept", "connection", "content-length", "content-type", "host", "transfer-encoding"}


class Guard:
    """The hooks of one HTTP client."""

    def __init__(self, limits: Limits, header: tuple[str, str] | None) -> None:
        self._limits = limits
        self._header = header

    def hooks(self) -> dict[str, list[Any]]:
        """For a client's ``event_hooks``."""
        return {"request": [self.outward], "response": [self.inward]}

    async def outward(self, request: Any) -> None:
        """Raises `Halted` with what ``before_send`` raised."""
        own_user = bool(request.url.userinfo)
        for name in list(request.headers):
            if name not in _PASSED and not (own_user and name == "authorization"):
                del request.headers[name]
        request.headers["accept-encoding"] = "identity"
        request.headers["user-agent"] = f"workbench/{__version__}"
        if self._header is not None:
            request.headers[self._header[0]] = self._header[1]
        before = asked_before.get()
        if before is None:
            return
        shown = request.url.copy_with(username=None, password=None, query=None)
        try:
            await before(Outgoing(str(shown), request.content))
        except Exception as error:
            raise Halted(error) from error

    async def inward(self, response: Any) -> None:
        """Raises `TooMuch` for a compressed answer; later that, or `TooSlow`, for a long one."""
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise TooMuch("the answer is compressed, which was not asked for")
        response.stream = _Bounded(response.stream, self._limits)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, limits: Limits) -> None:
        self._stream = stream
        self._left = limits.answer_bytes
        self._until = time.monotonic() + limits.deadline

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise TooMuch("the answer is too long to be read")
            if time.monotonic() > self._until:
                raise TooSlow("the answer did not end in time")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def connections(place: Place, limits: Limits, header: tuple[str, str] | None) -> httpx2.AsyncClient:
    """An HTTP client for a place, which sends the header with the key that was set for it.

    No redirect is followed: the next host would get the key and the content. A proxy of the
    environment would take a question to this machine off it.
    """
    transport = None
    if place.socket is not None:
        transport = httpx2.AsyncHTTPTransport(uds=place.socket)
    return httpx2.AsyncClient(
        event_hooks=Guard(limits, header).hooks(),
        follow_redirects=False,
        timeout=httpx2.Timeout(limits.silence, connect=limits.connect, pool=limits.connect),
        transport=transport,
        trust_env=place.tier is ModelTier.CLOUD,
        # Reading all certificates takes longer than a local server takes to answer.
        verify=place.url.startswith("https:"),
        base_url=place.url,
    )
