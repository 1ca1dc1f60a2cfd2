"""What providers behind HTTP share: one meaning for whatever clients raise, without the key."""

import asyncio
import email.utils
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.llm.errors import Fault
from workbench.llm.providers.asking import Provider
from workbench.llm.providers.base import Limits
from workbench.llm.providers.place import Place
from workbench.llm.providers.trouble import (
    Halted,
    Refusal,
    TooMuch,
    TooSlow,
    Trouble,
    one_line,
    read_refusal,
)
from workbench.settings import Secret

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

# What a client raises while it reads JSON of another shape than it knows.
_MISSHAPEN = frozenset({"ValidationError", "TypeError", "AttributeError", "KeyError"})
_LINKS = 20  # causes of an error that are looked at


class ServerError(Exception):
    """What a server says with an error status, or in the midst of an answer, which has none."""

    def __init__(self, said: Any, status: int = 0, headers: Mapping[str, str] = {}) -> None:
        super().__init__(str(said))
        self.said = said
        self.status = status
        self.headers = headers


class OverHttp(Provider):
    """A provider at a place. ``key`` is sent to this server only, and never shown.

    ``key_header`` is what it goes into, ``data`` what stands before each piece of an answer that
    comes in lines."""

    key_header = "authorization"
    data = ""

    def __init__(
        self, place: Place, key: Secret | None, *, name: str, limits: Limits | None
    ) -> None:
        super().__init__(name or place.shown, place.tier, limits or Limits())
        self.place = place
        self._key = key
        self._client: AsyncClient | None = None
        self._making = asyncio.Lock()

    async def client(self) -> "AsyncClient":
        """The client, made when it is first needed and in a thread: what it imports takes half a
        second, and a screen may be waiting."""
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self.make)
            return self._client

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    @asynccontextmanager
    async def _asked(self, path: str, body: object, **given: Any) -> AsyncIterator["Response"]:
        """What answers at a path, as it comes; without a body it is only looked at."""
        client = await self.client()
        method = "GET" if body is None else "POST"
        async with client.stream(method, path, json=body, **given) as response:
            if not response.is_success:
                await response.aread()
                raise ServerError(response.text, response.status_code, response.headers)
            if response.headers.get("content-type", "").startswith("text/html"):
                # A login or an error page of what stands in between: the same the next time.
                why = "a web page came in place of an answer; is the server's address right?"
                raise Trouble(Fault.UNREACHABLE, why)
            yield response

    async def whole(self, path: str, body: object = None, **given: Any) -> Any:
        """An answer that is one piece of JSON."""
        async with self._asked(path, body, **given) as response:
            return json.loads(await response.aread())

    async def pieces(self, path: str, body: object) -> AsyncGenerator[Any, None]:
        """The pieces of an answer, a line of JSON each. Raises `ServerError`."""
        async with self._asked(path, body) as response:
            async for line in _lines(response):
                text = line.removeprefix(self.data).strip()
                if text == "[DONE]":
                    return
                if line.startswith(self.data):
                    piece = json.loads(text)
                    if isinstance(piece, Mapping) and piece.get("error"):
                        raise ServerError(piece["error"])
                    yield piece

    def _refusal(self, error: ServerError) -> Refusal:
        """An error as the server's JSON tells it, where it is some."""
        said, status = error.said, error.status
        if status:
            with suppress(ValueError):
                said = json.loads(said)
        said = said.get("error", said) if isinstance(said, Mapping) else said
        body = said if isinstance(said, Mapping) else {}
        code, text = str(body.get("code") or ""), body.get("message", body.get("detail", said))
        if not status:
            status = int(code) if re.fullmatch(r"[45][0-9][0-9]", code) else 500
        if 300 <= status < 400:
            text = elsewhere(error.headers.get("location"))
        return Refusal(
            status=status,
            text=self.scrub(str("" if text is None else text)),
            code=f"{code} {body.get('type') or ''}",
            param=str(body.get("param") or ""),
            retry_after=retry_after(error.headers),
        )

    def make(self) -> "AsyncClient":
        """An HTTP client for this place."""
        from workbench.llm.providers.guard import connections

        header = None
        if self._key is not None:
            value = self._key.reveal()
            bearer = f"Bearer {value}" if self.key_header == "authorization" else value
            header = (self.key_header, bearer)
        return connections(self.place, self.limits, header)

    @contextmanager
    def translated(self, request: Mapping[str, Any]) -> Iterator[None]:
        """Whatever the client raises, as `Trouble` or `Halted`."""
        try:
            yield
        except (Trouble, Halted):
            raise
        except Exception as error:  # noqa: BLE001 the client raises anything on hostile bytes
            raise self._trouble(error, request) from self._shown(error)

    def scrub(self, text: str) -> str:
        """Text without the key, which some servers repeat when they refuse it."""
        return text.replace(self._key.reveal(), "[key]") if self._key else text

    def _shown(self, error: BaseException) -> BaseException | None:
        """The error as a cause, unless it says the key."""
        key = self._key.reveal() if self._key else None
        return None if key and any(key in f"{one!r}{one}" for one in _chain(error)) else error

    def _trouble(self, error: BaseException, request: Mapping[str, Any]) -> Exception:
        chain = list(_chain(error))
        for link in chain:
            if isinstance(link, Halted):
                return link
            if isinstance(link, TooMuch):
                return Trouble(Fault.UNUSABLE, str(link))
            if isinstance(link, TooSlow):
                return Trouble(Fault.UNREACHABLE, str(link))
        if isinstance(error, ServerError):
            return read_refusal(self._refusal(error), request)
        kinds = {kind.__name__ for link in chain for kind in type(link).__mro__}
        said = one_line(self.scrub(str(chain[-1]) or type(chain[-1]).__name__))
        if kinds & {"ConnectTimeout", "ConnectError", "ConnectionError", "PoolTimeout"}:
            return Trouble(Fault.UNREACHABLE, f"it cannot be reached: {said}", again=True)
        if kinds & {"TimeoutException", "TimeoutError"}:
            why = f"no word came for {self.limits.silence:g} s"
            return Trouble(Fault.UNREACHABLE, why, again=True, tries=2)
        if "JSONDecodeError" in kinds:
            return Trouble(Fault.UNREACHABLE, "the answer is no JSON on the wire", again=True)
        if kinds & _MISSHAPEN:
            why = "the answer has not the shape of this protocol; is it this kind of server?"
            return Trouble(Fault.UNREACHABLE, why, again=True)
        return Trouble(Fault.UNREACHABLE, f"the answer broke off: {said}", again=True)


async def _lines(response: "Response") -> AsyncIterator[str]:
    """An answer's lines: JSON may hold what else ends a line in Unicode."""
    held: list[bytes] = []
    async for part in response.aiter_bytes():
        *ended, rest = part.split(b"\n")
        for line in ended:
            yield b"".join((*held, line)).decode("utf-8", "replace")
            held = []
        held.append(rest)
    if any(held):
        yield b"".join(held).decode("utf-8", "replace")


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(_LINKS):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def elsewhere(location: str | None) -> str:
    """Where a redirect points to, without what its address may hold besides."""
    try:
        host = urlsplit(location or "").hostname
    except ValueError:
        host = None
    return f"to {host}" if host else "to another address"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as a server asks for it, as a number or a date (RFC 9110, 10.2.3)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait = float(headers.get(name) or "") * unit
        except ValueError:
            continue
        return wait if 0 <= wait < 1e9 else None
    try:
        at = email.utils.parsedate_to_datetime(headers.get("retry-after") or "")
        return max(0.0, at.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
