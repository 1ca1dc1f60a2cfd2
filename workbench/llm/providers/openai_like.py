"""Servers that speak OpenAI's chat completions: OpenAI, llama.cpp, vLLM, LM Studio, OpenRouter."""

import email.utils
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any

from workbench.llm.errors import Fault
from workbench.llm.providers.asking import Asking
from workbench.llm.providers.base import Limits, ModelInfo, OnText
from workbench.llm.providers.guard import Guard, TooMuch, http_client
from workbench.llm.providers.place import Place
from workbench.llm.providers.spoken import Gatherer, Spoken, count
from workbench.llm.providers.trouble import Halted, Refusal, Trouble, one_line, read_refusal
from workbench.model.models import ModelTier, Usage
from workbench.settings import Secret

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_MODELS = 500  # more than this many are not listed


class OpenAiLike(Asking):
    """A provider behind a base URL. ``key`` is sent to this server only, and never shown."""

    def __init__(
        self,
        place: Place,
        key: Secret | None = None,
        *,
        name: str = "",
        limits: Limits | None = None,
    ) -> None:
        super().__init__(name or place.shown, place.tier, limits or Limits())
        self._place = place
        self._key = key
        self._client: AsyncOpenAI | None = None

    def _made(self) -> "AsyncOpenAI":
        """The client, made when it is first needed: importing openai takes over a second."""
        if self._client is None:
            self._client = self._make()
        return self._client

    def _make(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        bearer = ("authorization", f"Bearer {self._key.reveal()}") if self._key else None
        return AsyncOpenAI(
            base_url=self._place.url,
            api_key="none",  # the guard sets the header
            max_retries=0,
            http_client=self._http(bearer),
        )

    def _http(self, header: tuple[str, str] | None) -> Any:
        import httpx2

        limits = self.limits
        transport = None
        if self._place.socket is not None:
            transport = httpx2.AsyncHTTPTransport(uds=self._place.socket)
        return http_client(
            httpx2,
            Guard(httpx2, limits.answer_bytes, header),
            transport=transport,
            timeout=httpx2.Timeout(limits.silence, connect=limits.connect, pool=limits.connect),
            # A proxy of the environment would take a question to this machine off it.
            trust_env=self.tier is ModelTier.CLOUD,
        )

    async def chat(self, request: Mapping[str, Any], on_text: OnText | None) -> Spoken:
        """One request, streamed where the server can. Raises `Trouble`, `Halted`."""
        with self._translated(request):
            came = await self._made().chat.completions.create(**request)
            gatherer = Gatherer(on_text, self.limits.deadline, self.limits.calls)
            if request.get("stream"):
                async with aclosing(came.response), aclosing(_pieces(came)) as pieces:
                    async for piece in pieces:
                        _gather(gatherer, piece, "delta")
            else:
                _gather(gatherer, came, "message")
            return gatherer.end()

    async def models(self) -> Sequence[ModelInfo]:
        """What ``/models`` lists."""
        listed = await self.listing(self._listed)
        return [ModelInfo(name, self.tier, context) for name, context in listed[:_MODELS]]

    async def _listed(self) -> list[tuple[str, int | None]]:
        with self._translated({}):
            page = await self._made().models.list()
            found = []
            for model in page.data or []:
                name = getattr(model, "id", None)
                if isinstance(name, str) and name:
                    found.append((name, _context(model)))
            return found

    async def vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One request for embeddings. Raises `Trouble`, `Halted`."""
        with self._translated({}):
            answer = await self._made().embeddings.create(
                model=model, input=list(texts), encoding_format="float"
            )
            return [list(item.embedding) for item in answer.data]

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def scrub(self, text: str) -> str:
        """Text without the key, which some servers repeat when they refuse it."""
        return text.replace(self._key.reveal(), "[key]") if self._key else text

    @contextmanager
    def _translated(self, request: Mapping[str, Any]) -> Iterator[None]:
        """Whatever the client raises, as what it means."""
        try:
            yield
        except (Trouble, Halted):
            raise
        except Exception as error:  # noqa: BLE001 the client raises anything on hostile bytes
            raise self._trouble(error, request) from self._shown(error)

    def _shown(self, error: BaseException) -> BaseException | None:
        """The error as a cause, unless it says the key."""
        link: BaseException | None = error
        while link is not None and self._key:
            if self._key.reveal() in f"{link!r}{link}":
                return None
            link = link.__cause__ or link.__context__
        return error

    def _trouble(self, error: BaseException, request: Mapping[str, Any]) -> Exception:
        import openai

        link: BaseException | None = error
        while link is not None:
            if isinstance(link, Halted):
                return link
            if isinstance(link, TooMuch):
                return Trouble(Fault.UNUSABLE, str(link))
            link = link.__cause__
        said = one_line(self.scrub(str(error)))
        if isinstance(error, openai.APIStatusError):
            return read_refusal(self._refusal(error), request)
        if isinstance(error, openai.APITimeoutError) or _is_timeout(error):
            return Trouble(
                Fault.UNREACHABLE,
                f"no word came for {self.limits.silence:g} s",
                again=True,
            )
        if isinstance(error, openai.APIConnectionError):
            cause = one_line(self.scrub(str(error.__cause__ or error)))
            return Trouble(Fault.UNREACHABLE, f"it cannot be reached: {cause}", again=True)
        if isinstance(error, openai.APIError):  # an error in the midst of a stream
            status = error.code if isinstance(error.code, int) else _status(error.code)
            body = Refusal(status or 500, self.scrub(error.message), str(error.code or ""))
            return read_refusal(body, request)
        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
            return Trouble(Fault.UNREACHABLE, "the answer is no JSON on the wire", again=True)
        return Trouble(Fault.UNREACHABLE, f"the answer broke off: {said}", again=True)

    def _refusal(self, error: Any) -> Refusal:
        body = error.body if isinstance(error.body, Mapping) else {}
        headers = error.response.headers
        if 300 <= error.status_code < 400:
            text = "to another address; set the address that it names if that is the right one"
        else:
            text = self.scrub(str(body.get("message") or error.message))
        return Refusal(
            status=error.status_code,
            text=text,
            code=f"{body.get('code') or ''} {body.get('type') or ''}",
            param=str(body.get("param") or ""),
            retry_after=retry_after(headers.get("retry-after-ms"), headers.get("retry-after")),
        )


async def _pieces(stream: Any) -> Any:
    async for piece in stream:
        yield piece


def _gather(gatherer: Gatherer, piece: Any, field: str) -> None:
    """Take in one chunk, or a whole completion: nothing in either is sure to be there."""
    spoken = gatherer.spoken
    usage = getattr(piece, "usage", None)
    if usage is not None:
        spoken.usage = _usage(usage)
    choices = getattr(piece, "choices", None)
    if not isinstance(choices, list) or not choices:
        gatherer.tick()
        return
    choice = choices[0]
    said = getattr(choice, field, None)
    gatherer.think(getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None))
    gatherer.say(getattr(said, "content", None))
    refusal = getattr(said, "refusal", None)
    if isinstance(refusal, str):
        spoken.refusal += refusal
    calls = getattr(said, "tool_calls", None)
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        function = getattr(call, "function", None)
        slot = getattr(call, "index", None)
        arguments = getattr(function, "arguments", None)
        gatherer.call(
            place if slot is None else slot,
            getattr(call, "id", None),
            getattr(function, "name", None),
            json.dumps(arguments) if isinstance(arguments, dict) else arguments,
        )
    finish = getattr(choice, "finish_reason", None)
    if isinstance(finish, str) and finish:
        spoken.finish = finish


def _usage(usage: Any) -> Usage:
    prompt = getattr(usage, "prompt_tokens_details", None)
    completion = getattr(usage, "completion_tokens_details", None)
    return Usage(
        input_tokens=count(getattr(usage, "prompt_tokens", 0)),
        output_tokens=count(getattr(usage, "completion_tokens", 0)),
        cached_tokens=count(getattr(prompt, "cached_tokens", 0)),
        reasoning_tokens=count(getattr(completion, "reasoning_tokens", 0)),
    )


def _context(model: Any) -> int | None:
    """Tokens of context, where vLLM, OpenRouter or llama.cpp say it."""
    meta = getattr(model, "meta", None)
    found = (
        getattr(model, "max_model_len", None)
        or getattr(model, "context_length", None)
        or (meta.get("n_ctx") if isinstance(meta, Mapping) else None)
    )
    return count(found) or None


def _status(code: object) -> int | None:
    return int(code) if isinstance(code, str) and code.isascii() and code.isdigit() else None


def _is_timeout(error: BaseException) -> bool:
    import httpx2

    return isinstance(error, (httpx2.TimeoutException, TimeoutError))


def retry_after(milliseconds: str | None, seconds: str | None) -> float | None:
    """Seconds to wait as a server asks for it, as a number or a date (RFC 9110, 10.2.3)."""
    for text, unit in ((milliseconds, 0.001), (seconds, 1.0)):
        try:
            wait = float(text or "") * unit
        except ValueError:
            continue
        return wait if 0 <= wait < 1e9 else None
    try:
        at = email.utils.parsedate_to_datetime(seconds or "")
        return max(0.0, at.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
