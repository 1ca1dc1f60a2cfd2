"""What providers behind HTTP share: one meaning for whatever clients raise, without the key."""

import asyncio
import email.utils
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

from workbench.llm.errors import Fault
from workbench.llm.providers.asking import Provider
from workbench.llm.providers.base import Limits
from workbench.llm.providers.guard import Guard, TooMuch, TooSlow
from workbench.llm.providers.place import Place
from workbench.llm.providers.trouble import Halted, Refusal, Trouble, one_line, read_refusal
from workbench.model.models import ModelTier
from workbench.settings import Secret

if TYPE_CHECKING:
    from httpx2 import AsyncClient

Client = TypeVar("Client")

# What a client raises while it reads JSON of another shape than it knows.
_MISSHAPEN = frozenset({"ValidationError", "TypeError", "AttributeError", "KeyError"})
_LINKS = 20  # causes of an error that are looked at


class OverHttp(Provider, Generic[Client]):
    """A provider at a place. ``key`` is sent to this server only, and never shown."""

    def __init__(
        self, place: Place, key: Secret | None, *, name: str, limits: Limits | None
    ) -> None:
        super().__init__(name or place.shown, place.tier, limits or Limits())
        self.place = place
        self._key = key
        self._client: Client | None = None
        self._making = asyncio.Lock()

    async def client(self) -> Client:
        """The client, made when it is first needed and in a thread: what it imports takes a second
        or two, and a screen may be waiting."""
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self.make)
            return self._client

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await self.end(client)

    @abstractmethod
    def make(self) -> Client:
        """A client for this place; the guard of its connections sets the key."""

    @abstractmethod
    async def end(self, client: Client) -> None:
        """Close its connections."""

    @abstractmethod
    def refusal(self, error: BaseException) -> Refusal | None:
        """What the server said with an error status, if that is what was raised."""

    def connections(self, header: str, **given: Any) -> "AsyncClient":
        """An HTTP client. The key goes into ``header``.

        No redirect is followed: the next host would get the key and the content. A proxy of the
        environment would take a question to this machine off it.
        """
        import httpx2

        limits, header_value = self.limits, None
        if self._key is not None:
            value = self._key.reveal()
            header_value = (header, f"Bearer {value}" if header == "authorization" else value)
        transport = None
        if self.place.socket is not None:
            transport = httpx2.AsyncHTTPTransport(uds=self.place.socket)
        return httpx2.AsyncClient(
            event_hooks=Guard(limits, header_value).hooks(),
            follow_redirects=False,
            timeout=httpx2.Timeout(limits.silence, connect=limits.connect, pool=limits.connect),
            transport=transport,
            trust_env=self.tier is ModelTier.CLOUD,
            # Reading all certificates takes longer than a local server takes to answer.
            verify=self.place.url.startswith("https:"),
            **given,
        )

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
        refusal = self.refusal(error)
        if refusal is not None:
            return read_refusal(refusal, request)
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
